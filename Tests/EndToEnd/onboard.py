#!/usr/bin/env python3
"""Onboards a customer of a sandbox with a phone that encrypts, step by step, and says what came of each.

    onboard.py [--url http://127.0.0.1:8080] [--version 3.3] [--client-number 12345]

The phone has the keys that the sandbox shows to everybody; --configuration takes those of another application.
"""
import argparse
import sys

from exchange import Caller
from powerauth import Application, Phone, Refused


def steps(phone, client_number):
    """One line for each step."""
    yield f"server time {phone.server_time()}"

    def call(path, **members):
        return phone.encrypted("/api/onboarding" + path, {"requestObject": members}).get("responseObject")

    process = call("/start", identification={"clientNumber": client_number})["processId"]
    yield f"process {process}: {call('/status', processId=process)['onboardingStatus']}"
    code = call("/otp/detail", processId=process, otpType="ACTIVATION")["otpCode"]
    identity = {"processId": process, "otpCode": code, "credentialsType": "ONBOARDING"}
    phone.activate("CUSTOM", identity, name="A phone of the walk")
    yield f"activation {phone.activation_id}, fingerprint {phone.fingerprint}"
    yield f"process {process}: {call('/status', processId=process)['onboardingStatus']}"
    yield f"activation: {phone.status()['state']}"
    phone.validate()
    yield "a signature of possession and knowledge: good"
    phone.remove()
    yield f"activation: {phone.status()['state']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--version", default="3.3", choices=("3.2", "3.3"))
    parser.add_argument("--client-number", default="12345")
    parser.add_argument("--configuration", help="the text that an app is built with")
    options = parser.parse_args()
    caller = Caller(options.url)

    def post(path, headers, body):
        answer = caller.call("POST", path, body, headers)
        return answer.status, answer.body

    configuration = options.configuration
    if configuration is None:
        shown = caller.call("GET", "/sandbox/users")["applications"]
        configuration = next(app["sdkConfiguration"] for app in shown if app["clientId"] == "sandbox")
    phone = Phone(Application.from_configuration(configuration), options.version, post)
    try:
        for line in steps(phone, options.client_number):
            print(line)
    except Refused as error:
        sys.exit(f"refused: {error}")
    finally:
        caller.close()


if __name__ == "__main__":
    main()
