"""How the pages look and read: on small and large screens, in the dark, enlarged, by keyboard, to screen readers."""
from urllib.parse import urlsplit

from exchange import Caller
from pages_browser import DESKTOP, PHONE, SMALL

MIN_TARGET_PIXELS = 44


def every_page(links):
    """Name, address and status of each page that stays on the screen."""
    yield "question", links.new().url, 200
    yield "question-with-code", links.new(code=True).url, 200
    superseded = links.new()
    links.newer(superseded)
    yield "superseded", superseded.url, 410
    yield "unknown", links.unknown(), 404
    for decision in ("approve", "deny"):
        ended = links.new(path=None)
        answer(ended, decision)
        yield decision, ended.url, 200


def answer(link, decision, media_type="application/x-www-form-urlencoded"):
    """Answers without a browser, so that the response itself can be looked at."""
    parts = urlsplit(link.url)
    caller = Caller(f"{parts.scheme}://{parts.netloc}")
    try:
        return caller.call("POST", parts.path, f"decision={decision}".encode(), {"Content-Type": media_type})
    finally:
        caller.close()


def show(visit, link, response):
    """Puts the page of a response before the browser, without following where it leads."""
    headers = {"Content-Type": "text/html; charset=utf-8"}
    headers["Content-Security-Policy"] = response.headers["content-security-policy"]
    visit.page.route(link.url, lambda route: route.fulfill(status=200, headers=headers, body=response.body))
    visit.open(link.url)
    visit.page.unroute(link.url)


def ask_again(visit, link):
    visit.open(link.url)
    visit.code.fill("4")
    visit.press("Approve")


def no_page_has_an_accessibility_finding(world):
    looks = [(PHONE, "light"), (PHONE, "dark"), (SMALL, "light"), (DESKTOP, "dark")]
    count = 0
    for name, url, status in every_page(world.links):
        for size, scheme in looks:
            with world.visit(size, scheme) as visit:
                findings = visit.open(url, status).accessibility_findings()
                visit.picture(f"{name}-{size[0]}-{scheme}")
                assert not findings, (name, size, scheme, findings)
                count += 1
    for size, scheme in looks:
        with world.visit(size, scheme) as visit:
            ask_again(visit, world.links.new(code=True))
            findings = visit.accessibility_findings()
            visit.picture(f"ask-again-{size[0]}-{scheme}")
            assert not findings, (size, scheme, findings)
            count += 1
    return f"{count} pages"


def no_page_scrolls_sideways_even_with_letters_twice_as_large(world):
    for name, url, status in every_page(world.links):
        for scale in (100, 200):
            with world.visit(SMALL) as visit:
                visit.open(url, status)
                visit.page.evaluate(f"document.documentElement.style.fontSize = '{scale}%'")
                visit.picture(f"{name}-letters-{scale}")
                assert visit.overflow() <= 0, (name, scale, visit.overflow())


def everything_that_is_pressed_is_large_enough_for_a_finger(world):
    with world.visit(SMALL) as visit:
        visit.open(world.links.new(code=True).url)
        for item in (visit.code, visit.button("Approve"), visit.button("Deny")):
            box = item.bounding_box()
            assert min(box["width"], box["height"]) >= MIN_TARGET_PIXELS, box


def approve_is_in_sight_on_a_small_phone_in_every_language(world):
    languages = "ar de en es fr hi id it ja ko nl pl pt pt-PT ru sv tr uk vi zh zh-Hant".split()
    hidden = []
    with world.visit(SMALL) as visit:
        for code in (False, True):
            url = world.links.new(code=code).url
            for language in languages:
                visit.page.set_extra_http_headers({"Accept-Language": language})
                visit.open(url)
                assert visit.page.locator("html").get_attribute("lang") == language
                visit.picture(f"small-{language}-{'code' if code else 'plain'}")
                box = visit.page.locator("button.approve").bounding_box()
                if box["y"] + box["height"] > SMALL[1]:
                    hidden.append((language, code, box))
    assert not hidden, hidden


def the_page_can_be_zoomed(world):
    with world.visit() as visit:
        visit.open(world.links.new().url)
        viewport = visit.page.locator("meta[name=viewport]").get_attribute("content")
        assert "user-scalable" not in viewport and "maximum-scale" not in viewport, viewport


def the_keyboard_alone_is_enough(world):
    link = world.links.new(code=True)
    with world.visit() as visit:
        visit.open(link.url)
        reached = []
        for _ in range(3):
            visit.page.keyboard.press("Tab")
            reached.append(visit.focused())
        assert reached == ["matchCode", "approve", "deny"], reached
        visit.code.focus()
        visit.page.keyboard.type(link.code)
        with visit.page.expect_navigation():
            visit.page.keyboard.press("Enter")
        assert "asc=true" in visit.page.url, visit.page.url


def denying_by_keyboard_needs_no_code(world):
    link = world.links.new(code=True)
    with world.visit() as visit:
        visit.open(link.url)
        visit.button("Deny").focus()
        with visit.page.expect_navigation():
            visit.page.keyboard.press("Space")
        assert "asc=false" in visit.page.url, visit.page.url


def the_focus_can_be_seen(world):
    with world.visit() as visit:
        visit.open(world.links.new().url)
        visit.page.keyboard.press("Tab")
        outline = visit.page.evaluate("getComputedStyle(document.activeElement).outline")
        assert "solid 3px" in outline, outline


def a_phone_that_ignores_the_redirect_gets_a_button(world):
    for decision, asc in (("approve", "true"), ("deny", "false")):
        link = world.links.new()
        response = answer(link, decision)
        assert response.status == 303 and f"asc={asc}" in response.headers["location"], response
        with world.visit() as visit:
            show(visit, link, response)
            visit.picture(f"redirect-{decision}")
            findings = visit.accessibility_findings()
            assert not findings, findings
            with visit.page.expect_navigation():
                visit.page.get_by_role("link", name="Continue").click()
            assert visit.page.url == response.headers["location"], visit.page.url


def an_answer_that_is_not_understood_leads_back_to_the_question(world):
    for decision, media_type, status in (
            ("maybe", "application/x-www-form-urlencoded", 400), ("approve", "text/plain", 415)):
        link = world.links.new()
        response = answer(link, decision, media_type)
        assert response.status == status, response
        with world.visit() as visit:
            show(visit, link, response)
            visit.picture(f"error-{status}")
            findings = visit.accessibility_findings()
            assert not findings, findings
            with visit.page.expect_navigation():
                visit.page.get_by_role("link", name="Open the page again").click()
            assert visit.button("Approve").is_visible(), visit.heading
