"""The command that suggests speakers, names them and accepts suggestions."""

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
        unknown = {"participant": None, "track": None, "faces": {}, "nobody": 1.0}
        rows = [
            unknown
            | {"utterance": utterance.id, "start_us": utterance.start_us, "end_us": utterance.end_us}
            | {"speaker": 1 + k % 2, "confidence": 0.5 + 0.2 * k}
            for k, utterance in enumerate(said)
        ]
        flag = {"kind": "doubtful", "utterance": said[0].id, "start_us": 0, "end_us": 2_000_000}
        found = {"voices": 2, "suggestions": rows, "flags": [flag | {"person": None, "other": None, "at_us": None}]}
        run = Run(new_id(), owner, "speakers", "resemblyzer", {}, found, "2026-01-01T00:00:00Z", "1")
        with session.study.run_transaction():
            insert_run(session.study, run)
    return str(tmp_path / "lab.greenroom")


def test_naming_a_speaker_assigns_what_is_sure_and_suggests_the_rest_until_it_is_accepted(
    study: str, greenroom: Terminal
) -> None:
    def utterances() -> list[Utterance]:
        with Session.open(Path(study)) as session:
            return utterances_of(session.study, str(session.study.rows("SELECT id FROM recording")[0][0]))

    assert "--name 1=P01" in greenroom("speakers", study, "--accept", code=2)
    (told,) = greenroom.json("speakers", study, "--recording", "1", "--name", "1=P04")["recordings"]
    assert [(speaker["label"], speaker["seconds"]) for speaker in told["speakers"]] == [
        ("Speaker 1", 4.0),
        ("Speaker 2", 2.0),
    ]
    assert [utterance.participant_id is not None for utterance in utterances()] == [True, False, True]
    assert [utterance.suggested for utterance in utterances()] == [True, False, False]
    assert "There is no speaker 7" in greenroom("speakers", study, "--recording", "1", "--name", "7=P04", code=2)
    greenroom("speakers", study, "--accept")
    assert not any(utterance.suggested for utterance in utterances())
    assert "No suggestion" in greenroom("speakers", study, "--accept", code=2)


def test_places_to_look_at_are_told_until_they_are_decided(study: str, greenroom: Terminal) -> None:
    said = greenroom("speakers", study, "--recording", "1", "--name", "2=P05", "--role", "robot")
    assert "Speaker 1: no participant yet" in said
    assert "Speaker 2: P05" in said
    assert "1 place to look at" in said
    assert "[0.00-2.00] It is doubtful who speaks" in said
