"""Where a server is, as its judge is told."""

from urllib.parse import SplitResult, urlsplit

from project.errors import UserError

HOSTED = "https://api.openai.com/v1"
_ENDPOINTS = ("/chat/completions", "/completions", "/models")


def base_of(url: str) -> str:
    """Return the base of a server's addresses, such as `http://localhost:8000/v1`.

    `/v1` is added where there is no path, and the address of an endpoint is cut back to the base.

    Raises:
        UserError: it is no address of a server, or has something in it that does not belong into a study.
    """
    hint = f"Give one such as http://localhost:8000/v1 or {HOSTED}."
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise UserError("The address of the judge's server cannot be read.", hint) from None
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UserError(
            "The address of a judge's server holds more than a host and a path.",
            "Leave out names, passwords and what follows a “?”; a key is set with: greenroom judge key",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        # It is not repeated: a password may be in what was meant to be one.
        raise UserError("This is no address of a server.", hint)
    path = parts.path.rstrip("/")
    for endpoint in _ENDPOINTS:
        path = path.removesuffix(endpoint)
    return SplitResult(parts.scheme, parts.netloc.lower(), path or "/v1", "", "").geturl()


def host_of(base: str) -> str:
    """Return the host and port of an address, for people."""
    return urlsplit(base).netloc


def name_of(base: str) -> str:
    """Return the host of an address without its port."""
    return urlsplit(base).hostname or ""
