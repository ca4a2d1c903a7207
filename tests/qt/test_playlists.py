"""A recording that names other files is not given to libVLC, which would fetch them, also from other machines."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui.vlc_engine import VlcEngine
from tests.fakes.clips import make_clip


@pytest.mark.parametrize("name", ["clip.mp4", "clip.m3u8"])
def test_a_playlist_is_never_opened(qtbot: QtBot, tmp_path: Path, name: str) -> None:
    engine = VlcEngine()
    make_clip(tmp_path / "real.mp4", size=(48, 32), frames=4)
    place = tmp_path / name
    place.write_text("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:1.0,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n")
    try:
        engine.open(place, 48, 32)
        engine.start(0, 1.0)
        assert engine._player.get_media() is None
        engine.open(tmp_path / "real.mp4", 48, 32)
        engine.start(0, 1.0)
        assert engine._player.get_media() is not None
    finally:
        engine.release()
