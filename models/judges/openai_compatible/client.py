"""The client library, told to send nothing about this machine and to decide nothing by itself."""

import logging
from typing import TYPE_CHECKING, Any

from models.connection.guard import Guard
from project.version import __version__

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_TELLING = ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
_TELLING_EACH = ("x-stainless-retry-count", "x-stainless-read-timeout")
_NO_KEY = "none"


def client_for(base: str, key: str, guard: Guard) -> "AsyncOpenAI":
    """Return a client that sends through the guard, tries once, and tells a server no more than it has to know.

    What the library's own variables say (`OPENAI_BASE_URL`, `OPENAI_ORG_ID`, `OPENAI_PROJECT_ID`, ...) is not used: a
    study says whom to ask.
    """
    from openai import AsyncOpenAI, Omit

    # They log headers and bodies, where keys and transcripts are.
    for name in ("openai", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    quiet: dict[str, Any] = {f"X-Stainless-{name}": Omit() for name in _TELLING}
    quiet |= {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit(), "User-Agent": f"Greenroom/{__version__}"}
    return AsyncOpenAI(
        api_key=key or _NO_KEY,
        base_url=base,
        max_retries=0,
        http_client=guard.async_client(),
        default_headers=quiet,
    )


def quiet_headers(client: "AsyncOpenAI") -> dict[str, Any]:
    """Return the headers that have to be left out of each request anew; without a key none is sent."""
    from openai import Omit

    return {name: Omit() for name in (*_TELLING_EACH, *(["Authorization"] if client.api_key == _NO_KEY else []))}
