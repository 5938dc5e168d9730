"""A sandbox of our own making: users with scripted outcomes, and API clients with rules of their own."""
import json

from holdfast import REPOSITORY

NEW_CODES, NO_DELIVERY, SLOW_DELIVERY, LATE_DELIVERY = "2001005001", "2001005002", "2001005003", "2001005004"
OPERATOR_TIMEOUT, OPERATOR_ERROR, NO_OPERATOR = "2001005005", "2001005006", "2001005007"
BAD_STANDING, EAGER, WARY, OTHER_PHONE = "2001005008", "2001005009", "2001005010", "+2001005011"
NO_ARRIVAL = "2001005012"
# SIMs that were swapped so many hours before the file was read.
SWAPPED = {12: "2001005021", 24: "2001005022", 120: "2001005023", 260: "2001005024"}
NO_SIM, NO_SIM_SERVICE, MONITORED = "2001005025", "2001005026", "2001005027"
REASONS = {"9131": "number on OSR as non-mobile", "9135": "SIM swap under 24 hours ago"}
SLOW_SECONDS, LATE_SECONDS = 60, 121

USERS = {
    NEW_CODES: {"codes": ["4711", "0815", "271828"]},
    NO_DELIVERY: {"delivery": "fail"},
    NO_ARRIVAL: {"delivery": "undelivered"},
    SLOW_DELIVERY: {"deliveryDelaySeconds": SLOW_SECONDS},
    LATE_DELIVERY: {"deliveryDelaySeconds": LATE_SECONDS},
    OPERATOR_TIMEOUT: {"mobileAuth": "timeout"},
    OPERATOR_ERROR: {"mobileAuth": "operator-error"},
    NO_OPERATOR: {"mobileAuth": "unavailable"},
    BAD_STANDING: {"mobileAuth": "match", "reputation": "fail", "reputationReasons": REASONS},
    EAGER: {"link": "approve"},
    WARY: {"link": "deny"},
    **{number: {"simSwap": {"hoursAgo": hours}} for hours, number in SWAPPED.items()},
    NO_SIM: {"simSwap": "no-sim"},
    NO_SIM_SERVICE: {"simSwap": "not-applicable"},
    MONITORED: {"simSwap": {"hoursAgo": 2000, "monitoredDays": 30}},
    OTHER_PHONE: {"link": "mismatch", "otp": "fail", "note": "from abroad"},
}
# Each with the secret NAME-secret.
CLIENTS = {
    "sandbox": {}, "sandbox-2": {},
    "match": {"linkMatchCode": True, "displayName": "Example Bank"},
    "address": {"linkNeedsSameAddress": True},
    "hosted": {"messageHost": "bank.example"},
    "fixed": {"allowPhoneChange": False, "mobileAuth": False},
}


def write(directory):
    """A configuration with these users beside the shipped ones; its file. Calls say their address as a proxy would."""
    shipped = json.loads((REPOSITORY / "config" / "sandbox-users.json").read_text())["users"]
    added = [
        {"number": number, "name": "Added Later", "region": "Intl" if number.startswith("+") else "NA",
         "product": "unify", **script}
        for number, script in USERS.items()]
    (directory / "users.json").write_text(json.dumps({"users": shipped + added}))
    configuration = {
        "mode": "sandbox",
        # The operator that never answers is not waited for when the server stops.
        "server": {"trustedProxies": "127.0.0.1", "drainSeconds": 1},
        "data": {"directory": str(directory / "data"), "migrations": str(REPOSITORY / "migrations")},
        "mobileAuth": {"timeoutSeconds": 1},
        "sandbox": {
            "usersFile": str(directory / "users.json"),
            "clients": {name: {"secret": name + "-secret", **rules} for name, rules in CLIENTS.items()}}}
    file = directory / "scripted.json"
    file.write_text(json.dumps(configuration))
    return file
