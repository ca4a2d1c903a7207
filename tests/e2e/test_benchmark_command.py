"""The benchmark on the command line: a set is made, judges are asked, results are read and compared."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import run
from project.queries.item_set_rows import find_item_set, items_of
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.commands import greenroom

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("benchmark") / "study.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=12, segments=600, annotators=2, seed=0)
    for name in ("oracle", "random", "constant"):
        greenroom("judge", "add", path, name, "--backend", name)
    return path


def failed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run a command that a user can mend, and return what it says: one line, or two with the hint."""
    assert run([*map(str, arguments)]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert len(said.err.strip().splitlines()) == 1
    return said.err


def lines(told: dict[str, Any], metric: str = "accuracy") -> dict[str, dict[str, Any]]:
    return {one["judge"]: one for one in told["results"] if one["metric"] == metric}


def test_a_run_from_the_first_question_to_the_table(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("benchmark", "run", study, "--task", "verdict", "--draws", "2", "--seed", "3")
    told = greenroom(*asked, "--judge", "oracle", "--judge", "random", "--judge", "oracle")
    assert [(one["name"], one["made"]) for one in told["sets"]] == [("verdict-seed-3", True)]
    assert {*lines(told)} == {"oracle", "random"}, "who is named twice is asked once"
    assert {"task", "judge", "metric", "mean", "sd", "n", "unparsed"} <= {*told["results"][0]}
    assert (lines(told)["oracle"]["mean"], lines(told)["oracle"]["sd"]) == (1.0, 0.0)
    assert len(told["runs"]) == 2

    again = greenroom(*asked, "--judge", "oracle")
    assert not again["sets"][0]["made"]
    assert (again["answered"], again["taken_up"]) == (0, again["runs"])
    assert again["runs"][0] in told["runs"]

    found = greenroom("benchmark", "results", study, "--task", "verdict", "--parts")
    assert {one["judge"] for one in found["results"]} == {"oracle", "random"}
    assert all(one["published"] for one in found["published"])
    assert found["runs"][0]["confusions"][0]["labels"] == ["error", "competence", "none"]
    compared = greenroom("benchmark", "compare", study, "oracle", "random")["comparisons"]
    assert [one["paired"] for one in compared] == [True]
    assert compared[0]["mcnemar"]["second_only"] == 0

    assert run(["benchmark", "results", str(study), "--parts"]) == 0
    shown = capsys.readouterr().out
    assert "published, SHREC" in shown
    assert "chance: Accuracy 33.3 %" in shown
    assert run(["benchmark", "compare", str(study), "oracle", "random"]) == 0
    assert "McNemar" in capsys.readouterr().out


def test_a_set_whose_study_changed_is_told_by_its_checksum(study: Path) -> None:
    told = greenroom("benchmark", "run", study, "--task", "error", "--judge", "oracle")
    assert told["changed"] == []
    with Session.open(study, read_only=True) as session:
        item_set = find_item_set(session.study, told["sets"][0]["id"])
        item = next(frozen_item for frozen_item in items_of(session.study, item_set.id) if frozen_item.about)
    greenroom("segment", "delete", study, item.about, "--annotator", "Annotator 1")
    again = greenroom("benchmark", "run", study, "--task", "error", "--judge", "oracle")
    (changed,) = again["changed"]
    assert (changed["set"], changed["sha256"]) == ("error-seed-0", item_set.sha256)
    assert changed["items"] >= 1
    assert not again["sets"][0]["made"], "it stays the set that was drawn"
    assert greenroom("benchmark", "results", study, "--task", "error")["changed"] == again["changed"]


def test_what_cannot_be_run_is_one_line(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = ("benchmark", "run", study)
    assert "nothing to run" in failed(capsys, *start, "--judge", "oracle")
    assert "no task" in failed(capsys, *start, "--task", "juggling", "--judge", "oracle")
    assert "no set" in failed(capsys, *start, "--set", "nothing", "--judge", "oracle")
    assert "no judge" in failed(capsys, *start, "--task", "verdict", "--judge", "nobody")
    assert "No run fits" in failed(capsys, "benchmark", "results", study, "--judge", "nobody")
    assert "not asked" in failed(capsys, "benchmark", "compare", study, "oracle", "nobody")
    gone = "tcp://127.0.0.1:9"
    failed(capsys, *start, "--task", "verdict", "--judge", "constant", "--scheduler", gone)


def test_one_segment_alone_says_which_class_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "small.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=1, segments=1, annotators=2, seed=0)
    greenroom("judge", "add", path, "oracle", "--backend", "oracle")
    capsys.readouterr()
    assert run(["benchmark", "run", str(path), "--task", "verdict", "--judge", "oracle", "--json"]) == 2
    said = json.loads(capsys.readouterr().out or "{}")
    assert said.get("error") or said
