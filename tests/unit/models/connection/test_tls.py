"""TLS under the guard: the address is the one that was permitted, and the certificate must name the host."""

import datetime
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from models.connection.addresses import NetworkAccess
from models.connection.guard import ApprovedContent, Guard
from tests.builders.wire import Judging, send

pytest.importorskip("cryptography")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of box.lab that signs itself, with its key in the same file."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "box.lab")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("box.lab")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "box.pem"
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(private + made.public_bytes(pem))
    return file


@pytest.fixture(scope="module")
def port(certificate: Path) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def guard(monkeypatch: pytest.MonkeyPatch, certificate: Path) -> Guard:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    return Guard(
        Judging(),
        ApprovedContent(),
        NetworkAccess(resolve=lambda host, port: ("127.0.0.1",), is_known_locally=lambda host: True),
    )


def test_the_host_that_the_certificate_names_is_reached_at_the_permitted_address_and_no_other_there(
    guard: Guard, port: int
) -> None:
    assert send(guard, f"https://box.lab:{port}/").text == "hello"
    with pytest.raises(httpx2.ConnectError, match=r"(?i)certificate|hostname"):
        send(guard, f"https://other.lab:{port}/")


def test_a_certificate_that_nobody_vouches_for_is_refused(
    guard: Guard, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(httpx2.ConnectError, match=r"(?i)certificate"):
        send(guard, f"https://box.lab:{port}/")
