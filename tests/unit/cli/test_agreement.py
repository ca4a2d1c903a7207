"""The figures of a study on the command line."""

import json
from pathlib import Path

import pytest

from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> str:
    path = tmp_path / "lab.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=6, segments=120, annotators=2, seed=3)
    return str(path)


def test_one_object_with_what_was_asked_for(study: str, greenroom: Terminal) -> None:
    asked = ("--minimum-iou", "0.5", "--step-ms", "500", "--samples", "50", "--recordings", "1", "--recordings", "2")
    found = json.loads(greenroom("agreement", study, *asked, "--json"))
    assert found["settings"]["minimum_iou"] == 0.5
    assert found["settings"]["recordings"] == 2
    assert found["cohen_kappa"]["step_ms"] == 500
    for key in ("overlap_share", "verdict_agreement", "disagreement_share", "cohen_kappa", "elan_kappa", "alpha"):
        assert -1 <= found[key]["value"] <= 1
        assert found[key]["n"] > 0
        assert found[key]["interval"][0] <= found[key]["value"] <= found[key]["interval"][1]
    assert set(found["f1_iou"]) == {"0.3", "0.5", "0.7"}
    assert len(found["published"]) == 8
    assert {"label", "attributes", "channel", "recording", "pair", "annotator"} <= set(found["by"])


def test_the_same_study_gives_the_same_figures(study: str, greenroom: Terminal) -> None:
    assert greenroom("agreement", study, "--json") == greenroom("agreement", study, "--json")


def test_for_people_there_is_a_line_a_figure(study: str, greenroom: Terminal) -> None:
    said = greenroom("agreement", study, "--pair", "Annotator 1", "Annotator 2")
    assert "Cohen's kappa on the time grid" in said
    assert "n = " in said
    assert "Nobody has reviewed" in said


@pytest.mark.parametrize(
    "wrong",
    [
        ("--pair", "Annotator 1", "X"),
        ("--step-ms", "0"),
        ("--minimum-iou", "nan"),
        ("--track", "x"),
        ("--recordings", "9"),
    ],
)
def test_what_cannot_be_answered_is_one_line(study: str, wrong: tuple[str, ...], greenroom: Terminal) -> None:
    greenroom("agreement", study, *wrong, code=2)
