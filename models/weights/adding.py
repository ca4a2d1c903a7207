"""Installs weights from local files, for machines without a network and for networks that a lab brings."""

import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from models.weights import installed_weights, own_weights
from models.weights.installed_weights import (
    copy_with_digest,
    list_files,
    own_edition,
    weights_folder,
    write_record,
)
from models.weights.weights_catalogue import Edition, EditionFile, OwnWeightsRecord, Weights, find_entry
from project.errors import UserError, path_not_found
from project.files.atomic_files import explain_os_errors
from project.files.fingerprints import file_sha256
from project.progress import Progress, Silent, SubtaskProgress
from project.text_format import pluralize

_LISTED_FILES = 5
_DAMAGED_WHEEL = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError),
    # An unknown method, a password, a name that is no text.
    *(NotImplementedError, RuntimeError, ValueError),
)
FileTree = Path | zipfile.Path
"""A file or folder on disk or in a wheel."""


def add_weights(name: str, source: Path, licence: str = "", progress: Progress | None = None) -> Path:
    """Install weights from a file, or from a folder.

    Of weights of the catalogue, a file is the one that would be fetched, one of its editions; a folder holds it, or the
    parts it is built of, or the wheel they are in. Of weights that are a folder, it is that folder, one that holds it
    under a usual name, or the wheel. Of weights that a lab brings, it is any file whose inputs and outputs fit, any
    folder with what it must hold, or a wheel with such a folder in it, as spaCy's makers publish their pipelines;
    `licence` says under which they may be used. Progress is in bytes.
    """
    wanted = find_entry(name)
    require_addable(wanted, source, licence)
    with explain_os_errors(
        f"{source} cannot be copied to {weights_folder()}", "Free some space, or correct the folder's permissions."
    ):
        if wanted.is_own:
            return _add_own(wanted, source, licence, progress or Silent())
        return _add_known(wanted, source, progress or Silent())


def require_addable(wanted: Weights, source: Path, licence: str) -> None:
    """Raise where it is plain at once that weights cannot be added."""
    if not source.exists():
        raise path_not_found("file", source, f"Give {describe_expected(wanted)}.")
    if wanted.is_own and not licence:
        raise UserError(
            f"The weights “{wanted.name}” need a licence.", "Say under which licence you may use them: --licence TEXT"
        )


def describe_expected(wanted: Weights) -> str:
    """Return what has to be given to add some weights, in words."""
    if wanted.layout:
        return f"a folder with {', '.join(wanted.layout.needed)}, or a wheel that holds it"
    if wanted.is_own:
        return "a safetensors file" if wanted.tensors else "an ONNX file"
    files = [edition.file for edition in wanted.editions if not edition.is_folder]
    wheels = [edition.source.wheel for edition in wanted.editions if edition.source.wheel]
    named = " or ".join(dict.fromkeys([*files, *wheels]))
    folder = next((edition for edition in wanted.editions if edition.is_folder), None)
    if folder is None:
        return f"{named}, or the folder that holds it"
    listed = ", ".join(part.file for part in folder.parts[:_LISTED_FILES])
    rest = len(folder.parts) - _LISTED_FILES
    more = f" and {pluralize(rest, 'more file')}" if rest > 0 else ""
    return f"a folder with {listed}{more}{f', or {named}' if named else ''}"


def _add_known(wanted: Weights, source: Path, progress: Progress) -> Path:
    """Install the first edition whose files are right; where all files are wrong, tell the first error."""
    wrong: UserError | None = None
    for edition in _editions(wanted):
        for place in _places(edition, source):
            with _opened(place) as root:
                files = _find_files(edition, place, root)
                try:
                    if files:
                        return _add_edition(wanted.name, edition, files, place, progress)
                except UserError as error:
                    wrong = wrong or error
    if wrong:
        raise wrong
    known = ", ".join(edition.sha256 for edition in wanted.editions if not edition.is_folder)
    if source.is_dir() or not known:
        raise UserError(f"{source} does not contain the weights “{wanted.name}”.", f"Give {describe_expected(wanted)}.")
    raise UserError(
        f"{source} is not the file of “{wanted.name}” in the catalogue: {_difference(wanted, source)}.",
        f"Nothing was installed. The file must have the sha256 {known}.",
    )


def _editions(wanted: Weights) -> Iterator[Edition]:
    """Yield the editions, those that are built also as they are once somebody has built them."""
    for edition in wanted.editions:
        if edition.built:
            yield edition.whole()
        yield edition


def _places(edition: Edition, source: Path) -> Iterator[Path]:
    """Yield where the files of an edition may be: the source itself, or what it holds under a usual name."""
    yield source
    if source.is_dir():
        hub = edition.source.hub
        cached = f"models--{hub.replace('/', '--')}/snapshots/{edition.source.revision}" if hub else ""
        for name in (edition.file, hub.partition("/")[2], cached, edition.source.wheel):
            if name and (source / name).exists():
                yield source / name


@contextmanager
def _opened(place: Path) -> Iterator[FileTree]:
    """Give a folder, or what a wheel holds; nothing of a wheel is installed or run."""
    if not place.is_file() or not zipfile.is_zipfile(place):
        yield place
        return
    try:
        with zipfile.ZipFile(place) as archive:
            yield zipfile.Path(archive)
    except _DAMAGED_WHEEL:
        raise UserError(f"{place} is damaged: it cannot be unpacked.", "Get the wheel again.") from None


def _find_files(edition: Edition, place: Path, root: FileTree) -> dict[str, FileTree]:
    """Return each file of an edition by its name; none where one is lacking."""
    if place.is_file() and not edition.is_folder and not edition.source.wheel:
        (part,) = edition.parts
        is_right = place.stat().st_size == part.size and file_sha256(place) == part.sha256
        return {part.file: place} if is_right else {}
    inside = edition.source.inside
    files: dict[str, FileTree] = {
        part.file: root / (part.file if isinstance(root, Path) else f"{inside}{part.source_path}")
        for part in edition.parts
    }
    return files if all(file.is_file() for file in files.values()) else {}


def _add_edition(name: str, edition: Edition, files: Mapping[str, FileTree], place: Path, progress: Progress) -> Path:
    with _holding(edition.file) as held:
        for part, copied in zip(edition.parts, _copy_files(name, files, held, progress), strict=True):
            if copied.sha256 != part.sha256:
                raise installed_weights.wrong_file_error(part, copied.sha256, str(place))
        return installed_weights.install(edition, held)


def _add_own(wanted: Weights, source: Path, licence: str, progress: Progress) -> Path:
    """Check weights, copy them and write their record; the old ones stay until the new ones are whole."""
    with _holding(wanted.own_name) as held, _opened(source) as root:
        if wanted.layout and not isinstance(root, Path):
            parts = _copy_files(wanted.name, _find_folder(root.root, wanted.layout.needed), held, progress)
            fit = own_weights.require_fit(wanted, held)
        else:
            fit = own_weights.require_fit(wanted, source)
            files = list_files(source) if wanted.layout else {wanted.own_name: source}
            parts = _copy_files(wanted.name, files, held, progress)
        made = installed_weights.install(own_edition(wanted, parts), held)
        write_record(wanted, OwnWeightsRecord(parts, licence, fit))
        return made


@contextmanager
def _holding(file: str) -> Iterator[Path]:
    """Give a folder beside the weights that is gone after the block, unless it was renamed."""
    weights_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=weights_folder(), prefix=f".{file}.") as held:
        made = Path(held, "files")
        made.mkdir()
        yield made


def _copy_files(name: str, files: Mapping[str, FileTree], held: Path, progress: Progress) -> tuple[EditionFile, ...]:
    """Copy files of weights to a folder, by their paths inside it."""
    sizes = {inside: _size(file) for inside, file in files.items()}
    total = sum(sizes.values())
    installed_weights.require_room(name, total)
    parts: list[EditionFile] = []
    for inside, file in files.items():
        copy = held / inside
        copy.parent.mkdir(parents=True, exist_ok=True)
        share = SubtaskProgress(progress, sum(part.size for part in parts), sizes[inside], total)
        with file.open("rb") as content:
            parts.append(EditionFile(inside, sizes[inside], copy_with_digest(content, copy, share, sizes[inside])))
    return tuple(parts)


def _size(file: FileTree) -> int:
    return file.stat().st_size if isinstance(file, Path) else file.root.getinfo(file.at).file_size


def _find_folder(wheel: zipfile.ZipFile, needed: Sequence[str]) -> dict[str, FileTree]:
    """Return the files of the one folder inside a wheel that holds all files of a list, by their paths inside it."""
    names = {name for name in wheel.namelist() if not name.endswith("/")}
    if any("\\" in name or {"", ".."} & {*name.split("/")} for name in names):
        raise UserError("A file name in the wheel leads outside the wheel.", "Get the wheel from its publisher.")
    folders = {name[: -len(needed[0])] for name in names if name == needed[0] or name.endswith(f"/{needed[0]}")}
    holding = sorted(folder for folder in folders if all(folder + file in names for file in needed))
    if not holding:
        raise UserError(f"The wheel has no folder with {', '.join(needed)}.", "Give the folder itself.")
    inside = {name[len(holding[0]) :]: name for name in sorted(names) if name.startswith(holding[0])}
    return {
        file: zipfile.Path(wheel, name)
        for file, name in inside.items()
        if not any(part.startswith(".") for part in PurePosixPath(file).parts)
    }


def _difference(wanted: Weights, file: Path) -> str:
    """Return how a wrong file differs, in a few words: another network, or another checksum."""
    if not wanted.networks:
        return "its checksum is wrong"
    try:
        found = own_weights.read_signature(file)
    except UserError:
        return "its checksum is wrong and it is no network"
    if own_weights.match_signature(found, wanted.networks):
        return "it takes and gives the same, but its checksum is wrong"
    return f"it is another network ({found}, not {wanted.networks[0]})"
