"""The bill of materials, CycloneDX 1.5: Swift packages, the Swift runtime, and the shared libraries with their Debian packages."""
import datetime
import json
import pathlib
import re
import uuid
from urllib.parse import quote

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
VENDORED = [("md4c", "mity/md4c", "Sources/CMarkdown/NOTICE.md"), ("lunr", "olivernn/lunr.js", "Sources/CBuiltInFiles/site/NOTICE.md")]


def document(version, said, time, libraries, resolved):
    """Shape: a CycloneDX JSON document.

    `said` is the answer of `holdfast --version`; `resolved` the path of Package.resolved.
    """
    components = [*packages(json.loads(resolved.read_text())), runtime(said), plan(said), *vendored(), *debian(libraries)]
    body = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(time, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application", "bom-ref": "holdfast", "name": "holdfast", "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": components,
        "dependencies": [{"ref": "holdfast", "dependsOn": [component["bom-ref"] for component in components]}],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
    return json.dumps({"$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "serialNumber": f"urn:uuid:{serial}", **body}, indent=1) + "\n"


def component(kind, name, version, purl, licence=None):
    found = {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl}
    return found | ({"licenses": [{"license": {"id": licence}}]} if licence else {})


def packages(resolved):
    for pin in sorted(resolved["pins"], key=lambda pin: pin["identity"]):
        place = pin["location"].removeprefix("https://").removesuffix(".git")
        version = pin["state"]["version"]
        found = component("library", pin["identity"], version, f"pkg:swift/{place}@{version}", "Apache-2.0")
        yield found | {"hashes": [{"alg": "SHA-1", "content": pin["state"]["revision"]}]}


def runtime(said):
    version = re.search(r"Swift ([\d.]+)", said)[1]
    return component("framework", "swift", version, f"pkg:github/swiftlang/swift@{version}", "Apache-2.0")


def plan(said):
    version = re.search(r"numbering plan ([\d.]+)", said)[1]
    return component("data", "libphonenumber-metadata", version, f"pkg:github/google/libphonenumber@v{version}", "Apache-2.0")


def vendored():
    """Sources of others that the repository has; the notice beside them names the version."""
    for name, place, notice in VENDORED:
        version = re.search(rf"\b{name} (\d\S*)", (REPOSITORY / notice).read_text())[1]
        yield component("library", name, version, f"pkg:github/{place}@{version}", "MIT")


def debian(libraries):
    """One entry for each Debian package."""
    files = {}
    for library in libraries:
        files.setdefault((library.package, library.version), []).append(library.name)
    for (package, version), names in sorted(files.items()):
        name, _, machine = package.partition(":")
        purl = f"pkg:deb/debian/{name}@{quote(version, safe='')}?arch={machine}&distro=bookworm"
        found = component("library", name, version, purl)
        yield found | {"properties": [{"name": "holdfast:file", "value": file} for file in names]}
