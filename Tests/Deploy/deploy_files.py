#!/usr/bin/env python3
"""Reads the files of deploy/ with the tools that will read them, and what they say with `holdfast check-config`."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES_VERSIONS = ("1.29.0", "1.37.0")
# Of systemd-analyze, in tenths: 100 is a unit without any restriction.
MOST_EXPOSURE = 20
faults = []


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)


def check(what, done):
    if done.returncode:
        faults.append(f"{what}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done


def without_comments(text):
    """The JSON of a configuration."""
    return json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.M))


def check_configuration(what, live, routes, binary, folder):
    """Both as they are, but for the places where an image or a machine has the files. `routes` may be `None`: no gateway."""
    here = folder / re.sub(r"\W", "-", what)
    secrets = here / "secrets"
    secrets.mkdir(parents=True)
    for name, content in (
            ("kannel.password", "a" * 48), ("holdfast.password", "p" * 48), ("database.password", "p" * 48),
            ("master.key", "k" * 32)):
        (secrets / name).write_text(content)
        (secrets / name).chmod(0o600)
    for name in ("tls.pem", "tls.key"):
        made = folder / "compose" / "secrets" / name
        shutil.copy(made, secrets / name)
    shutil.copy(secrets / "tls.pem", secrets / "database-ca.pem")
    places = {
        "/run/holdfast": secrets, "/config": here, "/data": here / "data",
        "/etc/holdfast/routes.json": here / "routes.json", "/etc/holdfast": ROOT / "config"}
    pattern = re.compile('(?<=")(' + "|".join(sorted(map(re.escape, places), key=len, reverse=True)) + r')(?=[/"])')
    for name, text in (("live.json", live), ("routes.json", routes or "")):
        (here / name).write_text(pattern.sub(lambda found: str(places[found[1]]), text))
    (here / "data").mkdir(mode=0o700)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
    done = check(what, run(binary, "check-config", "--config", here / "live.json", env=environment, cwd=here))
    if routes is not None and "routesFile: is not set" in done.stderr:
        faults.append(f"{what}: has no gateway")


def check_compose(name, compose, folder):
    copy = folder / name
    shutil.copytree(DEPLOY / name, copy, ignore=shutil.ignore_patterns("secrets", ".env"))
    check(f"{name}/prepare", run(copy / "prepare"))
    check(f"{name}/compose.yaml", run(compose, "-f", copy / "compose.yaml", "config", "--quiet"))
    # A second run keeps the secrets, and another name gets another certificate.
    before = {file.name: file.read_bytes() for file in (copy / "secrets").iterdir()}
    check(f"{name}/prepare again", run(copy / "prepare"))
    if before != {file.name: file.read_bytes() for file in (copy / "secrets").iterdir()}:
        faults.append(f"{name}/prepare: a second run changes the secrets")
    check(f"{name}/prepare for another name", run(copy / "prepare", "verify.example.com", "443"))
    after = {file.name: file.read_bytes() for file in (copy / "secrets").iterdir()}
    changed = {name for name in before if before[name] != after[name]}
    if changed != {"tls.pem", "tls.key"}:
        faults.append(f"{name}/prepare: another name changes {sorted(changed)}")
    open_to_others = [file.name for file in (copy / "secrets").iterdir() if file.stat().st_mode & 0o077]
    if open_to_others:
        faults.append(f"{name}/prepare: others can read {open_to_others}")
    check(f"{name}/prepare", run(copy / "prepare", "holdfast.test", "8443"))
    for path in (f"deploy/{name}/.env", f"deploy/{name}/secrets/tls.key"):
        if (ROOT / ".git").exists() and run("git", "-C", ROOT, "check-ignore", path).returncode:
            faults.append(f"{path} can be committed")


def check_balancer(compose, folder):
    """The balancer knows each server of the compose file, and the servers trust it by its network."""
    copy = folder / "postgres"
    configuration = copy / "balancer" / "haproxy.cfg"
    check("haproxy.cfg", run("haproxy", "-c", "-f", configuration))
    file = json.loads(check("postgres/compose.yaml", run(
        compose, "-f", copy / "compose.yaml", "config", "--format", "json")).stdout)
    servers = {
        f"{name} {name}:{value['environment']['HOLDFAST_SERVER_PORT']}" for name, value in file["services"].items()
        if "HOLDFAST_SERVER_PORT" in (value.get("environment") or {})}
    backends = re.split(r"^(?=\w)", configuration.read_text(), flags=re.M)
    for backend in backends:
        if backend.startswith("backend "):
            known = set(re.findall(r"^ +server (\S+ \S+)", backend, re.M))
            if known != servers:
                faults.append(f"haproxy.cfg: {backend.splitlines()[0]} has {sorted(known)} instead of {sorted(servers)}")
    publishing = [name for name, value in file["services"].items() if value.get("ports")]
    if publishing != ["balancer"]:
        faults.append(f"postgres/compose.yaml: ports of {publishing} are published")
    range_of_calls = file["networks"]["calls"]["ipam"]["config"][0]["subnet"]
    trusted = without_comments((DEPLOY / "postgres" / "live.json").read_text())["server"]["trustedProxies"]
    if trusted != range_of_calls:
        faults.append(f"postgres/live.json: trusts {trusted} instead of {range_of_calls}")


def check_unit(binary, folder):
    units = folder / "units"
    shutil.copytree(DEPLOY / "systemd", units)
    service = units / "holdfast.service"
    text = service.read_text()
    # systemd-analyze looks for the program; it is installed where the server will run.
    services = sorted(units.glob("*.service"))
    for unit in services:
        unit.write_text(unit.read_text().replace("/usr/local/bin/holdfast", str(pathlib.Path(binary).resolve())))
    done = check("systemd-analyze verify", run("systemd-analyze", "verify", "--man=no", *sorted(units.iterdir())))
    if str(units) in done.stderr:
        faults.append(f"systemd-analyze verify: {done.stderr}")
    for unit in services:
        check(f"systemd-analyze security {unit.name}", run(
            "systemd-analyze", "security", "--no-pager", "--offline=true", f"--threshold={MOST_EXPOSURE}", unit))
        # The program takes the options that the unit gives it; the configuration is none of this machine's.
        command = re.search(r"^ExecStart=(\S+ .*)$", unit.read_text(), re.M)[1].split()
        if run(*command).returncode != 78:
            faults.append(f"{unit.name}: the program does not take {command[1:]}")
    # The exit statuses of docs/operate/commands.md and the program's help, other than 0 and 1.
    told = {int(status) for status in re.findall(r"\b(\d\d) [a-z]", run(binary, "--help").stdout.split("Exit status:")[1][:200])}
    prevented = {int(status) for status in re.search(r"^RestartPreventExitStatus=(.*)$", text, re.M)[1].split()}
    if told != prevented:
        faults.append(f"RestartPreventExitStatus={prevented}, and the program tells {told}")
    copying = re.search(r"^ExecStartPre=/bin/sh -ec '(.*)'$", text, re.M)[1].replace("$$", "$")
    credentials, runtime = folder / "credentials", folder / "runtime"
    for place in (credentials, runtime):
        place.mkdir()
    environment = {**os.environ, "CREDENTIALS_DIRECTORY": str(credentials), "RUNTIME_DIRECTORY": str(runtime)}
    check("ExecStartPre without secrets", run("/bin/sh", "-ec", copying, env=environment))
    (credentials / "secret_kannel.password").write_text("a")
    (credentials / "secret_kannel.password").chmod(0o400)
    check("ExecStartPre", run("/bin/sh", "-ec", copying, env=environment))
    made = {file.name: oct(file.stat().st_mode & 0o777) for file in runtime.iterdir()}
    if made != {"kannel.password": "0o600"}:
        faults.append(f"ExecStartPre makes {made}")


def read_manifest(name):
    """Its parts, by kind."""
    manifest = DEPLOY / "kubernetes" / name
    for version in KUBERNETES_VERSIONS:
        check(f"{name}, Kubernetes {version}", run(
            pathlib.Path(sys.executable).parent / "kubernetes-validate", "--strict", "-k", version, manifest))
    return {part["kind"]: part for part in yaml.safe_load_all(manifest.read_text())}


def check_manifest(name, kind, binary, folder):
    parts = read_manifest(name)
    data = parts["ConfigMap"]["data"]
    check_configuration(f"the configuration of {name}", data["live.json"], data["routes.json"], binary, folder)
    pod = parts[kind]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    server = without_comments(data["live.json"])["server"]
    if ports != {"http": server["port"], "operations": server["operationsPort"]}:
        faults.append(f"{name}: the container has the ports {ports}")
    return pod


def check_migration(server, binary):
    """The job runs the program of the servers, with their configuration and the owner's password."""
    pod = read_manifest("migrate.yaml")["Job"]["spec"]["template"]["spec"]
    container, serving = pod["containers"][0], server["containers"][0]
    if container["image"] != serving["image"]:
        faults.append(f"migrate.yaml: the image is {container['image']}")
    volumes = {volume["name"]: volume for volume in server["volumes"]}
    for volume in pod["volumes"]:
        if volume["name"] in volumes and volume != volumes[volume["name"]]:
            faults.append(f"migrate.yaml: the volume {volume['name']} is another one than that of cluster.yaml")
    if run(binary, *container["args"], "--help").returncode:
        faults.append(f"migrate.yaml: the program does not take {container['args']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--compose", required=True, help="the docker-compose to read the file with")
    options = parser.parse_args()
    binary = pathlib.Path(options.binary).resolve()
    with tempfile.TemporaryDirectory(prefix="holdfast-deploy-") as made:
        folder = pathlib.Path(made)
        check_compose("compose", options.compose, folder)
        check_compose("postgres", options.compose, folder)
        check_balancer(options.compose, folder)
        compose = DEPLOY / "compose"
        check_configuration(
            "the compose file's configuration", (compose / "live.json").read_text(), (compose / "routes.json").read_text(),
            binary, folder)
        check_configuration(
            "the configuration of deploy/postgres", (DEPLOY / "postgres" / "live.json").read_text(), None, binary, folder)
        check_unit(binary, folder)
        check_manifest("holdfast.yaml", "StatefulSet", binary, folder)
        check_migration(check_manifest("cluster.yaml", "Deployment", binary, folder), binary)
    if faults:
        sys.exit("\n".join(f"check-deploy: {fault}" for fault in faults))
    print("the compose files, the balancer, the unit and the manifest are as their readers want them")


main()
