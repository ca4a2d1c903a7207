"""`kill -9` while somebody is taken out of a study: it is whole, with them or without, and the next try ends it."""

import shutil
from pathlib import Path

import pytest

from annotate.study import people as participants
from annotate.transcript import transcript_edits as transcript
from anonymize.withdrawal.withdrawal_certificate import list_pending
from project.entities.study_records import ParticipantRole
from project.queries.recording_rows import all_participants, all_recordings
from project.session.session import Session
from project.store.journal import SUBJECT_COLUMNS
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone, rows_of, sound
from tests.faults.kills.marked import CLIP, marked_study

pytestmark = pytest.mark.e2e
SEGMENTS, SECRET = 100, "what nobody may read again"
WITHDRAW = ("P01", "--yes")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = marked_study(tmp_path_factory.mktemp("prepared"), SEGMENTS)
    with Session.open(folder / STUDY, "Bo") as session:
        (recording,) = all_recordings(session.study)
        for name in ("P01", "P02"):
            person, _ = participants.add_participant(session, name, ParticipantRole.USER, recording.id)
            for at in range(20):
                text = f"{SECRET} {at}" if name == "P01" else f"good day {at}"
                transcript.add_utterance(session, recording.id, at * 50_000, at * 50_000 + 40_000, text, person)
    return folder


@pytest.fixture(scope="module")
def lives(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    lives = Lives("withdrawing")
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, "greenroom", "withdraw", whole / STUDY, *WITHDRAW)
    return lives


@pytest.mark.parametrize("number", RUNS)
def test_somebody_is_gone_or_still_there(
    prepared: Path, lives: Lives, tmp_path: Path, kill_one: KillOne, number: int
) -> None:
    folder, study = tmp_path / "work", tmp_path / "work" / STUDY
    shutil.copytree(prepared, folder)
    before = rows_of(study, SUBJECT_COLUMNS)
    death = kill_one(lives, number, "greenroom", "withdraw", study, *WITHDRAW)
    sound(study)
    with Session.open(study, read_only=True) as session:
        there = "P01" in {participant.pseudonym for participant in all_participants(session.study)}
    assert death.killed or not there
    if there:
        assert rows_of(study, SUBJECT_COLUMNS) == before, "half of it was removed"
    if there or list_pending(study):
        # The same command ends it: it removes them, or writes the certificate that a kill kept back.
        greenroom("withdraw", study, *WITHDRAW)
        sound(study)
    for path in [file for file in folder.rglob("*") if file.is_file()]:
        assert SECRET.encode() not in path.read_bytes(), f"{path.name} still holds it"
    alone(folder, CLIP, *{path.name for path in folder.glob("*withdraw*") if not path.name.startswith(".")})
