"""Episodes are played turn by turn, each agent is told what it may know, and they are rows like any other."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from annotate.study.recording_edits import undo
from annotate.team.study_copies import merge_copies, split_study
from anonymize.pii_review.pii_decisions import hide_everywhere
from anonymize.pii_review.review_hits import find_hits
from anonymize.release.scrubbed_study import replace_in_study
from benchmark.episodes.episode_runs import TurnResult, add_turn, ask_turn, play_episode, prepare_turn
from benchmark.episodes.episode_setup import (
    remove_character,
    remove_scenario,
    save_character,
    save_scenario,
    start_episode,
)
from benchmark.episodes.episode_state import read_episode_state
from benchmark.judging.judge_registry import add_judge
from benchmark.prompts.episode_prompts import ACT_TASK
from project.entities.roleplay import PROFILE_FIELDS, Act, AgentTurn, EpisodeEnd, Profile, Relationship, Scenario
from project.entities.study_records import Assignment, ConsentUse, Json
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.annotator_rows import set_assignments
from project.queries.episode_rows import all_characters, all_episodes, all_scenarios, episode_agents, set_episode
from project.queries.judgment_rows import judgments_about
from project.queries.recording_rows import PARTICIPANTS, RECORDINGS, all_participants, consents, participants_in
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.episodes import ANNA, BRAM, GOALS, SCENE, acts, started, wanted
from tests.builders.marked_study import person
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
    typed = iter((AgentTurn(Act.SPEAK, "[action] is a word?"), AgentTurn(Act.ACTION, "puts the money down"), None))
    with misbehaving(acts("speak", "Forty."), acts("none")) as server:
        recording = started(session, judge(session, server), "")
        with pytest.raises(UserError, match="Anna Berg's turn"):
            add_turn(session, recording, 1, AgentTurn(Act.SPEAK, "Me first."))
        state = play_episode(session, recording, lambda _state: next(typed))
        assert "[action] is a word?" in told_of(server, 1)
        assert "[action] puts the money down" in told_of(server, 2)
    assert turns(session, recording)[1] == ("Bram Vos", Act.SPEAK, "[action] is a word?")
    assert (state.turn_count, state.episode.ended) == (5, EpisodeEnd.OPEN)
    assert state.next_agent.profile.name == "Bram Vos"


def test_what_is_refused_or_cannot_be_read_is_silence_and_three_in_a_row_stop_the_episode(session: Session) -> None:
    silences = (says("Hm."), says("Hm."), acts("speak", "Well?"))
    with misbehaving(*silences, says(None, refusal="I will not.")) as server:
        who = judge(session, server)
        recording = started(session, who, who)
        told: list[TurnResult] = []
        state = play_episode(session, recording, nobody, told.append)
    assert [act for _, act, _ in turns(session, recording)] == [Act.NONE, Act.SPEAK, *[Act.NONE] * 3]
    assert state.episode.ended is EpisodeEnd.STOPPED
    assert [bool(result.failure_reason) for result in told] == [True, False, True, True, True]
    assert "3 times in a row" in told[-1].failure_reason


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


NAME = "Zinnia"
TOLD = Profile(f"{NAME} A", *(f"{text} of {NAME}" for text in PROFILE_FIELDS))
EVERYWHERE = {
    *(("character", text) for text in ("name", *PROFILE_FIELDS)),
    *(("scenario", text) for text in ("name", "context", "goal_1", "goal_2")),
    ("episode", "context"),
    *(("episode_agent", text) for text in ("name", *PROFILE_FIELDS, "goal")),
    ("recording", "name"),
}


def named_texts(session: Session) -> set[tuple[str, str]]:
    """Return table and field of each text with the name."""
    return {(text.table, text.field) for text in free_texts(session.study) if NAME in text.text}


def full(session: Session) -> str:
    """Put a name into every text of characters, scenarios and an episode."""
    save_character(session, TOLD)
    kind = Relationship.FRIEND
    save_scenario(session, Scenario("", f"{NAME} waits", f"{NAME} is late.", kind, (f"See {NAME}", f"Miss {NAME}")))
    usual = wanted(("", ""))
    seats = (replace(usual.seats[0], profile=TOLD, goal=f"See {NAME}"), usual.seats[1])
    episode = replace(usual.episode, context=f"{NAME} is late.")
    return start_episode(session, replace(usual, name=f"{NAME} waits", seats=seats, episode=episode))[0]


def test_every_text_is_searched_and_replaced_in_one_step(session: Session) -> None:
    full(session)
    assert named_texts(session) == EVERYWHERE
    hide_everywhere(session, NAME)
    hits = {(hit.place.table, hit.place.field) for hit in find_hits(session) if hit.hit.text == NAME}
    assert hits >= EVERYWHERE - {("recording", "name")}
    replace_in_study(session)
    assert named_texts(session) <= {("recording", "name")}
    undo(session)
    assert named_texts(session) == EVERYWHERE


def test_a_copy_is_given_its_episodes_and_their_turns_come_home(session: Session, tmp_path: Path) -> None:
    recording, _ = start_episode(session, wanted(("", "")))
    other, _ = start_episode(session, wanted(("", "")))
    save_character(session, ANNA)
    with session.step("Give"):
        set_assignments(session.study, [Assignment(recording, person(session, "Ada").id)])
    path = split_study(session, "Ada", tmp_path / "for-ada.greenroom").path
    with Session.open(path) as copy:
        assert [episode.recording_id for episode in all_episodes(copy.study)] == [recording]
        assert all_characters(copy.study) == []
        assert len(episode_agents(copy.study, recording)) == 2
        add_turn(copy, recording, 0, AgentTurn(Act.SPEAK, "Hello."))
        add_turn(copy, recording, 1, AgentTurn(Act.LEAVE))
        assert copy.study.rows("SELECT count(*) FROM episode_agent")[0][0] == 2
    assert check_study(path) == []
    merge_copies(session, [path])
    here = read_episode_state(session, recording)
    assert [each.turn for each in here.played_turns] == [AgentTurn(Act.SPEAK, "Hello."), AgentTurn(Act.LEAVE)]
    assert here.episode.ended.value == "left"
    assert read_episode_state(session, other).turn_count == 0


def test_deleting_takes_all_of_it_and_undo_brings_it_back(session: Session) -> None:
    recording = full(session)
    before = read_episode_state(session, recording)
    with session.step("Delete"):
        RECORDINGS.delete_tree(session.study, recording)
    assert all_episodes(session.study) == []
    assert episode_agents(session.study, recording) == []
    undo(session)
    assert read_episode_state(session, recording) == before
    first, second = (agent.participant_id for agent in before.agents)
    with session.step("Delete"):
        PARTICIPANTS.delete_tree(session.study, first)
    assert [agent.participant_id for agent in episode_agents(session.study, recording)] == [None, second]
    assert first not in {participant.id for participant in all_participants(session.study)}


def test_what_cannot_be_played_is_refused(session: Session) -> None:
    usual = wanted(("", ""))
    for wrong, said in (
        (replace(usual, name=" "), "needs a name"),
        (replace(usual, seats=usual.seats[:1]), "two people"),
        (replace(usual, seats=(usual.seats[0], usual.seats[0])), "same name"),
        (replace(usual, episode=replace(usual.episode, turn_limit=0)), "one turn"),
    ):
        with pytest.raises(UserError, match=said):
            start_episode(session, wrong)
    assert all_episodes(session.study) == []


def test_characters_and_scenarios_are_changed_removed_and_brought_back(session: Session) -> None:
    made, _ = save_character(session, ANNA)
    save_character(session, replace(ANNA, age="42"), made)
    assert [character.profile.age for character in all_characters(session.study)] == ["42"]
    with pytest.raises(UserError, match="already"):
        save_character(session, ANNA)
    remove_character(session, made)
    assert all_characters(session.study) == []
    undo(session)
    assert len(all_characters(session.study)) == 1
    scenario = Scenario("", "lamp", "At a stall.", Relationship.FRIEND, ("Sell.", "Buy."))
    key, _ = save_scenario(session, scenario)
    for wrong, said in ((scenario, "already"), (replace(scenario, name="b", goals=("Sell.",)), "two or more")):
        with pytest.raises(UserError, match=said):
            save_scenario(session, wrong)
    remove_scenario(session, key)
    assert all_scenarios(session.study) == []
