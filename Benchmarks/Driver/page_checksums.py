"""Opens a database of the server for writing: through the VFS of Sources/CPages, so that its pages keep their checksums.

A program without it may read. What it writes, a start takes for damage.
"""
import ctypes
import functools
import sqlite3
import subprocess
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Sources" / "CPages"
VFS = "holdfast-pages"


@functools.cache
def _registered():
    # Python's module and this library load the same SQLite.
    with tempfile.TemporaryDirectory(prefix="holdfast-pages-") as directory:
        path = Path(directory) / "pages.so"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O2", "-I", SOURCES / "include", "-o", path, *sorted(SOURCES.glob("*.c")), "-lsqlite3"],
            check=True)
        library = ctypes.CDLL(str(path))
    code = library.cpages_register(VFS.encode(), None)
    assert code == 0, code
    return library


def connect(path, **options):
    _registered()
    return sqlite3.connect(f"file:{path}?vfs={VFS}", uri=True, **options)
