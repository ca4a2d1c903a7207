"""Builds the menu bar and the context menus from the table of actions, and disables what cannot be done now."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QActionGroup, QCursor, QKeySequence
from PySide6.QtWidgets import QMenu

from app.gui.pages.commands import MARKED, Command, Requirement
from app.gui.window.action_table import ACTIONS
from app.gui.window.parts import WindowParts
from app.gui.window.shortcuts import Shortcuts, fixed_shortcuts
from project.schemes.scheme import Scheme, Track
from resources.translation import tr
from widgets import theme
from widgets.dialogs.shortcut_dialogs import Shortcut
from widgets.text_labels import plain_tip
from widgets.theme import icon

_ON_RECORDING = ("details", "rename", "track", "export", "locate")
_ON_SEGMENT = (
    *("play_segment", "loop", "copy", "duplicate", "merge", "split", "trim_start", "trim_end"),
    *("node_from_selected", "what_if", "delete"),
)
_ON_TIMELINE = ("paste", "mark_in", "mark_out", "next_label", "zoom_fit")


PREREQUISITE_HINTS = {
    Requirement.SIGHT: tr("Finish answering first, or pause it (Esc)."),
    Requirement.STUDY: tr("Open a study first (Ctrl+Shift+O)."),
    Requirement.RECORDING: tr("Show a recording first: choose one on the left."),
    Requirement.WRITABLE: tr("This study is read-only."),
    Requirement.SELECTION: tr("Select a segment first."),
    Requirement.NO_SELECTION: tr("Clear the selection first (Esc)."),
    Requirement.SEVERAL_VIEWS: tr("This recording has one picture only."),
    Requirement.ENCRYPTED: tr("This study is not encrypted. To encrypt it: File > Encrypt study…"),
}
"""What has to be done first where an action needs it, the first of them first."""
_PICTURES = ("layout", "large", "inset_larger", "inset_smaller", "inset_corner")
_MAGNIFIER = ("magnify", "magnify_less", "whole_picture", "pan_left", "pan_right", "pan_up", "pan_down")
_SUBTITLES = ("subtitles", "subtitles_larger", "subtitles_smaller")
_TIMELINE = ("zoom_in", "zoom_out", "zoom_fit", "zoom_selection", "follow", "click_seeks")
_DISAGREEMENTS = ("strip", "disagreement_on", "disagreement_back")
_RECORDINGS = ("previous", "next", "search", "arrange")
_SAMPLES = ("next_sample", "previous_sample")
_EDGES = ("trim_start", "trim_end", "nudge_back", "nudge_on")
THEMES = (("system", tr("&Follow system")), ("light", tr("&Light")), ("dark", tr("&Dark")))


class Menus(QObject):
    """Owns the actions of the window.

    Signals:
        theme_chosen (str): the colours that the user wants.
        text_size_chosen (int): the size of text that the user wants, in per cent.
    """

    theme_chosen = Signal(str)
    text_size_chosen = Signal(int)

    def __init__(self, window: WindowParts, shortcuts: Shortcuts) -> None:
        super().__init__(window)
        self._window = window
        self._shortcuts = shortcuts
        self.actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        for spec in ACTIONS:
            self._add(spec)
        self.recent = QMenu(tr("Open &recent"), window)
        self._menus[tr("&File")].insertMenu(self.actions["add"], self.recent)
        self._group_into_submenu(tr("&View"), tr("Se&veral pictures"), _PICTURES)
        self._group_into_submenu(tr("&View"), tr("Ma&gnifier"), _MAGNIFIER)
        self._group_into_submenu(tr("&View"), tr("Su&btitles"), _SUBTITLES)
        self._group_into_submenu(tr("&View"), tr("Dis&agreements"), _DISAGREEMENTS)
        self._group_into_submenu(tr("&View"), tr("&Recordings"), _RECORDINGS)
        self._add_lanes(self._group_into_submenu(tr("&View"), tr("&Timeline"), _TIMELINE))
        self._group_into_submenu(tr("&Edit"), tr("Sa&mples"), _SAMPLES)
        self._group_into_submenu(tr("&Edit"), tr("&Edges of the segment"), _EDGES)
        self._labels = self._group_into_submenu(tr("&Edit"), tr("&Labels"), ("next_label",))
        self._menus[tr("&View")].addSeparator()
        self._themes = self._add_choices(tr("&Theme"), THEMES, self.theme_chosen)
        sizes = [(size, f"{size} %") for size in theme.TEXT_SIZES]
        self._text_sizes = self._add_choices(tr("Size of te&xt"), sizes, self.text_size_chosen)
        self.actions["follow"].setChecked(True)
        self.actions["strip"].setChecked(True)
        self.actions["verdicts"].setChecked(True)
        self.actions["subtitles"].setChecked(True)
        self.label_actions: list[QAction] = []
        self.other_track_actions: list[QAction] = []
        self._marked = False
        self._shown: tuple[Requirement, str] | None = None

    def set_track(
        self,
        track: Track | None,
        make: Callable[[str], object],
        elsewhere: Mapping[str, str],
        tell: Callable[[str], object],
    ) -> None:
        """Offer each label of a track by its key: for a segment from the marks, or as the active label.

        A key of another track, given as key -> its name in `elsewhere`, says where it would do something.
        """
        for action in (*self.label_actions, *self.other_track_actions):
            self._labels.removeAction(action)
            self._window.removeAction(action)
            action.deleteLater()
        self.label_actions, self.other_track_actions = [], []
        for label in track.offered_labels if track else ():
            name = label.name.replace("&", "&&")
            points = track is not None and track.holds_points
            if track is not None and track.sampling is not None:
                name, points = tr("{name} (sample)").format(name=name), True
            text = tr("“{name}”: segment from marks, or active label")
            if points:
                text = tr("Mark “{name}” at the playhead")
            action = QAction(text.format(name=name), self._window)
            if label.shortcut and QKeySequence(label.shortcut) not in self.used_keys():
                action.setShortcut(QKeySequence(label.shortcut))
            action.setAutoRepeat(False)
            action.setEnabled(self._marked)
            action.triggered.connect(lambda _=False, key=label.key: make(key))
            self._labels.insertAction(self.actions["next_label"], action)
            self._window.addAction(action)
            self.label_actions.append(action)
        taken = [*self.used_keys(), *(action.shortcut() for action in self.label_actions)]
        for key, other in elsewhere.items():
            if track is None or QKeySequence(key) in taken:
                continue
            text = tr("{key} is a key of the track {other}. New segments go to {track}: {next} goes to the next track.")
            said = text.format(
                key=key, other=other, track=track.name, next=", ".join(self._shortcuts.keys("next_track"))
            )
            action = QAction(said, self._window, shortcut=QKeySequence(key), autoRepeat=False, enabled=self._marked)
            action.triggered.connect(lambda _=False, said=said: tell(said))
            self._window.addAction(action)
            self.other_track_actions.append(action)

    def apply_shortcuts(self) -> None:
        """Give every action the keys that it has now."""
        for spec in ACTIONS:
            self._give_keys(spec, self.actions[spec.key])

    def used_keys(self) -> list[QKeySequence]:
        """Return the keys of the window's own actions; a scheme's shortcut that is one of them does not work."""
        return [key for action in self.actions.values() for key in action.shortcuts()]

    def enable(self, present: Requirement, reason: str) -> None:
        """Switch on what can be done when `present` is there; `reason` says why a study cannot be edited."""
        if (present, reason) == self._shown:
            return
        self._shown = (present, reason)
        self._marked = MARKED in present
        for action in (*self.label_actions, *self.other_track_actions):
            action.setEnabled(self._marked)
        for spec in ACTIONS:
            action = self.actions[spec.key]
            possible, why_not = spec.needs in present, self.disabled_reason(spec)
            if possible != action.isEnabled():
                action.setEnabled(possible)
            if why_not != action.statusTip():
                action.setToolTip(plain_tip(why_not or self._tooltip(spec.key)))
                action.setStatusTip(why_not)

    def disabled_reason(self, spec: Command[WindowParts]) -> str:
        """Return what has to be done before an action makes sense; "" where it does."""
        present, reason = self._shown or (Requirement.NOTHING, "")
        missing = next((need for need in PREREQUISITE_HINTS if need in spec.needs and need not in present), None)
        if missing is None:
            return ""
        return reason if missing is Requirement.WRITABLE and reason else PREREQUISITE_HINTS[missing]

    def _tooltip(self, key: str) -> str:
        """Return what an action does, with its keys."""
        keys = ", ".join(self._shortcuts.keys(key))
        text = self.actions[key].text().split("\t")[0].replace("&", "")
        return f"{text} ({keys})" if keys else text

    def set_history_texts(self, undo: str | None, redo: str | None, writable: bool) -> None:
        """Let undo and redo say which step they are about."""
        for key, word, step in (("undo", tr("&Undo"), undo), ("redo", tr("&Redo"), redo)):
            self.actions[key].setText(f"{word}: {step[:1].lower()}{step[1:]}" if step else word)
            self.actions[key].setEnabled(writable and step is not None)
            if self.actions[key].isEnabled():
                self.actions[key].setToolTip(plain_tip(self._tooltip(key)))

    def set_encryption_text(self, encrypted: bool) -> None:
        """Let the entry that encrypts a study say what it does to one that is encrypted."""
        self.actions["encrypt"].setText(tr("Chan&ge the passphrase…") if encrypted else tr("Enc&rypt study…"))

    def set_recent(self, paths: Sequence[str], open_it: Callable[[Path], object], forget: Callable[[], object]) -> None:
        """Fill the menu of recent studies; its last entry forgets which those were."""
        self.recent.clear()
        for path in paths:
            action = self.recent.addAction(Path(path).name)
            action.setToolTip(plain_tip(path))
            action.setEnabled(Path(path).exists())
            action.triggered.connect(lambda _=False, path=path: open_it(Path(path)))
        self.recent.addSeparator()
        away = self.recent.addAction(tr("&Forget these studies"))
        away.setToolTip(tr("Take them off this list; the studies stay where they are"))
        away.triggered.connect(lambda _=False: forget())
        self.recent.setEnabled(bool(paths))

    @property
    def choice_actions(self) -> list[tuple[str, list[QAction]]]:
        """The entries that choose the colours, and those that choose the size of text, each with their group."""
        return [(tr("Theme"), self._themes.actions()), (tr("Size of text"), self._text_sizes.actions())]

    def set_theme(self, mode: str) -> None:
        """Show which theme is used."""
        for action in self._themes.actions():
            action.setChecked(action.data() == mode)

    def set_text_size(self, size: int) -> None:
        """Show which size of text is used."""
        for action in self._text_sizes.actions():
            action.setChecked(action.data() == size)

    def shortcuts(self, schemes: Iterable[Scheme]) -> list[Shortcut]:
        """Return every key for the sheet: the user's own, the usual ones, and those that cannot be changed."""
        given = {spec.key: self._shortcuts.keys(spec.key) for spec in ACTIONS}
        listed = [
            Shortcut(spec.menu.replace("&", ""), ", ".join(given[spec.key]), spec.text.replace("&", "").rstrip("…"))
            for spec in ACTIONS
            if given[spec.key]
        ]
        return listed + fixed_shortcuts(schemes)

    def _add(self, spec: Command[WindowParts]) -> None:
        if spec.menu not in self._menus:
            self._menus[spec.menu] = self._window.menuBar().addMenu(spec.menu)
            self._menus[spec.menu].setToolTipsVisible(True)
        menu = self._menus[spec.menu]
        if spec.line:
            menu.addSeparator()
        action = self.actions[spec.key] = QAction(spec.text, self._window)
        self._give_keys(spec, action)
        action.setAutoRepeat(spec.repeats)
        action.setCheckable(spec.checkable or spec.is_ticked is not None)
        if spec.icon:
            action.setIcon(icon(spec.icon))
        action.triggered.connect(lambda: spec.handler(self._window))
        if (is_ticked := spec.is_ticked) is not None:
            for signal in (menu.aboutToShow, action.triggered):
                signal.connect(lambda *_: action.setChecked(is_ticked(self._window)))
        menu.addAction(action)
        # The window keeps the keys while the menu bar is hidden.
        self._window.addAction(action)

    def _give_keys(self, spec: Command[WindowParts], action: QAction) -> None:
        """Give an action its keys; those of one mode are only named, and taken where the mode is on."""
        keys = self._shortcuts.keys(spec.key)
        if spec.mode:
            action.setText(f"{spec.text}\t{QKeySequence(keys[0]).toString()}" if keys else spec.text)
        else:
            action.setShortcuts([QKeySequence(key) for key in keys])
        # The status tip is why it is disabled.
        action.setToolTip(plain_tip(action.statusTip() or self._tooltip(spec.key)))

    def _group_into_submenu(self, menu: str, title: str, keys: Sequence[str]) -> QMenu:
        """Put actions of a menu into one of their own inside it: what is needed seldom must not make it too long."""
        inner = QMenu(title, self._window)
        inner.setToolTipsVisible(True)
        self._menus[menu].insertMenu(self.actions[keys[0]], inner)
        for key in keys:
            self._menus[menu].removeAction(self.actions[key])
            inner.addAction(self.actions[key])
        return inner

    def _add_lanes(self, timeline: QMenu) -> None:
        """A menu of the lanes, since folding one with the mouse is not for everybody."""
        lanes = QMenu(tr("&Lanes in full"), self._window)
        lanes.aboutToShow.connect(lambda: self._fill_lanes(lanes))
        timeline.addMenu(lanes)

    def _fill_lanes(self, menu: QMenu) -> None:
        menu.clear()
        timeline = self._window.timeline
        for lane in timeline.model.lanes:
            action = menu.addAction(lane.title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(lane.key not in timeline.model.folded)
            action.triggered.connect(lambda _=False, key=lane.key: timeline.fold(key))

    def _add_choices(
        self, title: str, choices: Iterable[tuple[str | int, str]], chosen: SignalInstance
    ) -> QActionGroup:
        """Add a menu to View of which one entry is ticked."""
        menu = QMenu(title, self._window)
        group = QActionGroup(menu)
        for value, text in choices:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setData(value)
            action.triggered.connect(lambda _=False, value=value: chosen.emit(value))
            group.addAction(action)
        self._menus[tr("&View")].addMenu(menu)
        return group


class ContextMenus:
    """Opens them where the mouse is, a point of the screen."""

    def __init__(self, window: WindowParts, menus: Menus) -> None:
        self._window = window
        self._menus = menus

    def show_recording_menu(self, recording_id: str, where: QPoint) -> None:
        """Show a recording, and what can be done with it."""
        self._window.choose_recording(recording_id)
        self._popup(_ON_RECORDING, where)

    def show_timeline_menu(self, where: QPoint, segment_id: str, _time_us: int) -> None:
        """Offer what can be done with a segment, or with the marks where there is none."""
        window = self._window
        if segment_id in window.studio.selected_utterances:
            window.spoken.show_menu(where, self._menu())
        elif segment_id in window.studio.selected_nodes:
            window.chains.show_menu(where, self._menu())
        elif window.prelabels.same_kind(segment_id):
            window.prelabels.show_menu(where, self._menu(), segment_id)
        elif segment_id:
            self._popup(_ON_SEGMENT, where)
        else:
            self._popup(_ON_TIMELINE, where, self._menus.label_actions)

    def show_label_menu(self) -> None:
        """Ask for the label of the span that is marked; Esc leaves the marks, from which a label's key makes it later.

        Each label has its own key in the menu, or a digit where it has none.
        """
        track, menu = self._window.active.track, self._menu()
        # The mouse, which has just drawn the span, lies on the heading and on no label.
        menu.addAction(tr("Label of the new segment")).setEnabled(False)
        taken = {label.shortcut for label in track.offered_labels} if track is not None else set()
        digits = iter(sorted({*"123456789"} - taken))
        for label in track.offered_labels if track is not None else ():
            key = label.shortcut if len(label.shortcut) == 1 else next(digits, "")
            name = label.name.replace("&", "&&")
            action = menu.addAction(f"&{key}   {name}" if key else name)
            action.triggered.connect(lambda _=False, key=label.key: self._window.editing.create_from_marks(key))
        timeline = self._window.timeline.viewport()
        where = QCursor.pos()
        shown = QRect(timeline.mapToGlobal(QPoint()), timeline.size())
        menu.popup(where if shown.contains(where) else shown.center())

    def _popup(self, keys: Sequence[str], where: QPoint, more: Sequence[QAction] = ()) -> None:
        menu = self._menu()
        menu.addActions([*(self._menus.actions[key] for key in keys), *more])
        menu.popup(where)

    def _menu(self) -> QMenu:
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu
