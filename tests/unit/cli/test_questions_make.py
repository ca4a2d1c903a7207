"""Making questions, listing them and measuring judges on the command line."""

from pathlib import Path

import pytest

from project.entities.causal_chains import Chain, ChainNode, Edge, NodeKind
from project.queries.chain_rows import insert_chain, insert_edges, insert_nodes
from tests.builders.marked_study import SECOND, open_study, person
from tests.builders.terminal import Terminal

PAIRS = (
    ("calls a taxi", "is relieved"),
    ("finds a coin", "is delighted"),
    ("cuts a finger", "is frightened"),
    ("loses a bet", "is furious"),
    ("hears thunder", "is curious"),
    ("drops a plate", "is ashamed"),
)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return a study with six recordings, in each of which an event is the reason of a feeling."""
    with open_study(tmp_path, recordings=len(PAIRS)) as session:
        with session.step("Draw"):
            for at, (event, feeling) in enumerate(PAIRS):
                home = "walk" if at == 0 else f"walk {at + 1}"
                insert_chain(session.study, Chain(f"c{at}", home, person(session, "Ada").id, ""))
                insert_nodes(
                    session.study,
                    [
                        ChainNode(f"a{at}", f"c{at}", NodeKind.EVENT, event, 0, SECOND),
                        ChainNode(f"b{at}", f"c{at}", NodeKind.EMOTION, feeling, SECOND, 2 * SECOND),
                    ],
                )
                insert_edges(session.study, [Edge(f"a{at}", f"b{at}")])
        return session.study.path


def test_questions_are_made_listed_and_taken_back(study: Path, greenroom: Terminal) -> None:
    made = greenroom.json("questions", "make", study)
    assert made["by_kind"] == {"EU": 6, "MSE": 6, "CW": 6, "CH/W": 6}
    assert made["skipped"] == {}
    listed = greenroom.json("questions", "list", study, "--kind", "CW")
    assert listed["by_kind"] == {"CW": 6}
    for one in listed["questions"]:
        assert one["options"]["ABCDE".index(one["letter"])] == one["answer"]
        assert one["standing"] == "open"
    text = greenroom("questions", "list", study, "--chain", "c0")
    assert text.count("* ") == 4
    assert "4 questions" in text
    again = greenroom.json("questions", "make", study, "--kind", "EU", "--steps")
    assert again["by_kind"] == {"EU": 0, "multi-step": 0}
    assert again["skipped"] == {"It is there already.": 6}
    greenroom("undo", study)
    assert greenroom.json("questions", "list", study)["questions"] == []


def test_consistency_says_what_counts_and_puts_published_rows_beside(study: Path, greenroom: Terminal) -> None:
    greenroom("questions", "make", study)
    greenroom("judge", "add", study, "oracle", "--backend", "oracle")
    greenroom("questions", "ask", study, "--judge", "oracle", "--all")
    assert "24 that are not verified do not count" in greenroom("consistency", study)
    text = greenroom("consistency", study, "--all")
    (row,) = [line for line in text.splitlines() if line.startswith("oracle")]
    assert row.split()[-7:] == ["100.0"] * 7
    assert "Human" in text
    assert "ESI-Bench" in text or "R3-VQA" in text
    found = greenroom.json("consistency", study, "--all", "--judge", "oracle", "--samples", "0")
    (oracle,) = found["judges"]
    assert oracle["chain_consistency"]["value"] == oracle["subchain_consistency"]["value"] == 1
    assert (found["chains"], found["subchains"], found["questions"]) == (6, 6, 24)
