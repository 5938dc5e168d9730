"""Uses the client that openapi-python-client made of a session's calls: from the access token to the outcome."""

import importlib
import os
import pkgutil

import attrs_client
from attrs_client.api.client import (
    cancel_session, read_session, resend_code, send_code, start_session, verify_code)
from attrs_client.api.platform import explain_session, issue_token, read_unify_status, start_unify
from attrs_client.api.sandbox import list_messages
from attrs_client.models import (
    CancelSessionBody, IssueTokenBody, ReadUnifyStatusBody, ResendCodeBody, SendCodeBody, StartSessionBody,
    StartSessionBodyFallback, StartSessionBodyPlatform, StartUnifyBody, StartUnifyBodyPossessionType, VerifyCodeBody)
from attrs_client.types import UNSET

for module in pkgutil.walk_packages(attrs_client.__path__, "attrs_client."):
    importlib.import_module(module.name)

URL = os.environ["SANDBOX_URL"]
NUMBER = "2001004014"
anyone = attrs_client.Client(base_url=URL)
CREDENTIALS = {"grant_type": "client_credentials", "client_id": "sandbox", "client_secret": "sandbox-secret"}
token = issue_token.sync(client=anyone, body=IssueTokenBody.from_dict(CREDENTIALS))
backend = attrs_client.AuthenticatedClient(base_url=URL, token=token.access_token)


def started():
    order = StartUnifyBody(
        possession_type=StartUnifyBodyPossessionType.MOBILE, phone_number=NUMBER, client_request_id="generated-3",
        allow_otp_retry=True)
    return start_unify.sync(client=backend, body=order)


def outcome(session):
    return read_unify_status.sync(
        client=backend, body=ReadUnifyStatusBody(correlation_id=session.correlation_id))


def redeemed(session):
    """The app's side of it, and the state that it begins with."""
    app = attrs_client.AuthenticatedClient(base_url=URL, token=session.auth_token)
    body = StartSessionBody(platform=StartSessionBodyPlatform.IOS, fallback=StartSessionBodyFallback.OTP)
    return app, start_session.sync(client=app, body=body)


# A session by code, with one that is wrong.
session = started()
assert outcome(session).success == "pending"
app, state = redeemed(session)
assert state.status == "active" and "otp.start" in state.allowed, state
state = send_code.sync(client=app, body=SendCodeBody())
assert state.otp.sends_left is not UNSET, state
refused = verify_code.sync_detailed(client=app, body=VerifyCodeBody(code="0000"))
assert refused.parsed.error == "otp_mismatch" and refused.parsed.state.status == "active", refused
resent = resend_code.sync(client=app, body=ResendCodeBody())
assert resent.otp.sends_left == state.otp.sends_left - 1, resent
messages = list_messages.sync(client=anyone).messages
code = [message.code for message in messages if message.correlation_id == session.correlation_id][-1]
state = verify_code.sync(client=app, body=VerifyCodeBody(code=code))
assert state.status == "done" and state.outcome == "succeeded", state
assert read_session.sync(client=app).rev == state.rev
result = outcome(session)
assert result.success == "true" and result.phone_number == NUMBER and result.prove_id is not UNSET, result
assert result.client_request_id == "generated-3", result
explanation = explain_session.sync(session.correlation_id, client=backend)
assert explanation.outcome == "succeeded", explanation

# One that its client gives up.
session = started()
app, _ = redeemed(session)
assert cancel_session.sync(client=app, body=CancelSessionBody()).outcome == "cancelled"
assert outcome(session).success == "false"
