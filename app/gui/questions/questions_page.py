"""The page of the mode Questions: the list, and one question to verify, to ask judges, or to write."""

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.gui.pages.context import Context
from app.gui.pages.live import Live
from app.gui.pages.study_view import StudyView
from app.gui.questions.filter_results import RELEVANT_TABLES, compute_survivors
from app.gui.questions.question_list import (
    EVERYWHERE,
    KIND,
    KIND_LABELS,
    MAKER,
    MAKER_LABELS,
    SCOPE,
    SCOPE_LABELS,
    STALE,
    STANDING,
    STATE_LABELS,
    WAITING,
    Check,
    ListBar,
    QuestionList,
    QuestionRow,
    ShownQuestion,
    agreement_text,
    progress_text,
    question_row,
    shown_question,
)
from app.gui.questions.verify_panel import VerifyPanel
from app.gui.questions.write_panel import AskBar, WritePanel
from benchmark.questions.filter_outcomes import judge_scores, read_question_input
from benchmark.questions.filter_rules import get_step, has_deciding_step
from benchmark.questions.question_edits import is_author
from benchmark.questions.verification import (
    VerificationItem,
    compute_agreement,
    counted_verifications,
    current_annotator_id,
    read_item,
    read_items,
    verification_progress,
)
from project.entities.study_records import Changes
from project.queries.annotator_rows import annotator_names
from project.queries.recording_rows import all_participants, all_recordings
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.controls import SegmentBar
from widgets.form.layouts import WIDE_MARGIN, bring_up, make_column, make_panel, make_splitter, make_stack
from widgets.graph.graph_view import ChainGraphView
from widgets.labels import NodePerson, participant_colours
from widgets.text_labels import ElidedLabel

VERIFY, ANSWERS, WRITE = "verify", "answers", "write"
_MIN_LIST_HEIGHT = 88
"""Pixels: two questions."""
_TABS = ((VERIFY, tr("Verify")), (ANSWERS, tr("Answers")), (WRITE, tr("Write")))

_TABLES = frozenset(
    {
        *("question", "verification", "chain", "chain_node", "chain_edge", "chain_person", "annotator", "participant"),
        *("judgment", "judge", "property", "recording"),
    }
)


_ANSWERS_PAUSE_MS = 200
"""Many answers come in a second."""


class QuestionsPage(StudyView):
    """Shows the questions of the recording, or of the study, and one of them with the panel of a tab.

    Signals:
        changed: the questions were read again, or another one is shown.
        question_chosen (str): id of the question that should be shown.
        tab_changed (str): another tab is on.
    """

    changed = Signal()
    question_chosen = Signal(str)
    tab_changed = Signal(str)

    title = tr("Questions")
    tables = _TABLES
    follows_recording = True
    pause_ms = 0

    def __init__(
        self,
        context: Context,
        makers: Sequence[tuple[str, str]],
        checklists: Mapping[str, tuple[str, Sequence[Check]]],
        difficulties: Sequence[str],
        settings: Mapping[str, str],
        wrong: int,
    ) -> None:
        super().__init__(context)
        self._wanted = ""
        self._fitted = ("", "")
        self._everywhere = False
        self._going: frozenset[str] | None = None
        self.all: list[VerificationItem] = []
        self.current: VerificationItem | None = None
        self.bar = ListBar(makers)
        self.list = QuestionList()
        self.list.row_chosen.connect(self.question_chosen)
        self.progress = ElidedLabel(look="muted")
        self.agreement = ElidedLabel(look="muted")
        self.verify = VerifyPanel(checklists, difficulties)
        self.asking = AskBar(tr("Ask"), settings, all_too=True)
        self.write = WritePanel(settings, wrong)
        self.graph = ChainGraphView(tools=False)
        self.graph.set_editable(False)
        # In a low window the question goes first.
        self.graph.board.setMinimumHeight(theme.GRID * 6)
        self.graph.setMinimumHeight(theme.GRID * 6)
        self.empty = EmptyState("list-checks", "", "", [EmptyStateAction(*maker) for maker in makers[:1]])
        self._lists = make_stack(self.list, self.empty)
        self._lists.setCurrentWidget(self.empty)
        # What one has to read at once, the question with its options and checks, gives way last.
        self.setLayout(
            make_column(
                self.bar,
                self.progress,
                self.agreement,
                make_splitter(Qt.Orientation.Vertical, self._lists, 1, self._make_question_part(), 2, sizes=[150, 560]),
                1,
                margin=WIDE_MARGIN,
            )
        )
        self.select_tab(VERIFY)
        for which, choices in (
            (SCOPE, SCOPE_LABELS),
            (STANDING, STATE_LABELS),
            (KIND, KIND_LABELS),
            (MAKER, MAKER_LABELS),
        ):
            self.bar.set_choices(which, choices)
        self._computing = Live(
            *(context, self, RELEVANT_TABLES, lambda: compute_survivors),
            wanted=lambda: self.isVisible() and self._has_deciding_filter(),
            automatic_below_s=math.inf,
        )
        self._computing.finished.connect(self._set_survivors)
        self._answered = QTimer(self, singleShot=True, interval=_ANSWERS_PAUSE_MS)
        self._answered.timeout.connect(self.changed)
        self.bar.changed.connect(self._show_list)
        self.question_chosen.connect(self.go_to)
        self.graph.seek_requested.connect(context.playback.jump)

    def show_rows(self, rows: Sequence[QuestionRow], current: str) -> None:
        """List these questions; where there is none, say what to do."""
        self.list.set_rows(rows, current)
        self._lists.setCurrentIndex(0 if rows else 1)
        # Without a minimum of its own it is as high as what is said where there is nothing.
        self._lists.setMinimumHeight(_MIN_LIST_HEIGHT if rows else 0)
        self._show_panels()

    def show_empty(self, title: str, hint: str) -> None:
        """Say why nothing is listed."""
        self.empty.set_text(title, hint)

    def step(self, by: int) -> None:
        """Go to the next or the previous question of the list."""
        keys = [row.key for row in self.list.rows()]
        current = self.list.current_key()
        place = keys.index(current) + by if current in keys else 0
        if 0 <= place < len(keys):
            self.question_chosen.emit(keys[place])

    def current_tab(self) -> str:
        """Return the key of the tab that is on."""
        return str(self.tabs.key())

    def select_tab(self, key: str) -> None:
        """Turn a tab on."""
        self.tabs.choose(key)
        bring_up(self._panels, [*self.tabs.buttons].index(key))
        self._show_panels()
        self.tab_changed.emit(key)

    def _show_panels(self) -> None:
        """Where there is no question, nothing can be said about one: only another can be written."""
        self._panels.setVisible(self._lists.currentIndex() == 0 or self.current_tab() == WRITE)

    def _make_question_part(self) -> QWidget:
        self.tabs = SegmentBar(dict(_TABS), tr("Show: {name}"))
        self.tabs.chosen.connect(self.select_tab)
        self._panels = make_stack(
            make_splitter(Qt.Orientation.Vertical, self.verify, self.graph, 1, sizes=[410, 160]),
            self.asking,
            self.write,
        )
        return make_panel(make_column(self.tabs, self._panels, 1, None, 0))

    @property
    def session(self) -> Session | None:
        """The study that is open."""
        return self._studio.session

    def go_to(self, question_id: str) -> None:
        """Show a question, and repeat its span in the player."""
        found = next((item for item in self.all if item.question.id == question_id), None)
        if found is None:
            return
        self.current = found
        studio, question = self._studio, found.question
        self.list.set_current(question_id)
        if studio.recording is None or studio.recording.id != question.recording_id:
            self._wanted = question_id
            self._context.look_at(question.recording_id, question.start_us)
        self._show()
        self.set_looping(on=True)

    def show_without_seeking(self, question_id: str) -> None:
        """Show a question without moving the player."""
        found = next((item for item in self.all if item.question.id == question_id), None)
        if found is not None:
            self.current = found
            self.list.set_current(question_id)
            self._show()

    def set_looping(self, *, on: bool) -> None:
        """Repeat the span of the question that is shown, or stop doing so."""
        if self.current is None:
            return
        playback, player = self._context.playback, self._context.player
        if not on:
            playback.set_looping(False)
            return
        playback.repeat(self.current.question.start_us, self.current.question.end_us)
        if player.path is not None and not player.playing:
            player.play()

    def next_waiting(self) -> str:
        """Return the id of the next question of the list that waits, after the current one and round; "" for none."""
        session = self.session
        if session is None:
            return ""
        who = current_annotator_id(session)
        keys = [row.key for row in self.list.rows()]
        at = keys.index(self.current.question.id) if self.current and self.current.question.id in keys else -1
        waiting = {item.question.id for item in self.all if item.is_waiting_for(who)}
        return next((key for key in [*keys[at + 1 :], *keys[: at + 1]] if key in waiting), "")

    def reload_question(self, question_id: str) -> None:
        """Read one question again now, and nothing else."""
        session = self.session
        found = None if session is None else read_item(session, question_id)
        if found is None or question_id not in {item.question.id for item in self.all}:
            self.refresh()
            return
        self.all = [found if item.question.id == question_id else item for item in self.all]
        if self.current is not None and self.current.question.id == question_id:
            self.current = found
        self._is_stale = False
        self._pause.stop()
        self._show_list()

    def needs_reload(self, changes: Changes, initiator: object) -> bool:
        if {*changes.tables} != {"judgment"}:
            return super().needs_reload(changes, initiator)
        if self.isVisible():
            self._answered.start()
        return False

    def reload(self, session: Session) -> None:
        recording = self._studio.recording
        here = recording.id if recording is not None else ""
        self._everywhere = self.bar.selected_key(SCOPE) == EVERYWHERE
        found = read_items(session, "" if self._everywhere else here) if here or self._everywhere else []
        self.all = found
        if self._has_deciding_filter():
            # Until it is read who goes on, nobody does: nobody verifies what the filters leave out.
            self._going = frozenset() if self._going is None else self._going
            self._computing.start()
        else:
            self._going = None
        shown = self._wanted or (self.current.question.id if self.current is not None else "")
        self._wanted = ""
        self.current = next((item for item in self.all if item.question.id == shown), None)
        self._show_list()

    def _has_deciding_filter(self) -> bool:
        session = self.session
        return session is not None and has_deciding_step(session.study)

    def _set_survivors(self, going: frozenset[str]) -> None:
        if going != self._going:
            self._going = going
            self._show_list()

    def _survives(self, item: VerificationItem) -> bool:
        """Tell whether a question is to be verified; every one is where no filter decides."""
        return self._going is None or item.is_to_verify(self._going)

    def _show_list(self) -> None:
        session, bar = self.session, self.bar
        if session is None:
            self.show_rows([], "")
            self.show_empty(tr("No study is open"), tr("Open one first."))
            self._show()
            return
        who, recording = current_annotator_id(session), self._studio.recording
        everywhere = bar.selected_key(SCOPE) == EVERYWHERE
        if everywhere and not self._everywhere:
            self.refresh()
            return
        owners = {recording.id: f"{recording.number} {recording.name}" for recording in all_recordings(session.study)}
        here = recording.id if recording is not None else ""
        of_scope = [item for item in self.all if everywhere or item.question.recording_id == here]
        found = [item for item in of_scope if self._matches_filter(item, who)]
        found.sort(key=lambda item: not (item.is_waiting_for(who) and (item.stale or item.needs_recheck_by(who))))
        rows = [
            question_row(
                item,
                who,
                survives=self._survives(item),
                recording=owners.get(item.question.recording_id, "") if everywhere else "",
            )
            for item in found
        ]
        if self.all and of_scope:
            self.show_empty(tr("Nothing fits"), tr("Choose something else above, or look for other words."))
        else:
            self.show_empty(
                tr("No questions yet"),
                tr("Make them by rules from the chains of the study, with a judge, or write one."),
            )
        self.show_rows(rows, self.current.question.id if self.current is not None else "")
        self.progress.set_text(progress_text(verification_progress(of_scope, who), len(rows)))
        agreed = agreement_text(
            compute_agreement([counted_verifications(item.question, item.verifications) for item in of_scope])
        )
        self.agreement.set_text(agreed)
        self.agreement.setVisible(bool(agreed))
        if self.current is None and rows:
            self.current = next(item for item in found if item.question.id == rows[0].key)
            self.list.set_current(rows[0].key)
        self._show()

    def _matches_filter(self, item: VerificationItem, who: str) -> bool:
        bar, question = self.bar, item.question
        wanted = bar.selected_key(STANDING)
        words = bar.words.text().casefold().split()
        text = " ".join((question.text, *question.options)).casefold()
        return (
            bar.selected_key(KIND) in ("", question.kind.value)
            and bar.selected_key(MAKER) in ("", question.maker.value)
            and all(word in text for word in words)
            and (
                not wanted
                or (wanted == WAITING and item.is_waiting_for(who) and self._survives(item))
                or (wanted == STALE and item.stale)
                or wanted == item.state.value
            )
        )

    def _show(self) -> None:
        session, item = self.session, self.current
        if session is None or item is None:
            self.verify.setEnabled(False)
            self.graph.hide()
            self.graph.show_graph(None, {}, {})
            self.changed.emit()
            return
        self.verify.setEnabled(True)
        self.verify.show_question(self._shown_question(session, item))
        people = all_participants(session.study)
        colours = participant_colours([participant.id for participant in people])
        self.graph.setVisible(item.graph is not None)
        if item.graph is not None:
            self.graph.show_graph(
                item.graph,
                {
                    participant.id: NodePerson(participant.pseudonym, colours.get(participant.id))
                    for participant in people
                },
                {},
            )
            self.graph.highlight(item.question.covers)
            if self._fitted != (item.question.id, item.graph.chain.id):
                self._fitted = (item.question.id, item.graph.chain.id)
                self.graph.reveal_nodes(item.question.covers)
        self.changed.emit()

    def _shown_question(self, session: Session, item: VerificationItem) -> ShownQuestion:
        reason = ""
        if not self._studio.writable:
            reason = session.study.read_only_reason or tr("This study is read-only.")
        elif is_author(item.question, current_annotator_id(session)):
            reason = tr("You wrote this question: two others verify it.")
        elif not item.ready:
            reason = tr("A draft cannot be verified: its author tries it on judges first.")
        scores: list[float] = []
        if item.is_verified_by(current_annotator_id(session)):
            found = judge_scores(read_question_input(session, item.question), get_step("difficulty"), item.question)
            scores = [score.value for score in found if score.value is not None]
        names = annotator_names(session.study)
        return shown_question(item, current_annotator_id(session), names, scores=scores, reason=reason)
