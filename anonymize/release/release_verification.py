"""Reads back every file of a release and looks for leaks. File types and contents that it does not know are refused."""

import html
import json
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import av

from anonymize.release.private_content import Private, PrivateSearch, read_overlapping
from media.source import open_media
from project.entities.study_records import Json
from project.errors import UserError
from project.files.publication import FIXED_TIME, list_files

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MAX_LEAKS = 200
_PLAIN_TAGS: Mapping[str, re.Pattern[str]] = {
    "major_brand": re.compile(r"isom|mp42|M4A "),
    "minor_version": re.compile(r"\d+"),
    "compatible_brands": re.compile(r"[A-Za-z0-9 ]*"),
    "language": re.compile(r"und"),
    "handler_name": re.compile(r"(?:Video|Sound)Handler"),
    "vendor_id": re.compile(r"\[0\]\[0\]\[0\]\[0\]"),
}
# With their versions: four bytes alone stand by chance in a few hundred megabytes.
_ENCODERS = re.compile(rb"x264 - core|Lav[fc]\d\d\.\d|LAME3\.\d")
_MAX_ENCODER_BYTES = 16
_BOXES = (b"ftyp", b"moov", b"free", b"mdat")
_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
# Tables, frame header, restart interval, scan: all that a picture needs.
_PICTURE_SEGMENTS = frozenset({0xDB, 0xC0, 0xC4, 0xDD, 0xDA})


@dataclass(frozen=True, slots=True)
class Leak:
    """Something that must not be in a release: where, and what it is, without repeating it."""

    path: str
    what: str


class _ReleaseSearch(PrivateSearch):
    """A search that also knows whether clips may have sound."""

    def __init__(self, private: Private, sound: bool) -> None:
        super().__init__(private)
        self.sound = sound


def find_leaks(folder: Path, private: Private, *, sound: bool) -> list[Leak]:
    """Return everything in a finished release that must not be there; empty where it may leave.

    Looked at: the kind of every file; names; times and extended attributes; tags, chapters, attachments and streams of
    clips; segments of pictures; members of archives; the words of every text; and, in the bytes of every file, private
    words and names of at least six bytes.
    """
    search = _ReleaseSearch(private, sound)
    found = [Leak(".", what) for what in _check_entry(folder)]
    for base, names, _ in os.walk(folder):
        for name in names:
            path = Path(base) / name
            told = (*_check_entry(path), *_check_name(name, search))
            found += [Leak(path.relative_to(folder).as_posix(), what) for what in told]
    for name in list_files(folder):
        path = folder / name
        whats = [*_check_entry(path), *_check_name(path.name, search)]
        look = READERS.get(path.suffix)
        if look is None:
            whats.append(f"files of the kind “{path.suffix}” cannot be looked into")
        elif not whats:
            try:
                whats += [*look(path, search), *search.find_in_bytes(path)]
            except (OSError, ValueError, UserError, av.FFmpegError, zipfile.BadZipFile) as error:
                whats.append(f"it cannot be read back: {error}")
        found += [Leak(name, what) for what in whats]
        if len(found) > _MAX_LEAKS:
            break
    return found


def _check_entry(path: Path) -> Iterator[str]:
    facts = path.lstat()
    if not (stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode)):
        yield "it is no plain file"
        return
    if facts.st_nlink > 1 and stat.S_ISREG(facts.st_mode):
        yield "it is the same file as one elsewhere"
    if int(facts.st_mtime) != FIXED_TIME:
        yield "its time tells when it was made"
    if hasattr(os, "listxattr"):
        told = [name for name in os.listxattr(path) if name.startswith("user.")]
        if told:
            yield f"it has the attribute “{told[0]}”"


def _check_name(name: str, search: _ReleaseSearch) -> Iterator[str]:
    if not _NAME.fullmatch(name):
        yield "its name has other characters than letters, digits, dot, dash and underscore"
    yield from search.find_in_text(re.sub(r"[._-]+", " ", name), "its name")
    yield from search.find_in_text(name, "its name")


def _check_plain(path: Path, search: _ReleaseSearch) -> Iterator[str]:
    yield from search.find_in_text(path.read_bytes().decode("utf-8-sig"), "it")


def _check_markup(path: Path, search: _ReleaseSearch) -> Iterator[str]:
    text = path.read_text("utf-8")
    yield from search.find_in_text(text, "it")
    yield from search.find_in_text(html.unescape(text), "it")


def _check_json(path: Path, search: _ReleaseSearch) -> Iterator[str]:
    text = path.read_text("utf-8")
    yield from search.find_in_text(text, "it")
    # What is written as an escape is searched as what it means.
    yield from search.find_in_text("\n".join(_strings(json.loads(text))), "it")


def _strings(found: Json) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, list):
        for item in found:
            yield from _strings(item)
    elif isinstance(found, dict):
        for key, item in found.items():
            yield key
            yield from _strings(item)


def _check_archive(path: Path, search: _ReleaseSearch) -> Iterator[str]:
    with zipfile.ZipFile(path) as archive:
        if archive.comment:
            yield "the archive has a comment"
        for member in archive.infolist():
            if member.comment or member.extra:
                yield f"the archive's {member.filename} has a comment or extra fields"
            if member.date_time != (1980, 1, 1, 0, 0, 0):
                yield f"the archive's {member.filename} tells when it was made"
            yield from search.find_in_text(member.filename, "the name of a member")
            yield from search.find_in_text(archive.read(member).decode("utf-8"), f"the archive's {member.filename}")


def _check_clip(path: Path, search: _ReleaseSearch) -> Iterator[str]:
    with open_media(path) as clip:
        for key, value in (pair for part in (clip, *clip.streams) for pair in part.metadata.items()):
            known = _PLAIN_TAGS.get(key)
            if known is None or not known.fullmatch(value):
                yield f"it has the tag “{key}”"
        if clip.chapters():
            yield "it has chapters"
        kinds = sorted(stream.type for stream in clip.streams)
        if kinds not in (["video"], ["audio", "video"] if search.sound else ["video"]):
            yield f"it has other streams than it should: {', '.join(kinds)}"
        held = sum(packet.size for packet in clip.demux())
    yield from _check_no_extra_data(path, held)
    yield from _check_no_encoder(path)


def _check_no_extra_data(path: Path, held: int) -> Iterator[str]:
    """Yield what an MP4 file holds beside its streams; `held` is how many bytes those have."""
    size, at, data = path.stat().st_size, 0, 0
    with path.open("rb") as file:
        while at < size:
            file.seek(at)
            head = file.read(16)
            length, kind, start = int.from_bytes(head[:4]), head[4:8], 8
            if length == 1:
                length, start = int.from_bytes(head[8:16]), 16
            if kind not in _BOXES or length < start or at + length > size or (kind == b"free" and length > start):
                yield f"it holds something that is no stream: {kind.decode('ascii', 'replace')}"
                return
            data += length - start if kind == b"mdat" else 0
            at += length
    if data != held:
        yield "it holds data that belong to no stream"


def _check_no_encoder(path: Path) -> Iterator[str]:
    for chunk in read_overlapping(path, _MAX_ENCODER_BYTES):
        hit = _ENCODERS.search(chunk)
        if hit is not None:
            yield f"it tells what it was encoded with: {hit[0].decode()}"
            return


def _check_picture(path: Path, _search: _ReleaseSearch) -> Iterator[str]:
    data = path.read_bytes()
    if data[:2] != bytes([0xFF, _START]):
        yield "it is no JPEG"
        return
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        kind = data[at + 1]
        if kind not in _PICTURE_SEGMENTS:
            yield f"it holds more than a picture: a segment of kind {kind:#04x} (EXIF, comment or the like)"
        if kind == _SCAN:
            break
        at += 2 + int.from_bytes(data[at + 2 : at + 4])
    else:
        yield "it is damaged"
        return
    end = data.find(bytes([0xFF, _END]), at)
    if end < 0 or end + 2 != len(data):
        yield "there is something after the end of the picture"


READERS: dict[str, Callable[[Path, _ReleaseSearch], Iterator[str]]] = {
    ".mp4": _check_clip,
    ".jpg": _check_picture,
    ".md": _check_plain,
    ".csv": _check_plain,
    ".json": _check_json,
    ".boris": _check_json,
    ".eaf": _check_markup,
    ".textgrid": _check_plain,
    ".vtt": _check_plain,
    ".srt": _check_plain,
    ".opf": _check_archive,
}
"""Suffix -> check of a file of that kind; a release has no other kinds."""
