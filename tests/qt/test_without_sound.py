"""A machine that makes no sound: recordings play, one line says so, and nothing is printed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.system_facts import SOUND_VARIABLE, SoundOutput, sound_output
from app.gui.player import vlc_engine as playback_thread
from app.gui.player.player import Player
from media.probe import probe
from tests.builders.clips import make_clip
from tests.builders.waiting import HANG_S
from tests.contract.documentation import ROOT


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return make_clip(tmp_path / "clip.mp4", size=(64, 48), frames=60, fps=10, sound=True)


@pytest.fixture
def player(qtbot: QtBot, clip: Path) -> Iterator[Player]:
    player = Player()
    facts = probe(clip)
    with qtbot.waitSignal(player.opened):
        player.open(clip, facts, facts.duration_us)
    yield player
    player.close()


def test_one_line_says_that_there_is_no_device(qtbot: QtBot, player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SOUND_VARIABLE)
    monkeypatch.setattr(playback_thread.playback_thread(), "sound", SoundOutput.NONE)
    said: list[str] = []
    player.message.connect(said.append)
    for _ in range(3):
        player.seek(0)
        player.play()
        qtbot.waitUntil(lambda: player.position_us > 300_000)
        player.pause()
    assert said == ["No sound device was found: playing without sound."]


_PLAYING = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from app.diagnostics.system_facts import SoundOutput
from app.gui.player import vlc_engine as playback_thread
from media.probe import probe
application = QApplication([])
playback_thread.sound_output = lambda: SoundOutput[sys.argv[2]]
from app.gui.player.player import Player
player, path = Player(), Path(sys.argv[1])
facts = probe(path)
player.message.connect(lambda line: print(line, flush=True))
player.position_changed.connect(lambda time_us: time_us > 4_000_000 and application.quit())
player.open(path, facts, facts.duration_us)
player.play()
application.exec()
player.close()
"""


@pytest.mark.parametrize("seen", ["SERVER", *(pytest.param(seen, marks=pytest.mark.soak) for seen in ("CARD", "NONE"))])
def test_a_device_that_does_not_work_floods_nothing(clip: Path, seen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where devices or sockets are seen that turn out not to work."""
    monkeypatch.delenv(SOUND_VARIABLE)
    if sound_output() is not SoundOutput.NONE:
        pytest.skip("this machine has a device, which would work and be heard")
    done = subprocess.run(
        [sys.executable, "-c", _PLAYING, str(clip), seen],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    assert done.stdout.splitlines() == ["No sound device was found: playing without sound."]
    assert done.stderr == ""
