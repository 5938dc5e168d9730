#!/usr/bin/env python3
"""Proves one number against a running server, as an app does: DPoP-signed calls, and a device key kept in a file.

    prove.py 2001004014 --code 1234 --device-key phone.pem

The first run registers the key and passes by OTP; a second one with the same file passes without a code. Prints what
the client did, then the backend's answer. Ends with status 1 when the number was not proven.
"""
import argparse
import json
import os
import sys

from cryptography.hazmat.primitives import serialization

from holdfast import Client, Key, Lost, Platform, expected


class StoredKey(Key):
    """A device key in a PEM file that only its owner can read; made when the file is not there."""

    def __init__(self, path):
        if os.path.exists(path):
            with open(path, "rb") as file:
                super().__init__(serialization.load_pem_private_key(file.read(), password=None))
            return
        super().__init__()
        text = self.private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text)


def prove(options):
    platform = Platform(options.url, options.client_id, options.client_secret)
    session = expected(platform.unify(options.number), 200)
    client = Client(options.url, session["authToken"], StoredKey(options.device_key) if options.device_key else None)
    client.to_code_entry()
    if client.state["status"] == "done":
        print("client: done without a code")
    else:
        answer = client.verify(options.code)
        print(f"client: code submitted, {answer['error'] or 'accepted'}")
    return expected(platform.status(session["correlationId"]), 200)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", help="the phone number to prove")
    parser.add_argument("--code", default="1234", help="the code to submit (default %(default)s)")
    parser.add_argument("--device-key", metavar="FILE", help="PEM file of the device's key; made when it is not there")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="default %(default)s")
    parser.add_argument("--client-id", default="sandbox")
    parser.add_argument("--client-secret", default="sandbox-secret")
    try:
        result = prove(parser.parse_args())
        print("backend:", json.dumps(result.json))
        sys.exit(0 if result["success"] == "true" else 1)
    except (AssertionError, Lost) as error:
        sys.exit(f"prove.py: {error}")


if __name__ == "__main__":
    main()
