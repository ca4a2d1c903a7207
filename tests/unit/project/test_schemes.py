import re
from pathlib import Path

import pytest

from project.entities.study_records import Verdict
from project.errors import UserError
from project.schemes.scheme import FieldKind
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


def load(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.toml").write_text(text)
    load_scheme_file(tmp_path / "s.toml")


def test_shrec() -> None:
    scheme = load_scheme()
    assert (scheme.key, scheme.version) == ("shrec", 1)
    attributes = scheme.field("attributes")
    assert attributes.kind is FieldKind.CHOICES
    assert [(choice.shortcut, choice.key) for choice in attributes.choices] == [
        ("1", "emotions"),
        ("2", "engagement"),
        ("3", "conversation"),
        ("4", "knowledge"),
        ("5", "intention"),
        ("6", "relationships"),
        ("7", "norms"),
    ]
    assert {label.key: label.shortcut for label in scheme.tracks[0].labels} == {
        "error": "E",
        "competence": "C",
        "none": "N",
    }
    assert [choice.key for choice in scheme.field("channel").choices] == ["verbal", "nonverbal", "both"]
    assert scheme.field("correction").applies_to(Verdict.ERROR)
    assert not scheme.field("correction").applies_to(Verdict.COMPETENCE)
    assert scheme.field("rationale").applies_to(Verdict.NONE)
    explained = [*scheme.tracks[0].labels, *attributes.choices, *scheme.field("channel").choices]
    assert all(one.definition and one.examples for one in explained)


def test_values_are_checked() -> None:
    scheme = load_scheme()
    assert scheme.check_value("attributes", ["norms", "emotions", "norms"]) == ["emotions", "norms"]
    assert scheme.check_value("channel", "both") == "both"
    assert scheme.check_value("rationale", " x\n") == " x\n"
    for nothing in (None, "", [], " \n"):
        assert scheme.check_value("rationale", nothing) is None
    for field, value in [
        ("nonsense", "x"),
        ("attributes", ["nonsense"]),
        ("attributes", "norms"),
        ("channel", "nonsense"),
        ("channel", ["both"]),
        ("rationale", 7),
        ("attributes", [["norms"]]),
    ]:
        with pytest.raises(UserError):
            scheme.check_value(field, value)


def test_what_is_missing() -> None:
    scheme = load_scheme()
    assert scheme.missing_fields(Verdict.ERROR, {"channel": "both", "attributes": []}) == (
        "attributes",
        "rationale",
        "correction",
    )
    assert scheme.missing_fields(Verdict.NONE, {}) == ()


def test_a_good_file(tmp_path: Path) -> None:
    load(tmp_path, GOOD)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('name = "N"', "name = 3", "name"),
        ('name = "N"', "", "name"),
        ("version = 2", "version = true", "version"),
        ("version = 2", "version = 0", "version"),
        ("version = 2", "version = 99999999999999999999", "version"),
        ("version = 2", 'version = 2\ndefinition = "a\\u0000b"', "definition"),
        ("version = 2", 'version = 2\ndefinition = "a\\u202eb"', "definition"),
        ("version = 2", 'version = 2\ncolor = "x"', "color"),
        ('kind = "text"', 'kind = "song"', "fields[2].kind"),
        ('kind = "choices"', 'kind = "text"', "fields[1].choices"),
        ('kind = "text"', 'kind = "choice"', "fields[2].choices"),
        ('only_for = ["error"]', 'only_for = ["wrong"]', "fields[2].only_for"),
        ('only_for = ["error"]', 'only_for = "error"', "fields[2].only_for"),
        ('key = "error"', 'key = "bad"', "fields[2].only_for"),
        ('key = "y"', 'key = "x"', "fields[1].choices"),
        ('key = "b"', 'key = "a"', "fields"),
        ('shortcut = "1"', 'shortcut = "E"', "shortcut"),
        ('needs = ["a"]', 'needs = ["z"]', "rules"),
        ('label = "error"', 'label = "x"', "rules[1].label"),
        ("version = 2", "version = 2\nrules = 3", ""),
        ("version = 2", "version = ", ""),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, old: str, new: str, where: str) -> None:
    assert old in GOOD
    with pytest.raises(UserError, match=re.escape("s.toml") + ".*" + re.escape(where)):
        load(tmp_path, GOOD.replace(old, new, 1))


def test_no_tracks_no_scheme(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="tracks"):
        load(tmp_path, 'key = "k"\nname = "N"\nversion = 1\n')
    (tmp_path / "s.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match=r"s\.toml"):
        load_scheme_file(tmp_path / "s.toml")


def test_an_unknown_scheme() -> None:
    with pytest.raises(UserError, match="no scheme"):
        load_scheme("nonsense")
    with pytest.raises(UserError, match="cannot be read"):
        load_scheme_file(Path("/nowhere/x.toml"))
