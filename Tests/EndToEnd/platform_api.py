"""The platform surface as an app's backend calls it."""
import uuid
from urllib.parse import urlencode

from exchange import Caller


class Platform:
    def __init__(self, base_url, client_id="sandbox", secret="sandbox-secret"):
        self.caller = Caller(base_url)
        self.client_id, self.secret = client_id, secret
        self.access_token = None

    def token(self):
        """Asks for an access token, and keeps it when one comes."""
        form = urlencode({
            "grant_type": "client_credentials", "client_id": self.client_id, "client_secret": self.secret})
        answer = self.caller.call(
            "POST", "/token", form.encode(), {"Content-Type": "application/x-www-form-urlencoded"})
        if answer.status == 200:
            self.access_token = answer["access_token"]
        return answer

    def post(self, path, value):
        return self.caller.post(path, value, self._bearer())

    def get(self, path, **query):
        path += "?" + urlencode(query) if query else ""
        return self.caller.call("GET", path, None, self._bearer())

    def delete(self, path):
        return self.caller.call("DELETE", path, None, self._bearer())

    def _bearer(self):
        if self.access_token is None:
            answer = self.token()
            assert answer.status == 200, f"no access token: {answer}"
        return {"Authorization": f"Bearer {self.access_token}"}

    def unify(self, phone_number=None, possession_type="mobile", path="/v3/unify", **fields):
        value = {"possessionType": possession_type, "clientRequestId": str(uuid.uuid4()), **fields}
        if phone_number is not None:
            value["phoneNumber"] = phone_number
        return self.post(path, value)

    def status(self, correlation_id, **fields):
        return self.post("/v3/unify-status", {"correlationId": correlation_id, **fields})

    def bind(self, correlation_id, phone_number, **fields):
        return self.post("/v3/unify-bind", {"correlationId": correlation_id, "phoneNumber": phone_number, **fields})

    def start(self, phone_number=None, flow_type="mobile", **fields):
        value = {"flowType": flow_type, **fields}
        if phone_number is not None:
            value["phoneNumber"] = phone_number
        return self.post("/v3/start", value)

    def validate(self, correlation_id):
        return self.post("/v3/validate", {"correlationId": correlation_id})

    def challenge(self, correlation_id, **claim):
        return self.post("/v3/challenge", {"correlationId": correlation_id, **claim})

    def complete(self, correlation_id, **individual):
        return self.post("/v3/complete", {"correlationId": correlation_id, "individual": individual})

    def revoke(self, device_id):
        return self.post("/v3/device/revoke", {"deviceId": device_id, "clientRequestId": str(uuid.uuid4())})

    def close(self):
        self.caller.close()
