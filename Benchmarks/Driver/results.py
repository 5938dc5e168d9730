"""The table of a sitting, as Markdown."""
import time

NOTES = """\
How it is measured: everything runs on one machine, load and servers on the same cores, over loopback. The servers of a scene
run at the same time and are asked in turn, round after round, one warming round before; a figure is the median over the
rounds, in brackets the smallest and the largest. CPU is user and system time of the server's process by the kernel's account, divided by
the requests; memory is the resident set at the end of a run, of which what is no file's, and its peak from the end of the start on. Holdfast
then gives back the pages of its files that only the start needed; no peer does so. Every answer must have status 200, and afterwards
the stored sessions must be those that were acknowledged, give or take what was under way when a run was cut. A server that fails
one of these checks has the failure in place of its figures; where it is Holdfast, the sitting fails once the table is written. "Other work"
is what else the machine's cores were busy with while a scene ran, in cores: near zero, or the figures are noise.

Every Swift server has the Swift runtime linked in, as the image ships it. All durable servers write the same rows into the same schema in WAL mode with `synchronous=FULL`, and answer after the commit. Holdfast runs
its shipped `config/sandbox.json`; only `log.requests` is off, because no peer writes a line a request (the scene "request log" shows what it
costs). That configuration sets no limit on requests a second, so none of the peers has one; the limits of a number count its messages and wrong
codes, not its sessions, so they are no part of unify. In the sandbox a number is looked up among the users; live mode reads it with
libphonenumber instead, 10 to 20 µs more. What differs otherwise:

- the peers and the C limit name only the columns that are not NULL in a new session; Holdfast names all nine;
- the peers read the tenant's row on every request, and with group commit give each change a savepoint; Holdfast and the C limit
  remember tenants, and take back a whole commit where a change fails, to run it again with savepoints;
- the peers have the fields of this one request, no other member is looked at, no duplicate member is refused;
- the peer checks the signature of the access token on every request, as jwt-kit does by itself; "remembers tokens" checks it once, as
  Holdfast and the C limit do;
- the peers send no `X-Request-Id`, `Cache-Control` and `X-Content-Type-Options`, and have no limits of size and time but Hummingbird's own;
- Holdfast's engine in the echo scene is compiled with `-enable-testing`, as the micro-benchmarks need it;
- the C limit has no strict JSON, no timeouts, no limits, no drain: it is what a request cannot cost less than;
- in an OTP session the C limit writes the same rows in the same commits, signs and checks the same tokens and proofs, and opens and seals
  the session for each change. It checks no limit (it adds to the counts), no rule of the tenant or the number, and no retry (it stores the
  answer), and writes no text of a message."""


DRIFT = """\
Each pair is the rate and the processor time of a build against the C program in the same run, medians of the ratios within a round: 1
is as fast as the C program, and less is slower. `Driver/drift.py` describes the records of earlier builds."""


def _number(value, digits=0):
    return f"{value:,.{digits}f}"


def _cell(scene, label, of, scale=1.0, digits=0):
    low, high = scene.spread(label, of)
    text = _number(scene.median(label, of) * scale, digits)
    return text if low == high else f"{text} ({_number(low * scale, digits)}-{_number(high * scale, digits)})"


def _one_line(text, most=200):
    """Fit for a cell of a table."""
    return " ".join(text.replace("|", "/").split())[:most]


def _base(scene):
    """The rate of the scene's first server; `None` where that server or another one of the product has failed."""
    return None if scene.failed or not scene.runs else scene.median(next(iter(scene.runs)), "rate")


def _scene(scene):
    yield f"### {scene.name[0].upper()}{scene.name[1:]}"
    yield ""
    yield f"{scene.what}. Other work: {scene.other_cpu:.2f} cores."
    yield ""
    yield "| server | a second | ratio | CPU each, µs | p50, ms | p99, ms | largest, ms | memory, MB | anonymous | peak |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    base = _base(scene)
    for label in scene.runs:
        yield " | ".join([
            f"| {label}", _cell(scene, label, "rate"), f"{scene.median(label, 'rate') / base:.2f}" if base else "-",
            _cell(scene, label, "cpu_us", 1, 1), _cell(scene, label, "p50_us", 1e-3, 2),
            _cell(scene, label, "p99_us", 1e-3, 2), _number(scene.spread(label, "max_us")[1] / 1000, 1),
            _number(scene.median(label, "resident_kb") / 1024), _number(scene.median(label, "anonymous_kb") / 1024),
            _number(scene.peak_kb[label] / 1024) + " |"])
    for label, fault in scene.broken.items():
        yield f"| {label} | failed: {_one_line(fault)} |" + " - |" * 8
    yield ""
    for note in scene.notes:
        yield note
        yield ""


def _goals(goals):
    yield "| scene | at least | stretch | figure | |"
    yield "| --- | --- | --- | --- | --- |"
    for goal in goals:
        figure = "-" if goal.figure is None else f"{goal.figure:.2f}{goal.unit}"
        remark = f"; {goal.remark}" if goal.remark else ""
        yield f"| {goal.name} | {goal.least:g}{goal.unit} | {goal.stretch:g}{goal.unit} | {figure} | {goal.verdict}{remark} |"


def markdown(title, machine, goals, scenes, facts):
    lines = ["# Results", "", f"{title}, {time.strftime('%Y-%m-%d')}.", ""]
    lines += [f"- {name}: {value}" for name, value in machine]
    lines += ["", "## Goals", "", *_goals(goals), ""]
    if "drift" in facts:
        lines += ["## Drift", "", DRIFT, "", *facts["drift"], ""]
    lines += ["## Method", "", NOTES, ""]
    crypto = facts.get("crypto")
    if crypto:
        lines += [
            f"One ES256 signature costs {crypto['sign_us']:.1f} µs of CPU here, one check {crypto['verify_us']:.1f} µs "
            "(OpenSSL, median of the rounds).", ""]
    lines += ["## Scenes", ""]
    for scene in scenes:
        lines += _scene(scene)
    return "\n".join(lines).rstrip() + "\n"
