"""Searches files on this machine for personal strings: exports beside a study, caches, settings, logs."""

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
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
_HEAD_BYTES = 4096
"""Bytes by which a file that is no text is known."""
_CONTROL = re.compile(rb"[\x01-\x07\x0e-\x19\x1c-\x1f]")
"""Bytes that stand in no text of any encoding but UTF-16, and in whatever is packed."""
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


class ContentFinding(IntEnum):
    """What a search of the content of a file came to; of the parts of an archive, the highest counts."""

    CLEAN = 0
    UNREAD = 1
    """Nobody looked: media, too large, or packed in a way that is not read."""
    UNDECODED = 2
    """Text that is neither UTF-8 nor UTF-16: names in it may not have been found."""
    MATCH = 3


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
        undecoded: those of them whose text is neither UTF-8 nor UTF-16.
    """

    files: int = 0
    matches: tuple[PersonalFileMatch, ...] = ()
    unread: tuple[Path, ...] = ()
    undecoded: tuple[Path, ...] = ()

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
    count, found, unread, undecoded = 0, [], [], []
    for file in files:
        if file in left_out:
            continue
        count += 1
        by_name = wording.matches_text(_name_below(file, base))
        content = _search_file(file, wording)
        if content in (ContentFinding.UNREAD, ContentFinding.UNDECODED):
            unread.append(file)
        if content is ContentFinding.UNDECODED:
            undecoded.append(file)
        by_content = content is ContentFinding.MATCH
        if by_name or by_content:
            found.append(PersonalFileMatch(file, by_name, by_content))
    return FolderSearch(count, tuple(found), tuple(unread), tuple(undecoded))


def _name_below(file: Path, base: Path) -> str:
    try:
        return str(file.relative_to(base))
    except ValueError:
        return file.name


def _search_file(file: Path, wording: IdentifyingTerms) -> ContentFinding:
    try:
        if file.suffix.lower() in MEDIA_SUFFIXES or file.stat().st_size > _MAX_FILE_BYTES:
            return ContentFinding.UNREAD
        if zipfile.is_zipfile(file):
            return _search_zip(file, wording)
        return _search_content(file.read_bytes(), wording)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error):
        return ContentFinding.UNREAD


def _search_zip(file: Path, wording: IdentifyingTerms) -> ContentFinding:
    with zipfile.ZipFile(file) as archive:
        members = [zip_info for zip_info in archive.infolist() if not zip_info.is_dir()]
        if sum(member.file_size for member in members) > _MAX_FILE_BYTES:
            return ContentFinding.UNREAD
        if any(wording.matches_text(member.filename) for member in members):
            return ContentFinding.MATCH
        findings = (_search_content(archive.read(member), wording) for member in members)
        return max(findings, default=ContentFinding.CLEAN)


def _search_content(content: bytes, wording: IdentifyingTerms) -> ContentFinding:
    if content.startswith(_GZIP_MAGIC):
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            content = file.read(_MAX_FILE_BYTES + 1)
        if len(content) > _MAX_FILE_BYTES:
            return ContentFinding.UNREAD
    if _bytes_hold(content, wording):
        return ContentFinding.MATCH
    if content.startswith(b"PK\x03\x04") or content.startswith(_UNREADABLE_MAGICS) or starts_encrypted(content):
        return ContentFinding.UNREAD
    if _is_decodable(content):
        return ContentFinding.CLEAN
    return ContentFinding.UNREAD if _CONTROL.search(content[:_HEAD_BYTES]) else ContentFinding.UNDECODED


def _bytes_hold(content: bytes, wording: IdentifyingTerms) -> bool:
    names = (name.encode(code) for name in wording.names if not name.isascii() for code in ("utf-16-le", "utf-16-be"))
    if any(name in content for name in names):
        return True
    return any(wording.matches_text(piece) for text in extract_texts(content) for piece in _pieces(text))


def _text_encoding(content: bytes) -> str:
    """Return the encoding in which a file is read; "" for one that is no text."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return "" if b"\x00" in content[:_HEAD_BYTES] else "utf-8"


def _is_decodable(content: bytes) -> bool:
    """Tell whether a file is no text, or wholly text in the encoding in which it is read."""
    try:
        if encoding := _text_encoding(content):
            content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def extract_texts(content: bytes) -> Iterator[str]:
    """Yield the text of a file; of one that is none, what in it can be read, in UTF-8 and in UTF-16."""
    if encoding := _text_encoding(content):
        yield content.decode(encoding, "replace")
    else:
        yield "\n".join(match[0].decode("utf-8", "replace") for match in _PRINTABLE_RUN.finditer(content))
        yield "\n".join(match[0].decode("utf-16-le", "replace") for match in _UTF16_RUN.finditer(content))


def _pieces(text: str) -> Iterator[str]:
    for at in range(0, max(len(text), 1), _PIECE_CHARS):
        yield text[at : at + _PIECE_CHARS + _OVERLAP_CHARS]
