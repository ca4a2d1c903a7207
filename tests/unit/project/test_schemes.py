"""Schemes: what a file may say, what a value may be, and what is said about a segment."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.entities.study_records import Segment, Utterance, Verdict
from project.errors import UserError
from project.schemes.scheme import FieldKind, clip_to_utterance, segment_problems
from project.schemes.scheme_file import load_scheme, load_scheme_file

GOOD = """
key = "k"
name = "N"
version = 2
[[tracks]]
key = "t"
name = "T"
[[tracks.labels]]
key = "error"
name = "Error"
shortcut = "E"
[[fields]]
key = "a"
kind = "choices"
name = "A"
[[fields.choices]]
key = "x"
name = "X"
shortcut = "1"
[[fields.choices]]
key = "y"
name = "Y"
[[fields]]
key = "b"
kind = "text"
name = "B"
only_for = ["error"]
[[rules]]
label = "error"
needs = ["a"]
"""


def test_the_shipped_scheme_is_that_of_the_paper_with_a_key_for_each_label() -> None:
    scheme = load_scheme()
    assert (scheme.key, scheme.version) == ("shrec", 1)
    attributes = scheme.field("attributes")
    assert attributes.kind is FieldKind.CHOICES
    assert [f"{choice.shortcut} {choice.key}" for choice in attributes.choices] == [
        *("1 emotions", "2 engagement", "3 conversation", "4 knowledge", "5 intention", "6 relationships", "7 norms")
    ]
    labels = scheme.tracks[0].labels
    assert {label.key: label.shortcut for label in labels} == {"error": "E", "competence": "C", "none": "N"}
    assert [choice.key for choice in scheme.field("channel").choices] == ["verbal", "nonverbal", "both"]
    assert [scheme.field("correction").applies_to(verdict) for verdict in ("error", "competence")] == [True, False]
    assert scheme.field("rationale").applies_to(Verdict.NONE)
    assert all(label.definition and label.examples for label in labels)
    choices = [*attributes.choices, *scheme.field("channel").choices]
    assert all(choice.definition and choice.examples for choice in choices)


def test_values_are_checked() -> None:
    scheme = load_scheme()
    assert scheme.check_value("attributes", ["norms", "emotions", "norms"]) == ["emotions", "norms"]
    assert scheme.check_value("channel", "both") == "both"
    assert scheme.check_value("rationale", " x\n") == " x\n"
    for nothing in (None, "", [], " \n"):
        assert scheme.check_value("rationale", nothing) is None
    for field, value in [
        *(("nonsense", "x"), ("attributes", ["nonsense"]), ("attributes", "norms"), ("attributes", [["norms"]])),
        *(("channel", "nonsense"), ("channel", ["both"]), ("rationale", 7)),
    ]:
        with pytest.raises(UserError):
            scheme.check_value(field, value)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('name = "N"', "name = 3", "name"),
        ("version = 2", "version = 0", "version"),
        ("version = 2", 'version = 2\ndefinition = "a\\u0000b"', "definition"),
        ("version = 2", 'version = 2\ncolor = "x"', "color"),
        ('only_for = ["error"]', 'only_for = ["wrong"]', "fields[2].only_for"),
        ('key = "y"', 'key = "x"', "fields[1].choices"),
        ('key = "b"', 'key = "a"', "fields"),
        ('shortcut = "1"', 'shortcut = "E"', "shortcut"),
        ('needs = ["a"]', 'needs = ["z"]', "rules"),
        ("version = 2", "version = ", ""),
        (GOOD, 'key = "k"\nname = "N"\nversion = 1\n', "tracks"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, old: str, new: str, where: str) -> None:
    assert old in GOOD
    (tmp_path / "s.toml").write_text(GOOD.replace(old, new, 1), "latin-1")
    with pytest.raises(UserError, match=re.escape("s.toml") + ".*" + re.escape(where)):
        load_scheme_file(tmp_path / "s.toml")


CUE = Segment("s", "r", "a", "smile", 10, 20, "cues", "expression")
FILLED = {"participant": "p", "description": "Smiles."}


def said(start_us: int, end_us: int) -> Utterance:
    return Utterance(f"{start_us}", "r", start_us, end_us, "Hm.")


def test_what_is_missing_or_has_no_place_in_the_scheme_is_named() -> None:
    scheme, segment = load_scheme(), Segment("s", "r", "a", "error", 0, 5)
    assert scheme.missing_fields(Verdict.ERROR, {"channel": "both", "attributes": []}) == (
        *("attributes", "rationale", "correction"),
    )
    assert scheme.missing_fields(Verdict.NONE, {}) == ()
    assert segment_problems(scheme, segment, {"attributes": ["norms"], "rationale": "x"}, 100) == (
        *("Channel is missing.", "Correction is missing."),
    )
    values = {"attributes": ["gone"], "channel": "verbal", "rationale": "x", "correction": "y"}
    assert segment_problems(scheme, segment, values, 100) == ("Attributes is missing.",)


@pytest.mark.parametrize("name", ["gone", "a" * 300, "../schemes/shrec"])
def test_a_name_that_is_none_of_the_shipped_schemes_is_told(name: str) -> None:
    with pytest.raises(UserError, match="There is no scheme"):
        load_scheme(name)


def test_a_cue_lies_inside_an_utterance() -> None:
    scheme = load_scheme("cues")
    assert segment_problems(scheme, CUE, FILLED, 100, [said(5, 20)]) == ()
    assert segment_problems(scheme, CUE, FILLED, 100, [said(5, 15), said(15, 30)]) == (
        "It does not lie inside one utterance.",
    )
    assert "no transcript" in segment_problems(scheme, CUE, FILLED, 100)[0]


def test_a_label_or_a_track_that_is_gone_is_a_problem() -> None:
    scheme = load_scheme("cues")
    assert "label “grin”" in segment_problems(scheme, replace(CUE, label="grin"), FILLED, 100, [said(0, 50)])[0]
    assert "track “face”" in segment_problems(scheme, replace(CUE, track="face"), FILLED, 100)[0]


@given(st.integers(0, 50), st.integers(1, 20), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=6))
def test_a_span_is_cut_to_one_utterance_that_it_touches(start: int, length: int, spoken: list[tuple[int, int]]) -> None:
    utterances = [said(a, a + n) for a, n in spoken]
    end = start + length
    found = clip_to_utterance(start, end, utterances)
    touched = [u for u in utterances if min(end, u.end_us) > max(start, u.start_us)]
    assert (found is not None) == bool(touched)
    if found is not None:
        assert start <= found[0] < found[1] <= end
        assert any(u.start_us <= found[0] and found[1] <= u.end_us for u in touched)
        assert found[1] - found[0] == max(min(end, u.end_us) - max(start, u.start_us) for u in touched)
