"""Edits and comments of many segments: one step, own ones only, and nothing else changes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.segments import bulk_edits as bulk
from annotate.segments.bulk_edits import MAX_COMMENT_CHARS, add_comment, delete_comment, edit_comment, resolve_comments
from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import undo
from project.errors import UserError
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import (
    all_segments,
    comments_of,
    find_segment,
    unresolved_comments,
    values_of,
)
from project.session.session import Session
from tests.builders.random_edits import FIRST, SECOND, open_lab, own_and_others


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


def everything(session: Session) -> list[tuple[object, ...]]:
    return session.study.rows("SELECT * FROM segment ORDER BY id") + session.study.rows(
        "SELECT * FROM segment_value ORDER BY segment_id, version, field"
    )


def test_only_own_segments_change_and_one_undo_takes_it_back(session: Session) -> None:
    own, others = own_and_others(session)
    before = everything(session)
    theirs = [find_segment(session.study, text) for text in others]
    assert len(bulk.own_segments(session, [*own, *others])) == len(own)
    bulk.change_label(session, [*own, *others], "competence")
    assert {segment.label for segment in all_segments(session.study) if segment.id in own} == {"competence"}
    assert [find_segment(session.study, text) for text in others] == theirs
    undo(session)
    assert everything(session) == before


def test_choices_are_added_and_taken_away(session: Session) -> None:
    own, others = own_and_others(session)
    fits = [
        segment.id for segment in bulk.filter_by_choice(session, bulk.own_segments(session, own), "attributes", "norms")
    ]
    bulk.add_choice(session, [*own, *others], "attributes", "norms")
    for fit in fits:
        chosen = values_of(session.study, fit)["attributes"]
        assert isinstance(chosen, list)
        assert "norms" in chosen
    before = everything(session)
    assert not bulk.add_choice(session, own, "attributes", "norms")
    assert everything(session) == before
    bulk.remove_choice(session, own, "attributes", "norms")
    for fit in fits:
        assert "norms" not in str(values_of(session.study, fit).get("attributes"))
    bulk.add_choice(session, own, "channel", "verbal")
    single = bulk.filter_by_choice(session, bulk.own_segments(session, own), "channel", "verbal")
    assert {values_of(session.study, fit.id)["channel"] for fit in single} == {"verbal"}
    assert not bulk.remove_choice(session, own, "channel", "both")
    assert bulk.remove_choice(session, own, "channel", "verbal")
    assert all("channel" not in values_of(session.study, fit.id) for fit in single)


def test_shifting_moves_all_or_none(session: Session) -> None:
    recording = all_recordings(session.study)[0]
    first, _ = add_segment(session, recording.id, 1_000_000, 2_000_000, "error")
    second, _ = add_segment(session, recording.id, 3_000_000, 4_000_000, "error")
    bulk.shift_segments(session, [first, second], -500_000)
    assert [one.start_us for key in (first, second) if (one := find_segment(session.study, key))] == [
        500_000,
        2_500_000,
    ]
    before = everything(session)
    with pytest.raises(UserError, match="must lie inside"):
        bulk.shift_segments(session, [first, second], -600_000)
    assert everything(session) == before


def test_with_nothing_of_ones_own_or_a_choice_of_no_form_it_says_so(session: Session) -> None:
    own, others = own_and_others(session)
    for do in (
        lambda: bulk.delete_own_segments(session, others),
        lambda: bulk.change_label(session, others, "error"),
        lambda: bulk.shift_segments(session, others, 1000),
        lambda: bulk.add_choice(session, others, "attributes", "norms"),
    ):
        with pytest.raises(UserError, match="none of these"):
            do()
    for wrong in (
        lambda: bulk.add_choice(session, own, "attributes", "nonsense"),
        lambda: bulk.change_label(session, own, "nonsense"),
    ):
        with pytest.raises(UserError):
            wrong()


def test_a_comment_on_anybodys_segment_is_changed_resolved_and_deleted(session: Session) -> None:
    _, others = own_and_others(session)
    for text in ("  \n ", "x" * (MAX_COMMENT_CHARS + 1)):
        with pytest.raises(UserError):
            add_comment(session, others[0], text)
    before = find_segment(session.study, others[0])
    made, changes = add_comment(session, others[0], "  First ")
    assert changes.ids("comment") == {others[0]}
    (found,) = comments_of(session.study, others[0])
    assert (found.id, found.text, found.resolved) == (made, "First", False)
    assert find_segment(session.study, others[0]) == before
    edit_comment(session, made, "Second")
    session.annotator_name = SECOND
    resolve_comments(session, [made])
    assert unresolved_comments(session.study) == []
    for refused in (lambda: edit_comment(session, made, "Mine"), lambda: delete_comment(session, made)):
        with pytest.raises(UserError, match="Somebody else"):
            refused()
    resolve_comments(session, [made], resolved=False)
    assert [comment.text for comment in unresolved_comments(session.study)] == ["Second"]
    session.annotator_name = FIRST
    delete_comment(session, made)
    assert comments_of(session.study, others[0]) == []
    undo(session)
    assert [comment.text for comment in comments_of(session.study, others[0])] == ["Second"]
