"""The demo page and what is around it: a server, the page's parts by their names, the browser."""
from contextlib import contextmanager

from holdfast import Sandbox, Server
from pages_browser import DESKTOP, Browser

LORANT, LANEY, INGE, JESSE, PENNY = "2001004014", "2001004015", "2001004016", "2001004017", "2001004041"
BARBARAANNE = "2001004018"
CHECKS = {"otp": "Code by SMS", "link": "Instant link", "mobile": "Mobile Auth", "device": "Device key"}


class Demo:
    """The page, opened. Names are those a person sees or hears."""

    def __init__(self, visit):
        self.visit, self.page = visit, visit.page
        self.shop = self.page.get_by_role("region", name="The shop’s page", exact=True)
        self.phone = self.page.get_by_role("region", name="The phone", exact=True)

    def choose(self, check, user=LORANT, **settings):
        self.page.get_by_label("Test user").select_option(user)
        self.page.get_by_role("radio", name=CHECKS[check]).check()
        for name, is_set in settings.items():
            self.open_settings()
            self.page.locator(f"input[name={name}]").set_checked(is_set)
        return self

    def open_settings(self):
        self.page.locator("#choice details").evaluate("details => details.open = true")

    def press(self, name, where=None):
        (where or self.shop).get_by_role("button", name=name, exact=True).click()

    def create(self):
        self.press("Create account")

    def await_screen(self, title, where=None):
        (where or self.shop).get_by_role("heading", name=title, exact=True).wait_for()

    def message(self, number=1):
        """The text of the phone's nth message, once it is there."""
        bubble = self.phone.locator(".bubble").nth(number - 1)
        bubble.wait_for()
        return bubble.inner_text()

    def code(self, number=1):
        return next(word.strip(".") for word in self.message(number).split() if word.strip(".").isdigit())

    def type_code(self, code):
        self.shop.get_by_label("Code").fill(code)
        self.press("Confirm")

    def tap_link(self, number=1):
        self.message(number)
        self.phone.locator(".bubble button").nth(number - 1).click()

    def await_proven(self, name="Lorant"):
        self.await_screen(f"Welcome, {name}")
        assert self.fact("success") == "true"

    def await_refused(self):
        self.await_screen("We could not confirm your number")

    def fact(self, name):
        """A member of what the backend read."""
        return self.shop.locator(f"dt:text-is('{name}') + dd").inner_text()

    def steps(self):
        return self.page.locator("#steps code").all_inner_texts()

    def outcomes(self):
        return self.page.locator("#steps .outcome").all_inner_texts()

    def timeline(self):
        return self.page.locator("#timeline code").all_inner_texts()

    def await_event(self, event):
        self.page.locator("#timeline code", has_text=event).first.wait_for()

    def calls(self):
        """Who called what, with which answer."""
        return [tuple(row.locator(kind).inner_text() for kind in (".maker", ".path", ".status"))
                for row in self.page.locator("#calls summary").all()]


class DemoStage:
    """What the scenes share. `base` is the address of the server that has the page."""

    def __init__(self, options):
        self.server = None
        self.base = options.url
        if not self.base:
            self.server = Server(options.binary, options.config)
            self.server.start()
            self.base = f"http://127.0.0.1:{self.server.port}"
        self.sandbox = Sandbox(self.base)
        self.browser = Browser([self.base], options.screenshots)

    @contextmanager
    def demo(self, size=DESKTOP, scheme="light"):
        with self.browser.visit(size, scheme) as visit:
            yield self.opened(visit)

    def opened(self, visit):
        visit.open(f"{self.base}/demo")
        demo = Demo(visit)
        demo.await_screen("Create your account")
        return demo

    def fall(self):
        if self.server is None or self.server.is_running():
            return None
        return f"the server has ended:\n{self.server.output()[-2000:]}"

    def close(self):
        self.browser.close()
        self.sandbox.close()
        if self.server:
            self.server.close()
