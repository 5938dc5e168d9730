"""Fast ways to what would take long by requests: many stored sessions, many device keys, many sandbox users."""
import ipaddress
import json
import os
import time

import page_checksums

# Of the sessions that the driver starts itself.
DRIVERS_NUMBER = "2001004014"


def users(directory, count, numbers):
    """A users file of `count` numbers for which 1234 passes, and the numbers alone, one a line."""
    directory.mkdir(exist_ok=True)
    path = directory / "users.json"
    found = [f"201{2_000_000 + index}" for index in range(count)]
    path.write_text(json.dumps({"users": [
        {"number": number, "name": "Load User", "region": "NA", "product": "unify"} for number in [*found, DRIVERS_NUMBER]]}))
    numbers.write_text("\n".join(found) + "\n")
    return path


def people(path, run, count=20_000):
    """German mobile numbers, each with the address of the person behind it, for one run of load: no other run has one of
    them, hardly two of them share a prefix or a network."""
    found = range(run * count, (run + 1) * count)
    path.write_text("".join(
        f"+49151{index * 61_803_399 % 10**8:08} {ipaddress.IPv4Address((20 << 24) + index * 2_654_435_761 % 2**30)}\n"
        for index in found))
    return path


def _id(milliseconds, index):
    """A UUID version 7 of that time; those of one call are in order."""
    bits = milliseconds << 80 | 7 << 76 | (index & 0xFFF) << 64 | 2 << 62 | int.from_bytes(os.urandom(7))
    return bits.to_bytes(16)


def database(path, sessions, device_keys, age=0):
    """Copies the one session that is stored, with its event, under new ids over the last minutes: a session that nobody
    redeemed goes after half an hour. Adds device keys. All are `age` seconds older.

    The server is stopped. What is sealed in the copies opens for nobody, and is as long as what would.
    """
    connection = page_checksums.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -262144")
    cursor = connection.execute("SELECT * FROM sessions LIMIT 1")
    columns = [column[0] for column in cursor.description]
    template = cursor.fetchone()
    event = connection.execute("SELECT number, kind, detail FROM session_events LIMIT 1").fetchone()
    places = {name: columns.index(name) for name in ("correlation_id", "auth_id")}
    now = int((time.time() - age) * 1000)
    span = 20 * 60 * 1000
    times = [now - span + span * index // max(1, sessions) - 1000 for index in range(sessions)]
    ids = [_id(at, index) for index, at in enumerate(times)]

    def rows():
        for index, (at, identifier) in enumerate(zip(times, ids)):
            row = list(template)
            row[places["correlation_id"]] = identifier
            row[places["auth_id"]] = _id(at, index)
            yield row

    connection.execute("BEGIN")
    marks = ",".join("?" * len(columns))
    connection.executemany(f"INSERT INTO sessions ({','.join(columns)}) VALUES ({marks})", rows())
    connection.executemany(
        "INSERT INTO session_events (correlation_id, number, kind, at_ms, detail) VALUES (?, ?, ?, ?, ?)",
        ((identifier, event[0], event[1], at, event[2]) for at, identifier in zip(times, ids)))
    connection.executemany(
        "INSERT INTO device_keys (device_index, client_id, thumbprint, public_key, platform, created_at_ms, number_index,"
        " key_sealed, status, bound_at_ms, last_used_at_ms) VALUES (?, 'sandbox', ?, ?, 'ios', ?, ?, ?, 'active', ?, ?)",
        ((_id(now - span, index)[:6] + os.urandom(16), os.urandom(32), os.urandom(64), now, os.urandom(32), os.urandom(80), now, now)
         for index in range(device_keys)))
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
