"""Speech and transcripts on the command line."""

import json
from pathlib import Path

import pytest

from tests.builders.clips import make_clip
from tests.builders.terminal import Terminal
from tests.builders.tiny_whisper import write_tiny_whisper
from tests.builders.voices import RATE, spoken, write_sound


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal) -> Path:
    monkeypatch.chdir(tmp_path)
    write_sound(tmp_path / "talk.wav", spoken()[: 6 * RATE])
    make_clip(tmp_path / "mute.mp4", frames=5, size=(64, 48))
    greenroom("new", "lab.greenroom")
    greenroom("add", "lab.greenroom", "talk.wav", "mute.mp4")
    write_tiny_whisper(tmp_path / "tiny")
    return tmp_path


def test_speech_is_found_without_a_model(lab: Path, greenroom: Terminal) -> None:
    found = json.loads(greenroom("transcribe", "lab.greenroom", "--speech-only", "--json"))
    assert found["utterances"] == []
    assert found["speech"]
    assert all(0 <= one["start"] < one["end"] <= 6 and one["recording"] == 1 for one in found["speech"])
    said = greenroom("transcribe", "lab.greenroom", code=2)
    assert "models fetch" in said
    assert "--speech-only" in said


def test_a_transcript_is_made_shown_written_and_not_made_twice(lab: Path, greenroom: Terminal) -> None:
    first = ("transcribe", "lab.greenroom", "--model", "tiny", "--prompt", "Greenroom", "--json")
    made = json.loads(greenroom(*first))
    assert made["speech"]
    assert made["utterances"]
    assert made["recordings"][0]["language"] == "en"
    for one in made["utterances"]:
        assert " ".join(word["text"] for word in one["words"]) == one["text"]
    shown = greenroom("transcript", "show", "lab.greenroom", "--recording", "1")
    assert shown.count("\n") == len(made["utterances"])
    assert shown.startswith("? [")
    assert "--replace" in greenroom("transcribe", "lab.greenroom", "--model", "tiny")
    assert "already" in greenroom("transcribe", "lab.greenroom", "--model", "tiny", "--recording", "1", code=2)
    again = json.loads(greenroom(*first, "--replace"))
    assert len(again["utterances"]) == len(made["utterances"])
    told = json.loads(greenroom("transcript", "export", "lab.greenroom", "--recording", "1", "a.srt", "--json"))
    assert told["utterances"] == len(made["utterances"])
    assert (lab / "a.srt").read_text().count("-->") == told["utterances"]
    printed = greenroom("transcript", "export", "lab.greenroom", "--recording", "1", "--format", "json")
    assert len(json.loads(printed)["utterances"]) == len(made["utterances"])


def test_a_transcript_comes_from_a_file(lab: Path, greenroom: Terminal) -> None:
    (lab / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nRobot: Good morning\n")
    made = json.loads(greenroom("transcript", "import", "lab.greenroom", "--recording", "1", "a.srt", "--json"))
    assert (made["added"], made["remarks"]) == (1, [])
    shown = json.loads(greenroom("transcript", "show", "lab.greenroom", "--recording", "1", "--json"))
    assert [(one["speaker"], one["text"]) for one in shown["utterances"]] == [("Robot", "Good morning")]
