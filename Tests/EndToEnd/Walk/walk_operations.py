"""Scenes of the sandbox and of running the server: fixtures, clock, secrecy of logs and files, stop and start."""
import base64
import hashlib
import json
import re
import signal
import stat
import subprocess
import threading
import time
import uuid
from pathlib import Path

from engines import ENGINE
from holdfast import Key, Server, expected
from people import BENJI, CATHEE, MARCIA
from world import ALLISSA, BERTIE, INGE, LANEY, LORANT, PENNY, RIGHT, STRANGER


def an_unknown_number_is_refused_and_the_message_helps(world):
    answer = expected(world.plain.platform.unify(STRANGER), 400, code=8007)
    assert "unknownNumbers" in answer["message"] and STRANGER not in answer["message"], answer


def the_platform_names_the_field_that_is_wrong(world):
    platform = world.plain.platform
    for field, value in (
        ("possessionType", "phone"), ("phoneNumber", "12"), ("phoneNumber", 7), ("smsMessage", "x" * 161),
        ("smsMessage", "no hash"), ("allowOTPRetry", "yes"), ("finalTargetUrl", "https://a.example/" + "x" * 128),
        ("emailAddress", "a b"), ("ipAddress", "<>"),
    ):
        fields = {"possession_type": "mobile", "phone_number": LORANT}
        if field == "possessionType":
            fields["possession_type"] = value
        elif field == "phoneNumber":
            fields["phone_number"] = value
        else:
            fields[field] = value
        answer = expected(platform.unify(**fields), 400, code=8001)
        assert field in answer["message"], f"{field}: {answer}"
    expected(platform.unify(LORANT, "desktop"), 400, code=8001)


def the_short_paths_are_the_same_calls(world):
    answer = expected(world.plain.platform.unify(LORANT, path="/unify"), 200, success="pending")
    answer = world.plain.platform.post("/unify-status", {"correlationId": answer["correlationId"]})
    expected(answer, 200, success="pending")


def members_unknown_to_the_platform_are_ignored(world):
    expected(world.plain.platform.unify(LORANT, somethingNew={"a": [1]}, clientCustomerId=None), 200)


def the_sandbox_completes_a_session_without_a_client(world):
    sandbox = world.plain.sandbox
    for outcome, success in (("success", "true"), ("failure", "false")):
        session = world.plain.unify(LANEY)
        expected(sandbox.complete(session.correlation_id, outcome), 200)
        assert session.status(success)["deviceId"] is None
        assert sandbox.complete(session.correlation_id, outcome).status == 409
    assert sandbox.complete(str(uuid.uuid4()), "success").status == 404
    assert sandbox.complete(world.plain.unify(LANEY).correlation_id, "perhaps").status == 400


def a_success_that_only_a_check_tells_is_made_by_that_check_alone(world):
    site = world.plain
    secret = json.loads(site.server.command("clients", "hook-secret", "sandbox", "--json"))["secret"]
    site.secrets.add(secret)
    service = "/twilio-verify/v2/Services/VA8929efd001111e6cb59c5f42b3382421"
    for path, kind, body, user, word in (
            (service + "/Verifications", "application/x-www-form-urlencoded", f"To=%2B1{LORANT}&Channel=sms",
             "AC0123456789abcdef0123456789abcdef:sandboxsecret", "VerificationCheck"),
            ("/hooks/kratos", "application/json", json.dumps({"to": "+1" + LORANT, "code": "975310"}),
             "sandbox:" + secret, "checks it itself")):
        credentials = "Basic " + base64.b64encode(user.encode()).decode()
        sent = site.sandbox.caller.call("POST", path, body.encode(), {"Content-Type": kind, "Authorization": credentials})
        assert sent.status in (200, 201), sent
        session = site.sandbox.sessions()["sessions"][0]["correlationId"]
        answer = expected(site.sandbox.complete(session, "success"), 409, code=8003)
        assert word in answer["message"], answer
        expected(site.sandbox.complete(session, "failure"), 200, outcome="failed")


def the_inbox_shows_each_message_once_and_waits_for_the_next(world):
    session = world.plain.unify(LORANT, smsMessage="Your code: #####")
    session.client().to_code_entry()
    message, = session.messages()
    assert message["code"] == "12345" and "12345" in message["text"] and message["channel"], message
    assert message["to"] == LORANT, message
    after = message["id"]
    assert all(item["id"] != after for item in world.plain.sandbox.messages(after=after))
    assert world.plain.sandbox.messages(to=LORANT)[-1]["id"] == after


def the_timeline_tells_what_happened_and_no_secret(world):
    session = world.plain.unify(LORANT)
    expected(session.client(device_key=Key()).authenticate(RIGHT), 200)
    text = json.dumps(world.plain.sandbox.events(session.correlation_id))
    assert len(world.plain.sandbox.events(session.correlation_id)) >= 4, text
    assert LORANT not in text and session.auth_token not in text, text


def the_clock_goes_forward_and_back_only_by_reset(world):
    sandbox = world.simulated.sandbox
    before = sandbox.clock()["offsetSeconds"]
    expected(sandbox.advance(10), 200)
    assert sandbox.clock()["offsetSeconds"] == before + 10
    assert sandbox.advance(-1).status == 400
    expected(sandbox.reset_clock(), 200)
    assert sandbox.clock()["offsetSeconds"] == 0
    expected(world.simulated.platform.token(), 200)


def the_users_are_listed(world):
    text = json.dumps(world.plain.sandbox.users())
    assert all(number in text for number in (LORANT, LANEY, PENNY, BERTIE)), text[:300]


def operators_find_their_pages(world):
    caller = world.plain.sandbox.caller
    for path in ("/healthz", "/readyz"):
        expected(caller.call("GET", path), 200)
    metrics = expected(caller.call("GET", "/metrics"), 200)
    assert b"# TYPE" in metrics.body and metrics.headers["content-type"].startswith("text/plain"), metrics
    answer = expected(caller.call("GET", "/nothing-here"), 404, code=8001)
    assert answer.headers["x-request-id"], answer.headers
    assert "allow" in expected(caller.call("DELETE", "/v3/unify"), 405).headers


def a_web_page_cannot_call_the_sandbox_by_its_own_name(world):
    caller = world.plain.sandbox.caller
    for path in ("/sandbox/messages", "/sandbox/users", "/sandbox/sessions", "/docs", "/metrics"):
        answer = expected(caller.call("GET", path, headers={"Host": "evil.example"}), 421, code=8001)
        assert "server.hostNames" in answer["message"], answer
        expected(caller.call("GET", path, headers={"Host": f"localhost:{caller.port}"}), 200)
    expected(caller.call("GET", "/nothing-here", headers={"Host": "evil.example"}), 421)
    expected(caller.call("GET", "/healthz", headers={"Host": "evil.example"}), 200)


def a_stop_loses_no_request_of_busy_connections(world):
    with Server(world.plain.server.binary, world.plain.server.config) as server:
        lost, answered, stopping = [], [], threading.Event()

        def call_on_and_on():
            while True:
                try:
                    connection = server.connect(10)
                except ConnectionRefusedError:
                    return
                with connection:
                    answer = b""
                    while b"connection: close" not in answer.lower():
                        try:
                            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            answer = connection.recv(4096)
                        except OSError as error:
                            lost.append(repr(error))
                            return
                        if not answer:
                            lost.append("end of file")
                            return
                        answered.append(1)
                    if stopping.is_set():
                        return

        callers = [threading.Thread(target=call_on_and_on) for _ in range(16)]
        for caller in callers:
            caller.start()
        time.sleep(0.3)
        stopping.set()
        idle = server.connect(10)
        with idle:
            began = time.monotonic()
            assert server.stop() == 0
            took = time.monotonic() - began
        for caller in callers:
            caller.join()
    assert not lost, f"{len(lost)} of 16 connections: {lost[:3]}"
    assert took < 4, f"{took:.1f} s"
    return f"{len(answered):,} answered, stopped after {took:.1f} s"


def no_core_file_can_be_written(world):
    pid = world.plain.server.process.pid
    limits = Path(f"/proc/{pid}/limits").read_text().splitlines()
    assert [line.split()[4:6] for line in limits if line.startswith("Max core file size")] == [["0", "0"]]


def every_log_line_of_a_request_is_json(world):
    lines = [line for line in world.plain.server.output().splitlines() if line.startswith("{")]
    for line in lines:
        json.loads(line)
    assert lines, "no JSON line in the output"
    return f"{len(lines)} lines"


def logs_and_metrics_hold_no_secret_and_no_full_number(world):
    looked = 0
    for site in world.sites.values():
        # The start greets a sandbox developer with a curl line, which is no log.
        log = [line for line in site.server.output().splitlines() if line.startswith("{")]
        text = "\n".join(log) + site.sandbox.caller.call("GET", "/metrics").body.decode()
        # An identifier may have the digits of a birth date or of a number.
        text = re.sub(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "", text)
        secrets = {secret for secret in site.secrets if len(secret) > 6}
        found = [secret[:12] for secret in secrets if secret in text]
        # A fraction of a second may have the digits of a number: 0.35550000000000004.
        for number in (LORANT, LANEY, PENNY, BERTIE, INGE, ALLISSA, STRANGER, MARCIA, CATHEE, BENJI):
            found += [number for form in (number.lstrip("+"), "1" + number)
                      if re.search(rf"(?<!\d\.)(?<!\.\d)(?<!\.\d\d)(?<!\.\d\d\d){form}", text)]
        assert not found, f"in the output: {found}"
        codes = [secret for secret in site.secrets if re.fullmatch(r"\d{5,6}", secret)]
        found = [code for code in codes if re.search(rf"(?<![\d.]){code}(?!\d)", text)]
        assert not found, f"codes in the output: {found}"
        assert "eyJ" not in text, "something like a token in the output"
        hops = re.findall(r"/(?:l|ma/v1/go)/[A-Za-z0-9_-]{22}|[?&](?:t|code|state|phoneNumber)=", text)
        assert not hops, f"links or hops in the output: {hops[:5]}"
        looked += len(text)
    return f"{looked:,} characters"


def a_second_server_on_the_same_data_is_refused(world):
    server = world.plain.server
    result = subprocess.run(
        [server.binary, "serve", "--config", server.config, "--host", "127.0.0.1", "--port", "0",
         "--data", str(server.data)],
        capture_output=True, timeout=15, stdin=subprocess.DEVNULL)
    assert result.returncode != 0, result.stdout[-500:]
    expected(world.plain.sandbox.caller.call("GET", "/healthz"), 200)


def sessions_survive_a_restart(world):
    site = world.plain
    session, waiting = site.unify(LORANT), site.unify(LORANT, allowOTPRetry=True)
    key = Key()
    expected(session.client(device_key=key).authenticate(RIGHT), 200)
    client = waiting.client()
    client.to_code_entry()
    site.advance(60)
    offset = site.sandbox.clock()["offsetSeconds"]
    site.restart()
    client.close()
    assert site.sandbox.clock()["offsetSeconds"] == offset > 0, "the sandbox clock went back"
    session.status("true")
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    expected(site.unify(LORANT).client(device_key=key).to_code_entry(), 200, outcome="succeeded")
    return f"ready after {site.server.start_seconds * 1000:.0f} ms"


def sighup_reads_the_users_file_again_and_ends_nothing(world):
    """A user that is added works at once, a broken file changes nothing, and the log says which it was."""
    site = world.scripted
    server = site.server
    file = Path(json.loads(Path(server.config).read_text())["sandbox"]["usersFile"])
    before = file.read_text()
    users = json.loads(before)["users"]
    number = "2015550177"
    expected(site.platform.unify(number), 400, code=8007)

    def after_signal(text, line, count):
        file.write_text(text)
        server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 10
        while server.output().count(line) < count:
            assert time.monotonic() < deadline and server.is_running(), f"no line {line}: {server.output()[-500:]}"
            time.sleep(0.02)

    try:
        user = {"number": number, "name": "Added", "region": "NA", "product": "unify"}
        after_signal(json.dumps({"users": users + [user]}), '"message":"reloaded"', 1)
        expected(site.platform.unify(number), 200)
        after_signal(before[:-5], '"message":"not reloaded', 1)
        expected(site.platform.unify(number), 200)
    finally:
        after_signal(before, '"message":"reloaded"', 2)
    expected(site.platform.unify(number), 400, code=8007)
    assert "1 new, 0 gone" in server.output() and "0 new, 1 gone" in server.output()


def sigterm_ends_the_server_with_status_0(world):
    for site in world.sites.values():
        site.hang_up()
        status = site.server.stop()
        assert status == 0, f"exit status {status}"


def data_files_are_private_and_sound(world):
    for site in world.sites.values():
        data = site.server.data
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        for file in ENGINE.files(data):
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, f"{file.name} is readable by others"
        assert ENGINE.faults(data) == []


def data_files_hold_no_number_code_or_secret_in_plain(world):
    needles = set(spellings(
        LORANT, LANEY, PENNY, INGE, BERTIE.lstrip("+"), ALLISSA.lstrip("+"), STRANGER, MARCIA, CATHEE, BENJI)) | {b"sandbox-secret"}
    # The log of a PostgreSQL belongs to all sites.
    files = set()
    for site in world.sites.values():
        needles |= {secret.encode() for secret in site.secrets if len(secret) > 6}
        for code in (secret for secret in site.secrets if re.fullmatch(r"\d{6}", secret)):
            needles |= {hashlib.sha256(code.encode()).digest(), hashlib.md5(code.encode()).digest()}
        files |= set(ENGINE.files(site.server.data))
    looked = 0
    for file in files:
        data = file.read_bytes()
        found = [needle[:12] for needle in needles if needle in data]
        assert not found, f"{file.name} holds {found}"
        looked += len(data)
    return f"{looked:,} bytes"


def spellings(*numbers):
    """A number as it might lie in a file: plain, reversed, hex, base64 at each of the three alignments."""
    for number in numbers:
        plain = number.encode()
        yield from (plain, plain[::-1], plain.hex().encode(), plain.hex().upper().encode())
        for shift in range(3):
            coded = base64.b64encode(b"\0" * shift + plain)
            yield coded[4 if shift else 0:(len(plain) + shift) // 3 * 4]


def a_wrong_configuration_stops_before_a_socket_opens(world):
    server = world.plain.server
    config = server.directory / "wrong.json"
    config.write_text('{"mode": "sandbox", "server": {"prot": 1, "maxBodyBytes": "many"}}')
    result = subprocess.run(
        [server.binary, "serve", "--config", str(config), "--data", str(server.directory / "none")],
        capture_output=True, timeout=15, stdin=subprocess.DEVNULL)
    text = (result.stdout + result.stderr).decode()
    assert result.returncode == 78 and "prot" in text and "maxBodyBytes" in text, f"{result.returncode}: {text[-500:]}"
