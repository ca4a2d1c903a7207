"""Nobody who withdrew comes back with a copy."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project.erasure.personal_strings import PersonalString
from project.erasure.withdrawal_guard import guard_import
from project.errors import UserError
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.merging.merge import merge_copy, open_copy
from project.store.study import Study
from tests.builders.full_study import NAME, SPOKEN, Full, made
from tests.builders.merge_study import EDITS, PERSON, copy_file, merge, play, two_segments
from tests.builders.withdrawn_study import left_in, study_with, without

UTTERANCE = "INSERT INTO utterance VALUES (?, ?, ?, ?, ?, ?, '[]', 1, 0)"


def work(path: Path, full: Full, number: int) -> list[str]:
    """Work on in a copy; return what is not to come home."""
    segment, who, ada = new_id(), full.id("P01"), full.id("ada")
    with Study.open(path) as copy:
        with copy.step("Add segment", ada):
            copy.write(
                "INSERT INTO segment VALUES (?, ?, ?, 'shrec', 'segments', 'competence', 5, 9)",
                (segment, full.id("rec1"), ada),
            )
            for field, value in (("rationale", f"plain words {number}"), ("fix", f"{NAME} smiles {number}")):
                copy.write(
                    "INSERT INTO segment_value VALUES (?, 'shrec', 1, ?, ?)", (segment, field, json.dumps(value))
                )
        with copy.step("Transcribe", ada):
            copy.write(UTTERANCE, (new_id(), full.id("rec1"), who, 5, 9, f"later words {number}"))
        with copy.step("Say who appears", ada):
            copy.write("INSERT INTO appearance VALUES (?, ?)", (full.id("rec2"), who))
        with copy.step("Change pseudonym", ada):
            copy.write("UPDATE participant SET pseudonym = ? WHERE id = ?", (f"X{number}", who))
    return [f"later words {number}", f"smiles {number}", f"X{number}", NAME]


def merged(path: Path, copy: Path) -> None:
    with Study.open(path) as study, open_copy(study, copy) as opened:
        merge_copy(study, opened, None)


def test_a_copy_of_the_file_does_not_bring_them_back(tmp_path: Path) -> None:
    path, full = made(tmp_path)
    copy = Path(shutil.copyfile(path, tmp_path / "copy.greenroom"))
    gone = work(copy, full, 1)
    without(path, drop=True)
    before = copy.read_bytes()
    merged(path, copy)
    assert check_study(path) == []
    assert left_in(path, [*gone, *full.theirs, SPOKEN, full.id("P01")]) == []
    assert copy.read_bytes() == before
    assert b"plain words 1" not in path.read_bytes()


def test_merging_a_copy_from_which_somebody_withdrew_is_refused_until_they_are_gone(tmp_path: Path) -> None:
    path = study_with(tmp_path, ["I am Zebediah"], ["Hello"])
    copy = Path(shutil.copyfile(path, tmp_path / "copy.greenroom"))
    without(copy)
    with pytest.raises(UserError, match="P01 withdrew"):
        merged(path, copy)
    without(path)
    merged(path, copy)
    assert check_study(path) == []


NAMES = ("Zebediah Quux", "Nemo")


@cache
def _files(keep: tuple[str, ...]) -> tuple[bytes, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        texts = ["I live at 12 Acacia Avenue, born 3 May 1982, call 07700 900123"]
        path = study_with(Path(folder), texts, ["Hello"], NAMES[:1])
        copy = path.read_bytes()
        without(path, words=NAMES[1:], keep=keep, finder=find_all)
        return path.read_bytes(), copy


def withdrawn_study(folder: Path, keep: tuple[str, ...] = ()) -> tuple[Path, Path]:
    """Return a study from which P01 withdrew, called by names of which the study holds one, and its older copy."""
    files = folder / "study.greenroom", folder / "copy.greenroom"
    for file, content in zip(files, _files(keep), strict=True):
        file.write_bytes(content)
    return files


def find_all(texts: Sequence[str]) -> list[list[PersonalString]]:
    known = {"address": "12 Acacia Avenue", "date-of-birth": "3 May 1982", "phone": "07700 900123"}
    return [[PersonalString(kind, string) for kind, string in known.items() if string in text] for text in texts]


def say(path: Path, *texts: str) -> None:
    with Study.open(path) as study, study.step("Say"):
        for at, text in enumerate(texts):
            study.write(UTTERANCE, (new_id(), "r2", "P02", 1000 + at * 10, 1009 + at * 10, text))


def said(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        return [text for (text,) in study.rows("SELECT text FROM utterance WHERE text <> '' ORDER BY start_us")]


def test_what_the_withdrawal_removed_does_not_come_home_in_a_copy(tmp_path: Path) -> None:
    path, copy = withdrawn_study(tmp_path)
    say(copy, "Nemo cries", "NEMO-2", "she lives at 12 Acacia Avenue", "born on 3.5.1982", "ring 07700 900 123", "Bye")
    with Study.open(path) as study, open_copy(study, copy, find_all) as opened:
        merge_copy(study, opened, None)
    assert said(path) == ["Hello", "Bye"]
    remembered = ["Zebediah", "zebediah", "Nemo", "nemo", "Acacia", "acacia", "900123"]
    assert left_in(path, remembered) == [], "the study does not hold the words that it remembers"


def test_what_only_looks_like_them_in_a_copy_is_refused_unless_it_was_kept(tmp_path: Path) -> None:
    path, copy = withdrawn_study(tmp_path, keep=("Zebby",))
    say(copy, "Zebadiah and Zebby", "Bye")
    for file in (path, copy):
        with Study.open(file) as study, study.step("Name"):
            study.write("INSERT INTO annotator VALUES ('b', 'Quux, the other', 'person')", ())
    with Study.open(path) as study, pytest.raises(UserError, match="“Zebadiah”, “Zebby”"):
        open_copy(study, copy, find_all)
    say(path, "Zebby")
    with Study.open(path) as study, pytest.raises(UserError, match="participant: “Zebadiah”"):
        open_copy(study, copy, find_all)
    with Study.open(path) as study, open_copy(study, copy, find_all, keep_rest=True) as opened:
        merge_copy(study, opened, None)
    assert "Zebadiah and Zebby" in said(path)


def test_a_text_that_is_imported_may_not_bring_them_back(tmp_path: Path) -> None:
    path, _ = withdrawn_study(tmp_path)
    texts = {
        "ask zebediahquux@example.org": "zebediahquux",
        "nemo": "nemo",
        "P01 came": "P01",
        "12, acacia avenue": "12 acacia avenue",
        "born 1982-05-03": "3.5.82",
    }
    with Study.open(path) as study:
        for number, (text, listed) in enumerate(texts.items()):
            row = (f"x{number}", "r2", "P02", 1000, 1009, text)
            with pytest.raises(UserError, match="withdrawn") as refused, study.step("Import"), guard_import(study):
                study.write(UTTERANCE, row)
            assert f"“{listed}”" in refused.value.message
            assert study.rows("SELECT 1 FROM utterance WHERE id = ?", row[:1]) == []
        with study.step("Import"), guard_import(study, keep_rest=True):
            study.write(UTTERANCE, row)


def test_a_pseudonym_that_was_given_again_and_other_words_come_in(tmp_path: Path) -> None:
    path, _ = withdrawn_study(tmp_path)
    with Study.open(path) as study:
        with study.step("Add"):
            study.write("INSERT INTO participant VALUES ('new', 'P01', 'user', '')", ())
        with study.step("Import"), guard_import(study):
            text = "P01 came with Zebras and blind people at 12 Acacia Road, born 4 May 1982, 07700 900124"
            study.write(UTTERANCE, ("x", "r2", "P02", 1000, 1009, text))


@settings(max_examples=settings.default.max_examples // 7, suppress_health_check=[HealthCheck.too_slow])
@given(first=EDITS, here=EDITS, there=EDITS, drop=st.booleans())
def test_whatever_was_edited_and_undone_they_are_gone_and_stay_gone(
    first: list[tuple[str, int, int]], here: list[tuple[str, int, int]], there: list[tuple[str, int, int]], drop: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home.greenroom"
        home.write_bytes(two_segments())
        play(home, first)
        copy = copy_file(home, "copy")
        play(home, here)
        play(copy, there)
        with Study.open(home, read_only=True) as study:
            ((pseudonym,),) = study.rows("SELECT pseudonym FROM participant WHERE id = ?", (PERSON.id,))
        without(home, str(pseudonym), ("Jane",), drop=drop)
        assert check_study(home) == []
        merge(home, copy)
        assert check_study(home) == []
        assert left_in(home, ["Jane", PERSON.pseudonym]) == []
        with Study.open(home, read_only=True) as study:
            for table in ("participant", "appearance"):
                assert study.rows(f"SELECT * FROM {table}") == []
            assert study.rows("SELECT 1 FROM journal_change WHERE before LIKE '%p-1%' OR after LIKE '%p-1%'") == []
