"""Undo and redo, across the whole history of the study."""

from dataclasses import dataclass

from app.core.session import Session
from project.types import Changes


@dataclass(frozen=True, slots=True)
class Reverted:
    """The name of the step that was undone or redone, and what it touched."""

    name: str
    changes: Changes


def undo(session: Session) -> Reverted:
    """Take back the newest step that still stands.

    Raises:
        UserError: there is none, or the study is open for reading only.
    """
    name = session.study.undo_name or ""
    return _reverted(session, name, session.study.undo(_who(session)))


def redo(session: Session) -> Reverted:
    """Do again what was undone last.

    Raises:
        UserError: nothing was undone since the last edit, or the study is open for reading only.
    """
    name = session.study.redo_name or ""
    return _reverted(session, name, session.study.redo(_who(session)))


def _reverted(session: Session, name: str, changes: Changes) -> Reverted:
    if changes.ids("property") or changes.ids("scheme_version"):
        session.schemes.reload()
    return Reverted(name, changes)


def _who(session: Session) -> str | None:
    annotator = session.annotator()
    return annotator.id if annotator else None
