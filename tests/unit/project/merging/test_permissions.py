"""No copy brings a permission: what lets more out is a conflict, and the stricter version stays until one is chosen."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from project.integrity.integrity_check import check_study
from project.merging.conflict_resolution import apply_version
from project.queries.history_rows import all_conflicts
from project.queries.pii_rows import PiiDecision, PiiPlace, PiiVerdict, pii_decisions, put_pii_decision
from project.store.study import Study
from tests.builders.merge_study import ADA, PERSON, copy_file, furnish, merge

Write = tuple[str | Callable[[Study], object], tuple[str, ...]]

GRANT: Write = ("INSERT INTO consent VALUES (?, 'release', 1) ON CONFLICT DO UPDATE SET granted = 1", (PERSON.id,))
REFUSE: Write = ("INSERT INTO consent VALUES (?, 'release', 0) ON CONFLICT DO UPDATE SET granted = 0", (PERSON.id,))
WAIVE: Write = ("INSERT INTO waiver VALUES ('w-1', 'r-1', 'transcript', 'It is short.', ?, '2026')", (ADA.id,))
PUBLIC: Write = ("INSERT INTO public_word VALUES ('Jane')", ())
PRIVATE: Write = ("INSERT INTO private_word VALUES ('Jane', '[PERSON_1]', 'person', NULL)", ())
HOLD_OUT: Write = ("INSERT INTO hold_out VALUES ('r-1')", ())
LIMITS: Write = ("INSERT INTO property VALUES ('privacy_limits', '{\"leak\": 1}')", ())
TEXT: Write = ("INSERT INTO utterance VALUES ('u-1', 'r-1', ?, 1, 9, 'It was in May', '[]', 1, 0)", (PERSON.id,))
PLACE = PiiPlace("utterance", "u-1", "text", "May")


def decide(verdict: PiiVerdict) -> Write:
    decision = PiiDecision(PLACE, "r-1", "person", verdict, ADA.id, "2026")
    return lambda study: put_pii_decision(study, decision), ()


KEEP, HIDE = decide(PiiVerdict.KEEP), decide(PiiVerdict.HIDE)


def write(path: Path, *writes: Write) -> None:
    with Study.open(path) as study:
        for sql, values in writes:
            with study.step("Edit", ADA.id):
                study.write(sql, values) if isinstance(sql, str) else sql(study)


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    with Study.open(path, read_only=True) as study:
        return [tuple(row) for row in study.rows(f"SELECT * FROM {table}") if row[0] != "id"]


@pytest.mark.parametrize(
    ("before", "there", "table"),
    [
        pytest.param([], [GRANT], "consent", id="consent given"),
        pytest.param([], [WAIVE], "waiver", id="waiver"),
        pytest.param([], [PUBLIC], "public_word", id="word kept everywhere"),
        pytest.param([PRIVATE], [("DELETE FROM private_word", ())], "private_word", id="word not hidden any more"),
        pytest.param([HOLD_OUT], [("DELETE FROM hold_out", ())], "hold_out", id="not held out any more"),
        pytest.param([], [("UPDATE participant SET role = 'robot'", ())], "participant", id="a person a robot"),
        pytest.param([], [("DELETE FROM appearance", ())], "appearance", id="a person not there any more"),
        pytest.param([], [LIMITS], "property", id="limits"),
        pytest.param([TEXT, HIDE], [KEEP], "pii_decision", id="hidden place kept"),
    ],
)
def test_what_lets_more_out_waits_for_a_person(
    tmp_path: Path, before: list[Write], there: list[Write], table: str
) -> None:
    path = furnish(tmp_path / "study.greenroom")
    write(path, *before)
    copy = copy_file(path, "ada")
    write(copy, *there)
    was, wanted = rows(path, table), rows(copy, table)
    assert was != wanted
    (done,) = merge(path, copy)
    assert (done.conflicts, rows(path, table)) == (1, was)
    assert merge(path, copy)[0].is_empty
    with Study.open(path) as study:
        (conflict,) = all_conflicts(study, unresolved=True)
        assert conflict.table == table
        with study.step("Choose"):
            apply_version(study, conflict, conflict.theirs)
    assert rows(path, table) == wanted
    assert check_study(path) == []


@pytest.mark.parametrize(
    ("before", "there", "table"),
    [
        pytest.param([GRANT], [REFUSE], "consent", id="consent"),
        pytest.param([], [PRIVATE], "private_word", id="private word"),
        pytest.param([TEXT], [KEEP], "pii_decision", id="the same text was reviewed"),
    ],
)
def test_what_lets_less_out_and_the_work_of_others_comes_home(
    tmp_path: Path, before: list[Write], there: list[Write], table: str
) -> None:
    path = furnish(tmp_path / "study.greenroom")
    write(path, *before)
    copy = copy_file(path, "ada")
    write(copy, *there)
    (done,) = merge(path, copy)
    assert (done.conflicts, rows(path, table)) == (0, rows(copy, table))


def test_where_both_changed_it_the_stricter_version_stays(tmp_path: Path) -> None:
    path = furnish(tmp_path / "study.greenroom")
    copy = copy_file(path, "ada")
    write(path, GRANT)
    write(copy, REFUSE)
    (done,) = merge(path, copy)
    assert (done.conflicts, rows(path, "consent")) == (1, [(PERSON.id, "release", 0)])
    assert merge(path, copy)[0].is_empty
    with Study.open(path) as study:
        (conflict,) = all_conflicts(study)
    assert conflict.theirs == {"consent": [{"participant_id": PERSON.id, "use": "release", "granted": 1}]}


def test_a_place_that_was_kept_is_undecided_in_another_text_and_kept_in_one_that_comes_with_it(tmp_path: Path) -> None:
    path = furnish(tmp_path / "study.greenroom")
    write(path, TEXT)
    home, kept, rewritten = (copy_file(path, name) for name in ("home", "ada", "bo"))
    write(kept, KEEP)
    write(home, ("UPDATE utterance SET text = 'I met May there' WHERE id = 'u-1'", ()))
    write(rewritten, ("UPDATE utterance SET text = 'It was in May then' WHERE id = 'u-1'", ()), KEEP)
    for study_path, copy, places in ((home, kept, []), (path, rewritten, [PLACE])):
        merge(study_path, copy)
        with Study.open(study_path) as study:
            assert [*pii_decisions(study)] == places
    assert check_study(path) == []


def test_what_somebody_chose_in_a_copy_about_a_permission_is_chosen_here_anew(tmp_path: Path) -> None:
    path = furnish(tmp_path / "study.greenroom")
    first, second = copy_file(path, "ada"), copy_file(path, "bo")
    write(first, GRANT)
    merge(second, first)
    with Study.open(second) as study:
        (conflict,) = all_conflicts(study)
        with study.step("Choose"):
            apply_version(study, conflict, conflict.theirs)
            study.write("UPDATE conflict SET resolution = 'theirs'", ())
    merge(path, second)
    assert rows(path, "consent") == []
    with Study.open(path, read_only=True) as study:
        assert [each_conflict.table for each_conflict in all_conflicts(study, unresolved=True)] == ["consent"]


def test_a_restored_backup_of_the_study_itself_brings_no_old_permission(tmp_path: Path) -> None:
    path = furnish(tmp_path / "study.greenroom")
    write(path, GRANT, WAIVE, PUBLIC)
    backup = Path(shutil.copyfile(path, tmp_path / "backup.greenroom"))
    write(path, REFUSE, ("DELETE FROM waiver", ()), ("DELETE FROM public_word", ()), HOLD_OUT)
    now = {table: rows(path, table) for table in ("consent", "waiver", "public_word", "hold_out")}
    write(backup, REFUSE)
    with Study.open(backup) as study:
        study.undo()
        study.redo()
        with study.step("Edit", ADA.id):
            study.set_property("note", "worked on")
    write(backup, ("UPDATE waiver SET reason = 'a better reason'", ()), ("DELETE FROM consent", ()), GRANT)
    merge(path, backup)
    assert {table: rows(path, table) for table in now} == now
    assert json.dumps(rows(path, "property")).count("worked on") == 1
