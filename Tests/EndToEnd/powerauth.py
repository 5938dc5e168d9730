"""A phone that speaks PowerAuth 3.2 or 3.3, as far as its server sees it: envelopes, temporary keys, an activation, its
standing, signatures. `post(path, headers, body)` makes a call and gives back status and body, as bytes:

    phone = Phone(Application.from_configuration(text), "3.3", post)
    phone.encrypted("/api/onboarding/start", {"requestObject": {...}})
    phone.activate("CUSTOM", {"processId": ..., "otpCode": ..., "credentialsType": "ONBOARDING"})
    phone.status(), phone.validate(), phone.remove()

Run by itself it checks its cryptography against the published values in Tests/Vectors: no server has to be right for that.
"""
import base64
import hashlib
import hmac
import json
import secrets
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from jose import base64url, base64url_decoded, compact_json

APPLICATION, ORDER = "/pa/generic/application", "/pa/activation"
ACTIVATION, TOKEN, VAULT = "/pa/generic/activation", "/pa/token/create", "/pa/vault/unlock"
LOOK_AHEAD = 20
STATES = {1: "CREATED", 2: "PENDING_COMMIT", 3: "ACTIVE", 4: "BLOCKED", 5: "REMOVED"}
FACTORS = {"possession": 1, "knowledge": 2, "biometry": 3}


def text(data):
    return base64.b64encode(data).decode()


def data(encoded):
    return base64.b64decode(encoded, validate=True)


# Keys


def mac(key, message):
    return hmac.digest(key, message, "sha256")


def fold(block):
    """XOR of the halves of 32 bytes."""
    return bytes(left ^ right for left, right in zip(block[:16], block[16:], strict=True))


def index_key(key, index):
    """KDF_INTERNAL."""
    return fold(mac(key, index))


def number_key(key, number):
    """KDF."""
    aes = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return aes.update(bytes(8) + struct.pack(">Q", number)) + aes.finalize()


def transport_key(master_secret):
    return number_key(master_secret, 1000)


def next_counter(counter):
    return fold(hashlib.sha256(counter).digest())


def private_key(number):
    """Of 32 bytes, or 33 with a zero byte before them."""
    return ec.derive_private_key(int.from_bytes(number, "big"), ec.SECP256R1())


def public_key(point):
    """Of a point in compressed or uncompressed form."""
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def point(key, compressed=True):
    form = PublicFormat.CompressedPoint if compressed else PublicFormat.UncompressedPoint
    return key.public_bytes(Encoding.X962, form)


def agree(private, public):
    """The x-coordinate, 32 bytes."""
    return private.exchange(ec.ECDH(), public)


def fingerprint(device, server, activation_id):
    x = [key.public_numbers().x.to_bytes(32, "big").lstrip(b"\0") for key in (device, server)]
    digest = hashlib.sha256(x[0] + activation_id.encode() + x[1]).digest()
    return f"{(int.from_bytes(digest[-4:], 'big') & 0x7FFFFFFF) % 10**8:08}"


# Envelopes


def joined(*fields):
    return b"".join(struct.pack(">I", len(field)) + field for field in fields)


def cbc(key, iv, message, decrypts=False):
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv))
    context = cipher.decryptor() if decrypts else cipher.encryptor()
    return context.update(message) + context.finalize()


class Envelope:
    """The keys of one request and its reply, on either side."""

    def __init__(self, version, purpose, application, ephemeral, shared=None, envelope_key=None,
                 activation_id=None, transport=None, temporary_id=None):
        self.ephemeral = ephemeral
        if envelope_key is None:
            info = version.encode() + purpose.encode() + ephemeral
            blocks = (hashlib.sha256(shared + struct.pack(">I", number) + info).digest() for number in (1, 2))
            envelope_key = b"".join(blocks)[:48]
        self.envelope_key = envelope_key
        self.key, self.mac_key, self.iv_key = envelope_key[:16], envelope_key[16:32], envelope_key[32:]
        secret = application.secret_text.encode()
        self.base = mac(transport, secret) if transport else hashlib.sha256(secret).digest()
        texts = [version, application.key, activation_id, temporary_id]
        self.associated = joined(*(part.encode() for part in texts if part is not None))
        self.temporary_id = temporary_id

    def iv(self, nonce):
        return index_key(self.iv_key, nonce)

    def authenticated(self, nonce, timestamp, ephemeral):
        return joined(self.base, nonce, struct.pack(">Q", timestamp), ephemeral, self.associated)

    def seal(self, plain, timestamp, ephemeral=b"", nonce=None):
        nonce = nonce or secrets.token_bytes(16)
        pad = padding.PKCS7(128).padder()
        ciphertext = cbc(self.key, self.iv(nonce), pad.update(plain) + pad.finalize())
        code = mac(self.mac_key, ciphertext + self.authenticated(nonce, timestamp, ephemeral))
        return {"encryptedData": text(ciphertext), "mac": text(code), "nonce": text(nonce), "timestamp": timestamp}

    def seal_request(self, plain, timestamp, nonce=None):
        body = {"ephemeralPublicKey": text(self.ephemeral), **self.seal(plain, timestamp, self.ephemeral, nonce)}
        return {**body, "temporaryKeyId": self.temporary_id} if self.temporary_id else body

    def open(self, body, ephemeral=b""):
        ciphertext, nonce = data(body["encryptedData"]), data(body["nonce"])
        code = mac(self.mac_key, ciphertext + self.authenticated(nonce, body["timestamp"], ephemeral))
        assert hmac.compare_digest(code, data(body["mac"])), "the envelope has another MAC"
        unpad = padding.PKCS7(128).unpadder()
        return unpad.update(cbc(self.key, self.iv(nonce), ciphertext, decrypts=True)) + unpad.finalize()


# Signatures


def signed_data(method, resource, nonce, body, secret_text):
    return "&".join((method, text(resource.encode()), nonce, text(body), secret_text)).encode()


def signature(message, counter, keys):
    """16 bytes for each key."""
    derived = [mac(key, counter) for key in keys]
    parts = []
    for index, key in enumerate(derived):
        for other in range(index):
            key = mac(derived[other + 1], key)
        parts.append(mac(key, message)[-16:])
    return b"".join(parts)


def token_digest(secret, nonce, timestamp, version):
    return mac(secret, nonce + f"&{timestamp}&{version}".encode())


# Standing


def status_iv(transport, challenge, nonce):
    return index_key(number_key(transport, 3000), challenge + nonce)


def read_status(blob, transport, challenge, nonce):
    plain = cbc(transport, status_iv(transport, challenge, nonce), blob, decrypts=True)
    assert plain[:4] == b"\xde\xc0\xde\xd1", "the status is not for this phone"
    return {
        "state": STATES[plain[4]], "versions": tuple(plain[5:7]), "counter": plain[12], "failed": plain[13],
        "most": plain[14], "lookAhead": plain[15], "hash": plain[16:],
    }


def counter_hash(transport, counter):
    return index_key(number_key(transport, 4000), counter)


# Codes that people type


def crc16(message):
    value = 0
    for byte in message:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xA001 if value & 1 else value >> 1
    return value


def is_activation_code(code):
    packed = code.replace("-", "")
    if [len(part) for part in code.split("-")] != [5, 5, 5, 5]:
        return False
    message = base64.b32decode(packed + "====")
    return int.from_bytes(message[10:], "big") == crc16(message[:10])


# JWT


def hs256(claims, key):
    signed = base64url(compact_json({"alg": "HS256", "typ": "JWT"})) + "." + base64url(compact_json(claims))
    return signed + "." + base64url(mac(key, signed.encode()))


def es256_claims(token, key):
    """The claims of a JWT that this public key signed."""
    head, body, code = token.split(".")
    header = json.loads(base64url_decoded(head))
    assert header == {"alg": "ES256", "typ": "JWT"}, header
    raw = base64url_decoded(code)
    assert len(raw) == 64, "a signature of r and s has 64 bytes"
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key.verify(der, f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    return json.loads(base64url_decoded(body))


@dataclass
class Application:
    """An app is built with these."""
    key: str
    secret: bytes
    master: ec.EllipticCurvePublicKey

    @property
    def secret_text(self):
        return text(self.secret)

    @classmethod
    def from_configuration(cls, configuration):
        """Reads the one text that an SDK takes."""
        rest = data(configuration)
        assert rest[0] == 1, "the configuration has another version"
        rest = rest[1:]

        def field():
            nonlocal rest
            size = rest[0]
            assert size < 128 and len(rest) > size, "a field is cut off"
            found, rest = rest[1:1 + size], rest[1 + size:]
            return found

        key, secret = field(), field()
        assert len(key) == len(secret) == 16, "key and secret have 16 bytes"
        count, rest = rest[0], rest[1:]
        for _ in range(count):
            kind, rest = rest[0], rest[1:]
            found = field()
            if kind == 1:
                return cls(text(key), secret, public_key(found))
        raise AssertionError("no master key on P-256")


class Refused(Exception):
    """An answer other than 200: always plain."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body.decode(errors='replace')}")
        self.status, self.body = status, body
        try:
            self.document = json.loads(body)
            self.code = self.document["responseObject"]["code"]
        except (ValueError, KeyError, TypeError):
            self.document, self.code = {}, None


class Phone:
    """Keeps the keys of an app on a phone, and makes its calls."""

    def __init__(self, application, version, post, android=False, now=lambda: int(time.time() * 1000)):
        self.application, self.version, self.post, self.now = application, version, post, now
        # Between the pairs of a header.
        self.separator = " " if android else ", "
        self.temporary = {}
        self.activation_id = self.master_secret = self.server_key = self.counter = None
        self.counter_number = 0

    # Calls

    def plain(self, path, request=None, headers=None):
        """A call that is not encrypted: the response object, or what stands at the top."""
        body = compact_json({} if request is None else {"requestObject": request})
        status, answer = self.post(path, {"Content-Type": "application/json", **(headers or {})}, body)
        if status != 200:
            raise Refused(status, answer)
        document = json.loads(answer)
        assert document["status"] == "OK", document
        return document.get("responseObject")

    def header(self, **pairs):
        return "PowerAuth " + self.separator.join(f'{name}="{value}"' for name, value in pairs.items())

    def server_time(self):
        """Milliseconds, by the server's clock."""
        return self.plain("/pa/v3/status")["serverTime"]

    # Envelopes

    def envelope(self, purpose):
        """Fresh keys for one call."""
        ephemeral = ec.generate_private_key(ec.SECP256R1())
        of_activation = purpose in (ACTIVATION, TOKEN, VAULT)
        key, temporary_id = self.server_key if of_activation else self.application.master, None
        if self.version == "3.3":
            key, temporary_id = self.temporary_key(of_activation)
        return Envelope(
            self.version, purpose, self.application, point(ephemeral.public_key()), agree(ephemeral, key),
            activation_id=self.activation_id if of_activation else None,
            transport=transport_key(self.master_secret) if of_activation else None, temporary_id=temporary_id)

    def encryption_header(self, of_activation=False):
        pairs = {"version": self.version, "application_key": self.application.key}
        if of_activation:
            pairs["activation_id"] = self.activation_id
        return {"X-PowerAuth-Encryption": self.header(**pairs)}

    def encrypted(self, path, content, purpose=APPLICATION, headers=None):
        """An encrypted call: its answer, decrypted and parsed."""
        envelope = self.envelope(purpose)
        body = compact_json(envelope.seal_request(compact_json(content), self.now()))
        if headers is None:
            headers = self.encryption_header(purpose in (ACTIVATION, TOKEN, VAULT))
        elif callable(headers):
            headers = headers(body)
        status, answer = self.post(path, {"Content-Type": "application/json", **headers}, body)
        if status != 200:
            raise Refused(status, answer)
        return json.loads(envelope.open(json.loads(answer)))

    def temporary_key(self, of_activation=False):
        """Public key and id of a key that lives: fetched again a little before its end."""
        found = self.temporary.get(of_activation)
        if found is None or found["exp_ms"] - 10_000 <= self.now():
            found = self.temporary[of_activation] = self.fetch_temporary_key(of_activation)
        return public_key(data(found["publicKey"])), found["sub"]

    def fetch_temporary_key(self, of_activation=False):
        """The claims that the server signed."""
        claims = {"applicationKey": self.application.key, "challenge": text(secrets.token_bytes(18))}
        key, signer = self.application.secret, self.application.master
        if of_activation:
            claims["activationId"] = self.activation_id
            key, signer = index_key(transport_key(self.master_secret), key), self.server_key
        answer = es256_claims(self.plain("/pa/v3/keystore/create", {"jwt": hs256(claims, key)})["jwt"], signer)
        for name, value in claims.items():
            assert answer[name] == value, f"{name} is {answer[name]}"
        assert 0 < answer["exp_ms"] - answer["iat_ms"] <= 300_000, answer
        assert (answer["iat"], answer["exp"]) == (answer["iat_ms"] // 1000, answer["exp_ms"] // 1000), answer
        return answer

    # Activation

    def activate(self, kind, identity, name="Phone", platform="ios", **more):
        """Agrees on keys. `more` stands in the inner order, such as `activationOtp`. Gives the outer answer."""
        device = ec.generate_private_key(ec.SECP256R1())
        inner = self.envelope(ORDER)
        order = {
            "devicePublicKey": text(point(device.public_key())), "activationName": name, "platform": platform, **more}
        answer = self.encrypted("/pa/v3/activation/create", {
            "type": kind, "identityAttributes": identity,
            "activationData": inner.seal_request(compact_json(order), self.now())})
        made = json.loads(inner.open(answer["activationData"]))
        self.adopt(device, made["activationId"], data(made["serverPublicKey"]), data(made["ctrData"]))
        return answer

    def adopt(self, device, activation_id, server_point, counter):
        """Takes over an activation: the device's private key, and what the server answered."""
        assert len(counter) == 16, counter
        self.device, self.server_key = device, public_key(server_point)
        self.master_secret = fold(agree(device, self.server_key))
        self.activation_id, self.counter, self.counter_number = activation_id, counter, 0
        self.temporary.pop(True, None)

    @property
    def fingerprint(self):
        return fingerprint(self.device.public_key(), self.server_key, self.activation_id)

    def status(self):
        """The standing as the server tells it, with `customObject` beside it."""
        challenge = secrets.token_bytes(16)
        answer = self.plain(
            "/pa/v3/activation/status", {"activationId": self.activation_id, "challenge": text(challenge)})
        transport = transport_key(self.master_secret)
        found = read_status(
            data(answer["encryptedStatusBlob"]), transport, challenge, data(answer["nonce"]))
        found["isInStep"] = found["hash"] == counter_hash(transport, self.counter)
        return {**found, "customObject": answer.get("customObject")}

    # Signatures

    def sign(self, method, resource, body, factors="possession_knowledge"):
        """The header that signs a call. The counter goes on, whatever becomes of the call."""
        nonce = text(secrets.token_bytes(16))
        keys = [number_key(self.master_secret, FACTORS[factor]) for factor in factors.split("_")]
        message = signed_data(method, resource, nonce, body, self.application.secret_text)
        code = signature(message, self.counter, keys)
        self.skip()
        return {"X-PowerAuth-Authorization": self.header(
            pa_version=self.version, pa_activation_id=self.activation_id, pa_application_key=self.application.key,
            pa_nonce=nonce, pa_signature_type=factors, pa_signature=text(code))}

    def skip(self, count=1):
        """Goes on with the counter, as if signed calls had been lost."""
        for _ in range(count):
            self.counter, self.counter_number = next_counter(self.counter), self.counter_number + 1

    def signed(self, path, request=None, factors="possession_knowledge"):
        body = compact_json({} if request is None else {"requestObject": request})
        headers = self.sign("POST", path.replace("/pa/v3/", "/pa/"), body, factors)
        status, answer = self.post(path, {"Content-Type": "application/json", **headers}, body)
        if status != 200:
            raise Refused(status, answer)
        document = json.loads(answer)
        assert document["status"] == "OK", document
        return document.get("responseObject")

    def validate(self, reason="check", factors="possession_knowledge"):
        return self.signed("/pa/v3/signature/validate", {"reason": reason}, factors)

    def remove(self, factors="possession_knowledge"):
        return self.signed("/pa/v3/activation/remove", factors=factors)

    # Tokens

    def fetch_token(self, factors="possession"):
        """Id and secret of a token that signs with these factors from now on."""
        made = self.encrypted(
            "/pa/v3/token/create", {}, TOKEN, headers=lambda body: self.sign("POST", TOKEN, body, factors))
        return made["tokenId"], data(made["tokenSecret"])

    def unlock_vault(self, reason="ADD_BIOMETRY", factors="possession_knowledge"):
        """The key of the vault, which only this phone can open."""
        content = {} if reason is None else {"reason": reason}
        told = self.encrypted(
            "/pa/v3/vault/unlock", content, VAULT, headers=lambda body: self.sign("POST", VAULT, body, factors))
        assert told["activationId"] == self.activation_id, told
        padded = cbc(transport_key(self.master_secret), bytes(16), data(told["encryptedVaultEncryptionKey"]), decrypts=True)
        assert len(padded) == 32 and padded[16:] == bytes([16]) * 16, "PKCS #7"
        return padded[:16]

    @property
    def vault_key(self):
        """The same, as the phone derives it when it is activated."""
        return number_key(self.master_secret, 2000)

    def token_header(self, token_id, secret):
        nonce, timestamp = secrets.token_bytes(16), self.now()
        return {"X-PowerAuth-Token": self.header(
            version=self.version, token_id=token_id,
            token_digest=text(token_digest(secret, nonce, timestamp, self.version)), nonce=text(nonce),
            timestamp=timestamp)}


# Self-check


def check_envelopes(vectors):
    for vector in vectors["envelopes"]:
        request, response = vector["request"], vector["response"]
        ephemeral = data(request["ephemeralPublicKey"])
        application = Application(vector["applicationKey"], data(vector["applicationSecret"]), None)
        transport = vector.get("transportKey")
        more = {"activation_id": vector.get("activationId"), "transport": data(transport) if transport else None,
                "temporary_id": request.get("temporaryKeyId")}
        if "privateKey" in vector:
            key = private_key(data(vector["privateKey"]))
            assert point(key.public_key()) == data(vector["publicKey"])
            shared = agree(key, public_key(ephemeral))
            assert shared == data(vector["sharedSecret"])
            more["shared"] = shared
        else:
            more["envelope_key"] = data(vector["envelopeKey"])
        envelope = Envelope(vector["protocolVersion"], vector["sharedInfo1"], application, ephemeral, **more)
        assert envelope.envelope_key == data(vector["envelopeKey"])
        assert envelope.base == data(vector.get("sharedInfo2Base", text(envelope.base)))
        assert envelope.associated == data(vector.get("associatedData", text(envelope.associated)))
        assert envelope.open(request, ephemeral) == data(vector["plainRequest"])
        assert envelope.open(response) == data(vector["plainResponse"])
        again = envelope.seal_request(data(vector["plainRequest"]), request["timestamp"], data(request["nonce"]))
        assert again == request, again
        again = envelope.seal(data(vector["plainResponse"]), response["timestamp"], nonce=data(response["nonce"]))
        assert again == response, again


def check_keys(vectors):
    for vector in vectors["masterSecrets"]:
        halves = [("serverPrivateKey", "devicePublicKey"), ("devicePrivateKey", "serverPublicKey")]
        for private, public in halves[:2 if "devicePrivateKey" in vector else 1]:
            shared = agree(private_key(data(vector[private])), public_key(data(vector[public])))
            assert fold(shared) == data(vector["masterSecretKey"])
    for vector in vectors["derivedKeys"]:
        secret = data(vector["masterSecretKey"])
        for name, number in {**FACTORS, "transport": 1000, "vault": 2000}.items():
            assert number_key(secret, number) == data(vector[name]), name


def check_status(vectors):
    for vector in vectors["statusIVs"]:
        found = status_iv(data(vector["transport"]), data(vector["challenge"]), data(vector["nonce"]))
        assert found == data(vector["iv"])
    for vector in vectors["statusBlobs"]:
        transport = data(vector["transport"])
        found = read_status(
            data(vector["encryptedStatusBlob"]), transport, data(vector["challenge"]), data(vector["nonce"]))
        assert found == {
            "state": STATES[vector["state"]], "versions": (3, 3), "counter": vector["counterByte"],
            "failed": vector["failedAttempts"], "most": vector["maxFailedAttempts"], "lookAhead": LOOK_AHEAD,
            "hash": data(vector["ctrDataHash"])}, found
        assert counter_hash(transport, data(vector["ctrData"])) == found["hash"]


def check_signatures(vectors):
    for vector in vectors["signatures"]:
        keys = [data(vector[factor]) for factor in vector["type"].split("_")]
        assert signature(data(vector["data"]), data(vector["ctrData"]), keys) == data(vector["signature"])


def check_codes(vectors):
    for vector in vectors["fingerprints"]:
        keys = [public_key(data(vector[name])) for name in ("devicePublicKey", "serverPublicKey")]
        assert fingerprint(*keys, vector["activationId"]) == vector["fingerprint"]
    for code in vectors["activationCodes"]:
        assert is_activation_code(code), code
        wrong = code[:-2] + ("B" if code[-2] == "C" else "C") + code[-1]
        assert not is_activation_code(wrong), wrong
    for vector in vectors["activationCodeSignatures"]:
        master = public_key(data(vector["masterPublicKey"]))
        master.verify(data(vector["signature"]), vector["code"].encode(), ec.ECDSA(hashes.SHA256()))
    for vector in vectors["configurations"]:
        application = Application.from_configuration(vector["configuration"])
        assert (application.key, application.secret_text) == (vector["applicationKey"], vector["applicationSecret"])
        assert point(application.master, compressed=False) == data(vector["masterPublicKey"])


def check_jwt(_vectors):
    claims, key = {"applicationKey": "a", "challenge": "c"}, ec.generate_private_key(ec.SECP256R1())
    head, body, code = hs256(claims, bytes(16)).split(".")
    assert json.loads(base64url_decoded(body)) == claims
    assert base64url_decoded(code) == mac(bytes(16), f"{head}.{body}".encode())
    signed = base64url(compact_json({"alg": "ES256", "typ": "JWT"})) + "." + base64url(compact_json(claims))
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    token = signed + "." + base64url(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
    assert es256_claims(token, key.public_key()) == claims
    try:
        es256_claims(token, ec.generate_private_key(ec.SECP256R1()).public_key())
    except InvalidSignature:
        return
    raise AssertionError("a JWT of another key was taken")


CHECKS = [check_envelopes, check_keys, check_status, check_signatures, check_codes, check_jwt]


def main():
    vectors = json.loads((Path(__file__).resolve().parent.parent / "Vectors/powerauth.json").read_text())
    for check in CHECKS:
        check(vectors)
        print(f"{check.__name__.removeprefix('check_')}: as published")
    print(f"{len(CHECKS)} passed, 0 failed")


if __name__ == "__main__":
    main()
