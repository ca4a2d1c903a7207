"""The pages on the right, one a mode: made when they are first shown."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.gui.context import Context
from app.gui.view_state import Remembering, View
from project.types import Json
from resources.translation import tr


@dataclass(frozen=True, slots=True)
class Mode:
    """One mode: its key, its name on the bar, the keys that choose it, and what makes its page.

    `factory` is `module:function`, called with the `Context`; "" for the pages that the window makes itself. `width`
    is how many pixels the page wants, where it wants more than others.
    """

    key: str
    name: str
    keys: str
    factory: str = ""
    width: int = 0


MODES: tuple[Mode, ...] = (
    Mode("annotate", tr("Annotate"), "Ctrl+1"),
    Mode("faces", tr("Faces"), "Ctrl+2"),
    Mode("review", tr("Review"), "Ctrl+3", "app.gui.review.page:make"),
    Mode("transcript", tr("Transcript"), "Ctrl+4", "app.gui.transcript.page:make"),
    Mode("judges", tr("Judges"), "Ctrl+5", "app.gui.judges.page:make", width=720),
    Mode("chains", tr("Chains"), "Ctrl+6", "app.gui.chains.page:make", width=720),
    Mode("questions", tr("Questions"), "Ctrl+7", "app.gui.questions.page:make", width=720),
    Mode("benchmark", tr("Benchmark"), "Ctrl+8", "app.gui.benchmark.page:make", width=720),
)


class Pages(QObject):
    """Holds the page of each mode in a stack.

    Signals:
        changed: a page looks otherwise, in a way that is worth keeping.
    """

    changed = Signal()

    def __init__(self, stack: QStackedWidget, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stack = stack
        self._context = context
        self._made: dict[str, QWidget] = {}
        self._mode = MODES[0].key
        self._looks: dict[str, View] = {}

    @property
    def mode(self) -> str:
        """Key of the mode that is on."""
        return self._mode

    @property
    def width(self) -> int:
        """How many pixels the page of the mode wants; 0 where it takes what there is."""
        return next(one.width for one in MODES if one.key == self._mode)

    def put(self, mode: str, page: QWidget) -> None:
        """Use a page that the window made, in place of the one before it, if any."""
        self.drop(mode)
        self._made[mode] = page
        self._stack.addWidget(page)
        if mode == self._mode:
            self._stack.setCurrentWidget(page)

    def drop(self, mode: str) -> None:
        """Delete the page of a mode."""
        page = self._made.pop(mode, None)
        if page is not None:
            self._stack.removeWidget(page)
            page.deleteLater()

    def looks(self) -> dict[str, Json]:
        """Return what is worth keeping of how the pages look, by mode."""
        for mode, page in self._made.items():
            if isinstance(page, Remembering):
                self._looks[mode] = page.looks()
        return {mode: dict(looks) for mode, looks in self._looks.items()}

    def restore(self, looks: Json) -> None:
        """Let the pages look as they did, also those that are made later."""
        known = looks if isinstance(looks, dict) else {}
        self._looks = {mode: one for mode, one in known.items() if isinstance(one, dict)}
        for mode, page in self._made.items():
            if isinstance(page, Remembering):
                page.restore_looks(self._looks.get(mode, {}))

    def ask(self, what: str) -> None:
        """Let the page of the mode that is on do something that it offers by name, if it does."""
        acts = getattr(self._made.get(self._mode), "acts", {})
        if what in acts:
            acts[what]()

    def show(self, mode: str) -> None:
        """Show the page of a mode; an unknown one is the first."""
        found = next((one for one in MODES if one.key == mode), MODES[0])
        if found.key not in self._made and found.factory:
            module, function = found.factory.split(":")
            make = cast(Callable[[Context], QWidget], getattr(import_module(module), function))
            made = make(self._context)
            if isinstance(made, Remembering):
                made.restore_looks(self._looks.get(found.key, {}))
                told = getattr(made, "looks_changed", None)
                if told is not None:
                    told.connect(self.changed)
            self.put(found.key, made)
        self._mode = found.key
        page = self._made.get(found.key)
        if page is not None:
            self._stack.setCurrentWidget(page)
        if page is not None and page.focusProxy() is not None:
            page.setFocus()
