"""What somebody types finds the command that they mean."""

from hypothesis import given
from hypothesis import strategies as st

from widgets.dialogs.command_palette import match_score

NAMES = ("Make segment from marks", "Mark start", "Locate missing media…", "Review", "Reviewed by others", "Übersicht")


def found(typed: str) -> list[str]:
    fits = [(how, name) for name in NAMES if (how := match_score(typed, name)) is not None]
    return [name for how, name in sorted(fits, reverse=True)]


def test_the_start_of_the_name_comes_before_the_start_of_a_word_and_that_before_letters_inside() -> None:
    assert found("ma")[:2] == ["Mark start", "Make segment from marks"]
    whole, word, inside = (
        match_score("mark", "Mark start"),
        match_score("start", "Mark start"),
        match_score("tart", "Mark start"),
    )
    assert whole is not None
    assert word is not None
    assert inside is not None
    assert whole > word > inside


def test_first_letters_of_words_find_it() -> None:
    assert found("msfm") == ["Make segment from marks"]
    assert found("lmm")[0] == "Locate missing media…"
    assert match_score("csv", "Save a picture as SVG…", "Chains") is None


def test_each_word_must_be_somewhere_in_any_order() -> None:
    assert found("marks make") == ["Make segment from marks"]
    assert match_score("make nothing", "Make segment from marks") is None
    assert match_score("view settings", "Theme", "View") is None
    assert match_score("theme view", "Theme", "View") is not None


def test_of_two_that_fit_alike_the_shorter_is_first() -> None:
    assert found("review") == ["Review", "Reviewed by others"]


def test_accents_and_capitals_make_no_difference() -> None:
    assert found("ubersicht") == found("ÜBERSICHT") == ["Übersicht"]


@given(st.text(min_size=1, max_size=20).filter(str.strip), st.text(max_size=30))
def test_every_name_is_found_by_itself_and_nothing_breaks(name: str, typed: str) -> None:
    assert match_score(name, name) is not None
    how = match_score(typed, name)
    assert how is None or isinstance(how, float)
