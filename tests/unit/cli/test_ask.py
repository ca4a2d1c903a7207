"""`greenroom judge` and `greenroom judge ask`, as somebody types them."""

from pathlib import Path
from typing import Any

import pytest

from project.queries.judgment_rows import reveals
from project.session.session import Session
from tests.builders.marked_study import mark, open_study
from tests.builders.misbehaving_server import fails, misbehaving, says
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        for at in (10, 20, 30):
            mark(session, "Ada", at, at * 1.2, attributes=["norms"], channel="verbal", rationale="r", correction="c")
    return tmp_path / "pair.greenroom"


def test_judges_are_added_changed_listed_and_removed(study: Path, greenroom: Terminal) -> None:
    greenroom("judge", "add", study, "gpt", "--backend", "openai", "--model", "m", "--url", "https://a.example/v1")
    (one,) = greenroom.json("judge", "list", study)["judges"]
    assert (one["name"], one["address"], one["key"], one["key_variable"]) == (
        "gpt",
        "https://a.example",
        "",
        "GREENROOM_KEY_GPT",
    )
    greenroom(
        *("judge", "add", study, "gpt", "--backend", "openai", "--model", "n"),
        *("--url", "https://a.example/v1", "--frames", "4", "--replace"),
    )
    (changed,) = greenroom.json("judge", "list", study)["judges"]
    assert (changed["id"], changed["model"], changed["settings"]["frames"]) == (one["id"], "n", 4)
    greenroom("judge", "remove", study, "gpt")
    assert greenroom.json("judge", "list", study) == {"judges": []}
    greenroom("study", "undo", study)
    assert len(greenroom.json("judge", "list", study)["judges"]) == 1


def test_answers_stand_side_by_side_and_come_from_the_study_the_next_time(study: Path, greenroom: Terminal) -> None:
    with misbehaving(says('{"label": "competence"}')) as server:
        greenroom(
            *("judge", "add", study, "stub", "--backend", "openai", "--model", "fake-1"),
            *("--url", server.url, "--sees", "text"),
        )
        greenroom("judge", "add", study, "knows", "--backend", "oracle")
        said = greenroom("judge", "ask", study, "--all", "--task", "verdict", "--as", "Ada")
        assert said.count("Ada: error") == 3
        assert said.count("competence") == 3
        assert "6 answers" in said
        found = greenroom.json("judge", "ask", study, "--label", "error", "--task", "verdict", "--as", "Ada")
        assert len(server.asked) == 3
    assert (found["cached"], found["answered"], len(found["judgments"])) == (6, 0, 6)
    assert {one["answer"]["label"] for one in found["judgments"] if one["judge"] == "knows"} == {"error"}
    assert all(one["cached"] and not one["hidden"] for one in found["judgments"])
    with Session.open(study, read_only=True) as session:
        assert {kept.segment_id for kept in reveals(session.study)} == {one["segment"] for one in found["judgments"]}


def test_what_the_policy_forbids_ends_with_two_and_names_the_rule(study: Path, greenroom: Terminal) -> None:
    greenroom("judge", "add", study, "far", "--backend", "openai", "--model", "m", "--url", "https://a.example/v1")
    said = greenroom("judge", "ask", study, "--all", "--task", "verdict", code=2)
    assert "(rule nothing-leaves)" in said
    greenroom("judge", "add", study, "knows", "--backend", "oracle")
    found: dict[str, Any] = greenroom.json("judge", "ask", study, "--all", "--task", "verdict")
    assert [(one["judge"], one["rule"]) for one in found["notes"]] == [("far", "nothing-leaves")]
    assert found["answered"] == 3
    greenroom("judge", "remove", study, "far")
    greenroom("judge", "add", study, "Ada", "--backend", "person")
    told = greenroom.json("judge", "ask", study, "--all", "--task", "verdict", "--as", "Ada")
    assert ({one["judge"] for one in told["judgments"]}, told["notes"]) == ({"knows"}, []), "all judges but people"


def test_the_file_of_a_local_judge_is_found_from_everywhere(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal
) -> None:
    for name in ("m.gguf", "p.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    monkeypatch.chdir(tmp_path)
    files = ("--model", "m.gguf", "--projector", "p.gguf")
    greenroom("judge", "add", study, "local", "--backend", "llama-cpp", *files)
    greenroom("judge", "add", study, "gone", "--backend", "llama-cpp", "--model", "gone.gguf")
    gone, local = greenroom.json("judge", "list", study)["judges"]
    assert (local["model"], local["settings"]["projector"]) == (str(tmp_path / "m.gguf"), str(tmp_path / "p.gguf"))
    assert gone["model"] == "gone.gguf"


def test_answers_stay_hidden_from_who_has_not_said_their_own_but_not_why_a_judge_failed(
    study: Path, greenroom: Terminal
) -> None:
    greenroom("judge", "add", study, "knows", "--backend", "oracle")
    with misbehaving(fails(401, "who are you?")) as server:
        greenroom("judge", "add", study, "shut", "--backend", "openai", "--model", "m", "--url", server.url)
        told = greenroom("judge", "ask", study, "--all", "--task", "verdict", "--as", "Bo")
    assert told.count("(error)") == told.count("wants a key") == 3
    assert told.count("(hidden)") == 3
    hidden = greenroom.json("judge", "ask", study, "--all", "--task", "verdict", "--as", "Bo", "--judge", "knows")[
        "judgments"
    ]
    assert [judgment["answer"] for judgment in hidden if judgment["hidden"]] == [{}] * 3
