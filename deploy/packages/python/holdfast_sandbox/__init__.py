"""The program `holdfast` as a package: `holdfast serve` runs the sandbox."""
import os
import pathlib
import sys

PROGRAM = pathlib.Path(__file__).parent / "holdfast" / "bin" / "holdfast"


def main():
    """Becomes the program: signals and the exit status are its own."""
    os.execv(PROGRAM, ["holdfast", *sys.argv[1:]])
