"""What a person does with a link: looks, approves, denies, types the number of the other screen, comes back."""
from urllib.parse import parse_qs, urlsplit


def landed(world, visit, link, asc, host=None, path="/done"):
    """The browser is at the final target, and was told how it ended."""
    parts = urlsplit(visit.page.url)
    assert f"{parts.scheme}://{parts.netloc}" == (host or world.target.origin), visit.page.url
    query = parse_qs(parts.query)
    assert parts.path == path and query["asc"] == [asc] and query["authId"] == [link.auth_id], visit.page.url
    assert query["kept"] == ["1"], visit.page.url


def looking_changes_nothing(world):
    link = world.links.new()
    for scripts in (True, False):
        with world.visit(scripts=scripts) as visit:
            visit.open(link.url)
            visit.page.reload()
            assert "asks you to confirm" in visit.heading, visit.heading
            assert visit.page.locator("time").count() == 2
            assert visit.button("Approve").is_visible() and visit.button("Deny").is_visible()
    assert link.success() in (None, "pending"), link.success()


def approving_leads_to_the_final_target(world):
    link = world.links.new()
    with world.visit() as visit:
        visit.open(link.url)
        visit.press("Approve")
        landed(world, visit, link, "true")
    assert link.success() in (None, "true"), link.success()
    _, headers = world.target.requests[-1]
    assert "Referer" not in headers, "the target was told the link"


def denying_leads_there_as_well(world):
    link = world.links.new()
    with world.visit() as visit:
        visit.open(link.url)
        visit.press("Deny")
        landed(world, visit, link, "false")
    assert link.success() in (None, "false"), link.success()


def both_buttons_work_without_scripts(world):
    for name, asc in (("Approve", "true"), ("Deny", "false")):
        link = world.links.new()
        with world.visit(scripts=False) as visit:
            visit.open(link.url)
            visit.press(name)
            landed(world, visit, link, asc)


def a_final_target_may_go_on_to_another_host(world):
    """A browser that holds redirects against the page's policy must still get there (`form-action`)."""
    link = world.links.new(path="/app?kept=1")
    with world.visit() as visit:
        visit.open(link.url)
        visit.press("Approve")
        landed(world, visit, link, "true", world.target.second_origin, "/landed")


def the_right_number_of_the_other_screen_approves(world):
    link = world.links.new(code=True)
    with world.visit() as visit:
        visit.open(link.url)
        visit.code.fill(link.code)
        visit.press("Approve")
        landed(world, visit, link, "true")


def a_number_of_another_form_is_asked_for_again_and_decides_nothing(world):
    link = world.links.new(code=True)
    with world.visit() as visit:
        visit.open(link.url)
        for typed in ("4", "ab", "  "):
            visit.code.fill(typed)
            visit.press("Approve")
            assert visit.page.url == link.url and visit.page.title().startswith("Error: "), visit.page.url
            assert visit.focused() == "matchCode", visit.focused()
            assert visit.code.get_attribute("aria-invalid") == "true"
            assert visit.code.input_value() == "", "what was typed is not repeated"
            description = visit.page.locator("#" + visit.code.get_attribute("aria-describedby").split()[0])
            assert "Enter two digits" in description.inner_text()
        visit.code.fill(link.code)
        visit.press("Approve")
        landed(world, visit, link, "true")


def an_empty_number_is_not_even_sent(world):
    link = world.links.new(code=True)
    with world.visit() as visit:
        visit.open(link.url)
        sent = []
        visit.page.on("request", lambda request: sent.append(request.method))
        visit.button("Approve").click()
        visit.page.wait_for_function("document.activeElement.id === 'matchCode'")
        assert sent == [], sent
        visit.press("Deny")
        landed(world, visit, link, "false")


def a_wrong_number_ends_the_request(world):
    link = world.links.new(code=True)
    with world.visit() as visit:
        visit.open(link.url)
        visit.code.fill("00" if link.code != "00" else "01")
        visit.press("Approve")
        landed(world, visit, link, "false")
    assert link.success() in (None, "false"), link.success()


def a_used_link_leads_to_the_same_end(world):
    for name, asc in (("Approve", "true"), ("Deny", "false")):
        link = world.links.new()
        with world.visit() as visit:
            visit.open(link.url)
            visit.press(name)
            visit.page.goto(link.url)
            landed(world, visit, link, asc)


def going_back_and_pressing_the_other_button_changes_nothing(world):
    link = world.links.new()
    with world.visit() as first, world.visit() as second:
        first.open(link.url)
        second.open(link.url)
        first.press("Deny")
        second.press("Approve")
        landed(world, second, link, "false")
    assert link.success() in (None, "false"), link.success()


def a_superseded_link_says_so_and_goes_nowhere(world):
    link = world.links.new()
    newer = world.links.newer(link)
    with world.visit() as visit:
        visit.open(link.url, 410)
        assert visit.heading == "There is a newer link" and visit.page.locator("form").count() == 0
        visit.open(newer.url)
        visit.press("Approve")
        landed(world, visit, newer, "true")


def an_unknown_link_says_so(world):
    with world.visit() as visit:
        visit.open(world.links.unknown(), 404)
        assert visit.heading == "This link does not work", visit.heading


def no_page_of_others_can_frame_the_question(world):
    link = world.links.new()
    with world.visit(forgives=True) as visit:
        visit.page.goto(f"{world.target.origin}/done?frame={link.url}")
        frames = [frame for frame in visit.page.frames if frame is not visit.page.main_frame]
        assert len(frames) == 1 and frames[0].locator("form").count() == 0, [frame.url for frame in frames]
        assert any("frame" in complaint for complaint in visit.complaints), visit.complaints


def without_a_final_target_the_phone_gets_a_closing_page(world):
    for name, heading in (("Approve", "You approved the request"), ("Deny", "The request was denied")):
        link = world.links.new(path=None)
        with world.visit() as visit:
            visit.open(link.url)
            visit.press(name)
            assert visit.page.url == link.url and visit.heading == heading, visit.heading
            visit.picture(f"closing-{name.lower()}")


def an_expired_link_leads_to_the_final_target(world):
    link = world.links.new()
    with world.visit() as visit:
        visit.open(link.url)
        world.links.let_expire()
        visit.press("Approve")
        landed(world, visit, link, "false")
