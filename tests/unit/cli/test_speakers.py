"""The command that suggests speakers, names them and accepts suggestions."""

import json
from pathlib import Path

import pytest

from annotate.study.recording_edits import add_recordings, probe_file
from project.entities.study_records import Run, Utterance
from project.ids import new_id
from project.queries.history_rows import insert_run
from project.queries.transcript_rows import insert_utterances, utterances_of
from project.session.session import Session
from project.store.study import Study
from tests.builders.terminal import Terminal
from tests.builders.voices import silence, write_sound


@pytest.fixture
def study(tmp_path: Path) -> str:
    """A study in which a search found two speakers, of three utterances."""
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        (owner,), _ = add_recordings(session, [probe_file(write_sound(tmp_path / "talk.wav", silence(9)))])
        said = [Utterance(new_id(), owner, k * 3_000_000, k * 3_000_000 + 2_000_000, f"line {k}") for k in range(3)]
        with session.step("Write"):
            insert_utterances(session.study, said)
        rows = [
            {
                "utterance": utterance.id,
                "start_us": utterance.start_us,
                "end_us": utterance.end_us,
                "speaker": 1 + k % 2,
            }
            | {"participant": None, "track": None, "confidence": 0.5 + 0.2 * k, "faces": {}, "nobody": 1.0}
            for k, utterance in enumerate(said)
        ]
        flag = {"kind": "doubtful", "utterance": said[0].id, "start_us": 0, "end_us": 2_000_000}
        found = {"voices": 2, "suggestions": rows, "flags": [flag | {"person": None, "other": None, "at_us": None}]}
        run = Run(new_id(), owner, "speakers", "resemblyzer", {}, found, "2026-01-01T00:00:00Z", "1")
        with session.study.run_transaction():
            insert_run(session.study, run)
    return str(tmp_path / "lab.greenroom")


def test_naming_a_speaker_assigns_what_is_sure_and_suggests_the_rest(study: str, greenroom: Terminal) -> None:
    told = json.loads(greenroom("speakers", study, "--recording", "1", "--name", "1=P04", "--json"))
    (one,) = told["recordings"]
    assert [each["label"] for each in one["speakers"]] == ["Speaker 1", "Speaker 2"]
    assert [each["seconds"] for each in one["speakers"]] == [4.0, 2.0]
    with Session.open(Path(study)) as session:
        owner = str(session.study.rows("SELECT id FROM recording")[0][0])
        there = utterances_of(session.study, owner)
    assert [utterance.participant_id is not None for utterance in there] == [True, False, True]
    assert [utterance.suggested for utterance in there] == [True, False, False]


def test_all_suggestions_are_accepted_at_once(study: str, greenroom: Terminal) -> None:
    assert "--name 1=P01" in greenroom("speakers", study, "--accept", code=2)
    told = greenroom("speakers", study, "--recording", "1", "--name", "1=P04", "--role", "robot")
    assert "Speaker 1: P04" in told
    assert "Speaker 2: no participant yet" in told
    greenroom("speakers", study, "--accept")
    with Session.open(Path(study)) as session:
        owner = str(session.study.rows("SELECT id FROM recording")[0][0])
        assert not any(utterance.suggested for utterance in utterances_of(session.study, owner))
    assert "No suggestion" in greenroom("speakers", study, "--accept", code=2)


def test_places_to_look_at_are_told_until_they_are_decided(study: str, greenroom: Terminal) -> None:
    said = greenroom("speakers", study, "--recording", "1", "--name", "2=P05")
    assert "1 place to look at" in said
    assert "[0.00-2.00] It is doubtful who speaks" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--name", "1=P04"), "--recording NUMBER"),
        (("--recording", "1", "--name", "P04"), "does not say who a speaker is"),
        (("--recording", "1", "--name", "7=P04"), "There is no speaker 7"),
        (("--recording", "1", "--name", "1="), "does not say who a speaker is"),
    ],
)
def test_what_cannot_be_understood_is_said(
    arguments: tuple[str, ...], words: str, study: str, greenroom: Terminal
) -> None:
    assert words in greenroom("speakers", study, *arguments, code=2)
