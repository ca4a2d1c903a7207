"""The figures of a study on the command line."""

import json
from pathlib import Path

from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.terminal import Terminal


def test_one_object_with_what_was_asked_for_and_for_people_a_line_a_figure(tmp_path: Path, greenroom: Terminal) -> None:
    study = tmp_path / "lab.greenroom"
    with Study.create(study) as made:
        fill_study(made, recordings=6, segments=120, annotators=2, seed=3)
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
    said = greenroom("agreement", study, "--pair", "Annotator 1", "Annotator 2")
    assert "Cohen's kappa on the time grid" in said
    assert "n = " in said
    assert "Nobody has reviewed" in said
