"""Bytes from an address: redirects hop by hop, accounts that stay with their host, and errors in a few words."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from models.weights.download import Unreachable, download, open_url, permitted_by
from project.entities.egress_policy import Forbidden
from project.progress import Silent
from tests.builders.weights_server import Sender, serving
from tests.builders.wire import Judging

CONTENT = bytes(range(256)) * 500


@pytest.fixture
def sender() -> Iterator[Sender]:
    with serving(CONTENT) as running:
        yield running


@contextmanager
def saying(answer: bytes) -> Iterator[str]:
    """A server that says the same to everybody and hangs up; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def fetched(url: str, held: Path, authority: Judging) -> bytes:
    with permitted_by(authority):
        download(url, len(CONTENT), held, Silent())
    return held.read_bytes()


def test_a_redirect_is_followed_and_each_hop_is_a_request_of_its_own(sender: Sender, tmp_path: Path) -> None:
    place = sender.url.replace("127.0.0.1", "localhost")
    authority = Judging()
    with saying(f"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: {place}\r\n\r\n".encode()) as url:
        account = url.replace("http://", "http://ada:secret@")
        assert fetched(f"{account}/toy", tmp_path / "toy.part", authority) == CONTENT
    hops = [(asked.host, asked.redirected_from) for asked in authority.asked]
    assert hops == [("127.0.0.1", ""), ("localhost", "127.0.0.1")]
    assert sender.accounts == [""]


def test_an_account_is_sent_to_its_host_and_the_rest_is_asked_for_where_it_was_redirected(
    sender: Sender, tmp_path: Path
) -> None:
    held = tmp_path / "toy.part"
    held.write_bytes(CONTENT[:1000])
    with saying(f"HTTP/1.1 307 Away\r\nContent-Length: 0\r\nLocation: {sender.url}\r\n\r\n".encode()) as url:
        assert fetched(f"{url}/toy", held, Judging()) == CONTENT
    assert sender.asked == ["bytes=1000-"]
    account = sender.url.replace("http://", "http://ada:se%20cret@")
    fetched(account, tmp_path / "other.part", Judging())
    assert sender.accounts == ["", "Basic YWRhOnNlIGNyZXQ="]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 128000\r\n\r\nhello", "the connection ended early"),
        (b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", " answers 503"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "127.0.0.1:"),
        (b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ftp://example.org/x\r\n\r\n", "ftp"),
    ],
)
def test_a_server_that_misbehaves_is_a_source_that_cannot_be_reached(answer: bytes, words: str, tmp_path: Path) -> None:
    with saying(answer) as url, pytest.raises(Unreachable) as raised:
        fetched(f"{url}/toy", tmp_path / "toy.part", Judging())
    assert words in raised.value.message
    assert len(raised.value.message) < 160
    assert "\n" not in raised.value.message


def test_a_download_that_nobody_accounts_for_is_not_made(sender: Sender) -> None:
    with pytest.raises(Forbidden) as raised, open_url(sender.url, {}):
        pass
    assert raised.value.rule == "recorded"
    assert sender.paths == []
