"""What an action of the window is: where it stands in the menus, its keys, and what it needs."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

Handler = Callable[["MainWindow"], object]


class Need(Flag):
    """What must be there for an action to make sense."""

    NOTHING = 0
    STUDY = auto()
    RECORDING = auto()
    WRITABLE = auto()
    SELECTION = auto()
    NO_SELECTION = auto()
    SEVERAL_VIEWS = auto()
    SEALED = auto()
    SIGHT = auto()
    """Nobody answers blind."""


@dataclass(frozen=True, slots=True)
class Spec:
    """One action.

    Attributes:
        menu: the menu it is in and its heading in the sheet.
        keys: shortcuts in Qt's portable writing; the first one is shown in the menu.
        text: in the menu; a menu shows a line above an entry whose `line` is set.
        repeats: whether holding the key down repeats it.
        mode: key of the only mode in which its keys hold; elsewhere they mean what they mean without it.
    """

    key: str
    menu: str
    text: str
    keys: tuple[str, ...]
    handler: Handler
    needs: Need = Need.NOTHING
    icon: str = ""
    line: bool = False
    repeats: bool = False
    checkable: bool = False
    mode: str = ""


ON_RECORDING = Need.RECORDING
EDITING = Need.RECORDING | Need.WRITABLE
ON_SELECTION = Need.RECORDING | Need.WRITABLE | Need.SELECTION
MARKED = Need.RECORDING | Need.WRITABLE | Need.NO_SELECTION
