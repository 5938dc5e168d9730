#!/usr/bin/env python3
"""Holds the server's parser against h11 and llhttp, in both directions, on streams of requests.

A difference is one of these: the server takes a request that the other refuses ("they refuse"), the other takes one that
the server refuses ("we refuse"), or both take it and do not read the same ("differs"). Each difference must be one of
accepted.toml, which has the RFC's words for it; any other one fails, is made as short as it gets, and is printed.

The last line is "N passed, M failed", counting streams. A stream can be replayed from the printed seed and its number.
"""
import argparse
import pathlib
import random
import re
import sys
import time
import tomllib
from dataclasses import dataclass

import readers
import streams

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
ACCEPTED = pathlib.Path(__file__).with_name("accepted.toml")
SHOWN_FAULTS = 12
DIRECTIONS = {"we refuse", "they refuse", "differs"}


@dataclass(frozen=True)
class Difference:
    reader: str
    direction: str
    # What the server said, and what the other did; of "differs", the part that is not the same.
    ours: str
    theirs: str
    # The stream from the request on that they do not agree about.
    request: bytes

    @property
    def kind(self):
        """What stays the same while a stream is made shorter: bytes that an error quotes do not."""
        return self.reader, self.direction, self.ours, re.sub(r"bytearray\(b.*|b'.*|b\".*|\d+", "...", self.theirs)

    def __str__(self):
        return f"{self.reader}, {self.direction}: ours {self.ours!r}, theirs {self.theirs!r}"


def difference(name, stream, ours, theirs):
    """The first difference of two readings; `None` if there is none, or none yet."""
    def told(direction, index, our_word, their_word):
        # Whatever llhttp reads behind a CONNECT with a body differs for that reason.
        for earlier, (mine, _) in enumerate(zip(ours.messages, theirs.messages)):
            if name == "llhttp" and mine.is_connect_with_body and earlier <= index:
                direction, index = "differs", earlier
                break
        start = ours.ends[index - 1] if index else 0
        return Difference(name, direction, our_word, their_word, stream[start:])

    for index, (mine, other) in enumerate(zip(ours.messages, theirs.messages)):
        for part, left, right in zip(("method", "target", "fields", "body"), mine.compared(), other.compared()):
            if left != right:
                return told("differs", index, part, part)
    count = min(len(ours.messages), len(theirs.messages))
    # Who closes reads no further: the reason stands in the request before.
    last = max(0, count - 1)
    if len(ours.messages) > count:
        if theirs.end == readers.REFUSED:
            return told("they refuse", count, "taken", theirs.reason)
        return told("differs", last if theirs.end == readers.CLOSED else count, "taken", f"{theirs.end} there")
    if len(theirs.messages) > count:
        if ours.end == readers.REFUSED:
            return told("we refuse", count, ours.reason, "taken")
        return told("differs", last if ours.end == readers.CLOSED else count, f"{ours.end} there", "taken")
    # Both have read as many requests. What one still waits for, the other may have seen to be wrong already.
    ends = {ours.end, theirs.end}
    if len(ends) == 1 or readers.OPEN in ends:
        return None
    if readers.CLOSED in ends:
        return told("differs", last, ours.end, theirs.end)
    if ours.end == readers.REFUSED:
        return told("we refuse", count, ours.reason, "idle")
    return told("they refuse", count, "idle", theirs.reason)


class Accepted:
    """The list of differences that are meant."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.entries = tomllib.load(file)["difference"]
        for entry in self.entries:
            missing = {"name", "readers", "direction", "ours", "theirs", "source", "words", "why"} - entry.keys()
            if missing or entry["direction"] not in DIRECTIONS:
                sys.exit(f"{path}: {entry.get('name', 'an entry')} lacks {sorted(missing) or 'a known direction'}")
            entry["seen"] = 0
            for part in ("ours", "theirs"):
                entry[part] = re.compile(entry[part])
            entry["request"] = re.compile(entry.get("request", "").encode("latin-1"), re.DOTALL)

    def find(self, found):
        for entry in self.entries:
            if (found.reader in entry["readers"] and found.direction == entry["direction"]
                    and entry["ours"].search(found.ours) and entry["theirs"].search(found.theirs)
                    and entry["request"].search(found.request)):
                return entry
        return None


class Comparison:
    def __init__(self, server, accepted):
        self.server, self.accepted = server, accepted

    def of(self, stream):
        """Every difference of this stream, one a reader at most."""
        ours = self.server.read(stream)
        found = (difference(name, stream, ours, read(stream)) for name, read in readers.READERS.items())
        return [one for one in found if one]

    def new(self, stream):
        """Those that are not accepted; those that are get counted."""
        new = []
        for found in self.of(stream):
            entry = self.accepted.find(found)
            if entry:
                entry["seen"] += 1
            else:
                new.append(found)
        return new

    def shortened(self, stream, kind):
        """The stream without what the difference does not need."""
        size = len(stream) // 2
        while size:
            at = 0
            while at < len(stream):
                shorter = stream[:at] + stream[at + size:]
                if any(found.kind == kind and not self.accepted.find(found) for found in self.of(shorter)):
                    stream = shorter
                else:
                    at += size
            size //= 2
        return stream


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", required=True, metavar="PROGRAM", help="the built program `streams`")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long to compare (default %(default)g)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first stream")
    parser.add_argument("--last", type=int, metavar="N", help="number of the last stream (default: until time is up)")
    parser.add_argument("--all", action="store_true", help="show every accepted difference with its count")
    options = parser.parse_args()

    known = streams.known_streams(REPOSITORY)
    source = streams.Streams(options.seed, known)
    print(f"seed {options.seed}, {len(known)} known streams", flush=True)
    accepted = Accepted(ACCEPTED)
    comparison = Comparison(readers.Server(options.streams), accepted)
    deadline = time.monotonic() + options.seconds
    number, failed, kinds = options.first, 0, {}
    # The known ones are compared whatever the time.
    while number < len(known) or time.monotonic() < deadline:
        if options.last is not None and number > options.last:
            break
        stream = source.stream(number)
        new = comparison.new(stream)
        failed += bool(new)
        for found in new:
            if found.kind not in kinds and len(kinds) < SHOWN_FAULTS:
                short = comparison.shortened(stream, found.kind)
                print(f"FAIL stream {number}: {found}\n     {short!r}", flush=True)
            kinds[found.kind] = kinds.get(found.kind, 0) + 1
        number += 1
    comparison.server.close()
    for entry in accepted.entries:
        if options.all:
            print(f"{entry['seen']:8} {entry['name']}")
    seen = sum(entry["seen"] > 0 for entry in accepted.entries)
    print(f"{sum(entry['seen'] for entry in accepted.entries)} accepted differences, of {seen} of the "
          f"{len(accepted.entries)} kinds in the list; {len(kinds)} kinds that are not in it")
    print(f"{number - options.first - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
