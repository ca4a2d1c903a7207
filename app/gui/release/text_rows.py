"""Scrubbed texts as rows of a table, for whoever reads them before they leave."""

from collections.abc import Sequence

from app.core.release.texts import ReleasedText
from project.timebase import format_time
from widgets.rows_table import Row


def text_rows(texts: Sequence[ReleasedText]) -> list[tuple[Row, bool]]:
    """Return texts, each with whether something was changed in it."""
    return [
        (
            Row(
                f"{one.recording_id} {place}",
                (str(one.recording), format_time(one.time_us), one.place, one.before, one.after),
                "pencil" if one.replacements else "",
                one.time_us,
            ),
            bool(one.replacements),
        )
        for place, one in enumerate(texts)
    ]
