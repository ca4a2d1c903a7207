"""What a search says about its hits."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.review.text_search import StudySearch
from annotate.segments.bulk_edits import add_comment
from annotate.segments.segment_edits import delete_segments, set_field
from project.entities.study_records import Utterance
from project.ids import new_id
from project.queries.recording_rows import all_participants, all_recordings
from project.queries.transcript_rows import insert_utterances
from project.session.session import Session
from tests.builders.random_edits import FIRST, SECOND, open_lab, own_and_others


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


@pytest.fixture
def searching(session: Session) -> Iterator[StudySearch]:
    made = StudySearch(session)
    yield made
    made.close()


def test_hits_say_where_they_are_and_whose(session: Session, searching: StudySearch) -> None:
    recording = all_recordings(session.study)[1]
    speaker = all_participants(session.study)[0]
    own, others = own_and_others(session)
    with session.step("Say") as step:
        said = Utterance(new_id(), recording.id, 5_000_000, 6_000_000, "Open the zeppelin", speaker.id)
        insert_utterances(session.study, [said])
    searching.apply(step.changes)
    searching.apply(set_field(session, own[0], "rationale", "A Zeppelin over the house"))
    searching.apply(add_comment(session, others[0], "no zeppelin at all")[1])
    found = {hit.kind: hit for hit in searching.find_hits("zep")}
    assert {*found} == {"Utterance", "Rationale", "Comment"}
    utterance, rationale, comment = found["Utterance"], found["Rationale"], found["Comment"]
    assert (utterance.recording, utterance.time_us, utterance.who) == (recording, 5_000_000, speaker.pseudonym)
    assert (rationale.segment.id, rationale.who, rationale.time_us) == (own[0], FIRST, rationale.segment.start_us)
    assert (comment.segment.id, comment.who) == (others[0], SECOND)
    assert "«Zeppelin»" in rationale.as_text()
    assert set(searching.match_segments("zep")) == {own[0], others[0]}
    assert [hit.kind for hit in searching.find_hits("zep", elsewhere=True)] == ["Utterance"]


def test_a_deleted_segment_is_no_longer_found_and_comes_back_with_undo(
    session: Session, searching: StudySearch
) -> None:
    own, _ = own_and_others(session)
    searching.apply(set_field(session, own[0], "rationale", "A Zeppelin"))
    assert set(searching.match_segments("zeppelin")) == {own[0]}
    searching.apply(delete_segments(session, own[:1]))
    assert searching.find_hits("zeppelin") == []
    searching.apply(session.study.undo())
    assert set(searching.match_segments("zeppelin")) == {own[0]}


def test_recordings_and_collections_are_found(session: Session, searching: StudySearch) -> None:
    recording = all_recordings(session.study)[0]
    (hit, *_) = searching.find_hits(f'"{recording.name}"')
    assert (hit.kind, hit.recording) == ("Recording", recording)
    assert hit.as_text() == f"recording {recording.number}  Name: «{recording.name}»"
    assert any(hit.kind == "Collection" for hit in searching.find_hits("robot"))
