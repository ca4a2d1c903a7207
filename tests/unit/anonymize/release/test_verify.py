"""What is planted in a finished release is found, whatever it is; what belongs there is not."""

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from anonymize.release.private_content import Private
from anonymize.release.release_verification import find_leaks
from media.clip_writer import paint_clip
from media.excerpts import encode_jpeg, write_stills
from media.soundtrack import copy_without_sound
from project.files.publication import set_fixed_times
from tests.builders.clips import make_clip, numbered

PRIVATE = Private(words=("Anna", "Ada Byron", "kitchen take2"), texts=("visit-7.mov", "/srv/secret", "limps since May"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a release leaves it."""
    base = tmp_path_factory.mktemp("whole")
    source = make_clip(base / "Anna.mp4", size=(160, 120), frames=12, fps=10, sound=True, metadata={"title": "Anna"})
    paint_clip(source, base / "sound.mp4", lambda _: None)
    folder = base / "release"
    (folder / "video").mkdir(parents=True)
    (folder / "frames").mkdir()
    copy_without_sound(base / "sound.mp4", folder / "video" / "recording-0001.mp4")
    write_stills(base / "sound.mp4", folder / "frames")
    (folder / "DATACARD.md").write_text("# A card\n\nAnnotators are A01 and A02.\n")
    (folder / "annotations.csv").write_text("recording,label\nrecording-0001,error\n")
    (folder / "manifest.json").write_text(json.dumps({"files": []}))
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "release")
    set_fixed_times(tmp_path / "release")
    return tmp_path / "release"


def found(folder: Path, sound: bool = False, touch: bool = True) -> dict[str, list[str]]:
    if touch:
        set_fixed_times(folder)
    told: dict[str, list[str]] = {}
    for leak in find_leaks(folder, PRIVATE, sound=sound):
        told.setdefault(leak.path, []).append(leak.what)
    return told


def _tagged(path: Path, **more: object) -> None:
    make_clip(path, size=(64, 48), frames=3, **more)


def _exif(path: Path) -> None:
    data = encode_jpeg(numbered(1, 64, 48))
    body = b"Exif\0\0" + b"II*\0\x08\0\0\0\0\0"
    path.write_bytes(data[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + data[2:])


def _comment(path: Path) -> None:
    data = encode_jpeg(numbered(1, 64, 48))
    path.write_bytes(data[:2] + b"\xff\xfe\x00\x06shot" + data[2:])


def _after_end(path: Path) -> None:
    path.write_bytes(encode_jpeg(numbered(1, 64, 48)) + b"more")


def _archive(path: Path, text: str = "fine", **facts: object) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        member = zipfile.ZipInfo("db", (1980, 1, 1, 0, 0, 0))
        for key, value in facts.items():
            setattr(member, key, value)
        archive.writestr(member, text)


PLANTED: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a title": ("clip.mp4", lambda p: _tagged(p, metadata={"title": "Visit"})),
    "a creation time": ("clip.mp4", lambda p: _tagged(p, metadata={"creation_time": "2026-01-02T03:04:05Z"})),
    "chapters": ("clip.mp4", lambda p: _tagged(p, chapters=[(0, 50_000, "one")])),
    "EXIF": ("still.jpg", _exif),
    "a comment in a picture": ("still.jpg", _comment),
    "bytes after a picture": ("still.jpg", _after_end),
    "a picture that is none": ("still.jpg", lambda p: p.write_bytes(b"GIF89a")),
    "a private word with accents": ("notes.md", lambda p: p.write_text("It was ÁNNA.")),
    "a name of two words": ("table.csv", lambda p: p.write_text("by,ADA  BYRON\n")),
    "a path": ("table.csv", lambda p: p.write_text("media,/srv/secret/x.mov\n")),
    "a note": ("notes.md", lambda p: p.write_text("She limps since may.")),
    "a word that is written as an escape": ("more.json", lambda p: p.write_text('{"by": "\\u0041nna"}')),
    "a word in markup": ("more.eaf", lambda p: p.write_text("<X>A&#110;na</X>")),
    "a word in an archive": ("more.opf", lambda p: _archive(p, "Anna")),
    "a date in an archive": ("more.opf", lambda p: _archive(p, date_time=(2026, 1, 2, 3, 4, 6))),
    "a comment in an archive": ("more.opf", lambda p: _archive(p, comment=b"mine")),
    "a name of a file": ("anna.csv", lambda p: p.write_text("a\n")),
    "a kind that nobody knows": ("report.pdf", lambda p: p.write_bytes(b"%PDF-1.7")),
    "a hidden file": (".hidden.md", lambda p: p.write_text("fine")),
    "a text that is none": ("notes.md", lambda p: p.write_bytes(b"\xff\xfe\xff")),
    "a link": ("notes.md", lambda p: p.symlink_to("/etc/hostname")),
    "a folder with a name": ("Anna_folder", lambda p: p.mkdir()),
}


def test_what_is_planted_is_found(folder: Path) -> None:
    assert found(folder) == {}
    for number, (name, plant) in enumerate(PLANTED.values()):
        (folder / f"{number}").mkdir()
        plant(folder / f"{number}" / name)
    told = found(folder)
    assert [what for number, (what, (name, _)) in enumerate(PLANTED.items()) if f"{number}/{name}" not in told] == []
    assert len(told) == len(PLANTED)


def test_a_name_in_the_digits_of_a_checksum_or_an_id_is_none(folder: Path) -> None:
    private = Private(words=("Ada", "Abe"), texts=())
    for text, leaks in (
        (f"sha256: {'4ada9' + '0' * 59}", 0),
        ("id,1a83fdda-ada0-7e68-abe0-b36c52058ba3,", 0),
        (f"sha256: {'4ada9' + '0' * 58}", 1),
        ("by 4ada9", 1),
    ):
        (folder / "more.md").write_text(text)
        set_fixed_times(folder)
        assert len(find_leaks(folder, private, sound=False)) == leaks, text


def test_sound_is_found_where_there_should_be_none(folder: Path, whole: Path) -> None:
    (folder / "clip.mp4").write_bytes((whole.parent / "sound.mp4").read_bytes())
    assert list(found(folder)) == ["clip.mp4"]
    assert found(folder, sound=True) == {}


@pytest.mark.parametrize("word", ["kitchen TAKE2", "/srv/secret"])
def test_words_are_found_in_the_bytes_of_clips(folder: Path, word: str) -> None:
    path = folder / "video" / "recording-0001.mp4"
    path.write_bytes(path.read_bytes() + b"\0\0\0\x40free" + word.encode().ljust(56))
    told = found(folder)["video/recording-0001.mp4"]
    assert [text for text in told if "bytes hold" in text or "no stream" in text] == told
    assert len(told) == 2


def test_a_time_is_found(folder: Path) -> None:
    os.utime(folder / "DATACARD.md", (1_700_000_000, 1_700_000_000))
    assert list(found(folder, touch=False)) == ["DATACARD.md"]


def test_an_attribute_is_found(folder: Path) -> None:
    try:
        os.setxattr(folder / "DATACARD.md", "user.xdg.origin.url", b"https://lab.example.org")
    except OSError:
        pytest.skip("this file system keeps no attributes")
    assert list(found(folder)) == ["DATACARD.md"]
