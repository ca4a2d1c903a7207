"""How many of what an edit is about: singular, plural, and the recordings where they are more than one."""

from app.gui.study.dialogs import Rows, confirm_change, confirm_delete, deleted_message, format_row_count
from project.text_format import describe_rows


def test_the_name_of_a_step_counts_rows_and_recordings() -> None:
    assert describe_rows(1, "segment") == "segment"
    assert describe_rows(22, "segment") == "22 segments"
    assert describe_rows(22, "segment", 2) == "22 segments in 2 recordings"


def test_a_message_counts_rows_and_recordings() -> None:
    assert [deleted_message(kind, 1) for kind in (Rows.SEGMENTS, Rows.NODES)] == [
        "Deleted 1 segment. Undo brings it back.",
        "Deleted 1 node. Undo brings it back.",
    ]
    assert deleted_message(Rows.UTTERANCES, 3) == "Deleted 3 utterances. Undo brings them back."
    assert format_row_count(Rows.PLACES, 3, 1) == "3 places"
    assert format_row_count(Rows.PRELABELS, 3, 2) == "3 pre-labels in 2 recordings"


class Nobody:
    """Fails where it is asked."""

    def agree(self, *_asked: object, **_more: object) -> bool:
        raise AssertionError("rows of one recording are edited unasked")


def test_nobody_is_asked_about_rows_of_one_recording() -> None:
    for agree in (confirm_change, confirm_delete):
        assert agree(Nobody(), Rows.SEGMENTS, 900, 1)
