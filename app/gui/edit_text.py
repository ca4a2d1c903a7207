"""What the window says about edits of several rows, how many in how many recordings, and what it asks before."""

from collections.abc import Callable
from enum import StrEnum

from app.gui.dialogs import Questions
from resources.translation import tr, trn


class Rows(StrEnum):
    """What is edited."""

    SEGMENTS = "segments"
    UTTERANCES = "utterances"
    NODES = "nodes"
    PRELABELS = "prelabels"
    PLACES = "places"


_COUNTS: dict[Rows, Callable[[int], str]] = {
    Rows.SEGMENTS: lambda number: trn("{count} segment", "{count} segments", number),
    Rows.UTTERANCES: lambda number: trn("{count} utterance", "{count} utterances", number),
    Rows.NODES: lambda number: trn("{count} node", "{count} nodes", number),
    Rows.PRELABELS: lambda number: trn("{count} pre-label", "{count} pre-labels", number),
    Rows.PLACES: lambda number: trn("{count} place", "{count} places", number),
}


def count_rows(kind: Rows, number: int, recordings: int = 1) -> str:
    """Return `22 segments`, with ` in 2 recordings` where it is more than one."""
    rows = _COUNTS[kind](number)
    if recordings < 2:
        return rows
    among = trn("{count} recording", "{count} recordings", recordings)
    return tr("{rows} in {recordings}").format(rows=rows, recordings=among)


def tell_deleted(kind: Rows, number: int, recordings: int = 1) -> str:
    """Say what was deleted, and that undo brings it back."""
    text = tr("Deleted {rows}. Undo brings it back.") if number == 1 else tr("Deleted {rows}. Undo brings them back.")
    return text.format(rows=count_rows(kind, number, recordings))


def tell_changed(kind: Rows, number: int, recordings: int = 1) -> str:
    """Say what was changed, and that it was one step."""
    return tr("Changed {rows}. One undo takes it back.").format(rows=count_rows(kind, number, recordings))


def agree_to_delete(questions: Questions, kind: Rows, number: int, recordings: int) -> bool:
    """Ask whether to delete rows of more than one recording; those of one are deleted unasked, because of undo."""
    if recordings < 2:
        return True
    question = tr("Delete {rows}?").format(rows=count_rows(kind, number, recordings))
    button = tr("Delete {rows}").format(rows=count_rows(kind, number))
    return questions.agree(tr("Delete"), f"{question}\n\n{_undone()}", button)


def agree_to_change(questions: Questions, kind: Rows, number: int, recordings: int) -> bool:
    """Ask whether to change rows of more than one recording; those of one are changed unasked, because of undo."""
    if recordings < 2:
        return True
    question = tr("Change {rows}?").format(rows=count_rows(kind, number, recordings))
    button = tr("Change {rows}").format(rows=count_rows(kind, number))
    return questions.agree(tr("Change"), f"{question}\n\n{_undone()}", button)


def _undone() -> str:
    return tr("It is one step: one undo takes it back.")
