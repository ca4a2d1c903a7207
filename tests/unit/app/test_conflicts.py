"""Conflicts in words that a person understands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.merge_text import describe_conflict
from project.entities.study_records import Participant, ParticipantRole
from project.entities.transcript import estimate_word_times
from project.ids import new_id
from project.queries.history_rows import Conflict
from project.queries.recording_rows import insert_participant
from project.session.session import Session
from project.store.column_values import words_to_json
from tests.builders.face_study import only_recording, open_lab


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


def _row(session: Session, text: str, **other: Any) -> dict[str, Any]:
    words = words_to_json(estimate_word_times(text, 0, 200_000))
    row = {"id": "u", "recording_id": only_recording(session), "start_us": 0, "end_us": 200_000, "text": text}
    return {**row, "participant_id": None, "words": words, "checked": 0, "suggested": 0, **other}


def _conflict(ours: dict[str, Any], theirs: dict[str, Any]) -> Conflict:
    return Conflict("c", "utterance", ("u",), {"utterance": [ours]}, {"utterance": [theirs]}, "Bo", "2026", "ours")


def test_an_utterance_is_told_by_what_is_said_in_it_and_moved_words_by_their_times(session: Session) -> None:
    row = _row(session, "good morning")
    found = describe_conflict(session, _conflict(row, _row(session, "good evening", checked=1)))
    assert found.title == "Utterance “good morning”, recording 1, at 0:00:00.000"
    assert [(line.name, line.ours, line.theirs) for line in found.differing] == [
        ("text", "good morning", "good evening"),
        ("checked", "no", "yes"),
    ]
    moved = _row(session, "good morning", words=words_to_json(estimate_word_times("good morning", 100_000, 200_000)))
    (line,) = describe_conflict(session, _conflict(row, moved)).differing
    assert (line.name, line.ours, line.theirs) == ("times of words", "0.00 0.08", "0.10 0.14")


def test_two_participants_with_one_pseudonym_are_told_apart(session: Session) -> None:
    people = [Participant(new_id(), "P50", ParticipantRole.USER) for _ in range(2)]
    with session.step("Add"):
        for person in people:
            insert_participant(session.study, person)
    sides = [_row(session, "good morning", participant_id=person.id) for person in people]
    (line,) = describe_conflict(session, _conflict(*sides)).differing
    assert (line.name, line.ours) == ("speaker", "P50 (1 of 2 with this pseudonym)")
    assert line.theirs == "P50 (2 of 2 with this pseudonym)"


def test_a_verdict_and_an_attribute_are_told_as_the_scheme_calls_them(session: Session) -> None:
    row = {"id": "s", "recording_id": only_recording(session), "start_us": 0, "end_us": 1, "scheme": "shrec"}
    value = {"segment_id": "s", "scheme": "shrec", "version": 1, "field": "attributes"}
    sides = [
        {
            "segment": [row | {"track": "segments", "label": label}],
            "segment_value": [value | {"value": f'["{attribute}", "of-a-later-version"]'}],
        }
        for label, attribute in (("none", "conversation"), ("competence", "emotions"))
    ]
    conflict = Conflict("c", "segment", ("s",), sides[0], sides[1], "Bo", "2026", "ours")
    found = describe_conflict(session, conflict)
    assert [(conflict_line.name, conflict_line.ours, conflict_line.theirs) for conflict_line in found.differing] == [
        ("label", "None", "Competence"),
        ("Attributes", "Conversational mechanics, of-a-later-version", "Emotions, of-a-later-version"),
    ]
    for_programs = describe_conflict(session, conflict, keys=True)
    assert [(conflict_line.name, conflict_line.ours) for conflict_line in for_programs.differing] == [
        ("label", "none"),
        ("attributes", "conversation, of-a-later-version"),
    ]
    key = ("s", "shrec", "1", "attributes")
    of_value = Conflict("c", "segment_value", key, None, {"segment_value": sides[0]["segment_value"]}, "Bo", "2026", "")
    assert describe_conflict(session, of_value).title == "Attributes of a segment, which is gone"
