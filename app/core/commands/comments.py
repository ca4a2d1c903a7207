"""Remarks on segments: anybody may make one on any segment, which stays as it is."""

from collections.abc import Iterable
from dataclasses import replace

from app.core.clock import utc_now
from app.core.commands.segments import find
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.ids import new_id
from project.queries import comments as rows
from project.types import Changes, Comment

LONGEST = 5_000


def add_comment(session: Session, segment_id: str, text: str) -> tuple[str, Changes]:
    """Remark on a segment, one's own or somebody else's; returns the comment's id and what changed.

    Raises:
        UserError: there is no such segment, or the text is empty or too long.
    """
    session.study.require_writable()
    segment = find(session, segment_id)
    checked = _checked(text)
    with session.step("Add comment") as step:
        author = session.annotator()
        assert author is not None
        new = Comment(new_id(), segment.id, author.id, checked, utc_now())
        rows.insert_comments(session.study, [new])
    return new.id, step.changes


def edit_comment(session: Session, comment_id: str, text: str) -> Changes:
    """Change what one's own comment says.

    Raises:
        UserError: there is none of this id, somebody else made it, or the text is empty or too long.
    """
    old = _own(session, comment_id)
    new = replace(old, text=_checked(text))
    with session.step("Edit comment") as step:
        if new != old:
            rows.update_comment(session.study, new)
    return step.changes


def resolve_comments(session: Session, comment_ids: Iterable[str], resolved: bool = True) -> Changes:
    """Say that comments are dealt with, or are not after all; anybody may.

    Raises:
        UserError: there is none of one of these ids.
    """
    session.study.require_writable()
    found = [find_comment(session, comment_id) for comment_id in comment_ids]
    verb = "Resolve" if resolved else "Reopen"
    with session.step(f"{verb} {'comment' if len(found) == 1 else counted(len(found), 'comment')}") as step:
        for old in found:
            if old.resolved != resolved:
                rows.update_comment(session.study, replace(old, resolved=resolved))
    return step.changes


def delete_comment(session: Session, comment_id: str) -> Changes:
    """Delete one's own comment.

    Raises:
        UserError: there is none of this id, or somebody else made it.
    """
    old = _own(session, comment_id)
    with session.step("Delete comment") as step:
        rows.delete_comment(session.study, old.id)
    return step.changes


def find_comment(session: Session, comment_id: str) -> Comment:
    """Return a comment.

    Raises:
        UserError: there is none with this id.
    """
    found = rows.comment(session.study, comment_id)
    if found is None:
        raise UserError(f"No comment has the id {comment_id}.", "It may be gone already.")
    return found


def _own(session: Session, comment_id: str) -> Comment:
    session.study.require_writable()
    found = find_comment(session, comment_id)
    author = session.annotator()
    if author is None or author.id != found.annotator_id:
        raise UserError("Somebody else made this comment.", "Answer with one of your own, or mark it as resolved.")
    return found


def _checked(text: str) -> str:
    text = text.strip()
    if not text:
        raise UserError("A comment needs some text.", "Say what should be looked at.")
    if len(text) > LONGEST:
        raise UserError(f"A comment has up to {LONGEST:,} characters.", "Say it more briefly.")
    return text
