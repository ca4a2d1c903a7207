"""The cards of faces: which are listed, in which order, and that they stay while a person works through them."""

from dataclasses import replace

import pytest

from app.gui.faces.face_cards import CROPS_ROLE, CardsModel, CardState, FaceCard, Order, describe_card

SURE = FaceCard("a", "Face 1", CardState.ASSIGNED, 0, 9_000_000, 0.9, "P01", "p")
WEAK = FaceCard("b", "Face 2", CardState.DOUBTFUL, 4_000_000, 1_000_000, 0.2)
OPEN = FaceCard("c", "Face 3", CardState.UNDECIDED, 2_000_000, 3_000_000, 0.7, place_count=2, rank=0)
DRAWN = FaceCard("d", "Area", CardState.AREA, 1_000_000, 2_000_000, is_drawn=True)
ALL = [SURE, WEAK, OPEN, DRAWN]


@pytest.mark.parametrize(
    ("order", "keys"),
    [(Order.UNCERTAIN, "cbad"), (Order.TIME, "adcb"), (Order.LENGTH, "acdb"), (Order.SCORE, "bcad")],
)
def test_cards_are_sorted(order: Order, keys: str) -> None:
    model = CardsModel()
    model.set_cards(ALL)
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


def test_a_card_says_in_words_what_it_shows() -> None:
    assert describe_card(SURE) == "Face 1, P01, assigned, from 0:00:00.000"
    assert describe_card(OPEN) == "Face 3, to decide, from 0:00:02.000, 2 places to look at"
