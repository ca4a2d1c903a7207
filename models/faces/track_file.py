"""Passes face tracks between a worker process and the study in a private file."""

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from project.entities.study_records import FaceTrack
from project.errors import UserError
from project.files.atomic_files import explain_os_errors, new_private_file
from project.files.temporary_files import sweep_caches

_SUFFIX = ".tracks.npz"
_ARRAYS = ("frames", "times_us", "boxes", "scores", "origins")


def save_tracks(tracks: Sequence[FaceTrack], folder: Path) -> Path:
    """Write tracks to a new private file in `folder` and return its path."""
    arrays = {f"{name}{i}": getattr(track, name) for i, track in enumerate(tracks) for name in _ARRAYS}
    arrays["ids"] = np.array([track.id for track in tracks], dtype=np.str_)
    arrays["participants"] = np.array([track.participant_id or "" for track in tracks], dtype=np.str_)
    arrays["dismissed"] = np.array([track.dismissed for track in tracks], dtype=np.bool_)
    with explain_os_errors(
        f"The face tracks cannot be kept in {folder}",
        "Free some space, or name a writable cache folder in XDG_CACHE_HOME.",
    ):
        folder.mkdir(parents=True, exist_ok=True)
        sweep_caches("faces")
        with new_private_file(folder, _SUFFIX) as (path, file):
            np.savez(file, allow_pickle=False, **arrays)
    return path


def take_tracks(path: Path, sha256: str = "") -> list[FaceTrack]:
    """Read what `save_tracks` wrote, and remove the file.

    `sha256` is that of the file as it was written, where what is hidden depends on it.
    """
    try:
        content = path.read_bytes()
        if sha256 and hashlib.sha256(content).hexdigest() != sha256:
            raise UserError("The face tracks in the cache have changed since the job started.", "Start the job again.")
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            return [
                FaceTrack(
                    id=str(stored["ids"][i]),
                    participant_id=str(stored["participants"][i]) or None,
                    dismissed=bool(stored["dismissed"][i]),
                    **{name: stored[f"{name}{i}"] for name in _ARRAYS},
                )
                for i in range(len(stored["ids"]))
            ]
    finally:
        path.unlink(missing_ok=True)
