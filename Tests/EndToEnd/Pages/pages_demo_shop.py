"""The shop with a backend of its own, as `make demo` starts it: the web guide's page in a real browser."""
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

from holdfast import REPOSITORY
from ports import free_port

CODE = "1234"
START_SECONDS = 10.0


@contextmanager
def shop(stage):
    """A backend of its own, and its page opened in the browser of a phone."""
    port = free_port()
    backend = subprocess.Popen(
        [sys.executable, str(REPOSITORY / "Clients" / "Demo" / "backend.py")],
        env={**os.environ, "HOLDFAST": stage.base, "PORT": str(port)}, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    origin = f"http://127.0.0.1:{port}"
    stage.browser.origins.add(origin)
    try:
        await_port(port, backend)
        with stage.browser.visit(cookies=["run"]) as visit:
            visit.open(f"{origin}/?flow=mobile")
            yield visit.page
    finally:
        backend.terminate()
        backend.wait(START_SECONDS)


def await_port(port, backend):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and backend.poll() is None:
        with socket.socket() as caller:
            if caller.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.01)
    raise RuntimeError("the backend does not start")


def sign_up(page, code):
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("The code that we sent you").fill(code)
    page.get_by_role("button", name="Confirm").click()


def the_guides_page_signs_up_with_its_backend(world):
    with shop(world) as page:
        sign_up(page, CODE)
        page.get_by_text("Your number is confirmed.").wait_for()
        assert page.get_by_label("First name").input_value() == "Marcia"
        page.get_by_role("button", name="Finish").click()
        page.get_by_text("Thank you, you have signed up.").wait_for()


def the_guides_page_tells_of_a_wrong_code(world):
    with shop(world) as page:
        sign_up(page, "9999")
        page.get_by_text("We could not confirm your number.").wait_for()
        assert page.locator("#person").is_hidden()


def the_guides_page_tells_of_a_wrong_number(world):
    with shop(world) as page:
        # The form starts nothing without a possible number, but the first run of this browser has its cookie.
        sign_up(page, CODE)
        page.get_by_text("Your number is confirmed.").wait_for()
        page.reload()
        page.get_by_label("Mobile number").fill("12")
        page.get_by_role("button", name="Continue").click()
        page.get_by_text("is not a possible phone number").wait_for()
