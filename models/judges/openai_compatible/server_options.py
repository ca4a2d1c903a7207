"""The options of a judge behind an OpenAI-compatible server; nothing heavy is imported here."""

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from models.judges.judge_interface import ModelOptions
from project.errors import UserError
from project.option_limits import limited_field, text_field

DEFAULT_URL = "https://api.openai.com/v1"
_ENDPOINTS = ("/chat/completions", "/completions", "/models")


def normalize_base_url(url: str) -> str:
    """Return the base of a server's addresses, such as `http://localhost:8000/v1`.

    `/v1` is added where there is no path, and the address of an endpoint is cut back to the base.
    """
    hint = f"Give one such as http://localhost:8000/v1 or {DEFAULT_URL}."
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


def host_and_port(base: str) -> str:
    """Return the host and port of an address, for people."""
    return urlsplit(base).netloc


def host_name(base: str) -> str:
    """Return the host of an address without its port."""
    return urlsplit(base).hostname or ""


@dataclass(frozen=True)
class OpenAIOptions(ModelOptions):
    """How a server is asked.

    Attributes:
        url: base of its addresses, such as `http://localhost:8000/v1`.
        tries: how often a request may be made until it is answered.
        patience_s: that one request may take with all its tries and waits, in seconds; at least `timeout_s`.
    """

    url: str = text_field(
        DEFAULT_URL, 300, "Address", "Base of the server's addresses, such as http://localhost:8000/v1."
    )
    tries: int = limited_field(5, 1, 20, "Tries", "How often a request is made until the server answers it.")
    patience_s: float = limited_field(
        300.0, 1.0, 7200.0, "Patience", "Seconds for one request with all tries and waits."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        # What is set is kept in a study: an address with a password in it must not get that far.
        normalize_base_url(self.url)
