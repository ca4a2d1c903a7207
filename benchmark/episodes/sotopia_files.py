"""Imports and exports files of SOTOPIA: episodes and ratings.

For import also characters, their relationships, scenarios, and the combinations of both that are to be played.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotate.interchange.document_import import import_step
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
    SotopiaScore,
    episode_json,
    read_bond,
    read_character,
    read_combination,
    read_episode,
    read_json_objects,
    read_scenario,
    read_scores,
)
from benchmark.metrics.published_figures import DIMENSIONS, SCHEME
from project.entities.roleplay import Character, CharacterBond, EpisodeAgent, Scenario
from project.entities.study_records import Changes, FieldValue, Json, Segment
from project.errors import UserError
from project.ids import new_id
from project.queries.annotator_rows import all_annotators
from project.queries.episode_rows import (
    all_agents,
    all_characters,
    all_episodes,
    all_scenarios,
    set_character,
    set_scenario,
)
from project.queries.recording_rows import all_collections, all_recordings, hold_outs
from project.queries.segment_rows import insert_segments, insert_values, segments_of_scheme, values_of
from project.session.session import Session
from project.text_format import Cell, escape_unprintable, to_csv


def select_episodes(session: Session, recordings: Sequence[str] = ()) -> list[EpisodeState]:
    """Return the episodes to export: those named, or all that are not held out."""
    held_out_ids = hold_outs(session.study)
    ids = recordings or [
        episode.recording_id for episode in all_episodes(session.study) if episode.recording_id not in held_out_ids
    ]
    if held_out_id := next((recording_id for recording_id in ids if recording_id in held_out_ids), None):
        number = session.recording(held_out_id).number
        raise UserError(f"Recording {number} is held out, and nothing of it leaves.", "Leave it out.")
    if not ids:
        raise UserError("There is no episode to export.", "Play one: greenroom episode play STUDY")
    return [read_episode_state(session, recording_id) for recording_id in ids]


def write_episodes(session: Session, path: Path, recordings: Sequence[str] = ()) -> int:
    """Write episodes to a new file, a line each; returns how many."""
    states = select_episodes(session, recordings)
    lines = [json.dumps(_episode_json(session, state), ensure_ascii=False) for state in states]
    _write_new_file(path, "".join(f"{line}\n" for line in lines))
    return len(lines)


def write_scores(session: Session, path: Path, recordings: Sequence[str] = ()) -> int:
    """Write the complete ratings of people to a new CSV file; returns how many rows."""
    names = {annotator.id: annotator.name for annotator in all_annotators(session.study)}
    rows: list[Sequence[Cell]] = []
    for state in select_episodes(session, recordings):
        here = state.episode.recording_id
        places = {agent.participant_id: agent.position + 1 for agent in state.agents}
        for rating in read_ratings(session, here):
            if rating.participant_id in places and rating.is_complete:
                scores = [rating.scores[key] for key in DIMENSIONS]
                head = (
                    _collection_name(session, here),
                    state.episode.reference or here,
                    names.get(rating.annotator_id, ""),
                )
                rows.append((*head, places[rating.participant_id], *scores))
    if not rows:
        raise UserError("Nobody rated these episodes on all seven dimensions yet.", "Rate them first.")
    _write_new_file(path, to_csv(CSV_COLUMNS, rows))
    return len(rows)


def _episode_json(session: Session, state: EpisodeState) -> dict[str, Json]:
    return episode_json(state, _collection_name(session, state.episode.recording_id))


def _collection_name(session: Session, recording_id: str) -> str:
    wanted = session.recording(recording_id).collection_id
    return next((collection.name for collection in all_collections(session.study) if collection.id == wanted), "")


def _write_new_file(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError:
        raise UserError(f"There is a file {path} already.", "Name a new one.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.", "Name another file.") from None


_NumberedObjects = Sequence[tuple[int, Mapping[str, Json]]]
_TRACK, _LABEL, _WHO = "ratings", "rating", "participant"


@dataclass(frozen=True, slots=True)
class SotopiaImportResult:
    """What an import added.

    Attributes:
        kind: what the file holds: `episodes`, `scenarios`, `characters`, `relationships`, `combinations` or `ratings`.
        added: how many are new.
        existing: how many are in the study already.
        unmatched: how many are about an episode, a scenario or a character that is not in the study.
        changes: rows that were added.
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
    lines = read_json_objects(path)
    known = next((key for key in _IMPORTERS if key in lines[0][1]), None)
    if known is None:
        raise UserError(
            f"{escape_unprintable(path.name)} holds nothing of SOTOPIA.",
            f"The first line of such a file has one of {', '.join(_IMPORTERS)}.",
        )
    return _IMPORTERS[known](session, path, lines, keep_rest)


def sort_files(paths: Sequence[Path]) -> list[Path]:
    """Return files in the order in which they can be imported: what others refer to comes first."""

    def place(path: Path) -> int:
        if path.suffix.lower() == ".csv":
            return len(_IMPORTERS)
        first = read_json_objects(path)[0][1]
        return next((at for at, key in enumerate(_IMPORTERS) if key in first), 0)

    return sorted(paths, key=place)


def _import_episodes(session: Session, path: Path, lines: _NumberedObjects, keep_rest: bool) -> SotopiaImportResult:
    known = {scenario.context: scenario.relationship for scenario in all_scenarios(session.study)}
    names_by_id = {collection.id: collection.name for collection in all_collections(session.study)}
    collection_names = {
        recording.id: names_by_id[recording.collection_id] for recording in all_recordings(session.study)
    }
    existing = {
        (collection_names[episode.recording_id], episode.reference)
        for episode in all_episodes(session.study)
        if episode.reference
    }
    setups = [read_episode(path, number, found, known) for number, found in lines]
    new = []
    for episode_setup in setups:
        key = (episode_setup.collection, episode_setup.episode.reference)
        if not episode_setup.episode.reference or key not in existing:
            require_valid_setup(episode_setup)
            new.append(episode_setup)
            existing.add(key)
    if not new:
        return SotopiaImportResult("episodes", 0, len(setups), 0, Changes())
    company = SeatAssignment(session)
    with import_step(session, f"Import {path.name}", keep_rest=keep_rest) as step:
        for episode_setup in new:
            insert_episode_recording(session, episode_setup, company)
    return SotopiaImportResult("episodes", len(new), len(setups) - len(new), 0, step.changes)


def _import_scenarios(session: Session, path: Path, lines: _NumberedObjects, keep_rest: bool) -> SotopiaImportResult:
    existing = {_scenario_key(scenario) for scenario in all_scenarios(session.study)}
    found = [read_scenario(path, number, entry) for number, entry in lines]
    new = {_scenario_key(scenario): scenario for scenario in found}
    added = [scenario for key, scenario in new.items() if key not in existing]
    if not added:
        return SotopiaImportResult("scenarios", 0, len(found), 0, Changes())
    with import_step(session, f"Import {path.name}", keep_rest=keep_rest) as step:
        for scenario in added:
            set_scenario(session.study, scenario)
    return SotopiaImportResult("scenarios", len(added), len(found) - len(added), 0, step.changes)


def _import_characters(session: Session, path: Path, lines: _NumberedObjects, keep_rest: bool) -> SotopiaImportResult:
    existing = {(character.profile, character.reference) for character in all_characters(session.study)}
    found = [read_character(path, number, entry) for number, entry in lines]
    new = {(character.profile, character.reference): character for character in found}
    added = [character for key, character in new.items() if key not in existing]
    if not added:
        return SotopiaImportResult("characters", 0, len(found), 0, Changes())
    with import_step(session, f"Import {path.name}", keep_rest=keep_rest) as step:
        for character in added:
            set_character(session.study, character)
    return SotopiaImportResult("characters", len(added), len(found) - len(added), 0, step.changes)


def _scenario_key(scenario: Scenario) -> tuple[object, ...]:
    return scenario.context, scenario.relationship, scenario.goals, scenario.reference


def _import_bonds(session: Session, path: Path, lines: _NumberedObjects, keep_rest: bool) -> SotopiaImportResult:
    characters = {character.reference: character for character in all_characters(session.study) if character.reference}
    changed: dict[str, Character] = {}
    existing = unmatched = 0
    for number, entry in lines:
        bond = read_bond(path, number, entry)
        first, second = (characters.get(reference) for reference in bond.references)
        if first is None or second is None:
            unmatched += 1
            continue
        made = CharacterBond(second.id, bond.relationship, bond.story)
        if made in first.bonds:
            existing += 1
            continue
        changed[first.reference] = characters[first.reference] = replace(first, bonds=(*first.bonds, made))
    _require_matched(path, lines, unmatched)
    with import_step(session, f"Import {path.name}", keep_rest=keep_rest) as step:
        for character in changed.values():
            set_character(session.study, character)
    return SotopiaImportResult("relationships", len(lines) - existing - unmatched, existing, unmatched, step.changes)


def _import_combinations(session: Session, path: Path, lines: _NumberedObjects, keep_rest: bool) -> SotopiaImportResult:
    characters = {character.reference: character.id for character in all_characters(session.study)}
    scenarios = {scenario.reference: scenario for scenario in all_scenarios(session.study) if scenario.reference}
    changed: dict[str, Scenario] = {}
    existing = unmatched = 0
    for number, entry in lines:
        reference, agents = read_combination(path, number, entry)
        scenario = scenarios.get(reference)
        if scenario is None or not characters.keys() >= {*agents}:
            unmatched += 1
            continue
        cast = tuple(characters[agent] for agent in agents)
        if cast in scenario.casts:
            existing += 1
            continue
        changed[reference] = scenarios[reference] = replace(scenario, casts=(*scenario.casts, cast))
    _require_matched(path, lines, unmatched)
    with import_step(session, f"Import {path.name}", keep_rest=keep_rest) as step:
        for changed_scenario in changed.values():
            set_scenario(session.study, changed_scenario)
    return SotopiaImportResult("combinations", len(lines) - existing - unmatched, existing, unmatched, step.changes)


def _require_matched(path: Path, lines: _NumberedObjects, unmatched: int) -> None:
    if unmatched == len(lines):
        raise UserError(
            f"Nothing that {escape_unprintable(path.name)} is about is in this study.",
            "Import the agent profiles and the environment profiles first.",
        )


def _import_scores(session: Session, path: Path, keep_rest: bool) -> SotopiaImportResult:
    rows = read_scores(path)
    finder = _AgentFinder(session)
    rated = [(sotopia_score, finder.find_agent(sotopia_score)) for sotopia_score in rows]
    matched = [(row, agent) for row, agent in rated if agent is not None]
    if not matched:
        raise UserError(
            f"No episode of this study is rated in {escape_unprintable(path.name)}.",
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


_IMPORTERS: Mapping[str, Callable[[Session, Path, _NumberedObjects, bool], SotopiaImportResult]] = {
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
        homes = {collection.id: collection.name for collection in all_collections(session.study)}
        self._homes = {recording.id: homes[recording.collection_id] for recording in all_recordings(session.study)}
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
            (
                episode_agent
                for episode_agent in agents
                if episode_agent.position == row.agent and episode_agent.participant_id is not None
            ),
            None,
        )


def _existing_ratings(session: Session) -> set[tuple[str, str, str | None]]:
    """Return recording, annotator and participant of every existing rating."""
    found: set[tuple[str, str, str | None]] = set()
    for segment in segments_of_scheme(session.study, SCHEME):
        who = values_of(session.study, segment.id).get(_WHO)
        found.add((segment.recording_id, segment.annotator_id, str(who.value) if who is not None else None))
    return found
