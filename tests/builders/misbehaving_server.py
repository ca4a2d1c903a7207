"""A model server on loopback that misbehaves as it is told: slow, cut off, endless, wrong, talkative about keys."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.builders.waiting import HANG_S

MODEL = "fake-1"
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came.

    Attributes:
        headers: names in lower case.
        body: as JSON; None where there is none.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass
class Server:
    """What it does, and what came.

    Attributes:
        behaviours: of one request after the other; the last one of all further ones.
        models: that it lists.
        url: base of its addresses.
        asked: requests for completions, in the order in which they came.
        listed: requests for its models.
        connections: that were opened to it.
        busiest: requests for completions that were under way at once, at most.
        left: set when somebody who was still being answered closed the connection.
    """

    behaviours: "list[Behaviour]"
    models: list[dict[str, Any]] = field(default_factory=lambda: [{"id": MODEL, "owned_by": "library"}])
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    listed: list[Asked] = field(default_factory=list)
    connections: int = 0
    busiest: int = 0
    left: threading.Event = field(default_factory=threading.Event)
    _at_once: int = 0

    def _next(self) -> "Behaviour":
        return self.behaviours[min(len(self.asked), len(self.behaviours)) - 1]


Behaviour = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


@contextmanager
def misbehaving(*behaviours: Behaviour) -> Iterator[Server]:
    """Serve while the block runs; without behaviours it answers `{}`."""
    server = Server(list(behaviours) or [says("{}")])
    started = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        listening = await asyncio.start_server(lambda *streams: _serve(server, *streams), "127.0.0.1", 0)
        server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        started.set()
        await stop.wait()
        listening.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(HANG_S)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


async def _serve(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    server.connections += 1
    try:
        while asked := await _read(reader):
            if asked.method == "GET":
                server.listed.append(asked)
                await _send(writer, 200, json.dumps({"object": "list", "data": server.models}).encode())
                continue
            server.asked.append(asked)
            server._at_once += 1
            server.busiest = max(server.busiest, server._at_once)
            try:
                await _answer(server, asked, reader, writer)
            finally:
                server._at_once -= 1
            if writer.is_closing():
                return
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def _answer(server: Server, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Do what comes next, unless whoever asked goes away first."""
    doing = asyncio.ensure_future(server._next()(asked, writer))
    gone = asyncio.ensure_future(_gone(reader))
    try:
        await asyncio.wait({doing, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            server.left.set()
            raise ConnectionResetError
        try:
            doing.result()
        except ConnectionError:
            server.left.set()
            raise
    except asyncio.CancelledError:
        doing.cancel()
        raise
    finally:
        doing.cancel()
        gone.cancel()
        await asyncio.gather(doing, gone, return_exceptions=True)


async def _gone(reader: asyncio.StreamReader) -> None:
    while not reader.at_eof() and reader.exception() is None:
        await asyncio.sleep(0.005)


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    method, path, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(method, path, headers, json.loads(body) if body else None)


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    kind: str = "application/json",
    headers: Mapping[str, str] | None = None,
    length: int | None = None,
) -> None:
    lines = [
        f"HTTP/1.1 {status} Said",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body) if length is None else length}",
    ]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)
    await writer.drain()


def completion(text: str | None, finish: str = "stop", model: str = MODEL, **message: Any) -> dict[str, Any]:
    """Return what a server that behaves would answer."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "system_fingerprint": "fp_1",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def answers(found: Any, status: int = 200, **headers: str) -> Behaviour:
    """Answer with JSON; `_` in the names of headers stands for `-`."""

    async def behave(asked: Asked, writer: asyncio.StreamWriter) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        await _send(writer, status, json.dumps(found).encode(), headers=named)

    return behave


def says(text: str | None, finish: str = "stop", **message: Any) -> Behaviour:
    """Answer as a model server does: an answer, prose, nothing, a megabyte, or whatever the text is."""
    return answers(completion(text, finish, **message))


def fails(status: int, message: str = "it does not work", **headers: str) -> Behaviour:
    """Answer with an error as OpenAI's servers put it."""
    return answers({"error": {"message": message, "type": "error", "code": None}}, status, **headers)


def sends(body: bytes, kind: str = "application/json", status: int = 200) -> Behaviour:
    """Answer with any bytes under any content type: invalid JSON, a web page, noise."""

    async def behave(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await _send(writer, status, body, kind)

    return behave


def waits(seconds: float, then: Behaviour) -> Behaviour:
    """Take so long before doing something else."""

    async def behave(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        await then(asked, writer)

    return behave


async def hangs(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Take the request and never answer."""
    await asyncio.Event().wait()


async def drips(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Send a byte of white space now and then, so that no read ever times out."""
    await _send(writer, 200, b"", length=_MEGABYTE)
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)


async def hangs_up(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Close the connection without a word."""
    writer.close()


async def cuts_off(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Close the connection in the middle of the answer."""
    whole = json.dumps(completion('{"verdict": "none"}')).encode()
    await _send(writer, 200, whole[: len(whole) // 2], length=len(whole))
    writer.close()


async def never_ends(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Send events without end, as a stream that nobody asked for."""
    writer.write(b"HTTP/1.1 200 Said\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    event = b'data: {"choices": [{"delta": {"content": "and"}}]}\n\n' * 1000
    while True:
        writer.write(b"%x\r\n%b\r\n" % (len(event), event))
        await writer.drain()


async def echoes_the_key(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Refuse, and say the key that came."""
    key = asked.headers.get("authorization", "").removeprefix("Bearer ")
    error = {"message": f"Incorrect API key provided: {key} ({key[:6]}****{key[-4:]})", "code": "invalid_api_key"}
    await _send(writer, 401, json.dumps({"error": error}).encode(), headers={"WWW-Authenticate": f"Bearer {key}"})


async def repeats_the_key(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Answer, and say the key that came in the answer itself."""
    key = asked.headers.get("authorization", "").removeprefix("Bearer ")
    text = json.dumps({"verdict": "error", "why": f"because of {key}"})
    await _send(writer, 200, json.dumps(completion(text, reasoning_content=f"the key is {key}")).encode())


def refuses(fields: Callable[[Mapping[str, Any]], str], then: Behaviour, status: int = 400) -> Behaviour:
    """Answer with an error while `fields` finds something wrong with the body; "" where it finds nothing."""

    async def behave(asked: Asked, writer: asyncio.StreamWriter) -> None:
        wrong = fields(asked.body)
        await (fails(status, wrong) if wrong else then)(asked, writer)

    return behave
