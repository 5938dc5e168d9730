"""The man page, from what the program says of its commands (`--experimental-dump-help`)."""
import datetime
import re


def page(described, version, time):
    """Shape: troff source of holdfast(1)."""
    command = described["command"]
    day = datetime.datetime.fromtimestamp(time, datetime.UTC).strftime("%Y-%m-%d")
    lines = [f'.TH HOLDFAST 1 "{day}" "Holdfast {version}"', ".SH NAME", f"holdfast \\- {plain(command['abstract']).rstrip('.')}"]
    lines += [".SH SYNOPSIS", ".B holdfast", ".I subcommand", "[options]"]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    lines.append(".SH COMMANDS")
    for one in command.get("subcommands", []):
        lines += described_command(one, ["holdfast"])
    lines += [
        ".SH FILES", ".TP", ".I /etc/holdfast/holdfast.json", "The configuration of the service.",
        ".TP", ".I /var/lib/holdfast", "Database, lock, control socket and master key.",
        ".SH ENVIRONMENT", ".TP", ".B HOLDFAST_CONFIG", "Names the configuration file where --config does not.",
        ".TP", ".B HOLDFAST_*", "Each setting, by its path in capitals: HOLDFAST_SERVER_PORT is server.port."]
    return "\n".join(lines) + "\n"


def described_command(command, before):
    if command["commandName"] == "help":
        return
    words = [*before, command["commandName"]]
    below = [one for one in command.get("subcommands", []) if one["commandName"] != "help"]
    if not below:
        yield from (".SS " + plain(" ".join(words)), *paragraphs(command.get("abstract", "")))
        yield from paragraphs(command.get("discussion", ""))
        for argument in command.get("arguments", []):
            if argument.get("shouldDisplay", True) and names(argument) not in ("\\-\\-help", "\\-h, \\-\\-help", "\\-\\-version"):
                yield from (".TP", ".B " + names(argument), plain(argument.get("abstract", "")) or "\\&")
    for one in below:
        yield from described_command(one, words)


def names(argument):
    value = f" <{argument['valueName']}>" if argument["kind"] != "flag" else ""
    if argument["kind"] == "positional":
        return plain(value.strip())
    return plain(", ".join(("-" if name["kind"] == "short" else "--") + name["name"] for name in argument["names"]) + value)


def paragraphs(text):
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph:
            yield from (".PP", plain(" ".join(paragraph.split())))


def plain(text):
    """Text that troff takes as it stands."""
    text = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text
