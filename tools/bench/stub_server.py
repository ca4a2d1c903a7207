"""A model server in a process of its own that answers every question the same, after 50 ms.

It prints its port, and gives the bodies that it was asked at `/asked`.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

DELAY_S = 0.05
SAID = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "stub-1",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": '{"label": "error"}'}}
    ],
    "usage": {"prompt_tokens": 400, "completion_tokens": 8, "total_tokens": 408},
}
ANSWER = json.dumps(SAID).encode()


@contextmanager
def stub_server() -> Iterator[str]:
    """Start it; yields its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "tools.bench.stub_server"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


async def _serve() -> None:
    asked: list[str] = []

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = (
                    int(head.partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
                    if b"content-length:" in head
                    else 0
                )
                body = await reader.readexactly(length)
                answer = json.dumps(asked).encode() if head.startswith(b"get /asked") else ANSWER
                if body:
                    asked.append(body.decode())
                    await asyncio.sleep(DELAY_S)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(answer)
                )
                writer.write(answer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0, limit=1 << 22)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
