"""The form of a release plan, and its checklist: each rule of each recording, kept, broken or waived.

The study is judged in steps so that the window stays responsive.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QWidget

from annotate.interchange.annotation_files import FORMATS, get_format
from anonymize.methods.face_methods import METHODS, method_type, missing_weights
from anonymize.release.release_gate import (
    RECORDING_RULES,
    check_imported_codes,
    check_not_empty,
    check_texts_reviewed,
)
from anonymize.release.release_plan import (
    SCRUB,
    SOUND_CHOICES,
    TEXT_CHOICES,
    VIDEO_CHOICES,
    WITHOUT_CONSENT_CHOICES,
    ReleasePlan,
)
from anonymize.release.release_rendering import RenderingCheck, outcome_blockers
from anonymize.release.release_rules import (
    RULES,
    ReleaseBlocker,
    Selection,
    WaivedRule,
    selection_steps,
    valid_waivers,
)
from anonymize.release.release_texts import ReleasedText, released_texts_by_recording
from anonymize.sound.voice_methods import COVERS
from project.codec import load
from project.entities.study_records import Waiver
from project.queries.face_rows import mask_state
from project.queries.history_rows import latest_run
from project.session.optional_parts import NAMES
from project.session.session import Session
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.form.checklists import TickMenu, TickMenuItem
from widgets.form.controls import check_box, line_edit, push_button
from widgets.form.form import Form
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_row
from widgets.table.record_table import TableRow
from widgets.text_labels import PlainLabel
from widgets.window_terms import in_window_terms

COLUMNS = [tr("Rule"), tr("Recording"), tr("Time"), tr("State")]
_STUDY_RULES = ("something", "history", "texts-reviewed")
_RENDERING_RULES = ("rendered", "face-left", "face-under-mask", "not-recognized", "doubtful-hits")
_TRACK_RULES = ("faces-reviewed", "uncovered")
_POST_RENDERING_RULES = (*_RENDERING_RULES, "independent-check", "privacy-measured", "privacy-limit")


@dataclass(frozen=True, slots=True)
class ReleaseChecklistRow:
    """One line: a rule of a recording.

    Attributes:
        recording: its number; None for the release as a whole.
        reason: what is wrong; None where the rule is kept, or not judged yet.
        waiver: that does away with it.
        is_judged: whether anything is known about it.
        is_rendered: whether a rendering showed it, so that the next one is judged anew.
    """

    rule: str
    recording: int | None
    reason: ReleaseBlocker | None = None
    waiver: Waiver | None = None
    is_judged: bool = True
    is_rendered: bool = False

    @property
    def is_blocking(self) -> bool:
        """Whether it has to be fixed first."""
        return self.is_broken and not self.is_rendered

    @property
    def is_broken(self) -> bool:
        """Whether it stands in the way."""
        return self.reason is not None and self.waiver is None

    def table_row(self, key: str) -> TableRow:
        """Return it as a row of a table."""
        if self.reason is None:
            later = (
                tr("Judged when faces were looked for")
                if self.rule in _TRACK_RULES
                else tr("Judged when it is rendered")
            )
            icon, state = ("circle-check", tr("Kept")) if self.is_judged else ("circle-dashed", later)
        elif self.waiver is not None:
            icon, state = "circle-dashed", tr("Waived: {reason}").format(reason=self.waiver.reason)
        else:
            icon, state = "triangle-alert", in_window_terms(self.reason.sentence)
        time_us = self.reason.time_us if self.reason is not None else None
        where = "all" if self.recording is None else str(self.recording)
        at = "" if time_us is None else format_time(time_us)
        return TableRow(key, (RULES[self.rule].title, where, at, state), icon, time_us or 0)


def build_checklist(
    numbers: Sequence[int],
    reasons: Sequence[ReleaseBlocker],
    rendered: Sequence[int],
    waivers: Mapping[WaivedRule, Sequence[Waiver]],
    shown: Sequence[ReleaseBlocker] = (),
) -> list[ReleaseChecklistRow]:
    """Return a line for each reason, and one for each rule that nothing is said against.

    Args:
        numbers: of the recordings in the release.
        reasons: everything that stands in the way and shows without rendering.
        rendered: numbers of recordings of which a rendering of the present state was looked at.
        waivers: of the study.
        shown: what renderings of the present state showed.
    """
    found: list[ReleaseChecklistRow] = []
    untracked = {reason.recording for reason in reasons if reason.rule in ("file", "faces-tracked")}
    for number in (None, *numbers):
        for rule in RULES:
            if (rule in _STUDY_RULES) != (number is None):
                continue
            known = [reason for reason in reasons if (reason.rule, reason.recording) == (rule, number)]
            after = [reason for reason in shown if (reason.rule, reason.recording) == (rule, number)]
            found += [
                ReleaseChecklistRow(
                    rule,
                    number,
                    reason,
                    next(iter(waivers.get((rule, number)) or waivers.get((rule, None)) or ()), None)
                    if reason.can_be_waived
                    else None,
                    is_rendered=reason in after,
                )
                for reason in known or after
            ]
            if not known and not after:
                later = (
                    number not in rendered
                    if rule in _POST_RENDERING_RULES
                    else rule in _TRACK_RULES and number in untracked
                )
                # The whole history is read when the release is made, not while a window waits.
                found.append(ReleaseChecklistRow(rule, number, is_judged=not later and rule != "history"))
    return found


def earlier_rendering_results(
    session: Session, plan: ReleasePlan, recordings: Mapping[str, int]
) -> tuple[list[ReleaseBlocker], list[int]]:
    """Return what earlier tries found in renderings of the present state, and of which recordings there are any."""
    outcomes: list[RenderingCheck] = []
    for recording_id, number in recordings.items():
        run = latest_run(session.study, recording_id, "release")
        if run is None or run.parameters.get("mask_state") != mask_state(session.study, recording_id):
            continue
        every = load(tuple[RenderingCheck, ...], run.result["outcomes"], "release")
        if {rendering_check.method for rendering_check in every} == set(plan.methods_for(number)):
            outcomes += every
    return outcome_blockers(outcomes), [outcome.number for outcome in outcomes]


@dataclass(frozen=True, slots=True)
class ReleaseVerdict:
    """What came of it.

    Attributes:
        selection: what would be released, and what is left out.
        lines: of the checklist, what stands in the way first.
    """

    selection: Selection
    lines: tuple[ReleaseChecklistRow, ...]


def judge_in_steps(session: Session, plan: ReleasePlan) -> Generator[str, None, ReleaseVerdict]:
    """Judge one recording at a time; yields what to show meanwhile, "" where that stays."""
    selection = yield from selection_steps(session, plan)
    texts: list[ReleasedText] = []
    if plan.texts == SCRUB and NAMES.is_installed:
        for part in released_texts_by_recording(session):
            texts += part
            yield tr("Scrubbing the texts: {texts}…").format(texts=len(texts))
    reasons = [*check_not_empty(selection), *check_texts_reviewed(session, plan, texts)]
    reasons += check_imported_codes(session, selection)
    yield tr("Looking at the rules…")
    total = len(selection.candidates)
    for done, candidate in enumerate(selection.candidates, 1):
        for rule in RECORDING_RULES:
            reasons += rule(candidate)
        yield tr("Looking at the rules: recording {done} of {total}…").format(done=done, total=total)
    inside = {candidate.recording.id: candidate.number for candidate in selection.candidates if candidate.has_picture}
    after, rendered = earlier_rendering_results(session, plan, inside)
    numbers = [candidate.number for candidate in selection.candidates]
    found = build_checklist(numbers, reasons, rendered, valid_waivers(session), after)
    return ReleaseVerdict(selection, tuple(sorted(found, key=lambda row: not row.is_broken)))


_TYPED_FIELDS = {
    "title": (tr("Title"), tr("What the data set is called in its card")),
    "contact": (tr("Contact"), tr("Whom to ask, for the card and the terms")),
    "holder": (tr("Rights holder"), tr("Who holds the rights, for the terms of use")),
}
_TICK_COLUMNS = 3
_TICK_ROW_HEIGHT = theme.GRID * 7 // 2
"""Height of a row of ticks, in pixels: the name of the field stands beside the first of them."""


class ReleasePlanForm(Form):
    """Shows a plan and lets it be changed; methods whose weights are missing and formats of whole studies are left out.

    Signals:
        plan_changed (ReleasePlan): something was chosen or typed.
    """

    plan_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan = ReleasePlan()
        self._ticks: dict[str, dict[str, QCheckBox]] = {}
        self.boxes: dict[str, ChoiceBox] = {}
        self._typed: dict[str, QLineEdit] = {}
        self.setContentsMargins(0, theme.GRID, 0, 0)
        self.recordings = TickMenu(tr("Recordings"), tr("All recordings"))
        self.recordings.setToolTip(tr("Which recordings are released"))
        self.recordings.changed.connect(self._emit_changed)
        self.add(tr("Recordings"), self.recordings)
        methods = {name: method_type(name).title for name in METHODS if not missing_weights(name)}
        self._add_ticks("methods", tr("Faces"), methods, tr("Release a clip in which faces are hidden so"))
        tip = tr("What becomes of who did not agree")
        self._add_box("without_consent", tr("Without consent"), WITHOUT_CONSENT_CHOICES, tip)
        self.robots = self.tick(
            tr("Leave the faces of robots as they are"), tr("Faces of participants with the role robot are not hidden")
        )
        self.robots.clicked.connect(self._emit_changed)
        self._add_ticks("video", tr("Pictures"), VIDEO_CHOICES, tr("Put this into the release"))
        sound = self._add_box("sound", tr("Sound"), SOUND_CHOICES, tr("What becomes of voices"))
        cover = self._add_box("cover", tr("Instead of private words"), COVERS, tr("What is heard where sound leaves"))
        cover.setEnabled(False)
        sound.currentIndexChanged.connect(lambda place: cover.setEnabled(place > 0))
        self._add_box("texts", tr("Texts"), TEXT_CHOICES, tr("What becomes of free texts and transcripts"))
        formats = {key: get_format(key).name for key in FORMATS if not get_format(key).lossless}
        self._add_ticks("formats", tr("Annotations"), formats, tr("Write the annotations in this format"))
        for key, (name, tip) in _TYPED_FIELDS.items():
            self._typed[key] = self.text(name, tip)
            self._typed[key].editingFinished.connect(self._emit_changed)

    def show_plan(self, plan: ReleasePlan, recordings: Mapping[int, str]) -> None:
        """Show a plan, without a signal; `recordings` are the names of all, by number."""
        self._plan = plan
        blocker = QSignalBlocker(self)
        self.recordings.set_entries([TickMenuItem(str(number), name) for number, name in recordings.items()])
        self.recordings.set_ticked(map(str, plan.recordings))
        for key, ticks in self._ticks.items():
            chosen = getattr(plan, key) or (plan.methods_for(0) if key == "methods" else ())
            for name, tick in ticks.items():
                tick.setChecked(name in chosen)
        for key, box in self.boxes.items():
            box.choose(getattr(plan, key))
        self.robots.setChecked(plan.keep_robots)
        for key, line in self._typed.items():
            if not line.hasFocus():
                line.setText(getattr(plan, key))
        blocker.unblock()

    def plan(self) -> ReleasePlan:
        """Return the plan as it is filled in; options of a voice go with their method."""
        values: dict[str, Any] = {key: str(box.currentData()) for key, box in self.boxes.items()}
        for key, ticks in self._ticks.items():
            values[key] = tuple(name for name, tick in ticks.items() if tick.isChecked())
        values |= {key: line.text().strip() for key, line in self._typed.items()}
        return replace(
            self._plan,
            recordings=tuple(map(int, self.recordings.ticked_keys())),
            keep_robots=self.robots.isChecked(),
            voice_options=self._plan.voice_options if values["sound"] == self._plan.sound else {},
            **values,
        )

    def _emit_changed(self) -> None:
        self.plan_changed.emit(self.plan())

    def _add_box(self, key: str, name: str, names: Mapping[str, str], tip: str) -> ChoiceBox:
        box = self.boxes[key] = self.choice(name, tip, names)
        box.activated.connect(lambda _place: self._emit_changed())
        return box

    def _add_ticks(self, key: str, name: str, names: Mapping[str, str], tip: str) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.GRID * 2)
        grid.setVerticalSpacing(0)
        columns = max(1, _TICK_COLUMNS * 100 // max(100, theme.text_size()))
        grid.setColumnStretch(columns, 1)
        ticks = self._ticks[key] = {}
        for place, (choice, text) in enumerate(names.items()):
            tick = ticks[choice] = check_box(
                text,
                f"{tip}: {text}",
                self._emit_changed,
                name=f"{name}: {text}",
                minimumHeight=theme.scaled(_TICK_ROW_HEIGHT),
            )
            grid.addWidget(tick, place // columns, place % columns)
        self.add(name, grid)


class WaiverBar(QWidget):
    """About the line that is chosen in the checklist.

    Signals:
        waive_requested (str): the reason that was typed.
        withdraw_requested
        jump_requested: show the frame.
    """

    waive_requested = Signal(str)
    withdraw_requested = Signal()
    jump_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hint = PlainLabel(wordWrap=True)
        self.jump = push_button(
            tr("Show frame"), tr("Show the frame in question in the main window"), self.jump_requested
        )
        self.reason = line_edit(
            tr("Reason"),
            tr("Why it may be waived; printed in the data card"),
            tr("Three words or more; they are printed in the data card"),
        )
        self.reason.returnPressed.connect(self._waive)
        self.waive = push_button(
            tr("Waive"), tr("Do without this rule, for this reason; Undo takes it back"), self._waive
        )
        self.withdraw = push_button(tr("Withdraw waiver"), tr("The rule counts again"), self.withdraw_requested)
        self.setLayout(make_row(self.hint, 2, self.jump, self.reason, 2, self.waive, self.withdraw))
        self.show_choice("", place=False, waivable=False, waived=False)

    def show_choice(self, hint: str, *, place: bool, waivable: bool, waived: bool) -> None:
        """Show what can be done about a line: what to do, and whether there is a frame, a waiver, or room for one."""
        self.hint.setText(hint)
        self.jump.setVisible(place)
        self.reason.setVisible(waivable)
        self.waive.setVisible(waivable)
        self.withdraw.setVisible(waived)

    def _waive(self) -> None:
        self.waive_requested.emit(self.reason.text())
