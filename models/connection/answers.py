"""Answers that end with an error where they are longer than any answer can be."""

from collections.abc import AsyncIterator, Iterator

import httpx2

from models.connection.guard import AnswerTooLong, Guard
from models.connection.parcel import current
from project.policy import Purpose
from project.sizes import size_text

_SHORT = {Purpose.JUDGE, Purpose.TEST}


def longest(guard: Guard) -> int:
    """Return how many bytes an answer to a request made here may have; 0 where it may have any number."""
    parcel = current()
    return guard.longest_answer if parcel is not None and parcel.purpose in _SHORT else 0


class Short(httpx2.SyncByteStream):
    """An answer that ends with an error where it is longer than it may be."""

    def __init__(self, response: httpx2.Response, most: int) -> None:
        assert isinstance(response.stream, httpx2.SyncByteStream)
        self._stream, self._most = response.stream, most
        _refuse_packed(response, most)

    def __iter__(self) -> Iterator[bytes]:
        came = 0
        for part in self._stream:
            came += len(part)
            _refuse_long(came, self._most)
            yield part

    def close(self) -> None:
        """Give the connection back."""
        self._stream.close()


class AsyncShort(httpx2.AsyncByteStream):
    """The same for asyncio."""

    def __init__(self, response: httpx2.Response, most: int) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        self._stream, self._most = response.stream, most
        _refuse_packed(response, most)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        came = 0
        async for part in self._stream:
            came += len(part)
            _refuse_long(came, self._most)
            yield part

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._stream.aclose()


def _refuse_packed(response: httpx2.Response, most: int) -> None:
    """Return quietly unless an answer may grow without end while it is unpacked; nobody asked for a packed one."""
    if most and response.headers.get("Content-Encoding", "identity") != "identity":
        raise AnswerTooLong("The server answers in packed form, which was not asked for.", "Ask another server.")


def _refuse_long(came: int, most: int) -> None:
    if most and came > most:
        raise AnswerTooLong(
            f"The server answers with more than {size_text(most)}.", "No answer is that long; ask another server."
        )
