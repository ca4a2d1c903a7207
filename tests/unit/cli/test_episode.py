"""Episodes on the command line: judges play, people type, and a kill loses no turn."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.episodes.episode_state import read_episode_state
from benchmark.judging.judge_registry import add_judge
from project.entities.roleplay import Act
from project.entities.study_records import Json
from project.integrity.integrity_check import check_study
from project.queries.episode_rows import all_episodes
from project.session.session import Session
from project.store.study import Study
from tests.builders.episodes import acts
from tests.builders.misbehaving_server import Server, misbehaving
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "s.greenroom"
    Study.create(path).close()
    yield path
    assert check_study(path) == []


def player(study: Path, server: Server) -> str:
    settings: dict[str, Json] = {"url": server.url, "sees": "text", "tries": 1}
    with Session.open(study, "Ada") as session:
        return add_judge(session, "player", "openai", "fake-1", settings)[0].id


def stocked(greenroom: Terminal, study: Path, kind: str = "stranger") -> None:
    greenroom("episode", "add-character", study, "Anna Berg", "--occupation", "Baker", "--secret", "It is stolen.")
    greenroom("episode", "add-character", study, "Bram Vos", "--occupation", "Teacher", "--secret", "He is broke.")
    greenroom(
        *("episode", "add-scenario", study, "lamp", "--context", "At a flea market.", "--relationship", kind),
        *("--goal", "Sell it for 40.", "--goal", "Pay 30 at most."),
    )


CAST = ("--character", "Anna Berg", "--player", "player", "--character", "Bram Vos", "--player")


def test_two_judges_play_and_are_rated(greenroom: Terminal, study: Path) -> None:
    stocked(greenroom, study)
    with misbehaving(acts("speak", "Forty."), acts("non-verbal", "shakes his head"), acts("leave")) as server:
        player(study, server)
        said = greenroom("episode", "play", study, "--scenario", "lamp", *CAST, "player")
    assert "Anna Berg: Forty." in said
    assert "Bram Vos  *shakes his head*" in said
    assert said.endswith("Recording 1: 3 turns, somebody left.\n")
    (listed,) = greenroom.json("episode", "list", study)["episodes"]
    assert (listed["turns"], listed["ended"], listed["agents"]) == (3, "left", ["Anna Berg", "Bram Vos"])
    shown = greenroom.json("episode", "show", study, 1)
    assert [one["act"] for one in shown["turns"]] == ["speak", "non-verbal", "leave"]
    assert [one["secret"] for one in shown["agents"]] == ["It is stolen.", "He is broke."]
    assert greenroom("episode", "play", study, 1).endswith("3 turns, somebody left.\n")
    greenroom("judge", "add", study, "chance", "--backend", "random")
    assert greenroom.json("episode", "rate", study, "--judge", "chance")["answered"] == 2
    assert greenroom.json("episode", "rate", study, "--judge", "chance")["cached"] == 2


def test_who_types_is_told_what_they_may_know_and_nothing_else(
    greenroom: Terminal, study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stocked(greenroom, study)
    monkeypatch.setattr(sys, "stdin", io.StringIO("Thirty?\n[action] puts the money down\n\n"))
    with misbehaving(acts("speak", "Forty."), acts("none"), acts("speak", "Done.")) as server:
        player(study, server)
        capsys.readouterr()
        from app.cli.main import run

        assert run(["episode", "play", str(study), "--scenario", "lamp", *CAST, "person"]) == 0
        printed = capsys.readouterr()
    told = printed.err + printed.out
    for known in ("At a flea market.", "Pay 30 at most.", "He is broke", "Stranger: Forty.", "Stranger: Done."):
        assert known in told
    for hidden in ("Sell it", "stolen", "Baker", "Anna"):
        assert hidden not in told
    with Session.open(study) as session:
        (episode,) = all_episodes(session.study)
        turns = [episode_turn.turn for episode_turn in read_episode_state(session, episode.recording_id).played_turns]
    assert [turn.act for turn in turns] == [Act.SPEAK, Act.SPEAK, Act.NONE, Act.ACTION, Act.SPEAK]
