"""An app of OTPLESS's headless SDK, as far as its server sees it: the same calls, the same rules of what an answer must
have, the same callbacks in the same order. It asks at once in place of waiting: the timers that it is told are checked.

    app = Headless(base_url + "/otpless", "sandbox")
    app.start(), app.initiate("2001004014", "+1"), app.follow(), app.verify("123456")
    [callback.kind for callback in app.callbacks]
"""
import json
from dataclasses import dataclass, field

import requests

STATUSES = {"SUCCESS", "PENDING", "FAILED"}
# Of the SDK: how often it asks for the operator's word and for messages, where it is told nothing.
SILENT_TIMES, MESSAGE_TIMES = 35, 20


@dataclass
class Callback:
    """What an app's handler gets."""
    kind: str
    status: int
    response: dict = field(default_factory=dict)


class Refused(Exception):
    """An answer that is not 2xx."""

    def __init__(self, answer):
        super().__init__(f"{answer.status_code} {answer.text}")
        self.status = answer.status_code
        body = answer.json()
        assert isinstance(body["errorCode"], str), body
        assert answer.headers["x-request-id"], answer.headers
        self.code, self.text = body["errorCode"], body.get("description") or body.get("message")

    def response(self, **more):
        return {"errorCode": self.code, "errorMessage": self.text, **more}


def member(body, name, kind):
    """A member that the SDK's decoder cannot do without."""
    value = body[name]
    assert type(value) is kind, f"{name} is {value!r} in {body}"
    return value


class Headless:
    def __init__(self, base, app_id):
        self.base, self.app_id = base, app_id
        self.callbacks = []
        self.state = self.config = None
        self.token = self.as_id = ""
        self.way, self.mode = "", "NA"
        # What was said last of how often to ask: the unit is the way's.
        self.timer = None

    @property
    def kinds(self):
        return [callback.kind for callback in self.callbacks]

    def tell(self, kind, status, /, **response):
        self.callbacks.append(Callback(kind, status, response))
        return self.callbacks[-1]

    # Calls

    def get(self, path, **query):
        query |= {"origin": "https://otpless.com", "version": "V4", "isHeadless": "true", "platform": "iOS",
                  "loginUri": f"https://otpless.com/rc5/appid/{self.app_id}", "appId": self.app_id,
                  "deviceInfo": json.dumps({"platform": "iOS", "vendor": "Apple"})}
        if self.as_id:
            query["asId"] = self.as_id
        if self.token:
            query["token"] = self.token
        return self.read(requests.get(self.base + path, params=query, timeout=20))

    def post(self, path, **body):
        body |= {"origin": "https://otpless.com", "version": "V4", "isHeadless": True, "platform": "HEADLESS",
                 "loginUri": f"https://otpless.com/rc5/appid/{self.app_id}", "appId": self.app_id, "uid": "",
                 "deviceInfo": body.get("deviceInfo", json.dumps({"platform": "iOS"})), "metadata": json.dumps({"appInfo": "{}"})}
        return self.read(requests.post(self.base + path, json=body, timeout=20))

    @staticmethod
    def read(answer):
        if not 200 <= answer.status_code < 300:
            raise Refused(answer)
        return answer.json()

    def transaction(self, call):
        return f"/v3/lp/user/transaction/{call}/{self.state}"

    # Start

    def start(self):
        """SDK_READY, or FAILED once state or configuration have failed twice. The state is kept as long as the app is installed,
        also after an error."""
        try:
            self.state = self.state or self.twice(lambda: member(self.get("/v2/state"), "state", str))
            self.config = self.twice(lambda: self.get(f"/v2/lp/merchant/config/{self.state}"))
        except Refused:
            return self.tell("FAILED", 5003, errorCode="5003", errorMessage="Failed to initialize the SDK")
        assert any(
            entry["identifierType"] == "MOBILE" and any(channel["type"] == "INPUT" for channel in entry["channel"])
            for entry in self.config["channelConfig"]), self.config
        return self.tell("SDK_READY", 200, success=True)

    @staticmethod
    def twice(call):
        try:
            return call()
        except Refused:
            return call()

    # Begin

    def initiate(self, phone=None, country=None, email=None, open_link=None, **custom):
        """Begins with a number, or an address. `open_link` follows the operator's address as the phone does."""
        silent = self.config["merchant"]["config"]["isSilentAuthEnabled"] and phone is not None and not custom
        body = {"channel": self.input_name("MOBILE" if phone else "EMAIL"), "type": "INPUT", "hasWhatsapp": "true",
                "silentAuthEnabled": silent, "triggerWebauthn": False, "fireIntent": False,
                "identifierType": "MOBILE" if phone else "EMAIL", **custom}
        if phone:
            body |= {"mobile": country.strip("+") + phone, "selectedCountryCode": country, "value": phone}
        else:
            body |= {"email": email, "value": email}
        return self.begin(body, open_link)

    def begin_created(self, request_id, open_link):
        """Begins with what the app's backend has created: the backend has said for whom."""
        return self.begin({"requestId": request_id, "silentAuthEnabled": True, "type": "BUTTON"}, open_link)

    def begin(self, body, open_link):
        self.way, self.mode = "", "NA"
        try:
            answer = self.post(self.transaction("intent"), **body)
        except Refused as refused:
            return self.tell("INITIATE", refused.status, **refused.response())
        leap = self.take_leap(answer["quantumLeap"])
        assert leap["pollingRequired"] is True, leap
        if self.way != "SILENT_AUTH":
            self.mode = leap.get("communicationMode", "NA")
            return self.tell_initiated()
        assert (self.timer["interval"], self.timer["timeout"]) == (200, 7000), self.timer
        self.mode = "SILENT_AUTH"
        self.tell_initiated()
        return self.ask_operator(leap["intent"], open_link)

    def input_name(self, identifier):
        return next(channel["name"] for entry in self.config["channelConfig"] if entry["identifierType"] == identifier
                    for channel in entry["channel"] if channel["type"] == "INPUT")

    def take_leap(self, leap):
        self.as_id, self.token = member(leap, "asId", str), member(leap, "channelAuthToken", str)
        self.way = member(leap, "channel", str)
        self.timer = member(leap, "timerSettings", dict)
        assert member(leap, "status", str) in STATUSES, leap
        assert all(isinstance(channel, str) for channel in member(leap, "channels", list)), leap
        if leap.get("otpLength") is not None:
            member(leap, "otpLength", int)
        assert leap.get("state", self.state) == self.state, leap
        return leap

    def tell_initiated(self):
        response = {"requestId": self.token, "channel": self.way, "authType": self.way}
        if self.mode not in ("NA", "SILENT_AUTH"):
            response["deliveryChannel"] = self.mode
        return self.tell("INITIATE", 200, **response)

    # The operator's word

    def ask_operator(self, link, open_link):
        """Asks while the phone is under way, and a last time when it gives up."""
        open_link(link)
        for _ in range(SILENT_TIMES):
            try:
                answer = self.silent_status()
            except Refused:
                continue
            status = answer["authDetail"]["status"]
            if status == "SUCCESS":
                return self.tell_one_tap(answer["oneTap"])
            if status == "FAILED":
                return self.take_silent_failure(answer)
        try:
            answer = self.silent_status(
                lapseMeta=json.dumps({"error": "sdk_polling_timeout", "error_description": "no answer in time"}))
        except Refused:
            answer = None
        if answer and answer["authDetail"]["status"] == "FAILED":
            return self.take_silent_failure(answer)
        return self.tell(
            "VERIFY", 9106, errorCode="9106", errorMessage="Transaction timeout", authType="SILENT_AUTH")

    def silent_status(self, **query):
        return self.checked(self.get(self.transaction("silent-auth-status"), **query))

    def take_silent_failure(self, answer):
        self.tell("VERIFY", 400, errorCode="7161", errorMessage="Silent authentication failed", authType="SILENT_AUTH")
        if "quantumLeap" not in answer:
            return self.tell("AUTH_TERMINATED", 400, errorCode="7161", errorMessage="Nothing is left to try")
        leap = self.take_leap(answer["quantumLeap"])
        self.mode = leap.get("communicationMode", "NA")
        return self.tell_initiated()

    # Messages

    def follow(self, times=MESSAGE_TIMES):
        """Asks how the message is faring, until it has arrived or the time is over."""
        assert self.timer == {"interval": 3, "timeout": 60}, self.timer
        for _ in range(times):
            try:
                answer = self.checked(self.get(self.transaction("status")))
            except Refused:
                # As the SDK: it goes on.
                continue
            detail = answer["authDetail"]
            if detail["status"] == "SUCCESS":
                return self.tell_one_tap(answer["oneTap"])
            if detail["status"] == "FAILED":
                continue
            mode = detail.get("communicationMode", "NA")
            if self.mode == "NA":
                self.mode = mode
            if mode != self.mode:
                self.mode = mode
                self.tell("FALLBACK_TRIGGERED", 200, requestId=detail["token"], deliveryChannel=mode,
                          channel=self.way, authType=self.way)
            if detail["communicationDelivered"]:
                self.tell("DELIVERY_STATUS", 200, authType=self.way, deliveryChannel=mode, communicationDelivered=True)
                if detail["channel"] == "OTP":
                    return self.callbacks[-1]
        return None

    def follow_refused(self):
        """Status and code of the answer to the next question, which must be an error."""
        try:
            answer = self.get(self.transaction("status"))
        except Refused as refused:
            return str(refused.status), refused.code
        raise AssertionError(f"not refused: {answer}")

    @staticmethod
    def checked(answer):
        detail = member(answer, "authDetail", dict)
        member(detail, "communicationDelivered", bool)
        assert member(detail, "status", str) in STATUSES, detail
        return answer

    # The code

    def read_from_message(self, message, app_hash):
        """As Android hands a message to the app whose hash it ends with."""
        assert message["text"].splitlines()[-1].strip() == app_hash, message
        return self.tell("OTP_AUTO_READ", 200, otp=message["code"])

    def verify(self, otp, **more):
        """VERIFY is always bad news."""
        if not otp:
            return self.tell("VERIFY", 400, errorCode="7112", errorMessage="OTP is empty", authType=self.way)
        try:
            answer = self.post(
                self.transaction("otp"), otp=otp, token=self.token, asId=self.as_id, isOTPAutoRead="false", **more)
        except Refused as refused:
            return self.tell("VERIFY", refused.status, **refused.response(authType=self.way))
        detail = member(answer, "otpVerificationDetail", dict)
        member(detail, "code", str), member(detail, "isOTPVerified", bool)
        return self.tell_one_tap(answer["oneTap"])

    def verify_code(self, code, **more):
        """The code of a link."""
        try:
            answer = self.post(self.transaction("code"), code=code, token=self.token, asId=self.as_id, **more)
        except Refused as refused:
            return self.tell("VERIFY", refused.status, **refused.response(authType=self.way))
        return self.tell_one_tap(self.checked(answer)["oneTap"])

    def tell_one_tap(self, one_tap):
        status, token = member(one_tap, "status", str), member(one_tap, "token", str)
        data = one_tap["merchantUserInfo"]
        member(data, "timestamp", str), member(data, "token", str)
        for identity in member(data, "identities", list):
            member(identity, "channel", str), member(identity, "verified", bool), member(identity, "verifiedAt", str)
        return self.tell("ONETAP", 200, status=status, token=token, data=data)
