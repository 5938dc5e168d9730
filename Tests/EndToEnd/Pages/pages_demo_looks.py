"""How the demo looks and reads: on small and large screens, in the dark, enlarged, by keyboard, to screen readers."""
from demo_stage import LANEY
from pages_browser import DESKTOP, PHONE, SMALL

NARROW, TABLET = (375, 812), (800, 1000)
LOOKS = [(DESKTOP, "light"), (DESKTOP, "dark"), (NARROW, "light"), (NARROW, "dark"), (TABLET, "light"), (SMALL, "light")]
MIN_TARGET_PIXELS = 44
MOST_TABS = 60


def every_screen(demo):
    """Plays the page from screen to screen, and stops at each: its name."""
    demo.choose("otp", LANEY).open_settings()
    yield "sign-up"
    demo.create()
    demo.await_screen("Enter the code")
    demo.type_code("1111")
    demo.shop.get_by_text("That code is not right.").wait_for()
    demo.message()
    demo.await_event("otp_mismatch")
    yield "code"
    demo.press("Other number")
    demo.await_screen("Which number is yours?")
    yield "number"
    demo.press("Cancel")
    demo.await_refused()
    yield "refused"
    demo.press("Sign up again")
    demo.choose("link", LANEY).create()
    demo.message()
    demo.await_event("link_sent")
    yield "link"
    demo.tap_link()
    demo.phone.get_by_text("Did not start this?").wait_for()
    yield "question"
    demo.press("Approve", demo.phone)
    demo.await_proven("Laney")
    demo.await_event("link_approved")
    demo.page.locator("#calls summary").nth(1).click()
    yield "proven"


def whole_picture(demo, name):
    folder = demo.visit.screenshots
    if folder:
        demo.page.screenshot(path=str(folder / f"demo-{name}.png"), full_page=True)


def no_screen_has_an_accessibility_finding(world):
    count = 0
    for size, scheme in LOOKS:
        with world.demo(size, scheme) as demo:
            for name in every_screen(demo):
                findings = demo.visit.accessibility_findings()
                whole_picture(demo, f"{name}-{size[0]}-{scheme}")
                assert not findings, (name, size, scheme, findings)
                count += 1
    return f"{count} screens"


def no_screen_scrolls_sideways_even_with_letters_twice_as_large(world):
    for size in (NARROW, SMALL):
        for scale in (100, 200):
            with world.demo(size) as demo:
                demo.page.evaluate(f"document.documentElement.style.fontSize = '{scale}%'")
                for name in every_screen(demo):
                    whole_picture(demo, f"letters-{name}-{size[0]}-{scale}")
                    assert demo.visit.overflow() <= 0, (name, size, scale, demo.visit.overflow())


def everything_that_is_pressed_is_large_enough_for_a_finger(world):
    with world.demo(NARROW) as demo:
        for name in every_screen(demo):
            for part in (demo.shop, demo.phone):
                for item in part.locator("button:not(.link), input").all():
                    box = item.bounding_box()
                    assert min(box["width"], box["height"]) >= MIN_TARGET_PIXELS, (name, item.inner_text(), box)


def tab_to(demo, name):
    """Presses Tab until the control of that name has the focus, whose ring must be seen."""
    for _ in range(MOST_TABS):
        demo.page.keyboard.press("Tab")
        found = demo.page.evaluate("""() => {
            const at = document.activeElement, label = at.labels && at.labels[0];
            const shown = at.type === "radio" ? at.nextElementSibling : at;
            return [(label || at).innerText.trim().split("\\n")[0], getComputedStyle(shown).outlineStyle];
        }""")
        if found[0] == name:
            assert found[1] == "solid", f"no ring is seen around {name}"
            return
    raise AssertionError(f"{name} is not reached by keyboard")


def a_code_is_played_by_keyboard_only(world):
    with world.demo() as demo:
        tab_to(demo, "Create account")
        demo.page.keyboard.press("Enter")
        demo.await_screen("Enter the code")
        code = demo.code()
        assert demo.visit.focused() == "otp", demo.visit.focused()
        demo.page.keyboard.type(code)
        demo.page.keyboard.press("Enter")
        demo.await_proven()
        assert demo.page.evaluate("document.activeElement.innerText") == "Welcome, Lorant"


def a_link_is_played_by_keyboard_only(world):
    with world.demo() as demo:
        tab_to(demo, "Code by SMS")
        demo.page.keyboard.press("ArrowRight")
        tab_to(demo, "Create account")
        demo.page.keyboard.press("Enter")
        link = demo.message().split()[-1]
        tab_to(demo, link)
        demo.page.keyboard.press("Enter")
        demo.phone.get_by_text("Did not start this?").wait_for()
        tab_to(demo, "Approve")
        demo.page.keyboard.press("Enter")
        demo.await_proven()
        # The shop goes on by itself; the focus stays on the phone.
        assert demo.page.evaluate("document.activeElement.innerText") == "Back at the shop"


def languages_are_moved_between_by_arrow_keys(world):
    with world.demo() as demo:
        tab_to(demo, "Web")
        for name, word in (("Swift", "import Holdfast"), ("Java", "ProveAuth.builder()"), ("curl", "unify-status")):
            demo.page.keyboard.press("ArrowRight")
            assert demo.page.get_by_role("tab", name=name).get_attribute("aria-selected") == "true"
            assert word in demo.page.locator("#code").inner_text()


def what_happens_is_told_to_screen_readers(world):
    with world.demo() as demo:
        demo.page.evaluate("""() => {
            window.told = [];
            new MutationObserver(() => told.push(document.getElementById("announcer").textContent))
                .observe(document.getElementById("announcer"), {childList: true, characterData: true, subtree: true});
        }""")
        demo.choose("link").create()
        demo.tap_link()
        demo.press("Approve", demo.phone)
        demo.await_proven()
        told = demo.page.evaluate("told")
        assert any(text.startswith("A message on the phone: ") for text in told), told
        assert "The shop’s page: Welcome, Lorant" in told, told


def the_page_is_in_landmarks_under_one_heading(world):
    with world.demo(PHONE) as demo:
        assert demo.page.get_by_role("main").count() == 1
        assert demo.page.get_by_role("heading", level=1).count() == 1
        names = [demo.page.locator(f"#{label}").inner_text() for label in demo.page.locator(
            "main section[aria-labelledby]").evaluate_all("all => all.map(part => part.getAttribute('aria-labelledby'))")]
        assert names == ["Choose", "The shop’s page", "The phone", "Steps", "Timeline of the session", "Calls", "Code"], names


def the_policy_lets_the_page_do_nothing_else(world):
    with world.browser.visit() as visit:
        policy = visit.page.goto(f"{world.base}/demo").headers["content-security-policy"]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";") if rule.strip())
        assert rules["default-src"] == "'none'" and rules["frame-ancestors"] == "'none'", policy
        assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'", policy
        assert "unsafe" not in policy, policy
