"""An app's own page on another origin, with the functions of the web guide: how far the browser lets it go."""
import json
from urllib.parse import urlencode

from app_api import COOKIE
from holdfast import Client, Key, expected
from people import MARCIA
from world import RIGHT

COMPLETED = {
    "success": True, "next": {"done": "done"}, "changeDetected": False,
    "evaluation": {"identification": {"result": "pass"}}}


def open_guide(world, visit, origin, **options):
    return visit.open(f"{origin}/guide?" + urlencode({"backend": world.links.origin, **options})).page


def initialize(world, page):
    """The page's own call, then the client beside it proves the number. The auth token."""
    auth_token = page.evaluate(f"initialize('{MARCIA}', '6227', 'mobile')")
    client = Client(world.links.origin, auth_token, device_key=Key())
    expected(client.authenticate(RIGHT), 200, outcome="succeeded")
    client.close()


def fill_in_and_send(page):
    page.evaluate("verify()")
    names = [page.get_by_label(f"{which} name").input_value() for which in ("First", "Last")]
    assert names == ["Marcia", "Longo"], names
    results = page.evaluate("sendInfo(firstNameInput.value, lastNameInput.value)")
    assert json.loads(results) == COMPLETED, results


def sessions(world):
    return len(world.links.site.sandbox.sessions()["sessions"])


def preflights(world, status):
    """How many preflights of /initialize have been answered so."""
    lines = [json.loads(line) for line in world.links.site.server.output().splitlines() if line.startswith("{")]
    return sum(
        line.get("method") == "OPTIONS" and line.get("route") == "/initialize" and line.get("status") == status
        for line in lines)


def a_page_of_the_same_site_is_known_by_its_cookie(world):
    with world.visit(cookies=[COOKIE]) as visit:
        page = open_guide(world, visit, world.target.origin, credentials="include")
        initialize(world, page)
        cookie, = page.context.cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Lax" and not cookie["secure"], cookie
        assert page.evaluate("document.cookie") == "", "a script can read the flow token"
        page.reload()
        fill_in_and_send(page)
        assert page.evaluate("status('/verify')") == 403  # it has ended


def a_page_of_another_port_that_shares_no_cookie_is_known_by_its_origin(world):
    """The guide's functions as they are published, without credentials: sandbox only."""
    with world.visit() as visit:
        page = open_guide(world, visit, world.target.origin)
        initialize(world, page)
        fill_in_and_send(page)
        assert page.evaluate("status('/verify')") == 403  # it has ended


def a_page_of_another_site_is_known_by_its_origin(world):
    with world.visit() as visit:
        page = open_guide(world, visit, world.target.second_origin)
        initialize(world, page)
        fill_in_and_send(page)


def a_page_of_another_site_keeps_the_flow_token_instead(world):
    """Browsers keep no Lax cookie of a call across sites; localhost and 127.0.0.1 are two."""
    with world.visit() as visit:
        page = open_guide(world, visit, world.target.second_origin, keep="token")
        initialize(world, page)
        fill_in_and_send(page)


def a_page_that_is_not_listed_is_refused(world):
    before, refused = sessions(world), preflights(world, 403)
    with world.visit(forgives=True) as visit:
        page = open_guide(world, visit, world.target.strange_origin, credentials="include")
        for call in (f"initialize('{MARCIA}', '6227', 'mobile')", "verify()", "sendInfo('Marcia', 'Longo')"):
            outcome = page.evaluate(f"{call}.then(() => 'answered', error => error.name)")
            assert outcome == "TypeError", f"{call}: {outcome}"
        assert all("CORS policy" in text or "net::ERR_FAILED" in text for text in visit.complaints), visit.complaints
        for path in ("/initialize", "/verify", "/finish"):  # its answer is opaque to the page
            assert page.evaluate(f"callWithoutPreflight('{path}')") == "opaque"
    assert sessions(world) == before, "a run was started"
    assert preflights(world, 403) == refused + 1


def a_form_of_another_site_starts_nothing(world):
    before = sessions(world)
    with world.visit(forgives=True) as visit:
        page = open_guide(world, visit, world.target.strange_origin)
        with page.expect_navigation() as navigation:
            page.evaluate(f"""() => {{
                const form = document.createElement("form");
                form.method = "post"; form.enctype = "text/plain"; form.action = backendUrl + "/initialize";
                form.innerHTML = '<input name={{"flowType":"mobile","x":" value=",phoneNumber":"{MARCIA}"}}>';
                document.body.append(form);
                form.submit();
            }}""")
        assert navigation.value.status in (403, 415), navigation.value.status
    assert sessions(world) == before, "a run was started"
