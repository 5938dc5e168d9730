#!/usr/bin/env python3
"""Tests of runner.py. Nothing here waits for a time: a stage that hangs does so for ever, and only its limit ends it."""
import io
import re
import sys
import tempfile
import time
import unittest
from pathlib import Path

from runner import Runner, Stage, end_stage, members

# Leaves a process of another session and another parent behind, says its id, and hangs.
ESCAPES = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("escaped", os.getpid(), flush=True)
        signal.pause()
    os._exit(0)
signal.pause()
"""


def ends(process):
    """Whether a process ends within a minute. One that was killed takes a moment, and then may wait for a parent that asks for
    its status."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{int(process)}/stat").read_text().rpartition(")")[2].split()[0] in "ZX":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


def python(code):
    return (sys.executable, "-c", code)


class RunnerTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.logs, self.out = Path(folder.name), io.StringIO()

    def run_stages(self, *stages, **options):
        passed = Runner(stages, self.logs, {"PATH": "/usr/bin:/bin"}, patience=0, out=self.out, **options).run()
        return passed, self.out.getvalue()

    def test_counts_what_passed_and_what_failed(self):
        passed, said = self.run_stages(Stage("good", ("true",), 1), Stage("bad", ("false",), 1))
        self.assertFalse(passed)
        self.assertIn("== good: passed in", said)
        self.assertIn("== bad: FAILED, status 1", said)
        self.assertRegex(said, r"\n +\d+ +\d+  all together\n")
        self.assertEqual(said.splitlines()[-1], "1 passed, 1 failed")

    def test_passes_when_every_stage_has(self):
        passed, said = self.run_stages(Stage("one", ("true",), 1), Stage("two", ("true",), 1, after=("one",)))
        self.assertTrue(passed)
        self.assertEqual(said.splitlines()[-1], "2 passed, 0 failed")

    def test_does_not_run_what_comes_after_a_failure_and_goes_on_with_the_rest(self):
        passed, said = self.run_stages(
            Stage("bad", ("false",), 1), Stage("next", ("true",), 1, after=("bad",)),
            Stage("last", ("true",), 1, after=("next",)), Stage("other", ("true",), 1))
        self.assertFalse(passed)
        self.assertIn("== next: not run, because bad did not pass", said)
        self.assertIn("== last: not run, because next did not pass", said)
        self.assertEqual(said.splitlines()[-1], "1 passed, 3 failed")

    def test_ends_a_stage_over_its_limit_with_all_its_processes(self):
        passed, said = self.run_stages(
            Stage("hangs", python(ESCAPES), 1), Stage("other", ("true",), 1), factor=0.5)
        self.assertFalse(passed)
        self.assertRegex(said, r"== hangs: FAILED, over its limit of \d+ s")
        self.assertEqual(said.splitlines()[-1], "1 passed, 1 failed")
        escaped = re.search(rb"escaped (\d+)", (self.logs / "hangs.log").read_bytes())
        self.assertTrue(ends(escaped[1]))

    def test_ends_what_a_good_stage_leaves_behind(self):
        passed, _ = self.run_stages(Stage("leaves", ("sh", "-c", "sleep 1000 & echo $!"), 1))
        self.assertTrue(passed)
        self.assertTrue(ends((self.logs / "leaves.log").read_text()))

    def test_shows_what_failed_and_the_last_sixty_lines(self):
        _, said = self.run_stages(Stage("bad", ("sh", "-c", "echo FAILED here; seq 1000; exit 3"), 1))
        shown = said.split("== bad: FAILED, status 3")[0].splitlines()
        self.assertEqual(shown, ["== bad", "FAILED here", *map(str, range(941, 1001))])

    def test_one_stage_at_a_time_has_what_two_use(self):
        # Each fails if the file of the other is there.
        step = "set -C; echo >held; ls /proc >/dev/null; rm held"
        used = [Stage(f"user{n}", ("sh", "-c", f"cd {self.logs}; {step}"), 1, uses=("held",)) for n in range(8)]
        passed, said = self.run_stages(*used)
        self.assertTrue(passed, said)

    def test_nothing_runs_beside_a_stage_that_is_alone(self):
        enter, leave = f"cd {self.logs}; touch in.$0", "rm in.$0"
        beside = f"{enter}; [ ! -e in.alone ] && ls /proc >/dev/null && [ ! -e in.alone ] && {leave}"
        alone = f"{enter}; [ \"$(echo in.*)\" = in.alone ] && ls /proc >/dev/null && [ \"$(echo in.*)\" = in.alone ] && {leave}"
        others = [Stage(f"s{n}", ("sh", "-c", beside, f"s{n}"), 1) for n in range(8)]
        passed, said = self.run_stages(
            *others[:4], Stage("alone", ("sh", "-c", alone, "alone"), 1, alone=True), *others[4:])
        self.assertTrue(passed, said)

    def test_a_stage_has_variables_of_its_own(self):
        passed, _ = self.run_stages(Stage("sees", ("sh", "-c", 'test "$OWN" = 7'), 1, environment=(("OWN", "7"),)))
        self.assertTrue(passed)

    def test_a_program_that_is_not_there_fails(self):
        passed, said = self.run_stages(Stage("none", ("/no/such/program",), 1))
        self.assertFalse(passed)
        self.assertIn("/no/such/program: No such file or directory", said)

    def test_the_table_has_the_longest_stage_first(self):
        _, said = self.run_stages(Stage("short", ("true",), 1), Stage("long", python("sum(range(20_000_000))"), 9))
        table = [line.split()[2] for line in said.split("stage\n")[-1].splitlines()[:2]]
        self.assertEqual(table, ["long:", "short:"])

    def test_needs_no_process_to_end_none(self):
        end_stage("none", -1, 0)
        self.assertEqual(list(members("none", -1)), [])


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
