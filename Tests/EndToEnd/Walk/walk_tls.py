"""Scenes of TLS in the server itself: agreement, a whole session, other certificates, the end."""
import json
import random
import signal
import socket
import ssl
import threading
import time
import urllib.parse

import encryption
from encryption import make_certificate, server_certificate, write_certificate
from exchange import Caller
from holdfast import Client, Key, Platform, Server, expected
from ports import free_port
from volley import answer_on
from world import LORANT, RIGHT

PROBE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
SECONDS = 10


def tls_server(world, **environment):
    return Server(world.options.binary, world.options.config, environment=environment, over_tls=True)


def context(least=ssl.TLSVersion.TLSv1_2, most=ssl.TLSVersion.TLSv1_3):
    """Takes any certificate: for scenes that look at something else."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    made.set_ciphers("ALL:@SECLEVEL=0")
    made.minimum_version, made.maximum_version = least, most
    return made


def ask(connection, request=PROBE):
    connection.sendall(request)
    return answer_on(connection)


def a_session_over_https_is_proven_by_a_code(world):
    with tls_server(world) as server:
        platform = Platform(server.base_url)
        expected(platform.token(), 200)
        session = expected(platform.unify(LORANT), 200, success="pending")
        client = Client(server.base_url, session["authToken"], device_key=Key())
        assert client.claims["iss"].startswith(f"https://127.0.0.1:{server.port}"), client.claims
        client.to_code_entry()
        events = client.events()
        expected(client.verify(RIGHT), 200)
        while (event := events.state()) is not None and event.state["status"] != "done":
            pass
        assert event is not None, "the stream ended before the session"
        events.close()
        expected(platform.status(session["correlationId"]), 200, success="true")
        server.stop()  # what it has logged is in the file then
        lines = [json.loads(line) for line in server.output().splitlines() if line.startswith('{"')]
        requests = [line for line in lines if line.get("message") == "request"]
        assert requests and all(line.get("tls") == "TLSv1.3" for line in requests), requests[:3]


def a_proof_for_http_is_refused_over_https(world):
    with tls_server(world) as server:
        platform = Platform(server.base_url)
        expected(platform.token(), 200)
        session = expected(platform.unify(LORANT), 200)
        client = Client(server.base_url, session["authToken"])
        expected(client.start(), 200)
        right = client.caller.base_url
        client.caller.base_url = right.replace("https:", "http:")
        proof = client.proof("GET", "/client/v1/session")
        client.caller.base_url = right
        expected(client.call("GET", "/session", proof=proof), 401, error="invalid_dpop_proof")


def tls_1_2_and_1_3_are_spoken_and_no_older_one(world):
    with tls_server(world) as server:
        for version, name in ((ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
            with server.connect(SECONDS, context(version, version)) as connection:
                assert connection.version() == name and ask(connection).status == 200
                cipher = connection.cipher()[0]
                assert "GCM" in cipher or "CHACHA20" in cipher, cipher
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            try:
                server.connect(SECONDS, context(version, version)).close()
            except ssl.SSLError:
                continue
            raise AssertionError(f"{version} is spoken")


def plain_http_on_the_port_is_told_to_use_https(world):
    with tls_server(world) as server, encryption.connect(server.port, SECONDS, False) as connection:
        answer = ask(connection)
        assert answer.status == 400 and b"use https" in answer.body, answer
        assert connection.recv(1) == b""


def browsers_are_led_to_https_and_calls_are_refused(world):
    port = free_port()
    with tls_server(world, HOLDFAST_SERVER_REDIRECT_PORT=str(port)) as server:
        caller = Caller(f"http://127.0.0.1:{port}")
        answer = caller.call("GET", "/l/abc?x=1", headers={"Host": "evil.example"})
        assert (answer.status, answer.headers["location"]) == (308, f"{server.base_url}/l/abc?x=1"), answer.headers
        for method, path in (("POST", "/l/abc"), ("GET", "/v3/unify"), ("POST", "/token")):
            answer = caller.call(method, path)
            assert answer.status == 403 and "location" not in answer.headers, answer
        caller.close()


def certificates_change_under_load_and_nobody_notices(world):
    with tls_server(world) as server:
        faults, answered, done = [], [0], threading.Event()

        def call_on_and_on(keeps):
            trust = context()
            connection = server.connect(SECONDS, trust)
            while not done.is_set():
                try:
                    assert ask(connection).status == 200
                    answered[0] += 1
                    if not keeps:
                        connection.close()
                        connection = server.connect(SECONDS, trust)
                except (OSError, AssertionError, AttributeError) as error:
                    faults.append(repr(error))
                    return
            connection.close()

        callers = [threading.Thread(target=call_on_and_on, args=(number % 2 == 0,)) for number in range(8)]
        for caller in callers:
            caller.start()
        for number in range(10):
            server.write_certificate(server_certificate(f"certificate {number}"))
            server.process.send_signal(signal.SIGHUP)
            deadline = time.monotonic() + SECONDS
            while served_name(server) != f"certificate {number}":
                assert time.monotonic() < deadline, "the certificate was not taken"
        server.write_certificate(server_certificate("late", days=-0.01))
        server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + SECONDS
        while "expired on" not in server.output():
            assert time.monotonic() < deadline, "nothing was said of a certificate that has expired"
        assert served_name(server) == "certificate 9"
        done.set()
        for caller in callers:
            caller.join()
        assert not faults, f"{len(faults)} of {len(callers)}: {faults[:3]}"
        return f"{answered[0]:,} answered"


def served_name(server):
    from cryptography import x509
    with server.connect(SECONDS, context()) as connection:
        certificate = x509.load_der_x509_certificate(connection.getpeercert(binary_form=True))
    return certificate.subject.rdns[0].rfc4514_string().removeprefix("CN=")


def a_stop_ends_tls_properly(world):
    with tls_server(world) as server:
        # An end of the socket alone would be an error here.
        with server.connect(SECONDS) as idle, server.connect(SECONDS) as busy:
            assert ask(busy).status == 200
            assert server.stop() == 0
            assert idle.recv(1) == b"" and busy.recv(1) == b""


def an_api_client_shows_the_certificate_that_names_it(world):
    with tls_server(world) as server:
        directory = server.directory
        authority = make_certificate("clients", hosts=(), is_authority=True)
        write_certificate(authority, directory / "clients.pem", directory / "clients.key")
        server.stop()
        server.environment |= {
            "HOLDFAST_SERVER_TLS_CLIENT_CA_FILE": str(directory / "clients.pem"),
            "HOLDFAST_SERVER_TLS_CLIENT_CERTIFICATES": "required",
        }
        server.start()
        body = urllib.parse.urlencode({
            "grant_type": "client_credentials", "client_id": "sandbox", "client_secret": "sandbox-secret"}).encode()
        request = (
            b"POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        for name, status in (("sandbox", 200), ("other", 401), (None, 401)):
            trust = context()
            if name:
                files = directory / f"{name}.pem", directory / f"{name}.key"
                write_certificate(make_certificate(name, hosts=(), issuer=authority), *files)
                trust.load_cert_chain(*files)
            with server.connect(SECONDS, trust) as connection:
                assert ask(connection, request).status == status, name
                assert ask(connection).status == 200, name


def damaged_bytes_leave_the_server_as_it_was(world):
    chance = random.Random(20261123)
    hello = client_hello()
    with tls_server(world) as server:
        for number in range(400):
            data = bytearray(hello if number % 4 else chance.randbytes(chance.randrange(1, 3000)))
            for _ in range(chance.randrange(0, 4)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            data = bytes(data[:chance.randrange(1, len(data) + 1)])
            with encryption.connect(server.port, SECONDS, False) as connection:
                try:
                    connection.sendall(data)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):
                        pass
                except OSError:
                    pass
        with server.connect(SECONDS) as connection:
            assert ask(connection).status == 200
        assert server.is_serving()
        metrics = Caller(server.base_url).call("GET", "/metrics").body.decode()
        assert 'holdfast_tls_connections_total{outcome="failed"}' in metrics
        return "400 openings"


def client_hello():
    outgoing = ssl.MemoryBIO()
    connection = context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="127.0.0.1")
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()
