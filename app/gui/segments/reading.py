"""Reads what a table of all segments shows: at once what is little, in a thread what is much."""

from collections.abc import Callable, Mapping

from app.core.segment_table import SegmentRow, SegmentTable, segment_rows
from app.core.session import Session
from app.gui.context import Context
from app.gui.second_look import look
from project.queries.table import count_segments
from project.types import Changes

_MANY = 1_500
"""Segments from which reading them takes longer than a window may stand still."""


def read_table(context: Context, session: Session, then: Callable[[], None]) -> tuple[SegmentTable, bool]:
    """Return the table, and whether its rows are still to come.

    Args:
        context: of the window that shows it.
        session: of the study that is open.
        then: is called when they are there; not called where they are there at once.
    """
    if count_segments(session.study) <= _MANY:
        return SegmentTable(session), False
    table = SegmentTable(session, {})

    def fail(_error: Exception) -> None:
        # Whoever waits is better served late than never.
        table.reload()
        then()

    def take(rows: object) -> None:
        if context.studio.session is session:
            assert isinstance(rows, dict)
            table.rows = rows
            then()

    look(context.background, session, lambda second, _progress: segment_rows(second.study), take, fail)
    return table, True


def read_again(
    context: Context,
    session: Session,
    table: SegmentTable,
    changes: Changes,
    then: Callable[[Mapping[str, SegmentRow] | None], None],
) -> bool:
    """Read again in a thread what an edit touched, where it is much; returns whether it is.

    Args:
        context: of the window that shows the table.
        session: of the study that is open.
        table: is not changed.
        changes: of the edit.
        then: is called with the rows when they are there; with None where they have to be read at once after all.
    """
    touched = table.touched(changes)
    if (len(table.rows) if touched is None else len(touched)) <= _MANY:
        return False

    def take(rows: Mapping[str, SegmentRow] | None) -> None:
        if context.studio.session is session:
            then(rows)

    look(
        *(context.background, session, lambda second, _progress: segment_rows(second.study, touched)),
        *(take, lambda _error: take(None)),
    )
    return True
