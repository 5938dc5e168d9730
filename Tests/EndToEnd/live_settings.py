"""Settings of servers in live mode that send more than people would."""

# Limits of what loopback, one network or one prefix may cause.
WIDE_LIMITS = {
    "unansweredPerPrefix": 0, "unansweredPerAddress": 0, "unansweredPerNetwork": 0, "unansweredPerCountry": 0,
    "startsPerAddressPerTenMinutes": 0, "callsPerAddressPerSecond": 0, "requestsPerSecond": 0}


def own_endpoint(url, secret_file):
    """A gateway that calls an endpoint of the test, signed by the secret of this file."""
    return {"preset": "hook", "settings": {"url": url}, "secretFiles": {"secret": str(secret_file)}}
