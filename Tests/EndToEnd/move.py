#!/usr/bin/env python3
"""Moves the data of a server from SQLite to PostgreSQL: every answer that it gave holds afterwards.

    scripts/end-to-end move

The last line is "N passed, M failed".
"""
import argparse
import random
import time

import crash
import scenes
from engines import ENGINE, SQLite
from holdfast import Server, add_server_arguments, checked_arguments

LOAD_SECONDS = 2.0


def the_data_moves(server, options):
    load = crash.Load(server, 4, options.seed)
    load.start()
    time.sleep(LOAD_SECONDS)
    load.end()
    assert not load.faults, load.faults
    status, printed = server.attempt("database", "copy")
    assert status == 78 and "database.url: missing" in printed, printed
    server.environment |= ENGINE.prepare(server)
    status, printed = server.attempt("database", "copy")
    assert status == 1 and "is in use by another process" in printed, f"a server runs: {printed}"
    server.stop()
    status, printed = server.attempt("database", "copy")
    assert status == 0, printed
    print(f"     {printed.splitlines()[0].split(' from ')[0]}")
    server.engine = ENGINE
    server.start()
    faults = crash.check_all(server, load.played)
    assert not faults, faults[:5]
    answers = sum(story.acknowledged for story in load.played)
    assert answers > 50, f"only {answers} answers"
    print(f"     {answers} acknowledged answers hold")


def nothing_is_copied_twice(server, options):
    server.stop()
    status, printed = server.attempt("database", "copy")
    assert status == 78 and "was copied to PostgreSQL" in printed, printed
    (server.data / "moved").unlink()
    status, printed = server.attempt("database", "copy")
    assert status == 1 and "has rows" in printed, printed


def no_server_starts_on_the_old_database(server, options):
    (server.data / "moved").touch()
    for name in [name for name in server.environment if name.startswith("HOLDFAST_DATABASE_")]:
        del server.environment[name]
    status, printed = server.attempt("serve", "--port", "0")
    assert status == 78 and "was copied to PostgreSQL" in printed, printed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    server = Server(options.binary, options.config)
    server.engine = SQLite()
    passed = failed = 0
    try:
        server.start()
        for scene in (the_data_moves, nothing_is_copied_twice, no_server_starts_on_the_old_database):
            name = scene.__name__.replace("_", " ")
            try:
                scene(server, options)
                print(f"ok   {name}", flush=True)
                passed += 1
            except (AssertionError, RuntimeError) as error:
                print(f"FAIL {name}\n     {error}", flush=True)
                failed += 1
                break
    finally:
        server.close()
    scenes.finish(passed, failed)


if __name__ == "__main__":
    main()
