"""Cards of faces: which are listed, in which order, and that they stay; and dragging the box of a face."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF

from app.gui.faces.box_editing import MIN_BOX_PX, BoxGrip, drag_box, grip_at, handles
from app.gui.faces.face_cards import CROPS_ROLE, CardsModel, CardState, FaceCard, Order

SURE = FaceCard("a", "Face 1", CardState.ASSIGNED, 0, 9_000_000, 0.9, "P01", "p")
WEAK = FaceCard("b", "Face 2", CardState.DOUBTFUL, 4_000_000, 1_000_000, 0.2)
OPEN = FaceCard("c", "Face 3", CardState.UNDECIDED, 2_000_000, 3_000_000, 0.7, place_count=2, rank=0)
DRAWN = FaceCard("d", "Area", CardState.AREA, 1_000_000, 2_000_000, is_drawn=True)
ALL = [SURE, WEAK, OPEN, DRAWN]


def test_cards_are_sorted() -> None:
    model = CardsModel()
    model.set_cards(ALL)
    for order, keys in ((Order.UNCERTAIN, "cbad"), (Order.TIME, "adcb"), (Order.LENGTH, "acdb"), (Order.SCORE, "bcad")):
        model.filter_and_sort(order=order)
        assert "".join(card.key for card in model.cards) == keys


def test_a_card_that_is_decided_stays_in_the_list_until_it_is_arranged_anew() -> None:
    model = CardsModel()
    model.set_cards(ALL)
    model.filter_and_sort(lambda card: card.is_undecided)
    assert [card.key for card in model.cards] == ["c", "b"]
    gone = replace(OPEN, state=CardState.DISMISSED, place_count=0)
    model.set_cards([SURE, WEAK, gone, DRAWN])
    assert [card.key for card in model.cards] == ["c", "b"]
    assert model.cards[0] == gone
    model.filter_and_sort()
    assert [card.key for card in model.cards] == ["b"]
    assert model.card("c") == gone
    assert model.row("c") is None


def test_pictures_are_asked_for_once_and_again_after_they_were_dropped() -> None:
    model = CardsModel()
    model.set_cards(ALL)
    asked: list[str] = []
    model.crops_needed.connect(asked.append)
    for _ in range(3):
        model.index(0).data(CROPS_ROLE)
    assert asked == ["c"]
    model.drop_crops(["c"])
    model.index(0).data(CROPS_ROLE)
    assert asked == ["c", "c"]


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
