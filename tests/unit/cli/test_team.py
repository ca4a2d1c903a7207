"""Planning, splitting, merging and training on the command line, as a study's owner and two annotators do it."""

import re
from pathlib import Path

import pytest

from tests.builders.terminal import Terminal

CANARY = "Quite unmistakable remark"


@pytest.fixture
def study(tmp_path: Path, greenroom: Terminal) -> Path:
    """Six recordings without files, and a plan for three people."""
    path = tmp_path / "lab.greenroom"
    greenroom("study", "synthetic", path, "--recordings", "6", "--segments", "0", "--annotators", "1")
    greenroom("team", "plan", path, "--annotators", "Ada,Bo,Cy", "--training", "6")
    return path


def first_of(greenroom: Terminal, study: Path, name: str, purpose: str = "work") -> str:
    for one in greenroom.json("team", "plan", study)["recordings"]:
        if any(who["name"] == name and who["purpose"] == purpose for who in one["annotators"]):
            return str(one["number"])
    raise AssertionError(name)


def add(greenroom: Terminal, path: Path, recording: str, who: str, *more: str, code: int = 0) -> str:
    return greenroom(
        "segment", "add", path, "--recording", recording, "--start", "0.5", "--end", "1.5", "--verdict", "error",
        "--annotator", who, "--channel", "verbal", "--rationale", "Too early.", "--correction", "Wait.", *more,
        code=code,
    )  # fmt: skip


def test_the_plan_is_even_and_shows_how_far_everybody_is(study: Path, greenroom: Terminal) -> None:
    team = {who["name"]: who for who in greenroom.json("team", "plan", study)["annotators"] if who["given"]}
    assert sorted(who["given"] for who in team.values()) == [3, 3, 4]
    place = first_of(greenroom, study, "Ada")
    add(greenroom, study, place, "Ada", "--attribute", "norms")
    greenroom("recording", "done", study, "--recording", place, "--annotator", "Ada")
    ada = next(who for who in greenroom.json("team", "plan", study)["annotators"] if who["name"] == "Ada")
    assert (ada["begun"], ada["done"]) == (1, 1)
    undo = ("recording", "done", study, "--recording", place, "--annotator", "Ada", "--undo")
    greenroom(*undo)
    assert "not marked as done" in greenroom(*undo, code=2)


def test_planning_again_keeps_what_is_begun_and_leaves_out_what_is_held_out(study: Path, greenroom: Terminal) -> None:
    place = first_of(greenroom, study, "Ada")
    add(greenroom, study, place, "Ada")
    other = "1" if place != "1" else "2"
    greenroom("recording", "hold-out", study, "--recording", other)
    assert greenroom("info", study).count("held out") == 1
    found = greenroom.json("team", "plan", study, "--annotators", "Bo,Cy,Dee,Eve", "--seed", "3")
    given = {
        str(recording["number"]): [who["name"] for who in recording["annotators"] if who["purpose"] == "work"]
        for recording in found["recordings"]
    }
    assert "Ada" in given[place]
    assert len(given[place]) == 2
    assert [number for number, names in given.items() if "Ada" in names] == [place]
    assert given[other] == []
    found = greenroom.json("team", "plan", study, "--annotators", "Dee,Eve", "--with-hold-out")
    assert next(one for one in found["recordings"] if str(one["number"]) == other)["annotators"] != []
    greenroom("recording", "hold-out", study, "--recording", other, "--off")
    assert not any(recording["held_out"] for recording in greenroom.json("team", "plan", study)["recordings"])


def test_copies_are_merged_and_a_conflict_is_listed_and_resolved(
    study: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    def rationale() -> str:
        return greenroom.json("segment", "list", study)["segments"][0]["rationale"]

    place, copy = first_of(greenroom, study, "Ada"), tmp_path / "Ada.greenroom"
    add(greenroom, study, place, "Ada", "--rationale", "first")
    assert "1 segment\n" in greenroom("study", "split", study, "--annotator", "Ada", "--out", copy)
    segment = greenroom.json("segment", "list", study)["segments"][0]["id"]
    add(greenroom, copy, place, "Ada", "--rationale", "another")
    for path, text in ((study, "at home"), (copy, "away")):
        greenroom("segment", "edit", path, segment, "--rationale", text)
    (planned,) = greenroom.json("study", "merge", study, copy, "--dry-run")["copies"]
    assert greenroom.json("info", study)["segments"] == 1
    merged = greenroom.json("study", "merge", study, copy)
    assert merged["unresolved_conflicts"] == 1
    assert planned["tables"] == merged["copies"][0]["tables"]
    assert planned["tables"]["segment"]["added"] == 1
    assert "nothing new" in greenroom("study", "merge", study, copy)
    (found,) = greenroom.json("study", "conflicts", study)["conflicts"]
    assert found["differences"] == [{"name": "rationale", "ours": "at home", "theirs": "away"}]
    assert found["source"] == "Ada"
    assert {"at home", "away"} <= set(re.findall("at home|away", greenroom("study", "conflicts", study)))
    greenroom("study", "resolve", study, found["id"], "--take", "theirs")
    assert rationale() == "away"
    greenroom("study", "undo", study)
    assert rationale() == "at home"
    greenroom("study", "resolve", study, found["id"][:12], "--take", "ours")
    assert greenroom.json("study", "conflicts", study, "--all")["conflicts"][0]["resolution"] == "ours"


def test_a_training_opens_the_work(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    add(greenroom, study, "6", "Expert", "--attribute", "norms", "--rationale", CANARY)
    shown = greenroom.json(
        "team", "training", study, "--recording", "6", "--reference", "Expert", "--minimum-attributes", "0.5"
    )
    assert [trainee["name"] for trainee in shown["annotators"]] == ["Ada", "Bo", "Cy"]
    copy = tmp_path / "Ada.greenroom"
    greenroom("study", "split", study, "--annotator", "Ada", "--out", copy)
    place = first_of(greenroom, copy, "Ada")
    assert "not finished the training" in add(greenroom, copy, place, "Ada", code=2)
    add(greenroom, copy, "6", "Ada", "--attribute", "emotions", "--attribute", "engagement", "--attribute", "intention")
    greenroom("recording", "done", copy, "--recording", "6", "--annotator", "Ada")
    assert "attributes 0.00, needed 0.50" in add(greenroom, copy, place, "Ada", code=2)
    (ada,) = greenroom.json("team", "training", copy)["annotators"]
    assert (ada["boundaries"], ada["labels"], ada["attributes"], ada["passed"]) == (1, 1, 0, False)
    greenroom("team", "training", study, "--off")
    assert "no training" in greenroom("team", "training", study)
    assert add(greenroom, study, place, "Bo")
