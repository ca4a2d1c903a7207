"""Treated sound from the command line."""

from pathlib import Path

import av
import pytest

from annotate.study.recording_edits import add_recordings, probe_file
from models.weights import installed_weights as weights
from tests.builders.clips import make_clip
from tests.builders.face_study import SIZE, found_faces, open_lab
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording with sound whose faces were looked for, and one without sound; no weights."""
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "no weights"))
    with open_lab(tmp_path) as session:
        found_faces(session, [])
        add_recordings(session, [probe_file(make_clip(tmp_path / "silent.mp4", size=SIZE, frames=4, fps=25))])
    return tmp_path / "lab.greenroom"


def codec(path: Path) -> str:
    with av.open(str(path)) as container:
        return str(container.streams.audio[0].codec_context.name)


def test_it_writes_a_file_and_says_what_was_measured_and_what_was_not(
    study: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    said = greenroom("voice", study, "--recording", "1", "-o", tmp_path / "out.wav")
    assert "as many as in the recording; 0 places covered." in said
    assert "Without a transcript nothing personal can be found" in said
    assert "greenroom models fetch voice-embedding" in said
    assert codec(tmp_path / "out.wav") == "pcm_s16le"
    found = greenroom.json("voice", study, "--recording", "1", "--method", "mcadams", "--voice-lowest", "0.7")
    assert (found["voice"], found["options"], found["cover"]) == ("mcadams", {"lowest": 0.7}, "mute")
    assert found["same_length"] is True
    assert found["measures"]["words"] is None
    assert codec(Path(found["output"])) == "flac"
    assert Path(found["output"]).parent == study.parent / "anonymized"


def test_an_export_has_the_sound_that_was_chosen_and_tells_what_kept_voices_mean(
    study: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    export = ("anonymize", study, "--recording", "1", "--out", tmp_path / "clips", "--overwrite")
    assert "A voice identifies its speaker." in greenroom(*export, "--voice", "keep", "--cover", "none")
    assert codec(tmp_path / "clips" / "recording-0001-solid.mp4") == "aac"
    made = greenroom.json(*export, "--voice", "none", "--cover", "beep")
    assert made["sound"]["voice"] == "none"
    with av.open(made["output"]) as clip:
        assert not clip.streams.audio
