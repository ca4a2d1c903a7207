import pytest

from project.text_format import pluralize


@pytest.mark.parametrize(("number", "words"), [(0, "0 recordings"), (1, "1 recording"), (2, "2 recordings")])
def test_one_is_told_apart_from_several(number: int, words: str) -> None:
    assert pluralize(number, "recording") == words
