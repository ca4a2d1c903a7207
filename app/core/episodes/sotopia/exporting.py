"""Writes episodes and people's ratings of them as SOTOPIA-pi writes them."""

import json
from collections.abc import Sequence
from pathlib import Path

from app.core.csv_cells import Cell, as_csv
from app.core.episodes.ratings import ratings_of
from app.core.episodes.sotopia.episode_lines import episode_line
from app.core.episodes.sotopia.scores import HEAD
from app.core.episodes.state import EpisodeState, state_of
from app.core.session import Session
from benchmark.dimensions import DIMENSIONS
from project.errors import UserError
from project.queries.annotators import all_annotators
from project.queries.collections import all_collections
from project.queries.episodes import all_episodes
from project.queries.hold_outs import hold_outs
from project.types import Json


def exported_episodes(session: Session, recordings: Sequence[str] = ()) -> list[EpisodeState]:
    """Return the episodes that are written: those named, or all; never one that is held out.

    Raises:
        UserError: there is none, one is no episode, or is held out.
    """
    kept = hold_outs(session.study)
    ids = recordings or [one.recording_id for one in all_episodes(session.study) if one.recording_id not in kept]
    if held := next((one for one in ids if one in kept), None):
        number = session.recording(held).number
        raise UserError(f"Recording {number} is held out, and nothing of it leaves.", "Leave it out.")
    if not ids:
        raise UserError("There is no episode to export.", "Play one: greenroom episode play STUDY")
    return [state_of(session, one) for one in ids]


def write_episodes(session: Session, path: Path, recordings: Sequence[str] = ()) -> int:
    """Write episodes to a new file, a line each; returns how many.

    Raises:
        UserError: there is none, one is held out, there is such a file, or it cannot be written.
    """
    states = exported_episodes(session, recordings)
    lines = [json.dumps(_line(session, one), ensure_ascii=False) for one in states]
    _write(path, "".join(f"{one}\n" for one in lines))
    return len(lines)


def write_scores(session: Session, path: Path, recordings: Sequence[str] = ()) -> int:
    """Write people's whole ratings of episodes to a new CSV file; returns how many rows.

    Raises:
        UserError: as in `write_episodes`, or nobody rated.
    """
    names = {one.id: one.name for one in all_annotators(session.study)}
    rows: list[Sequence[Cell]] = []
    for state in exported_episodes(session, recordings):
        here = state.episode.recording_id
        places = {one.participant_id: one.position + 1 for one in state.agents}
        for one in ratings_of(session, here):
            if one.participant_id in places and one.whole:
                scores = [one.scores[key] for key in DIMENSIONS]
                head = (_home(session, here), state.episode.reference or here, names.get(one.annotator_id, ""))
                rows.append((*head, places[one.participant_id], *scores))
    if not rows:
        raise UserError("Nobody rated these episodes on all seven dimensions yet.", "Rate them first.")
    _write(path, as_csv(HEAD, rows))
    return len(rows)


def _line(session: Session, state: EpisodeState) -> dict[str, Json]:
    return episode_line(state, _home(session, state.episode.recording_id))


def _home(session: Session, recording_id: str) -> str:
    wanted = session.recording(recording_id).collection_id
    return next((one.name for one in all_collections(session.study) if one.id == wanted), "")


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError:
        raise UserError(f"There is a file {path} already.", "Name a new one.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.", "Name another file.") from None
