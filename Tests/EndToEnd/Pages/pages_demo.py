"""Each check of the demo is played as a person would: in the shop, and on the phone beside it."""
import os
import subprocess

from demo_stage import BARBARAANNE, INGE, JESSE, LANEY, LORANT, PENNY

CODE_STEPS = ["start", "authenticate", "otpStart", "otpFinish", "finish"]
SNIPPET_SECONDS = 30


def a_code_is_read_on_the_phone_and_typed_in_the_shop(world):
    with world.demo() as demo:
        demo.choose("otp").create()
        demo.await_screen("Enter the code")
        demo.type_code(demo.code())
        demo.await_proven()
        demo.await_event("otp_passed")
        assert demo.steps() == CODE_STEPS, demo.steps()
        paths = [(maker, path.split("?")[0]) for maker, path, _ in demo.calls()]
        assert all(status == "200" for _, _, status in demo.calls()), demo.calls()
        demo.page.locator("#calls summary").nth(1).click()
        opened = demo.page.locator("#calls details[open]").inner_text()
        assert '"platform": "web"' in opened and '"step": "otpStart"' in opened and "DPoP: eyJ" in opened, opened
        assert paths == [
            ("backend", "POST /v3/unify"), ("page", "POST /client/v1/session"), ("page", "POST /client/v1/session/otp"),
            ("page", "POST /client/v1/session/otp/verify"), ("backend", "POST /v3/unify-status")], paths


def a_wrong_code_is_asked_for_again(world):
    with world.demo() as demo:
        demo.choose("otp", LANEY).create()
        demo.await_screen("Enter the code")
        demo.type_code("1111")
        error = demo.shop.get_by_text("That code is not right.")
        error.wait_for()
        assert demo.shop.get_by_label("Code").get_attribute("aria-describedby") == "otp-error"
        demo.type_code(demo.code())
        demo.await_proven("Laney")
        assert demo.steps().count("otpFinish") == 2, demo.steps()


def a_wrong_code_is_the_end_where_there_is_one_try(world):
    with world.demo() as demo:
        demo.choose("otp", retry=False).create()
        demo.await_screen("Enter the code")
        demo.type_code("1111")
        demo.await_refused()
        assert demo.fact("success") == "false"
        demo.await_event("otp_mismatch")


def a_code_is_sent_again(world):
    with world.demo() as demo:
        demo.choose("otp").create()
        demo.await_screen("Enter the code")
        demo.press("Send again")
        demo.type_code(demo.code(2))
        demo.await_proven()


def a_code_goes_to_another_number(world):
    with world.demo() as demo:
        demo.choose("otp", PENNY).create()
        demo.await_screen("Enter the code")
        demo.press("Other number")
        demo.await_screen("Which number is yours?")
        demo.shop.get_by_label("Mobile number").fill(LORANT)
        demo.press("Continue")
        demo.type_code(demo.code(2))
        demo.await_proven("Penny")
        assert demo.fact("phoneNumber") == f"+1{LORANT}", demo.fact("phoneNumber")


def the_page_asks_for_the_number_until_it_is_one(world):
    with world.demo() as demo:
        demo.choose("otp", asks=True).create()
        demo.await_screen("Which number is yours?")
        demo.shop.get_by_label("Mobile number").fill("12")
        demo.press("Continue")
        demo.shop.get_by_text("That is not a phone number.").wait_for()
        demo.shop.get_by_label("Mobile number").fill(LORANT)
        demo.press("Continue")
        demo.type_code(demo.code())
        demo.await_proven()
        assert demo.steps().count("otpStart") == 2, demo.steps()


def a_link_is_tapped_and_approved_on_the_phone(world):
    with world.demo() as demo:
        demo.choose("link").create()
        demo.await_screen("Open the link on your phone")
        demo.tap_link()
        demo.phone.get_by_text("Did not start this?").wait_for()
        demo.press("Approve", demo.phone)
        demo.await_screen("Back at the shop", demo.phone)
        demo.await_proven()
        demo.await_event("link_approved")
        assert demo.steps() == ["start", "authenticate", "linkStart", "linkRetry", "finish"], demo.steps()
        assert "phone" in {maker for maker, _, _ in demo.calls()}


def a_link_is_denied_on_the_phone(world):
    with world.demo() as demo:
        demo.choose("link").create()
        demo.tap_link()
        demo.press("Deny", demo.phone)
        demo.await_refused()
        demo.await_event("link_denied")


def an_approval_on_another_phone_does_not_count(world):
    with world.demo() as demo:
        demo.choose("link", JESSE).create()
        demo.tap_link()
        demo.press("Approve", demo.phone)
        demo.await_refused()


def an_older_link_says_that_there_is_a_newer_one(world):
    with world.demo() as demo:
        demo.choose("link").create()
        demo.message()
        demo.press("Send again")
        demo.message(2)
        demo.tap_link(1)
        demo.phone.locator(".browser h3").wait_for()
        assert demo.phone.get_by_role("button", name="Approve").count() == 0
        demo.press("Messages", demo.phone)
        demo.tap_link(2)
        demo.press("Approve", demo.phone)
        demo.await_proven()


def mobile_auth_leaves_the_page_and_comes_back(world):
    with world.demo() as demo:
        demo.choose("mobile", INGE).create()
        demo.await_proven("Inge")
        assert demo.page.url == f"{world.base}/demo", demo.page.url
        assert demo.steps() == ["start", "authenticate", "resume", "finish"], demo.steps()
        assert "mobile_auth_passed" in demo.timeline(), demo.timeline()
        assert demo.page.get_by_role("radio", name="Mobile Auth").is_checked()


def mobile_auth_of_another_number_leads_to_a_code(world):
    with world.demo() as demo:
        demo.choose("mobile", PENNY).create()
        demo.await_screen("Enter the code")
        demo.type_code(demo.code())
        demo.await_proven("Penny")
        assert "mobile_auth_failed" in demo.timeline(), demo.timeline()


def a_device_is_known_on_its_second_visit_until_it_is_forgotten(world):
    with world.demo() as demo:
        demo.choose("device").create()
        demo.type_code(demo.code())
        demo.await_proven()
        device = demo.fact("deviceId")
        demo.press("Visit again on this device")
        demo.page.locator("#timeline code", has_text="device_key_recognized").wait_for()
        demo.await_proven()
        assert demo.steps() == ["start", "authenticate", "finish"], demo.steps()
        assert demo.fact("deviceId") == device
        assert demo.phone.locator(".bubble").count() == 0
        demo.open_settings()
        demo.page.get_by_role("button", name="Forget this device").click()
        demo.page.get_by_role("status").get_by_text("This device is forgotten.").wait_for(state="attached")
        demo.press("Visit again on this device")
        demo.await_screen("Enter the code")
        demo.type_code(demo.code())
        demo.await_proven()
        assert demo.fact("deviceId") != device
        demo.press("Visit again on this device")
        demo.await_event("device_key_recognized")


def the_person_can_cancel(world):
    with world.demo() as demo:
        for check, screen in (("otp", "Enter the code"), ("link", "Open the link on your phone")):
            demo.choose(check).create()
            demo.await_screen(screen)
            demo.press("Cancel")
            demo.await_refused()
            demo.shop.get_by_text("Cancelled.").wait_for()
            demo.press("Sign up again")


def a_user_who_passes_without_an_app_is_asked_nothing(world):
    with world.demo() as demo:
        demo.choose("otp", BARBARAANNE).create()
        demo.await_proven("Barbaraanne")


def a_number_that_nobody_has_is_told_at_the_form(world):
    with world.demo() as demo:
        demo.shop.get_by_label("Mobile number").fill("2015550199")
        demo.create()
        demo.shop.locator("[aria-invalid]").wait_for()
        assert demo.shop.locator("#phoneNumber-error").inner_text()


def a_page_that_is_loaded_again_goes_on(world):
    with world.demo() as demo:
        demo.choose("otp").create()
        demo.await_screen("Enter the code")
        demo.page.reload()
        demo.await_screen("Enter the code")
        demo.type_code(demo.code())
        demo.await_proven()
        assert demo.phone.locator(".bubble").count() == 1


def another_name_of_the_server_leads_to_its_own(world):
    name, other = ("127.0.0.1", "localhost") if "127.0.0.1" in world.base else ("localhost", "127.0.0.1")
    strange = world.base.replace(name, other)
    world.browser.origins.add(strange)
    with world.browser.visit() as visit:
        visit.open(f"{strange}/demo")
        visit.page.get_by_role("alert").get_by_role("link", name=f"{world.base}/demo").click()
        visit.page.get_by_role("heading", name="Create your account").wait_for()
        assert visit.page.url == f"{world.base}/demo", visit.page.url


def the_copied_curl_commands_run(world):
    for check, user in (("otp", LORANT), ("link", LORANT), ("mobile", INGE), ("device", LORANT)):
        with world.demo() as demo:
            demo.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            demo.choose(check, user)
            demo.page.get_by_role("tab", name="curl").click()
            demo.page.get_by_role("button", name="Copy the code").click()
            demo.page.get_by_text("Copied.").wait_for()
            commands = demo.page.evaluate("navigator.clipboard.readText()")
            # Whatever proxy this machine has is not between it and itself.
            result = subprocess.run(
                ["bash", "-euo", "pipefail"], input=commands, capture_output=True, text=True, timeout=SNIPPET_SECONDS,
                env={**os.environ, "no_proxy": "*"})
            assert '"success":"true"' in result.stdout.splitlines()[-1], (check, result.stdout[-600:], result.stderr[-600:])


def the_code_follows_the_choice(world):
    with world.demo() as demo:
        code = demo.page.locator("#code")
        demo.choose("link")
        for name, word in (("Web", "withInstantLinkFallback"), ("Swift", "InstantLinkStart"), ("Java", "InstantLinkStartInput")):
            demo.page.get_by_role("tab", name=name).click()
            demo.choose("link", asks=True)
            assert word in code.inner_text(), (name, code.inner_text())
            demo.choose("otp")
            assert "withOtpFallback" in code.inner_text(), (name, code.inner_text())


def text_of_the_server_is_never_html(world):
    hostile = "<img src=x onerror=document.title='broken'><b>bold</b>"
    users = world.sandbox.users()
    users["users"][0] = {**users["users"][0], "name": hostile, "note": hostile, "withoutClient": False}

    def message(route):
        answer = route.fetch()
        value = answer.json()
        for sent in value["messages"]:
            sent["text"] = hostile
        route.fulfill(response=answer, json=value)

    with world.browser.visit() as visit:
        visit.page.route("**/sandbox/users", lambda route: route.fulfill(json=users))
        visit.page.route("**/sandbox/messages*", message)
        demo = world.opened(visit)
        demo.choose("otp", LORANT).create()
        assert demo.message() == hostile, demo.message()
        assert demo.page.title() != "broken"
        assert demo.page.locator("#user option").first.inner_text().startswith(hostile)
        assert demo.page.locator("main img, main b").count() == len(("backend’s", *range(4)))
        demo.page.unroute_all(behavior="ignoreErrors")
