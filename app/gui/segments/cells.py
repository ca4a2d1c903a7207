"""What the cells of the table of segments show."""

from app.core.search import StudySearch
from app.core.segment_columns import SegmentColumns
from app.core.segment_table import SegmentTable
from app.core.session import Session
from widgets.label_looks import LabelLook, looks_of, unknown_look
from widgets.segments.model import Marked


class StudyCells:
    """Answers for one study.

    Attributes:
        typed: what is searched for.
        numbers: segment id -> number of the text that was found.
    """

    def __init__(self, session: Session, table: SegmentTable, searching: StudySearch) -> None:
        self._session = session
        self._table = table
        self._search = searching
        self.columns = SegmentColumns(session, table)
        self.typed = ""
        self.numbers: dict[str, int] = {}

    def renew(self) -> None:
        """Take over other schemes."""
        self.columns = SegmentColumns(self._session, self._table)

    def text(self, column: str, row: str) -> str:
        """Return what stands in a cell."""
        return self.columns.text(column, row) if row in self._table.rows else ""

    def look(self, row: str) -> LabelLook:
        """Return how the label of a row looks."""
        segment = self._table.rows[row].segment
        scheme = self._session.schemes.known(segment.scheme)
        looks = looks_of(scheme.lane(segment.track)) if scheme else ()
        return next((one for one in looks if one.key == segment.label), None) or unknown_look(segment.label)

    def found(self, row: str) -> Marked:
        """Return what a search found in a row."""
        number = self.numbers.get(row)
        if number is None:
            return Marked("")
        excerpt = self._search.index.excerpt(self.typed, number)
        return Marked(excerpt.text.replace("\n", " "), excerpt.marks)

    def is_locked(self, row: str) -> bool:
        """Tell whether a row's recording is kept back."""
        return self._table.rows[row].segment.recording_id in self._table.held_out

    def is_open(self, row: str) -> bool:
        """Tell whether a row has comments that are not resolved."""
        return self._table.rows[row].unresolved > 0
