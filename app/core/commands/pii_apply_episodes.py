"""Writes a scrubbed text of a character, a scenario or an episode over the study's own."""

from dataclasses import replace
from typing import Any

from project.episodes import Profile
from project.queries.episodes import (
    NAMED,
    agents_of,
    all_characters,
    all_scenarios,
    episode_of,
    set_agents,
    set_character,
    set_episode,
    set_scenario,
)
from project.queries.free_texts import GOAL, FreeText
from project.store import Study

TABLES = frozenset({"character", "scenario", "episode", "episode_agent"})


def write_episode_text(study: Study, at: FreeText, text: str) -> None:
    """Write one text of one of `TABLES`; inside a step."""
    if at.table == "character":
        for character in all_characters(study):
            if character.id == at.row:
                set_character(study, replace(character, profile=_reworded(character.profile, at.field, text)))
    elif at.table == "scenario":
        _write_scenario(study, at, text)
    elif at.table == "episode" and (episode := episode_of(study, at.row)) is not None:
        set_episode(study, replace(episode, context=text))
    elif at.table == "episode_agent":
        recording_id, position = at.row.rsplit("/", 1)
        for agent in agents_of(study, recording_id):
            if agent.position == int(position):
                if at.field == "goal":
                    set_agents(study, [replace(agent, goal=text)])
                else:
                    set_agents(study, [replace(agent, profile=_reworded(agent.profile, at.field, text))])


def _write_scenario(study: Study, at: FreeText, text: str) -> None:
    for scenario in all_scenarios(study):
        if scenario.id != at.row:
            continue
        if at.field.startswith(GOAL):
            number = int(at.field.removeprefix(GOAL)) - 1
            goals = tuple(text if place == number else one for place, one in enumerate(scenario.goals))
            set_scenario(study, replace(scenario, goals=goals))
        else:
            changed: dict[str, Any] = {at.field: text}
            set_scenario(study, replace(scenario, **changed))


def _reworded(profile: Profile, field: str, text: str) -> Profile:
    changed: dict[str, Any] = {field: text} if field in NAMED else {}
    return replace(profile, **changed)
