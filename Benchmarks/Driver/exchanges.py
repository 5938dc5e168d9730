"""Counts how often a call waits for PostgreSQL. The server connects to this program, which passes everything on."""
import re
import socket
import threading
import time

import webhooks
from on_postgres import OnPostgres

# How long a server may still work on a call after its answer.
SETTLE_SECONDS = 1.0
# Each transaction is in one of them.
TRANSACTIONS = re.compile(r"^holdfast_(?:writer_transactions|writer_rolled_back|postgres_reads)_total (\d+)", re.M)


class Wire:
    """Passes connections on to PostgreSQL, and counts what servers send (PostgreSQL, "Message Formats")."""

    STARTUP = 196608
    EXECUTE, QUERY, FLUSH, SYNC, PARSE = b"E", b"Q", b"H", b"S", b"P"

    def __init__(self, address):
        self.address, self.statements, self.exchanges = address, 0, 0
        self.lock, self.listener = threading.Lock(), socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.address)
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for work, ends in ((self._requests, (client, server)), (self._answers, (server, client))):
                threading.Thread(target=self._pass, args=(work, *ends), daemon=True).start()

    def _pass(self, work, source, target):
        try:
            work(source, target)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # One of the two has closed the connection.

    def _requests(self, source, target):
        stream, is_started, is_read = source.makefile("rb"), False, False
        # The first messages have no type: a request for encryption, and the start.
        while head := stream.read(5 if is_started else 4):
            body = stream.read(int.from_bytes(head[-4:], "big") - 4)
            is_started = is_started or int.from_bytes(body[:4], "big") == self.STARTUP
            kind = head[:-4]
            is_read = is_read or kind == self.PARSE and b"READ ONLY" in body
            with self.lock:
                self.statements += kind in (self.EXECUTE, self.QUERY)
                # The server does not wait for the COMMIT of a read.
                self.exchanges += kind in (self.QUERY, self.FLUSH) or kind == self.SYNC and not is_read
            is_read = is_read and kind != self.SYNC
            target.sendall(head + body)

    def _answers(self, source, target):
        while data := source.recv(65536):
            target.sendall(data)


def counted(postgres, settings, prepare):
    """Transactions, statements and exchanges of each call. The calls come one after the other.

    `prepare` gets the server. It returns a function that makes the calls and returns their number."""
    host, _, port = re.search(r"@([^/,]+)", postgres.owner)[1].rpartition(":")
    wire = Wire((host, int(port)))
    with OnPostgres(postgres, settings, wire) as server:
        def now():
            return webhooks.metric(server, TRANSACTIONS), wire.statements, wire.exchanges

        def cost(work):
            """Counts for `work` and the time after it, their seconds, and the result of `work`."""
            before, began = now(), time.monotonic()
            result = work()
            time.sleep(SETTLE_SECONDS)
            return [new - old for old, new in zip(before, now())], time.monotonic() - began, result

        calls = prepare(server)
        time.sleep(SETTLE_SECONDS)
        # The server also uses the database while it is idle. That part is subtracted.
        idle, idle_seconds, _ = cost(lambda: time.sleep(2 * SETTLE_SECONDS))
        totals, seconds, count = cost(calls)
        return [(total - other * seconds / idle_seconds) / count for total, other in zip(totals, idle)]
