"""Exports a copy of the annotations alone, without texts, names and footage."""

from pathlib import Path

from annotate.chains.chain_versions import chain_checksum
from project.entities.study_records import Changes
from project.progress import Progress, Silent
from project.queries.chain_rows import find_chain, read_graph
from project.queries.history_rows import SharedCopy, record_shared_copy
from project.session.session import Session
from project.sharing.annotations_only_copy import AnnotationsCopy, share_annotations
from project.store.study import Study
from project.timebase import utc_now

_SILENT = Silent()
INCLUDED_CONTENT = (
    "segments with their labels, and choices and numbers of their forms",
    "turns without words, nodes and edges of chains without texts",
    "reviews without notes, judgments without words",
    "annotators, participants and recordings under codes",
)
"""Contents of a copy, for people."""
EXCLUDED_CONTENT = (
    "transcripts, rationales, comments, notes, questions, summaries",
    "names, file names and paths, participants' consent",
    "faces, thumbnails, waveforms, runs of models, raw answers, prompts, item sets",
    "history, conflicts, settings, held-out recordings",
)
"""What a copy does not contain, for people."""


def export_annotations_copy(
    session: Session, out: Path, progress: Progress = _SILENT
) -> tuple[AnnotationsCopy, Changes | None]:
    """Write a copy that holds annotations alone, under ids of its own; it cannot be merged.

    The study notes the copy, for the day on which a participant withdraws, right before it is there: whatever happens,
    none is unknown. What changed is None where the study can only be read, and notes nothing.

    Raises:
        Cancelled: the user stopped it; nothing was written.
    """
    noted: list[Changes] = []

    def note(path: Path) -> None:
        if not session.study.read_only:
            who = session.annotator()
            copy = SharedCopy(utc_now(), path.name)
            noted.append(record_shared_copy(session.study, copy, None if who is None else who.id))

    made = share_annotations(session.study, out, utc_now(), _chain_state, placing=note, progress=progress)
    return made, noted[0] if noted else None


def _chain_state(study: Study, chain_id: str) -> str:
    chain = find_chain(study, chain_id)
    return "" if chain is None else chain_checksum(read_graph(study, chain))
