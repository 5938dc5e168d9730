"""The older calls below /v1/server/auth, from a backend's start by authenticators to what finish tells of each subject."""
from holdfast import Key, Phone, expected
from world import INGE, LORANT, PENNY, RIGHT, TARGET, WRONG, Started, is_uuid

START, CONTINUE, FINISH = (f"/v1/server/auth/{step}" for step in ("start", "continue", "finish"))
OTP = {"otp": {"messageText": "Your code is ####. Bye."}}
PASSIVE = {"passive": {}}
LINK = {"instantlink": {"messageText": "Open #### now", "finalTargetUrl": TARGET}}


class Auth(Started):
    """A session as the backend of the older calls holds it: by its auth ID."""

    def __init__(self, site, subjects):
        answer = expected(site.platform.post(START, {"requestId": "r-1", "subjects": subjects}), 200)
        session, = (one for one in site.sandbox.sessions()["sessions"] if one["authId"] == answer["authId"])
        site.secrets.add(answer["authToken"])
        super().__init__(site, site.platform, {**session, **answer.json})
        self.auth_id = answer["authId"]

    def finish(self):
        answer = expected(self.platform.post(FINISH, {"authId": self.auth_id}), 200, authId=self.auth_id)
        assert answer["appNamespace"] == "sandbox", answer
        return answer["subjects"]

    def continues(self, number):
        return self.platform.post(
            CONTINUE, {"authId": self.auth_id, "requestId": "r-2", "subjects": mobile(number=number)})

    def mobile(self):
        """The only subject has passed: how."""
        (name, result), = self.finish().items()
        assert name == "mobile" and list(result) == ["success"], result
        return result["success"]


def mobile(number=LORANT, **authenticators):
    claim = {"claim": {"mobileNumber": number}} if number else {}
    return {"mobile": {**claim, **({"authenticators": authenticators} if authenticators else {})}}


def failed(code):
    """What a subject answers that has not passed."""
    def holds(result):
        return list(result) == ["error"] and result["error"]["code"] == code and result["error"]["message"]
    return holds


def a_code_in_the_text_of_the_older_call(world):
    auth = Auth(world.plain, mobile(**OTP))
    assert failed(10004)(auth.finish()["mobile"])
    expected(auth.client().authenticate(RIGHT), 200, outcome="succeeded")
    message, = auth.messages()
    assert message["text"].startswith(f"Your code is {RIGHT}. Bye."), message
    success = auth.mobile()
    assert success["authenticatorType"] == "instant" and success["claim"] == {"mobileNumber": LORANT}, success
    wrong = Auth(world.plain, mobile(**OTP))
    expected(wrong.client().authenticate(WRONG), 400)
    assert failed(10001)(wrong.finish()["mobile"])


def a_link_from_the_address_it_was_asked_for(world):
    for address, passes in (("127.0.0.1", True), ("192.0.2.1", False)):
        auth = Auth(world.plain, mobile(instantlink={**LINK["instantlink"], "sourceIp": address}))
        client = auth.client()
        client.to_link_wait()
        Phone().approve(auth.newest_link())
        if passes:
            assert auth.mobile()["extras"] == {
                "linkClicked": True, "ipMatch": "success", "phoneMatch": "indeterminate"}, auth.finish()
        else:
            assert failed(20203)(auth.finish()["mobile"])


def mobile_auth_where_it_was_asked_for_by_name(world):
    auth = Auth(world.plain, mobile(INGE, instant={"consent": {"status": "notCollected"}}))
    client = auth.client()
    expected(client.to_mobile_auth(), 200, step="mobileAuth")
    expected(client.mobile_auth(Phone()), 200, outcome="succeeded")
    assert auth.mobile()["authenticatorType"] == "instant"


def a_key_is_bound_by_the_backends_word_and_proves_number_device_and_user(world):
    key = Key()
    subjects = {
        **mobile(**PASSIVE), "device": {"authenticators": PASSIVE},
        "user": {"claim": {"userId": "u-17", "provided": True}, "authenticators": PASSIVE}}
    auth = Auth(world.plain, subjects)
    client = auth.client(device_key=key)
    expected(client.start(), 200, step="device")
    expected(client.device(), 200, outcome="possessionRequired")
    assert all(failed(10004)(result) for result in auth.finish().values())
    world.plain.restart()
    refused = expected(auth.continues(PENNY), 200)["subjects"]["mobile"]
    assert refused["success"] is False and refused["error"]["code"] == 10004, refused
    expected(auth.continues(LORANT), 200, subjects={"mobile": {"success": True}})
    assert auth.finish()["mobile"]["success"]["authenticatorType"] == "provided"
    device = auth.finish()["device"]["success"]
    assert is_uuid(device["claim"]["deviceId"]) and device["extras"] == {"deviceType": "web"}, device

    for user, passes in (("u-17", True), ("u-18", False)):
        again = Auth(world.plain, {**subjects, "user": {"claim": {"userId": user}, "authenticators": PASSIVE}})
        client = again.client(device_key=key)
        expected(client.start(), 200)
        expected(client.device(), 200, outcome="succeeded")
        results = again.finish()
        assert results["mobile"]["success"]["authenticatorType"] == "passive", results
        assert results["device"]["success"]["claim"] == device["claim"], results
        assert ("success" in results["user"]) == passes, results


def an_old_key_is_bound_anew(world):
    site, key = world.plain, Key()
    subjects = {"mobile": {**mobile()["mobile"], "authenticators": {"passive": {"maxAge": 3600}, **OTP}}}
    for seconds, outcome in ((0, None), (3500, "succeeded"), (200, None), (0, "succeeded")):
        site.advance(seconds)
        client = Auth(site, subjects).client(device_key=key)
        expected(client.start(), 200)
        state = expected(client.device(), 200)
        assert state.json.get("outcome") == outcome, state
        if outcome is None:
            expected(client.otp(), 200)
            expected(client.verify(RIGHT), 200, outcome="succeeded")


def what_this_server_does_not_have_is_refused_by_name(world):
    for subjects, field in (
            ({"card": {}}, "subjects.card"),
            (mobile(universal={"finalTargetUrl": TARGET}), "subjects.mobile.authenticators.universal")):
        answer = expected(world.plain.platform.post(START, {"subjects": subjects}), 400, code=8001)
        assert answer["message"].startswith(f"field '{field}' "), answer
