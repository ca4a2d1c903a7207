"""How many of what an edit is about: singular, plural, and the recordings where they are more than one."""

from app.gui.study.dialogs import Rows, agree_to_change, agree_to_delete, count_rows, tell_deleted
from project.text_format import counted_rows


def test_the_name_of_a_step_counts_rows_and_recordings() -> None:
    assert counted_rows(1, "segment") == "segment"
    assert counted_rows(22, "segment") == "22 segments"
    assert counted_rows(22, "segment", 2) == "22 segments in 2 recordings"


def test_a_message_counts_rows_and_recordings() -> None:
    assert [tell_deleted(kind, 1) for kind in (Rows.SEGMENTS, Rows.NODES)] == [
        "Deleted 1 segment. Undo brings it back.",
        "Deleted 1 node. Undo brings it back.",
    ]
    assert tell_deleted(Rows.UTTERANCES, 3) == "Deleted 3 utterances. Undo brings them back."
    assert count_rows(Rows.PLACES, 3, 1) == "3 places"
    assert count_rows(Rows.PRELABELS, 3, 2) == "3 pre-labels in 2 recordings"


class Nobody:
    """Fails where it is asked."""

    def agree(self, *_asked: object, **_more: object) -> bool:
        raise AssertionError("rows of one recording are edited unasked")


def test_nobody_is_asked_about_rows_of_one_recording() -> None:
    for agree in (agree_to_change, agree_to_delete):
        assert agree(Nobody(), Rows.SEGMENTS, 900, 1)  # type: ignore[arg-type]
