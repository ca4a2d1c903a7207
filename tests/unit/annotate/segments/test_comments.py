"""Anybody may comment on any segment; only who made a comment changes or deletes it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.segments.bulk_edits import MAX_COMMENT_CHARS, add_comment, delete_comment, edit_comment, resolve_comments
from annotate.study.recording_edits import undo
from project.errors import UserError
from project.queries.segment_rows import comments_in, comments_of, find_segment, unresolved_comments
from project.session.session import Session
from tests.builders.random_edits import FIRST, SECOND, open_lab, own_and_others


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


def test_a_comment_on_somebody_elses_segment(session: Session) -> None:
    _, others = own_and_others(session)
    before = find_segment(session.study, others[0])
    made, changes = add_comment(session, others[0], "  Look again. ")
    assert changes.ids("comment") == {others[0]}
    (found,) = comments_of(session.study, others[0])
    assert (found.id, found.text, found.resolved) == (made, "Look again.", False)
    assert find_segment(session.study, others[0]) == before
    assert comments_in(session.study, before.recording_id) == {others[0]: [found]}
    undo(session)
    assert comments_of(session.study, others[0]) == []


def test_changing_resolving_and_deleting(session: Session) -> None:
    own, _ = own_and_others(session)
    made, _ = add_comment(session, own[0], "First")
    edit_comment(session, made, "Second")
    session.annotator_name = SECOND
    resolve_comments(session, [made])
    assert unresolved_comments(session.study) == []
    for refused in (lambda: edit_comment(session, made, "Mine"), lambda: delete_comment(session, made)):
        with pytest.raises(UserError, match="Somebody else"):
            refused()
    resolve_comments(session, [made], resolved=False)
    assert [unresolved_comment.text for unresolved_comment in unresolved_comments(session.study)] == ["Second"]
    session.annotator_name = FIRST
    delete_comment(session, made)
    assert comments_of(session.study, own[0]) == []


@pytest.mark.parametrize("text", ["", "  \n ", "x" * (MAX_COMMENT_CHARS + 1)])
def test_an_empty_or_endless_comment_is_refused(session: Session, text: str) -> None:
    own, _ = own_and_others(session)
    with pytest.raises(UserError):
        add_comment(session, own[0], text)
    with pytest.raises(UserError, match="No segment"):
        add_comment(session, "gone", "Hello")
    with pytest.raises(UserError, match="No comment"):
        delete_comment(session, "gone")
