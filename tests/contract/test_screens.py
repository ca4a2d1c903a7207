"""A window that nobody takes a picture of is one that nobody looks at."""

from tools.screens.known import PICTURES, windows_of_source
from tools.screens.shots import named


def test_each_window_of_the_program_is_in_the_set_of_pictures() -> None:
    there = windows_of_source()
    assert len(there) > 20
    assert sorted({*there} - {*PICTURES}) == [], {text: there[text] for text in {*there} - {*PICTURES}}
    assert sorted({*PICTURES} - {*there}) == [], "these are gone"


def test_the_set_takes_the_pictures_that_windows_are_said_to_be_in() -> None:
    assert [text for text in PICTURES.values() if not any(name.startswith(text) for name in named())] == []
