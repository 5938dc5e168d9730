#!/usr/bin/env python3
"""Checks deploy/prometheus and deploy/grafana with promtool, with Grafana's types, and with a Prometheus that scrapes a sandbox.

Each metric of a rule or of the dashboard is one of the server: /metrics of the sandbox shows it, or Sources has its name. The
environment names the sandbox in SANDBOX_URL, as scripts/with-sandbox does.
"""
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import yaml
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy" / "prometheus" / "rules.yaml"
CONFIGURATION = RULES.with_name("prometheus.yaml")
DASHBOARD = ROOT / "deploy" / "grafana" / "holdfast.json"
PAGE = ROOT / "docs" / "operate" / "monitoring.md"
# In seconds: until Prometheus has scraped the sandbox and evaluated each rule.
PATIENCE = 15
INTERVAL = "500ms"
# Prometheus evaluates each rule so often after the first scrape: rates need two scrapes, and some rules read recorded series.
EVALUATIONS = 3
# Series that Prometheus itself writes.
OF_PROMETHEUS = {"up", "ALERTS"}
LABELS_OF_PROMETHEUS = {"job", "instance"}
KEYWORDS = {"and", "or", "unless", "offset", "bool", "group_left", "group_right"}
MEMBERS = ("uid", "title", "schemaVersion", "version", "time", "refresh", "templating", "annotations", "panels")
COLUMNS = 24
# Members that the data source of Prometheus reads. Grafana's types leave them out.
OF_DATA_SOURCE = {"definition", "step", "titleFormat", "textFormat"}
# Variables of the dashboard and of Grafana, with a value that Grafana may put in.
VARIABLES = {"$job": "holdfast", "$instance": ".*", "$__rate_interval": "5m"}
faults = []


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def promtool(*words):
    done = run("promtool", *words)
    if done.returncode:
        faults.append(f"promtool {words[0]} {words[1]}: {done.stdout}{done.stderr}")


def read(url):
    with urllib.request.urlopen(url, timeout=5) as response:
        return response.read().decode()


# Names of metrics

def shown_metrics(text):
    """{name: labels} of a page in Prometheus's text format; a histogram has the names of its three series."""
    found = {}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", text, re.M):
        if name != "#":
            found.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return found


def metric_names(query):
    """The set of metrics that a query reads: names outside of strings and of lists of labels that are no functions."""
    bare = re.sub(r'"[^"]*"', "", query)
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", bare)
    bare = re.sub(r"\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)", "", bare)
    return set(re.findall(r"\b[a-zA-Z_:][\w:]*\b(?!\s*\()", bare)) - KEYWORDS


def matchers(query):
    """[(metric, label)] for each label that a query compares."""
    bare = re.sub(r'"[^"]*"', '""', query)
    return [
        (name, label) for name, labels in re.findall(r"([a-zA-Z_:][\w:]*)\{([^}]*)\}", bare)
        for label in re.findall(r"(\w+)\s*[=!]", labels)]


def check_names(queries, shown, recorded):
    """queries: {place: query}. shown: {metric: labels}. recorded: names of recording rules."""
    sources = "\n".join(file.read_text() for file in (ROOT / "Sources").rglob("*.swift"))
    for place, query in queries.items():
        for name in metric_names(query) - OF_PROMETHEUS - recorded - shown.keys():
            # Its series appear with the first event.
            if f'"{name}"' not in sources:
                faults.append(f"{place}: the server has no metric {name}")
        for name, label in matchers(query):
            if name in shown and label not in shown[name] | LABELS_OF_PROMETHEUS:
                faults.append(f"{place}: {name} has no label {label}")


# The rules

def read_rules():
    """[rule] of all groups, as the file has them."""
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def check_alerts(rules):
    """Each alert says how bad it is and what to do, has a line on the page, and a test."""
    page = PAGE.read_text()
    tests = "".join(file.read_text() for file in RULES.parent.glob("*.test.yaml"))
    for rule in rules:
        name = rule.get("alert")
        if name is None:
            continue
        if "for" not in rule or rule["labels"]["severity"] not in ("critical", "warning"):
            faults.append(f"{name}: has no time or no severity")
        pages = re.findall(r"\bdocs/[\w/-]+\.md\b", rule["annotations"]["description"])
        if not rule["annotations"]["summary"] or not pages or not all((ROOT / page).is_file() for page in pages):
            faults.append(f"{name}: has no summary, or its description names no page that exists")
        if f"`{name}`" not in page:
            faults.append(f"{name}: {PAGE.name} does not explain it")
        if f'alertname="{name}"' not in tests:
            faults.append(f"{name}: no test lets it fire")
    for name in re.findall(r"`(Holdfast[A-Z]\w+)`", page):
        if not any(rule.get("alert") == name for rule in rules):
            faults.append(f"{PAGE.name}: there is no alert {name}")


# The dashboard

def overlaps(one, other):
    return (
        one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"]
        and one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"])


def check_layout(dashboard):
    for member in MEMBERS:
        if member not in dashboard:
            faults.append(f"{DASHBOARD.name}: has no {member}")
    panels = dashboard["panels"]
    if len({panel["id"] for panel in panels}) < len(panels):
        faults.append(f"{DASHBOARD.name}: two panels have the same id")
    if len({panel["title"] for panel in panels}) < len(panels):
        faults.append(f"{DASHBOARD.name}: two panels have the same title")
    for panel in panels:
        place = panel["gridPos"]
        if place["x"] + place["w"] > COLUMNS:
            faults.append(f"{panel['title']}: is wider than the dashboard")
        if panel["type"] == "row":
            continue
        letters = [target["refId"] for target in panel["targets"] if target["expr"]]
        if not letters or len(set(letters)) < len(panel["targets"]):
            faults.append(f"{panel['title']}: has no query, or two with the same letter")
        if not panel["fieldConfig"]["defaults"].get("unit"):
            faults.append(f"{panel['title']}: has no unit")
        if panel["datasource"]["uid"] != "${datasource}":
            faults.append(f"{panel['title']}: has a data source of its own")
    for one, other in itertools.combinations(panels, 2):
        if overlaps(one["gridPos"], other["gridPos"]):
            faults.append(f"{one['title']}: lies over {other['title']}")


def unknown_members(ours, known, place):
    """Yields the place of each member of the JSON value `ours` that the JSON value `known` does not have, or has otherwise."""
    if isinstance(ours, dict) and isinstance(known, dict):
        for name in ours.keys() - OF_DATA_SOURCE:
            yield from unknown_members(ours[name], known.get(name), f"{place}.{name}")
    elif isinstance(ours, list) and isinstance(known, list) and len(ours) == len(known):
        for number, (one, other) in enumerate(zip(ours, known)):
            yield from unknown_members(one, other, f"{place}[{number}]")
    elif ours != known:
        yield place


def check_types(dashboard):
    """Grafana's own types know each member: reading and writing the dashboard by them loses none."""
    plugins.register_default_plugins()
    known = json.loads(JSONEncoder().encode(Dashboard.from_json(dashboard)))
    for place in unknown_members(dashboard, known, DASHBOARD.name):
        faults.append(f"Grafana does not know {place}")


def dashboard_queries(dashboard):
    """{place: query} of panels and annotations, with values in the place of variables."""
    queries = {f"annotation_{number}": note["expr"] for number, note in enumerate(dashboard["annotations"]["list"])}
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            queries[f"panel_{panel['id']}_{target['refId']}"] = target["expr"]
    for place, query in queries.items():
        for name, value in VARIABLES.items():
            query = query.replace(name, value)
        if "$" in query:
            faults.append(f"{place}: has an unknown variable: {query}")
        queries[place] = query
    return queries


def check_variables(dashboard, shown):
    for variable in dashboard["templating"]["list"]:
        for name in re.findall(r"label_values\((\w+)", variable.get("definition", "")):
            if name not in shown:
                faults.append(f"the variable {variable['name']}: the server has no metric {name}")


# A Prometheus

def write_files(folder, sandbox, queries):
    """The configuration as it is, but for the target and the intervals; the queries of the dashboard are one more file of rules."""
    configuration = yaml.safe_load(CONFIGURATION.read_text())
    configuration["global"] = {"scrape_interval": INTERVAL, "scrape_timeout": INTERVAL, "evaluation_interval": INTERVAL}
    configuration["scrape_configs"][0]["static_configs"] = [{"targets": [sandbox.removeprefix("http://")]}]
    configuration["rule_files"].append("dashboard.yaml")
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(configuration))
    (folder / "rules.yaml").write_text(RULES.read_text())
    rules = [{"record": f"dashboard:{place}", "expr": query} for place, query in queries.items()]
    (folder / "dashboard.yaml").write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))


def look(address):
    """([health of each target], {rule: (health, last error)}, {rule: last evaluation}) as Prometheus says them; empty while it
    starts."""
    try:
        targets = json.loads(read(f"{address}/api/v1/targets"))["data"]["activeTargets"]
        groups = json.loads(read(f"{address}/api/v1/rules"))["data"]["groups"]
    except (urllib.error.URLError, ConnectionError):
        return [], {}, {}
    rules = {rule["name"]: rule for group in groups for rule in group["rules"]}
    return (
        [target["health"] for target in targets],
        {name: (rule["health"], rule.get("lastError", "")) for name, rule in rules.items()},
        {name: rule["lastEvaluation"] for name, rule in rules.items()})


def check_running(folder, names):
    """Starts Prometheus, and waits until it has scraped the sandbox and evaluated each of the named rules without an error."""
    address = f"127.0.0.1:{run(ROOT / 'Tests' / 'EndToEnd' / 'ports.py').stdout.strip()}"
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(
            ["prometheus", f"--config.file={folder / 'prometheus.yaml'}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address={address}", "--log.level=warn"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    # {rule: times of evaluations} since the target is up. A rule without data has no error.
    evaluations = {name: set() for name in names}
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            targets, rules, last = look(f"http://{address}")
            wrong = {name: said for name, said in rules.items() if said[0] != "ok"}
            if targets == ["up"] and rules.keys() == evaluations.keys():
                for name, moment in last.items():
                    evaluations[name].add(moment)
                if not wrong and min(map(len, evaluations.values())) >= EVALUATIONS:
                    return
            if process.poll() is not None or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        faults.append(
            f"Prometheus: targets {targets}, rules {len(rules)} of {len(names)}, not healthy {wrong}\n"
            + (folder / "log").read_text())
    finally:
        process.terminate()
        process.wait(10)


def main():
    sandbox = os.environ["SANDBOX_URL"]
    promtool("check", "rules", RULES)
    promtool("check", "config", CONFIGURATION)
    promtool("test", "rules", *sorted(RULES.parent.glob("*.test.yaml")))
    rules = read_rules()
    check_alerts(rules)
    dashboard = json.loads(DASHBOARD.read_text())
    check_layout(dashboard)
    check_types(dashboard)
    queries = dashboard_queries(dashboard)

    shown = shown_metrics(read(f"{sandbox}/metrics"))
    named = {rule.get("alert") or rule["record"]: rule["expr"] for rule in rules}
    check_names({**named, **queries}, shown, {rule["record"] for rule in rules if "record" in rule})
    check_variables(dashboard, shown)

    with tempfile.TemporaryDirectory(prefix="holdfast-monitoring-") as made:
        folder = pathlib.Path(made)
        write_files(folder, sandbox, queries)
        promtool("check", "rules", folder / "dashboard.yaml")
        if not faults:
            check_running(folder, [*named, *(f"dashboard:{place}" for place in queries)])
    if faults:
        sys.exit("\n".join(f"monitoring: {fault}" for fault in faults))
    alerts = sum("alert" in rule for rule in rules)
    print(f"{alerts} alerts and {len(queries)} queries of the dashboard are as Prometheus wants them")


main()
