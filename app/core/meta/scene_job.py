"""The job that suggests scene changes: pre-labels of the scheme `scenes`, until somebody accepts or rejects them."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from app.core.clock import utc_now
from app.core.commands.schemes import use_shipped_scheme
from app.core.cues.placing import Placed
from app.core.cues.prelabels import renew_prelabels
from app.core.jobs import Work
from app.core.meta.scenes import CHANGE, CUT, SCHEME, SHOWN_US
from app.core.session import Session
from project.ids import new_id
from project.progress import Progress
from project.queries.runs import insert_run
from project.types import Changes, Json, Run
from project.version import __version__

KIND = "scenes"
_BACKEND = "pictures"


def prepare(session: Session, recording_id: str) -> Work:
    """Make the job for one recording.

    Raises:
        UserError: its file is missing, was replaced, or has no picture.
    """
    located = session.usable_picture(recording_id)
    recording = session.recording(recording_id)
    parameters: dict[str, Json] = {"path": str(located.path), "fingerprint": located.medium.fingerprint}
    return Work(KIND, f"Find scene changes in recording {recording.number}", recording_id, parameters)


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Look at every picture; `changes` are positions of frames, `times_us` their times on the recording's axis."""
    from media.index import load_index
    from models.scene_changes import scene_changes

    began = time.monotonic()
    path = Path(str(parameters["path"]))
    index = load_index(path)
    found = scene_changes(path, index, progress)
    return {
        "frames": len(index),
        "changes": [*found],
        "times_us": [index.times.time_of(one) for one in found],
        "seconds": round(time.monotonic() - began, 3),
    }


def store(session: Session, work: Work, result: Mapping[str, Json]) -> Changes:
    """Keep the figures as a run, and put pre-labels in place of those that nobody decided on."""
    last = session.recording(work.recording_id).duration_us
    parameters = {key: value for key, value in work.parameters.items() if key != "path"}
    run = Run(new_id(), work.recording_id, KIND, _BACKEND, parameters, dict(result), utc_now(), __version__)
    found = [
        Placed(CHANGE, CUT, time_us, min(time_us + SHOWN_US, last), None, "")
        for time_us in cast(list[int], result["times_us"])
        if time_us < last
    ]
    changes = Changes.of([("run", run.id)])
    if found and not session.schemes.uses(SCHEME):
        changes |= use_shipped_scheme(session, SCHEME)[1]
    with session.study.together():
        with session.study.recording_run():
            insert_run(session.study, run)
        return changes | renew_prelabels(session, work.recording_id, found, SCHEME)
