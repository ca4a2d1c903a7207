"""Marking the recording that is shown: done, held out."""

from typing import TYPE_CHECKING

from app.core.commands.plan import hold_out, mark_done
from project.queries.hold_outs import hold_outs
from project.queries.plans import is_done
from resources.translation import tr

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow


def toggle_done(window: "MainWindow") -> None:
    """Mark the recording that is shown as done by who works here, or as not done."""
    studio = window.studio
    session, shown = studio.session, studio.recording
    if session is None or shown is None:
        return
    who = session.annotator()
    done = who is not None and is_done(session.study, shown.id, who.id)
    if studio.edit(lambda session: mark_done(session, shown.id, not done)):
        studio.told.emit(
            tr("Recording {number} is {words} by {annotator_name}.").format(
                number=shown.number, words=tr("not done") if done else "done", annotator_name=session.annotator_name
            )
        )


def toggle_hold_out(window: "MainWindow") -> None:
    """Hold the recording that is shown out, or no longer."""
    studio = window.studio
    session, shown = studio.session, studio.recording
    if session is None or shown is None:
        return
    held = shown.id in hold_outs(session.study)
    if studio.edit(lambda session: hold_out(session, shown.id, not held)):
        state = tr("no longer held out") if held else tr("held out: it is never exported")
        studio.told.emit(tr("Recording {number} is {state}.").format(number=shown.number, state=state))
