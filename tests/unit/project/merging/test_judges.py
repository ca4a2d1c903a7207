"""Judges, prompts and what judges said come home whole, whatever both sides called them."""

from dataclasses import replace
from pathlib import Path

import pytest

from project.entities.judgments import JudgeEntry, Reveal
from project.entities.study_records import Json
from project.integrity.integrity_check import check_study
from project.merging.conflict_resolution import apply_version
from project.queries.history_rows import all_conflicts
from project.queries.judgment_rows import (
    all_judges,
    delete_judge,
    insert_judgments,
    insert_reveal,
    judgments_of,
    prompt_versions,
    put_judge,
    put_prompt_version,
)
from project.queries.policy_rows import insert_egress
from project.sharing.annotator_copy import AnnotatorShare, split_copy
from tests.builders.merge_study import ADA, copy_file, furnish, merge, working
from tests.builders.stored_judgments import SAID, SENT


def set_judge(path: Path, identifier: str, name: str, model: str = "m", url: str = "") -> None:
    asked_at: dict[str, Json] = {"url": url} if url else {}
    with working(path) as study, study.step("Set judge", ADA.id):
        put_judge(study, JudgeEntry(identifier, name, "openai", model, {"frames": 3, **asked_at}))


def remove_judge(path: Path, identifier: str) -> None:
    with working(path) as study, study.step("Remove judge", ADA.id):
        delete_judge(study, identifier)


def judged(path: Path, identifier: str, judge_id: str) -> None:
    with working(path) as study, study.run_transaction():
        insert_judgments(study, [replace(SAID, id=identifier, judge_id=judge_id)])


def judges(path: Path) -> dict[str, str]:
    with working(path) as study:
        return {judge.id: judge.name for judge in all_judges(study)}


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    return furnish(tmp_path / "lab")


def test_the_same_judge_that_both_added_is_one(lab: Path) -> None:
    copy = copy_file(lab, "copy")
    set_judge(lab, "here", "gpt")
    set_judge(copy, "there", "gpt")
    judged(lab, "j-here", "here")
    judged(copy, "j-there", "there")
    assert merge(lab, copy)[0].conflicts == 0
    assert judges(lab) == {"here": "gpt"}
    with working(lab) as study:
        assert {judgment.id: judgment.judge_id for judgment in judgments_of(study, SAID.segment_id)} == {
            "j-here": "here",
            "j-there": "here",
        }
    assert merge(lab, copy)[0].is_empty
    assert check_study(lab) == []


def test_two_others_of_one_name_are_told_apart(lab: Path) -> None:
    copy = copy_file(lab, "copy")
    set_judge(lab, "here", "gpt")
    set_judge(copy, "there", "gpt", "another")
    merged = merge(lab, copy)[0]
    assert merged.renamed == {"gpt": "gpt (copy)"}
    assert judges(lab) == {"here": "gpt", "there": "gpt (copy)"}
    assert check_study(lab) == []


OURS, THEIRS = "https://ours.example/v1", "https://theirs.example/v1"


def addresses(path: Path) -> dict[str, str]:
    with working(path) as study:
        return {judge.name: str(judge.settings["url"]) for judge in all_judges(study)}


def test_a_judge_that_a_copy_sends_elsewhere_stays_and_is_a_conflict(lab: Path) -> None:
    set_judge(lab, "a", "far", url=OURS)
    copy = copy_file(lab, "copy")
    set_judge(copy, "a", "far", url=THEIRS)
    assert merge(lab, copy)[0].conflicts == 1
    assert addresses(lab) == {"far": OURS}
    assert merge(lab, copy)[0].is_empty
    with working(lab) as study, study.step("Take theirs", ADA.id):
        (conflict,) = all_conflicts(study)
        apply_version(study, conflict, conflict.theirs)
    assert addresses(lab) == {"far": THEIRS}
    assert check_study(lab) == []


def test_the_name_of_a_judge_never_comes_to_stand_for_another_address(lab: Path) -> None:
    set_judge(lab, "a", "far", url=OURS)
    removed, renamed = copy_file(lab, "removed"), copy_file(lab, "renamed")
    remove_judge(removed, "a")
    set_judge(removed, "b", "far", url=THEIRS)
    set_judge(renamed, "a", "old", url=OURS)
    set_judge(renamed, "c", "far", url=THEIRS)
    merge(lab, removed)
    merge(lab, renamed)
    found = addresses(lab)
    assert found.get("far", OURS) == OURS
    assert list(found.values()).count(THEIRS) == 2
    assert check_study(lab) == []


def test_a_version_of_a_prompt_that_both_wrote_is_a_conflict_to_be_settled(lab: Path) -> None:
    copy = copy_file(lab, "copy")
    for path, text in ((lab, "ours"), (copy, "theirs")):
        with working(path) as study, study.step("Edit prompt", ADA.id):
            put_prompt_version(study, "verdict", 2, text)
    assert merge(lab, copy)[0].conflicts == 1
    with working(lab) as study:
        assert prompt_versions(study, "verdict") == {2: "ours"}
        (conflict,) = all_conflicts(study)
        with study.step("Take theirs", ADA.id):
            apply_version(study, conflict, conflict.theirs)
        assert prompt_versions(study, "verdict") == {2: "theirs"}


def test_a_copy_for_an_annotator_holds_nothing_that_judges_said(lab: Path) -> None:
    set_judge(lab, "a", "x")
    judged(lab, "j-1", "a")
    with working(lab) as study:
        with study.step("Edit prompt", ADA.id):
            put_prompt_version(study, "verdict", 2, "words that hint at it")
        with study.run_transaction():
            insert_reveal(study, Reveal(SAID.segment_id, ADA.id, {"task": ""}, "2026-01-02T03:04:05Z"))
            insert_egress(study, SENT)
        made = split_copy(study, AnnotatorShare(ADA, (SAID.recording_id,)), lab.with_name("for-ada"))
    whole = made.path.read_bytes()
    for text in (SAID.raw, SAID.thinking, "words that hint at it", SAID.model_id):
        assert text.encode() in lab.read_bytes()
        assert text.encode() not in whole
