"""Where sound can go is read off devices and sockets; nothing is opened."""

from pathlib import Path

import pytest

from app.diagnostics.system_facts import SOUND_VARIABLE, SoundOutput, sound_output


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (SOUND_VARIABLE, "PULSE_SERVER", "PULSE_RUNTIME_PATH", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("device", ["dev/snd/pcmC0D0p", "dev/dsp", "etc/asound.conf"])
def test_a_card_is_seen_by_its_device_or_by_settings_for_it(tmp_path: Path, device: str) -> None:
    (tmp_path / device).parent.mkdir(parents=True)
    (tmp_path / device).touch()
    assert sound_output(tmp_path) is SoundOutput.CARD


def test_a_card_that_only_records_is_none(tmp_path: Path) -> None:
    assert sound_output(tmp_path) is SoundOutput.NONE
    (tmp_path / "dev/snd").mkdir(parents=True)
    (tmp_path / "dev/snd/pcmC0D0c").touch()
    assert sound_output(tmp_path) is SoundOutput.NONE


def test_a_server_is_seen_by_its_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    (tmp_path / "run/pulse").mkdir(parents=True)
    (tmp_path / "run/pulse/native").touch()
    assert sound_output(tmp_path) is SoundOutput.SERVER


@pytest.mark.parametrize(("chosen", "output"), [("dummy", SoundOutput.NONE), ("alsa", SoundOutput.CARD)])
def test_what_the_user_chose_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str, output: SoundOutput
) -> None:
    monkeypatch.setenv(SOUND_VARIABLE, chosen)
    assert sound_output(tmp_path) is output
