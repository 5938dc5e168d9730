#!/usr/bin/env python3
"""The stages of the gate and of the deep check.

    stages.py gate              everything that must pass before a change is taken: .ci/run
    stages.py deep              the rest: .ci/deep
    stages.py deep NAME...      some stages of it
    stages.py deep --list       their names

`seconds` is what a stage took on two quiet cores, beside the others. Its time limit is six times as long, at least ten minutes:
STAGE_TIME_FACTOR in the environment is another factor.
"""
import argparse
import os
import signal
import sys
from pathlib import Path

from runner import Runner, Stage

REPOSITORY = Path(__file__).resolve().parent.parent
# Outside of SwiftPM's folder, which `swift package clean` empties.
LOGS = REPOSITORY / ".build-run"
# Whatever computes for long holds the processors: two of them beside each other end no sooner. SwiftPM lets only one into the
# build folder.
PROCESSORS = ("processors",)
# The release build has a folder of its own, so that it runs beside the tests' build: it optimizes a large module on one core.
RELEASES = ".build-release"
BINARY = REPOSITORY / RELEASES / "release" / "holdfast"
# Where servers under test keep their data. Beside a build a disk may stand still for a second; the server then refuses changes
# as it should, and whoever counts its answers fails. Faults, races and kills are on a disk: they need a commit to take time.
MEMORY = Path("/dev/shm")
IN_MEMORY = (("TMPDIR", str(MEMORY)),) if os.access(MEMORY, os.W_OK) else ()

# Each check installs the packages that it needs. Here they are installed at once, while the first build runs.
PACKAGES = (
    "python3-venv", "kannel", "kannel-extras", "chromium", "nodejs", "node-typescript", "esbuild", "bubblewrap",
    "systemd", "openssl", "iproute2", "procps", "prometheus", "haproxy", "postgresql", "gcc",
    "libc6-dev", "patchelf")
MORE_PACKAGES = (
    "webkit2gtk-driver", "xvfb", "default-jdk-headless", "golang-go", "python3-dev", "wrk", "nginx", "make", "linux-perf",
    "dpkg-dev", "lintian", "debootstrap", "patroni", "etcd-server")

RELEASE = Stage("release-build", ("make", "build"), 400, environment=(("SWIFTPM_BUILD_DIR", RELEASES),))
# The README's test command. Package.swift makes every warning an error. The tests take longest, so other stages come before them.
TESTS = Stage("tests", ("nice", "make", "test"), 900, 3, uses=PROCESSORS)
INSTALLED = Stage("packages", ("scripts/install-packages", *PACKAGES), 60)
PYTHON = Stage("python-packages", ("scripts/venv", "end-to-end", "Tests/EndToEnd/requirements.txt"), 60, after=("packages",))


def served(name, command, seconds, shown=1, after=(), **more):
    """A check of the built server."""
    return Stage(
        name, command, seconds, shown, ("packages", "release-build", *after),
        **{"environment": IN_MEMORY, **more})


def end_to_end(name, script, seconds, **more):
    return served(name, ("scripts/end-to-end", *script.split()), seconds, after=("python-packages",), **more)


GATE = (
    INSTALLED,
    RELEASE,
    PYTHON,
    Stage("stages", ("python3", ".ci/test_runner.py"), 5),
    Stage("format-lint", ("make", "lint"), 15),
    Stage("unsafe-code", ("scripts/check-unsafe",), 5),
    Stage("callers-text", ("scripts/check-text",), 5),
    Stage("requirements", ("scripts/check-requirements",), 5),
    Stage("folders", ("scripts/check-folders",), 5),
    Stage("pages", ("scripts/check-docs",), 5),
    Stage("commit-messages", ("scripts/check-commits",), 10),
    TESTS,
    # The phone that end-to-end scenes play, against published values.
    Stage("phone-values", ("scripts/python", "Tests/EndToEnd/powerauth.py"), 5, after=("packages",)),
    end_to_end("walk", "walk", 60),
    served("http-cases", ("Tests/Conformance/run.sh",), 70, 2),
    served("faults", ("Tests/Faults/run.sh", "--gate"), 120, environment=()),
    served("browser-checks", ("scripts/browser-checks",), 230, 3, after=("python-packages",)),
    served("messages", ("scripts/messages",), 80, 3, after=("python-packages",)),
    served("web-library", ("scripts/client-web", "--browsers", "Chromium"), 35),
    served("swift-library", ("scripts/client-swift",), 45),
    served("demo", ("scripts/check-demo",), 5),
    served("distribution", ("scripts/check-dist",), 40, 2),
    served("deploy-files", ("scripts/check-deploy",), 35, 4),
    served("configurations", ("scripts/check-configurations",), 6),
    served("readme-walk", ("scripts/readme-walk",), 20, 2),
    end_to_end("webhooks", "webhooks", 26),
    end_to_end("twilio", "twilio_verify", 20),
    end_to_end("sms-hooks", "hooks", 5),
    end_to_end("camara", "camara", 20),
    end_to_end("otpless", "otpless", 5),
    end_to_end("otpless-app", "otpless_app", 8),
    end_to_end("onboarding", "onboarding", 5),
    end_to_end("activations", "activations", 10),
    end_to_end("prelude", "prelude prelude-sdk", 10),
    end_to_end("page-samples", "page_samples", 20),
    end_to_end("postgres-serves", "--postgres hooks", 12),
    Stage("statements", ("scripts/check-sql",), 10, after=("packages",)),
    Stage("postgres", ("scripts/postgres-tests",), 80, 2, ("packages", "tests"), PROCESSORS),
    Stage("simulation", ("scripts/simulate", "--seeds", "10"), 60, 2, ("tests",), PROCESSORS),
    Stage("import-check", ("swift", "build", "--explicit-target-dependency-import-check", "error"), 20, 1, ("tests",), PROCESSORS),
    Stage("declared-imports", ("scripts/check-imports",), 10, 1, ("tests",), PROCESSORS),
    Stage("benchmarks", ("scripts/check-benchmarks",), 20, 1, ("tests",)),
)

DEEP_PACKAGES = Stage("packages", ("scripts/install-packages", *PACKAGES, *MORE_PACKAGES), 120)
DEEP = (
    DEEP_PACKAGES,
    RELEASE,
    PYTHON,
    # The simulation runs a program of this build.
    Stage("test-build", ("swift", "build", "--build-tests"), 600, uses=PROCESSORS),
    Stage("simulation", ("scripts/simulate", "--seeds", "200"), 600, 5, ("test-build",), PROCESSORS),
    Stage("limits", ("scripts/simulate-limits",), 1500, 3, uses=PROCESSORS),
    Stage("cells", ("Benchmarks/Scale/cells.py",), 60, 7),
    Stage("fuzzing", ("scripts/fuzz", "--seconds", "300"), 450, 23, uses=PROCESSORS),
    # The same streams in each run, so that a change is judged by what it changes; README of Tests/Fuzzing: others.
    Stage("other-parsers", ("scripts/compare-parsers", "--seconds", "30", "--seed", "36"), 90, 3, uses=PROCESSORS),
    served("faults", ("Tests/Faults/run.sh",), 450, 3, environment=()),
    end_to_end("walk-over-tls", "walk-tls", 55),
    end_to_end("races", "races vendor_races", 25, environment=()),
    end_to_end("kills", "crash handover key_rotation", 180, shown=3, environment=()),
    end_to_end("damaged-streams", "fuzz_http", 65),
    end_to_end("other-clients", "clients", 15),
    end_to_end("postgres-failover", "failover failover-silent", 50, shown=5, environment=()),
    end_to_end("postgres-servers", "servers", 90, shown=8),
    end_to_end("postgres-wires", "wires full-disk", 150, shown=16),
    end_to_end("postgres-vendors", "vendor-servers", 120, shown=20, environment=()),
    # It replaces a version by itself, unless OLD_BINARY names an older one. No call may fail, so a server must have a processor.
    end_to_end("postgres-rolling", "rolling", 90, shown=5, uses=PROCESSORS),
    # An agent that gets no processor for seconds steps down, as it should.
    end_to_end("postgres-patroni", "patroni", 150, shown=12, uses=PROCESSORS),
    end_to_end("postgres-copies", "move restored", 25, shown=9),
    end_to_end("postgres-scenes", "--postgres walk webhooks twilio_verify camara otpless otpless_app onboarding activations prelude"
               " page_samples races vendor_races handover crash key_rotation clients", 700, shown=16),
    served("api-descriptions", ("scripts/openapi-check", "--seconds", "60"), 100, 3),
    served("generated-clients", ("scripts/generated-clients",), 125, 6),
    served("webkit", ("scripts/client-web", "--browsers", "WebKit"), 45),
    served("java-library", ("scripts/client-java",), 80),
    served("snippets", ("scripts/client-snippets",), 40),
    Stage("dependencies", ("scripts/dependencies",), 10, 1, ("release-build",)),
    served("distribution", ("scripts/check-dist", "--all"), 200, 7),
    Stage("reproducible-packages", ("scripts/check-reproducible",), 400, 6, ("packages", "release-build"), PROCESSORS),
    Stage("postgres-mutations", ("scripts/postgres-mutations",), 150, 14, ("test-build",), PROCESSORS),
    # They count calls that fail, and a server without a processor fails them.
    served("cluster-walk", ("scripts/walk-cluster",), 110, shown=12, alone=True),
    served("machines-walk", ("scripts/walk-machines",), 80, shown=9, alone=True),
    Stage("benchmarks", ("scripts/check-benchmarks", "--run"), 700, 3, ("release-build",), alone=True),
    Stage("thread-sanitizer", ("scripts/sanitizer-tests", "thread"), 1800, 3, alone=True),
    Stage("address-sanitizer", ("scripts/sanitizer-tests", "address"), 1900, 3, alone=True),
)


def chosen(stages, names):
    """The named stages and those that they come after; all, without names."""
    known = {stage.name: stage for stage in stages}
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"no such stage: {', '.join(unknown)}; there are: {', '.join(known)}")
    wanted, open_names = set(), list(names or known)
    while open_names:
        name = open_names.pop()
        if name not in wanted:
            wanted.add(name)
            open_names += known[name].after
    return [stage for stage in stages if stage.name in wanted]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=("gate", "deep"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these stages, and those that they come after")
    parser.add_argument("--list", action="store_true", help="name the stages, and end")
    options = parser.parse_args()
    stages = GATE if options.check == "gate" else DEEP
    if options.list:
        print("\n".join(f"{stage.name:20} {' '.join(stage.command)}" for stage in stages))
        return
    runner = Runner(
        chosen(stages, options.names), LOGS / options.check, {**os.environ, "BINARY": str(BINARY)}, places=4)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, runner.stop)
    os.chdir(REPOSITORY)
    sys.exit(0 if runner.run() else 1)


if __name__ == "__main__":
    main()
