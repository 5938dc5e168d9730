#!/usr/bin/env python3
"""The code of the published guides: taken out of them, filled in, and what became of it.

    snippets.py extract GUIDES           writes guide/ from the guides' pages in the folder GUIDES
    snippets.py check GUIDES             says whether guide/ is still what the guides have, and whether they have more code
    snippets.py fill PLATFORM TO         writes the platform's files to TO, with the guides' code in its places
    snippets.py table RESULTS            compares the runs' lines in the file RESULTS with the table of Clients/README.md
    snippets.py table RESULTS --write    writes the table

index.json says where the guides' code stands, and what was changed in it: the import line, parts that the guide leaves
out, and slips of the guide that no compiler takes. GUIDE NAME in a file of java/, swift/ or web/ stands for a snippet.
"""
import difflib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
README = HERE.parent / "README.md"
ENDINGS = {"java": "java", "swift": "swift", "web": "js"}
IMPORTED = ("com.prove.sdk.proveauth", "dev.holdfast.proveauth")
PLATFORMS = {"java": ["JVM"], "swift": ["Linux"], "web": ["Chromium", "WebKit"]}
# How a line of code ends or begins in the guides' pages, which are prose otherwise.
CODE = re.compile(r"[{};]$|^\)?\}|^(import|func|class|let|var|const|//|public|private|return) ")
BEGIN, END = "<!-- snippets -->\n", "<!-- /snippets -->"


def complain(*lines):
    for line in lines:
        print(f"client-snippets: {line}", file=sys.stderr)
    sys.exit(1)


def index():
    return json.loads((HERE / "index.json").read_text())


def file_of(name):
    return HERE / "guide" / f"{name}.{ENDINGS[name.partition('/')[0]]}"


def taken(pages, entry, place):
    """What stands in a guide at a place, or None: a first line that may begin within the page's line, and the next ones."""
    guide, _, number = place.partition(":")
    lines = pages[guide][int(number) - 1:][:entry["lines"]]
    at = lines[0].find(entry["begins"]) if lines else -1
    return None if at < 0 else "\n".join([lines[0][at:], *lines[1:]]) + "\n"


def pages_of(folder):
    names = {place.partition(":")[0] for entry in entries() for place in entry["places"]}
    missing = [name for name in sorted(names) if not (Path(folder) / f"{name}.txt").is_file()]
    if missing:
        complain(*(f"there is no {name}.txt in {folder}" for name in missing))
    return {name: (Path(folder) / f"{name}.txt").read_text().split("\n") for name in names}


def entries():
    return index()["snippets"] + index()["notRun"]


def extract(folder):
    pages = pages_of(folder)
    for entry in index()["snippets"]:
        text = taken(pages, entry, entry["places"][0])
        if text is None:
            complain(f"{entry['name']}: {entry['places'][0]} does not have {entry['begins']!r}")
        file_of(entry["name"]).parent.mkdir(parents=True, exist_ok=True)
        file_of(entry["name"]).write_text(text)
    check(folder)


def check(folder):
    pages, wrong, known = pages_of(folder), [], set()
    for entry in entries():
        for place in entry["places"]:
            guide, _, number = place.partition(":")
            known |= {(guide, int(number) + line) for line in range(entry["lines"])}
            text = taken(pages, entry, place)
            what = entry.get("name") or entry["what"]
            if text is None:
                found = [line for line, one in enumerate(pages[guide], 1) if entry["begins"] in one]
                wrong.append(f"{what}: {place} does not have {entry['begins']!r}; it is at {found or 'no line'}")
            elif "name" in entry and text != (ours := file_of(entry["name"]).read_text()):
                wrong += [f"{what}: {place} has other code", *list(difflib.unified_diff(
                    ours.splitlines(), text.splitlines(), "here", place, lineterm="", n=1))[2:]]
    for guide, lines in pages.items():
        wrong += [f"{guide}:{number} looks like code, and is in no snippet: {line[:80]}"
                  for number, line in enumerate(lines, 1) if CODE.search(line) and (guide, number) not in known]
    if wrong:
        complain(*wrong)
    count = sum(len(entry["places"]) for entry in entries())
    print(f"{len(index()['snippets'])} snippets as in the guides, at {count} places with those that are not run")


def changed(entry):
    """A snippet, filled in. Each change must have its place exactly once."""
    text = file_of(entry["name"]).read_text().replace(*IMPORTED)
    for change in entry.get("changes", []):
        if text.count(change["from"]) != 1:
            complain(f"{entry['name']}: {change['from']!r} stands there {text.count(change['from'])} times, not once")
        text = text.replace(change["from"], change["to"])
    return text


def fill(platform, folder):
    own = {entry["name"]: changed(entry) for entry in index()["snippets"] if entry["name"].startswith(f"{platform}/")}
    missing = set(own)
    for file in sorted(path for path in (HERE / platform).rglob("*") if path.is_file()):
        text = file.read_text()
        for name in re.findall(r"^ *// GUIDE (\S+)$", text, re.M):
            missing.discard(name)
            text = re.sub(rf"^ *// GUIDE {name}\n", lambda _, name=name: own[name], text, flags=re.M)
        target = Path(folder) / file.relative_to(HERE / platform)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    if missing:
        complain(*(f"{name} has no place in {platform}/" for name in sorted(missing)))


def outcomes(results):
    """For each snippet and platform: the scenes that passed, or None if one has failed. A line: ok|FAILED PLATFORM | SCENE | NAMES."""
    scenes = {}
    for line in Path(results).read_text().splitlines():
        found = re.fullmatch(r"(ok|FAILED) (\w+) \| (.*) \| (.*)", line)
        if not found:
            continue
        for name in found[4].split():
            count = scenes.get((name, found[2]), 0)
            scenes[name, found[2]] = None if found[1] == "FAILED" or count is None else count + 1
    return scenes


def manifest_agrees(entry):
    """The permissions that the guide names are those of the library's manifest."""
    manifest = (HERE.parent / "Android/android/src/main/AndroidManifest.xml").read_text()
    return sorted(re.findall(r'android\.permission\.(\w+)', manifest)) == sorted(entry["permissions"])


def rows(results):
    scenes, wrong = outcomes(results), []
    for entry in index()["snippets"]:
        parts = []
        for platform in PLATFORMS[entry["name"].partition("/")[0]]:
            count = scenes.pop((entry["name"], platform), 0)
            if not count:
                wrong.append(f"{entry['name']}: {platform}: " + ("a scene failed" if count is None else "no scene ran it"))
            parts.append(f"{platform}: {count} {'scene' if count == 1 else 'scenes'}")
        changes = "; ".join(dict.fromkeys(change["why"] for change in entry.get("changes", []))) or "nothing"
        yield f"| `{entry['name']}` | {places(entry)} | {changes} | {', '.join(parts)} |"
    wrong += [f"{name} is no snippet of {platform}" for name, platform in scenes]
    for entry in index()["notRun"]:
        if "permissions" in entry and not manifest_agrees(entry):
            wrong.append(f"{entry['what']}: the library's manifest has other permissions")
        yield f"| {entry['what']} | {places(entry)} | - | {'' if 'permissions' in entry else 'not run: '}{entry['why']} |"
    if wrong:
        complain(*wrong)


def places(entry):
    short = {"prove-client-sdks": "sdks", "prove-unify-ios": "unify"}
    guides = {}
    for place in entry["places"]:
        guide, _, number = place.partition(":")
        guides.setdefault(short[guide], []).append(number)
    return "; ".join(f"{guide} {', '.join(numbers)}" for guide, numbers in guides.items())


def table(results, write=False):
    text = README.read_text()
    before, _, rest = text.partition(BEGIN)
    there, _, after = rest.partition(END)
    made = "\n".join(["| snippet | guide, line | changed in it | result |", "| --- | --- | --- | --- |", *rows(results)]) + "\n"
    if write:
        README.write_text(before + BEGIN + made + END + after)
    elif there != made:
        complain("the table of Clients/README.md is not what ran (client-snippets --write-table writes it):", *difflib.unified_diff(
            there.splitlines(), made.splitlines(), "README.md", "ran", lineterm="", n=0))
    print(f"{len(index()['snippets'])} snippets have run, and the table says so")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["extract", folder]:
            extract(folder)
        case ["check", folder]:
            check(folder)
        case ["fill", platform, folder] if platform in ENDINGS:
            fill(platform, folder)
        case ["table", results]:
            table(results)
        case ["table", results, "--write"]:
            table(results, write=True)
        case _:
            print(__doc__, file=sys.stderr)
            sys.exit(2)
