"""Searches files on this machine for personal strings: exports beside a study, caches, settings, logs."""

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from project.encryption.encryption_key import starts_encrypted
from project.erasure.subject_terms import IdentifyingTerms

_MEDIA_ENDINGS = (
    ".mp4 .mov .mkv .avi .webm .m4v .mpg .mpeg .mts .mp3 .wav .m4a .flac .ogg .aac .png .jpg .jpeg .gif .tif .tiff "
    ".webp .bmp .npz .npy .onnx .gguf .task .tflite .safetensors"
)
MEDIA_SUFFIXES = frozenset(_MEDIA_ENDINGS.split())
"""Endings of pictures, sound, arrays and models: of these, the name alone is looked at."""
_MAX_FILE_BYTES = 64 << 20
_PIECE_CHARS, _OVERLAP_CHARS = 1 << 16, 256
_PRINTABLE_RUN = re.compile(rb"[\x20-\x7e\x80-\xff]{4,}")
_UTF16_RUN = re.compile(rb"(?:[\x20-\x7e\xa0-\xff]\x00){4,}")
_GZIP_MAGIC = b"\x1f\x8b\x08"
_UNREADABLE_MAGICS = (
    b"%PDF-",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"\xfd7zXZ\x00",
    b"BZh",
    b"\x28\xb5\x2f\xfd",
)
"""First bytes of files that are compressed in ways that are not read: PDF, 7z, RAR, xz, ..."""


@dataclass(frozen=True, slots=True)
class PersonalFileMatch:
    """A file that names somebody or holds something of theirs: in its own name, or in its content."""

    path: Path
    by_name: bool
    by_content: bool


@dataclass(frozen=True, slots=True)
class FolderSearch:
    """What a search of folders came to.

    Attributes:
        files: how many files were looked at.
        matches: those that hold something.
        unread: those whose content was not looked at, or could not be: media, too large, or not to be read.
    """

    files: int = 0
    matches: tuple[PersonalFileMatch, ...] = ()
    unread: tuple[Path, ...] = ()

    @property
    def deletable(self) -> tuple[PersonalFileMatch, ...]:
        """Those that may be deleted: no footage, of which only the name is known."""
        return tuple(
            file_match
            for file_match in self.matches
            if file_match.by_content or file_match.path.suffix.lower() not in MEDIA_SUFFIXES
        )


def list_files(folder: Path, depth: int = 3) -> Iterator[Path]:
    """Yield the files of a folder and of those in it; no link is followed."""
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    for place in inside:
        if place.is_symlink():
            continue
        if place.is_dir() and depth:
            yield from list_files(place, depth - 1)
        elif place.is_file():
            yield place


def search_files(
    files: Iterable[Path], wording: IdentifyingTerms, base: Path, left_out: Collection[Path] = ()
) -> FolderSearch:
    """Search files for what is somebody's, in their names below `base` and in their content."""
    count, found, unread = 0, [], []
    for file in files:
        if file in left_out:
            continue
        count += 1
        by_name = wording.matches_text(_name_below(file, base))
        content = _file_holds(file, wording)
        if content is None:
            unread.append(file)
        if by_name or content:
            found.append(PersonalFileMatch(file, by_name, bool(content)))
    return FolderSearch(count, tuple(found), tuple(unread))


def _name_below(file: Path, base: Path) -> str:
    try:
        return str(file.relative_to(base))
    except ValueError:
        return file.name


def _file_holds(file: Path, wording: IdentifyingTerms) -> bool | None:
    """Tell whether the content of a file holds something; None where nobody looked."""
    try:
        if file.suffix.lower() in MEDIA_SUFFIXES or file.stat().st_size > _MAX_FILE_BYTES:
            return None
        if zipfile.is_zipfile(file):
            return _zip_holds(file, wording)
        return _content_holds(file.read_bytes(), wording)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error):
        return None


def _zip_holds(file: Path, wording: IdentifyingTerms) -> bool | None:
    with zipfile.ZipFile(file) as archive:
        members = [zip_info for zip_info in archive.infolist() if not zip_info.is_dir()]
        if sum(member.file_size for member in members) > _MAX_FILE_BYTES:
            return None
        answers = [
            wording.matches_text(member.filename) or _content_holds(archive.read(member), wording) for member in members
        ]
        # A part that nobody could look into may hold something; one that does is enough.
        return True if True in answers else (None if None in answers else False)


def _content_holds(content: bytes, wording: IdentifyingTerms) -> bool | None:
    """Tell whether the content of a file holds something; None where it is compressed in a way that is not read."""
    if content.startswith(_GZIP_MAGIC):
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            content = file.read(_MAX_FILE_BYTES + 1)
        if len(content) > _MAX_FILE_BYTES:
            return None
    if content.startswith(b"PK\x03\x04") or content.startswith(_UNREADABLE_MAGICS) or starts_encrypted(content):
        return _bytes_hold(content, wording) or None
    return _bytes_hold(content, wording)


def _bytes_hold(content: bytes, wording: IdentifyingTerms) -> bool:
    names = (name.encode(code) for name in wording.names if not name.isascii() for code in ("utf-16-le", "utf-16-be"))
    if any(name in content for name in names):
        return True
    return any(wording.matches_text(piece) for text in extract_texts(content) for piece in _pieces(text))


def extract_texts(content: bytes) -> Iterator[str]:
    """Yield the text of a file; of one that is none, what in it can be read, in UTF-8 and in UTF-16."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield content.decode("utf-16", "replace")
    elif b"\x00" not in content[:4096]:
        yield content.decode("utf-8", "replace")
    else:
        yield "\n".join(match[0].decode("utf-8", "replace") for match in _PRINTABLE_RUN.finditer(content))
        yield "\n".join(match[0].decode("utf-16-le", "replace") for match in _UTF16_RUN.finditer(content))


def _pieces(text: str) -> Iterator[str]:
    for at in range(0, max(len(text), 1), _PIECE_CHARS):
        yield text[at : at + _PIECE_CHARS + _OVERLAP_CHARS]
