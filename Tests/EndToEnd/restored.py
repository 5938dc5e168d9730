#!/usr/bin/env python3
"""Restores the PostgreSQL of a server from a dump: nothing that was used since the dump is accepted again.

    scripts/end-to-end restored

The last line is "N passed, M failed".
"""
import argparse
import os
import re
import subprocess

import scenes
from engines import ENGINE
from holdfast import Server, add_server_arguments, checked_arguments, expected
from world import LORANT, RIGHT, Site


def restore_elsewhere(server):
    """Dumps the database, and restores it as that of another PostgreSQL."""
    name = server.environment["HOLDFAST_DATABASE_URL"].rpartition("/")[2]
    owner = re.sub(r"/[^/]*$", f"/{name}", os.environ["HOLDFAST_TEST_DATABASE_URL"])
    dump = subprocess.run([ENGINE.programs / "pg_dump", owner], check=True, capture_output=True).stdout
    ENGINE.query(f"CREATE DATABASE {name}copy OWNER holdfast_owner STRATEGY FILE_COPY")
    subprocess.run([ENGINE.programs / "psql", "-Xq", "-v", "ON_ERROR_STOP=1", owner + "copy"], input=dump, check=True,
                   stdout=subprocess.DEVNULL)
    ENGINE.query("UPDATE installation SET system_identifier = 1", f"{name}copy")
    for variable in ("HOLDFAST_DATABASE_URL", "HOLDFAST_DATABASE_OWNER_URL"):
        ENGINE.prepared[str(server.data)][variable] += "copy"
        server.environment[variable] += "copy"


def a_restored_copy_is_refused_until_its_sessions_are_ended(server):
    site = Site(server)
    session = site.unify(LORANT)
    client = session.client()
    client.to_code_entry()
    site.hang_up()
    server.stop()
    restore_elsewhere(server)
    status, printed = server.attempt("serve", "--port", "0")
    assert status == 78 and "run holdfast database restored" in printed, printed
    status, printed = server.attempt("database", "restored")
    assert status == 0 and "1 open sessions ended" in printed, printed
    server.start()
    site = Site(server)
    expected(site.platform.status(session.correlation_id), 200, success="false")
    client.close()
    answer = client.verify(RIGHT)
    assert answer.status != 200, f"a code of before the restore passes: {answer}"
    expected(site.platform.status(site.unify(LORANT).correlation_id), 200, success="pending")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    options = checked_arguments(parser)
    passed = failed = 0
    with Server(options.binary, options.config) as server:
        name = "a restored copy is refused until its sessions are ended"
        try:
            a_restored_copy_is_refused_until_its_sessions_are_ended(server)
            print(f"ok   {name}")
            passed += 1
        except (AssertionError, RuntimeError, subprocess.CalledProcessError) as error:
            print(f"FAIL {name}\n     {error}")
            failed += 1
    scenes.finish(passed, failed)


if __name__ == "__main__":
    main()
