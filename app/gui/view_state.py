"""How the window looked when a study was closed: the recording, the moment, the zoom, what was selected."""

from typing import Protocol, cast, runtime_checkable

from PySide6.QtCore import QByteArray

from app.core.settings import load_view, save_view
from project.types import Json

View = dict[str, Json]


@runtime_checkable
class Remembering(Protocol):
    """A page or window with looks of its own that are worth keeping, such as its columns."""

    def looks(self) -> View: ...

    def restore_looks(self, looks: View) -> None: ...


def load(study_id: str) -> View:
    """Return what was kept for a study; empty for one that is new here."""
    return load_view(study_id)


def save(study_id: str, view: View) -> None:
    """Keep how the window looks."""
    save_view(study_id, view)


def text(view: View, key: str, default: str = "") -> str:
    """Return a text of the view, or the default where there is none."""
    found = view.get(key)
    return found if isinstance(found, str) else default


def numbers(view: View, key: str, count: int) -> list[int] | None:
    """Return a list of so many whole numbers, or None where there is none."""
    found = view.get(key)
    if isinstance(found, list) and len(found) == count and all(isinstance(n, int) for n in found):
        return cast(list[int], found)
    return None


def texts(view: View, key: str) -> list[str]:
    """Return a list of texts; empty where there is none."""
    found = view.get(key)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def pack(state: QByteArray) -> str:
    """Write a geometry or a splitter's state as text."""
    return bytes(state.toBase64().data()).decode()


def unpack(state: str) -> QByteArray:
    """Read what `pack` wrote."""
    return QByteArray.fromBase64(state.encode())
