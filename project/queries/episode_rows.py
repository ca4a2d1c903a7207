"""Queries on characters, scenarios and role-played episodes; writes happen inside steps."""

from collections.abc import Iterable

from project.entities.roleplay import (
    PROFILE_FIELDS,
    Character,
    CharacterBond,
    Episode,
    EpisodeAgent,
    Relationship,
    Scenario,
)
from project.queries.row_mapper import RowMapper, parse_list
from project.store.column_values import to_json
from project.store.study import Study
from project.store.visibility import VISIBLE_RECORDINGS


def _write_bonds(bonds: Iterable[CharacterBond]) -> str:
    return to_json([[bond.character_id, bond.relationship.value, bond.story] for bond in bonds])


def _parse_bonds(text: str) -> tuple[CharacterBond, ...]:
    return tuple(CharacterBond(str(who), Relationship(kind), str(story)) for who, kind, story in parse_list(text))


def _parse_casts(text: str) -> tuple[tuple[str, ...], ...]:
    casts = tuple(tuple(cast) for cast in parse_list(text))
    "".join(character_id for cast in casts for character_id in cast).encode()
    return casts


CHARACTERS = RowMapper(
    Character, "character", noun="The character “{name}”", codecs={"bonds": (_write_bonds, _parse_bonds)}
)
SCENARIOS = RowMapper(
    Scenario,
    "scenario",
    noun="The scenario “{name}”",
    codecs={"casts": (lambda casts: to_json([[*cast] for cast in casts]), _parse_casts)},
)
EPISODES = RowMapper(Episode, "episode", noun="What is said of an episode")
AGENTS = RowMapper(EpisodeAgent, "episode_agent", noun="The agent “{name}” of an episode")

PROFILE_COLUMNS = ("name", *PROFILE_FIELDS)
"""Columns of a profile."""


all_characters = CHARACTERS.query("ORDER BY name, id")
set_character = CHARACTERS.upsert
delete_character = CHARACTERS.delete
"""Remove a character; episodes keep what they were played with."""


all_scenarios = SCENARIOS.query("ORDER BY name, id")
set_scenario = SCENARIOS.upsert
delete_scenario = SCENARIOS.delete
"""Remove a scenario; episodes keep what they were played with."""


all_episodes = EPISODES.query(
    f"JOIN (SELECT id, number FROM {VISIBLE_RECORDINGS}) ON id = recording_id ORDER BY number"
)
find_episode = EPISODES.find
set_episode = EPISODES.upsert
episode_agents = AGENTS.query("WHERE recording_id = ? ORDER BY position")
all_agents = AGENTS.query_groups("recording_id", "ORDER BY recording_id, position")


def set_agents(study: Study, new: Iterable[EpisodeAgent]) -> None:
    """Add those who take part, or replace those of the same position."""
    for agent in new:
        AGENTS.upsert(study, agent)


def episodes_revealing_others(
    study: Study, annotator_id: str, taught: Iterable[str], references: Iterable[str]
) -> frozenset[str]:
    """Return ids of the episodes that tell what others said about a moment, also through another episode.

    Args:
        study: that they are in.
        annotator_id: who is not to know it; what goes on from a segment of theirs is not among them.
        taught: recordings to train on, of which they are given the references' segments too.
        references: annotators whose segments these are.
    """
    rows = study.rows(
        "WITH RECURSIVE told (id) AS (SELECT recording_id FROM episode WHERE from_segment_id <> '' "
        "AND from_segment_id NOT IN (SELECT id FROM segment WHERE annotator_id = ? OR ("
        "recording_id IN (SELECT value FROM json_each(?)) AND annotator_id IN (SELECT value FROM json_each(?)))) "
        "UNION SELECT e.recording_id FROM episode e JOIN told ON told.id = e.from_recording_id) SELECT id FROM told",
        (annotator_id, to_json([*taught]), to_json([*references])),
    )
    return frozenset(row[0] for row in rows)


def fictional_participants(study: Study) -> set[str]:
    """Return ids of the participants who are in no recording but episodes that go on from no other one."""
    rows = study.rows(
        "SELECT participant_id FROM episode_agent a JOIN episode e ON e.recording_id = a.recording_id "
        "WHERE participant_id IS NOT NULL AND e.source <> 'segment' "
        "EXCEPT SELECT participant_id FROM appearance WHERE recording_id NOT IN "
        "(SELECT recording_id FROM episode WHERE source <> 'segment')"
    )
    return {row[0] for row in rows}
