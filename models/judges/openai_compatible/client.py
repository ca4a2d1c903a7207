"""The client library, told to send nothing about this machine and to decide nothing by itself."""

import logging
from typing import TYPE_CHECKING

from models.connection.guard import Guard
from project.version import __version__

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

_OURS = {"accept", "accept-encoding", "connection", "content-length", "content-type", "transfer-encoding"}
"""Headers that say nothing but how the body is written; all others that the library thinks of are taken out."""
_NO_KEY = "none"


def client_for(base: str, key: str, guard: Guard) -> "AsyncOpenAI":
    """Return a client that sends through the guard, tries once, and tells a server no more than it has to know.

    What the library's own variables say (`OPENAI_BASE_URL`, `OPENAI_ORG_ID`, `OPENAI_CUSTOM_HEADERS`, ...) is not used:
    a study says whom to ask, and what is in them may be the keys of other servers.
    """
    from openai import AsyncOpenAI

    # They log headers and bodies, where keys and transcripts are.
    for name in ("openai", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)

    async def plain(request: "httpx2.Request") -> None:
        for name in {*request.headers} - _OURS:
            del request.headers[name]
        request.headers["Host"] = request.url.netloc.decode("ascii")
        request.headers["User-Agent"] = f"Greenroom/{__version__}"
        if key:
            request.headers["Authorization"] = f"Bearer {key}"

    client = guard.async_client()
    client.event_hooks = {"request": [plain]}
    return AsyncOpenAI(api_key=key or _NO_KEY, base_url=base, max_retries=0, http_client=client)
