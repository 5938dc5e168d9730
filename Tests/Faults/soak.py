#!/usr/bin/env python3
"""Keeps a steady load up for longer than a minute, while the server sweeps the sessions of a day ago out of its database.

Every call must be answered, and every story end as it should. Memory and the write-ahead log stay bounded, the expired
sessions are gone soon after the minute at which the server sweeps, and what the load was promised is there. The last line
is "N passed, M failed".
"""
import random
import sqlite3
import time

from harness import NUMBER, Platform, Prober, Promises, Server, anonymous_bytes, expected, fill, options_of, run
import crash

STARTERS = 4
SWEEP_SECONDS = 60  # after the start, and between sweeps
# Some times what was measured: the bound is for what grows on and on.
MOST_BYTES, MOST_BYTES_MORE, MOST_LOG_BYTES = 192 << 20, 64 << 20, 40 << 20
DAY_SECONDS = 25 * 3600
STORY_SECONDS = 400.0  # after which a session may be over, and is not asked about


def expired(server):
    """Sessions of a day ago that are stored still."""
    bound = (int((time.time() - DAY_SECONDS + 1800) * 1000) << 80).to_bytes(16)
    connection = sqlite3.connect(f"file:{server.data}/holdfast.db?mode=ro", uri=True, timeout=5)
    try:
        return connection.execute("SELECT count(*) FROM sessions WHERE correlation_id < ?", (bound,)).fetchone()[0]
    finally:
        connection.close()


class Watch:
    """Looks at the server once a second: memory, log, and how far the sweep is."""

    def __init__(self, server, before):
        self.server, self.before = server, before
        self.memory, self.log = [], []
        self.sweep_began = self.swept = None

    def live(self, seconds):
        """For so long, and until the sweep is over."""
        began = time.monotonic()
        while (now := time.monotonic()) < began + seconds or self.swept is None and now < began + seconds + 40:
            self.memory.append(anonymous_bytes(self.server))
            self.log.append((self.server.data / "holdfast.db-wal").stat().st_size)
            if self.swept is None and now > began + SWEEP_SECONDS - 2:
                left = expired(self.server)
                if left < self.before and self.sweep_began is None:
                    self.sweep_began = now - 1
                self.swept = now if left == 0 else None
            time.sleep(1)

    def judge(self):
        settled = self.memory[min(10, len(self.memory) // 3):]
        assert self.swept, f"{expired(self.server)} of {self.before} expired sessions are stored still"
        assert max(self.memory) <= MOST_BYTES, [size >> 20 for size in self.memory]
        assert max(settled) - settled[0] <= MOST_BYTES_MORE, [size >> 20 for size in self.memory]
        assert max(self.log) <= MOST_LOG_BYTES, [size >> 20 for size in self.log]
        return (f"memory {settled[0] >> 20} to {max(self.memory) >> 20} MiB, log at most {max(self.log) / 1e6:.1f} MB, "
                f"{self.before} expired sessions gone within {self.swept - self.sweep_began:.0f} s")


def p99(calls):
    times = sorted(seconds for _, _, seconds in calls)
    return f"{times[int(len(times) * 0.99)] * 1000:.0f} ms" if times else "none"


def a_steady_load_beside_a_sweep_stays_within_bounds(options):
    with Server(options.binary, options.config) as server:
        platform = Platform(server.base_url)
        expected(platform.unify(NUMBER), 200)
        platform.close()
        assert server.stop() == 0
        fill.database(server.data / "holdfast.db", options.expired, 1, age=DAY_SECONDS)
        server.start()
        watch = Watch(server, expired(server))
        assert watch.before >= options.expired * 0.99, watch.before
        starters = [Prober(server, pause=STARTERS / options.rate) for _ in range(STARTERS)]
        for starter in starters:
            starter.__enter__()
        load = crash.Load(server, 1, options.seed, pause=0.05)
        load.start()
        watch.live(max(options.minutes * 60, SWEEP_SECONDS + 1))
        load.end()
        for starter in starters:
            starter.end()
        calls = [call for starter in starters for call in starter.calls]
        bad = [status for _, status, _ in calls if status != 200]
        assert not bad, f"{len(bad)} of {len(calls)} calls failed: {bad[:5]}"
        assert not load.faults, load.faults[:3]
        sentence = watch.judge()
        newest = [session for starter in starters for session in starter.promises.sessions[-int(options.rate / STARTERS * 60):]]
        lost = Promises.lost(server, newest)
        assert lost == 0, f"{lost} of {len(newest)} sessions are lost"
        faults = crash.check_all(server, [story for story in load.played if time.monotonic() - story.began < STORY_SECONDS][-100:])
        assert not faults, faults[:3]
        beside = [call for call in calls if watch.sweep_began <= call[0] <= watch.swept]
        return f"{len(calls)} starts, p99 {p99(calls)}, beside the sweep {p99(beside)}; {len(load.played)} stories; {sentence}"


def more(parser):
    parser.add_argument("--rate", type=float, default=200.0, help="starts of sessions a second, at most (default %(default)g)")
    parser.add_argument("--expired", type=int, default=30_000, help="sessions of a day ago (default %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")


if __name__ == "__main__":
    run([a_steady_load_beside_a_sweep_stays_within_bounds], options_of(__doc__, 1.02, more))
