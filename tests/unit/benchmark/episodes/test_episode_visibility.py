"""An episode tells what somebody said about the moment that it goes on from, so it is seen by those who see that."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.interchange.document_export import build_document
from annotate.review.study_progress import build_overview
from annotate.review.text_search import StudySearch
from annotate.segments.segment_edits import set_field
from annotate.study.people import add_participant
from annotate.team.assignments import mark_done
from annotate.team.study_copies import MediaWith, split_study
from benchmark.episodes.alternative_continuation import continuation_setup, find_start_point
from benchmark.episodes.episode_setup import start_episode
from project.entities.study_records import ParticipantRole
from project.integrity.integrity_check import check_study
from project.queries.annotator_rows import hidden_lanes, lane_visibility_changes
from project.queries.episode_rows import all_episodes
from project.queries.recording_rows import all_recordings, find_recording
from project.queries.segment_rows import all_segments
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.training_round import copy_for, mark, open_round

CORRECTION = "Offer a rest instead."
MORE = "Sit down beside her."


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_round(tmp_path) as opened:
        yield opened
    assert check_study(tmp_path / "lab.greenroom") == []


def what_if(session: Session, segment_id: str, agent: str, correction: str) -> str:
    set_field(session, segment_id, "correction", correction)
    return start_episode(session, continuation_setup(session, find_start_point(session, segment_id, agent), {}))[0]


def followed(session: Session) -> tuple[str, str]:
    """Let an episode go on from a segment of Olga's, and another one from a segment in that."""
    first = all_recordings(session.study)[0].id
    add_participant(session, "Walker", ParticipantRole.USER, first)
    agent, _ = add_participant(session, "Helper", ParticipantRole.ROBOT, first)
    made = what_if(session, all_segments(session.study)[0].id, agent, CORRECTION)
    return made, what_if(session, mark(session, made, 0, 1, "Again."), agent, MORE)


def everything(session: Session) -> str:
    search = StudySearch(session)
    hits = search.find_hits("rest OR beside OR what")
    search.close()
    study = session.study
    document = build_document(session, all_recordings(study), whole=True)
    return repr(
        [
            *(all_recordings(study), all_episodes(study), all_segments(study), hits, [*free_texts(study)]),
            *([recording.lanes for recording in document.recordings], build_overview(session)),
        ]
    )


def test_who_trains_sees_no_episode_that_goes_on_from_what_is_hidden(session: Session) -> None:
    made = followed(session)
    assert all(text in everything(session) for text in (*made, CORRECTION, MORE))
    session.annotator_name = "Ada"
    seen = everything(session)
    assert not [text for text in (*made, CORRECTION, MORE) if text in seen]
    assert [find_recording(session.study, text) for text in made] == [None, None]
    before = hidden_lanes(session.study)
    mark_done(session, all_recordings(session.study)[0].id)
    assert all(text in everything(session) for text in (*made, CORRECTION, MORE))
    assert {*made} <= lane_visibility_changes(session.study, before ^ hidden_lanes(session.study)).ids("recording")


def test_a_copy_has_no_episode_that_goes_on_from_what_others_marked(session: Session, tmp_path: Path) -> None:
    made = followed(session)
    with session.step("Assign everything"):
        session.study.write("DELETE FROM assignment", ())
        session.study.set_property("training", None)
    data = split_study(session, "Ada", tmp_path / "ada", MediaWith.LEAVE).path.read_bytes()
    assert not [text for text in (*made, CORRECTION, MORE) if text.encode() in data]
    own = split_study(session, "Olga", tmp_path / "olga", MediaWith.LEAVE).path.read_bytes()
    assert all(text.encode() in own for text in (*made, CORRECTION, MORE))


def test_a_copy_for_who_trains_hides_it_until_the_training_is_done(session: Session) -> None:
    made = followed(session)
    with session.step("Assign it too"):
        for text in made:
            session.study.write(
                "INSERT INTO assignment SELECT ?, id, 'work' FROM annotator WHERE name = 'Ada'", (text,)
            )
    with Session.open(copy_for(session, "Ada")) as copy:
        assert CORRECTION not in everything(copy)
        mark_done(copy, all_recordings(copy.study)[0].id)
        assert CORRECTION in everything(copy)
