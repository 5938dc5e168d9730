"""Connections to a server under test, over TLS where it speaks that, and the certificates for it."""
import datetime
import http.client
import ipaddress
import os
import socket
import ssl
import tempfile
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def make_certificate(name, hosts=("127.0.0.1", "localhost"), issuer=None, is_authority=False, days=30):
    """A certificate of P-256 and its key, issued by (certificate, key) or by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True))
    if hosts:
        builder = builder.add_extension(x509.SubjectAlternativeName([alternative(host) for host in hosts]), critical=False)
    return builder.sign(issuer[1] if issuer else key, hashes.SHA256()), key


def server_certificate(name, days=30):
    """One that `TRUST` trusts."""
    return make_certificate(name, issuer=AUTHORITY, days=days)


def authority_text():
    """The certificate of `AUTHORITY`, in PEM."""
    return AUTHORITY[0].public_bytes(serialization.Encoding.PEM)


def alternative(host):
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def write_certificate(pair, certificate_path, key_path):
    """By renames, as certificate clients do."""
    certificate, key = pair
    text = certificate.public_bytes(serialization.Encoding.PEM)
    replace(certificate_path, text, 0o644)
    replace(key_path, key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()), 0o600)


def server_context(pair):
    """TLS of a server with this certificate and key."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="holdfast-tls-") as folder:
        certificate, key = Path(folder, "certificate.pem"), Path(folder, "key.pem")
        write_certificate(pair, certificate, key)
        context.load_cert_chain(certificate, key)
    return context


def replace(path, content, mode):
    fresh = Path(f"{path}.new")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(content)
    fresh.rename(path)


def http_connection(parts, timeout):
    """A connection for the parts of a base URL."""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(parts.hostname, parts.port, timeout=timeout, context=TRUST)
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)


def connect(port, timeout, over_tls, context=None):
    """A socket for raw bytes. An end without the end of TLS is an error there, and not the end."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not over_tls:
        return connection
    return (context or TRUST).wrap_socket(connection, server_hostname="127.0.0.1", suppress_ragged_eofs=False)


# Issues the certificates of servers under test; `TRUST` trusts it and no other.
AUTHORITY = make_certificate("authority of the tests", hosts=(), is_authority=True)
TRUST = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TRUST.load_verify_locations(cadata=authority_text().decode())
