"""Meta information from the command line: written, suggested, shown, exported without hold-outs."""

import json
from pathlib import Path

import pytest

from benchmark.judging.judge_registry import add_judge
from project.entities.questions import SummarySource
from project.queries.question_rows import contradictions_in, summaries_of
from project.queries.recording_rows import set_hold_out
from project.session.session import Session
from tests.builders.scene_study import R, answered, open_room
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> str:
    with open_room(tmp_path) as session:
        return str(session.study.path)


def test_every_part_is_written_and_shown(greenroom: Terminal, study: str, tmp_path: Path) -> None:
    text = tmp_path / "words.txt"
    text.write_text("They greet each other.\n", "utf-8")
    said = greenroom(
        *("meta", "set", study, "--recording", "1", "--annotator", "Ada"),
        *("--look", "Ann.clothing=red coat", "--summary", f"words=@{text}"),
        *("--contradiction", "Who waves?", "--settle", "1=Ann.", "--voice-over", "11"),
    )
    assert said == "Changed 5 parts.\n"
    shown = greenroom("meta", "show", study, "--recording", "1")
    assert shown.splitlines() == [
        "Ann: red coat",
        "2.00-4.00 s Ann: Hello there",
        "10.00-14.00 s (Voice-over)",
        "15.00-18.00 s Bo: Well well",
        "Summary from words:",
        "They greet each other.",
        "Contradiction 1 (settled): Who waves? Ann.",
    ]
    found = json.loads(greenroom("meta", "show", study, "--recording", "1", "--json"))
    assert found["people"][0]["looks"] == {"clothing": "red coat"}
    assert [one["text"] for one in found["voice_over"]] == ["Years later they met again"]


def test_judges_suggest_and_the_newest_answer_is_taken_over(greenroom: Terminal, study: str) -> None:
    with Session.open(Path(study), "Ada") as session:
        add_judge(session, "echo", "constant", "", {})
        answered(session, "words_summary", {"summary": "They meet."})
    arguments = ("meta", "suggest", study, "--recording", "1", "--part", "words_summary")
    said = json.loads(greenroom(*arguments, "--accept", "--annotator", "Ada", "--json"))
    (part,) = said["parts"]
    assert part["part"] == "words_summary"
    assert part["new"] == 1
    assert part["taken"] == 1
    with Session.open(Path(study), read_only=True) as session:
        assert summaries_of(session.study, R)[SummarySource.WORDS].text != "They meet."
        assert contradictions_in(session.study, R) == []
    again = json.loads(greenroom(*arguments, "--json"))
    assert again["parts"][0]["new"] == 0
    assert "--annotator" in greenroom(*arguments, "--accept", code=2)


def test_files_are_written_without_hold_outs_and_scrubbed(greenroom: Terminal, study: str, tmp_path: Path) -> None:
    greenroom("words", study, "--set", "Hello=P99")
    out = tmp_path / "meta"
    greenroom("meta", "export", study, "--out", str(out), "--scrubbed")
    told = (out / "0001.meta.json").read_text("utf-8")
    assert "Hello" not in told
    assert json.loads(told)["speech"][0]["text"].startswith("P99")
    assert "exists already" in greenroom("meta", "export", study, "--out", str(out), code=2)
    assert "Hello there" in greenroom("meta", "show", study, "--recording", "1")
    with Session.open(Path(study), "Ada") as session, session.step("Hold out"):
        set_hold_out(session.study, R, True)
    assert "held out" in greenroom("meta", "export", study, "--recording", "1", "--out", str(tmp_path / "no"), code=2)
    assert not (tmp_path / "no").exists()
