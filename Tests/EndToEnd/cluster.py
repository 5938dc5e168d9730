"""Several servers on one PostgreSQL, behind a balancer that gives each call to the next server."""
import collections
import contextlib
import http.client
import itertools
import json
import shutil
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from exchange import Caller, Lost
from ports import free_port
from server import POLL_SECONDS, START_SECONDS, Server

CHECK_SECONDS = 0.2  # between two looks at /readyz
CHECK_PATIENCE_SECONDS = 1.0  # in which it must answer
SILENT_SECONDS = 3.0  # after which the calls of a server that does not answer are given up
CALL_SECONDS = 30.0
CONNECTION_FIELDS = {"connection", "keep-alive", "transfer-encoding", "content-length", "proxy-connection", "te", "upgrade"}


Call = collections.namedtuple("Call", "began ended method path status")


class Balancer:
    """HTTP/1.1 on loopback. A server that is not ready gets no calls. A call that a server took goes to no other one.

    `calls` are those of the callers that have ended; the status of one without an answer is `None`.
    """

    def __init__(self, servers):
        self.servers, self.turns = servers, itertools.count()
        self.ready = {server: False for server in servers}
        self.used = None  # the only one that gets calls
        self.calls, self.connections, self.lock = [], {server: set() for server in servers}, threading.Lock()
        self.is_over = threading.Event()
        self.listener = ThreadingHTTPServer(("127.0.0.1", free_port()), self._handler())
        self.listener.daemon_threads = True
        self.port = self.listener.server_address[1]
        self.threads = [threading.Thread(target=self.listener.serve_forever, daemon=True)]
        self.threads += [threading.Thread(target=self._check, args=(server,), daemon=True) for server in servers]

    def start(self):
        for thread in self.threads:
            thread.start()

    def close(self):
        self.is_over.set()
        if self.threads[0].is_alive():  # else it would wait for ever
            self.listener.shutdown()
        self.listener.server_close()

    def in_turn(self):
        """The servers that may get a call, the next one first."""
        if used := self.used:
            return [used]
        turn = next(self.turns) % len(self.servers)
        return [server for server in self.servers[turn:] + self.servers[:turn] if self.ready[server]]

    @contextlib.contextmanager
    def using(self, server):
        """One server gets all calls meanwhile, also while it is not ready or silent."""
        self.used = server
        try:
            yield
        finally:
            self.used = None

    def _check(self, server):
        answered = time.monotonic()
        while not self.is_over.wait(CHECK_SECONDS):
            caller = Caller(server.base_url, timeout=CHECK_PATIENCE_SECONDS)
            try:
                self.ready[server] = caller.call("GET", "/readyz").status == 200
                answered = time.monotonic()
            except Lost:
                self.ready[server] = False
                if time.monotonic() - answered > SILENT_SECONDS and self.used is None:
                    self._give_up(server)
            finally:
                caller.close()

    def _give_up(self, server):
        with self.lock:
            for connection in self.connections[server]:
                taken = connection.sock  # `None` once the answer is there
                if taken is not None:
                    with contextlib.suppress(OSError):
                        taken.shutdown(socket.SHUT_RDWR)

    def exchange(self, server, connection, method, path, headers, body):
        """The answer of a server that is connected."""
        with self.lock:
            self.connections[server].add(connection)
        try:
            return exchanged(connection, method, path, headers, body)
        finally:
            with self.lock:
                self.connections[server].discard(connection)
            connection.close()

    def _handler(self):
        balancer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # an answer leaves as one write
            disable_nagle_algorithm = True

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True  # the caller has gone

            def answer(self):
                began, self.status = time.monotonic(), None
                try:
                    self.balance()
                finally:
                    balancer.calls.append(Call(began, time.monotonic(), self.command, self.path, self.status))

            def balance(self):
                size = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(size) if size else None
                if self.path.startswith("/sandbox/") and self.path != "/sandbox/users":
                    self.reply(*balancer.of_all(self.command, self.path, dict(self.headers), body))
                    return
                for server in balancer.in_turn():
                    try:
                        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=CALL_SECONDS)
                        connection.connect()
                    except OSError:
                        continue  # it never saw the call
                    try:
                        self.reply(*balancer.exchange(
                            server, connection, self.command, self.path, dict(self.headers), body))
                    except (OSError, http.client.HTTPException):
                        self.close_connection = True  # whether the call happened is not known
                    return
                self.reply(503, [("Retry-After", "1")], b'{"error":"no_server"}')

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer

            def reply(self, status, fields, body):
                self.status = status
                self.send_response_only(status)
                for name, value in fields:
                    if name.lower() not in CONNECTION_FIELDS:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)
                self.wfile.flush()

            def log_message(self, *_):
                pass

        return Handler

    def of_all(self, method, path, headers, body):
        """A call of the sandbox's own surface. Each server has its own inbox and clock."""
        answers = []
        for server in self.in_turn():
            try:
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=CALL_SECONDS)
                answers.append(exchanged(connection, method, path, headers, body))
            except (OSError, http.client.HTTPException):
                continue  # its inbox is lost with it
            finally:
                connection.close()
        if not answers:
            return 503, [], b"{}"
        found = next((answer for answer in answers if answer[0] == 200), answers[0])
        if path.startswith("/sandbox/messages") and method == "GET":
            messages = [message for status, _, content in answers if status == 200
                        for message in json.loads(content)["messages"]]
            messages.sort(key=lambda message: message["sentAt"])
            return 200, found[1], json.dumps({"messages": messages}).encode()
        return found


def exchanged(connection, method, path, headers, body):
    fields = {name: value for name, value in headers.items() if name.lower() not in CONNECTION_FIELDS}
    connection.request(method, path, body=body, headers=fields)
    response = connection.getresponse()
    content = response.read()
    return response.status, response.getheaders(), content


class Cluster:
    """Servers with one database and one master key. It is used as one `Server`, whose address is that of the balancer."""

    over_tls = False

    def __init__(self, binary, config, count, environment=None):
        self.servers = [Server(binary, config, environment=environment) for _ in range(count)]
        self.balancer = Balancer(self.servers)
        self.port = self.balancer.port
        for server in self.servers:
            server.environment |= {"HOLDFAST_SERVER_PUBLIC_URL": self.base_url}

    @property
    def base_url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def first(self):
        return self.servers[0]

    def __enter__(self):
        try:
            self._share_database()
            self.first.start()
            for server in self.servers[1:]:
                shutil.copy(self.first.data / "master.key", server.data)
            self.of_each(lambda server: server.start(), self.servers[1:])
            self.balancer.start()
            self.wait_until_ready()
            return self
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_):
        self.close()

    def _share_database(self):
        for server in self.servers:
            server.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        database = self.first.engine.prepare(self.first)
        for server in self.servers:
            server.engine.prepared[str(server.data)] = self.settings_of(server, database)

    def settings_of(self, server, database):
        """The settings by which a server finds the database."""
        return database

    def of_each(self, act, servers=None):
        with ThreadPoolExecutor(len(self.servers)) as pool:
            return list(pool.map(act, self.servers if servers is None else servers))

    def places(self):
        """How many servers the database has."""
        name = self.first.environment["HOLDFAST_DATABASE_URL"].rpartition("/")[2]
        return int(self.first.engine.query("SELECT count(*) FROM servers", name)[0])

    def wait_until_ready(self):
        """Returns when the balancer gives calls to all servers."""
        deadline = time.monotonic() + START_SECONDS
        while not all(self.balancer.ready.values()):
            if time.monotonic() > deadline:
                raise RuntimeError(f"not ready within {START_SECONDS:g} s: {self.balancer.ready.values()}")
            time.sleep(POLL_SECONDS)

    def last_words(self):
        return "".join(server.last_words() for server in self.servers)

    def command(self, *words):
        return self.first.command(*words)

    def close(self):
        self.balancer.close()
        for server in self.servers:
            server.close()
