#!/usr/bin/env python3
"""Replaces the master key and the sealing key of servers under load: no call may fail, and nothing may stay behind.

Starts its own servers on free ports with fresh data, and removes both. The last line is "N passed, M failed".
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

import crash
from engines import ENGINE
from holdfast import Server, add_server_arguments, checked_arguments

PATIENCE_SECONDS = 90.0
SETTLING_SECONDS = 60.0  # a server keeps the old sealing key so long after a rotation


class Load(crash.Load):
    """Stories on several threads; every call must be answered."""

    def __init__(self, server, options):
        super().__init__(server, options.threads, options.seed, pause=0.02)
        self.start()

    def finish(self):
        lost = sum(not thread.is_alive() for thread in self.threads)
        self.end()
        assert not self.faults, self.faults[:3]
        assert not lost, f"{lost} threads lost the server"
        assert len(self.played) >= len(self.threads), f"only {len(self.played)} stories"
        return self.played


def status(server):
    return json.loads(server.command("keys", "status"))


def wait_for(what, condition, seconds=PATIENCE_SECONDS):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"no {what} within {seconds:g} s"
        time.sleep(0.2)


def generations(server):
    found = ENGINE.generations(server.data)
    assert len(found) > 10, found
    return found


def expect_generation(server, number):
    for column, found in generations(server).items():
        assert found <= {number}, f"{column} has {found}, and not {number} only"


def both_keys_change_under_load_and_no_call_fails(options):
    with Server(options.binary, options.config) as server:
        load = Load(server, options)
        time.sleep(1)
        before = status(server)
        old_key = (server.data / "master.key").read_bytes()
        server.command("keys", "rotate-master")
        answer = json.loads(server.command("keys", "rotate-sealing"))
        assert answer["sealingKey"]["generation"] == 2 and answer["sealingKey"]["older"] == [1], answer
        assert answer["masterKey"]["id"] != before["masterKey"]["id"], answer
        assert (server.data / "master.key").read_bytes() != old_key
        wait_for("end of re-sealing", lambda: status(server)["sealingKey"]["left"] == 0)
        resealed = status(server)["sealingKey"]["resealed"]
        assert resealed > 0
        # A second time in the same breath, and then until the old keys have gone.
        began = time.monotonic()
        server.command("keys", "rotate-master")
        server.command("keys", "rotate-sealing")
        wait_for("end of the old keys", lambda: status(server)["sealingKey"]["older"] == [],
                 SETTLING_SECONDS + PATIENCE_SECONDS)
        assert time.monotonic() - began >= SETTLING_SECONDS
        played = load.finish()
        faults = crash.check_all(server, played)
        assert not faults, faults[:3]
        server.stop()
        expect_generation(server, 3)
        server.start()
        faults = crash.check_all(server, played[-50:])
        assert not faults, faults[:3]
        server.stop()
        # The first master key opens nothing.
        (server.data / "master.key").write_bytes(old_key)
        words = refusal(server)
        assert before["masterKey"]["id"] in words and "master key" in words, words
        return f"{len(played)} stories, {resealed} values sealed again for the first rotation"


def refusal(server):
    result = subprocess.run(
        [server.binary, "serve", "--config", server.config, "--data", str(server.data), "--port", "0"],
        capture_output=True, timeout=30, stdin=subprocess.DEVNULL, env=server.environment)
    assert result.returncode == 1, result.returncode
    return result.stderr.decode()


def kills_in_the_middle_lose_nothing(options):
    with Server(options.binary, options.config) as server:
        chance, played, generation = random.Random(options.seed), [], 1
        for number in range(options.rounds):
            load = crash.Load(server, options.threads, f"{options.seed}/{number}")
            load.start()
            time.sleep(chance.uniform(0.3, 0.8))
            server.command("keys", "rotate-sealing")
            generation += 1
            if number % 2:
                server.command("keys", "rotate-master")
            time.sleep(chance.uniform(0, 0.1))
            server.kill()
            load.end()
            faults = load.faults + ENGINE.faults(server.data)
            played += load.played
            server.start()
            faults += crash.check_all(server, played)
            assert not faults, faults[:3]
            # A new process holds no value of an older key, so it needs no minute.
            wait_for("end of re-sealing", lambda: status(server)["sealingKey"]["older"] == [])
            assert status(server)["sealingKey"]["generation"] == generation
        server.stop()
        expect_generation(server, generation)
        return f"{len(played)} stories over {options.rounds} kills"


def a_key_of_another_file_takes_over_with_a_restart(options):
    with Server(options.binary, options.config) as server:
        first, second = server.data / "master.key", server.directory / "second.key"
        second.touch(mode=0o600)
        second.write_bytes(os.urandom(32))
        printed = server.command("keys", "rotate-master", "--new-key-file", str(second))
        assert str(second) in printed, printed
        waiting = status(server)["masterKey"]["waiting"]
        assert waiting in printed, printed
        try:
            server.command("keys", "rotate-sealing")
            raise AssertionError("the sealing key was rotated while a master key waits")
        except RuntimeError as error:
            assert waiting in str(error), error
        server.restart()
        assert "a newer master key was added" in server.output()
        server.stop()
        server.environment["HOLDFAST_KEYS_MASTER_KEY_FILE"] = str(second)
        server.start()
        assert status(server)["masterKey"]["id"] == waiting
        assert "the old master key opens nothing any more" in server.output()
        server.command("keys", "rotate-sealing")
        server.stop()
        server.environment["HOLDFAST_KEYS_MASTER_KEY_FILE"] = str(first)
        assert waiting in refusal(server)


SCENES = [
    both_keys_change_under_load_and_no_call_fails, kills_in_the_middle_lose_nothing,
    a_key_of_another_file_takes_over_with_a_restart]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--rounds", type=int, default=4, help="kills (default %(default)s)")
    parser.add_argument("--threads", type=int, default=4, help="load threads (default %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    parser.add_argument("--only", default="", help="the scenes whose sentence has this text")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    passed = failed = 0
    for scene in SCENES:
        name = scene.__name__.replace("_", " ")
        if options.only.lower() not in name:
            continue
        try:
            note = scene(options)
            print(f"ok   {name}{': ' + note if note else ''}", flush=True)
            passed += 1
        except Exception as fault:  # every scene is judged, whatever went wrong in it
            print(f"FAIL {name}: {fault!r}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
