"""Which collection a recording is in, and who appears in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.study.people import add_participant, set_appearance
from annotate.study.recording_edits import add_recordings, describe_collection, move_recording, probe_file, undo
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.queries.recording_rows import all_collections, all_participants, participants_in
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    paths = [tmp_path / f"{number}.mp4" for number in range(2)]
    for number, path in enumerate(paths):
        make_clip(path, frames=5 + number)
    with Session(Study.create(tmp_path / "lab.greenroom", "Lab"), "A") as session:
        add_recordings(session, [probe_file(path) for path in paths])
        yield session


def recordings(session: Session) -> list[tuple[str, str]]:
    """Return the id of each recording and the name of the collection it is in."""
    names = {collection.id: collection.name for collection in all_collections(session.study)}
    rows = session.study.rows("SELECT id, collection_id FROM recording ORDER BY number")
    return [(str(row[0]), names[str(row[1])]) for row in rows]


def test_moving_makes_a_collection_and_removes_an_empty_one(session: Session) -> None:
    (first, before), (second, _) = recordings(session)
    move_recording(session, first, " Coach ")
    assert [home for _, home in recordings(session)] == ["Coach", before]
    move_recording(session, second, "Coach")
    assert [collection.name for collection in all_collections(session.study)] == ["Coach"]
    undo(session)
    undo(session)
    assert [home for _, home in recordings(session)] == [before, before]


def test_a_collection_has_a_name_of_its_own(session: Session) -> None:
    (first, _), _ = recordings(session)
    move_recording(session, first, "Coach")
    home = next(collection for collection in all_collections(session.study) if collection.name == "Coach")
    describe_collection(session, home.id, "Coach", "wellness coach robot")
    assert "wellness coach robot" in [collection.agent_context for collection in all_collections(session.study)]
    for name in ("", "Recordings"):
        with pytest.raises(UserError):
            describe_collection(session, home.id, name, "")
    with pytest.raises(UserError):
        move_recording(session, first, "  ")


def test_a_participant_is_taken_out_of_a_recording(session: Session) -> None:
    (first, _), _ = recordings(session)
    add_participant(session, "P01", ParticipantRole.USER, first)
    (person,) = all_participants(session.study)
    set_appearance(session, first, person, False)
    assert not participants_in(session.study, first)
    assert undo(session).name == "Take P01 out of recording 1"
    assert participants_in(session.study, first) == [person]
