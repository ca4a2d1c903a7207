"""Renderings of recordings that have no footage: runs, each with a file of a few bytes where a clip would be."""

import hashlib
from collections.abc import Iterable, Mapping

from project.entities.study_records import Json, Run
from project.ids import new_id
from project.queries.history_rows import insert_run
from project.session.session import Session


def invent_renderings(
    session: Session, recordings: Iterable[str], methods: Iterable[str], parameters: Mapping[str, Json] | None = None
) -> None:
    """Store a run of each method over each recording, with its file in a folder beside the study."""
    folder = session.study.folder / "clips"
    folder.mkdir(exist_ok=True)
    methods = [*methods]
    with session.study.run_transaction():
        for recording in recordings:
            for method in methods:
                name, content = f"{recording}-{method}.mp4", f"{recording} {method}".encode()
                (folder / name).write_bytes(content)
                result: dict[str, Json] = {"output": name, "sha256": hashlib.sha256(content).hexdigest()}
                at = "2026-01-01T00:00:00Z"
                made = Run(new_id(), recording, "anonymize", method, dict(parameters or {}), result, at, "1")
                insert_run(session.study, made)
