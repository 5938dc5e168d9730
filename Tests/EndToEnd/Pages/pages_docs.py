"""The documentation in a browser: looks, accessibility, search, forms, keyboard; and its samples, run."""
import io
import json
import os
import re
import subprocess
from contextlib import redirect_stdout
from html import unescape
from urllib.request import urlopen


from pages_browser import DESKTOP, PHONE

TABLET = (820, 1180)
CALL = "/docs/reference/holdfast/startUnify"
# Long and short guides, tables, code, each kind of page of the reference.
PAGES = [
    "/docs", "/docs/concepts", "/docs/testing", "/docs/vendors", "/docs/limits", "/docs/operate", "/docs/operate/commands",
    "/docs/configuration/server", "/docs/security/requirements", "/docs/errors", "/docs/errors/prelude", "/docs/webhooks/events",
    "/docs/sandbox/users", "/docs/gateways/providers", "/docs/reference/holdfast", "/docs/reference/camara", CALL,
    "/docs/reference/prelude/preludeCreateVerification", "/docs/reference/holdfast/issueToken",
    "/docs/reference/sms-hooks/SendForKratos", "/docs/reference/onboarding/StartOnboarding",
]
LOOKS = [(DESKTOP, "light"), (DESKTOP, "dark"), (TABLET, "light"), (PHONE, "dark")]
MOST_SCREENS = 3.0
MOST_LOOKED_AT = 40
# Questions of newcomers, each with the pages that answer it. Some have wrong letters, some only the beginning of a word.
QUESTIONS = [
    ("backup", "/docs/operate/backup"), ("restore", "/docs/operate/backup"), ("key rotation", "/docs/operate/keys"),
    ("docker", "/docs/deploy"), ("promethius", "/docs/operate/monitoring"), ("test users", "/docs/sandbox"),
    ("8004", "/docs/errors/prove"), ("signature webhook", "webhook"), ("upgrade", "/docs/operate/upgrade"),
    ("rate limits", "limit"), ("environment variable", "/docs/configuration"),
    ("access token", "/docs/reference/holdfast/"), ("verification check", "/docs/reference/"), ("sim swap", "camara"),
    ("revoke device", "/docs/reference/holdfast/"), ("magic link", "otpless"), ("VerificationCheck", "twilio-verify"),
    ("activaton status", "onboarding"), ("kratos", "sms-hooks"), ("readUnifyStatus", "/docs/reference/holdfast/readUnifyStatus"),
    ("60202", "twilio-verify"),
]
TRIES = 5  # lines of the list that a reader looks at


def no_page_has_an_accessibility_finding(world):
    count = 0
    for size, scheme in LOOKS:
        # Each page once, a third of them in every other look.
        pages = PAGES[::3] if count else PAGES
        count += len(pages)
        with world.browser.visit(size, scheme) as visit:
            for path in pages:
                visit.open(world.base + path)
                # Lines that are scrolled out of the navigation lie below the header, and axe cannot tell their contrast.
                visit.page.evaluate("document.querySelector('body > nav').scrollTop = 0")
                findings = visit.accessibility_findings()
                visit.picture(f"docs{path.replace('/', '-')}-{size[0]}-{scheme}")
                assert not findings, (path, size, scheme, findings[:5])
    return f"{len(PAGES)} pages, {count} pictures in {len(LOOKS)} looks"


def no_page_scrolls_sideways(world):
    for size in (PHONE, TABLET, DESKTOP):
        with world.browser.visit(size) as visit:
            for path in PAGES:
                visit.open(world.base + path)
                assert visit.overflow() <= 0, (path, size, visit.overflow())


def a_call_has_at_most_three_screens(world):
    """The pages with the most bytes are looked at: the longest are among them."""
    longest, sizes = 0, {}
    for _, page in world.calls():
        with urlopen(world.base + page) as answer:
            sizes[page] = len(answer.read())
    with world.browser.visit((1280, 1000)) as visit:
        for page in sorted(sizes, key=sizes.get)[-MOST_LOOKED_AT:]:
            visit.open(world.base + page)
            screens = visit.page.evaluate("document.querySelector('main').scrollHeight / innerHeight")
            longest = max(longest, screens)
            assert screens <= MOST_SCREENS, f"{page} has {screens:.1f} screens"
    return f"the longest has {longest:.1f}"


def pages_are_whole_without_scripts(world):
    with world.browser.visit(scripts=False) as visit:
        visit.open(world.base + CALL)
        assert visit.heading == "Start a session"
        assert visit.page.locator("body > nav a").count() > 40
        assert visit.page.locator("search, details.try").first.is_hidden()


def asked(visit, text):
    visit.page.locator("#query").fill("")
    visit.page.locator("#query").fill(text)
    visit.page.locator("#found li").first.wait_for()
    visit.page.wait_for_timeout(150)
    return [link.get_attribute("href") for link in visit.page.locator("#found a").all()]


def questions_of_newcomers_are_answered_by_the_search(world):
    with world.browser.visit(DESKTOP) as visit:
        visit.open(world.base + "/docs")
        missed = [(text, asked(visit, text)[:TRIES]) for text, page in QUESTIONS
                  if not any(page in link for link in asked(visit, text)[:TRIES])]
        assert not missed, missed
    return f"{len(QUESTIONS)} questions"


def the_search_is_used_by_keyboard(world):
    with world.browser.visit(DESKTOP) as visit:
        visit.open(world.base + "/docs")
        visit.page.keyboard.press("/")
        assert visit.focused() == "query", visit.focused()
        visit.page.keyboard.type("the drill")
        visit.page.locator("#found a").first.wait_for()
        visit.page.keyboard.press("ArrowDown")
        assert visit.page.locator("#found [aria-selected=true]").count() == 1
        with visit.page.expect_navigation():
            visit.page.keyboard.press("Enter")
        assert "drill" in visit.page.url, visit.page.url
        visit.page.locator("#query").fill("qqqqqqqq")
        visit.page.get_by_text("Nothing was found.").wait_for()
        visit.page.keyboard.press("Escape")
        assert visit.page.locator("#found").is_hidden()


def the_first_tab_leads_to_the_content(world):
    with world.browser.visit(DESKTOP) as visit:
        visit.open(world.base + CALL)
        visit.page.keyboard.press("Tab")
        assert visit.page.evaluate("document.activeElement.className") == "skip"
        visit.page.keyboard.press("Enter")
        assert visit.focused() == "main", visit.focused()


def a_call_is_tried_on_the_page(world):
    with world.browser.visit(DESKTOP) as visit:
        visit.open(world.base + CALL)
        visit.page.get_by_text("Try it on this server").click()
        form = visit.page.locator("details.try form")
        form.get_by_role("button", name="Send").click()
        form.get_by_text("/v3/unify: 401").wait_for()
        form.get_by_label("Authorization").fill(world.token())
        form.get_by_role("button", name="Send").click()
        form.get_by_text("/v3/unify: 200").wait_for()
        answer = json.loads(form.locator("output code").inner_text())
        assert answer["success"] == "pending" and answer["authToken"], answer


def a_sample_is_copied(world):
    with world.browser.visit(DESKTOP) as visit:
        visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit.open(world.base + CALL)
        visit.page.locator("pre button").first.click()
        visit.page.get_by_text("Copied").wait_for()
        assert visit.page.evaluate("navigator.clipboard.readText()").startswith("curl -sS -X POST")


def a_link_to_a_closed_part_opens_it(world):
    with world.browser.visit(DESKTOP) as visit:
        visit.open(world.base + "/docs/reference/holdfast#webhook-session.succeeded")
        assert visit.page.locator("[id='webhook-session.succeeded']").evaluate("part => part.open")


# Samples

CREDENTIALS = {"CLIENT_ID": "sandbox", "CLIENT_SECRET": "sandbox-secret"}
KEYS = {"preludeKey": "hf_test_sandbox", "preludeSDKKey": "sdk_sandbox", "clientSecret": "sandbox-secret"}


def samples_of(world, page):
    """The samples of a call's page by language, as a reader copies them."""
    with urlopen(world.base + page) as answer:
        html = answer.read().decode()
    blocks = re.findall(r'<pre data-language="(\w+)"><code>(.*?)</code>', html, re.S)
    return {language: unescape(code) for language, code in blocks}


def status_of_curl(code, environment):
    """The status that the sample's call is answered with. The sample itself prints the body only."""
    command = code.replace("curl -sS", "curl -sS -m 10 -o /dev/null -w '%{http_code}'", 1)
    return subprocess.run(["bash", "-c", command], env={**os.environ, **environment}, capture_output=True, text=True,
                          timeout=20, check=True).stdout


def status_of_python(code, environment):
    printed = io.StringIO()
    os.environ.update(environment)
    with redirect_stdout(printed):
        exec(compile(code.replace("timeout=10", "timeout=10, allow_redirects=False"), "sample", "exec"), {})  # noqa: S102
    return printed.getvalue().split()[0]


def the_samples_of_every_call_run(world):
    """Each is answered with a status that the call's description has, and curl and Python get the same one where a call
    may be repeated."""
    counts, faults = {}, []
    for (document, operation), page in world.calls():
        if "text/event-stream" in json.dumps(operation.get("responses", {})):
            continue
        scheme = next((name for choice in operation.get("security", []) for name in choice), "")
        key = KEYS.get(scheme, world.token())
        environment = {**CREDENTIALS, "TOKEN": key, "KEY": key}
        samples = samples_of(world, page)
        found = [status_of_curl(samples["curl"], environment), status_of_python(samples["Python"], environment)]
        allowed = set(operation["responses"]) | {"400", "404", "429"}
        counts[found[0][0] + "xx"] = counts.get(found[0][0] + "xx", 0) + 1
        if not set(found) <= allowed or any(status[0] == "5" and status not in operation["responses"] for status in found):
            faults.append((page, found, sorted(operation["responses"])))
    assert not faults, faults
    assert counts.get("2xx", 0) > 60, counts
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
