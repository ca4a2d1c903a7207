"""What lies under a file's name changes while it is opened: nothing is waited for, and what was checked is read."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from media import source
from media.source import CheckedFile, open_checked, open_source
from project.errors import UserError
from project.files.fingerprints import file_sha256, fingerprint
from tests.builders.clips import make_clip
from tests.builders.waiting import HANG_S

IN_ITS_PLACE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": lambda path: _socket(path),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "nothing": lambda path: None,
}
READING: dict[str, Callable[[Path], object]] = {
    "open_source": lambda path: open_source(path).close(),
    "fingerprint": fingerprint,
    "sha256_of": file_sha256,
}


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        # The name of a socket may not be long.
        made.bind(os.path.relpath(path))


@contextmanager
def swapped_after_a_look(path: Path, put: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let something else lie under a path as soon as its kind was looked at by its name for the first time."""
    look, looked = os.stat, []

    def watched(place: object, *given: object, **named: object) -> os.stat_result:
        facts = look(place, *given, **named)
        if not looked and isinstance(place, str | Path) and Path(place) == path:
            looked.append(place)
            path.unlink()
            put(path)
        return facts

    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", watched)
        yield
    assert looked


@pytest.mark.parametrize(
    ("kind", "how"), [*((kind, "open_source") for kind in IN_ITS_PLACE), *(("pipe", how) for how in [*READING][1:])]
)
def test_what_is_put_in_the_place_of_a_file_is_neither_read_nor_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, how: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = make_clip(tmp_path / "a.mp4", frames=2)
    ended: list[BaseException | None] = []

    def read() -> None:
        try:
            READING[how](path)
        except BaseException as error:
            ended.append(error)
        else:
            ended.append(None)

    with swapped_after_a_look(path, IN_ITS_PLACE[kind], monkeypatch):
        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        thread.join(HANG_S)
        # Whoever waits for the pipe is let go.
        with suppress(OSError):
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    assert ended, "it hangs"
    assert isinstance(ended[0], OSError if how == "sha256_of" else UserError)


@pytest.mark.parametrize("kind", ["a recording", "a list"])
def test_ffmpeg_reads_the_file_that_was_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    path, other = make_clip(tmp_path / "a.mp4", frames=2, size=(64, 48)), tmp_path / "b.mp4"
    if kind == "a recording":
        make_clip(other, frames=2, size=(32, 32))
    else:
        other.write_text("#EXTM3U\n#EXTINF:1.0,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n")
    read = source._read

    def swapped(*given: object) -> object:
        other.replace(path)
        return read(*given)

    monkeypatch.setattr(source, "_read", swapped)
    with open_source(path) as container:
        assert container.streams.video[0].width == 64


def test_a_reader_that_follows_names_could_open_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other, path = make_clip(tmp_path / "other.ts", frames=10), tmp_path / "a.ts"
    path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:{other}\n#EXT-X-ENDLIST\n")
    monkeypatch.setattr(source, "allowed_readers", lambda: "hls,mpegts")
    monkeypatch.setattr(source, "reader_for", lambda _suffix: "hls")
    handle = os.open(path, os.O_RDONLY)
    with pytest.raises(UserError):
        source._read(path, handle).close()
    os.close(handle)


def test_a_file_whose_first_bytes_say_nothing_is_read_as_its_suffix_says(tmp_path: Path) -> None:
    sound = make_clip(tmp_path / "a.mp3", picture=False, sound=True, sound_codec="mp3", sound_seconds=1).read_bytes()
    size = 2 << 20
    cover = b"ID3\3\0\0" + bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0)) + bytes(size)
    (tmp_path / "covered.mp3").write_bytes(cover + sound)
    with open_source(tmp_path / "covered.mp3") as container:
        assert container.format.name == "mp3"
    checked: CheckedFile = open_checked(tmp_path / "covered.mp3")
    os.close(checked.handle)
    assert checked.reader == "mp3"


def test_a_suffix_makes_no_recording_of_what_is_none(tmp_path: Path) -> None:
    for suffix in ("", ".mp4", ".ts", ".m3u8"):
        path = tmp_path / f"notes{suffix}"
        path.write_text("What somebody wrote down.\n" * 400)
        for opening in (open_source, open_checked):
            with pytest.raises(UserError):
                opening(path)
