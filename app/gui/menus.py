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
from resources.translation import tr
from widgets.benchmark.room import SHEET as ROOM_SHEET
from widgets.icons import icon
from widgets.plain_tip import plain_tip
from widgets.shortcut_sheet import Shortcut

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

FIRST = {
    Need.SIGHT: tr("Finish answering first, or pause it (Esc)."),
    Need.STUDY: tr("Open a study first (Ctrl+Shift+O)."),
    Need.RECORDING: tr("Show a recording first: choose one on the left."),
    Need.WRITABLE: tr("This study is open for reading only."),
    Need.SELECTION: tr("Select a segment first."),
    Need.NO_SELECTION: tr("Clear the selection first (Esc)."),
    Need.SEVERAL_VIEWS: tr("This recording has one picture only."),
    Need.SEALED: tr("This study is not sealed. To encrypt it: File > Seal study…"),
}
"""What has to be done first where an action needs it, the first of them first."""
_PICTURES = ("layout", "large", "inset_larger", "inset_smaller", "inset_corner")
THEMES = (("system", tr("As the &desktop")), ("light", tr("&Light")), ("dark", tr("&Dark")))


class Menus(QObject):
    """Owns the actions of the window."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self.actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        for spec in ACTIONS:
            self._add(spec)
        self.recent = QMenu(tr("Open &recent"), window)
        self._menus[tr("&File")].insertMenu(self.actions["add"], self.recent)
        self._gather(tr("&View"), tr("Se&veral pictures"), _PICTURES)
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
        edit = self._menus[tr("&Edit")]
        for action in self.label_actions:
            edit.removeAction(action)
            self._window.removeAction(action)
            action.deleteLater()
        self.label_actions = []
        for label in track.labels if track else ():
            action = QAction(
                tr("Make “{name}” segment from marks").format(name=label.name.replace("&", "&&")), self._window
            )
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
            action = self.actions[spec.key]
            self._give_keys(spec, action)
            action.setToolTip(plain_tip(self.why_not(spec) or self._told(spec.key)))

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
            why_not = self.why_not(spec)
            action.setToolTip(plain_tip(why_not or self._told(spec.key)))
            action.setStatusTip(why_not)

    def why_not(self, spec: Spec) -> str:
        """Return what has to be done before an action makes sense; "" where it does."""
        present, reason = self._shown or (Need.NOTHING, "")
        missing = next((need for need in FIRST if need in spec.needs and need not in present), None)
        if missing is None:
            return ""
        return reason if missing is Need.WRITABLE and reason else FIRST[missing]

    def _told(self, key: str) -> str:
        """Return what an action does, with its keys."""
        keys = ", ".join(self._window.shortcuts.keys(key))
        text = self.actions[key].text().split("\t")[0].replace("&", "")
        return f"{text} ({keys})" if keys else text

    def name_history(self, undo: str | None, redo: str | None, writable: bool) -> None:
        """Let undo and redo say which step they are about."""
        for key, word, step in (("undo", tr("&Undo"), undo), ("redo", tr("&Redo"), redo)):
            self.actions[key].setText(f"{word}: {step[:1].lower()}{step[1:]}" if step else word)
            self.actions[key].setEnabled(writable and step is not None)
            if self.actions[key].isEnabled():
                self.actions[key].setToolTip(plain_tip(self._told(key)))

    def name_seal(self, sealed: bool) -> None:
        """Let the entry that seals a study say what it does to one that is sealed."""
        self.actions["seal"].setText(tr("Chan&ge the passphrase…") if sealed else tr("Sea&l study…"))

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
    def theme_actions(self) -> list[QAction]:
        """The entries that choose the colours."""
        return self._themes.actions()

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
            heading = tr("Selected segment") if len(tracks) == 1 else tr("Segment: {kind}").format(kind=kind)
            listed += [Shortcut(heading, one.shortcut, one.name) for one in named if one.shortcut]
        listed += [
            Shortcut(tr("Timeline"), "Ctrl+Wheel", tr("Zoom at the mouse")),
            Shortcut(tr("Timeline"), "Wheel", tr("Pan")),
            Shortcut(tr("Timeline"), "Alt", tr("Hold while dragging: no snapping")),
            Shortcut(tr("Timeline"), "Up, Down", tr("Previous or next segment, or utterance")),
            Shortcut(tr("Timeline"), "PgUp, PgDown", tr("Nearest in the lane above or below")),
            Shortcut(
                tr("Timeline"), "Shift+PgUp, Shift+PgDown", tr("Hand the utterance to the speaker above or below")
            ),
            Shortcut(
                tr("Timeline"), "Return", tr("Go to the selected segment and repeat it, or type in the utterance")
            ),
            Shortcut(tr("In every field"), "Esc", tr("Take back what was typed; again: leave the field")),
            Shortcut(tr("In every field"), "Ctrl+Return", tr("In a text: keep what was typed, and leave it")),
            Shortcut(tr("In Faces"), "1, 2, 3", tr("It is this participant")),
            Shortcut(tr("In Faces"), "X", tr("Not a face, or a face after all")),
            Shortcut(tr("In Faces"), "Return", tr("Next face to decide")),
            Shortcut(tr("In Faces"), "Esc", tr("Select nothing")),
            Shortcut(tr("In Faces"), "[, ]", tr("The selected drawn box starts or ends here")),
            Shortcut(tr("In Faces"), "Del", tr("Delete the selected drawn box")),
            Shortcut(tr("In Faces"), "Alt+Left, Alt+Up", tr("Move the selected box; with Shift, its size")),
            Shortcut(tr("In Review"), "Y", tr("Agree and go on")),
            Shortcut(tr("In Review"), "X", tr("Disagree and go on")),
            Shortcut(tr("In Review"), "W", tr("Take back what you said")),
            Shortcut(tr("In Review"), "T", tr("Write a note")),
            Shortcut(tr("In Review"), "N, P", tr("Next or previous item")),
            *(Shortcut(tr("Answering blind"), keys, text) for keys, text in ROOM_SHEET),
            *(Shortcut(tr("In Transcript"), keys, text) for keys, text in SHEET),
            *(Shortcut(tr("In Chains"), keys, text) for keys, text in CHAIN_SHEET),
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

    def _gather(self, menu: str, title: str, keys: Sequence[str]) -> None:
        """Put actions of a menu into one of their own inside it: what is needed seldom must not make it too long."""
        inner = QMenu(title, self._window)
        inner.setToolTipsVisible(True)
        self._menus[menu].insertMenu(self.actions[keys[0]], inner)
        for key in keys:
            self._menus[menu].removeAction(self.actions[key])
            inner.addAction(self.actions[key])

    def _add_lanes(self) -> None:
        """A menu of the lanes, since folding one with the mouse is not for everybody."""
        lanes = QMenu(tr("&Lanes in full"), self._window)
        lanes.aboutToShow.connect(lambda: self._fill_lanes(lanes))
        view = self._menus[tr("&View")]
        entries = view.actions()
        line = entries[entries.index(self.actions["mode_annotate"]) - 1]
        view.insertMenu(line, lanes)

    def _fill_lanes(self, menu: QMenu) -> None:
        menu.clear()
        timeline = self._window.timeline
        for lane in timeline.model.lanes:
            action = menu.addAction(lane.title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(lane.key not in timeline.model.folded)
            action.triggered.connect(lambda _=False, key=lane.key: timeline.fold(key))

    def _add_themes(self) -> None:
        menu = QMenu(tr("&Theme"), self._window)
        self._themes = QActionGroup(menu)
        for mode, text in THEMES:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setData(mode)
            action.triggered.connect(lambda _=False, mode=mode: self._window.commands.set_theme(mode))
            self._themes.addAction(action)
        self._menus[tr("&View")].addSeparator()
        self._menus[tr("&View")].addMenu(menu)
