"""Running scenes one after the other: each is a function whose name is a sentence."""
import functools
import inspect
import subprocess
import sys
import time
import traceback

from exchange import Lost

FAULTS = (
    AssertionError, Lost, RuntimeError, OSError, LookupError, TypeError, ValueError, subprocess.SubprocessError)


def of(module):
    """The scenes of a module, in its order: its own functions that take the world."""
    functions = [value for value in vars(module).values() if inspect.isfunction(value)]
    return [
        function for function in functions
        if function.__module__ == module.__name__ and list(inspect.signature(function).parameters) == ["world"]]


def sentence(scene):
    return scene.__name__.replace("_", " ")


def run(scenes, world, only="", seconds=300.0):
    """Runs the scenes with the world they share, prints a line each and the count, and ends with their status."""
    chosen = [scene for scene in scenes if only.lower() in sentence(scene).lower()]
    deadline = time.monotonic() + seconds
    passed = failed = 0
    for scene in chosen:
        if time.monotonic() > deadline:
            print(f"FAIL {sentence(scene)}\n     the time limit of {seconds:g} s has passed")
            failed += 1
            continue
        if play(sentence(scene), functools.partial(scene, world)):
            passed += 1
            continue
        failed += 1
        fall = world.fall()
        if fall:
            print(f"{fall}\nthe scenes after this one were not played")
            break
    return finish(passed, failed)


def play(name, scene):
    """Plays one scene and prints its line; whether it passed."""
    try:
        note = scene()
    except FAULTS as error:
        place = traceback.extract_tb(error.__traceback__)
        lines = " <- ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(place[1:]))
        print(f"FAIL {name}\n     {type(error).__name__}: {error}\n     {lines}", flush=True)
        return False
    print(f"ok   {name}" + (f": {note}" if note else ""), flush=True)
    return True


def finish(passed, failed):
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed or not passed else 0)
