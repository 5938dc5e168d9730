"""Uses the client that openapi-generator made for Python: token, session, outcome, and an error."""

import importlib
import os
import pkgutil

import generated

for module in pkgutil.walk_packages(generated.__path__, "generated."):
    importlib.import_module(module.name)

configuration = generated.Configuration(host=os.environ["SANDBOX_URL"])
with generated.ApiClient(configuration) as client:
    platform = generated.PlatformApi(client)
    token = platform.issue_token("client_credentials", "sandbox", "sandbox-secret")
    configuration.access_token = token.access_token
    order = generated.StartUnifyBody(
        possession_type="mobile", phone_number="2001004018", client_request_id="generated-1")
    started = platform.start_unify(order)
    # The identifier goes back as it came: both are UUIDs.
    asked = generated.ReadUnifyStatusBody(correlation_id=started.correlation_id)
    outcome = platform.read_unify_status(asked)
    assert outcome.success == "true" and outcome.client_request_id == "generated-1", outcome
    stranger = generated.ReadUnifyStatusBody(correlation_id="00000000-0000-7000-8000-000000000000")
    try:
        platform.read_unify_status(stranger)
        raise AssertionError("an unknown session has an outcome")
    except generated.ApiException as error:
        assert error.status == 400 and error.data.code == 8008, error
