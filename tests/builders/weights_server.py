"""A small web server on this machine that sends files, and can be told to misbehave."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


class Sender:
    """What the server does.

    Attributes:
        content: of every file that is not in `files`.
        files: content by path.
        kinds: content type by path.
        cut_at: bytes of an answer after which the connection ends; None: never.
        takes_ranges: it can send the rest or a piece of a file.
        status: an error that it answers everything with; 0: none.
        asked: the `Range` of every request, "" where there was none.
        paths: of every request.
        accounts: the `Authorization` of every request, "" where there was none.
        sent: bytes of all answers.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.files: dict[str, bytes] = {}
        self.kinds: dict[str, str] = {}
        self.cut_at: int | None = None
        self.takes_ranges = True
        self.status = 0
        self.asked: list[str] = []
        self.paths: list[str] = []
        self.accounts: list[str] = []
        self.sent = 0
        self.base = ""

    @property
    def url(self) -> str:
        return f"{self.base}/weights.onnx"


@contextmanager
def serving(content: bytes = b"") -> Iterator[Sender]:
    """Serve while the block runs."""
    sender = Sender(content)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            sender.asked.append(wanted)
            sender.paths.append(self.path)
            sender.accounts.append(self.headers.get("Authorization", ""))
            if sender.status or (sender.files and self.path not in sender.files):
                self.send_error(sender.status or 404)
                return
            whole = sender.files.get(self.path, sender.content)
            piece, first = _piece(whole, wanted) if sender.takes_ranges else (whole, None)
            self.send_response(200 if first is None else 206)
            self.send_header("Content-Type", sender.kinds.get(self.path, "application/octet-stream"))
            self.send_header("Content-Length", str(len(piece)))
            if first is not None:
                self.send_header("Content-Range", f"bytes {first}-{first + len(piece) - 1}/{len(whole)}")
            self.end_headers()
            sender.sent += len(piece[: sender.cut_at])
            self.wfile.write(piece[: sender.cut_at])

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sender.base = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield sender
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _piece(whole: bytes, wanted: str) -> tuple[bytes, int | None]:
    """Return what a range asks for, and where it begins; None where nothing but all is asked for."""
    asked = _RANGE.fullmatch(wanted)
    if asked is None or asked.groups() == ("0", ""):
        return whole, None
    start, end = asked.groups()
    if not start:
        first = max(0, len(whole) - int(end))
        return whole[first:], first
    return whole[int(start) : int(end) + 1 if end else None], int(start)
