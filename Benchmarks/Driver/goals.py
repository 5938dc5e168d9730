"""The goals, and what a sitting says of each."""
import dataclasses

from servers import Echo, Holdfast, Hummingbird, Limit, Nginx, Peer, PeerGroupCommit, PlainLimit


@dataclasses.dataclass
class Goal:
    name: str
    least: float
    stretch: float
    figure: float | None
    unit: str = ""
    smaller_is_better: bool = False
    remark: str = ""

    def _reaches(self, bound):
        return self.figure <= bound if self.smaller_is_better else self.figure >= bound

    @property
    def verdict(self):
        if self.figure is None:
            return "not measured"
        return "stretch" if self._reaches(self.stretch) else "met" if self._reaches(self.least) else "**missed**"


def _named(scenes, name):
    return next((scene for scene in scenes if scene.name == name), None)


def _ratio(scene, of, upper, lower):
    """`upper` over `lower`, medians; `None` where one of them was not measured."""
    if scene is None or upper not in scene.runs or lower not in scene.runs:
        return None
    below = scene.median(lower, of)
    return scene.median(upper, of) / below if below else None


def _memory(scene):
    if scene is None or not scene.peak_kb.keys() >= {Holdfast.name, Peer.name}:
        return None
    return scene.peak_kb[Holdfast.name] / scene.peak_kb[Peer.name]


def _session_over_signatures(scene, crypto):
    """A session signs one token, and checks that token and three proofs."""
    if scene is None or Holdfast.name not in scene.runs or not crypto:
        return None
    return scene.median(Holdfast.name, "cpu_us") / (crypto["sign_us"] + 4 * crypto["verify_us"])


def _growth(scene):
    if scene is None or scene.broken:
        return None
    labels = sorted(scene.runs, key=lambda label: int(label.split()[0]))
    return _ratio(scene, "rate", labels[-1], labels[0])


def _grouped(scene):
    if scene is None or scene.broken:
        return None
    grouped, single = scene.runs
    return _ratio(scene, "rate", grouped, single)


def _writer(facts):
    rates = facts.get("writer")
    alone = f"; the store alone, in process: {rates[0] / rates[1]:.1f}" if rates else ""
    return f"`data.changesPerCommit` 1{alone}"


def _p99_ms(scene):
    if scene is None or Holdfast.name not in scene.runs:
        return None
    return scene.median(Holdfast.name, "p99_us") / 1000


def goals(scenes, facts):
    healthz, echo = _named(scenes, "healthz, 64 connections"), _named(scenes, "echo, 64 connections")
    unify, commits = _named(scenes, "unify, 64 connections"), _named(scenes, "commits, 64 connections")
    ours, peer = Holdfast.name, Peer.name
    against = [_ratio(healthz, "rate", ours, other) for other in (PlainLimit.name, Nginx.name)]
    plain = None if None in against else min(against)
    remark = "" if plain is None else f"C epoll {against[0]:.2f}, nginx {against[1]:.2f}"
    growth, session = _named(scenes, "growth of sessions"), _named(scenes, "OTP session, unify to true")
    return [
        Goal("`/healthz`, requests/s against C epoll and nginx", 0.90, 1.0, plain, remark=remark),
        Goal("`/healthz`, CPU a request, Hummingbird's over ours", 3.5, 4.2,
             _ratio(healthz, "cpu_us", Hummingbird.name, ours)),
        Goal("echo, CPU a request, Hummingbird's over ours", 4, 5, _ratio(echo, "cpu_us", Hummingbird.name, Echo.name)),
        Goal("durable unify against Hummingbird + GRDB + jwt-kit, requests/s", 5, 6.5, _ratio(unify, "rate", ours, peer)),
        Goal("the same against that peer with group commit", 3, 4, _ratio(unify, "rate", ours, PeerGroupCommit.name)),
        Goal("durable unify against the C limit", 0.80, 0.95, _ratio(unify, "rate", ours, Limit.name)),
        Goal("durable unify, p99 ours over the peer's", 0.35, 0.2, _ratio(unify, "p99_us", ours, peer),
             smaller_is_better=True),
        Goal("durable unify, CPU a request, peer's over ours", 5, 7, _ratio(unify, "cpu_us", peer, ours)),
        Goal("own group commit against own one-transaction mode", 4, 6, _grouped(commits), remark=_writer(facts)),
        Goal("OTP session (unify to true): CPU a session over that of its signatures", 2.0, 1.6,
             _session_over_signatures(session, facts.get("crypto")),
             smaller_is_better=True, remark="one signature, four checks"),
        Goal("OTP session against the C limit, sessions/s", 0.40, 0.55, _ratio(session, "rate", ours, Limit.name)),
        Goal("OTP session, CPU a session, the C limit's over ours", 0.40, 0.55,
             _ratio(session, "cpu_us", Limit.name, ours)),
        Goal("resident memory under load against the peer", 0.75, 0.5, _memory(unify), smaller_is_better=True,
             remark="peak over the unify scene"),
        Goal("unify with the most stored sessions against the fewest", 0.85, 0.95, _growth(growth),
             remark="" if growth is None or growth.broken else " against ".join(sorted(growth.runs, key=len, reverse=True))),
        Goal("open loop at 80 % of capacity: p99", 10, 5, _p99_ms(_named(scenes, "open loop at 80 % of capacity")), " ms",
             smaller_is_better=True),
        Goal("system calls a plain request", 2.5, 2.0, facts.get("system_calls"), smaller_is_better=True,
             remark="counted by the kernel, 64 connections"),
    ]
