"""A phone's browser: Debian's Chromium, driven by Playwright, with everything noted that a page must not do."""
import re
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import axe_playwright_python
from playwright.sync_api import sync_playwright

CHROMIUM = "/usr/bin/chromium"
PHONE, SMALL, DESKTOP = (390, 844), (320, 568), (1280, 800)
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# All rules for WCAG 2.2 AA and below, and axe's best practices.
AXE_RUN = """async () => (await axe.run(document, {resultTypes: ["violations", "incomplete"]}))"""
# Chromium reports the status of every page of 400 and more in this way; it is what the page is meant to have.
STATUS_NOTE = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
TIMEOUT_MILLISECONDS = 10_000
# A name of this machine that is not loopback by name: a page of a site that nobody has listed.
STRANGE_HOST = "shop.test"


class Visit:
    """One page in a context of its own."""

    def __init__(self, page, origins, screenshots):
        self.page, self.origins, self.screenshots = page, origins, screenshots
        self.complaints = []
        page.set_default_timeout(TIMEOUT_MILLISECONDS)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(f"script error: {error}"))
        page.on("request", self._asked)

    def _heard(self, message):
        if message.type in ("error", "warning") and not STATUS_NOTE.match(message.text):
            self.complaints.append(f"console: {message.text}")

    def _asked(self, request):
        parts = urlsplit(request.url)
        if f"{parts.scheme}://{parts.netloc}" not in self.origins and parts.scheme != "data":
            self.complaints.append(f"request to {request.url}")

    def open(self, url, status=200):
        answer = self.page.goto(url)
        assert answer.status == status, f"expected {status}, got {answer.status} of {url}"
        return self

    @property
    def heading(self):
        return self.page.locator("h1").inner_text()

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def code(self):
        return self.page.get_by_label("Number on the other screen")

    def press(self, name, waits_for="load"):
        with self.page.expect_navigation(wait_until=waits_for):
            self.button(name).click()

    def focused(self):
        """What has the keyboard: the value of a button, else the id."""
        return self.page.evaluate("document.activeElement.value || document.activeElement.id")

    def accessibility_findings(self):
        self.page.evaluate(AXE)
        result = self.page.evaluate(AXE_RUN)
        return [
            f"{rule['id']}: {node['html'][:120]}"
            for rule in result["violations"] + result["incomplete"] for node in rule["nodes"]]

    def overflow(self):
        """Pixels by which the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def picture(self, name):
        if self.screenshots:
            self.page.screenshot(path=str(self.screenshots / f"{name}.png"))


class Browser:
    def __init__(self, origins, screenshots=None):
        self.origins = set(origins)
        self.screenshots = Path(screenshots) if screenshots else None
        if self.screenshots:
            self.screenshots.mkdir(parents=True, exist_ok=True)
        self.playwright = sync_playwright().start()
        # Containers give Chromium no user namespace for its sandbox; it sees pages of this machine only.
        self.chromium = self.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", f"--host-resolver-rules=MAP {STRANGE_HOST} 127.0.0.1"])

    @contextmanager
    def visit(self, size=PHONE, scheme="light", scripts=True, forgives=False, cookies=()):
        """A fresh browser. In the end it has these cookies, and nothing has gone wrong in it, unless it `forgives`."""
        width, height = size
        context = self.chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=scripts)
        visit = Visit(context.new_page(), self.origins, self.screenshots)
        try:
            yield visit
            assert forgives or not visit.complaints, visit.complaints
            names = [cookie["name"] for cookie in context.cookies()]
            assert names == list(cookies), f"the cookies are {names}"
        finally:
            context.close()

    def close(self):
        self.chromium.close()
        self.playwright.stop()
