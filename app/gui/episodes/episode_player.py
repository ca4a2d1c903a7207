"""Plays one episode and shows what was said and done.

Judges take their turns in jobs of the kind `ask`, people at the keyboard.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from app.gui.jobs.job_center import Result
from app.gui.judges.request_facts import when_checksums_known
from app.gui.pages.context import Context
from benchmark.episodes.episode_ratings import blind_rater_reason, mean_scores, read_judge_ratings, read_ratings
from benchmark.episodes.episode_runs import TurnResult, add_answer_turn, add_turn, newest_answer, prepare_turn
from benchmark.episodes.episode_state import (
    END_LABELS,
    UNKNOWN_SPEAKER,
    EpisodeState,
    names_seen_by,
    read_episode_state,
    seen_end,
)
from benchmark.judging.ask_job import AskPlan
from benchmark.metrics.published_figures import DIMENSIONS, SCHEME, overall_score
from project.entities.judgments import Judgment
from project.entities.roleplay import PROFILE_FIELDS, Act, AgentPlayer, AgentTurn, EpisodeAgent, Relationship
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.episode_rows import all_episodes
from project.queries.judgment_rows import all_judges, asked_judges
from project.queries.recording_rows import all_recordings
from project.queries.transcript_rows import utterance_counts
from project.schemes.scheme_file import load_scheme
from project.session.jobs import JobSpec
from project.session.session import Session
from resources.translation import tr, trn
from widgets import theme
from widgets.form.checklists import TickMenu
from widgets.form.controls import line_edit, push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_panel, make_row, make_splitter
from widgets.table.record_table import TableRow
from widgets.text_labels import ElidedLabel, PlainLabel


class EpisodeRunner(QObject):
    """Plays one episode at a time, until a person has to act, it is over, or somebody stops it.

    Signals:
        changed: whether a judge is asked changed, or a turn was taken.
        message (str): what is going on, or why it stopped.
    """

    changed = Signal()
    message = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._recording_id = ""
        self._session: Session | None = None
        self._work: JobSpec | None = None
        self._going = False
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._play_next)
        context.jobs.done.connect(self._on_done)
        context.jobs.stopped.connect(self._on_stopped)
        context.studio.leaving.connect(self._forget)

    @property
    def running_recording_id(self) -> str:
        """The recording whose judges are asked; "" while none are."""
        return self._recording_id if self._going else ""

    def play(self, recording_id: str) -> None:
        """Let the judges act until a person has to, or it is over."""
        session = self._context.studio.session
        if self._going or session is None:
            return
        self._session, self._recording_id, self._going = session, recording_id, True
        self.message.emit("")
        self.changed.emit()
        self._next.start()

    def stop(self) -> None:
        """Stop after what is there; a judge that is asked is not asked any further."""
        work, self._work = self._work, None
        self._end(tr("Stopped. Keep playing whenever you like."))
        if work is not None:
            self._context.jobs.cancel(work)

    def take_turn(self, recording_id: str, position: int, turn: AgentTurn) -> bool:
        """Take a person's turn, then let the judges go on; tells whether it was taken."""
        done = self._context.studio.edit(lambda session: add_turn(session, recording_id, position, turn), self)
        if done:
            self.changed.emit()
            self.play(recording_id)
        return done

    def _play_next(self) -> None:
        session = self._session
        if not self._going or session is None or session is not self._context.studio.session:
            return
        try:
            state = read_episode_state(session, self._recording_id)
        except UserError as error:
            self._end(str(error))
            return
        who = state.next_agent
        if who is None or who.player is not AgentPlayer.JUDGE:
            self._end("")
            return
        judges = [judge for judge in all_judges(session.study) if judge.id == who.judge_id]
        when_checksums_known(self._context, judges, lambda: self._ask(session, state))

    def _ask(self, session: Session, state: EpisodeState) -> None:
        if not self._going or session is not self._context.studio.session:
            return
        try:
            asking = prepare_turn(session, state)
        except UserError as error:
            self._end(str(error))
            return
        if asking.changes:
            self._context.studio.publish(asking.changes)
        self._on_asked(state, asking)

    def _on_asked(self, state: EpisodeState, asking: AskPlan) -> None:
        if asking.cached:
            self._store_answer(state, asking.cached[0])
            return
        assert asking.job is not None, tr("what is not there has to be asked")
        self._work = asking.job
        self.message.emit(tr("A judge is thinking…"))
        self._context.jobs.start(asking.job)

    def _on_done(self, work: JobSpec, result: Result) -> None:
        session = self._session
        if work is not self._work or session is None:
            return
        self._work = None
        try:
            state = read_episode_state(session, self._recording_id)
            answer = newest_answer(session, state)
        except UserError as error:
            self._end(str(error))
            return
        if answer is None:
            notes = result.notes
            why = " ".join(part for part in (notes[0].title(), notes[0].hint) if part) if notes else ""
            self._end(why or tr("Nothing came back for this turn."))
            return
        self._store_answer(state, answer)

    def _store_answer(self, state: EpisodeState, answer: Judgment) -> None:
        taken: list[TurnResult] = []

        def do(session: Session) -> Changes:
            taken.append(add_answer_turn(session, state, answer))
            return taken[0].changes

        problems: list[str] = []
        failed = self._context.studio.failed
        joined = failed.connect(lambda error: problems.append(str(error)))
        done = self._context.studio.edit(do, self)
        failed.disconnect(joined)
        if not done:
            self._end(" ".join(problems))
            return
        self.message.emit(taken[0].failure_reason)
        self.changed.emit()
        self._next.start()

    def _on_stopped(self, work: JobSpec) -> None:
        if work is self._work:
            self._work = None
            problem = self._context.jobs.failure_of(work)
            self._end(tr("Stopped. Keep playing whenever you like.") if problem is None else str(problem))

    def _end(self, text: str) -> None:
        self._going = False
        self._next.stop()
        if text:
            self.message.emit(text)
        self.changed.emit()

    def _forget(self) -> None:
        self._work, self._session = None, None
        self._going = False


_ACT_NAMES = {
    Act.SPEAK: tr("Say"),
    Act.NONVERBAL: tr("Non-verbal"),
    Act.ACTION: tr("Do"),
    Act.NONE: tr("Nothing"),
    Act.LEAVE: tr("Leave"),
}
_ACT_HINTS = {
    Act.SPEAK: tr("What you say"),
    Act.NONVERBAL: tr("A gesture, a look, a face, such as nods"),
    Act.ACTION: tr("What you do, such as opens the door"),
    Act.NONE: tr("You stay silent"),
    Act.LEAVE: tr("Last words, or nothing; the episode ends"),
}
_WORDLESS_ACTS = frozenset({Act.NONE, Act.LEAVE})


class TurnBar(QWidget):
    """What kind of turn, its words, and a button; Enter takes the turn.

    Signals:
        turn_entered (AgentTurn): the turn was taken; what was typed stays until `clear`.
    """

    turn_entered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.act = ChoiceBox(tr("Kind of turn"), tr("What kind of turn it is"), _ACT_NAMES)
        self.words = line_edit(tr("What you say or do"))
        self.take = push_button(tr("Take turn"), tr("Take your turn (Enter)"), self._emit_turn, look="primary")
        self.setLayout(make_row(self.act, self.words, 1, self.take))
        self.act.currentIndexChanged.connect(self._update_controls)
        self.words.textChanged.connect(self._update_controls)
        self.words.returnPressed.connect(self._emit_turn)
        self._update_controls()

    def clear(self) -> None:
        """Begin another turn."""
        self.words.clear()
        self.act.setCurrentIndex(0)
        self.words.setFocus()

    def _kind(self) -> Act:
        return Act(self.act.currentData())

    def _update_controls(self) -> None:
        kind = self._kind()
        self.words.setPlaceholderText(_ACT_HINTS[kind])
        self.words.setEnabled(kind is not Act.NONE)
        self.take.setEnabled(kind in _WORDLESS_ACTS or bool(self.words.text().strip()))

    def _emit_turn(self) -> None:
        if self.take.isEnabled():
            kind = self._kind()
            text = "" if kind is Act.NONE else self.words.text().strip()
            self.turn_entered.emit(AgentTurn(kind, text))


_SILENT_TURN_TEXTS = {Act.NONE: tr("says and does nothing"), Act.LEAVE: "leaves"}


@dataclass(frozen=True, slots=True)
class EpisodeTurnRow:
    """One turn.

    Attributes:
        name: as the viewer knows them.
        is_context: it was said in the recording that the episode goes on from.
        note: why there was nothing to take from a judge; "" for none.
    """

    name: str
    turn: AgentTurn
    is_context: bool = False
    note: str = ""


class TurnsView(QTextEdit):
    """Turns under each other; names are bold, what is done is slanted, what led up to it is muted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAccessibleName(tr("What was said and done"))
        self._turns: tuple[EpisodeTurnRow, ...] = ()
        theme.notifier.changed.connect(self._draw)

    def show_turns(self, turns: Sequence[EpisodeTurnRow]) -> None:
        """Show these turns, the last one in sight."""
        new = tuple(turns)
        if new != self._turns:
            self._turns = new
            self._draw()

    def texts(self) -> list[str]:
        """Return the lines that are shown."""
        return [line for line in self.toPlainText().split("\n") if line]

    def _draw(self) -> None:
        self.clear()
        colours = theme.palette()
        cursor = self.textCursor()
        block = QTextBlockFormat()
        block.setBottomMargin(theme.GRID)
        for place, episode_turn_row in enumerate(self._turns):
            if place:
                cursor.insertBlock()
            cursor.setBlockFormat(block)
            colour = (
                colours.muted
                if episode_turn_row.is_context or episode_turn_row.turn.act in _SILENT_TURN_TEXTS
                else colours.text
            )
            cursor.insertText(f"{episode_turn_row.name}  ", _make_char_format(colour, bold=True))
            cursor.insertText(
                _turn_text(episode_turn_row.turn),
                _make_char_format(colour, slanted=episode_turn_row.turn.act is not Act.SPEAK),
            )
            if episode_turn_row.note:
                cursor.insertText(f"  ({episode_turn_row.note})", _make_char_format(colours.uncertain))
        self.moveCursor(QTextCursor.MoveOperation.End)
        self.ensureCursorVisible()


def _turn_text(turn: AgentTurn) -> str:
    """Return what is seen or heard, on one line."""
    text = " ".join(turn.text.split())
    quiet = _SILENT_TURN_TEXTS.get(turn.act, "")
    return f"{quiet}: {text}" if quiet and text else quiet or text


def _make_char_format(colour: QColor, *, bold: bool = False, slanted: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(colour)
    made.setFontItalic(slanted)
    made.setFontWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return made


class PlayView(QWidget):
    """Parts and places, and nothing that they do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told: Sequence[tuple[str, str]] = ()
        self.title = ElidedLabel(font=theme.font(semibold=True))
        self.scene = PlainLabel(wordWrap=True)
        self.turns = TurnsView()
        self.known = QTextEdit(readOnly=True)
        self.known.setAccessibleName(tr("What is known"))
        self.known_title = PlainLabel(font=theme.font(semibold=True))
        self.raise_curtain = push_button("", tr("The player before looks away"))
        self.status = PlainLabel(wordWrap=True, accessibleName=tr("State"))
        self.bar = TurnBar()
        self.play = push_button(tr(" Play"), tr("Let the judges act until a person has to, or it is over"), icon="play")
        self.stop = push_button(tr(" Stop"), tr("Stop; what was played stays, and it can go on later"), icon="square")
        self.look = push_button(
            tr(" Show in the main window"), tr("Its transcript, for segments, ratings and all else"), icon="film"
        )
        self.judges = TickMenu(tr("Judges"), tr("Choose judges"))
        self.judges.setMinimumWidth(theme.GRID * 22)
        self.rate = push_button(tr("Let them rate"), tr("Ask the chosen judges to rate everybody on seven dimensions"))
        self._lay_out()

    def show_known(self, title: str, told: Sequence[tuple[str, str]], curtain: str = "") -> None:
        """Show what somebody knows, texts under headings.

        It is behind a curtain, whose button says `curtain`, until they sit at the keyboard.
        """
        self.known_title.setText(title)
        if told != self._told:
            self._told = told
            self._write()
        self.known.setVisible(not curtain)
        self.raise_curtain.setText(curtain)
        self.raise_curtain.setVisible(bool(curtain))

    def _write(self) -> None:
        self.known.clear()
        cursor, usual, bold = self.known.textCursor(), QTextCharFormat(), QTextCharFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        for place, (heading, text) in enumerate(self._told):
            gap = "\n\n" if place else ""
            cursor.insertText(f"{gap}{heading}\n", bold)
            cursor.insertText(text, usual)
        self.known.moveCursor(QTextCursor.MoveOperation.Start)

    def _lay_out(self) -> None:
        parts = make_splitter(
            Qt.Orientation.Horizontal,
            self.turns,
            3,
            make_panel(
                make_column(
                    self.known_title,
                    self.known,
                    1,
                    self.raise_curtain,
                    None,
                    0,
                    margin=(theme.GRID, 0, 0, 0),
                    spacing=theme.GRID // 2,
                )
            ),
            2,
        )
        parts.setHandleWidth(theme.GRID // 2)
        self.setLayout(
            make_column(
                self.title,
                self.scene,
                parts,
                1,
                self.status,
                self.bar,
                make_row(self.play, self.stop, self.look, None, self.judges, 1, self.rate),
            )
        )


RELATIONSHIPS: Mapping[Relationship, str] = {
    Relationship.FAMILY: tr("Family"),
    Relationship.FRIEND: tr("Friends"),
    Relationship.ROMANTIC: tr("A couple"),
    Relationship.ACQUAINTANCE: tr("Acquaintances"),
    Relationship.KNOWN_BY_NAME: tr("Known by name"),
    Relationship.STRANGER: tr("Strangers"),
    Relationship.UNKNOWN: tr("Not known"),
}
PROFILE_NAMES: Mapping[str, str] = {
    "age": tr("Age"),
    "occupation": tr("Occupation"),
    "pronouns": tr("Pronouns"),
    "personality": tr("Personality"),
    "personal_values": tr("Values"),
    "decision_style": tr("How they decide"),
    "public_info": tr("Known to others"),
    "secret": tr("Secret"),
}
COLUMNS = (tr("No."), tr("Episode"), tr("Turns"), tr("State"))


def episode_rows(session: Session) -> list[TableRow]:
    """Return a row for each episode."""
    recordings = {recording.id: recording for recording in all_recordings(session.study)}
    counts = utterance_counts(session.study)
    rows = []
    for episode in all_episodes(session.study):
        here, turns = recordings[episode.recording_id], max(0, counts.get(episode.recording_id, 0) - episode.history)
        ended = seen_end(episode.ended, blind=bool(blind_rater_reason(session, episode.recording_id)))
        rows.append(TableRow(episode.recording_id, (str(here.number), here.name, str(turns), END_LABELS[ended])))
    return rows


def turn_rows(
    session: Session, state: EpisodeState, viewer: EpisodeAgent | None, failed: set[int]
) -> list[EpisodeTurnRow]:
    """Return the turns as an agent knows them; as everybody is called where `viewer` is None."""
    names = names_seen_by(session, state, viewer)
    if state.next_agent is None and blind_rater_reason(session, state.episode.recording_id):
        failed = set()
    return [
        EpisodeTurnRow(
            names.get(episode_turn.utterance.participant_id or "", UNKNOWN_SPEAKER),
            episode_turn.turn,
            not episode_turn.number,
            tr("no answer could be had from the judge") if episode_turn.number in failed else "",
        )
        for episode_turn in state.played_turns
    ]


def progress_text(session: Session, state: EpisodeState, viewer: EpisodeAgent | None) -> str:
    """Say in a line how far an episode is, with names as an agent knows them."""
    turns = trn("{count} turn", "{count} turns", state.turn_count)
    if state.next_agent is None:
        blind = blind_rater_reason(session, state.episode.recording_id)
        ended = END_LABELS[seen_end(state.episode.ended, blind=bool(blind))]
        return f"{tr('Over after {turns}: {ended}.').format(turns=turns, ended=ended)} {blind}".rstrip()
    name = names_seen_by(session, state, viewer).get(state.next_agent.participant_id or "", UNKNOWN_SPEAKER)
    return tr("{turns} of at most {turn_limit}. Next: {name}.").format(
        turns=turns, turn_limit=state.episode.turn_limit, name=name
    )


def is_played_by_judges(state: EpisodeState) -> bool:
    """Tell whether no person plays, so that everything may be seen."""
    return all(agent.player is not AgentPlayer.PERSON for agent in state.agents)


def outcome_blocks(session: Session, state: EpisodeState) -> tuple[tuple[str, str], ...]:
    """Return who took part, and under each what they wanted and hid; who played and rated them unless that is blind."""
    blind = bool(blind_rater_reason(session, state.episode.recording_id))
    ratings = [] if blind else read_ratings(session, state.episode.recording_id)
    said = {} if blind else read_judge_ratings(session, state.episode.recording_id)
    called = asked_judges(session.study) | {
        judge_entry.id: judge_entry.name for judge_entry in all_judges(session.study)
    }
    blocks = []
    for agent in state.agents:
        lines = [f"{PROFILE_NAMES[key]}: {text}" for key in PROFILE_FIELDS if (text := getattr(agent.profile, key))]
        lines += [tr("Wants: {goal}").format(goal=agent.goal)] if agent.goal else []
        mean = mean_scores(ratings, agent.participant_id or "")
        lines += [_scores_text(tr("Rated by people"), mean)] if mean else []
        for (who, judge), answer in said.items():
            if who == agent.participant_id:
                lines.append(
                    _scores_text(tr("Rated by {called}").format(called=called.get(judge, judge)), answer.answer)
                )
        heading = agent.profile.name if blind else f"{agent.profile.name}, {_player_text(agent, called)}"
        blocks.append((heading, "\n".join(lines)))
    return tuple(blocks)


def _player_text(episode_agent: EpisodeAgent, called: Mapping[str, str]) -> str:
    if episode_agent.player is AgentPlayer.JUDGE:
        return tr("played by {called}").format(called=called.get(episode_agent.judge_id, tr("a judge that is gone")))
    return tr("played by a person") if episode_agent.player is AgentPlayer.PERSON else tr("imported")


def _scores_text(title: str, scores: Mapping[str, object]) -> str:
    scheme = load_scheme(SCHEME)
    told = [
        f"{scheme.field(key).name.lower()} {_format_number(value, 'g')}"
        for key in DIMENSIONS
        if isinstance(value := scores.get(key), int | float)
    ]
    mean = overall_score({key: value for key, value in scores.items() if isinstance(value, int | float)})
    end = "" if mean is None else tr("; overall {mean}").format(mean=_format_number(mean, ".2f"))
    return f"{title}: {', '.join(told)}{end}"


def _format_number(value: float, form: str) -> str:
    return format(value, form).replace("-", "\N{MINUS SIGN}")
