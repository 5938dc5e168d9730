"""Uses the client that openapi-python-client made: token, session, outcome, and an error."""

import importlib
import os
import pkgutil
import uuid

import attrs_client
from attrs_client.api.platform import issue_token, read_unify_status, start_unify
from attrs_client.models import IssueTokenBody, ReadUnifyStatusBody, StartUnifyBody

for module in pkgutil.walk_packages(attrs_client.__path__, "attrs_client."):
    importlib.import_module(module.name)

URL = os.environ["SANDBOX_URL"]
CREDENTIALS = {"grant_type": "client_credentials", "client_id": "sandbox", "client_secret": "sandbox-secret"}
with attrs_client.Client(base_url=URL) as anyone:
    token = issue_token.sync(client=anyone, body=IssueTokenBody.from_dict(CREDENTIALS))
with attrs_client.AuthenticatedClient(base_url=URL, token=token.access_token) as client:
    order = {"possessionType": "mobile", "phoneNumber": "2001004018", "clientRequestId": "generated-2"}
    started = start_unify.sync(client=client, body=StartUnifyBody.from_dict(order))
    outcome = read_unify_status.sync(client=client, body=ReadUnifyStatusBody(correlation_id=started.correlation_id))
    assert outcome.success == "true" and outcome.client_request_id == "generated-2", outcome
    stranger = ReadUnifyStatusBody(correlation_id=uuid.UUID(int=0))
    refused = read_unify_status.sync_detailed(client=client, body=stranger)
    assert refused.status_code == 400 and refused.parsed.code == 8008, refused
