"""One TCP connection that sends in chosen pieces and reads at the same time, so that neither side blocks."""
import select
import socket
import time

PAUSED_PIECES = 300  # further pieces follow without a pause, or a long request would take minutes
# Of a long request, only so many bytes at each end are cut; what lies between goes in blocks, or a million single bytes would
# take longer than the server waits for a request.
CUT_BYTES = 64 * 1024
BLOCK = 4096
LOOK_EVERY = 32  # pieces between two looks at what the server has sent


def pieces(length, size):
    """Where each piece begins, and how long it may be."""
    at = 0
    while at < length:
        between = CUT_BYTES <= at < length - CUT_BYTES
        step = max(size, min(BLOCK, length - CUT_BYTES - at)) if between else size
        yield at, step
        at += step


class Wire:
    def __init__(self, host, port, reader):
        self.reader = reader
        self.start = time.monotonic()
        self.ended = False
        self.was_reset = False
        self.send_failed = False
        self.socket = socket.create_connection((host, port), timeout=5)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def elapsed(self):
        return time.monotonic() - self.start

    def receive(self, wait):
        """Reads once, waiting up to `wait` seconds for something to come."""
        if self.ended:
            return
        readable, _, _ = select.select([self.socket], [], [], max(0.0, wait))
        if not readable:
            return
        try:
            data = self.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            self.was_reset = True
            data = b""
        if data:
            self.reader.feed(data, self.elapsed())
        else:
            self.ended = True
            self.reader.end(self.elapsed())

    def receive_until(self, condition, deadline):
        """Reads until the condition holds, the server closes or the deadline (monotonic seconds) passes."""
        while not condition() and not self.ended:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            self.receive(min(left, 0.5))
        return condition()

    def send(self, data, deadline, piece_size=None, pause=0.0):
        """Sends all of `data`; stops early when the server has closed."""
        for number, (at, size) in enumerate(pieces(len(data), piece_size or max(1, len(data)))):
            if number and pause and number < PAUSED_PIECES:
                time.sleep(pause)
            if number % LOOK_EVERY == 0:
                self.receive(0)
            self._send_piece(memoryview(data)[at:at + size], deadline)
            if self.send_failed:
                return

    def _send_piece(self, piece, deadline):
        while piece:
            try:
                piece = piece[self.socket.send(piece):]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    self.send_failed = True
                    return
                self.receive(0)
                select.select([] if self.ended else [self.socket], [self.socket], [], 0.2)
            except OSError:
                self.send_failed = True
                return

    def half_close(self):
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass
