"""Asks judges in a job of the kind `ask`, and hands over what they answered when it is done."""

from collections.abc import Callable, Sequence

from app.core.jobs import Work
from app.core.judging.runs import asking
from app.core.judging.runs.outcome import outcome_from
from app.core.judging.runs.wanted import AskRequest
from app.core.session import Session
from app.gui.context import Context
from app.gui.job_center import Result
from app.gui.judges.readying import foretold, once_files_are_known
from project.errors import UserError
from project.judging import RAW, JudgeEntry
from widgets.judges.tick_menu import Entry

Then = Callable[[Sequence[str]], None]
Stopped = Callable[[], None]


def ask(context: Context, request: AskRequest, then: Then, stopped: Stopped = lambda: None) -> None:
    """Ask judges.

    Args:
        context: the window.
        request: what is asked of whom.
        then: called with a line for each thing that could not be asked, once all is answered.
        stopped: called where it comes to nothing: it cannot be asked, it is cancelled, or it fails.
    """
    session = context.studio.session

    def start() -> None:
        if session is None or context.studio.session is not session:
            return
        try:
            found = asking.prepare(session, request)
        except UserError as error:
            context.studio.failed.emit(error)
            stopped()
            return
        if found.changes:
            context.studio.publish(found.changes)
        notes = [one.as_text() for one in found.notes]
        if found.work is None:
            then(notes)
        else:
            _follow(context, found.work, lambda more: then([*notes, *more]), stopped)

    once_files_are_known(context, request.judges, start)


def _follow(context: Context, work: Work, then: Then, stopped: Stopped) -> None:
    jobs = context.jobs

    def done(result: Result) -> None:
        jobs.stopped.disconnect(ended)
        then([one.as_text() for one in outcome_from(result).notes])

    def ended(one: Work) -> None:
        if one is work:
            jobs.stopped.disconnect(ended)
            stopped()

    jobs.stopped.connect(ended)
    jobs.start(work, done)


def entries_of(session: Session, judges: Sequence[JudgeEntry], recording_id: str) -> list[Entry]:
    """Return the judges as they are offered; what the policy says against one, or where it sends what, is its hint."""
    found = []
    for one in judges:
        forbidden, ways = foretold(session, one, judges, recording_id, RAW) if recording_id else (None, [])
        hint = "\n".join(ways) if forbidden is None else f"{forbidden} {forbidden.hint}".strip()
        found.append(Entry(one.id, one.name, hint))
    return found
