"""A look follows from the name alone."""

from dataclasses import astuple

from hypothesis import given
from hypothesis import strategies as st

from anonymize.methods.synthetic.head_shape import generate_appearance


@given(st.text(min_size=1), st.text(min_size=1))
def test_one_name_has_one_look(first: str, second: str) -> None:
    assert generate_appearance(first) == generate_appearance(first)
    assert (generate_appearance(first) == generate_appearance(second)) == (first == second)


def test_the_looks_of_a_study_are_of_all_kinds() -> None:
    looks = [generate_appearance(f"P{number:02}") for number in range(40)]
    assert len({look.hair for look in looks}) >= 5
    assert len({look.length for look in looks}) >= 5
    brightness = sorted(sum(look.skin) for look in looks)
    assert brightness[0] < 330
    assert brightness[-1] > 560
    assert all(0 <= value <= 255 for look in looks for colour in astuple(look)[:3] for value in colour)
