"""Sharing annotations alone: a copy without words, names and footage."""

from pathlib import Path

from app.core.chains.state import state_of
from app.core.clock import utc_now
from app.core.session import Session
from project.queries.chains import chain_called, graph_of
from project.sharing.annotations import Shared, share_annotations
from project.sharing.noted import SharedCopy, note_shared
from project.store import Study
from project.types import Changes, Json

GOES = (
    "segments with their labels, and choices and numbers of their forms",
    "turns without words, nodes and edges of chains without texts",
    "reviews without notes, judgments without words",
    "annotators, participants and recordings under codes",
)
"""What a copy holds, in words."""
STAYS = (
    "transcripts, rationales, comments, notes, questions, summaries",
    "names, file names and paths, participants' consent",
    "faces, thumbnails, waveforms, runs of models, raw answers, prompts, item sets",
    "history, conflicts, settings, held-out recordings",
)
"""What it does not hold."""


def scrub(session: Session, out: Path) -> Shared:
    """Write a copy that holds annotations alone, under ids of its own; it cannot be merged.

    The study is only read: `note` writes down that there is a copy.

    Raises:
        UserError: something of that name is there already, or the folder cannot be written to.
    """
    return share_annotations(session.study, out, utc_now(), _chain_state)


def note(session: Session, made: Shared) -> Changes | None:
    """Write into the study that a copy was made, for the day on which a participant withdraws; None where it cannot be.

    Raises:
        UserError: the disk is full.
    """
    if session.study.read_only:
        return None
    who = session.annotator()
    return note_shared(session.study, SharedCopy(utc_now(), made.path.name), None if who is None else who.id)


def as_json(made: Shared) -> dict[str, Json]:
    """Return what was made as a JSON object."""
    return {
        "copy": str(made.path),
        "rows": dict(made.rows),
        "left_out": dict(made.left_out),
        "held_out": made.held_out,
    }


def _chain_state(study: Study, chain_id: str) -> str:
    chain = chain_called(study, chain_id)
    return "" if chain is None else state_of(graph_of(study, chain))
