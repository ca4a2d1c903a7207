"""The Release window: the plan, the checklist of what blocks it, the texts to read, and the button that releases."""

from collections.abc import Generator, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QTabWidget

from anonymize.release import release_job
from anonymize.release.private_content import set_private_words
from anonymize.release.release_plan import SCRUB, ReleasePlan, read_plan, store_plan
from anonymize.release.release_rules import Selection, waive_rule, withdraw_waiver
from anonymize.release.release_texts import (
    ReleasedText,
    confirm_texts,
    find_confirming_annotator,
    list_released_texts,
    texts_checksum,
)
from app.gui.jobs.job_center import Result
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.release.pii_search import NamesModels, PiiSearchController
from app.gui.release.release_form import (
    COLUMNS,
    ReleaseChecklistRow,
    ReleasePlanForm,
    ReleaseVerdict,
    WaiverBar,
    judge_in_steps,
)
from app.gui.release.scrubbed_texts import TextsView
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.pii_rows import replacements
from project.queries.recording_rows import all_recordings
from project.session.jobs import JobSpec
from project.session.session import Session
from resources.translation import tr, trn
from widgets import theme
from widgets.form.controls import check_box, push_button
from widgets.form.layouts import make_tab_page, wrap_in_scroll_area
from widgets.table.record_table import RecordTable, text_columns
from widgets.text_labels import PlainLabel

_TEXTS_TAB = 2
_STOPPED = tr("The search for personal information was stopped, so nothing can be judged. Open this window again.")
_PII_TABLES = ("private_word", "public_word", "pii_decision")
_RELEVANT_TABLES = frozenset(
    (
        *("property", "recording", "medium", "participant", "appearance", "consent", "annotator", "hold_out", "waiver"),
        *("run", "face_track", "track_correction", "track_box", "region", "region_box", "face_review", "seen_span"),
    )
)
_TEXT_TABLES = frozenset(("segment", "segment_value", "comment", "utterance", *_PII_TABLES))
_SOUND_TABLES = frozenset(("utterance", *_PII_TABLES))


class ReleaseTab(StudyView):
    """Judges one recording after the other while the window stays awake, and starts the release as a job."""

    title = tr("Release")
    preferred_size = (1080, 720)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._texts: list[ReleasedText] = []
        self._judging: Generator[str, None, ReleaseVerdict] | None = None
        self._judged = ReleaseVerdict(Selection(()), ())
        self._work: JobSpec | None = None
        self._searching = PiiSearchController(context, self)
        self.heading = PlainLabel(wordWrap=True, font=theme.font(semibold=True))
        self.table = RecordTable(tr("Checklist"), text_columns(COLUMNS, shrinks=0))
        self.only = check_box(tr("Only blockers"), tr("Leave out rules that are kept or waived"))
        self.bar = WaiverBar()
        self.models = NamesModels(context)
        self.left_out = PlainLabel(wordWrap=True)
        self.form = ReleasePlanForm()
        self.texts = TextsView()
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.addTab(make_tab_page(self.only, self.table, 1, self.bar, self.models, self.left_out), tr("Checklist"))
        self.tabs.addTab(wrap_in_scroll_area(self.form), tr("What is released"))
        self.tabs.addTab(self.texts, tr("Texts"))
        self.release = push_button(
            tr("Release…"), tr("Render, check and write the release into a new folder"), look="primary"
        )
        self.lay_out(self.heading, self.tabs, 1, foot=(self.release,))
        self._connect_signals()

    def reload(self, session: Session) -> None:
        """Judge the study as it is now; the list fills while one goes on working."""
        self.form.show_plan(read_plan(session), _recording_names(session))
        self.form.setEnabled(self._studio.writable)
        if self._needs_pii_search(session) and self._searching.is_needed:
            self._judging = None
            self._tick.stop()
            self._searching.begin()
            return
        self._judging = judge_in_steps(session, read_plan(session))
        self._tick.start()
        if self.tabs.currentIndex() == _TEXTS_TAB:
            self._show_texts()

    def _needs_pii_search(self, session: Session) -> bool:
        """Whether what is said or written matters: then it has to be searched for personal information first."""
        plan = read_plan(session)
        return plan.texts == SCRUB or plan.includes_sound or self.tabs.currentIndex() == _TEXTS_TAB

    def judge_all(self) -> None:
        """Judge what is left at once, also what was not searched yet."""
        session = self._studio.session
        if self._judging is None and session is not None and self._searching.is_needed:
            self._judging = judge_in_steps(session, read_plan(session))
        while self._judging is not None:
            self._step()

    def _step(self) -> None:
        if self._judging is None or self._studio.session is None:
            self._tick.stop()
            return
        try:
            if said := next(self._judging):
                self.heading.setText(said)
        except StopIteration as done:
            self._judging, self._judged = None, done.value
            self._tick.stop()
            self._show_lines()
        except UserError as error:
            self._judging = None
            self._tick.stop()
            self.heading.setText(str(error))

    def _show_lines(self) -> None:
        broken = [line for line in self._judged.lines if line.is_broken]
        count = len(self._judged.selection.candidates)
        rules = len({(row.rule, row.recording) for row in broken})
        if broken and not any(row.is_blocking for row in broken):
            said = tr("{count} not met when it was rendered last.").format(
                count=trn("{count} requirement", "{count} requirements", rules)
            )
            self.heading.setText(
                tr("{said} Waive what may be waived, or fix the rest; the next try checks again.").format(said=said)
            )
        elif not count and not self._judged.selection.left_out:
            self.heading.setText(tr("Nothing to release yet. Add recordings in the main window first: Ctrl+O."))
        elif broken:
            self.heading.setText(
                tr("{rules} not met for {recordings}.").format(
                    rules=trn("{count} requirement", "{count} requirements", rules),
                    recordings=trn("{count} recording", "{count} recordings", count),
                )
            )
        else:
            self.heading.setText(
                tr("{count} ready: no blocker so far.").format(
                    count=trn("{count} recording", "{count} recordings", count)
                )
            )
        listed = [
            (place, row) for place, row in enumerate(self._judged.lines) if row.is_broken or not self.only.isChecked()
        ]
        self.table.show_records([row.table_row(str(place)) for place, row in listed])
        gone = self._judged.selection.left_out
        self.left_out.setText(
            "\n".join(
                tr("{recordings} {numbers} left out: {why}").format(
                    recordings=trn("Recording", "Recordings", len(numbers)),
                    numbers=", ".join(map(str, numbers)),
                    why=f"{why[:1].lower()}{why[1:]}",
                )
                for why, numbers in _group_by_reason(gone).items()
            )
        )
        self.left_out.setVisible(bool(gone))
        self.models.show_missing(row.reason.weights for row in broken if row.reason is not None and row.reason.weights)
        idle = self._work is None
        mended = not any(row.is_blocking for row in broken)
        self.release.setEnabled(self._studio.writable and mended and count > 0 and idle)
        self._show_choice()

    def _selected_line(self) -> ReleaseChecklistRow | None:
        key = self.table.current_key()
        return self._judged.lines[int(key)] if key and int(key) < len(self._judged.lines) else None

    def _show_choice(self) -> None:
        line = self._selected_line()
        if line is None or line.reason is None:
            self.bar.show_choice("", place=False, waivable=False, waived=False)
            return
        self.bar.show_choice(
            f"{line.reason.sentence} {line.reason.hint}",
            place=line.recording is not None,
            waivable=line.reason.can_be_waived and line.waiver is None and self._studio.writable,
            waived=line.waiver is not None and self._studio.writable,
        )

    def _jump(self) -> None:
        line = self._selected_line()
        session = self._studio.session
        if line is None or session is None:
            return
        found = next(
            (recording for recording in all_recordings(session.study) if recording.number == line.recording), None
        )
        if found is not None:
            at = line.reason.time_us if line.reason is not None else None
            self._context.look_at(found.id, at or 0)

    def _waive(self, reason: str) -> None:
        line = self._selected_line()
        session = self._studio.session
        if line is None or session is None:
            return
        ids = {recording.number: recording.id for recording in all_recordings(session.study)}
        where = ids.get(line.recording) if line.recording is not None else None
        if self.edit(partial(waive_rule, rule=line.rule, recording_id=where, reason=reason)):
            self.bar.reason.clear()

    def _withdraw(self) -> None:
        line = self._selected_line()
        if line is not None and line.waiver is not None:
            where = line.waiver.recording_id
            self.edit(partial(withdraw_waiver, rule=line.rule, recording_id=where))

    def _set_plan(self, plan: ReleasePlan) -> None:
        session = self._studio.session
        if session is None:
            return
        if plan != read_plan(session) and not self.edit(partial(store_plan, plan=plan)):
            self.form.show_plan(read_plan(session), _recording_names(session))

    def _show_texts(self) -> None:
        session = self._studio.session
        if session is None:
            return
        said = tr("There are no free texts.")
        try:
            self._texts = list_released_texts(session)
        except UserError as error:
            self._texts, said = [], str(error)
        reader = find_confirming_annotator(session, self._texts)
        changed = sum(bool(text.replacements) for text in self._texts)
        if self._texts:
            state = (
                tr("Read by {name}.").format(name=reader.name)
                if reader
                else tr("Nobody confirmed them as they are now.")
            )
            said = tr("{count}, {changed} changed. {state}").format(
                count=trn("{count} text", "{count} texts", len(self._texts)), changed=changed, state=state
            )
        self.texts.show_texts(self._texts, said, confirmed=reader is not None, writable=self._studio.writable)
        self.texts.show_private_words(replacements(session.study))

    def _confirm(self) -> None:
        self.edit(partial(confirm_texts, state=texts_checksum(self._texts)))

    def _start(self) -> None:
        session = self._studio.session
        if session is None:
            return
        place = self._context.questions.release_place()
        if place is None:
            return
        try:
            self._work = release_job.prepare(session, place, read_plan(session))
        except UserError as error:
            self.tell(error)
            return
        self.tell(tr("The release runs under Jobs; there it can be cancelled."))
        self._context.jobs.start(self._work, self._on_done)
        self._show_lines()

    def _on_done(self, result: Result) -> None:
        self._work = None
        if result.released:
            name = Path(result.output).name
            self.tell(
                tr("Released {files} files to {name}. Read DATACARD.md before it leaves.").format(
                    files=result.files, name=name
                )
            )
        else:
            reasons = result.reasons
            self.tell(tr("Refused: {sentence}").format(sentence=reasons[0].sentence) if reasons else tr("Refused."))
        self.refresh()

    def _on_stopped(self, work: JobSpec) -> None:
        if work is self._work:
            self._work = None
            self.tell(tr("The release was not made; Jobs says why. Nothing of it is left."))
            self._show_lines()

    def _connect_signals(self) -> None:
        self._tick = QTimer(self)
        self._tick.setInterval(0)
        self._tick.timeout.connect(self._step)
        self.only.toggled.connect(lambda _on: self._show_lines())
        self.table.selection_changed.connect(self._show_choice)
        self.table.chosen.connect(lambda _row: self._show_choice())
        self.table.doubleClicked.connect(lambda _index: self._jump())
        self.bar.jump_requested.connect(self._jump)
        self.models.changed.connect(self.refresh)
        self.bar.waive_requested.connect(self._waive)
        self.bar.withdraw_requested.connect(self._withdraw)
        self.form.plan_changed.connect(self._set_plan)
        self.texts.words_changed.connect(lambda words: self.edit(partial(set_private_words, words=words)))
        self.texts.confirm_requested.connect(self._confirm)
        self.texts.row_chosen.connect(self._context.look_at)
        self.tabs.currentChanged.connect(lambda place: self.refresh() if place == _TEXTS_TAB else None)
        self._searching.ready.connect(self.refresh)
        self._searching.message.connect(self.heading.setText)
        self._searching.stopped.connect(lambda problem: self.heading.setText(problem or _STOPPED))
        self.release.clicked.connect(self._start)
        self._context.jobs.stopped.connect(self._on_stopped)

    def needs_reload(self, changes: Changes, _initiator: object) -> bool:
        session = self._studio.session
        if session is None:
            return False
        plan = read_plan(session)
        reads = plan.texts == SCRUB or self.tabs.currentIndex() == _TEXTS_TAB
        matters = (
            _RELEVANT_TABLES
            | (_TEXT_TABLES if reads else frozenset())
            | (_SOUND_TABLES if plan.includes_sound else frozenset())
        )
        return bool(set(changes) & matters)


def _group_by_reason(gone: Mapping[int, str]) -> dict[str, list[int]]:
    """Return why recordings are left out, and which."""
    found: dict[str, list[int]] = {}
    for number, why in sorted(gone.items()):
        found.setdefault(why, []).append(number)
    return found


def _recording_names(session: Session) -> dict[int, str]:
    return {recording.number: f"{recording.number}  {recording.name}" for recording in all_recordings(session.study)}
