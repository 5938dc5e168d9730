#!/usr/bin/env python3
"""What a flood of distinct keys costs the limits (ABU-10): memory of the server, and size of the table.

    limit_memory.py --holdfast BINARY [--keys N] [--rows N]

First `--keys` addresses each make one call that counts in memory: a link that does not exist, then a failed `/token`. The
figure is the anonymous memory of the server before and after. One address is over its limit before the flood; it must
still be refused after it. Then `--rows` rows are written into `limit_counts` as the server writes them, once with one
moment in each tally and once with ten; the figure is the size of the file. The flood comes over one connection of
loopback, which is a trusted proxy.
"""
import argparse
import os
import socket
import sqlite3
import tempfile
import time
from pathlib import Path

from servers import Holdfast, MIGRATIONS

# Requests on their way at a time.
PIPELINE = 200
MEBIBYTE = 1024 * 1024
BODY = b"client_id=nobody&client_secret=x&grant_type=client_credentials"
LINK = b"GET /l/x HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %s\r\n\r\n"
TOKEN = (b"POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
         b"Content-Length: %d\r\nX-Forwarded-For: %%s\r\n\r\n%s") % (len(BODY), BODY)
# From the documentation prefix, which the flood does not use.
LIMITED = b"192.0.2.1"


def address(index):
    """Number `index` of 16 million: 10.0.0.0/8."""
    return b"10.%d.%d.%d" % (index >> 16 & 255, index >> 8 & 255, index & 255)


def statuses(connection, requests):
    """Sends them at once; the status of each answer."""
    connection.sendall(b"".join(requests))
    received, found = b"", []
    while len(found) < len(requests):
        chunk = connection.recv(1 << 18)
        if not chunk:
            raise RuntimeError("the server closed the connection")
        received += chunk
        parts = received.split(b"HTTP/1.1 ")
        # The last part may be cut within the words that part two answers.
        found += [int(part[:3]) for part in parts[1:-1]]
        received = b"HTTP/1.1 " + parts[-1] if len(parts) > 1 else received
        if len(found) + 1 == len(requests) and complete(received):
            found.append(int(received[9:12]))
    return found


def complete(answer):
    """Whether one answer is there in full."""
    head, separator, body = answer.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line[:15].lower() == b"content-length:"), 0)
    return bool(separator) and len(body) >= length


def flood(server, request, keys):
    """Anonymous KiB before and after, calls a second, and the statuses of the limited address before and after."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.settimeout(60)
        # The pages and buffers of a first call do not count.
        statuses(connection, [request % address(1 << 23 | index) for index in range(PIPELINE)])
        before = server.anonymous_kb()
        limited = []
        began = time.monotonic()
        for start in range(0, keys, PIPELINE):
            if start % 20_000 == 0:
                # Held at its limit: each call comes sooner than the next one may.
                answers = statuses(connection, [request % LIMITED] * PIPELINE)
                limited.append(answers[-1])
            statuses(connection, [request % address(index) for index in range(start, min(start + PIPELINE, keys))])
        seconds = time.monotonic() - began
        limited.append(statuses(connection, [request % LIMITED] * PIPELINE)[-1])
    return before, server.anonymous_kb(), keys / seconds, set(limited)


def table_bytes(rows, moments):
    """Size of a database whose `limit_counts` has so many rows, over that of one without."""
    with tempfile.TemporaryDirectory() as directory:
        connection = sqlite3.connect(Path(directory) / "limits.db", isolation_level=None)
        connection.executescript((MIGRATIONS / "0004_limits.sql").read_text())
        empty = size(connection)
        now = int(time.time() * 1000)
        tally = bytes([1]) + bytes(20) + b"".join(
            (now + index).to_bytes(8) + (1).to_bytes(4) + bytes(2) for index in range(moments))
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO limit_counts (key_digest, tally, ends_at_ms) VALUES (?, ?, ?)",
            ((os.urandom(16), tally, now + index) for index in range(rows)))
        connection.execute("COMMIT")
        grown = size(connection) - empty
        connection.close()
        return grown


def size(connection):
    return connection.execute("PRAGMA page_count").fetchone()[0] * connection.execute("PRAGMA page_size").fetchone()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holdfast", required=True, help="build of the server")
    parser.add_argument("--keys", type=int, default=1_000_000, help="distinct addresses")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of limit_counts")
    options = parser.parse_args()
    Holdfast.binary = options.holdfast
    settings = {"HOLDFAST_SERVER_TRUSTED_PROXIES": "127.0.0.1", "HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX": "true",
                "HOLDFAST_LIMITS_CALLS_PER_ADDRESS_PER_SECOND": "1", "HOLDFAST_DATA_MIGRATIONS": str(MIGRATIONS)}
    print("| keys | counted by | memory before, MiB | after, MiB | grown, MiB | calls a second | the limited address |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, request in (("calls_per_address", LINK), ("failed_token_calls", TOKEN)):
        with Holdfast("limit-memory", settings=settings) as server:
            before, after, rate, limited = flood(server, request, options.keys)
        told = "429 throughout" if limited == {429} else f"answers {sorted(limited)}"
        print(f"| {options.keys:,} | {name} | {before / 1024:.1f} | {after / 1024:.1f} | {(after - before) / 1024:.1f} | "
              f"{rate:,.0f} | {told} |", flush=True)
    print("\n| rows of limit_counts | moments in each | size, MiB | bytes a row |\n| --- | --- | --- | --- |")
    for moments in (1, 10):
        grown = table_bytes(options.rows, moments)
        print(f"| {options.rows:,} | {moments} | {grown / MEBIBYTE:.1f} | {grown / options.rows:.0f} |", flush=True)


if __name__ == "__main__":
    main()
