"""Episodes are rows like any other: searched for what is personal, split off, merged, deleted, brought back."""

from dataclasses import replace
from pathlib import Path

import pytest

from annotate.study.recording_edits import undo
from annotate.team.study_copies import merge_copies, split_study
from anonymize.pii_review.pii_decisions import hide_everywhere
from anonymize.pii_review.review_hits import find_hits
from anonymize.release.scrubbed_study import replace_in_study
from benchmark.episodes.episode_runs import add_turn
from benchmark.episodes.episode_setup import (
    remove_character,
    remove_scenario,
    save_character,
    save_scenario,
    start_episode,
)
from benchmark.episodes.episode_state import read_episode_state
from project.entities.roleplay import PROFILE_FIELDS, Act, AgentTurn, Profile, Relationship, Scenario
from project.entities.study_records import Assignment
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.annotator_rows import set_assignments
from project.queries.episode_rows import all_characters, all_episodes, all_scenarios, episode_agents, find_episode
from project.queries.recording_rows import PARTICIPANTS, RECORDINGS, all_participants
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.episodes import ANNA, BRAM, wanted
from tests.builders.marked_study import person

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
    same = replace(usual, seats=(usual.seats[0], usual.seats[0]))
    for wrong, said in (
        (replace(usual, name=" "), "needs a name"),
        (replace(usual, seats=usual.seats[:1]), "two who take part"),
        (same, "same name"),
        (replace(usual, episode=replace(usual.episode, turn_limit=0)), "one turn"),
        (replace(usual, episode=replace(usual.episode, relationship=Relationship.UNKNOWN)), "stand to each other"),
    ):
        with pytest.raises(UserError, match=said):
            start_episode(session, wrong)
    assert all_episodes(session.study) == []
    assert find_episode(session.study, "walk") is None


def test_characters_and_scenarios_are_changed_removed_and_brought_back(session: Session) -> None:
    made, _ = save_character(session, ANNA)
    save_character(session, replace(ANNA, age="42"), made)
    assert [character.profile.age for character in all_characters(session.study)] == ["42"]
    with pytest.raises(UserError, match="already"):
        save_character(session, ANNA)
    save_character(session, BRAM)
    remove_character(session, made)
    assert [character.profile.name for character in all_characters(session.study)] == ["Bram Vos"]
    undo(session)
    assert len(all_characters(session.study)) == 2
    scenario = Scenario("", "lamp", "At a stall.", Relationship.FRIEND, ("Sell.", "Buy."))
    key, _ = save_scenario(session, scenario)
    for wrong, said in (
        (replace(scenario, name=""), "needs a name"),
        (scenario, "already"),
        (replace(scenario, name="b", context=" "), "situation"),
        (replace(scenario, name="b", goals=("Sell.",)), "two or more"),
        (replace(scenario, name="b", relationship=Relationship.UNKNOWN), "stand to each other"),
    ):
        with pytest.raises(UserError, match=said):
            save_scenario(session, wrong)
    remove_scenario(session, key)
    assert all_scenarios(session.study) == []
