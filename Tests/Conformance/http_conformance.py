#!/usr/bin/env python3
"""Plays raw HTTP/1.1 cases against a running server, whole and with every request cut into pieces.

Every case runs over a connection of its own; the answers are parsed strictly. Failures are printed, and the last
line is "N passed, M failed". Exit status: 0 all passed, 1 some failed, 2 the run could not start.
The format of the case files is described in README.md beside this script.

    http_conformance.py --port 8080 --token TOKEN http-cases.jsonl more-cases.jsonl --split 0,1,2,3,7,64
"""
import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

import cases as case_files
from judge import play


def piece_sizes(text):
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = [-1]
    if any(size < 0 for size in sizes):
        raise argparse.ArgumentTypeError("a list of piece sizes in bytes, such as 0,1,7 (0 sends whole)")
    return sizes


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="case files, one JSON object a line")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", default="/v3/unify", help="the endpoint the cases call (default %(default)s)")
    parser.add_argument("--token", default="test-token", help="a bearer token the endpoint accepts")
    parser.add_argument("--authority", help="what stands for {host} (default HOST:PORT)")
    parser.add_argument(
        "--split", type=piece_sizes, default=[0], metavar="SIZES",
        help="piece sizes in bytes, comma-separated; 0 sends requests whole (default 0)")
    parser.add_argument("--jobs", type=int, default=16, help="cases at a time (default %(default)s)")
    parser.add_argument("--only", default="", help="ids or groups to run, comma-separated")
    parser.add_argument("--verbose", action="store_true", help="print passing cases too")
    return parser.parse_args()


def chosen(files, only):
    cases = case_files.load(files)
    names = {name for name in only.split(",") if name}
    if names:
        cases = [case for case in cases if case["id"] in names or case["group"] in names]
    # The slow ones first, so that they run beside all the others.
    return sorted(cases, key=lambda case: -case.get("limit_s", 0))


def baseline(target):
    """The status of the plain valid request, which stands for 200 in the cases."""
    case = {"id": "baseline", "raw": case_files.VALID_REQUEST, "probe": False,
            "expect": {"status": list(range(200, 600)), "close": "either"}}
    verdict = play(case, target)
    if verdict.complaint:
        sys.stderr.write(f"the plain valid request fails: {verdict.complaint}\n")
        sys.exit(2)
    status = verdict.statuses[0]
    if status != 200:
        print(f"note: the plain valid request gets {status}; that stands for 200 in the cases")
    return status


def run_all(cases, target, ok_status, size, options):
    """Numbers of passed and failed cases for one piece size."""
    name = f"pieces of {size}" if size else "whole"
    failed = 0
    with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        verdicts = pool.map(lambda case: play(case, target, ok_status, size or None), cases)
        for case, verdict in zip(cases, verdicts):
            if verdict.complaint:
                failed += 1
                print(f"FAIL {case['id']} ({name}) {case['description']} [{case['source']}]\n"
                      f"     {verdict.complaint}; statuses {verdict.statuses}")
            elif options.verbose:
                print(f"ok   {case['id']} ({name}) {verdict.statuses}")
    print(f"{name}: {len(cases) - failed} of {len(cases)}", flush=True)
    return len(cases) - failed, failed


def main():
    options = arguments()
    target = case_files.Target(
        options.host, options.port, options.path, options.token,
        options.authority or f"{options.host}:{options.port}")
    try:
        cases = chosen(options.files, options.only)
    except (case_files.CaseError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    ok_status = baseline(target)
    passed = failed = 0
    for size in options.split:
        good, bad = run_all(cases, target, ok_status, size, options)
        passed, failed = passed + good, failed + bad
    alive = {"id": "alive", "raw": case_files.VALID_REQUEST, "expect": {"status": [200], "close": False}}
    complaint = play(alive, target, ok_status).complaint
    if complaint:
        failed += 1
        print(f"FAIL the plain valid request after all cases: {complaint}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
