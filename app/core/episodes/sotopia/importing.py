"""Brings a file of SOTOPIA into a study: episodes, scenarios, characters or scores, told apart by what is in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.commands.people import introduced
from app.core.commands.schemes import use_shipped_scheme
from app.core.episodes.casting import Company
from app.core.episodes.sotopia.episode_lines import CONVERSATION, read_episode
from app.core.episodes.sotopia.lines import objects_in
from app.core.episodes.sotopia.profile_lines import FIRST, GOALS, read_character, read_scenario
from app.core.episodes.sotopia.scores import Score, read_scores
from app.core.episodes.starting import put_episode, require_wanted
from app.core.session import Session
from benchmark.dimensions import SCHEME
from project.episodes import EpisodeAgent
from project.errors import UserError
from project.ids import new_id
from project.names import shown
from project.queries.collections import all_collections
from project.queries.episodes import (
    all_agents,
    all_characters,
    all_episodes,
    all_scenarios,
    set_character,
    set_scenario,
)
from project.queries.recordings import all_recordings
from project.queries.segments import insert_segments, insert_values, segments_under, values_of
from project.types import Changes, FieldValue, Json, Segment

_Lines = Sequence[tuple[int, Mapping[str, Json]]]
_TRACK, _LABEL, _WHO = "ratings", "rating", "participant"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought.

    Attributes:
        what: what the file holds: `episodes`, `scenarios`, `characters` or `ratings`.
        added: how many are new.
        known: how many are in the study already.
        homeless: how many are about an episode that is not in the study.
        changes: rows that were added.
    """

    what: str
    added: int
    known: int
    homeless: int
    changes: Changes


SUFFIXES = (".jsonl", ".csv")
"""How the files are called: episodes and profiles a line each, and scores as a table."""


def import_file(session: Session, path: Path) -> Imported:
    """Import a file as one step; nothing is imported where anything in it is wrong.

    Raises:
        UserError: it cannot be read, holds something else, or something in it is wrong; the line is named.
    """
    session.study.require_writable()
    if path.suffix.lower() == ".csv":
        return _scores(session, path)
    lines = objects_in(path)
    keys = lines[0][1].keys()
    if CONVERSATION in keys:
        return _episodes(session, path, lines)
    if GOALS in keys:
        return _scenarios(session, path, lines)
    if FIRST in keys:
        return _characters(session, path, lines)
    raise UserError(
        f"{shown(path.name)} holds neither episodes, environment profiles nor agent profiles of SOTOPIA.",
        f"The first line of such a file has “{CONVERSATION}”, “{GOALS}” or “{FIRST}”.",
    )


def _episodes(session: Session, path: Path, lines: _Lines) -> Imported:
    known = {one.context: one.relationship for one in all_scenarios(session.study)}
    homes = {one.id: one.name for one in all_collections(session.study)}
    places = {one.id: homes[one.collection_id] for one in all_recordings(session.study)}
    there = {(places[one.recording_id], one.reference) for one in all_episodes(session.study) if one.reference}
    wanted = [read_episode(path, number, found, known) for number, found in lines]
    new = []
    for one in wanted:
        key = (one.collection, one.episode.reference)
        if not one.episode.reference or key not in there:
            require_wanted(one)
            new.append(one)
            there.add(key)
    if not new:
        return Imported("episodes", 0, len(wanted), 0, Changes())
    company = Company(session)
    with session.step(f"Import {path.name}") as step:
        for one in new:
            put_episode(session, one, company)
    return Imported("episodes", len(new), len(wanted) - len(new), 0, step.changes)


def _scenarios(session: Session, path: Path, lines: _Lines) -> Imported:
    there = {(one.context, one.relationship, one.goals) for one in all_scenarios(session.study)}
    found = [read_scenario(path, number, one) for number, one in lines]
    new = {(one.context, one.relationship, one.goals): one for one in found}
    fresh = [one for key, one in new.items() if key not in there]
    if not fresh:
        return Imported("scenarios", 0, len(found), 0, Changes())
    with session.step(f"Import {path.name}") as step:
        for one in fresh:
            set_scenario(session.study, one)
    return Imported("scenarios", len(fresh), len(found) - len(fresh), 0, step.changes)


def _characters(session: Session, path: Path, lines: _Lines) -> Imported:
    there = {one.profile for one in all_characters(session.study)}
    found = [read_character(path, number, one) for number, one in lines]
    fresh = [one for one in {each.profile: each for each in found}.values() if one.profile not in there]
    if not fresh:
        return Imported("characters", 0, len(found), 0, Changes())
    with session.step(f"Import {path.name}") as step:
        for one in fresh:
            set_character(session.study, one)
    return Imported("characters", len(fresh), len(found) - len(fresh), 0, step.changes)


def _scores(session: Session, path: Path) -> Imported:
    rows = read_scores(path)
    placed = _Placed(session)
    rated = [(one, placed.agent(one)) for one in rows]
    about = [(row, agent) for row, agent in rated if agent is not None]
    if not about:
        raise UserError(
            f"No episode of this study is rated in {shown(path.name)}.", "Import the episodes first, then their scores."
        )
    scheme, used = use_shipped_scheme(session, SCHEME)
    raters = {one.name: one.id for one in introduced(session, [*dict.fromkeys(row.rater for row, _ in about)])}
    there = _known(session)
    lengths = {one.id: one.duration_us for one in all_recordings(session.study)}
    segments, values, known = [], [], 0
    for row, agent in about:
        who = raters[row.rater]
        if (agent.recording_id, who, agent.participant_id) in there:
            known += 1
            continue
        there.add((agent.recording_id, who, agent.participant_id))
        span = (0, lengths[agent.recording_id])
        made = Segment(new_id(), agent.recording_id, who, _LABEL, *span, SCHEME, _TRACK)
        segments.append(made)
        told: dict[str, Json] = {_WHO: agent.participant_id, **row.scores}
        values += [FieldValue(made.id, SCHEME, scheme.version, key, value) for key, value in told.items()]
    homeless = len(rows) - len(about)
    if not segments:
        return Imported("ratings", 0, known, homeless, used)
    with session.step(f"Import {path.name}") as step:
        session.schemes.keep(scheme)
        insert_segments(session.study, segments)
        insert_values(session.study, values)
    return Imported("ratings", len(segments), known, homeless, used | step.changes)


class _Placed:
    """Finds whom a row rates."""

    def __init__(self, session: Session) -> None:
        homes = {one.id: one.name for one in all_collections(session.study)}
        self._homes = {one.id: homes[one.collection_id] for one in all_recordings(session.study)}
        self._agents = all_agents(session.study)
        self._episodes: dict[str, list[str]] = {}
        for one in all_episodes(session.study):
            if one.reference:
                self._episodes.setdefault(one.reference, []).append(one.recording_id)

    def agent(self, row: Score) -> EpisodeAgent | None:
        """Return whom a row rates; None where its episode is not here, or has no such agent."""
        found = self._episodes.get(row.episode, [])
        here = [one for one in found if self._homes[one] == row.home] or found
        agents = self._agents.get(here[0], []) if here else []
        return next((one for one in agents if one.position == row.agent and one.participant_id is not None), None)


def _known(session: Session) -> set[tuple[str, str, str | None]]:
    """Return recording, annotator and participant of every rating that is there."""
    found: set[tuple[str, str, str | None]] = set()
    for one in segments_under(session.study, SCHEME):
        who = values_of(session.study, one.id).get(_WHO)
        found.add((one.recording_id, one.annotator_id, str(who.value) if who is not None else None))
    return found
