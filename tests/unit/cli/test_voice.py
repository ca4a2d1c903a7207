"""Treated sound from the command line."""

from pathlib import Path

import av
import pytest

from annotate.study.recording_edits import add_recordings, probe_file
from models.weights import installed_weights as weights
from project.store.study import Study
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


def test_what_is_printed_for_programs_holds_the_choice(study: Path, greenroom: Terminal) -> None:
    found = greenroom.json("voice", study, "--recording", "1", "--method", "mcadams", "--voice-lowest", "0.7")
    assert (found["voice"], found["options"], found["cover"]) == ("mcadams", {"lowest": 0.7}, "mute")
    assert found["same_length"] is True
    assert found["measures"]["words"] is None
    assert codec(Path(found["output"])) == "flac"
    assert Path(found["output"]).parent == study.parent / "anonymized"


def test_who_keeps_the_voices_is_told_what_that_means(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    said = greenroom("voice", study, "--recording", "1", "--method", "keep", "-o", tmp_path / "a.flac")
    assert "A voice identifies its speaker." in said
    out = ("--recording", "1", "--out", tmp_path / "clips", "--voice", "keep", "--cover", "none")
    assert "A voice identifies its speaker." in greenroom("anonymize", study, *out)
    assert codec(tmp_path / "clips" / "recording-0001-solid.mp4") == "aac"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Say which recording."),
        (("--recording", "2"), "no sound"),
        (("--recording", "1", "--method", "parrot"), "There is no voice method"),
        (("--recording", "1", "--method", "none"), "of no use"),
        (("--recording", "1", "--method", "mcadams", "--voice-pitch", "2"), "has no option"),
        (("--recording", "1", "-o", "sound.mp3"), "FLAC or WAV"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_leaves_nothing(
    study: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    greenroom: Terminal,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = {path.name for path in tmp_path.iterdir()} | {"anonymized", "cache"}
    assert message in greenroom("voice", study, *arguments, code=2)
    assert {path.name for path in tmp_path.iterdir()} <= before
    with Study.open(study) as opened:
        assert opened.rows("SELECT count(*) FROM run WHERE kind = 'voice'") == [(0,)]


def test_an_export_without_sound_has_no_track_and_its_treatment_is_in_the_answer(
    study: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    made = greenroom.json(
        "anonymize", study, "--recording", "1", "--out", tmp_path / "clips", "--voice", "none", "--cover", "beep"
    )
    assert made["sound"]["voice"] == "none"
    with av.open(made["output"]) as clip:
        assert not clip.streams.audio
