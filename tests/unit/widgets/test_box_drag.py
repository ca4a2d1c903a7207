"""Dragging a box: what is held follows the mouse, what is not stays, and no box turns inside out."""

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF

from app.gui.faces.box_editing import MIN_BOX_PX, BoxGrip, drag_box, grip_at, handles

boxes = st.builds(QRectF, st.integers(-50, 500), st.integers(-50, 500), st.integers(10, 300), st.integers(10, 300))
moves = st.builds(QPointF, st.integers(-600, 600), st.integers(-600, 600))


@given(boxes, st.sampled_from([*BoxGrip]), moves)
def test_an_edge_that_is_not_held_stays_and_no_box_turns_inside_out(box: QRectF, grip: BoxGrip, by: QPointF) -> None:
    after = drag_box(box, grip, by, MIN_BOX_PX)
    assert after.width() >= MIN_BOX_PX
    assert after.height() >= MIN_BOX_PX
    held = zip(grip.value, (box.left(), box.top(), box.right(), box.bottom()), strict=True)
    now = (after.left(), after.top(), after.right(), after.bottom())
    assert all(is_held or abs(old - new) < 1e-6 for (is_held, old), new in zip(held, now, strict=True))
    if grip is BoxGrip.INSIDE:
        assert after == box.translated(by)


@given(boxes)
def test_a_handle_is_found_where_it_is_drawn_and_the_inside_elsewhere(box: QRectF) -> None:
    large = box.adjusted(0, 0, 60, 60)
    assert all(grip_at(large, where) is grip for grip, where in handles(large).items())
    assert grip_at(large, large.center()) is BoxGrip.INSIDE
    assert grip_at(large, large.topLeft() - QPointF(40, 40)) is None
