"""`greenroom chain`, as a script uses it."""

from pathlib import Path

import pytest

from annotate.study.people import add_participant
from project.entities.study_records import ParticipantRole
from tests.builders.marked_study import open_study
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        add_participant(session, "P01", ParticipantRole.USER)
        return session.study.path


@pytest.fixture
def drawn(study: Path, greenroom: Terminal) -> tuple[str, list[str]]:
    """A chain of three nodes; the second and the third have a reason."""
    chain = greenroom.json("chain", "add", study, "--recording", "1", "--name", "Late", "--annotator", "Ada")["id"]
    at = ("chain", "node", study, chain, "--text")
    first = greenroom.json(*at, "It rains.", "--kind", "event", "--start", "0", "--end", "0:05")["node"]
    second = greenroom.json(
        *(*at, "She is wet.", "--kind", "event", "--start", "10", "--end", "12.5", "--reason", first)
    )["node"]
    state = ("--kind", "emotion", "--start", "11", "--end", "13", "--who", "P01")
    third = greenroom.json(*at, "She is cross.", *state)["node"]
    greenroom("chain", "edge", study, second, third)
    return chain, [first, second, third]


def test_a_chain_is_drawn_listed_shown_and_counted(
    study: Path, greenroom: Terminal, drawn: tuple[str, list[str]]
) -> None:
    chain, (first, second, third) = drawn
    (listed,) = greenroom.json("chain", "list", study, "--recording", "1")["chains"]
    assert (listed["id"], listed["nodes"], listed["subchains"], listed["steps"]) == (chain, 3, 2, 2)
    assert listed["status"] == "open"
    shown = greenroom.json("chain", "show", study, chain)["node_list"]
    assert [one["reasons"] for one in shown] == [[], [first], [second]]
    assert shown[2]["people"] == ["P01"]
    assert "because of 2" in greenroom("chain", "show", study, chain)
    assert greenroom.json("chain", "check", study)["errors"] == 0
    figures = greenroom.json("chain", "statistics", study)["figures"]
    assert (figures["nodes.emotion"]["value"], figures["nodes.emotion"]["published"]) == (1, 477)
    assert "R3-VQA" in greenroom("chain", "statistics", study)
    assert "create a cycle" in greenroom("chain", "edge", study, third, first, code=2)
    greenroom("chain", "edge", study, first, second, "--remove")
    greenroom("chain", "remove", study, third)
    found = greenroom.json("chain", "check", study, "--chain", chain)
    assert [one["key"] for one in found["problems"]] == ["no_edges"]
    assert found["errors"] == 1
    greenroom("chain", "delete", study, chain)
    assert greenroom("chain", "list", study).strip() == "No chains."
    greenroom("study", "undo", study)
    assert len(greenroom.json("chain", "list", study)["chains"]) == 1


def test_it_goes_out_to_a_file_and_comes_in_again_and_is_reviewed(
    study: Path, greenroom: Terminal, drawn: tuple[str, list[str]], tmp_path: Path
) -> None:
    file, chain = tmp_path / "chains.graphml", drawn[0]
    said = greenroom("chain", "export", study, "--out", file)
    assert "Wrote 1 chain" in said
    assert "personal" in said
    greenroom("chain", "export", study, "--out", file, code=2)
    greenroom("chain", "export", study, "--out", file, "--force", "--chain", chain)
    (made,) = greenroom.json("chain", "import", study, file, "--annotator", "Bo")["chains"]
    nodes = greenroom.json("chain", "show", study, made)
    assert (nodes["annotator"], nodes["name"], nodes["steps"]) == ("Bo", "Late", 2)
    greenroom("chain", "review", study, chain, "--decision", "agree", "--annotator", "Ada", code=2)
    greenroom("chain", "review", study, chain, "--decision", "change", "--note", "No.", "--annotator", "Bo")
    standings = {one["id"]: one["status"] for one in greenroom.json("chain", "list", study)["chains"]}
    assert standings == {chain: "change", made: "open"}
    greenroom("chain", "review", study, chain, "--withdraw", "--annotator", "Bo")
    greenroom("chain", "review", study, chain, "--annotator", "Bo", code=2)
    assert greenroom.json("chain", "statistics", study)["figures"]["chains"]["value"] == 2
