"""The form that starts an episode, from a scenario or from a moment of a recording.

It takes who takes part, their goals, and who plays them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QSizePolicy, QWidget

from app.gui.episodes.episode_player import RELATIONSHIPS
from app.gui.study.study_controller import StudyController
from benchmark.episodes.alternative_continuation import EpisodeStartPoint, continuation_setup, find_start_point
from benchmark.episodes.episode_setup import EpisodeSetup, compose_setup, get_scenario, start_episode
from project.entities.judgments import PERSON_BACKEND as JUDGING_PERSON
from project.entities.roleplay import MOST_TURNS, Act, AgentTurn, Relationship
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.episode_rows import all_characters, all_scenarios
from project.queries.judgment_rows import all_judges
from project.session.session import Session
from project.timebase import format_time
from resources.translation import tr, trn
from widgets import theme
from widgets.form.controls import line_edit, push_button, text_area
from widgets.form.form import Form
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_panel, make_row
from widgets.text_labels import ElidedLabel, PlainLabel

PERSON = ""
"""Key of who plays, for somebody at the keyboard."""


@dataclass(frozen=True, slots=True)
class SeatLine:
    """One line.

    Attributes:
        candidates: key -> name of those who can sit here; one alone cannot be chosen otherwise.
        chosen: key of who does.
        goal: what they want.
        is_fixed: the goal is the scenario's, and is only read.
    """

    candidates: Mapping[str, str]
    chosen: str = ""
    goal: str = ""
    is_fixed: bool = False


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """What was chosen: key of who, what they want, and the judge's id, or `PERSON`."""

    who: str
    goal: str
    judge: str


class SeatsForm(QWidget):
    """Lines in the order in which those who take part act.

    Signals:
        changed: something was chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(theme.GRID)
        self._grid.setColumnStretch(1, 2)
        self._grid.setColumnStretch(2, 3)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._lines: list[tuple[ChoiceBox, QLineEdit, ChoiceBox]] = []

    def show_lines(self, lines: Sequence[SeatLine], judges: Mapping[str, str]) -> None:
        """Show other lines, for judges (id -> name) to play; who was chosen for a line stays, else it is the first."""
        before = [player.currentData() for _, _, player in self._lines]
        while (item := self._grid.takeAt(0)) is not None:
            if (gone := item.widget()) is not None:
                gone.setParent(None)
                gone.deleteLater()
        self._lines = []
        for column, title in enumerate((tr("Who"), tr("What they want"), tr("Played by"))):
            head = PlainLabel(title, look="quiet", minimumHeight=theme.GRID * 7 // 2)
            # As high as the name of the row that a form puts beside it.
            self._grid.addWidget(head, 0, column)
        for place, line in enumerate(lines):
            made = self._line(place, line, judges)
            self._lines.append(made)
            for column, part in enumerate(made):
                self._grid.addWidget(part, place + 1, column)
            if place < len(before):
                made[2].setCurrentIndex(max(0, made[2].findData(before[place])))

    def choices(self) -> list[SeatChoice]:
        """Return what is chosen."""
        return [
            SeatChoice(who.key(), goal.text().strip(), str(player.currentData() or PERSON))
            for who, goal, player in self._lines
        ]

    def _line(self, place: int, line: SeatLine, judges: Mapping[str, str]) -> tuple[ChoiceBox, QLineEdit, ChoiceBox]:
        who = ChoiceBox(tr("Who acts as number {value}").format(value=place + 1), tr("Who takes part"), line.candidates)
        who.choose(line.chosen)
        who.setEnabled(len(line.candidates) > 1)
        goal = line_edit(
            tr("What number {value} wants").format(value=place + 1),
            tr("A private goal; none when empty"),
            line.goal,
            text=line.goal,
            readOnly=line.is_fixed,
        )
        goal.setCursorPosition(0)
        player = ChoiceBox(
            tr("Who plays number {value}").format(value=place + 1),
            tr("A person at this keyboard, or a judge"),
            {PERSON: tr("Person"), **judges},
            compact=True,
        )
        player.setCurrentIndex(min(1, player.count() - 1))
        who.currentIndexChanged.connect(self.changed)
        player.currentIndexChanged.connect(self.changed)
        return who, goal, player


_TEXT_HEIGHT = theme.GRID * 9


class StartForm(QWidget):
    """Parts, places, and what depends on what in it.

    Signals:
        scenario_chosen (str): another scenario, by its id.
        start_requested: it is to be started as it stands.
        cancelled: it is not.
    """

    scenario_chosen = Signal(str)
    start_requested = Signal()
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = PlainLabel(font=theme.font(theme.POINTS + 2, semibold=True))
        self._form = form = Form()
        self.scenario = form.choice(tr("Scenario"), tr("What is played"))
        self.scenario.activated.connect(lambda: self.scenario_chosen.emit(self.scenario.key()))
        self.instead = ElidedLabel()
        form.add(tr("Moment"), self.instead)
        self.kind = ChoiceBox(
            tr("Kind of turn"),
            tr("Whether it is said or done"),
            {Act.SPEAK: tr("Says"), Act.ACTION: tr("Does"), Act.NONVERBAL: tr("Shows")},
        )
        self.does = text_area(tr("What the agent does instead"), tabChangesFocus=True, maximumHeight=_TEXT_HEIGHT)
        self._does_row = make_panel(make_row((self.kind, Qt.AlignmentFlag.AlignTop), self.does, 1))
        form.add(tr("The agent"), self._does_row)
        self.context = form.area(tr("Situation"), "", maximumHeight=_TEXT_HEIGHT)
        kinds = {kind: name for kind, name in RELATIONSHIPS.items() if kind is not Relationship.UNKNOWN}
        self.relationship = form.choice(tr("Relationship"), tr("It decides what each sees of the others"), kinds)
        self.seats = SeatsForm()
        self.seats.changed.connect(self._show)
        form.add(tr("Who takes part"), self.seats)
        self.limit = form.number(
            tr("Turns at most"), "", minimum=1, maximum=1000, value=MOST_TURNS, maximumWidth=theme.GRID * 12
        )
        self.agreed = form.tick(
            tr("The players agree that judges are sent what they type"),
            tr("Without it, no judge on another machine can be asked"),
        )
        self.status = ElidedLabel(accessibleName=tr("State"))
        self.start = push_button(tr("Start"), tr("Start this episode"), self.start_requested, look="primary")
        self.cancel = push_button(tr("Cancel"), tr("Start nothing"), self.cancelled)
        foot = make_row(self.status, 1, self.cancel, self.start)
        self.setLayout(make_column(self.title, form, None, foot))

    def show_scenario(
        self,
        scenarios: Mapping[str, str],
        chosen: str,
        context: str,
        relationship: Relationship,
        lines: Sequence[SeatLine],
        judges: Mapping[str, str],
    ) -> None:
        """Offer an episode from a scenario."""
        self._show_source_rows(from_moment=False)
        self.title.setText(tr("New episode"))
        self.scenario.offer(scenarios)
        self.scenario.choose(chosen)
        self._fill(context, relationship, lines, judges, writable=False)

    def show_start_point(
        self, about: str, turn: AgentTurn | None, context: str, lines: Sequence[SeatLine], judges: Mapping[str, str]
    ) -> None:
        """Offer an episode that goes on from a moment; `turn` is what the agent does there."""
        self._show_source_rows(from_moment=True)
        self.title.setText(tr("What if…"))
        self.instead.set_text(about)
        self.kind.choose(turn.act if turn is not None else Act.SPEAK)
        self.does.setPlainText(turn.text if turn is not None else "")
        self._fill(context, Relationship.ACQUAINTANCE, lines, judges, writable=True)

    def choices(self) -> list[SeatChoice]:
        """Return who takes part."""
        return self.seats.choices()

    def turn(self) -> AgentTurn:
        """Return what the agent does in the place of what it did."""
        return AgentTurn(Act(self.kind.currentData()), " ".join(self.does.toPlainText().split()))

    def selected_relationship(self) -> Relationship:
        """Return how they stand to each other."""
        return Relationship(self.relationship.currentData())

    def _fill(
        self,
        context: str,
        relationship: Relationship,
        lines: Sequence[SeatLine],
        judges: Mapping[str, str],
        *,
        writable: bool,
    ) -> None:
        self.context.setPlainText(context)
        self.context.setReadOnly(not writable)
        self.relationship.choose(relationship)
        self.relationship.setEnabled(writable)
        self.seats.show_lines(lines, judges)
        self.status.set_text("")
        self._show()

    def _show(self) -> None:
        players = {bool(choice.judge) for choice in self.choices()}
        self.agreed.setVisible(players == {True, False})

    def _show_source_rows(self, *, from_moment: bool) -> None:
        self._form.show_row(self.scenario, not from_moment)
        self._form.show_row(self.instead, from_moment)
        self._form.show_row(self._does_row, from_moment)


_NO_SCENARIO = tr("There is no scenario yet. Write one on the page Scenarios, or import some.")
_NO_CHARACTERS = tr("Two characters or more are needed. Write them on the page Characters.")


class EpisodeStarter(QObject):
    """Knows what the form is about: a scenario, or a moment of a recording.

    Args:
        studio: the study.
        form: the form.
        started: called with the recording of an episode that was started.
        parent: that it dies with.
    """

    def __init__(
        self, studio: StudyController, form: StartForm, started: Callable[[str], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._studio, self._form, self._started = studio, form, started
        self._moment: EpisodeStartPoint | None = None
        form.scenario_chosen.connect(self._choose)
        form.start_requested.connect(self._start)

    def from_scenario(self, scenario_id: str = "") -> None:
        """Show the form for a scenario, the first one where none is named."""
        session = self._studio.session
        if session is None:
            return
        self._moment = None
        scenarios = all_scenarios(session.study)
        characters = {character.id: character.profile.name for character in all_characters(session.study)}
        chosen = next(
            (scenario for scenario in scenarios if scenario.id == scenario_id), scenarios[0] if scenarios else None
        )
        if chosen is None:
            self._form.show_scenario({}, "", "", Relationship.STRANGER, (), {})
            self._form.start.setEnabled(False)
            self._form.status.set_text(_NO_SCENARIO)
            return
        fitting = next((cast for cast in chosen.casts if characters.keys() >= {*cast}), ())
        keys = [*fitting] or [*characters]
        lines = [
            SeatLine(characters, keys[place % len(keys)] if keys else "", goal, is_fixed=True)
            for place, goal in enumerate(chosen.goals)
        ]
        names = {scenario.id: scenario.name for scenario in scenarios}
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
            moment = find_start_point(session, segment_id)
        except UserError as error:
            self._studio.failed.emit(error)
            return False
        self._moment = moment
        lines = [
            SeatLine({participant.id: moment.names[participant.id]}, participant.id)
            for participant in (moment.agent, *moment.others)
        ]
        self._form.show_start_point(_describe_start_point(moment), moment.turn, moment.context, lines, _judges(session))
        self._form.start.setEnabled(self._studio.writable)
        return True

    def _choose(self, scenario_id: str) -> None:
        self.from_scenario(scenario_id)

    def _start(self) -> None:
        made: list[str] = []

        def do(session: Session) -> Changes:
            recording_id, changes = start_episode(session, self._build_setup(session))
            made.append(recording_id)
            return changes

        self._form.status.set_text("")
        if self._studio.edit(do, self):
            self._started(made[0])

    def show_error(self, error: UserError) -> None:
        """Show why the episode could not be begun."""
        self._form.status.set_text(str(error))

    def _build_setup(self, session: Session) -> EpisodeSetup:
        form, choices = self._form, self._form.choices()
        agreed = form.agreed.isVisibleTo(form) and form.agreed.isChecked()
        if self._moment is not None:
            return continuation_setup(
                session,
                self._moment,
                {choice.who: choice.judge for choice in choices if choice.judge},
                turn=form.turn(),
                context=form.context.toPlainText(),
                relationship=form.selected_relationship(),
                goals={choice.who: choice.goal for choice in choices if choice.goal},
                limit=form.limit.value(),
                agreed=agreed,
            )
        scenario = get_scenario(session, str(form.scenario.currentData() or ""))
        known = {character.id: character for character in all_characters(session.study)}
        cast = [known[choice.who] for choice in choices if choice.who in known]
        judges = [choice.judge for choice in choices]
        return compose_setup(session, scenario, cast, judges, limit=form.limit.value(), agreed=agreed)


def _judges(session: Session) -> dict[str, str]:
    """Return id -> name of those who can play."""
    return {judge.id: judge.name for judge in all_judges(session.study) if judge.backend != JUDGING_PERSON}


def _describe_start_point(moment: EpisodeStartPoint) -> str:
    """Say where it goes on from, and what does not happen then."""
    number, at = moment.recording.number, format_time(moment.segment.start_us)
    said = " ".join(utterance.text for utterance in moment.replaced_utterances)
    what = tr("In place of: {said}").format(said=said) if said else tr("The agent says nothing there.")
    return tr("Recording {number}, {at}, after {count}. {what}").format(
        number=number, at=at, count=trn("{count} turn", "{count} turns", len(moment.preceding_utterances)), what=what
    )
