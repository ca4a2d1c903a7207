"""Files of SOTOPIA that are broken, huge or hostile are refused with one line, or read as what they say."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmark.episodes.episode_state import read_episode_state
from benchmark.episodes.sotopia_files import import_file, write_episodes
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.episode_rows import all_episodes
from project.session.session import Session
from project.store.study import Study

HALF = "\ud800"
LONG = "x" * 30_000


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "s.greenroom"
    with Session(Study.create(path), "Ada") as opened:
        yield opened
    assert check_study(path) == []


def episode(**other: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "scenario": "Two people share a bench.",
        "names": ["Mia", "Noah"],
        "personal_info": {"Mia": {"name": "Mia"}, "Noah": {"name": "Noah"}},
        "social_goal": {"Mia": "Sit.", "Noah": "Sit too."},
        "parsed_conversation": [{"speaker": "Mia", "dialogue": '"Hello."'}],
    }
    return usual | other


def named(one: Any, other: Any) -> dict[str, Any]:
    return episode(
        names=[one, other],
        personal_info={str(one): {}, str(other): {}},
        social_goal={str(one): "", str(other): ""},
        parsed_conversation=[{"speaker": one, "dialogue": '"Hello."'}],
    )


def scenario(**other: Any) -> dict[str, Any]:
    return {"scenario": "A bench.", "relationship": 2, "agent_goals": ["Sit.", "Stand."], **other}


def written(folder: Path, *found: object) -> Path:
    path = folder / "in.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in found), "utf-8")
    return path


@pytest.mark.parametrize(
    "found",
    [
        named("Mia", HALF),
        named("Mia", LONG),
        named("Mia", "  "),
        named("Mia", "mia"),
        named("Mia", "Mia"),
        named("Mia", "\x00\x07"),
        episode(names=["Mia", 3]),
        episode(names=["Mia", ["Noah"]]),
        episode(names={"Mia": 1}),
        episode(names=["Mia"]),
        episode(personal_info=[]),
        episode(personal_info={"Mia": {}, "Noah": "x"}),
        episode(social_goal={"Mia": "Sit."}),
        episode(social_goal={"Mia": "Sit.", "Noah": {"deep": 1}}),
        episode(scenario=None),
        episode(scenario=LONG),
        episode(parsed_conversation="Hello"),
        episode(parsed_conversation=[]),
        episode(parsed_conversation=[3]),
        episode(parsed_conversation=[{"speaker": ["Mia"], "dialogue": "x"}]),
        episode(parsed_conversation=[{"speaker": "Eve", "dialogue": "x"}]),
        episode(parsed_conversation=[{"speaker": "Mia", "dialogue": HALF}]),
        episode(parsed_conversation=[{"speaker": "Mia", "dialogue": LONG}]),
        episode(relationship="enemies"),
        episode(relationship=[1]),
        scenario(agent_goals=[HALF, "x"]),
        scenario(agent_goals=[LONG, "x"]),
        scenario(agent_goals=["x", 3]),
        scenario(relationship=77),
        scenario(relationship=True),
        scenario(codename=HALF),
        {"first_name": HALF},
        {"first_name": {"a": 1}},
        {"first_name": "Mia", "age": [1]},
        {},
        [],
        3,
    ],
)
def test_what_cannot_be_an_episode_is_refused_with_its_line(session: Session, tmp_path: Path, found: object) -> None:
    with pytest.raises(UserError) as raised:
        import_file(session, written(tmp_path, found))
    assert "\n" not in raised.value.message
    assert len(raised.value.message) < 500
    assert all_episodes(session.study) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_text("[" * 200_000),
        lambda path: path.write_text('{"parsed_conversation": ' + "[" * 200_000),
        lambda path: path.write_text("[]"),
        lambda path: path.write_text("[3]"),
        lambda path: path.write_text('{"names": ' + "9" * 10_000 + "}"),
        lambda path: path.write_bytes(b"\xff\xfe\x00"),
        lambda path: path.write_bytes(b"\x00" * 1000),
        lambda path: path.write_text("\n \n"),
    ],
)
def test_what_is_no_such_file_is_refused(session: Session, tmp_path: Path, make: Callable[[Path], object]) -> None:
    path = tmp_path / "in.jsonl"
    make(path)
    with pytest.raises(UserError):
        import_file(session, path)


def test_signs_that_some_take_for_the_end_of_a_line_are_part_of_a_text(session: Session, tmp_path: Path) -> None:
    said = "One\u2028two\u0085three\x1cfour"
    path = tmp_path / "in.jsonl"
    line = episode(parsed_conversation=[{"speaker": "Mia", "dialogue": said}], episode="e1")
    path.write_text(json.dumps(line, ensure_ascii=False) + "\r\n", "utf-8")
    assert import_file(session, path).added == 1
    out = tmp_path / "out.jsonl"
    write_episodes(session, out)
    assert import_file(session, out).existing == 1


def test_what_nobody_sees_in_a_text_is_left_out(session: Session, tmp_path: Path) -> None:
    hidden = {"speaker": "Mia", "dialogue": "He\x00llo\u202e there\x1b[31m.\nYou."}
    import_file(session, written(tmp_path, episode(scenario="A\x00 bench\u202e.", parsed_conversation=[hidden])))
    (each_episode,) = all_episodes(session.study)
    assert each_episode.context == "A bench."
    assert read_episode_state(session, each_episode.recording_id).played_turns[0].turn.text == "Hello there[31m.\nYou."


def test_ten_thousand_turns_are_an_episode(session: Session, tmp_path: Path) -> None:
    turns = [{"speaker": ("Mia", "Noah")[at % 2], "dialogue": f'"Turn {at}."'} for at in range(10_000)]
    import_file(session, written(tmp_path, episode(parsed_conversation=turns)))
    (each_episode,) = all_episodes(session.study)
    state = read_episode_state(session, each_episode.recording_id)
    assert state.turn_count == 10_000
    assert state.next_agent is None
