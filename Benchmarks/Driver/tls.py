#!/usr/bin/env python3
"""TLS in the server itself against nginx that ends TLS in front of it, in one sitting.

    tls.py --holdfast BINARY [--starts N] [--rounds N] [--seconds N]

Both show the same certificate of P-256, run at the same time and are asked in turn, the other one first in every second
round. Requests are those of wrk on 64 kept connections. Handshakes are those of `openssl s_time`, sixteen processes
that resume nothing. nginx has two workers and keeps its connections to Holdfast. Processor time is that of all processes of
one side, from /proc. A figure is the median of all rounds; a ratio is the median of the ratios within the rounds.
"""
import argparse
import contextlib
import re
import shutil
import ssl
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import load
from servers import Holdfast, Nginx, Server

CLIENTS = 16
HANDSHAKES = re.compile(r"(\d+) connections in (\d+) real seconds")
CONFIGURATION = """
worker_processes 2;
daemon off;
error_log DIRECTORY/nginx.log error;
pid DIRECTORY/nginx.pid;
events { worker_connections 16384; }
http {
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path DIRECTORY/body;
    proxy_temp_path DIRECTORY/proxy;
    fastcgi_temp_path DIRECTORY/fastcgi;
    uwsgi_temp_path DIRECTORY/uwsgi;
    scgi_temp_path DIRECTORY/scgi;
    upstream holdfast {
        server 127.0.0.1:BACKEND;
        keepalive 64;
        keepalive_requests 1000000000;
    }
    server {
        listen 127.0.0.1:PORT ssl;
        ssl_certificate CERTIFICATE;
        ssl_certificate_key KEY;
        ssl_protocols TLSv1.2 TLSv1.3;
        location / {
            proxy_pass http://holdfast;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $remote_addr;
        }
    }
}
"""


class Certificate:
    def __init__(self, directory):
        self.certificate, self.key = directory / "certificate.pem", directory / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", self.certificate,
             "-keyout", self.key],
            check=True, capture_output=True)
        self.key.chmod(0o600)


class OverTLS(Holdfast):
    """Holdfast with TLS of its own."""

    def __init__(self, certificate):
        super().__init__("Holdfast", settings={
            "HOLDFAST_SERVER_TLS_CERTIFICATE_FILE": str(certificate.certificate),
            "HOLDFAST_SERVER_TLS_KEY_FILE": str(certificate.key), "HOLDFAST_SERVER_OPERATIONS_PORT": "0"})

    def url(self, path=""):
        return super().url(path).replace("http:", "https:")


class BehindNginx(Server):
    """nginx that ends TLS, and Holdfast behind it."""

    def __init__(self, certificate):
        super().__init__("nginx")
        self.certificate = certificate
        self.backend = Holdfast("behind", settings={"HOLDFAST_SERVER_TRUSTED_PROXIES": "127.0.0.1"})

    def start(self):
        self.backend.start()
        super().start()

    def after_start(self):
        self.token = self.backend.token

    def command(self):
        text = CONFIGURATION
        for name, value in (
                ("BACKEND", self.backend.port), ("PORT", self.port), ("DIRECTORY", self.directory),
                ("CERTIFICATE", self.certificate.certificate), ("KEY", self.certificate.key)):
            text = text.replace(name, str(value))
        (self.directory / "nginx.conf").write_text(text)
        return [Nginx.binary, "-p", self.directory, "-e", self.directory / "nginx.log", "-c", self.directory / "nginx.conf"]

    def _processes(self):
        return super()._processes() + self.backend._processes()

    def url(self, path=""):
        return super().url(path).replace("http:", "https:")

    def close(self):
        super().close()
        self.backend.close()


def handshakes(server, seconds):
    """Connections a second, and processor time of the server for each in microseconds."""
    command = ["openssl", "s_time", "-connect", f"127.0.0.1:{server.port}", "-new", "-time", str(seconds)]
    before = server.cpu_seconds()
    clients = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        for _ in range(CLIENTS)]
    counts = []
    for client in clients:
        output, errors = client.communicate(timeout=seconds + 60)
        found = HANDSHAKES.search(output)
        if not found or int(found[1]) == 0:
            raise load.Broken(f"{server.label}: {errors[-400:]}{output[-400:]}")
        counts.append(int(found[1]))
    time.sleep(0.2)
    return sum(counts) / seconds, (server.cpu_seconds() - before) * 1e6 / sum(counts)


def requests(kind, path):
    def measure(server, seconds):
        run = load.wrk(server, kind, path, 64, seconds)
        return run.rate, run.cpu_us

    return measure


SCENES = {
    "handshakes": handshakes, "GET /healthz": requests("get", "/healthz"), "POST /v3/unify": requests("unify", "/v3/unify"),
}


def measured(options, directory):
    """For each scene the pairs ((rate, cpu) of Holdfast, of nginx), one a round."""
    pairs = {name: [] for name in SCENES}
    certificate = Certificate(directory)
    for _ in range(options.starts):
        with contextlib.ExitStack() as stack:
            servers = [stack.enter_context(OverTLS(certificate)), stack.enter_context(BehindNginx(certificate))]
            for name, measure in SCENES.items():
                for number in range(options.rounds + 1):
                    order = servers if number % 2 else servers[::-1]
                    found = {server: measure(server, 1 if number == 0 else options.seconds) for server in order}
                    if number:
                        pairs[name].append([found[server] for server in servers])
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holdfast", required=True, help="a release build")
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3, help="for each start")
    parser.add_argument("--seconds", type=int, default=3)
    options = parser.parse_args()
    Holdfast.binary = options.holdfast
    # The driver's own calls; wrk and s_time check no certificate either.
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    urllib.request.install_opener(urllib.request.build_opener(urllib.request.HTTPSHandler(context=trust)))
    directory = Path(tempfile.mkdtemp(prefix="tls-"))
    try:
        pairs = measured(options, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print("| scene | Holdfast /s | nginx + Holdfast /s | ratio | Holdfast µs | nginx + Holdfast µs | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, found in pairs.items():
        cells = []
        for index in (0, 1):
            own, other = ([pair[side][index] for pair in found] for side in (0, 1))
            ratio = statistics.median(mine / theirs for mine, theirs in zip(own, other))
            cells += [f"{statistics.median(own):,.{index}f}", f"{statistics.median(other):,.{index}f}", f"{ratio:.2f}"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
