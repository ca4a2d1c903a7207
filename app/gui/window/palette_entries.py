"""Lists what the command palette offers: menu entries, buttons of the page, recordings, lanes, themes, jobs."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QTabWidget, QWidget

from app.docs_browser.docs_pages import list_pages
from app.gui.window.action_table import ACTIONS
from app.gui.window.blind_mode import BlindMode
from app.gui.window.menus import Menus
from app.gui.window.page_registry import MODES
from app.gui.window.parts import WindowParts
from app.gui.window.shortcuts import Shortcuts
from project.queries.recording_rows import all_recordings
from resources.translation import tr
from widgets.dialogs.command_palette import CommandEntry, CommandPalettePopup, palette_rect

Do = Callable[[], object]
Offered = tuple[CommandEntry, Do]
_MAX_RECENT = 6
_PAGE_PREFIX = "page "
"""What the key of a page of the documentation begins with; they come last."""


class CommandPalette(QObject):
    """Opens the palette over the window that is used, and does what is chosen in it."""

    def __init__(self, window: WindowParts, menus: Menus, shortcuts: Shortcuts, blindness: BlindMode) -> None:
        super().__init__(window)
        self._window = window
        self._menus = menus
        self._shortcuts = shortcuts
        self._blindness = blindness
        self._recent: list[str] = []

    def open_palette(self) -> CommandPalettePopup:
        """Offer everything that can be done now, and what could be done otherwise."""
        active = QApplication.activeWindow()
        over = active if active is not None and _is_study_window(active, self._window) else self._window
        offered = {entry.key: (entry, do) for entry, do in self._entries(over)}
        made = CommandPalettePopup(self._visible_window(over))
        if made.window() is not over:
            # Its own window is covered: the keys go to the palette, and come back when it goes.
            made.window().activateWindow()
            made.dismissed.connect(over.activateWindow)
        made.entry_chosen.connect(lambda key: self._run_entry(key, offered[key][1]))
        entries = [entry for entry, _ in offered.values()]
        used = {key: place for place, key in enumerate(self._recent)}
        entries.sort(
            key=lambda entry: (
                used.get(entry.key, _MAX_RECENT),
                entry.key.startswith(_PAGE_PREFIX),
                bool(entry.why_not),
            )
        )
        made.open_with(entries)
        return made

    def _visible_window(self, over: QWidget) -> QWidget:
        """Return the window that the palette lies in: another one where that covers its place, as it is kept above."""
        if over is not self._window:
            return over
        place = QRect(over.mapToGlobal(palette_rect(over).topLeft()), palette_rect(over).size())
        above = [
            widget
            for widget in QApplication.topLevelWidgets()
            if _is_study_window(widget, self._window)
            and widget.isVisible()
            and not widget.isMinimized()
            and widget.frameGeometry().intersects(place)
        ]
        return max(above, key=lambda widget: widget.width() * widget.height(), default=over)

    def _run_entry(self, key: str, do: Do) -> None:
        self._recent = [key, *(recent_key for recent_key in self._recent if recent_key != key)][:_MAX_RECENT]
        do()

    def _entries(self, over: QWidget) -> Iterator[Offered]:
        window = self._window
        if self._blindness.is_active:
            return
        if over is window:
            page = window.workspace.pages.currentWidget()
            mode = next((window_mode.name for window_mode in MODES if window_mode.key == window.mode()), "")
            if page is not None and window.studio.session is not None:
                yield from page_controls(page, mode)
        else:
            yield from page_controls(over, over.windowTitle())
        yield from self._actions()
        yield from self._recordings()
        yield from self._lanes()
        yield from self._jobs()
        yield from self._studies()
        yield from self._pages()

    def _actions(self) -> Iterator[Offered]:
        menus = self._menus
        for spec in ACTIONS:
            if spec.key == "palette":
                continue
            action = menus.actions[spec.key]
            keys = self._shortcuts.keys(spec.key)
            entry = CommandEntry(
                f"action {spec.key}",
                _action_name(action),
                _without_mnemonic(spec.menu),
                keys[0] if keys else "",
                menus.disabled_reason(spec),
                # The terminal and the documentation name some by another word: `policy` is "What leaves this machine".
                keywords=f"{spec.key.replace('_', ' ')} {spec.keywords}",
            )
            yield entry, action.trigger
        made = [(tr("Edit"), action) for action in menus.label_actions]
        made += [(group, action) for group, actions in menus.choice_actions for action in actions]
        for index, (group, action) in enumerate(made):
            why_not = "" if action.isEnabled() else tr("Mark a start and an end first.")
            yield (
                CommandEntry(
                    f"made {index} {action.text()}", _action_name(action), group, action.shortcut().toString(), why_not
                ),
                action.trigger,
            )

    def _recordings(self) -> Iterator[Offered]:
        session = self._window.studio.session
        for recording in all_recordings(session.study) if session is not None else ():
            name = tr("{number} {name}").format(number=recording.number, name=recording.name)
            yield (
                CommandEntry(f"recording {recording.id}", name, tr("Recording")),
                partial(self._window.choose_recording, recording.id),
            )

    def _lanes(self) -> Iterator[Offered]:
        timeline = self._window.timeline
        for lane in timeline.model.lanes if self._window.studio.recording is not None else ():
            folded = lane.key in timeline.model.folded
            text = tr("Show lane {name} in full") if folded else tr("Fold lane {name}")
            title = " ".join(part for part in (lane.title, lane.subtitle) if part)
            yield (
                CommandEntry(f"lane {lane.key}", text.format(name=title), tr("Timeline")),
                partial(timeline.fold, lane.key),
            )

    def _jobs(self) -> Iterator[Offered]:
        for work in self._window.jobs.jobs():
            entry = CommandEntry(f"job {id(work)}", tr("Cancel: {title}").format(title=work.title), tr("Jobs"))
            yield entry, partial(self._window.jobs.cancel, work)

    def _studies(self) -> Iterator[Offered]:
        for path in self._window.studio.settings.recent:
            if Path(path).is_file():
                entry = CommandEntry(f"study {path}", Path(path).stem, tr("Recent study"))
                yield entry, partial(self._window.open_study, Path(path))

    def _pages(self) -> Iterator[Offered]:
        for page in list_pages():
            entry = CommandEntry(
                f"{_PAGE_PREFIX}{page.name}", tr("Help: {title}").format(title=page.title), tr("Documentation")
            )
            yield entry, partial(self._window.help.open_page, page.name)


def page_controls(page: QWidget, group: str) -> Iterator[Offered]:
    """Yield what the buttons and tabs of a page or window in sight do; nothing for those that cannot be used now."""
    for tabs in page.findChildren(QTabWidget):
        for at in range(tabs.count() if tabs.isVisible() else 0):
            name = _without_mnemonic(tabs.tabText(at))
            if name and tabs.isTabVisible(at) and tabs.isTabEnabled(at):
                entry = CommandEntry(f"tab {group} {name}", tr("Tab {name}").format(name=name), group)
                yield entry, partial(tabs.setCurrentIndex, at)
    for index, button in enumerate(page.findChildren(QAbstractButton)):
        name = _without_mnemonic(button.accessibleName() or button.text())
        if name and button.isVisible() and button.isEnabled():
            keys = button.shortcut().toString(QKeySequence.SequenceFormat.PortableText)
            yield CommandEntry(f"button {group} {index} {name}", name, group, keys), button.click


def _is_study_window(widget: QWidget, window: WindowParts) -> bool:
    """Tell whether a window is a window about the study, which has its own commands."""
    return widget.isWindow() and widget.parent() is window and not widget.isModal()


def _action_name(action: QAction) -> str:
    return _without_mnemonic(action.text().split("\t")[0])


def _without_mnemonic(text: str) -> str:
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")
