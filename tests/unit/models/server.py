"""A small web server on this machine that sends one file, and can be told to misbehave."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Sender:
    """What the server does.

    Attributes:
        content: the file.
        cut_at: bytes of an answer after which the connection ends; None: never.
        takes_ranges: it can send the rest of a file.
        status: an error that it answers everything with; 0: none.
        asked: the `Range` of every request, "" where there was none.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.cut_at: int | None = None
        self.takes_ranges = True
        self.status = 0
        self.asked: list[str] = []
        self.url = ""


@contextmanager
def serving(content: bytes) -> Iterator[Sender]:
    """Serve while the block runs."""
    sender = Sender(content)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            sender.asked.append(wanted)
            if sender.status:
                self.send_error(sender.status)
                return
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and sender.takes_ranges else 0
            rest = sender.content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest[: sender.cut_at])

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sender.url = f"http://127.0.0.1:{server.server_port}/weights.onnx"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield sender
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
