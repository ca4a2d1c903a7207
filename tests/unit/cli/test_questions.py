"""`greenroom question` and `consistency`: made, worded, filtered, verified, measured, exported."""

from pathlib import Path
from typing import Any

import pytest

from benchmark.judging.judge_registry import add_judge
from project.entities.causal_chains import Chain, ChainNode, Edge, NodeKind
from project.entities.judgments import JudgmentStatus
from project.queries.chain_rows import insert_chain, insert_edges, insert_nodes
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK, open_study, person
from tests.builders.misbehaving_server import misbehaving, says
from tests.builders.question_dataset import asked_study
from tests.builders.question_study import ask
from tests.builders.questions_said import GPT, ask_about, pass_all, said
from tests.builders.terminal import Terminal
from tests.builders.worded_questions import GOOD, scripted

PAIRS = (
    ("calls a taxi", "is relieved"),
    ("finds a coin", "is delighted"),
    ("cuts a finger", "is frightened"),
    ("loses a bet", "is furious"),
    ("hears thunder", "is curious"),
    ("drops a plate", "is ashamed"),
)


@pytest.fixture
def chains(tmp_path: Path) -> Path:
    """A study with six recordings, in each of which an event is the reason of a feeling."""
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


def test_questions_are_made_listed_and_taken_back(chains: Path, greenroom: Terminal) -> None:
    made = greenroom.json("question", "make", chains)
    assert made["by_kind"] == {"EU": 6, "MSE": 6, "CW": 6, "CH/W": 6}
    assert made["skipped"] == {}
    listed = greenroom.json("question", "list", chains, "--kind", "CW")
    assert listed["by_kind"] == {"CW": 6}
    for one in listed["questions"]:
        assert one["options"]["ABCDE".index(one["letter"])] == one["answer"]
        assert one["status"] == "open"
    text = greenroom("question", "list", chains, "--chain", "c0")
    assert text.count("* ") == 4
    assert "4 questions" in text
    again = greenroom.json("question", "make", chains, "--kind", "EU", "--steps")
    assert again["by_kind"] == {"EU": 0, "multi-step": 0}
    assert again["skipped"] == {"It is there already.": 6}
    greenroom("study", "undo", chains)
    assert greenroom.json("question", "list", chains)["questions"] == []


def test_consistency_says_what_counts_and_puts_published_rows_beside(chains: Path, greenroom: Terminal) -> None:
    greenroom("question", "make", chains)
    greenroom("judge", "add", chains, "oracle", "--backend", "oracle")
    greenroom("question", "ask", chains, "--judge", "oracle", "--all")
    assert "24 that are not verified do not count" in greenroom("question", "consistency", chains)
    text = greenroom("question", "consistency", chains, "--all")
    (row,) = [line for line in text.splitlines() if line.startswith("oracle")]
    assert row.split()[-7:] == ["100.0"] * 7
    assert "Human" in text
    assert "ESI-Bench" in text or "R3-VQA" in text
    found = greenroom.json("question", "consistency", chains, "--all", "--judge", "oracle", "--samples", "0")
    (oracle,) = found["judges"]
    assert oracle["chain"]["value"] == oracle["subchain"]["value"] == 1
    assert ([*map(len, found["sizes"])], found["questions"]) == ([6, 6], 24)


FOUR = {**GOOD, "dimension": "IFA"}


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        return session.study.path


def judge(talk: Path, name: str, url: str) -> None:
    with Session.open(talk, "Ada") as session:
        add_judge(session, name, "openai", "fake", {"url": url, "sees": "text", "tries": 1})


def test_questions_of_a_recording_are_made_once_and_what_cannot_be_used_or_asked_is_told(
    talk: Path, greenroom: Terminal
) -> None:
    told = ("question", "esi", talk, "--recording", "1", "--rounds", "1", "--each", "1")
    with misbehaving(scripted(lambda _: FOUR)) as server:
        judge(talk, "one", server.url)
        assert greenroom.json(*told)["by_kind"] == {"ESI": 1}
        assert greenroom.json(*told)["skipped"] == {"It is there already.": 1}
    with misbehaving(scripted(lambda _: {**FOUR, "wrong_1": FOUR["answer"]})) as server:
        judge(talk, "other", server.url)
        made = greenroom.json(*told, "--judge", "other")
        assert made["skipped"] == {"The answer is among the wrong options.": 1}
    judge(talk, "far", "https://a.example/v1")
    command = ("question", "esi", talk, "--recording", "1", "--judge", "far")
    assert "(rule nothing-leaves)" in greenroom(*command, code=2)


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        made = ask_about(session, 4)
        pass_all(session, made[:2])
        pass_all(session, made[2:3], GPT, {"truth": 1})
        said(session, made[3], GPT, "review_score", {}, status=JudgmentStatus.REFUSED)
    return tmp_path / "pair.greenroom"


def counts(found: dict[str, Any]) -> dict[str, tuple[int, int, int, int]]:
    return {one["step"]: (one["in"], one["kept"], one["fell"], one["open"]) for one in found["steps"]}


def test_the_funnel_is_printed_limits_are_set_and_steps_decide_until_that_is_undone(
    scored: Path, greenroom: Terminal
) -> None:
    before = scored.read_bytes()
    found = greenroom.json("question", "filter", scored)
    funnel = counts(found)
    assert [funnel[step] for step in ("duplicates", "review", "truth", "stability")] == [
        (4, 4, 0, 0),
        (4, 3, 0, 1),
        (3, 2, 1, 0),
        (2, 2, 0, 0),
    ]
    assert found["survive"] == ["question-00000", "question-00001"]
    assert (found["deciding"], found["go_on"]) == ([], 4)
    text = greenroom("question", "filter", scored)
    assert "2 of 4 questions survive." in text
    assert "fell  question-00002  gpt 1" in text
    assert "open  question-00003  gpt refused" in text
    assert scored.read_bytes() == before, "nothing is asked or changed"
    found = greenroom.json("question", "filter", scored, "--step", "truth", "--set", "truth=1", "--drop")
    assert counts(found) == {"truth": (4, 3, 0, 1)}
    assert (found["deciding"], found["go_on"]) == (["truth"], 3)
    assert greenroom.json("question", "filter", scored)["go_on"] == 3
    greenroom("study", "undo", scored)
    assert greenroom.json("question", "filter", scored)["deciding"] == []
    assert greenroom.json("question", "filter", scored, "--drop")["go_on"] == 3
    assert greenroom.json("question", "filter", scored, "--no-drop")["go_on"] == 4


def test_harder_options_are_taken_over(scored: Path, greenroom: Terminal) -> None:
    harder = ", ".join(
        f'"wrong_{at}": "Ana {does}."' for at, does in enumerate(("nods", "waves", "frowns", "yawns"), 1)
    )
    likely = ", ".join(f'"plausibility_{at}": {10 * at}' for at in range(1, 5))
    with misbehaving(says(f"{{{harder}, {likely}}}")) as server:
        judge(scored, "stub", server.url)
        found = greenroom.json("question", "filter", scored, "--step", "distractors", "--judge", "stub", "--harden")
    assert found["taken_over"] == 4


def test_a_judge_that_the_policy_forbids_is_named_and_its_questions_stay_open(
    scored: Path, greenroom: Terminal
) -> None:
    greenroom(
        *("judge", "add", scored, "far", "--backend", "openai", "--model", "m"),
        *("--url", "https://api.example.com/v1", "--sees", "text"),
    )
    said_ = greenroom("question", "filter", scored, "--step", "relevance", "--judge", "far", code=2)
    assert "far: " in said_
    assert "nothing-leaves" in said_
    greenroom("judge", "add", scored, "always 3", "--backend", "constant", "--says", "3")
    found = greenroom.json(
        *("question", "filter", scored, "--step", "relevance", "--judge", "far", "--judge", "always 3")
    )
    assert found["asked"]["answered"] == 4
    assert [one["rule"] for one in found["asked"]["notes"]] == ["nothing-leaves"]
    assert counts(found) == {"relevance": (4, 4, 0, 0)}


@pytest.fixture
def queued(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        session.annotator_name = "Ada"
        ask(session)
        ask(session, "What does he do?", start=30)
        add_judge(session, "first", "constant")
        add_judge(session, "knows", "oracle")
        return session.study.path


def test_two_people_verify_and_judges_are_asked_what_is_verified(queued: Path, greenroom: Terminal) -> None:
    queue = greenroom.json("question", "queue", queued, "--annotator", "Ada")["questions"]
    first, second = (question["id"] for question in queue)
    verify, asking = ("question", "verify", queued), ("question", "ask", queued, "--judge", "knows")
    checks = [f"--check={text}" for text in ("by_rules", "times_right", "covers")]
    assert "missing: one_right" in greenroom(*verify, first, "--keep", *checks, code=2)
    keep = ("--keep", "--check", "all", "--difficulty", "hard")
    assert greenroom.json(*verify, first, *keep, "--annotator", "Ada")["status"] == "once"
    label = greenroom.json("question", "status", queued)["by_question"][first]["difficulty"]
    assert label == "", "who has not looked yet is not told what another person said"
    assert greenroom.json(*verify, first, *keep, "--annotator", "Bo")["status"] == "verified"
    greenroom(*verify, second, "--drop", "--note", "Two are right", "--annotator", "Ada")
    told = greenroom.json("question", "status", queued)
    assert told["statuses"] == {"open": 0, "once": 1, "verified": 1, "disputed": 0, "dropped": 0}
    assert told["by_question"][first]["difficulty"] == "hard"
    assert told["agreement"]["decision"]["raw"] == 1.0
    assert "verified: 1" in greenroom("question", "status", queued).lower()
    asked = greenroom.json(*asking)
    assert (asked["questions"], asked["cached"]) == (1, 0)
    assert greenroom.json(*asking, "--all")["questions"] == 2
    assert greenroom.json("question", "ask", queued, first, "--judge", "first", "--setting", "text")["questions"] == 1
    (judge,) = greenroom.json("question", "consistency", queued, "--judge", "knows")["judges"]
    assert (judge["setup"]["judge"], judge["asked"], judge["overall"]["value"]) == ("knows", 1, 1.0)


def test_a_question_is_written_and_tried(queued: Path, greenroom: Terminal) -> None:
    wrong = [part for text in ("She is tired", "He left", "It rains", "They won") for part in ("--wrong", text)]
    words = ("--question", "Why does she laugh?", "--answer", "He joked", *wrong, "--annotator", "Ada")
    write = ("question", "write", queued, "--recording", WALK, "--from", "12", "--to", "20", *words)
    assert "Explain" in greenroom(*write, "--explanation", " ", code=2)
    made = greenroom.json(*write, "--explanation", "She looks at him")["id"]
    trying = ("question", "try", queued, made, "--judge")
    told = greenroom.json(*trying, "first", "--annotator", "Ada")
    assert told["kept"] is (told["answers"][0]["letter"] != told["right"])
    assert not greenroom.json(*trying, "knows", "--annotator", "Ada")["kept"]
    assert "Another annotator wrote" in greenroom(*trying, "first", "--annotator", "Bo", code=2)


def test_a_set_is_written_and_counted(tmp_path: Path, greenroom: Terminal) -> None:
    with asked_study(tmp_path) as session:
        study = session.study.path
    out = tmp_path / "out"
    assert "--confirm" in greenroom("question", "export", study, "--out", out, code=2)
    assert not out.exists()
    texts = greenroom.json("question", "texts", study)
    assert texts["confirmed_by"] is None
    assert {"question", "option A", "chain", "event"} <= {text["place"] for text in texts["texts"]}
    assert "Read by Ada" in greenroom("question", "texts", study, "--confirm", "--annotator", "Ada")
    made = greenroom.json("question", "export", study, "--out", out, "--format", "vlmevalkit", "--seed", "7")
    assert (made["questions"], made["by_kind"], made["left_out"]) == (27, {"CW": 27}, {})
    assert sum(made["by_split"].values()) == 27
    there = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert made["files"] == there
    assert "vlmevalkit/questions.tsv" in there
    assert "not empty" in greenroom("question", "export", study, "--out", out, code=2)
    assert "not a release" in greenroom("question", "export", study, "--out", tmp_path / "x", "--release", out, code=2)
    assert "Fill in DATACARD" in greenroom("question", "export", study, "--out", tmp_path / "y")
