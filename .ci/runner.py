"""Runs stages beside each other: each with a log, a time limit and an end that takes all its processes along.

A stage is a command. It starts when every stage it comes after has passed, nothing that runs uses what it uses, and a place is
free. A stage that comes after a failed one is not run, and counts as failed. All others go on.
"""
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

# The environment variable by which the processes of a stage are found, whatever session or parent they have. The server would
# refuse one that begins with its own name.
MARK = "STAGE_MARK"
# The time limit ends a stage that hangs; it must not fail one on a slow machine. A stage may take so many times the seconds it
# took on a quiet machine with two cores, and never less than LEAST_LIMIT.
FACTOR, USUAL_FACTOR = "STAGE_TIME_FACTOR", 6
LEAST_LIMIT = 600.0
# Lines of a failed stage's log that are shown: those that name a failure, wherever they are, and the last ones.
NAMING = (b"\xe2\x9c\x98", b"error:", b"FAIL")
MOST_NAMING, LAST = 40, 60


@dataclass(frozen=True)
class Stage:
    """One check.

    name: its name on the command line and of its log.
    command: program and arguments.
    seconds: how long it takes on two quiet cores. The time limit follows from it.
    shown: how many last lines of a good run are shown.
    after: stages that must have passed before.
    uses: what only one stage at a time may use, such as a build folder.
    alone: nothing else runs beside it.
    environment: variables of its own, as pairs.
    """
    name: str
    command: tuple
    seconds: float
    shown: int = 1
    after: tuple = ()
    uses: tuple = ()
    alone: bool = False
    environment: tuple = ()


@dataclass
class Run:
    """A stage that was started, or was not run."""
    stage: Stage
    outcome: str = "running"  # passed, failed, over its time limit, not run
    seconds: float = 0.0
    processor_seconds: float = 0.0
    reason: str = ""
    process: subprocess.Popen = field(default=None, repr=False)


class Runner:
    def __init__(self, stages, logs, environment, places=3, factor=None, patience=5.0, out=sys.stdout):
        self.stages, self.logs, self.environment = list(stages), Path(logs), environment
        self.places, self.patience = places, patience
        self.factor = float(os.environ.get(FACTOR, USUAL_FACTOR)) if factor is None else factor
        self.out = out
        self.runs, self.changed = {}, threading.Condition()
        known = {stage.name for stage in self.stages}
        for stage in self.stages:
            assert known.issuperset(stage.after), f"{stage.name} comes after a stage that is not there"
        self.stopping = False

    def run(self):
        """Runs all stages. Returns whether every one passed."""
        self.logs.mkdir(parents=True, exist_ok=True)
        waiting, began = list(self.stages), time.monotonic()
        with self.changed:
            while not self.stopping and (waiting or self._running()):
                for stage in list(waiting):
                    broken = [name for name in stage.after if name in self.runs and self.runs[name].outcome not in ("running", "passed")]
                    if broken:
                        waiting.remove(stage)
                        self.runs[stage.name] = Run(stage, "not run", reason=f"{broken[0]} did not pass")
                        self._say(f"== {stage.name}: not run, because {broken[0]} did not pass")
                    elif self._can_start(stage):
                        waiting.remove(stage)
                        self._start(stage)
                if self._running():
                    self.changed.wait(1)
        self._end_all()
        return self._table(waiting, time.monotonic() - began)

    def stop(self, *_):
        """Ends the run: what runs is ended, and nothing else is started. For signals."""
        self.stopping = True

    def _running(self):
        return [run for run in self.runs.values() if run.outcome == "running"]

    def _can_start(self, stage):
        running = self._running()
        if any(self.runs.get(name) is None or self.runs[name].outcome != "passed" for name in stage.after):
            return False
        if running and (stage.alone or any(run.stage.alone for run in running)):
            return False
        used = {thing for run in running for thing in run.stage.uses}
        return len(running) < self.places and not used & set(stage.uses)

    def _start(self, stage):
        run = self.runs[stage.name] = Run(stage)
        self._say(f"== {stage.name}")
        threading.Thread(target=self._play, args=(run,), daemon=True).start()

    def _play(self, run):
        stage, mark = run.stage, f"{os.getpid()}/{run.stage.name}"
        limit = max(LEAST_LIMIT, self.factor * stage.seconds) if self.factor >= 1 else self.factor * stage.seconds
        log, began, status = self._log(stage), time.monotonic(), 127
        over = threading.Event()
        with open(log, "wb") as output:
            try:
                run.process = subprocess.Popen(
                    stage.command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                    env={**self.environment, **dict(stage.environment), MARK: mark}, start_new_session=True)
            except OSError as fault:
                output.write(f"{stage.command[0]}: {fault.strerror}\n".encode())
        if run.process:
            session = run.process.pid
            timer = threading.Timer(limit, lambda: (over.set(), end_stage(mark, session, self.patience)))
            timer.daemon = True
            timer.start()
            _, waited, usage = os.wait4(run.process.pid, 0)
            status = run.process.returncode = os.waitstatus_to_exitcode(waited)
            run.processor_seconds = usage.ru_utime + usage.ru_stime
            timer.cancel()
            end_stage(mark, session, self.patience)
        with self.changed:
            run.seconds = time.monotonic() - began
            run.outcome = "over its time limit" if over.is_set() else "passed" if status == 0 else "failed"
            run.reason = f"over its limit of {limit:.0f} s" if over.is_set() else f"status {status}"
            self._tell(run)
            self.changed.notify_all()

    def _log(self, stage):
        return self.logs / f"{stage.name}.log"

    def _tell(self, run):
        spent = f"{run.seconds:.0f} s, of processors {run.processor_seconds:.0f} s"
        lines = self._log(run.stage).read_bytes().splitlines()
        if run.outcome == "passed":
            shown, verdict = lines[-run.stage.shown:], f"passed in {spent}"
        else:
            last = lines[-LAST:]
            naming = [line for line in lines[:-LAST] if any(word in line for word in NAMING)][:MOST_NAMING]
            shown, verdict = [*naming, *last], f"FAILED, {run.reason}, after {spent}"
        text = [line.decode("utf-8", "replace") for line in shown]
        self._say("\n".join([*text, f"== {run.stage.name}: {verdict}"]))

    def _say(self, text):
        # One write, so that the lines of two stages stay apart.
        self.out.write(text + "\n")
        self.out.flush()

    def _end_all(self):
        for run in self._running():
            if run.process:
                end_stage(f"{os.getpid()}/{run.stage.name}", run.process.pid, self.patience)

    def _table(self, waiting, seconds):
        rows = sorted(self.runs.values(), key=lambda run: -run.seconds)
        self._say(f"\n{'seconds':>8} {'processors':>11}  stage")
        for run in rows:
            self._say(f"{run.seconds:8.0f} {run.processor_seconds:11.0f}  {run.stage.name}: {run.outcome}")
        self._say(f"{seconds:8.0f} {sum(run.processor_seconds for run in rows):11.0f}  all together")
        passed = sum(run.outcome == "passed" for run in rows)
        failed = len(rows) - passed + len(waiting)
        self._say(f"logs: {self.logs}\n{passed} passed, {failed} failed")
        return failed == 0 and passed > 0


def members(mark, session):
    """The processes of a stage: those of its session, and those that have inherited its mark. In the middle of an exec a process
    has no environment to read, and one that has left the session has the mark."""
    wanted = f"{MARK}={mark}".encode()
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            state, _, _, of = Path(entry.path, "stat").read_text().rpartition(")")[2].split()[:4]
            is_marked = wanted in Path(entry.path, "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # it has ended, or belongs to somebody else
        if state not in "ZX" and (is_marked or int(of) == session):
            yield int(entry.name)


def end_stage(mark, session, patience):
    """Ends every process of a stage: asks, waits for `patience` seconds, and then kills whatever is left or new."""
    _signal(members(mark, session), signal.SIGTERM)
    end = time.monotonic() + patience
    while list(members(mark, session)) and time.monotonic() < end:
        time.sleep(0.05)
    while _signal(members(mark, session), signal.SIGKILL):
        time.sleep(0.01)


def _signal(processes, number):
    count = 0
    for process in processes:
        try:
            os.kill(process, number)
            count += 1
        except OSError:
            pass
    return count
