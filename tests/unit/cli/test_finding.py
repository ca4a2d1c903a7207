"""Searching, filtering, commenting and the checklist on the command line."""

from pathlib import Path

import pytest

from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=4, segments=60)
    return tmp_path / "lab.greenroom"


def test_search(greenroom: Terminal, study: Path) -> None:
    found = greenroom.json("search", study, "interrup", "the agent")
    assert found["found"] == len(found["hits"]) > 0
    for hit in found["hits"]:
        text = hit["text"]
        assert {text[start:end].lower()[:6] for start, end in hit["marks"]} <= {"the ag", "interr"}
    assert greenroom("search", study, "agent", "--limit", "1").count("\n") == 2
    assert "Nothing found" in greenroom("search", study, "zeppelin")
    assert greenroom.json("search", study, '")(*^:')["hits"] == []


def test_conditions_of_the_list(greenroom: Terminal, study: Path) -> None:
    every = greenroom.json("segment", "list", study)["segments"]
    errors = greenroom.json("segment", "list", study, "--label", "error")["segments"]
    assert errors == [one for one in every if one["verdict"] == "error"]
    either = ("--field", "attributes=norms", "--field", "attributes=emotions", "--annotator", "Annotator 1")
    chosen = greenroom.json("segment", "list", study, *either)["segments"]
    assert chosen == [
        one
        for one in every
        if one["annotator"] == "Annotator 1" and {"norms", "emotions"} & {*(one["attributes"] or [])}
    ]
    assert 0 < len(chosen) < len(every)
    assert greenroom.json("segment", "list", study, "--field", "channel=", "--complete")["segments"] == [
        one for one in every if one["channel"] is None
    ]
    assert greenroom.json("segment", "list", study, "--lacks", "rationale")["segments"] == []


def test_comments(greenroom: Terminal, study: Path) -> None:
    segment = greenroom.json("segment", "list", study, "--annotator", "Annotator 1")["segments"][0]["id"]
    assert greenroom("comment", study, segment) == "No comments.\n"
    (made,) = greenroom.json("comment", study, segment, "--text", "Really?", "--annotator", "Bo")["comments"]
    assert (made["annotator"], made["text"], made["resolved"]) == ("Bo", "Really?", False)
    assert greenroom.json("checklist", study, "--annotator", "Annotator 1")["tasks"][0]["segment"] == segment
    (listed,) = greenroom.json("segment", "list", study, "--unresolved")["segments"]
    assert listed["id"] == segment
    (resolved,) = greenroom.json("comment", study, segment, "--resolve", "--annotator", "Annotator 1")["comments"]
    assert resolved["resolved"] is True
    assert greenroom.json("checklist", study, "--annotator", "Annotator 1")["tasks"] == []
    assert "nothing to do" in greenroom("checklist", study)
