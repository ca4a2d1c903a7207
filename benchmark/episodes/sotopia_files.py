"""Imports and exports files of SOTOPIA: episodes and ratings.

For import also characters, their relationships, scenarios, and the combinations of both that are to be played.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from annotate.interchange.document_import import import_step
from annotate.study.leave_permission import LeaveUse, may_leave
from annotate.study.people import ensure_annotators
from annotate.study.scheme_versions import use_shipped_scheme
from benchmark.episodes.episode_ratings import read_ratings
from benchmark.episodes.episode_setup import SeatAssignment, insert_episode_recording, require_valid_setup
from benchmark.episodes.episode_state import EpisodeState, read_episode_state
from benchmark.episodes.sotopia_records import (
    AGENT_IDS_KEY,
    CONVERSATION_KEY,
    CSV_COLUMNS,
    FIRST_AGENT_KEY,
    FIRST_NAME_KEY,
    GOALS_KEY,
    SotopiaRecord,
    SotopiaScore,
    episode_json,
    read_bond,
    read_character,
    read_combination,
    read_episode,
    read_records,
    read_scenario,
    read_scores,
)
from benchmark.metrics.published_figures import DIMENSIONS, SCHEME
from project.entities.roleplay import Character, CharacterBond, EpisodeAgent, Scenario
from project.entities.study_records import Changes, FieldValue, Json, Segment
from project.errors import UserError
from project.files.atomic_files import explain_unwritable
from project.ids import new_id
from project.queries.annotator_rows import annotator_names
from project.queries.episode_rows import (
    all_agents,
    all_characters,
    all_episodes,
    all_scenarios,
    set_character,
    set_scenario,
)
from project.queries.recording_rows import all_collections, all_recordings
from project.queries.segment_rows import insert_segments, insert_values, valued_segments
from project.session.session import Session
from project.text_format import Cell, escape_unprintable, to_csv


def select_episodes(session: Session, recordings: Sequence[str] = ()) -> list[EpisodeState]:
    """Return the episodes to export: those named, or all that are not held out."""
    permissions = {
        recording_id: may_leave(session, recording_id, LeaveUse.EXPORT)
        for recording_id in recordings or [episode.recording_id for episode in all_episodes(session.study)]
    }
    refused = next((permission for permission in permissions.values() if recordings and not permission), None)
    if refused is not None:
        raise UserError(f"Recording {refused.number} is held out, so it is never exported.", "Leave it out.")
    ids = [recording_id for recording_id, permission in permissions.items() if permission]
    if not ids:
        raise UserError("There are no episodes to export.", "Play one: greenroom episode play STUDY")
    return [read_episode_state(session, recording_id) for recording_id in ids]


def write_episodes(session: Session, path: Path, recordings: Sequence[str] = ()) -> int:
    """Write episodes to a new file, a line each; returns how many."""
    states, homes = select_episodes(session, recordings), _collection_names(session)
    lines = [json.dumps(episode_json(state, homes[state.episode.recording_id]), ensure_ascii=False) for state in states]
    _write_new_file(path, "".join(f"{line}\n" for line in lines))
    return len(lines)


def write_scores(session: Session, path: Path, recordings: Sequence[str] = ()) -> int:
    """Write the complete ratings of people to a new CSV file; returns how many rows."""
    names = annotator_names(session.study)
    homes = _collection_names(session)
    rows: list[Sequence[Cell]] = []
    for state in select_episodes(session, recordings):
        here = state.episode.recording_id
        places = {agent.participant_id: agent.position + 1 for agent in state.agents}
        for rating in read_ratings(session, here):
            if rating.participant_id in places and rating.is_complete:
                scores = [rating.scores[key] for key in DIMENSIONS]
                head = (homes[here], state.episode.reference or here, names.get(rating.annotator_id, ""))
                rows.append((*head, places[rating.participant_id], *scores))
    if not rows:
        raise UserError("No episode is rated on all seven dimensions yet.", "Rate the episodes first.")
    _write_new_file(path, to_csv(CSV_COLUMNS, rows))
    return len(rows)


def _collection_names(session: Session) -> dict[str, str]:
    """Return recording -> name of its collection."""
    names = {collection.id: collection.name for collection in all_collections(session.study)}
    return {recording.id: names[recording.collection_id] for recording in all_recordings(session.study)}


def _write_new_file(path: Path, text: str) -> None:
    with explain_unwritable(path), path.open("x", encoding="utf-8", newline="") as file:
        file.write(text)


Row = TypeVar("Row")
Records = Sequence[SotopiaRecord]
_TRACK, _LABEL, _WHO = "ratings", "rating", "participant"


@dataclass(frozen=True, slots=True)
class SotopiaImportResult:
    """What an import added.

    Attributes:
        kind: what the file holds: `episodes`, `scenarios`, `characters`, `relationships`, `combinations` or `ratings`.
        existing: how many are in the study already.
        unmatched: how many are about an episode, a scenario or a character that is not in the study.
    """

    kind: str
    added: int
    existing: int
    unmatched: int
    changes: Changes


SUFFIXES = (".jsonl", ".csv")
"""Suffixes of the files: episodes and profiles as JSON lines, scores as a table."""


def import_file(session: Session, path: Path, *, keep_rest: bool = False) -> SotopiaImportResult:
    """Import a file as one step; nothing is imported if anything in it is wrong."""
    session.study.require_writable()
    if path.suffix.lower() == ".csv":
        return _import_scores(session, path, keep_rest)
    records = read_records(path)
    known = next((key for key in _IMPORTERS if key in records[0].fields), None)
    if known is None:
        raise UserError(
            f"{escape_unprintable(path.name)} is not a SOTOPIA file.",
            f"The first line of a SOTOPIA file has one of {', '.join(_IMPORTERS)}.",
        )
    return _IMPORTERS[known](session, path, records, keep_rest)


def sort_files(paths: Sequence[Path]) -> list[Path]:
    """Return files in the order in which they can be imported: what others refer to comes first."""

    def place(path: Path) -> int:
        if path.suffix.lower() == ".csv":
            return len(_IMPORTERS)
        first = read_records(path)[0].fields
        return next((at for at, key in enumerate(_IMPORTERS) if key in first), 0)

    return sorted(paths, key=place)


def _import_episodes(session: Session, path: Path, records: Records, keep_rest: bool) -> SotopiaImportResult:
    known = {scenario.context: scenario.relationship for scenario in all_scenarios(session.study)}
    homes = _collection_names(session)
    existing = {
        (homes[episode.recording_id], episode.reference) for episode in all_episodes(session.study) if episode.reference
    }
    setups = [read_episode(record, known) for record in records]
    new = []
    for setup in setups:
        key = (setup.collection, setup.episode.reference)
        if not setup.episode.reference or key not in existing:
            require_valid_setup(setup)
            new.append(setup)
            existing.add(key)
    company = SeatAssignment(session)
    insert = partial(insert_episode_recording, session, company=company)
    return _store(session, path, "episodes", keep_rest, new, insert, len(setups) - len(new))


def _import_scenarios(session: Session, path: Path, records: Records, keep_rest: bool) -> SotopiaImportResult:
    def key(scenario: Scenario) -> tuple[object, ...]:
        return scenario.context, scenario.relationship, scenario.goals, scenario.reference

    existing = {key(scenario) for scenario in all_scenarios(session.study)}
    new = {key(scenario): scenario for scenario in map(read_scenario, records)}
    added = [scenario for scenario_key, scenario in new.items() if scenario_key not in existing]
    store = partial(set_scenario, session.study)
    return _store(session, path, "scenarios", keep_rest, added, store, len(records) - len(added))


def _import_characters(session: Session, path: Path, records: Records, keep_rest: bool) -> SotopiaImportResult:
    existing = {(character.profile, character.reference) for character in all_characters(session.study)}
    new = {(character.profile, character.reference): character for character in map(read_character, records)}
    added = [character for key, character in new.items() if key not in existing]
    store = partial(set_character, session.study)
    return _store(session, path, "characters", keep_rest, added, store, len(records) - len(added))


def _import_bonds(session: Session, path: Path, records: Records, keep_rest: bool) -> SotopiaImportResult:
    characters = {character.reference: character for character in all_characters(session.study) if character.reference}
    changed: dict[str, Character] = {}
    existing = unmatched = 0
    for record in records:
        bond = read_bond(record)
        first, second = (characters.get(reference) for reference in bond.references)
        if first is None or second is None:
            unmatched += 1
            continue
        made = CharacterBond(second.id, bond.relationship, bond.story)
        if made in first.bonds:
            existing += 1
            continue
        changed[first.reference] = characters[first.reference] = replace(first, bonds=(*first.bonds, made))
    _require_matched(path, records, unmatched)
    store = partial(set_character, session.study)
    added = len(records) - existing - unmatched
    return _store(session, path, "relationships", keep_rest, [*changed.values()], store, existing, unmatched, added)


def _import_combinations(session: Session, path: Path, records: Records, keep_rest: bool) -> SotopiaImportResult:
    characters = {character.reference: character.id for character in all_characters(session.study)}
    scenarios = {scenario.reference: scenario for scenario in all_scenarios(session.study) if scenario.reference}
    changed: dict[str, Scenario] = {}
    existing = unmatched = 0
    for record in records:
        reference, agents = read_combination(record)
        scenario = scenarios.get(reference)
        if scenario is None or not characters.keys() >= {*agents}:
            unmatched += 1
            continue
        cast = tuple(characters[agent] for agent in agents)
        if cast in scenario.casts:
            existing += 1
            continue
        changed[reference] = scenarios[reference] = replace(scenario, casts=(*scenario.casts, cast))
    _require_matched(path, records, unmatched)
    store = partial(set_scenario, session.study)
    added = len(records) - existing - unmatched
    return _store(session, path, "combinations", keep_rest, [*changed.values()], store, existing, unmatched, added)


def _store(
    session: Session,
    path: Path,
    kind: str,
    keep_rest: bool,
    rows: Sequence[Row],
    store: Callable[[Row], object],
    existing: int,
    unmatched: int = 0,
    added: int | None = None,
) -> SotopiaImportResult:
    """Store what is new or changed as one step; nothing is written where nothing is."""
    changes = Changes()
    if rows:
        with import_step(session, f"Import {path.name}", keep_rest=keep_rest) as step:
            for row in rows:
                store(row)
        changes = step.changes
    return SotopiaImportResult(kind, len(rows) if added is None else added, existing, unmatched, changes)


def _require_matched(path: Path, records: Records, unmatched: int) -> None:
    if unmatched == len(records):
        raise UserError(
            f"{escape_unprintable(path.name)} refers to profiles that are not in this study.",
            "Import the agent profiles and the environment profiles first.",
        )


def _import_scores(session: Session, path: Path, keep_rest: bool) -> SotopiaImportResult:
    rows = read_scores(path)
    finder = _AgentFinder(session)
    rated = [(sotopia_score, finder.find_agent(sotopia_score)) for sotopia_score in rows]
    matched = [(row, agent) for row, agent in rated if agent is not None]
    if not matched:
        raise UserError(
            f"{escape_unprintable(path.name)} has no scores for episodes in this study.",
            "Import the episodes first, then their scores.",
        )
    scheme, used = use_shipped_scheme(session, SCHEME)
    raters = {
        annotator.name: annotator.id
        for annotator in ensure_annotators(session, [*dict.fromkeys(row.rater for row, _ in matched)])
    }
    existing = _existing_ratings(session)
    lengths = {recording.id: recording.duration_us for recording in all_recordings(session.study)}
    segments, values, known = [], [], 0
    for row, agent in matched:
        who = raters[row.rater]
        if (agent.recording_id, who, agent.participant_id) in existing:
            known += 1
            continue
        existing.add((agent.recording_id, who, agent.participant_id))
        span = (0, lengths[agent.recording_id])
        made = Segment(new_id(), agent.recording_id, who, _LABEL, *span, SCHEME, _TRACK)
        segments.append(made)
        field_values: dict[str, Json] = {_WHO: agent.participant_id, **row.scores}
        values += [FieldValue(made.id, SCHEME, scheme.version, key, value) for key, value in field_values.items()]
    unmatched = len(rows) - len(matched)
    if not segments:
        return SotopiaImportResult("ratings", 0, known, unmatched, used)
    with import_step(session, f"Import {path.name}", keep_rest=keep_rest) as step:
        session.schemes.store_text(scheme)
        insert_segments(session.study, segments)
        insert_values(session.study, values)
    return SotopiaImportResult("ratings", len(segments), known, unmatched, used | step.changes)


_IMPORTERS: Mapping[str, Callable[[Session, Path, Records, bool], SotopiaImportResult]] = {
    FIRST_NAME_KEY: _import_characters,
    GOALS_KEY: _import_scenarios,
    FIRST_AGENT_KEY: _import_bonds,
    AGENT_IDS_KEY: _import_combinations,
    CONVERSATION_KEY: _import_episodes,
}
"""Key that a file's first line has -> what imports it, in the order in which files refer to each other."""


class _AgentFinder:
    """Finds the agents that rows rate."""

    def __init__(self, session: Session) -> None:
        self._homes = _collection_names(session)
        self._agents = all_agents(session.study)
        self._episodes: dict[str, list[str]] = {}
        for episode in all_episodes(session.study):
            if episode.reference:
                self._episodes.setdefault(episode.reference, []).append(episode.recording_id)

    def find_agent(self, row: SotopiaScore) -> EpisodeAgent | None:
        """Return the agent that a row rates; None if its episode or agent is not in the study."""
        found = self._episodes.get(row.episode, [])
        matching = [recording_id for recording_id in found if self._homes[recording_id] == row.collection] or found
        agents = self._agents.get(matching[0], []) if matching else []
        return next(
            (agent for agent in agents if agent.position == row.agent and agent.participant_id is not None),
            None,
        )


def _existing_ratings(session: Session) -> set[tuple[str, str, str | None]]:
    """Return recording, annotator and participant of every existing rating."""
    return {
        (segment.recording_id, segment.annotator_id, str(values[_WHO]) if _WHO in values else None)
        for segment, values in valued_segments(session.study, SCHEME)
    }
