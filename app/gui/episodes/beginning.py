"""Fills the form in which an episode is put together, and starts what stands in it."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.core.episodes.composing import composed, scenario_called
from app.core.episodes.from_segment import Moment, moment_of, wanted_from
from app.core.episodes.starting import Wanted, start_episode
from app.core.session import Session
from app.gui.episodes.start_form import StartForm
from app.gui.studio import Studio
from project.episodes import Relationship
from project.errors import UserError
from project.judging import PERSON
from project.queries.episodes import all_characters, all_scenarios
from project.queries.judges import all_judges
from project.timebase import format_time
from project.types import Changes
from resources.translation import tr, trn
from widgets.episodes.seats_form import SeatLine

_NO_SCENARIO = tr("There is no scenario yet. Write one on the page Scenarios, or import some.")
_NO_CHARACTERS = tr("Two characters or more are needed. Write them on the page Characters.")


class Beginning(QObject):
    """Knows what the form is about: a scenario, or a moment of a recording.

    Args:
        studio: the study.
        form: the form.
        started: called with the recording of an episode that was started.
        parent: that it dies with.
    """

    def __init__(self, studio: Studio, form: StartForm, started: Callable[[str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._studio, self._form, self._started = studio, form, started
        self._moment: Moment | None = None
        form.scenario_chosen.connect(self._choose)
        form.start_requested.connect(self._start)

    def from_scenario(self, scenario_id: str = "") -> None:
        """Show the form for a scenario, the first one where none is named."""
        session = self._studio.session
        if session is None:
            return
        self._moment = None
        scenarios = all_scenarios(session.study)
        characters = {one.id: one.profile.name for one in all_characters(session.study)}
        chosen = next((one for one in scenarios if one.id == scenario_id), scenarios[0] if scenarios else None)
        if chosen is None:
            self._form.show_scenario({}, "", "", Relationship.STRANGER, (), {})
            self._form.start.setEnabled(False)
            self._form.status.set_text(_NO_SCENARIO)
            return
        keys = [*characters]
        lines = [
            SeatLine(characters, keys[place % len(keys)] if keys else "", goal, fixed=True)
            for place, goal in enumerate(chosen.goals)
        ]
        names = {one.id: one.name for one in scenarios}
        self._form.show_scenario(names, chosen.id, chosen.context, chosen.relationship, lines, _judges(session))
        enough = len(characters) >= len(chosen.goals)
        self._form.start.setEnabled(self._studio.writable and enough)
        self._form.status.set_text("" if enough else _NO_CHARACTERS)

    def from_segment(self, segment_id: str) -> bool:
        """Show the form for a moment; tells whether it can be played on from."""
        session = self._studio.session
        if session is None:
            return False
        try:
            moment = moment_of(session, segment_id)
        except UserError as error:
            self._studio.failed.emit(error)
            return False
        self._moment = moment
        lines = [SeatLine({one.id: moment.names[one.id]}, one.id) for one in (moment.agent, *moment.others)]
        self._form.show_moment(_about(moment), moment.turn, moment.context, lines, _judges(session))
        self._form.start.setEnabled(self._studio.writable)
        return True

    def _choose(self, scenario_id: str) -> None:
        self.from_scenario(scenario_id)

    def _start(self) -> None:
        made: list[str] = []

        def do(session: Session) -> Changes:
            recording_id, changes = start_episode(session, self._wanted(session))
            made.append(recording_id)
            return changes

        problems: list[str] = []
        joined = self._studio.failed.connect(lambda error: problems.append(str(error)))
        done = self._studio.edit(do, self)
        self._studio.failed.disconnect(joined)
        self._form.status.set_text(" ".join(problems))
        if done:
            self._started(made[0])

    def _wanted(self, session: Session) -> Wanted:
        form, choices = self._form, self._form.choices()
        agreed = form.agreed.isVisibleTo(form) and form.agreed.isChecked()
        if self._moment is not None:
            return wanted_from(
                session,
                self._moment,
                {one.who: one.judge for one in choices if one.judge},
                turn=form.turn(),
                context=form.context.toPlainText(),
                relationship=form.kind_of_relationship(),
                goals={one.who: one.goal for one in choices if one.goal},
                limit=form.limit.value(),
                agreed=agreed,
            )
        scenario = scenario_called(session, str(form.scenario.currentData() or ""))
        known = {one.id: one for one in all_characters(session.study)}
        cast = [known[one.who] for one in choices if one.who in known]
        judges = [one.judge for one in choices]
        return composed(session, scenario, cast, judges, limit=form.limit.value(), agreed=agreed)


def _judges(session: Session) -> dict[str, str]:
    """Return id -> name of those who can play."""
    return {one.id: one.name for one in all_judges(session.study) if one.backend != PERSON}


def _about(moment: Moment) -> str:
    """Say where it goes on from, and what does not happen then."""
    number, at = moment.recording.number, format_time(moment.segment.start_us)
    said = " ".join(one.text for one in moment.replaced)
    what = tr("In place of: {said}").format(said=said) if said else tr("The agent says nothing there.")
    return tr("Recording {number}, {at}, after {count}. {what}").format(
        number=number, at=at, count=trn("{count} turn", "{count} turns", len(moment.led_up)), what=what
    )
