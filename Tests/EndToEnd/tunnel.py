"""A proxy that makes tunnels (RFC 9110 section 9.3.6), on loopback: it notes who is asked for, and may refuse."""
import socket
import socketserver
import threading


class Tunnel:
    """Listens on a free port. While `refuses` is set, each CONNECT gets 403."""

    def __init__(self):
        self.asked, self.refuses = [], False
        owner = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                method, target, _ = self.rfile.readline().decode().split(" ", 2)
                while self.rfile.readline().strip():
                    pass
                owner.asked.append(f"{method} {target}")
                if owner.refuses or method != "CONNECT":
                    self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    return
                host, port = target.rsplit(":", 1)
                with socket.create_connection((host, int(port)), timeout=10) as far:
                    far.settimeout(None)
                    self.wfile.write(b"HTTP/1.1 200 Connection established\r\nVia: a tunnel\r\n\r\n")
                    back = threading.Thread(target=copy, args=(far, self.connection), daemon=True)
                    back.start()
                    copy(self.connection, far)
                    back.join()

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def copy(source, target):
    """Until the source ends; then the target is told."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
