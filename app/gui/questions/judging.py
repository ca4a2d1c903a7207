"""Asks judges in a job of the kind `ask`, and hands over what they answered when it is done."""

from collections.abc import Callable, Sequence

from app.core.judging.runs import asking
from app.core.judging.runs.outcome import outcome_from
from app.core.judging.runs.wanted import AskRequest
from app.core.leaving.foretelling import why_not
from app.core.session import Session
from app.gui.context import Context
from project.errors import UserError
from project.judging import RAW, JudgeEntry
from widgets.judges.tick_menu import Entry

Then = Callable[[Sequence[str]], None]


def ask(context: Context, request: AskRequest, then: Then) -> bool:
    """Ask judges; returns whether something was started or was there already.

    Args:
        context: the window.
        request: what is asked of whom.
        then: called with a line for each thing that could not be asked, once all is answered.
    """
    session = context.studio.session
    if session is None:
        return False
    try:
        found = asking.prepare(session, request)
    except UserError as error:
        context.studio.failed.emit(error)
        return False
    if found.changes:
        context.studio.publish(found.changes)
    notes = [one.as_text() for one in found.notes]
    if found.work is None:
        then(notes)
        return True
    context.jobs.start(
        found.work, lambda result: then([*notes, *(one.as_text() for one in outcome_from(result).notes)])
    )
    return True


def entries_of(session: Session, judges: Sequence[JudgeEntry], recording_id: str) -> list[Entry]:
    """Return the judges as they are offered; what the policy says against one is its hint."""
    found = []
    for one in judges:
        try:
            barred: UserError | None = why_not(session, one, recording_id, RAW) if recording_id else None
        except UserError as error:
            barred = error
        found.append(Entry(one.id, one.name, "" if barred is None else f"{barred} {barred.hint}".strip()))
    return found
