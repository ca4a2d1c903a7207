"""Review and adjudication on the command line."""

from pathlib import Path

import pytest

from tests.builders.marked_study import mark, open_study
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 10, 20)
        mark(session, "Bo", 12, 22, "competence")
        mark(session, "Bo", 50, 60)
        return session.study.path


def test_a_review_from_the_list_to_the_lane(study: Path, greenroom: Terminal) -> None:
    listed = greenroom.json("review", "list", study, "--annotator", "Ada")
    assert (listed["done"], listed["total"]) == (0, 2)
    pair, alone = listed["items"]
    assert pair["differs"] == ["Label"]
    (waiting,) = [one["segment"] for one in pair["segments"] if one["waits"]]
    greenroom("review", "decide", study, waiting, "--decision", "disagree", "--annotator", "Ada")
    (left,) = greenroom.json("review", "list", study, "--annotator", "Ada", "--with", "Bo")["items"]
    assert left == alone
    assert "1 of 2 segments reviewed" in greenroom("review", "list", study, "--annotator", "Ada")
    greenroom("review", "decide", study, left["segments"][0]["segment"], "--decision", "agree", "--annotator", "Ada")
    made = greenroom.json("adjudicate", study)
    assert (made["segments"], made["disputed"], made["groups"]) == (1, 1, 2)
    greenroom("review", "withdraw", study, left["segments"][0]["segment"], "--annotator", "Ada")
    assert greenroom.json("review", "list", study, "--annotator", "Ada")["done"] == 1
    assert len(greenroom.json("review", "list", study, "--annotator", "Ada", "--all")["items"]) == 2
