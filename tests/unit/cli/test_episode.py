"""Episodes on the command line: judges play, people type, and a kill loses no turn."""

import io
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from benchmark.episodes.episode_state import read_episode_state
from benchmark.judging.judge_registry import add_judge
from benchmark.prompts.episode_prompts import ACT_TASK, turn_part
from project.entities.roleplay import Act
from project.entities.study_records import Json
from project.integrity.integrity_check import check_study
from project.queries.episode_rows import all_episodes
from project.queries.judgment_rows import judgments_about
from project.session.session import Session
from project.store.study import Study
from tests.builders.episodes import acts, started
from tests.builders.misbehaving_server import Server, misbehaving, waits
from tests.builders.terminal import Terminal
from tests.contract.documentation import ROOT


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


@pytest.mark.soak
def test_a_kill_loses_no_turn_and_no_judge_is_asked_twice(study: Path) -> None:
    limit, chance = 14, random.Random(7)
    said = [waits(0.02, acts("speak", f"Line {number}.")) for number in range(200)]
    command = f"from app.cli.main import run; run(['episode', 'play', {str(study)!r}, '1'])"
    with misbehaving(*said) as server:
        who = player(study, server)
        with Session.open(study, "Ada") as session:
            recording = started(session, who, who, limit=limit)
        kills, before = 0, 0
        while True:
            child = subprocess.Popen([sys.executable, "-c", command], cwd=ROOT, stdout=subprocess.DEVNULL)
            # Some moments after the next few requests have come; what is over by then was not killed.
            wanted = before + chance.randint(1, 3)
            while len(server.asked) < wanted and child.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    child.wait(0.005)
            try:
                child.wait(chance.uniform(0, 0.08))
            except subprocess.TimeoutExpired:
                child.kill()
                kills += 1
                child.wait()
            with Session.open(study, "Ada") as session:
                state = read_episode_state(session, recording)
                answers = judgments_about(session.study, recording, {ACT_TASK})
            before = len(server.asked)
            # What was answered is kept, and at most the request that was under way is asked again.
            assert len(answers) <= before <= len(answers) + kills
            assert state.turn_count in (len(answers), len(answers) - 1)
            if state.next_agent is None:
                break
    assert kills >= limit // 5
    parts = [answer.part for answer in answers]
    assert sorted(parts) == sorted(turn_part((number - 1) % 2, number) for number in range(1, limit + 1))
    texts = {answer.part: answer.answer["text"] for answer in answers}
    assert [episode_turn.turn.text for episode_turn in state.played_turns] == [
        texts[turn_part((number - 1) % 2, number)] for number in range(1, limit + 1)
    ]
