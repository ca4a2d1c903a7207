"""Queries on characters, scenarios and role-played episodes; writes happen inside steps."""

import json
from collections.abc import Iterable, Sequence

from project.entities.roleplay import (
    PROFILE_FIELDS,
    AgentPlayer,
    Character,
    CharacterBond,
    Episode,
    EpisodeAgent,
    EpisodeEnd,
    EpisodeSource,
    Profile,
    Relationship,
    Scenario,
)
from project.entities.study_records import Json
from project.errors import UserError
from project.store.column_values import to_json
from project.store.study import Cell, Row, Study
from project.store.visibility import VISIBLE_RECORDINGS
from project.text_format import escape_unprintable

PROFILE_COLUMNS = ("name", *PROFILE_FIELDS)
"""Columns of a profile."""
_PROFILE_SQL = ", ".join(PROFILE_COLUMNS)
_SCENARIO_COLUMNS = "id, name, context, relationship, goals, reference, casts"
_EPISODE_COLUMNS = (
    "recording_id, context, relationship, source, turn_limit, ended, history, from_recording_id, from_segment_id, "
    "reference, seed"
)
_AGENT_COLUMNS = f"recording_id, position, participant_id, {_PROFILE_SQL}, goal, player, judge_id"


def all_characters(study: Study) -> list[Character]:
    """Return every character, by name."""
    rows = study.rows(f"SELECT id, reference, bonds, {_PROFILE_SQL} FROM character ORDER BY name, id")
    return [Character(row[0], Profile(*row[3:]), row[1], _bonds(row)) for row in rows]


def set_character(study: Study, new: Character) -> None:
    """Add a character, or replace the one of the same id."""
    bonds: list[Json] = [[bond.character_id, bond.relationship.value, bond.story] for bond in new.bonds]
    cells = (new.id, new.reference, to_json(bonds), *profile_cells(new.profile))
    _upsert(study, "character", ("id", "reference", "bonds", *PROFILE_COLUMNS), 1, cells)


def delete_character(study: Study, character_id: str) -> None:
    """Remove a character; episodes keep what they were played with."""
    study.write("DELETE FROM character WHERE id = ?", (character_id,))


def all_scenarios(study: Study) -> list[Scenario]:
    """Return every scenario, by name."""
    return [_scenario(row) for row in study.rows(f"SELECT {_SCENARIO_COLUMNS} FROM scenario ORDER BY name, id")]


def set_scenario(study: Study, new: Scenario) -> None:
    """Add a scenario, or replace the one of the same id."""
    casts: list[Json] = [[*cast] for cast in new.casts]
    cells = (
        new.id,
        new.name,
        new.context,
        new.relationship.value,
        to_json([*new.goals]),
        new.reference,
        to_json(casts),
    )
    _upsert(study, "scenario", _SCENARIO_COLUMNS.split(", "), 1, cells)


def delete_scenario(study: Study, scenario_id: str) -> None:
    """Remove a scenario; episodes keep what they were played with."""
    study.write("DELETE FROM scenario WHERE id = ?", (scenario_id,))


def all_episodes(study: Study) -> list[Episode]:
    """Return every episode that is seen, by the number of its recording."""
    columns = ", ".join(f"e.{part}" for part in _EPISODE_COLUMNS.split(", "))
    rows = study.rows(
        f"SELECT {columns} FROM episode e JOIN {VISIBLE_RECORDINGS} r ON r.id = e.recording_id ORDER BY r.number"
    )
    return [_episode(row) for row in rows]


def find_episode(study: Study, recording_id: str) -> Episode | None:
    """Return what makes a recording an episode; None where it is none."""
    row = study.row(f"SELECT {_EPISODE_COLUMNS} FROM episode WHERE recording_id = ?", (recording_id,))
    return None if row is None else _episode(row)


def set_episode(study: Study, new: Episode) -> None:
    """Say that a recording is an episode, or replace what was said."""
    cells = (
        *(new.recording_id, new.context, new.relationship.value, new.source.value, new.turn_limit, new.ended.value),
        *(new.history, new.from_recording_id, new.from_segment_id, new.reference, new.seed),
    )
    _upsert(study, "episode", _EPISODE_COLUMNS.split(", "), 1, cells)


def episode_agents(study: Study, recording_id: str) -> list[EpisodeAgent]:
    """Return who takes part in an episode, in the order in which they act; [] for another recording."""
    rows = study.rows(
        f"SELECT {_AGENT_COLUMNS} FROM episode_agent WHERE recording_id = ? ORDER BY position", (recording_id,)
    )
    return [_agent(row) for row in rows]


def all_agents(study: Study) -> dict[str, list[EpisodeAgent]]:
    """Return recording id -> who takes part, in the order in which they act."""
    found: dict[str, list[EpisodeAgent]] = {}
    for row in study.rows(f"SELECT {_AGENT_COLUMNS} FROM episode_agent ORDER BY recording_id, position"):
        found.setdefault(row[0], []).append(_agent(row))
    return found


def set_agents(study: Study, new: Iterable[EpisodeAgent]) -> None:
    """Add those who take part, or replace those of the same position."""
    for episode_agent in new:
        cells = (
            *(
                episode_agent.recording_id,
                episode_agent.position,
                episode_agent.participant_id,
                *profile_cells(episode_agent.profile),
            ),
            *(episode_agent.goal, episode_agent.player.value, episode_agent.judge_id),
        )
        _upsert(study, "episode_agent", _AGENT_COLUMNS.split(", "), 2, cells)


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


def profile_cells(profile: Profile) -> list[Cell]:
    """Return the texts of a profile, in the order of `PROFILE_COLUMNS`."""
    return [str(getattr(profile, text)) for text in PROFILE_COLUMNS]


def _upsert(study: Study, table: str, columns: Sequence[str], key: int, cells: Sequence[Cell]) -> None:
    changed = ", ".join(f"{column} = excluded.{column}" for column in columns[key:])
    study.write(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "
        f"ON CONFLICT ({', '.join(columns[:key])}) DO UPDATE SET {changed}",
        cells,
    )


def _scenario(row: Row) -> Scenario:
    try:
        goals, casts = json.loads(row[4]), json.loads(row[6])
        if not isinstance(goals, list) or not isinstance(casts, list):
            raise ValueError(row)
        "".join([*goals, *(key for cast in casts for key in cast)]).encode()
    except (ValueError, TypeError, RecursionError):
        raise _damaged_error("scenario", row[1]) from None
    cast_ids = tuple(tuple(cast) for cast in casts)
    return Scenario(row[0], row[1], row[2], Relationship(row[3]), tuple(goals), row[5], cast_ids)


def _bonds(row: Row) -> tuple[CharacterBond, ...]:
    try:
        return tuple(CharacterBond(str(who), Relationship(kind), str(story)) for who, kind, story in json.loads(row[2]))
    except (ValueError, TypeError, RecursionError):
        raise _damaged_error("character", row[3]) from None


def _damaged_error(what: str, name: str) -> UserError:
    return UserError(
        f"The {what} “{escape_unprintable(name)}” of this study is damaged.",
        "Find out what else is: greenroom check STUDY",
    )


def _episode(row: Row) -> Episode:
    recording, context, relationship, source, limit, ended, *rest = row
    kinds = Relationship(relationship), EpisodeSource(source)
    return Episode(recording, context, *kinds, limit, EpisodeEnd(ended), *rest)


def _agent(row: Row) -> EpisodeAgent:
    recording, position, participant, *rest = row
    *profile, goal, player, judge = rest
    return EpisodeAgent(recording, position, participant, Profile(*profile), goal, AgentPlayer(player), judge)
