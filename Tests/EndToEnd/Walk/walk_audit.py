"""Scenes of the audit log: what stands in it, that a stranger can check it, and that what was changed is found."""
import hashlib
import json
import subprocess
import tempfile
import time
from pathlib import Path

from holdfast import Key, Platform, expected
from world import LORANT, RIGHT


def exported(server, *options):
    """The entries, each checked as somebody would who has the export and nothing else."""
    entries = []
    for line in server.command("audit", "export", *options).splitlines():
        text, digest = line[:-len(',"hash":"') - 66], line[-66:-2]
        assert line[len(text):].startswith(',"hash":"'), line
        assert hashlib.sha256((text + "}").encode()).hexdigest() == digest, line
        entry = json.loads(line)
        if entries:
            assert entry["previous"] == entries[-1]["hash"] and entry["number"] == entries[-1]["number"] + 1, line
        entries.append(entry)
    return entries


def newest(server):
    return exported(server)[-1]["number"]


def what_an_operator_does_is_in_the_audit_log(world):
    server = world.plain.server
    before = newest(server)
    printed = server.command("clients", "add", "audited", "--display-name", "Private Shop")
    secret = printed.split("client_secret=")[1].split()[0]
    server.command("clients", "update", "audited", "--display-name", "Other")
    rotated = server.command("clients", "rotate-secret", "audited", "--overlap", "2")
    key = dict(line.split("=", 1) for line in server.command("clients", "keys", "add", "audited").splitlines())
    server.command("clients", "keys", "list", "audited")
    server.command("clients", "keys", "revoke", key["key_id"])
    built = [server.command("clients", "app-keys", *words) for words in (
        ("add", "audited"), ("export", "audited"), ("rotate", "audited", "--overlap-days", "7"))]
    assert built[0] == built[1] != built[2], built
    server.command("clients", "app-keys", "list", "audited")
    server.command("keys", "rotate")
    server.command("clients", "revoke", "audited")
    server.command("clients", "list")
    entries = exported(server, "--after", str(before))
    assert [entry["event"] for entry in entries] == [
        "client_added", "client_updated", "client_secret_rotated", "api_key_added", "api_key_revoked",
        "application_keys_added", "application_keys_exported", "application_keys_rotated",
        "signing_keys_rotated", "client_revoked"], entries
    for entry in entries:
        assert (entry["actor"], entry["result"]) == ("operator", "done") and entry["requestId"], entry
        of_all = entry["event"] in ("signing_keys_rotated", "api_key_revoked")
        assert entry.get("client") == (None if of_all else "audited"), entry
        assert entry["at"].endswith("Z") and len(entry["at"]) == 24, entry
    assert entries[2]["detail"] == {"overlapHours": "2"}, entries[2]
    text = json.dumps(entries)
    application_secrets = [
        line.split("=", 1)[1] for text in built for line in text.splitlines() if line.startswith("application_secret=")]
    assert len(application_secrets) == 3, built
    client_secrets = [secret, rotated.split("client_secret=")[1].split()[0]]
    for hidden in (*client_secrets, *application_secrets, key["api_key"], "Private"):
        assert hidden not in text, text


def an_order_that_is_refused_is_in_the_audit_log(world):
    server = world.plain.server
    before = newest(server)
    try:
        server.command("clients", "revoke", "nobody-there")
        raise AssertionError("a client that is not there was revoked")
    except RuntimeError:
        pass
    entry, = exported(server, "--after", str(before))
    assert (entry["event"], entry["result"], entry["client"]) == ("client_revoked", "refused", "nobody-there"), entry


def what_a_backend_administers_is_in_the_audit_log(world):
    platform, server = world.plain.platform, world.plain.server
    key = Key()
    session = world.plain.unify(LORANT)
    expected(session.client(device_key=key).authenticate(RIGHT), 200)
    device = session.status("true")["deviceId"]
    before = newest(server)
    expected(platform.post("/v3/device/revoke", {"deviceId": device}), 200)
    expected(platform.post("/v3/device/revoke", {"deviceId": "019b7907-8d58-7500-8000-000000000003"}), 404)
    entry, = exported(server, "--after", str(before))
    assert (entry["event"], entry["actor"], entry["client"]) == ("client_call", "client", "sandbox"), entry
    assert entry["detail"] == {"call": "revokeDevice", "path": "/v3/device/revoke"}, entry
    assert entry["address"] == "127.0.0.1" and entry["requestId"], entry


def what_an_operator_does_with_a_device_is_in_the_audit_log(world):
    server = world.plain.server
    session = world.plain.unify(LORANT)
    expected(session.client(device_key=Key()).authenticate(RIGHT), 200)
    device = session.status("true")["deviceId"]
    before = newest(server)

    def listed():
        lines = map(json.loads, server.command("devices", "list", "--client", "sandbox").splitlines())
        return next(line for line in lines if line["id"] == device)

    assert (listed()["kind"], listed()["status"]) == ("key", "active"), listed()
    try:
        server.command("devices", "block", device)
        raise AssertionError("a device key was blocked")
    except RuntimeError as refusal:
        assert "this is a device key" in str(refusal), refusal
    assert server.command("devices", "remove", device) == "removed\n"
    assert listed()["status"] == "revoked", listed()
    entries = exported(server, "--after", str(before))
    assert [(entry["event"], entry["result"]) for entry in entries] == [
        ("device_blocked", "refused"), ("device_removed", "done")], entries
    assert all(entry["detail"] == {"device": device} for entry in entries), entries


def failed_logins_are_in_the_audit_log(world):
    site = world.plain
    before = newest(site.server)
    expected(Platform(site.server.base_url, "sandbox", "wrong-secret").token(), 401)
    expected(Platform(site.server.base_url, "my-secret-in-the-wrong-field", "x").token(), 401)
    # They share a commit that happens anyway, or get one soon. On PostgreSQL two of them may change places.
    deadline = time.monotonic() + 5
    while len(entries := exported(site.server, "--after", str(before))) < 2 and time.monotonic() < deadline:
        pass
    assert [entry["event"] for entry in entries] == ["login_failed"] * 2, entries
    assert [(entry["actor"], entry["result"]) for entry in entries] == [("anonymous", "refused")] * 2, entries
    assert {entry.get("client") for entry in entries} == {"sandbox", None}, entries
    assert "secret" not in json.dumps(entries), entries


def the_audit_log_is_verified(world):
    server = world.plain.server
    entries = exported(server)
    seen = f'{entries[2]["number"]}:{entries[2]["hash"]}'
    printed = server.command("audit", "verify", "--expect", seen)
    assert f"verified {len(entries)} entries, 1 to {len(entries)}" in printed, printed
    changed = f'{entries[2]["number"]}:{"0" * 64}'
    assert refused(server, "--expect", changed).startswith(f'entry {entries[2]["number"]}: is not the one')
    assert "is not there" in refused(server, "--expect", f'{len(entries) + 1000}:{"0" * 64}')


def a_changed_export_is_told_with_its_entry(world):
    server = world.plain.server
    for _ in range(4):
        server.command("keys", "rotate")
    lines = server.command("audit", "export").splitlines()
    middle = len(lines) // 2
    forged = {
        "a changed word": [*lines[:middle], lines[middle].replace("done", "dine").replace("refused", "defused"),
                           *lines[middle + 1:]],
        "a removed entry": lines[:middle] + lines[middle + 1:],
        "two entries that changed places": [*lines[:middle], lines[middle + 1], lines[middle], *lines[middle + 2:]],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.jsonl"
        path.write_text("\n".join(lines) + "\n")
        assert f"verified {len(lines)} entries" in server.command("audit", "verify", "--file", str(path))
        for name, text in forged.items():
            path.write_text("\n".join(text) + "\n")
            told = refused(server, "--file", str(path))
            assert told.startswith(f"entry {middle + 1}: "), f"{name}: {told}"
        path.write_text("not an entry\n")
        assert "line 1 of the file is no entry" in refused(server, "--file", str(path))


def refused(server, *options):
    """What `audit verify` says to the error output when it ends with 65."""
    result = subprocess.run(
        [server.binary, "audit", "verify", *options, "--config", server.config, "--data", str(server.data)],
        capture_output=True, timeout=30, stdin=subprocess.DEVNULL, env=server.environment)
    assert result.returncode == 65, f"{result.returncode}: {result.stdout} {result.stderr}"
    return result.stderr.decode()


def a_stopped_server_leaves_an_audit_log_that_goes_on(world):
    site = world.plain
    before = newest(site.server)
    site.hang_up()
    assert site.server.stop() == 0
    site.server.command("clients", "add", "offline")
    printed = site.server.command("audit", "verify")
    assert f"verified {before + 1} entries" in printed, printed
    site.server.start()
    entries = exported(site.server, "--after", str(before))
    assert [entry["event"] for entry in entries] == ["client_added", "server_started"], entries
    assert entries[1]["detail"]["mode"] == "sandbox" and entries[1]["actor"] == "server", entries
