"""The window of episodes: lists them, and creates, plays, rates, imports and exports them."""

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from app.gui.episodes.episode_form import EpisodeStarter, StartForm
from app.gui.episodes.episode_library import StockPage, characters_page, scenarios_page
from app.gui.episodes.episode_player import (
    COLUMNS,
    EpisodeRunner,
    PlayView,
    episode_rows,
    is_played_by_judges,
    outcome_blocks,
    progress_text,
    turn_rows,
)
from app.gui.judges.request_facts import when_checksums_known
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.study.dialogs import file_filter
from benchmark.episodes.episode_runs import prepare_ratings
from benchmark.episodes.episode_state import EpisodeState, briefing, failed_turns, read_episode_state
from benchmark.episodes.sotopia_files import SUFFIXES, import_file, write_episodes
from project.entities.judgments import PERSON_BACKEND
from project.entities.roleplay import AgentPlayer, AgentTurn, EpisodeAgent
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.judgment_rows import all_judges
from project.session.session import Session
from resources.translation import tr, trn
from widgets import theme
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.checklists import TickMenuItem
from widgets.form.controls import push_button
from widgets.form.layouts import make_column, make_panel, make_row, make_splitter, make_stack
from widgets.table.record_table import RecordTable, text_columns

NEW, IMPORT = "new", "import"


class EpisodesPage(QWidget):
    """Parts and places, and nothing that they do.

    Signals:
        action_requested (str): `NEW` or `IMPORT`, where there is no episode yet.
    """

    action_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = RecordTable(tr("Episodes"), text_columns(COLUMNS))
        self.new = push_button(tr(" New…"), tr("Put an episode together from a scenario and characters"), icon="plus")
        self.bring = push_button(tr("Import…"), tr("Episodes, profiles or human scores in files of SOTOPIA"))
        self.export = push_button(tr("Export…"), tr("All episodes as SOTOPIA writes them; never hold-outs"))
        self.play = PlayView()
        self.start = StartForm()
        choices = (EmptyStateAction(NEW, tr("New episode…"), primary=True), EmptyStateAction(IMPORT, tr("Import…")))
        self.nothing = EmptyState(
            "film",
            tr("No episode yet"),
            tr("Judges and people play a situation, turn by turn; then it is rated."),
            choices,
        )
        self.nothing.button_clicked.connect(self.action_requested)
        self.stack = make_stack(self.nothing, self.play, self.start)
        self.stack.setContentsMargins(theme.GRID, 0, 0, 0)
        parts = make_splitter(
            Qt.Orientation.Horizontal,
            make_panel(
                make_column(
                    self.list, 1, make_row(self.new, self.bring, self.export, None), margin=(0, 0, theme.GRID, 0)
                )
            ),
            2,
            self.stack,
            5,
            sizes=[380, 860],
        )
        parts.setHandleWidth(theme.GRID // 2)
        self.setLayout(make_column(parts, margin=(0, theme.GRID, 0, 0)))

    def show_part(self, part: QWidget) -> None:
        """Show the episode, the form, or that there is nothing."""
        self.stack.setCurrentWidget(part)

    def is_showing(self, part: QWidget) -> bool:
        """Tell whether a part is in front."""
        return self.stack.currentWidget() is part


class EpisodesWindow(StudyView):
    """Three pages: episodes, characters, scenarios. Every edit is a step that undo takes back."""

    title = tr("Episodes")
    tables = frozenset(
        {"episode", "episode_agent", "character", "scenario", "utterance", "recording", "judge", "judgment", "segment"}
        | {"segment_value", "participant"}
    )
    preferred_size = (1280, 820)
    pause_ms = 40
    reads_in_turn = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._shown = ""
        self._at_keyboard: int | None = None
        self.page = EpisodesPage()
        self.characters = characters_page(self._studio)
        self.scenarios = scenarios_page(self._studio)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        for name, page in (
            (tr("Episodes"), self.page),
            (tr("Characters"), self.characters),
            (tr("Scenarios"), self.scenarios),
        ):
            self.tabs.addTab(page, name)
        self.lay_out(self.tabs, 1)
        self.playing = EpisodeRunner(context, self)
        self.beginning = EpisodeStarter(self._studio, self.page.start, self.show_episode, self)
        self._connect_signals()

    def _connect_signals(self) -> None:
        page, play = self.page, self.page.play
        page.list.selection_changed.connect(self._choose)
        page.new.clicked.connect(self.start_new_episode)
        page.action_requested.connect(lambda key: self.start_new_episode() if key == NEW else self._import())
        page.bring.clicked.connect(self._import)
        page.export.clicked.connect(self._export)
        page.start.cancelled.connect(lambda: page.show_part(page.play if self._shown else page.nothing))
        play.bar.turn_entered.connect(self._act)
        play.play.clicked.connect(lambda: self.playing.play(self._shown))
        play.stop.clicked.connect(self.playing.stop)
        play.look.clicked.connect(lambda: self._context.look_at(self._shown, 0))
        play.rate.clicked.connect(self._rate)
        play.raise_curtain.clicked.connect(self._reveal)
        self.playing.changed.connect(self._show)
        self.playing.message.connect(play.status.setText)
        self._context.jobs.done.connect(self.refresh_later)

    # What is shown

    def show_error(self, error: UserError) -> None:
        """Show why something could not be done, on the page that is in front."""
        page = self.tabs.currentWidget()
        if isinstance(page, StockPage):
            page.show_error(error)
        elif self.page.is_showing(self.page.start):
            self.beginning.show_error(error)
        else:
            self.page.play.status.setText(str(error))

    def show_episode(self, recording_id: str) -> None:
        """Show an episode, and let its judges begin where one of them acts first."""
        self._shown, self._at_keyboard = recording_id, None
        self.page.play.status.setText("")
        self.page.show_part(self.page.play)
        self.tabs.setCurrentWidget(self.page)
        self.refresh()
        state = self._state()
        if state is not None and state.next_agent is not None and state.next_agent.player is AgentPlayer.JUDGE:
            self.playing.play(recording_id)

    def start_new_episode(self) -> None:
        """Put an episode together."""
        self.tabs.setCurrentWidget(self.page)
        self.beginning.from_scenario()
        self.page.show_part(self.page.start)

    def start_from_segment(self, segment_id: str) -> None:
        """Put an episode together that goes on from a segment's correction."""
        if self.beginning.from_segment(segment_id):
            self.tabs.setCurrentWidget(self.page)
            self.page.show_part(self.page.start)

    def reload(self, session: Session) -> None:
        rows = episode_rows(session)
        known = [row.key for row in rows]
        if self._shown not in known:
            self._shown = known[0] if known else ""
        with QSignalBlocker(self.page.list):
            self.page.list.show_records(rows)
            self.page.list.select([self._shown])
        for button in (self.page.new, self.page.bring):
            button.setEnabled(self._studio.writable)
        self.page.export.setEnabled(bool(known))
        self.characters.reload()
        self.scenarios.reload()
        judges = [judge for judge in all_judges(session.study) if judge.backend != PERSON_BACKEND]
        self.page.play.judges.set_entries(
            [TickMenuItem(judge.id, judge.name, judge.model or judge.backend) for judge in judges]
        )
        if not self.page.is_showing(self.page.start):
            self.page.show_part(self.page.play if known else self.page.nothing)
        self._show()

    def _state(self) -> EpisodeState | None:
        session = self._studio.session
        if session is None or not self._shown:
            return None
        try:
            return read_episode_state(session, self._shown)
        except UserError:
            return None

    def _show(self) -> None:
        session, state = self._studio.session, self._state()
        if session is None or state is None:
            return
        play, who = self.page.play, state.next_agent
        viewer = self._viewer(state)
        here = session.recording(self._shown)
        play.title.set_text(tr("Recording {number}: {name}").format(number=here.number, name=here.name))
        play.scene.setText(state.episode.context)
        play.turns.show_turns(turn_rows(session, state, viewer, failed_turns(session, state)))
        running = self.playing.running_recording_id == self._shown
        at_once = self._studio.writable and not self.playing.running_recording_id
        mine = who is not None and who.player is AgentPlayer.PERSON
        curtain = self._reveal_label(state, viewer)
        if viewer is None:
            play.show_known(tr("Who takes part"), outcome_blocks(session, state))
        else:
            told = tuple(briefing(session, state, viewer).items())
            play.show_known(tr("What {name} knows").format(name=viewer.profile.name), told, curtain)
        waiting = not (play.bar.isVisibleTo(play) and play.bar.isEnabled())
        play.bar.setVisible(mine and not curtain)
        play.bar.setEnabled(at_once)
        if waiting and mine and not curtain and at_once:
            play.bar.words.setFocus()
        play.play.setEnabled(at_once and who is not None and not mine)
        play.stop.setEnabled(running)
        play.rate.setEnabled(at_once and bool(state.turn_count))
        if not running and not play.status.text():
            play.status.setText(progress_text(session, state, viewer))

    def _viewer(self, state: EpisodeState) -> EpisodeAgent | None:
        """Return through whose eyes it is seen; None for everything: nobody types, or it is over."""
        if state.next_agent is None or is_played_by_judges(state):
            return None
        if state.next_agent.player is AgentPlayer.PERSON:
            return state.next_agent
        people = [agent for agent in state.agents if agent.player is AgentPlayer.PERSON]
        return next((person for person in people if person.position == self._at_keyboard), people[0])

    def _reveal_label(self, state: EpisodeState, viewer: EpisodeAgent | None) -> str:
        """Return what the button says that shows what another person knows; "" where nobody else sat here before."""
        people = [agent for agent in state.agents if agent.player is AgentPlayer.PERSON]
        if viewer is None or len(people) < 2 or viewer.position == self._at_keyboard:
            return ""
        return tr("I play {name}: show what I know").format(name=viewer.profile.name)

    def _reveal(self) -> None:
        state = self._state()
        viewer = self._viewer(state) if state is not None else None
        self._at_keyboard = viewer.position if viewer is not None else None
        self._show()

    # What the buttons do

    def _choose(self) -> None:
        key = self.page.list.current_key()
        if key:
            self._shown, self._at_keyboard = key, None
            self.page.play.status.setText("")
            self.page.show_part(self.page.play)
            self._show()

    def _act(self, turn: AgentTurn) -> None:
        state = self._state()
        if state is None or state.next_agent is None:
            return
        self.page.play.status.setText("")
        if self.playing.take_turn(self._shown, state.next_agent.position, turn):
            self.page.play.bar.clear()

    def _rate(self) -> None:
        session = self._studio.session
        if session is None:
            return
        wanted = set(self.page.play.judges.ticked_keys())
        judges = [judge for judge in all_judges(session.study) if judge.id in wanted]
        if not judges:
            self.page.play.status.setText(tr("Choose a judge first, in the list beside the button."))
            return
        recording_id = self._shown
        when_checksums_known(self._context, judges, lambda: self._ask_for_ratings(session, recording_id))

    def _ask_for_ratings(self, session: Session, recording_id: str) -> None:
        if session is not self._studio.session:
            return
        wanted = set(self.page.play.judges.ticked_keys())
        try:
            asking = prepare_ratings(
                session, [judge for judge in all_judges(session.study) if judge.id in wanted], [recording_id]
            )
        except UserError as error:
            self.page.play.status.setText(str(error))
            return
        if asking.changes:
            self._studio.publish(asking.changes)
        notes = " ".join(f"{note.title()} {note.hint}".strip() for note in asking.notes)
        if asking.job is not None:
            self._context.jobs.start(asking.job, lambda _result: self.page.play.status.setText(tr("Rated.")))
            notes = f"{asking.job.title}… {notes}"
        self.page.play.status.setText(notes.strip() or tr("These judges have rated it already."))

    def _import(self) -> None:
        path = self._context.questions.file(
            tr("Import episodes, profiles or scores"), file_filter(tr("SOTOPIA"), SUFFIXES)
        )
        if path is None:
            return
        told: list[str] = []

        def do(session: Session) -> Changes:
            found = import_file(session, path)
            told.append(
                tr("{added} {what} added, {known} were here already.").format(
                    added=found.added, what=found.kind, known=found.existing
                )
            )
            if found.unmatched:
                told.append(
                    tr("{count} about what is not here.").format(
                        count=trn("{count} line", "{count} lines", found.unmatched)
                    )
                )
            return found.changes

        if self._studio.edit(do, self):
            self.refresh()
            self.page.play.status.setText(" ".join(told))

    def _export(self) -> None:
        session = self._studio.session
        path = self._context.questions.save(tr("Export episodes"), Path("episodes.jsonl"), tr("Episodes"))
        if session is None or path is None:
            return
        try:
            count = write_episodes(session, path)
        except UserError as error:
            self.show_error(error)
            return
        self.page.play.status.setText(
            tr("Wrote {count} to {name}. Names are in it.").format(
                count=trn("{count} episode", "{count} episodes", count), name=path.name
            )
        )
