"""A track says whether, coding while it plays, one label ends another."""

import pytest

from project.errors import UserError
from project.schemes.scheme_file import parse_scheme

SCHEME = """key = "hands"
name = "Hands"
version = 1
definition = "What hands do."
[[tracks]]
key = "hand"
name = "Hand"
{}
[[tracks.labels]]
key = "up"
name = "Up"
colour = "accent"
definition = "Above the elbow."
"""


@pytest.mark.parametrize(("line", "expected"), [("", "several"), ('coding = "one"', "one")])
def test_one_or_several(line: str, expected: str) -> None:
    assert parse_scheme(SCHEME.format(line), "hands").tracks[0].coding == expected


def test_anything_else_is_refused() -> None:
    with pytest.raises(UserError, match="coding"):
        parse_scheme(SCHEME.format('coding = "two"'), "hands")
