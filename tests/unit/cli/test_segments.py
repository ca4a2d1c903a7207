"""Segments on the command line: found, commented, compared, reviewed, and what judges said beside them."""

from pathlib import Path

import pytest

from annotate.blinding.reveals import reveal
from annotate.segments.segment_edits import set_label
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.judgments import judged
from tests.builders.marked_study import mark, open_study
from tests.builders.terminal import Terminal


@pytest.fixture
def synthetic(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=4, segments=60)
    return tmp_path / "lab.greenroom"


def test_search(greenroom: Terminal, synthetic: Path) -> None:
    found = greenroom.json("study", "search", synthetic, "interrup", "the agent")
    assert found["found"] == len(found["hits"]) > 0
    for hit in found["hits"]:
        text, marks = hit["excerpt"]["text"], hit["excerpt"]["marks"]
        assert {text[start:end].lower()[:6] for start, end in marks} <= {"the ag", "interr"}
    assert greenroom("study", "search", synthetic, "agent", "--limit", "1").count("\n") == 2
    assert "Nothing found" in greenroom("study", "search", synthetic, "zeppelin")
    assert greenroom.json("study", "search", synthetic, '")(*^:')["hits"] == []


def test_conditions_of_the_list(greenroom: Terminal, synthetic: Path) -> None:
    every = greenroom.json("segment", "list", synthetic)["segments"]
    errors = greenroom.json("segment", "list", synthetic, "--label", "error")["segments"]
    assert errors == [one for one in every if one["verdict"] == "error"]
    either = ("--field", "attributes=norms", "--field", "attributes=emotions", "--annotator", "Annotator 1")
    chosen = greenroom.json("segment", "list", synthetic, *either)["segments"]
    assert chosen == [
        one
        for one in every
        if one["annotator"] == "Annotator 1" and {"norms", "emotions"} & {*(one["attributes"] or [])}
    ]
    assert 0 < len(chosen) < len(every)
    assert greenroom.json("segment", "list", synthetic, "--field", "channel=", "--complete")["segments"] == [
        one for one in every if one["channel"] is None
    ]
    assert greenroom.json("segment", "list", synthetic, "--lacks", "rationale")["segments"] == []


def test_agreement_is_one_object_with_what_was_asked_for_and_for_people_a_line_a_figure(
    synthetic: Path, greenroom: Terminal
) -> None:
    asked = ("--minimum-iou", "0.5", "--step-ms", "500", "--samples", "20", "--recording", "1", "--recording", "2")
    found = greenroom.json("team", "agreement", synthetic, *asked)
    assert found["settings"]["options"]["minimum_iou"] == 0.5
    assert found["settings"]["recordings"] == 2
    assert found["main"]["cohen_kappa"]["more"]["step_ms"] == 500
    figure = found["main"]["overlap_share"]
    assert figure["low"] <= figure["value"] <= figure["high"]
    said = greenroom("team", "agreement", synthetic, "--pair", "Annotator 1", "Annotator 2", "--samples", "20")
    assert "Cohen's kappa on the time grid" in said
    assert "Nobody has reviewed" in said


def test_comments(greenroom: Terminal, synthetic: Path) -> None:
    segment = greenroom.json("segment", "list", synthetic, "--annotator", "Annotator 1")["segments"][0]["id"]
    assert greenroom("segment", "comment", synthetic, segment) == "No comments.\n"
    (made,) = greenroom.json("segment", "comment", synthetic, segment, "--text", "Really?", "--annotator", "Bo")[
        "comments"
    ]
    assert (made["annotator"], made["text"], made["resolved"]) == ("Bo", "Really?", False)
    assert (
        greenroom.json("study", "checklist", synthetic, "--annotator", "Annotator 1")["tasks"][0]["segment_id"]
        == segment
    )
    (listed,) = greenroom.json("segment", "list", synthetic, "--unresolved")["segments"]
    assert listed["id"] == segment
    (resolved,) = greenroom.json("segment", "comment", synthetic, segment, "--resolve", "--annotator", "Annotator 1")[
        "comments"
    ]
    assert resolved["resolved"] is True
    assert greenroom.json("study", "checklist", synthetic, "--annotator", "Annotator 1")["tasks"] == []
    assert "nothing to do" in greenroom("study", "checklist", synthetic)


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 10, 20)
        mark(session, "Bo", 12, 22, "competence")
        mark(session, "Bo", 50, 60)
        return session.study.path


def test_a_review_from_the_list_to_the_lane(marked: Path, greenroom: Terminal) -> None:
    reviews = ("team", "review", "list", marked, "--annotator", "Ada")
    pair, alone = greenroom.json(*reviews)["items"]
    assert pair["differs"] == ["Label"]
    (waiting,) = [one["segment"] for one in pair["segments"] if one["waits"]]
    greenroom("team", "review", "decide", marked, waiting, "--decision", "disagree", "--annotator", "Ada")
    assert greenroom.json(*reviews, "--with", "Bo")["items"] == [alone]
    assert "1 of 2 segments reviewed" in greenroom(*reviews)
    left = alone["segments"][0]["segment"]
    greenroom("team", "review", "decide", marked, left, "--decision", "agree", "--annotator", "Ada")
    made = greenroom.json("team", "adjudicate", marked)
    assert (made["segments"], made["disputed"], made["groups"]) == (1, 1, 2)
    greenroom("team", "review", "withdraw", marked, left, "--annotator", "Ada")
    assert greenroom.json(*reviews)["done"] == 1
    assert len(greenroom.json(*reviews, "--all")["items"]) == 2


WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


def test_who_revised_what_is_listed_for_who_may_see_it(tmp_path: Path, greenroom: Terminal) -> None:
    with open_study(tmp_path) as session:
        study = str(session.study.path)
        made = mark(session, "Ada", 62, 70, "competence", **WHOLE)
        judged(session, made, "Model A", label="error")
        reveal(session, made)
        set_label(session, [made], "error")
    said = greenroom("judge", "revisions", study, "--annotator", "Ada").splitlines()
    assert said == [
        "Ada saw judges on 1 segment and revised 1, now agreeing with Model A (1).",
        "Ada  1  0:01:02.000  Label: Competence -> Error  now agrees with Model A",
    ]
    said = greenroom("judge", "revisions", study, "--annotator", "Bo").splitlines()
    assert said[1:] == ["1 revision hidden, because your own is not complete there yet."]
    assert '{"blind_first": true}' in greenroom("judge", "blind", study, "--json")
    assert '{"blind_first": false}' in greenroom("judge", "blind", study, "off", "--annotator", "Ada", "--json")
    greenroom("study", "undo", study)
    assert "is hidden" in greenroom("judge", "blind", study)
