"""What withdraws from a study file, byte by byte."""

from pathlib import Path

import pytest

from project.erasure.erased_file import load_into_memory
from project.erasure.removal import erase_subject
from project.erasure.subject_scope import build_scope
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.schema.tables import TABLES
from project.schemes.scheme_file import parse_scheme, shipped_text
from project.store.study import Study
from resources.prompt_texts import prompt_text
from tests.builders.full_study import NAME, SPOKEN, Full, forms, made
from tests.builders.withdrawn_study import left_in, without


def test_the_study_of_this_test_fills_every_column_of_every_table(tmp_path: Path) -> None:
    path, full = made(tmp_path)
    assert check_study(path) == []
    assert len(left_in(path, full.theirs)) >= len(full.theirs)
    with Study.open(path, read_only=True) as study:
        empty = {table for table in TABLES if study.row(f"SELECT 1 FROM {table} LIMIT 1") is None}
    assert empty == {"withdrawal", "withdrawal_certificate"}


@pytest.mark.parametrize("drop", [False, True])
def test_nothing_of_theirs_is_in_the_bytes_and_the_study_is_sound(tmp_path: Path, drop: bool) -> None:
    path, full = made(tmp_path)
    without(path, drop=drop)
    assert check_study(path) == []
    assert [file.name for file in tmp_path.iterdir()] == ["study.greenroom"]
    theirs = [*full.theirs, NAME, NAME.upper(), NAME.split()[0], SPOKEN, full.id("P01"), "P01", "p01"]
    assert left_in(path, theirs) == []
    assert (full.id("rec1").encode() in path.read_bytes()) is not drop
    if not drop:
        require_others(path, full)


def require_others(path: Path, full: Full) -> None:
    """What others wrote stays, and undo stops at the withdrawal."""
    content = path.read_bytes()
    assert [text for text in full.others if not any(form in content for form in forms([text]))] == []
    with Study.open(path) as study:
        # A set that lost an item says so, and its other items, their judgments and answers stay.
        assert study.rows("SELECT count(*) FROM segment") == [(2,)]
        assert study.rows("SELECT recording_id FROM item") == [(full.id("rec2"),)]
        assert study.rows("SELECT json_extract(left_out, '$.withdrawn'), sha256 <> 'ab' FROM item_set") == [(1, 1)]
        assert study.rows("SELECT recording_id FROM medium") == [(full.id("rec2"),)]
        assert study.rows("SELECT json_extract(request, '$.sha256') FROM egress ORDER BY 1") == [("aa1",), ("aa2",)]
        # A comment that named them once is there as it is now, without what it was.
        history = "SELECT operation, before FROM journal_change WHERE json_extract(coalesce(after, before), '$.id') = ?"
        assert study.rows(history, (full.id("name0"),)) == [("insert", None)]
        assert len(study.rows(history, (full.id("seg2"),))) == 1
        with pytest.raises(UserError) as refused:
            study.undo()
        assert "withdrew" in refused.value.hint
        with study.step("Rename", full.id("ada")):
            study.write("UPDATE collection SET name = 'new' WHERE id = ?", (full.id("col"),))
        study.undo()
        with pytest.raises(UserError):
            study.undo()
        study.redo()
    assert check_study(path) == []
    memory = load_into_memory(path)
    assert erase_subject(memory, build_scope(memory, [full.id("P01")])).is_empty


def test_a_study_that_somebody_has_open_is_left_alone(tmp_path: Path) -> None:
    path, _ = made(tmp_path)
    with Study.open(path), pytest.raises(UserError):
        without(path)
    assert NAME.encode() in path.read_bytes()
    assert check_study(path) == []


OWN_SCHEME = f"""
key = "quellbach"
name = "As {NAME} sees it"
version = 1
definition = "What Quellbach does" # {NAME}

[[tracks]]
key = "t"
name = "Turns"

[[tracks.labels]]
key = "error"
name = "Good"
definition = "As Zyxanna does"
examples = ["Zyxanna laughs", "somebody laughs"]
"""


def test_schemes_and_prompts_stay_usable_without_their_name(tmp_path: Path) -> None:
    path, full = made(tmp_path)
    with Study.open(path) as study, study.step("Schemes"):
        study.write("UPDATE participant SET pseudonym = 'Error' WHERE id = ?", (full.id("P01"),))
        study.write("INSERT INTO scheme_version VALUES ('quellbach', 1, ?)", (OWN_SCHEME,))
        study.write(
            "INSERT INTO prompt_version VALUES ('pre', 8, ?)", ('system = "Frau Quellbach\'s turn"\nbody = "x"',)
        )
        study.write("INSERT INTO prompt_version VALUES ('pre', 1, ?)", (prompt_text("pre"),))
    done = without(path, "Error")
    assert check_study(path) == []
    with Study.open(path, read_only=True) as study:
        schemes = dict(study.rows("SELECT key, text FROM scheme_version"))
        prompts = dict(study.rows("SELECT version, text FROM prompt_version WHERE key = 'pre'"))
    own = parse_scheme(str(schemes["quellbach"]), "quellbach")
    assert schemes["shrec"] == shipped_text("shrec")
    assert (own.name, own.definition) == ("As [removed] sees it", "")
    assert own.tracks[0].labels[0].examples == ("somebody laughs",)
    assert done.left == {"scheme_version.text": 1}
    assert prompts == {1: prompt_text("pre"), 8: '[removed]\nbody = "x"'}
    assert left_in(path, ["Zyxanna", "Frau Quellbach"]) == []


def test_what_is_deleted_outside_the_history_is_in_no_free_page(tmp_path: Path) -> None:
    path = tmp_path / "study.greenroom"
    with Study.create(path) as study:
        assert study.row("PRAGMA secure_delete") == (1,)
        with study.without_history():
            study.set_property("secret", NAME * 1000)
        with study.without_history():
            study.write("DELETE FROM property WHERE key = 'secret'", ())
    with Study.open(path, read_only=True) as study:
        assert study.row("PRAGMA secure_delete") == (1,)
    assert NAME.encode() not in path.read_bytes()
