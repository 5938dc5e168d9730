"""Clients made from the descriptions by other people's generators: each must compile, and some must work.

    generate.py [--only NAME] [--keep FOLDER]      SANDBOX_URL names the server (scripts/with-sandbox)

A sandbox server of its own answers the calls. The last line is "N passed, M failed".
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
import urllib.request

import openapi_generator_cli

HERE = pathlib.Path(__file__).resolve().parent
GENERATOR = pathlib.Path(openapi_generator_cli.__file__).with_name("openapi-generator.jar")
JARS = pathlib.Path("/usr/share/java")
GO_SOURCES = pathlib.Path("/usr/share/gocode")
SECONDS = 300
# Where the server shows every call, and those of a session alone.
WHOLE, SESSION = "/openapi.json", "/openapi/session.json"
# Of a client in Python for a whole session.
MOST_LINES = 15_000


def run(*command, **options):
    """Runs a command to its end, and shows what it said when it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, **options)
    assert done.returncode == 0, f"{' '.join(words[:8])}: status {done.returncode}\n{done.stdout[-4000:]}"
    return done.stdout


def generated(description, folder, generator, *options):
    """The folder of a client that openapi-generator has made."""
    said = run(
        "java", "-Xmx512m", "-jar", GENERATOR, "generate", "-i", description, "-g", generator, "-o", folder, *options)
    assert " ERROR " not in said, said[-4000:]
    return folder


def python(description, folder):
    """openapi-generator, target Python (pydantic): every module is imported, then called."""
    generated(description, folder, "python", "--package-name", "generated")
    run(sys.executable, HERE / "call_python.py", cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)})


def go(description, folder):
    """openapi-generator, target Go: built with what Debian has of its modules, then called."""
    sources = folder / "src" / "generated"
    generated(description, sources, "go", "--package-name", "generated")
    for test in (sources / "test").glob("*.go"):
        test.unlink()
    program = folder / "src" / "call"
    program.mkdir()
    shutil.copy(HERE / "call_go.txt", program / "main.go")
    environment = os.environ | {
        "GO111MODULE": "off", "GOPATH": f"{folder}:{GO_SOURCES}", "GOCACHE": str(folder / "cache"), "GOFLAGS": "-p=2"}
    run("go", "build", "-o", folder / "client", "call", env=environment, cwd=folder)
    run(folder / "client")


def typescript(description, folder):
    """openapi-generator, target TypeScript (fetch): every file passes the compiler."""
    generated(description, folder, "typescript-fetch")
    run("tsc", "--noEmit", "--noUnusedLocals", "false", "--target", "es2017", "--lib", "es2017,dom",
        "--moduleResolution", "node", folder / "index.ts")


def java(description, folder):
    """openapi-generator, target Java (java.net.http, Jackson). Jackson's jars are inside the generator's own."""
    generated(description, folder, "java", "--library", "native", "--additional-properties", "openApiNullable=false")
    names = ["geronimo-annotation-1.3-spec", "httpmime", "httpcore"]
    path = ":".join(map(str, [GENERATOR] + [JARS / f"{name}.jar" for name in names]))
    files = (folder / "src" / "main").rglob("*.java")
    run("javac", "-J-Xmx512m", "-nowarn", "-proc:none", "-cp", path, "-d", folder / "classes", *files)


def attrs(description, folder):
    """The folder of a client that openapi-python-client has made, and the lines of it."""
    tool = pathlib.Path(sys.executable).with_name("openapi-python-client")
    client = folder / "attrs_client"
    said = run(tool, "generate", "--meta", "none", "--path", description, "--output-path", client)
    assert "will not be generated" not in said, said
    odd = [path.name for path in client.glob("models/*") if re.search(r"type_\d", path.name)]
    assert not odd, f"models without a name of their own: {odd}"
    return client, sum(len(path.read_text().splitlines()) for path in client.rglob("*.py"))


def openapi_python_client(description, folder):
    """openapi-python-client (attrs, httpx): every module is imported, then called."""
    _, lines = attrs(description, folder)
    run(sys.executable, HERE / "call_attrs.py", cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)})
    return f"{lines} lines"


def openapi_python_client_session(description, folder):
    """openapi-python-client, the calls of a session: few lines, and a whole session."""
    _, lines = attrs(description, folder)
    run(sys.executable, HERE / "call_session.py", cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)})
    assert lines < MOST_LINES, f"{lines} lines"
    return f"{lines} lines"


CLIENTS = [
    (python, WHOLE), (go, WHOLE), (typescript, WHOLE), (java, WHOLE), (openapi_python_client, WHOLE),
    (openapi_python_client_session, SESSION),
]


def shown(path, folder):
    """The file of a description as the server shows it."""
    file = folder / path.strip("/").replace("/", "-")
    with urllib.request.urlopen(os.environ["SANDBOX_URL"] + path, timeout=10) as answer:
        file.write_text(json.dumps(json.load(answer)))
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only the clients whose name has this text")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the clients in this folder")
    arguments = parser.parse_args()
    failed = passed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(exist_ok=True)
        for client, path in CLIENTS:
            if arguments.only not in client.__name__:
                continue
            try:
                (folder / client.__name__).mkdir()
                note = client(shown(path, folder), folder / client.__name__)
                print(f"ok   {client.__name__}: {client.__doc__}" + (f" ({note})" if note else ""), flush=True)
                passed += 1
            except Exception:
                print(f"FAIL {client.__name__}", flush=True)
                traceback.print_exc(file=sys.stdout)
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
