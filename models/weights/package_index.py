"""Where the package index is that pip is set to, and where it keeps a file of a project."""

import configparser
import json
import os
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from models.weights.download import Unreachable, asked, host

INDEX_VARIABLE = "PIP_INDEX_URL"
_USUAL = "https://pypi.org/simple"
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_LONGEST = 64 << 20


def index_address() -> str:
    """Return the index that pip would use: the variable's, then that of pip's settings files, then PyPI."""
    chosen = os.environ.get(INDEX_VARIABLE)
    return (chosen or next(_configured(), _USUAL)).rstrip("/")


def file_address(project: str, file: str) -> str:
    """Return the address of a file of a project, by the index's simple API (PEP 503 and 691).

    Raises:
        Unreachable: the index cannot be reached, or does not have it.
        Forbidden: the authority does not permit to ask it.
    """
    page = f"{index_address()}/{project}/"
    try:
        with asked(page, {"Accept": _ACCEPT}) as answer:
            kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            content = answer.read_all(_LONGEST).decode("utf-8", "replace")
            links = _json_links(content) if kind.endswith("json") else _html_links(content)
    except (ValueError, KeyError, AttributeError, TypeError):
        raise Unreachable(f"{host(page)} does not answer as a package index does") from None
    for link in links:
        if unquote(urlsplit(link).path).rpartition("/")[2] == file:
            return urljoin(page, link.partition("#")[0])
    raise Unreachable(f"the package index has no {file}")


def _configured() -> Iterator[str]:
    for file in _pip_files():
        settings = configparser.ConfigParser(interpolation=None)
        try:
            settings.read(file, "utf-8")
        except (configparser.Error, OSError, UnicodeDecodeError):
            continue
        for section in ("install", "global"):
            if address := settings.get(section, "index-url", fallback=""):
                yield address


def _pip_files() -> Iterator[Path]:
    """Yield pip's settings files, those that win first (pip's documentation, Configuration Files)."""
    if named := os.environ.get("PIP_CONFIG_FILE"):
        yield Path(named)
    yield Path(sys.prefix) / "pip.conf"
    yield Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "pip" / "pip.conf"
    yield Path.home() / ".pip" / "pip.conf"
    yield Path("/etc/pip.conf")


def _json_links(content: str) -> list[str]:
    return [str(file["url"]) for file in json.loads(content).get("files", [])]


def _html_links(content: str) -> list[str]:
    reader = _Links()
    reader.feed(content)
    return reader.links


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]
