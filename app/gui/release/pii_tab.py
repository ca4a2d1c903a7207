"""The tab of personal information.

It shows every hit with its sound and decision, and the key of replacements, which is exported separately.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QTabWidget, QWidget

from anonymize.pii_detection.pii_hit import KINDS, PERSON
from anonymize.pii_review import pii_decisions
from anonymize.pii_review.language_coverage import LanguageCoverage
from anonymize.pii_review.pii_decisions import use_stand_ins
from anonymize.pii_review.pii_files import key_rows, write_key
from anonymize.pii_review.review_hits import PlacedHit, read_stand_ins
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.release.pii_search import NamesModels, PiiHitMonitor
from app.gui.release.pii_views import (
    MIXED,
    STATE_LABELS,
    UNDECIDED,
    ContextPane,
    DecisionTable,
    PiiDecisionBar,
    PiiRowContext,
    hit_key,
    hit_state,
    location_text,
    place_columns,
    place_rows,
    word_columns,
    word_key,
    word_rows,
)
from app.gui.study.dialogs import Rows, changed_message, confirm_change, format_row_count
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.pii_rows import PiiVerdict
from project.queries.recording_rows import all_participants, all_recordings, recording_numbers
from project.search.free_texts import free_texts
from project.session.optional_parts import NAMES
from project.session.session import Session
from project.timebase import SECOND_US
from resources.translation import tr, trn
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.form.controls import check_box, push_button
from widgets.form.layouts import make_column, make_row, make_splitter
from widgets.table.filter_bar import ConditionFilterBar
from widgets.table.record_table import RecordTable, TableRow, text_columns
from widgets.text_labels import PlainLabel

_KEY_COLUMNS = (tr("Written instead"), tr("Kind"), tr("Participant"), tr("Stands for"), tr("Places"))
_KEY_WARNING = tr(
    "This is the key: it says who everybody is. It is in no release and no export. "
    "Keep a file of it apart from everything that leaves."
)


class KeyPage(QWidget):
    """A table of the key, and the way to a file of it."""

    def __init__(self, context: Context, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._context = context
        self._tell = tell
        warning = PlainLabel(_KEY_WARNING, wordWrap=True)
        self.table = RecordTable(tr("Key"), text_columns(_KEY_COLUMNS))
        EmptyHint(self.table, tr("Nothing personal was found yet, so nobody is behind a stand-in."))
        self.names = check_box(
            tr("Write stand-in names for participants, instead of numbers"),
            tr("A name is chosen once for each participant; no name is taken that occurs in the study"),
        )
        self.save = push_button(
            tr("Save the key…"),
            tr("Write who is behind each stand-in to a file that only you can read"),
            self.export_key,
        )
        self.setLayout(
            make_column(warning, self.table, 1, make_row(self.names, 1, self.save), margin=(0, theme.GRID, 0, 0))
        )
        self.names.clicked.connect(self._use_names)

    def reload(self) -> None:
        """Show the key as it is now."""
        session = self._context.studio.session
        if session is None:
            return
        try:
            found = key_rows(session)
        except UserError as error:
            self._tell(str(error))
            found = []
        rows = [(after, KINDS[kind].title, who, texts, places) for after, kind, who, texts, places in found]
        self.table.show_records([TableRow(f"{row[0]} {row[1]}", row) for row in rows])
        self.names.setChecked(bool(read_stand_ins(session)))
        self.names.setEnabled(self._context.studio.writable)
        self.save.setEnabled(bool(rows))

    def export_key(self) -> None:
        """Ask for a file and write the key into it."""
        session = self._context.studio.session
        if session is None:
            return
        usual = Path.home() / tr("{stem} key.csv").format(stem=session.study.path.stem)
        path = self._context.questions.save(tr("Save the key, apart from everything that leaves"), usual, tr("Tables"))
        if path is None:
            return
        try:
            rows = write_key(session, path)
        except UserError as error:
            self._tell(str(error))
            return
        self._tell(
            tr("Wrote {count} to {name}. It says who everybody is: never put it beside a release.").format(
                count=trn("{count} row", "{count} rows", rows), name=path.name
            )
        )

    def _use_names(self, on: bool) -> None:
        self._context.studio.edit(lambda session: use_stand_ins(session, on), self)
        self.reload()


_CONTEXT_US = SECOND_US
_KEY_TAB = 2
_MAX_GAPS = 5
"""So many recordings are named whose transcripts are not covered."""


def _gap_text(hint: str, found: Sequence[tuple[int, LanguageCoverage]]) -> str:
    """Return what is wrong with the transcripts of recordings for which the same is to be done."""
    number, coverage = found[0]
    said = tr("Recording {number}: {sentence}.").format(number=number, sentence=coverage.problem_text())
    others = ", ".join(str(number) for number, _ in found[1:_MAX_GAPS])
    if len(found) > _MAX_GAPS:
        others = tr("{numbers} and {count:,} more").format(numbers=others, count=len(found) - _MAX_GAPS)
    name = tr("recording") if len(found) == 2 else tr("recordings")
    also = tr("The same holds for {name} {numbers}.").format(name=name, numbers=others)
    return " ".join((said, also, hint) if others else (said, hint))


class PiiTab(StudyView):
    """Shows places or words, takes decisions, and leads from one that nobody decided on to the next."""

    title = tr("Personal information")
    preferred_size = (1240, 780)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._finding = PiiHitMonitor(context, self)
        self._people = PiiRowContext({}, {})
        self._shown: dict[str, PlacedHit] = {}
        self._words: dict[str, list[PlacedHit]] = {}
        self._moving = False
        kinds = [(key, kind.title) for key, kind in KINDS.items()]
        self.bar = ConditionFilterBar()
        self.bar.search.setPlaceholderText(tr("Search in what was found and around it"))
        self.places = DecisionTable(tr("Places"), place_columns())
        self.words = DecisionTable(tr("Words"), word_columns())
        looking = tr("What is found appears here once all texts were searched.")
        self._hints = [EmptyHint(table, looking) for table in (self.places, self.words)]
        self.key = KeyPage(context, self.tell)
        self.tabs = QTabWidget(documentMode=True)
        for page, name in ((self.places, tr("Places")), (self.words, tr("Words")), (self.key, tr("Who is behind"))):
            self.tabs.addTab(page, name)
        self.context_pane = ContextPane(kinds)
        self.decide_bar = PiiDecisionBar(kinds)
        self.languages = PlainLabel(
            wordWrap=True,
            accessibleName=tr("Languages that are not covered"),
            visible=False,
        )
        self.models = NamesModels(context)
        self._arrange()
        self._connect_signals()
        self._update_decision_bar()

    def reload(self, session: Session) -> None:
        self._fill_people(session)
        self._show_gaps()
        self._finding.refresh()

    def needs_reload(self, changes: Changes, _initiator: object) -> bool:
        session = self._studio.session
        if session is None or not self.isVisible():
            return True
        if {"participant", "recording"} & set(changes):
            self._fill_people(session)
        self._finding.apply(changes)
        return False

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.current_table.setFocus()

    @property
    def current_table(self) -> DecisionTable:
        """The table that is shown."""
        return self.words if self.tabs.currentIndex() == 1 else self.places

    def show_hits(self) -> None:
        """Filter and show what was found."""
        typed = self.bar.search.text().strip().casefold()
        kinds, states = self.bar.ticked_keys("kind"), self.bar.ticked_keys("state")
        recordings, spoken = self.bar.ticked_keys("recording"), self.bar.ticked_keys("spoken")
        found = [
            hit
            for hit in self._finding.hits
            if (not kinds or hit.kind in kinds)
            and (not states or hit_state(hit) in states)
            and (not recordings or hit.recording_id in recordings)
            and (not spoken or ("said" if hit.is_spoken else "written") in spoken)
            and (not typed or typed in hit.text.casefold())
        ]
        self._shown = {hit_key(placed_hit): placed_hit for placed_hit in found}
        self._words = {}
        for placed_hit in found:
            self._words.setdefault(word_key(placed_hit), []).append(placed_hit)
        self.places.show_records(place_rows(found, self._people))
        self.words.show_records(word_rows(found, self._people))
        self.tabs.setTabText(0, tr("Places {found:,}").format(found=len(found)))
        self.tabs.setTabText(1, tr("Words {words:,}").format(words=len(self._words)))
        every = self._finding.hits
        left = sum(placed_hit.verdict is None for placed_hit in every)
        self.decide_bar.show_remaining(left, len(every))
        self._update_decision_bar()

    def selected(self) -> list[PlacedHit]:
        """Return the places that are selected, or all places of the words that are."""
        keys = self.current_table.selected_keys()
        if self.current_table is self.words:
            return [word for key in keys for word in self._words.get(key, ())]
        return [self._shown[key] for key in keys if key in self._shown]

    def decide(self, verdict: PiiVerdict) -> None:
        """Hide or keep what is selected, and go to the next place that nobody decided on."""
        those = self.selected()
        alone = self.current_table.selected_count == 1
        if self._change(partial(pii_decisions.decide_places, places=those, verdict=verdict), those) and alone:
            self.step(1, only_if_decided=True)

    def decide_everywhere(self, verdict: PiiVerdict) -> None:
        """Hide or keep the words that are selected wherever they stand."""
        words = {placed_hit.hit.word or placed_hit.hit.text: placed_hit for placed_hit in self.selected()}
        those = [hit for hit in self._finding.hits if (hit.hit.word or hit.hit.text) in words]
        if verdict is PiiVerdict.HIDE:
            hidden = [
                pii_decisions.WordToHide(word, placed_hit.kind, placed_hit.hit.participant_id)
                for word, placed_hit in words.items()
            ]
            done = self._change(partial(pii_decisions.hide_words, words=hidden), those)
        else:
            done = self._change(partial(pii_decisions.keep_words, words=[*words]), those)
        if done:
            self._moving = True
            self.tell(tr("Looking at all texts again…"))

    def assign_name(self, participant_id: str) -> None:
        """Say whose name is selected; all names of one participant have one stand-in."""
        names = {
            hit.hit.text: pii_decisions.WordToHide(hit.hit.text, PERSON, participant_id) for hit in self.selected()
        }
        those = [hit for hit in self._finding.hits if hit.hit.text in names]
        if self._change(partial(pii_decisions.hide_words, words=[*names.values()]), those):
            self._moving = True

    def play(self) -> None:
        """Play the selected place with a second around it, in the main window."""
        placed_hit = next((hit for hit in self.selected() if hit.is_spoken), None)
        if placed_hit is None or placed_hit.recording_id is None:
            return
        self._context.look_at(placed_hit.recording_id, placed_hit.time_us)
        self._context.player.play_span(max(0, placed_hit.time_us - _CONTEXT_US), placed_hit.end_us + _CONTEXT_US)

    def jump(self) -> None:
        """Show the selected place in the main window, and select its utterance or segment there."""
        placed_hit = next(iter(self.selected()), None)
        if placed_hit is None or placed_hit.recording_id is None:
            return
        self._context.look_at(placed_hit.recording_id, placed_hit.time_us)
        if placed_hit.is_spoken:
            self._context.studio.select_utterances([placed_hit.place.row])
        elif placed_hit.place.table == "segment_value":
            self._context.studio.select([placed_hit.place.row])

    def step(self, direction: int, *, only_if_decided: bool = False) -> None:
        """Go to the next or previous row that nobody decided on."""
        here = self.current_table.selected()
        if only_if_decided and here and here[0].state == UNDECIDED:
            return
        if self.current_table.step_undecided(direction) or only_if_decided:
            return
        if self._finding.looking:
            self.tell(tr("It still looks for personal information: wait until it is done."))
        elif not self._finding.complete:
            self.tell(tr("The search was stopped, so this list may lack something. Search again: F5"))
        else:
            self.tell(tr("Nothing is undecided in this list."))

    def hide_span(self, start: int, end: int, kind: str) -> None:
        """Hide a stretch of the text that is shown, which no rule found."""
        session, placed_hit = self._studio.session, next(iter(self.selected()), None)
        if session is None or placed_hit is None:
            return
        at = placed_hit.place
        text = next(
            (t for t in free_texts(session.study) if (t.table, t.row, t.field) == (at.table, at.row, at.field)),
            None,
        )
        if text is None or text.text != placed_hit.text:
            self.tell(tr("This text was changed meanwhile; the list is up to date again."))
            self._finding.refresh()
            return
        if self.edit(partial(pii_decisions.mark_text, text=text, start=start, end=end, kind=kind)):
            self.tell(tr("Hidden too: “{value}”.").format(value=text.text[start:end]))

    def _arrange(self) -> None:
        self.lay_out(
            self.bar,
            self.languages,
            self.models,
            make_splitter(Qt.Orientation.Vertical, self.tabs, 3, self.context_pane, 1, sizes=[480, 130]),
            1,
            self.decide_bar,
        )

    def _connect_signals(self) -> None:
        self.bar.searched.connect(lambda _: self.show_hits())
        self.bar.changed.connect(self.show_hits)
        self.bar.moved_down.connect(lambda: self.current_table.setFocus())
        for table in (self.places, self.words):
            table.selection_changed.connect(self._update_decision_bar)
            table.opened.connect(lambda _row: self.jump())
            table.play_requested.connect(self.play)
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.context_pane.hide_requested.connect(self.hide_span)
        bar = self.decide_bar
        bar.hide_requested.connect(lambda: self.decide(PiiVerdict.HIDE))
        bar.keep_requested.connect(lambda: self.decide(PiiVerdict.KEEP))
        bar.hide_everywhere_requested.connect(lambda: self.decide_everywhere(PiiVerdict.HIDE))
        bar.keep_everywhere_requested.connect(lambda: self.decide_everywhere(PiiVerdict.KEEP))
        bar.undecide_requested.connect(self._undecide)
        bar.person_chosen.connect(self.assign_name)
        bar.kind_chosen.connect(self._set_kind)
        bar.play_requested.connect(self.play)
        bar.jump_requested.connect(self.jump)
        bar.step_requested.connect(self.step)
        self._finding.changed.connect(self._on_hits)
        self._finding.message.connect(self.tell)
        self.models.changed.connect(self.refresh)
        theme.notifier.changed.connect(self.show_hits)
        keys: Sequence[tuple[str | QKeySequence.StandardKey, Callable[[], object]]] = (
            ("H", bar.hide_one.click),
            ("K", bar.keep_one.click),
            ("Shift+H", bar.hide_all.click),
            ("Shift+K", bar.keep_all.click),
            ("Backspace", bar.again.click),
            ("P", bar.person.showPopup),
            ("C", bar.kind.showPopup),
            ("A", self.context_pane.request_hide),
            ("N", bar.on.click),
            ("Shift+N", bar.back.click),
            ("F5", self._finding.refresh),
            (QKeySequence.StandardKey.Find, self._focus_search),
            (QKeySequence.StandardKey.Undo, self._studio.undo),
            (QKeySequence.StandardKey.Redo, self._studio.redo),
        )
        for key, act in keys:
            QShortcut(QKeySequence(key), self).activated.connect(act)

    def _fill_people(self, session: Session) -> None:
        study = session.study
        people = [(participant.id, participant.pseudonym) for participant in all_participants(study)]
        numbers = recording_numbers(study)
        self._people = PiiRowContext(numbers, dict(people))
        self.decide_bar.set_people(people)
        self.bar.set_condition(
            "state", tr("Decision"), {key: name for key, name in STATE_LABELS.items() if key != MIXED}
        )
        self.bar.set_condition("kind", tr("Kind"), {key: kind.title for key, kind in KINDS.items()})
        self.bar.set_condition("spoken", tr("In"), {"said": tr("Speech"), "written": tr("Written texts")})
        named = {recording.id: f"{recording.number}  {recording.name}" for recording in all_recordings(study)}
        self.bar.set_condition("recording", tr("Recording"), named)

    def _show_gaps(self) -> None:
        """Say that nothing can be searched, or which transcripts are mostly in a language that is not covered."""
        if not NAMES.is_installed:
            self.languages.setText(f"{NAMES.missing_text} {NAMES.hint}")
            self.languages.show()
            self.models.show_missing([NAMES.name])
            return
        gaps = self._finding.gaps
        found: dict[str, list[tuple[int, LanguageCoverage]]] = {}
        for number, coverage in gaps:
            found.setdefault(coverage.hint_text(), []).append((number, coverage))
        lines = [_gap_text(hint, numbered) for hint, numbered in found.items()]
        if lines:
            lines.insert(0, tr("Names may be missed. Get the model, or read these transcripts whole:"))
            lines.append(tr("A release of them stops at the rule pii-reviewed, which a reason can waive."))
        self.languages.setText("\n".join(lines))
        self.languages.setVisible(bool(lines))
        self.models.show_missing(coverage.suggested_model for _, coverage in gaps if coverage.suggested_model)

    def _on_hits(self) -> None:
        self._show_gaps()
        if self._finding.complete:
            found = tr("Nothing personal is listed here.")
            for hint in self._hints:
                hint.setText(found if self._finding.hits else tr("Nothing personal was found yet."))
        self.show_hits()
        if self._moving:
            self._moving = False
            self.step(1, only_if_decided=True)
        if self.tabs.currentIndex() == _KEY_TAB:
            self.key.reload()

    def _on_tab_changed(self, place: int) -> None:
        for part in (self.bar, self.context_pane, self.decide_bar):
            part.setVisible(place != _KEY_TAB)
        if place == _KEY_TAB:
            self.key.reload()
        else:
            self._update_decision_bar()

    def _update_decision_bar(self) -> None:
        those = self.selected()
        placed_hit = those[0] if those else None
        writable = self._context.studio.writable
        kinds, whose = {hit.kind for hit in those}, {each.hit.participant_id or "" for each in those}
        self.decide_bar.show_choice(
            chosen=bool(those),
            usable=bool(those) and writable,
            spoken=any(hit.is_spoken for hit in those),
            kind=next(iter(kinds)) if len(kinds) == 1 else "",
            person=next(iter(whose)) if len(whose) == 1 else "",
        )
        self.decide_bar.show_selected(
            format_row_count(Rows.PLACES, len(those), _count_recordings(those)) if those[1:] else ""
        )
        if placed_hit is None:
            self.context_pane.show_text("", "", (0, 0), (), writable=False)
            return
        at = (placed_hit.place.table, placed_hit.place.row, placed_hit.place.field)
        marks = [
            (hit.hit.start, hit.hit.end, hit_state(hit))
            for hit in self._finding.hits
            if (hit.place.table, hit.place.row, hit.place.field) == at
        ]
        here = (placed_hit.hit.start, placed_hit.hit.end)
        self.context_pane.show_text(
            location_text(placed_hit, self._people), placed_hit.text, here, marks, writable=writable
        )

    def _undecide(self) -> None:
        those = self.selected()
        single = [placed_hit for placed_hit in those if placed_hit.annotator_id]
        words = [*dict.fromkeys(hit.hit.word for hit in those if hit.verdict is not None and not hit.annotator_id)]
        everywhere = [hit for hit in self._finding.hits if hit.hit.word in words and not hit.annotator_id]
        self._change(partial(pii_decisions.withdraw_decisions, places=single, words=words), [*single, *everywhere])

    def _set_kind(self, kind: str) -> None:
        those = self.selected()
        self._change(partial(pii_decisions.set_kind, places=those, kind=kind), those)

    def _change(self, do: Callable[[Session], Changes], those: Sequence[PlacedHit]) -> bool:
        """Change places as one step; asks where they are of several recordings, and says how many they were."""
        recordings = _count_recordings(those)
        if not those or not confirm_change(self._context.questions, Rows.PLACES, len(those), recordings):
            return False
        if not self.edit(do):
            return False
        if len(those) > 1:
            self.tell(changed_message(Rows.PLACES, len(those), recordings))
        return True

    def _focus_search(self) -> None:
        self.bar.search.setFocus()
        self.bar.search.selectAll()


def _count_recordings(those: Sequence[PlacedHit]) -> int:
    """Return in how many recordings places are; those of the study as a whole are in none."""
    return len({placed_hit.recording_id for placed_hit in those} - {None})
