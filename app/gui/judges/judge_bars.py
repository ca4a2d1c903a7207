"""The bars of the page Judges: which judges are asked what, and the progress of each judge with a way to stop it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QWidget

from app.gui.judges.answer_columns import make_quiet_label
from project.entities.study_records import Json
from resources.translation import tr
from widgets import theme
from widgets.form.checklists import TickMenu
from widgets.form.controls import push_button, tool_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import FlowLayout, make_column, make_panel, make_row
from widgets.text_labels import PlainLabel, plain_tip

ADD, EDIT, REMOVE = "add", "edit", "remove"
_ASK_WIDTH = theme.GRID * 12


@runtime_checkable
class SettingsForm(Protocol):
    """The form under *More*."""

    changed: SignalInstance

    def values(self) -> dict[str, Json]: ...

    def restore(self, values: Mapping[str, Json]) -> None: ...


class ChoiceBar(QWidget):
    """Judges, task, variant, conditions; more is unfolded.

    Signals:
        ask_requested: ask every judge that is ticked.
        inspect_requested: show what would be sent.
        policy_requested: show the policy of the study.
        answer_requested: answer the task oneself, in its form.
        edit_requested (str, str): `ADD`, `EDIT` or `REMOVE` a judge, with its id.
        changed: something else is chosen.
    """

    ask_requested = Signal()
    inspect_requested = Signal()
    policy_requested = Signal()
    answer_requested = Signal()
    edit_requested = Signal(str, str)
    changed = Signal()

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Who is asked"))
        self._settings: SettingsForm | None = None
        self.judges = TickMenu(tr("Judges"), tr("Choose judges"))
        self.judges.set_actions({ADD: tr("&Add judge…")}, {EDIT: tr("&Edit"), REMOVE: tr("&Remove")})
        self.judges.action_requested.connect(self.edit_requested)
        self.ask = push_button(tr("Ask"), do=self.ask_requested, look="primary", minimumWidth=_ASK_WIDTH)
        self._keys = keys
        self.conditions = TickMenu(tr("What they see"), tr("Raw"))
        self.task = ChoiceBox(tr("Task"), compact=True)
        self.variant = ChoiceBox(tr("Variant of the prompt"), compact=True)
        for combo in (self.task, self.variant):
            combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            combo.currentIndexChanged.connect(lambda _at: self.changed.emit())
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.GRID)
        grid.setVerticalSpacing(theme.GRID // 2)
        for place, (title, widget) in enumerate(
            (
                (tr("Judges"), self.judges),
                (tr("See"), self.conditions),
                (tr("Task"), self.task),
                (tr("Prompt"), self.variant),
            )
        ):
            label = PlainLabel(title, look="quiet")
            label.setBuddy(widget)
            grid.addWidget(label, place // 2, place % 2 * 2)
            grid.addWidget(widget, place // 2, place % 2 * 2 + 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        self._more_column = make_column(margin=(0, 0, 0, theme.GRID // 2))
        self._more = make_panel(self._more_column)
        self._more.hide()
        self.setLayout(make_column(grid, self._buttons(), self._more, self._make_notes(), spacing=theme.GRID // 2))
        self.judges.changed.connect(self.changed)
        self.conditions.changed.connect(self.changed)
        self.set_ask_enabled(tr("Choose a segment first."))

    def set_tasks(self, tasks: Mapping[str, tuple[str, str]]) -> None:
        """Offer tasks: key -> name and what it asks."""
        self.task.offer(tasks)

    def set_variants(self, variants: Mapping[str, tuple[str, str]]) -> None:
        """Offer variants of the prompt: key -> name and what it is."""
        self.variant.offer(variants)

    def chosen_task(self) -> str:
        """Return the key of the task."""
        return self.task.key()

    def chosen_variant(self) -> str:
        """Return the key of the variant."""
        return self.variant.key()

    def choose(self, task: str, variant: str) -> None:
        """Choose a task and a variant, where they are offered."""
        self.task.choose(task)
        self.variant.choose(variant)

    def save_state(self) -> dict[str, Json]:
        """Return who and what is chosen, to be kept."""
        return {
            "judges": [*sorted(self.judges.all_ticked_keys())],
            "conditions": [*sorted(self.conditions.all_ticked_keys())],
            "task": self.chosen_task(),
            "variant": self.chosen_variant(),
            "more": self.more.isChecked(),
            "settings": self._settings.values() if self._settings is not None else {},
        }

    def restore_state(self, looks: Mapping[str, Json]) -> None:
        """Choose what was chosen; what is no longer offered is left out."""
        for menu, key in ((self.judges, "judges"), (self.conditions, "conditions")):
            found = looks.get(key)
            if isinstance(found, list):
                menu.set_ticked(str(key) for key in found)
        self.choose(str(looks.get("task", "")), str(looks.get("variant", "")))
        self.more.setChecked(looks.get("more") is True)
        settings = looks.get("settings")
        if self._settings is not None and isinstance(settings, dict):
            self._settings.restore(settings)

    def set_settings_form(self, form: QWidget) -> None:
        """Put the rest of what can be set under the button that unfolds it."""
        while (item := self._more_column.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        self._more_column.addWidget(form)
        if isinstance(form, SettingsForm):
            self._settings = form
            form.changed.connect(self.changed)

    def set_ask_enabled(self, reason: str, segments: int = 1) -> None:
        """Allow asking about so many segments, or say why it makes no sense now."""
        several = segments > 1
        self.ask.setText(tr("Ask about {segments:,} segments").format(segments=segments) if several else tr("Ask"))
        which = tr("all segments that are selected") if several else tr("this segment")
        self.ask.setEnabled(not reason)
        self.inspect.setEnabled(not reason)
        self.answer.setEnabled(not reason)
        self.ask.setToolTip(
            plain_tip(reason or tr("Ask the chosen judges about {which} ({keys})").format(which=which, keys=self._keys))
        )
        self.inspect.setToolTip(plain_tip(reason or tr("Show every frame and every word before anything is sent")))
        self.answer.setToolTip(
            plain_tip(reason or tr("Answer the same question yourself, with the same frames and words"))
        )

    def set_notes(self, text: str, *, policy: bool = False, hint: str = "") -> None:
        """Say what stands in the way of some judge; `policy` offers the way to the policy of the study."""
        self._notes.setText(text)
        self._notes.setToolTip(plain_tip(hint))
        self._notes_row.setVisible(bool(text))
        self.policy.setVisible(policy)

    def notes(self) -> str:
        """Return what stands in the way."""
        return self._notes.text()

    def _buttons(self) -> FlowLayout:
        row = FlowLayout()
        self.more = push_button(
            tr("More"),
            tr("Frames, turns before the segment, seed and limits"),
            name=tr("More: frames, turns before the segment, seed and limits"),
            look="segment",
            checkable=True,
        )
        self.more.toggled.connect(self._set_expanded)
        self.inspect = push_button(
            tr("What is sent…"), do=self.inspect_requested, name=tr("Show what would be sent"), look="segment"
        )
        self.answer = push_button(tr("Answer yourself…"), do=self.answer_requested, look="segment")
        for button in (self.ask, self.inspect, self.answer, self.more):
            row.addWidget(button)
        return row

    def _make_notes(self) -> QWidget:
        self._notes = make_quiet_label("")
        self._notes.setAccessibleName(tr("Why judges are not asked"))
        self.policy = push_button(
            tr(" Policy…"),
            tr("Show what may leave this machine, and change it"),
            self.policy_requested,
            icon="lock",
            look="segment",
        )
        self._notes_row = make_panel(
            make_row(self._notes, 1, (self.policy, Qt.AlignmentFlag.AlignTop), spacing=theme.GRID // 2)
        )
        self._notes_row.hide()
        return self._notes_row

    def _set_expanded(self, on: bool) -> None:
        self._more.setVisible(on)


@dataclass(frozen=True, slots=True)
class QueueLine:
    """How far one judge is.

    Attributes:
        judge_id: of the entry.
        destination: `this machine`, or the host that is asked.
    """

    judge_id: str
    name: str
    destination: str
    running: int = 0
    waiting: int = 0
    done: int = 0
    failed: int = 0

    @property
    def remaining(self) -> int:
        """Requests that have no answer yet."""
        return self.running + self.waiting


class JudgeQueueBar(QFrame):
    """Folded to one line; unfolded, a line for each judge.

    Signals:
        cancel_requested (str): judge; "" for all.
    """

    cancel_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Queue of judges"))
        self._lines: tuple[QueueLine, ...] = ()
        self.unfold = push_button(tr("Queue"), tr("Show what runs where"), look="segment", checkable=True)
        self.unfold.toggled.connect(lambda _on: self._show())
        self.cancel_all = push_button(
            tr("Cancel all"),
            tr("Stop asking; what was answered stays"),
            lambda: self.cancel_requested.emit(""),
            look="segment",
        )
        self._list = QWidget()
        self._grid = QGridLayout(self._list)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.GRID)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 2)
        self._grid.setColumnStretch(1, 2)
        self._grid.setColumnStretch(2, 3)
        self.setLayout(
            make_column(make_row(self.unfold, 1, self.cancel_all, spacing=theme.GRID // 2), self._list, spacing=2)
        )
        self.show_lines(())

    def lines(self) -> tuple[QueueLine, ...]:
        """Return what is shown."""
        return self._lines

    def show_lines(self, lines: Sequence[QueueLine]) -> None:
        """Show how far each judge is; nothing where none was asked."""
        self._lines = tuple(lines)
        self._show()

    def _show(self) -> None:
        self.setVisible(bool(self._lines))
        left, failed = (
            sum(queue_line.remaining for queue_line in self._lines),
            sum(queue_line.failed for queue_line in self._lines),
        )
        done = sum(queue_line.done for queue_line in self._lines)
        running = sum(queue_line.running for queue_line in self._lines)
        parts = (
            [tr("{running} running").format(running=running), tr("{value} waiting").format(value=left - running)]
            if left
            else [tr("Nothing runs")]
        )
        parts += [
            tr("{done} done").format(done=done),
            *([tr("{failed} failed").format(failed=failed)] if failed else []),
        ]
        self.unfold.setText(f"{'▾' if self.unfold.isChecked() else '▸'} {' · '.join(parts)}")
        self.unfold.setAccessibleName(tr("Queue: {list}").format(list=", ".join(parts)))
        self.cancel_all.setVisible(bool(left))
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        self._list.setVisible(self.unfold.isChecked())
        if self.unfold.isChecked():
            for at, line in enumerate(self._lines):
                self._add(at, line)

    def _add(self, at: int, line: QueueLine) -> None:
        said = [tr("{running} running").format(running=line.running)] if line.running else []
        said += [tr("{waiting} waiting").format(waiting=line.waiting)] if line.waiting else []
        said += [tr("{done} done").format(done=line.done)] if line.done else []
        said += [tr("{failed} failed").format(failed=line.failed)] if line.failed else []
        name = PlainLabel(line.name)
        for place, widget in enumerate((name, make_quiet_label(line.destination), make_quiet_label(" · ".join(said)))):
            widget.setAlignment(Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(widget, at, place)
        if line.remaining:
            stop = tool_button(
                "x",
                tr("Stop asking {name}").format(name=line.name),
                tr("Stop asking this judge"),
                lambda: self.cancel_requested.emit(line.judge_id),
                side=14,
            )
            self._grid.addWidget(stop, at, 3)
