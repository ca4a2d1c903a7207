"""Episodes are played turn by turn, and each agent is told what it may know and nothing else."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from annotate.study.recording_edits import undo
from benchmark.episodes.episode_runs import TurnResult, add_turn, ask_turn, play_episode, prepare_turn
from benchmark.episodes.episode_state import read_episode_state
from benchmark.judging.judge_registry import add_judge
from benchmark.prompts.episode_prompts import ACT_TASK
from project.entities.roleplay import Act, AgentTurn, EpisodeEnd, Relationship
from project.entities.study_records import ConsentUse, Json
from project.errors import UserError
from project.queries.episode_rows import set_episode
from project.queries.judgment_rows import judgments_about
from project.queries.recording_rows import consents, participants_in
from project.session.session import Session
from tests.builders.episodes import ANNA, BRAM, GOALS, SCENE, acts, started
from tests.builders.misbehaving_server import Server, fails, misbehaving, says


def judge(session: Session, server: Server, name: str = "player") -> str:
    settings: dict[str, Json] = {"url": server.url, "sees": "text", "tries": 1}
    return add_judge(session, name, "openai", "fake-1", settings)[0].id


def nobody(_state: Any) -> AgentTurn | None:
    raise AssertionError("nobody is at the keyboard")


def turns(session: Session, recording: str) -> list[tuple[str, Act, str]]:
    played = read_episode_state(session, recording).played_turns
    return [(each.agent.profile.name, each.turn.act, each.turn.text) for each in played]


def test_two_judges_play_in_turns_until_one_leaves(session: Session) -> None:
    said = (acts("speak", "Forty, and it is yours."), acts("non-verbal", "shakes his head"), acts("leave", "Bye."))
    with misbehaving(*said) as server:
        who = judge(session, server)
        recording = started(session, who, who)
        told: list[TurnResult] = []
        state = play_episode(session, recording, nobody, told.append)
        assert len(server.asked) == 3
    assert turns(session, recording) == [
        ("Anna Berg", Act.SPEAK, "Forty, and it is yours."),
        ("Bram Vos", Act.NONVERBAL, "shakes his head"),
        ("Anna Berg", Act.LEAVE, "Bye."),
    ]
    assert (state.episode.ended, state.next_agent) == (EpisodeEnd.LEFT, None)
    assert [result.failure_reason for result in told] == ["", "", ""]
    with pytest.raises(UserError, match="over"):
        add_turn(session, recording, 1, AgentTurn(Act.SPEAK, "Wait!"))
    here = session.recording(recording)
    spans = [(each.utterance.start_us, each.utterance.end_us) for each in state.played_turns]
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert here.duration_us == spans[-1][1]


def test_it_ends_at_the_limit_of_turns_and_another_seed_is_another_episode(session: Session) -> None:
    with misbehaving(acts("speak", "No.")) as server:
        who = judge(session, server)
        recording = started(session, who, who, limit=5)
        state = play_episode(session, recording, nobody)
        assert len(server.asked) == 5
    assert (state.episode.ended, state.turn_count) == (EpisodeEnd.LIMIT, 5)
    with session.step("Open it again"):
        set_episode(session.study, replace(state.episode, ended=EpisodeEnd.OPEN))
    assert read_episode_state(session, recording).next_agent is None
    with misbehaving(acts("leave")) as server:
        who = judge(session, server, "leaver")
        for seed in (1, 2):
            play_episode(session, started(session, who, who, seed=seed), nobody)
        assert len(server.asked) == 2


def told_of(server: Server, at: int) -> str:
    return "\n".join(message["content"] for message in server.asked[at].body["messages"])


EVERYTHING = ("Bram Vos", "29", "Teacher", "Shy", "Thrift", "Weighs", "school")


@pytest.mark.parametrize(
    ("relationship", "seen", "hidden"),
    [
        (Relationship.FAMILY, EVERYTHING, ()),
        (Relationship.FRIEND, EVERYTHING, ()),
        (Relationship.ROMANTIC, EVERYTHING, ()),
        (Relationship.ACQUAINTANCE, ("Bram Vos", "Teacher", "he/him", "school"), ("29", "Shy", "Thrift", "Weighs")),
        (Relationship.STRANGER, ("Stranger",), ("Bram", "Vos", "29", "Teacher", "he/him", "Shy", "Thrift", "school")),
    ],
)
def test_an_agent_sees_of_the_other_what_the_relationship_lets_it_see(
    session: Session, relationship: Relationship, seen: tuple[str, ...], hidden: tuple[str, ...]
) -> None:
    with misbehaving(acts("leave")) as server:
        who = judge(session, server)
        play_episode(session, started(session, who, who, relationship=relationship), nobody)
        text = told_of(server, 0)
    for own in (SCENE, GOALS[0], ANNA.name, ANNA.secret.rstrip("."), ANNA.occupation, *seen):
        assert own in text
    for other in (GOALS[1], BRAM.secret.rstrip("."), *hidden):
        assert other not in text


def test_a_person_types_and_the_judge_is_told_what_was_typed(session: Session) -> None:
    typed = iter((AgentTurn(Act.SPEAK, "Thirty?"), AgentTurn(Act.ACTION, "puts the money down"), None))
    with misbehaving(acts("speak", "Forty."), acts("none")) as server:
        recording = started(session, judge(session, server), "")
        state = play_episode(session, recording, lambda _state: next(typed))
        assert "Thirty?" in told_of(server, 1)
        assert "[action] puts the money down" in told_of(server, 2)
    assert (state.turn_count, state.episode.ended) == (5, EpisodeEnd.OPEN)
    assert state.next_agent.profile.name == "Bram Vos"


def test_a_refusal_is_silence_and_three_in_a_row_stop_the_episode(session: Session) -> None:
    with misbehaving(acts("speak", "Well?"), says(None, refusal="I will not.")) as server:
        who = judge(session, server)
        recording = started(session, who, who)
        told: list[TurnResult] = []
        state = play_episode(session, recording, nobody, told.append)
    assert [act for _, act, _ in turns(session, recording)] == [Act.SPEAK, Act.NONE, Act.NONE, Act.NONE]
    assert state.episode.ended is EpisodeEnd.STOPPED
    assert [bool(result.failure_reason) for result in told] == [False, True, True, True]
    assert "3 times in a row" in told[-1].failure_reason


def test_what_cannot_be_read_is_silence_and_a_turn_in_between_begins_the_count_anew(session: Session) -> None:
    said = [says("I would rather not."), says("Hm."), acts("speak", "Fine.")]
    with misbehaving(*said, says("Hm."), says("Hm."), acts("leave")) as server:
        who = judge(session, server)
        recording = started(session, who, who)
        play_episode(session, recording, nobody)
    ended = read_episode_state(session, recording).episode.ended
    assert (ended, turns(session, recording)[-1][1]) == (EpisodeEnd.LEFT, Act.LEAVE)


def test_a_judge_that_fails_adds_no_turn_and_can_be_asked_again(session: Session) -> None:
    with misbehaving(fails(500), acts("leave")) as server:
        who = judge(session, server)
        recording = started(session, who, who)
        with pytest.raises(UserError, match="cannot act"):
            play_episode(session, recording, nobody)
        assert turns(session, recording) == []
        play_episode(session, recording, nobody)
    assert [act for _, act, _ in turns(session, recording)] == [Act.LEAVE]


def test_an_answer_that_is_no_turn_yet_is_taken_without_asking_again(session: Session) -> None:
    with misbehaving(acts("speak", "Forty."), acts("speak", "Never again.")) as server:
        who = judge(session, server)
        recording = started(session, who, who)
        ask_turn(session, read_episode_state(session, recording))
        undo(session)
        assert turns(session, recording) == []
        assert prepare_turn(session, read_episode_state(session, recording)).job is None
        ask_turn(session, read_episode_state(session, recording))
        assert len(server.asked) == 1
    assert turns(session, recording) == [("Anna Berg", Act.SPEAK, "Forty.")]
    assert len(judgments_about(session.study, recording, {ACT_TASK})) == 1


def test_only_who_acts_next_can_act(session: Session) -> None:
    recording = started(session, "", "")
    with pytest.raises(UserError, match="turn of Anna Berg"):
        add_turn(session, recording, 1, AgentTurn(Act.SPEAK, "Me first."))
    add_turn(session, recording, 0, AgentTurn(Act.SPEAK, "[action] is a word."))
    assert turns(session, recording) == [("Anna Berg", Act.SPEAK, "[action] is a word.")]


def test_characters_agree_to_everything_and_who_types_only_where_they_said_so(session: Session) -> None:
    with misbehaving() as server:
        who = judge(session, server)
        first = started(session, who, "")
        second = started(session, who, "", agreed=True)
    people = [participants_in(session.study, text) for text in (first, second)]
    assert people[0][0].id == people[1][0].id
    assert people[0][1].id != people[1][1].id
    assert [person.pseudonym for person in people[1]] == ["Anna Berg", "Bram Vos (2)"]
    given = [consents(session.study, participant.id) for participant in (people[0][0], people[0][1], people[1][1])]
    assert [entry[ConsentUse.MODELS] for entry in given] == [True, False, True]
    assert [entry[ConsentUse.RELEASE] for entry in given] == [True, False, False]
