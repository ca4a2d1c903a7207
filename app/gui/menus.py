"""Builds the menus and keys from the table of actions, and switches off what cannot be done now."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu

from app.gui.actions.spec import MARKED, Need, Spec
from app.gui.actions.table import ACTIONS
from app.gui.chains.keys import SHEET as CHAIN_SHEET
from app.gui.transcript.keys import SHEET
from project.schemes.scheme import Choice, Field, Label, Scheme, Track
from widgets.icons import icon
from widgets.shortcut_sheet import Shortcut

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

THEMES = (("system", "As the &desktop"), ("light", "&Light"), ("dark", "&Dark"))


class Menus(QObject):
    """Owns the actions of the window."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self.actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        for spec in ACTIONS:
            self._add(spec)
        self.recent = QMenu("Open &recent", window)
        self._menus["&File"].insertMenu(self.actions["add"], self.recent)
        self._add_lanes()
        self._add_themes()
        self.actions["follow"].setChecked(True)
        self.actions["strip"].setChecked(True)
        self.actions["verdicts"].setChecked(True)
        self.actions["subtitles"].setChecked(True)
        self.label_actions: list[QAction] = []
        self._marked = False
        self._shown: tuple[Need, str] | None = None

    def set_track(self, track: Track | None, make: Callable[[str], object]) -> None:
        """Offer to make a segment of each label of a track from the marks, by the label's key."""
        edit = self._menus["&Edit"]
        for action in self.label_actions:
            edit.removeAction(action)
            self._window.removeAction(action)
            action.deleteLater()
        self.label_actions = []
        for label in track.labels if track else ():
            action = QAction(f"Make “{label.name.replace('&', '&&')}” segment from marks", self._window)
            if label.shortcut and QKeySequence(label.shortcut) not in self.taken():
                action.setShortcut(QKeySequence(label.shortcut))
            action.setAutoRepeat(False)
            action.setEnabled(self._marked)
            action.triggered.connect(lambda _=False, key=label.key: make(key))
            edit.insertAction(self.actions["next_track"], action)
            self._window.addAction(action)
            self.label_actions.append(action)

    def use_keys(self) -> None:
        """Give every action the keys that it has now."""
        for spec in ACTIONS:
            self._give_keys(spec, self.actions[spec.key])

    def taken(self) -> list[QKeySequence]:
        """Return the keys of the window's own actions; a scheme's shortcut that is one of them does not work."""
        return [key for action in self.actions.values() for key in action.shortcuts()]

    def enable(self, present: Need, reason: str) -> None:
        """Switch on what can be done when `present` is there; `reason` says why a study cannot be edited."""
        if (present, reason) == self._shown:
            return
        self._shown = (present, reason)
        self._marked = MARKED in present
        for action in self.label_actions:
            action.setEnabled(self._marked)
        for spec in ACTIONS:
            action = self.actions[spec.key]
            possible = spec.needs in present
            action.setEnabled(possible)
            only_reading = reason and Need.WRITABLE in spec.needs and Need.WRITABLE not in present
            action.setToolTip(reason if only_reading else spec.text.replace("&", ""))
            action.setStatusTip(reason if only_reading else "")

    def name_history(self, undo: str | None, redo: str | None, writable: bool) -> None:
        """Let undo and redo say which step they are about."""
        for key, word, step in (("undo", "&Undo", undo), ("redo", "&Redo", redo)):
            self.actions[key].setText(f"{word} {step[:1].lower()}{step[1:]}" if step else word)
            self.actions[key].setEnabled(writable and step is not None)

    def set_recent(self, paths: Sequence[str], open_it: Callable[[Path], object]) -> None:
        """Fill the menu of recent studies."""
        self.recent.clear()
        for path in paths:
            action = self.recent.addAction(Path(path).name)
            action.setToolTip(path)
            action.setEnabled(Path(path).exists())
            action.triggered.connect(lambda _=False, path=path: open_it(Path(path)))
        self.recent.setEnabled(bool(paths))

    def set_theme(self, mode: str) -> None:
        """Show which theme is used."""
        for action in self._themes.actions():
            action.setChecked(action.data() == mode)

    def shortcuts(self, schemes: Iterable[Scheme]) -> list[Shortcut]:
        """Return every key for the sheet: the user's own, the usual ones, and those that cannot be changed."""
        given = {spec.key: self._window.shortcuts.keys(spec.key) for spec in ACTIONS}
        listed = [
            Shortcut(spec.menu.replace("&", ""), ", ".join(given[spec.key]), spec.text.replace("&", "").rstrip("…"))
            for spec in ACTIONS
            if given[spec.key]
        ]
        return listed + self.fixed_shortcuts(schemes)

    def fixed_shortcuts(self, schemes: Iterable[Scheme]) -> list[Shortcut]:
        """Return the keys that are no actions' own: of forms, a heading for each track, the timeline and modes."""
        listed: list[Shortcut] = []
        tracks = [(scheme, track) for scheme in schemes for track in scheme.tracks]
        for scheme, track in tracks:
            named: list[Label | Field | Choice] = [*track.labels]
            for field in scheme.fields_of(track.key):
                named += [field, *field.choices]
            kind = scheme.name if len(scheme.tracks) == 1 else track.name
            heading = "Selected segment" if len(tracks) == 1 else f"Segment: {kind}"
            listed += [Shortcut(heading, one.shortcut, one.name) for one in named if one.shortcut]
        listed += [
            Shortcut("Timeline", "Ctrl+Wheel", "Zoom at the mouse"),
            Shortcut("Timeline", "Wheel", "Pan"),
            Shortcut("Timeline", "Alt", "Hold while dragging: no snapping"),
            Shortcut("Timeline", "Up, Down", "Previous or next segment, or utterance"),
            Shortcut("Timeline", "PgUp, PgDown", "Nearest in the lane above or below"),
            Shortcut("Timeline", "Shift+PgUp, Shift+PgDown", "Hand the utterance to the speaker above or below"),
            Shortcut("Timeline", "Return", "Go to the selected segment and repeat it, or type in the utterance"),
            Shortcut("In Faces", "1, 2, 3", "It is this participant"),
            Shortcut("In Faces", "X", "Not a face, or a face after all"),
            Shortcut("In Faces", "Return", "Next face to decide"),
            Shortcut("In Faces", "Esc", "Select nothing"),
            Shortcut("In Faces", "[, ]", "The selected drawn box starts or ends here"),
            Shortcut("In Faces", "Del", "Delete the selected drawn box"),
            Shortcut("In Faces", "Alt+Left, Alt+Up", "Move the selected box; with Shift, its size"),
            Shortcut("In Review", "Y", "Agree and go on"),
            Shortcut("In Review", "X", "Disagree and go on"),
            Shortcut("In Review", "W", "Take back what you said"),
            Shortcut("In Review", "T", "Write a note"),
            Shortcut("In Review", "N, P", "Next or previous item"),
            *(Shortcut("In Transcript", keys, text) for keys, text in SHEET),
            *(Shortcut("In Chains", keys, text) for keys, text in CHAIN_SHEET),
        ]
        return listed

    def _add(self, spec: Spec) -> None:
        if spec.menu not in self._menus:
            self._menus[spec.menu] = self._window.menuBar().addMenu(spec.menu)
            self._menus[spec.menu].setToolTipsVisible(True)
        menu = self._menus[spec.menu]
        if spec.line:
            menu.addSeparator()
        action = QAction(spec.text, self._window)
        self._give_keys(spec, action)
        action.setAutoRepeat(spec.repeats)
        action.setCheckable(spec.checkable)
        if spec.icon:
            action.setIcon(icon(spec.icon))
        action.triggered.connect(lambda: spec.handler(self._window))
        menu.addAction(action)
        # The window keeps the keys while the menu bar is hidden.
        self._window.addAction(action)
        self.actions[spec.key] = action

    def _give_keys(self, spec: Spec, action: QAction) -> None:
        """Give an action its keys; those of one mode are only named, and taken where the mode is on."""
        keys = self._window.shortcuts.keys(spec.key)
        if spec.mode:
            action.setText(f"{spec.text}\t{QKeySequence(keys[0]).toString()}" if keys else spec.text)
        else:
            action.setShortcuts([QKeySequence(key) for key in keys])

    def _add_lanes(self) -> None:
        """A menu of the lanes, since folding one with the mouse is not for everybody."""
        lanes = QMenu("&Lanes in full", self._window)
        lanes.aboutToShow.connect(lambda: self._fill_lanes(lanes))
        self._menus["&View"].insertMenu(self.actions["mode_annotate"], lanes)

    def _fill_lanes(self, menu: QMenu) -> None:
        menu.clear()
        timeline = self._window.timeline
        for lane in timeline.model.lanes:
            action = menu.addAction(lane.title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(lane.key not in timeline.model.folded)
            action.triggered.connect(lambda _=False, key=lane.key: timeline.fold(key))

    def _add_themes(self) -> None:
        menu = QMenu("&Theme", self._window)
        self._themes = QActionGroup(menu)
        for mode, text in THEMES:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setData(mode)
            action.triggered.connect(lambda _=False, mode=mode: self._window.commands.set_theme(mode))
            self._themes.addAction(action)
        self._menus["&View"].addSeparator()
        self._menus["&View"].addMenu(menu)
