"""The case files: reading them, and turning a case into the bytes to send. The format is described in README.md."""
import itertools
import json
import os
import re
from dataclasses import dataclass

VALID_REQUEST = (
    "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
    "Content-Type: application/json\r\nContent-Length: {body_len}\r\n\r\n{body}"
)
DEFAULT_BODY = '{"clientRequestId":"{rid}","phoneNumber":"2001004014","possessionType":"mobile"}'
REPEAT = re.compile(r"\{\{rep\|(\d+)\|(.*?)\|\}\}", re.S)
FIELD_LINES = re.compile(r"\{\{hdrs\|(\d+)\}\}")

_request_numbers = itertools.count(int.from_bytes(os.urandom(6), "big"))


class CaseError(Exception):
    """A case file that cannot be read."""


@dataclass(frozen=True)
class Target:
    """Where the cases go, and what stands for the placeholders."""
    host: str
    port: int
    path: str
    token: str
    authority: str
    body: str = DEFAULT_BODY

    def fresh_body(self):
        return self.body.replace("{rid}", f"{next(_request_numbers):016x}")


@dataclass(frozen=True)
class Step:
    data: bytes
    delay: float = 0.0  # seconds before the data is sent
    wait_interim: bool = False
    wait_responses: int = 0


def load(paths):
    cases = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip() or line.startswith("#"):
                    continue
                case = _checked(line, f"{path}:{number}")
                if case["id"] in cases:
                    raise CaseError(f"{path}:{number}: id {case['id']} is there twice")
                cases[case["id"]] = case
    return list(cases.values())


def _checked(line, place):
    try:
        case = json.loads(line)
    except ValueError as error:
        raise CaseError(f"{place}: {error}") from error
    missing = {"id", "group", "description", "expect", "source"} - set(case)
    if missing or "status" not in case["expect"] or not ("raw" in case or "chunks" in case):
        raise CaseError(f"{place}: not a case, it lacks {sorted(missing) or 'raw, chunks or a status'}")
    return case


def filled(text, target):
    """The text with every placeholder replaced, as bytes. Each `{body}` is a request of its own."""
    body = target.fresh_body()
    half = len(body) // 2
    values = {
        "path": target.path, "host": target.authority, "token": target.token,
        "body_len": str(len(body)), "body_hex": f"{len(body):x}", "body_hex16": f"{len(body):016x}",
        "body_len_2_64": str(len(body) + 2**64),
        "body_a": body[:half], "body_b": body[half:], "a_hex": f"{half:x}", "b_hex": f"{len(body) - half:x}",
    }

    def value(match):
        return target.fresh_body() if match[1] == "body" else values.get(match[1], match[0])

    text = re.sub(r"\{([a-z0-9_]+)\}", value, text)
    text = FIELD_LINES.sub(lambda match: "".join(f"X-Fill-{i}: a\r\n" for i in range(int(match[1]))), text)
    return REPEAT.sub(lambda match: match[2] * int(match[1]), text).encode("latin-1")


def steps_of(case, target):
    """What is sent, in order. A case with its own `split` is cut here; `--split` cuts later, when sending."""
    if "chunks" in case:
        # Filled as one text, so that the halves of a body in two steps belong together.
        parts = [_chunk(part) for part in case["chunks"]]
        data = filled("\x00|step|\x00".join(part["data"] for part in parts), target).split(b"\x00|step|\x00")
        return [
            Step(piece, part.get("delay_ms", 0) / 1000, part.get("wait_interim", False), part.get("wait_responses", 0))
            for piece, part in zip(data, parts)
        ]
    data = filled(case["raw"], target)
    if "split" not in case:
        return [Step(data)]
    size, delay = case["split"]["size"], case["split"].get("delay_ms", 0) / 1000
    return [Step(data[at:at + size], delay if at else 0) for at in range(0, len(data), size)]


def _chunk(part):
    return {"data": part[0], "delay_ms": part[1]} if isinstance(part, list) else part


def methods_of(case, steps):
    if "methods" in case:
        return case["methods"]
    start = b"".join(step.data for step in steps).lstrip(b"\r\n")
    return [start.split(b" ", 1)[0].decode("latin-1")]


def is_http10(steps):
    return b" HTTP/1.0" in b"".join(step.data for step in steps).split(b"\n", 1)[0]
