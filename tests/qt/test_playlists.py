"""What libVLC is given: bytes of a file that the reader took for a recording, the demuxer for them, and no network."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui.faces.face_crops import Crops, ThumbnailCrop
from app.gui.player.vlc_engine import VlcEngine, playback_thread
from media import decoding, soundtrack, source
from models.connection.network_sandbox import filter_works
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.hostile_media import NAMING, make_hostile
from tests.qt.conftest import OpenWindow

HLS = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:1.0,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n"


@pytest.fixture
def engine(qtbot: QtBot) -> Iterator[VlcEngine]:
    engine = VlcEngine()
    yield engine
    engine.release()


def play(engine: VlcEngine, path: Path) -> None:
    """Start to play, and wait until the playback thread did what was asked for."""
    engine.open(path, 48, 32)
    engine.start(0, 1.0)
    playback_thread().call(lambda: None)


@pytest.mark.parametrize("name", ["clip.mp4", "clip.m3u8"])
def test_a_playlist_is_never_opened(engine: VlcEngine, tmp_path: Path, name: str) -> None:
    make_clip(tmp_path / "real.mp4", size=(48, 32), frames=4)
    place = tmp_path / name
    place.write_text(HLS)
    play(engine, place)
    assert engine._player.get_media() is None
    assert engine.failed()
    assert "refers to other files" in str(engine.refusal)
    play(engine, tmp_path / "real.mp4")
    assert engine._player.get_media() is not None
    assert not engine.failed()


def test_libvlc_knows_no_path_and_one_demuxer(engine: VlcEngine, tmp_path: Path) -> None:
    make_clip(tmp_path / "real.mp4", size=(48, 32), frames=4)
    play(engine, tmp_path / "real.mp4")
    medium = engine._player.get_media()
    assert medium.get_mrl() == f"fd://{engine._file.handle}"
    medium.release()


@pytest.mark.parametrize("kind", [kind.name for kind in NAMING])
def test_what_names_other_files_is_refused(engine: VlcEngine, tmp_path: Path, kind: str) -> None:
    path = make_hostile(tmp_path, kind, port=9)
    play(engine, path)
    assert engine._player.get_media() is None
    assert engine.failed()
    assert engine.refusal is not None


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(engine: VlcEngine, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "clip.mp4")
    play(engine, tmp_path / "clip.mp4")
    assert "is not a file" in str(engine.refusal)


def test_the_file_that_was_looked_at_is_the_one_that_plays(qtbot: QtBot, engine: VlcEngine, tmp_path: Path) -> None:
    place = tmp_path / "clip.mp4"
    make_clip(place, size=(48, 32), frames=30, fps=10)
    engine.open(place, 48, 32)
    with qtbot.waitSignal(engine.picture_ready):
        engine.start(0, 1.0)
    (tmp_path / "list").write_text(HLS)
    (tmp_path / "list").replace(place)
    engine.pause()
    with qtbot.waitSignal(engine.picture_ready):
        engine.start(1_000_000, 1.0)
    with qtbot.waitSignal(engine.ended):
        pass


@pytest.mark.skipif(not filter_works(), reason="the kernel takes no filter (seccomp) here")
def test_every_thread_of_libvlc_has_lost_the_network(qtbot: QtBot, engine: VlcEngine, tmp_path: Path) -> None:
    make_clip(tmp_path / "clip.mp4", size=(48, 32), frames=60, fps=10, sound=True)
    before = _threads()
    engine.open(tmp_path / "clip.mp4", 48, 32)
    with qtbot.waitSignal(engine.picture_ready):
        engine.start(0, 1.0)
    started = _threads() - before
    assert len(started) >= 3, "libVLC reads, decodes and shows in threads of its own"
    assert {_filtered(number) for number in started} == {True}
    assert not _filtered(threading.get_native_id()), "the window keeps the network, for its workers"
    assert playback_thread().confined
    with pytest.raises(PermissionError):
        playback_thread().call(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()


@pytest.mark.skipif(not filter_works(), reason="the kernel takes no filter (seccomp) here")
def test_every_thread_of_the_window_that_reads_a_recording_has_lost_the_network(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Study.create(tmp_path / "a.greenroom").close()
    read, readers, crops = source.open_source, list[tuple[str, bool]](), list[object]()

    def watched(path: Path) -> object:
        readers.append((path.name, _filtered(threading.get_native_id())))
        return read(path)

    for module in (source, soundtrack, decoding):
        monkeypatch.setattr(module, "open_source", watched)
    window = open_window(tmp_path / "a.greenroom")
    clip = make_clip(tmp_path / "clip.mp4", size=(48, 32), frames=60, fps=10, sound=True)
    window.files.add_recordings([clip])
    qtbot.waitUntil(lambda: window.player.times is not None)
    qtbot.waitUntil(lambda: window.timeline.peaks is not None)
    cutter = Crops(window)
    cutter.ready.connect(lambda *_: crops.append(1))
    cutter.set_source(clip)
    cutter.request("a", (ThumbnailCrop(0, 0, 0, 16),))
    qtbot.waitUntil(lambda: bool(crops))
    cutter.close()
    assert len(readers) >= 4, "it is added, shown as a small picture and a wave, and played"
    assert {filtered for _, filtered in readers} == {True}


def _threads() -> set[int]:
    return {int(thread.name) for thread in Path("/proc/self/task").iterdir()}


def _filtered(thread: int) -> bool:
    lines = Path(f"/proc/self/task/{thread}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("Seccomp:")) == "2"
