"""Send one request, and say what became of it."""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from models.connection.guard import reason_of
from models.judges.ladder import Completion
from models.judges.openai_compatible.answers import completion_of
from models.judges.openai_compatible.failures import Cause, Failure, failure_of
from models.judges.openai_compatible.retrying import hinted
from models.judges.openai_compatible.scrubbing import Scrubber
from project.errors import Cancelled
from project.policy import Forbidden
from project.types import Json

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from openai._types import RequestOptions

_NOT_ASKED_FOR = "none"
"""Else the library would draw a random one for each request, and send it nowhere."""


async def send(
    client: "AsyncOpenAI", body: Mapping[str, Json], limit_s: float, scrubber: Scrubber
) -> Completion | Failure:
    """Send a request for a completion, once.

    Args:
        client: of the server.
        body: of the request.
        limit_s: from the start to the last byte of the answer, in seconds.
        scrubber: keeps the key out of what is kept.

    Raises:
        project.policy.Forbidden: the policy does not let the request leave this machine.
        project.errors.Cancelled: whoever was to permit it was told to stop.
    """
    answer = await fetch(client, "/chat/completions", limit_s, body)
    return answer if isinstance(answer, Failure) else completion_of(answer, scrubber)


async def fetch(
    client: "AsyncOpenAI", path: str, limit_s: float, body: Mapping[str, Json] | None = None
) -> bytes | Failure:
    """Fetch what a server answers at a path, once; raises as `send` does.

    The library's typed methods are not used: they spend more time on looking through a request than on sending it.
    """
    import httpx2
    from openai import APIStatusError, OpenAIError

    options: RequestOptions = {"timeout": limit_s, "idempotency_key": _NOT_ASKED_FOR}
    try:
        async with asyncio.timeout(limit_s):
            if body is None:
                return (await client.get(path, cast_to=httpx2.Response, options=options)).content
            return (await client.post(path, cast_to=httpx2.Response, body=body, options=options)).content
    except TimeoutError:
        return Failure(Cause.BUSY, 0, f"no whole answer within {limit_s:,.0f} s", lost=True)
    except APIStatusError as error:
        return _refusal(error)
    except Exception as error:
        return _unsent(error, isinstance(error, OpenAIError))


def _refusal(error: "APIStatusError") -> Failure:
    body = error.response.content.decode("utf-8", "replace")
    return failure_of(error.status_code, body, hinted(error.response.headers, datetime.now(UTC)))


def _unsent(error: Exception, expected: bool) -> Failure:
    """Say why there was no answer at all.

    Raises:
        Exception: what was raised, where it is for others to deal with.
    """
    reason = reason_of(error)
    if isinstance(reason, Forbidden | Cancelled):
        raise reason from None
    if reason is not None:
        return Failure(Cause.OTHER, 0, reason.message)
    if not expected:
        raise error
    causes = [*_causes(error)]
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return Failure(Cause.OTHER, 0, "its certificate is not one that this machine trusts")
    unknown = [cause for cause in causes if isinstance(cause, socket.gaierror)]
    if any(cause.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)) for cause in unknown):
        return Failure(Cause.OTHER, 0, "no machine has this name")
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return Failure(Cause.BUSY, 0, "nothing listens there; is the server running?")
    return Failure(Cause.BUSY, 0, _words(causes), lost=True)


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.append(at)
        at = at.__cause__ or at.__context__
    return found


def _words(causes: list[BaseException]) -> str:
    deepest = next((str(cause) for cause in reversed(causes[1:]) if str(cause)), "")
    return f"the connection broke off ({deepest})" if deepest else "the connection broke off"
