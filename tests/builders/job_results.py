"""Results of jobs, as if the work had been done."""

from pathlib import Path
from typing import Any

from anonymize.export.export_job import ClipExportResult
from anonymize.faces.face_tracking_job import FaceTrackingResult


def tracked(file: Path, frames: int, tracks: int = 0, **facts: Any) -> FaceTrackingResult:
    """Return that tracks in a file were found in so many frames."""
    usual = {"detector_parameters": {}, "damaged_frames": (), "cuts": (), "looked": frames, "suggested": ()}
    usual |= {"suggested_confidence": (), "ends_early_s": 0.0, "seconds": 1.0, "source_sha256": ""}
    usual |= {"frames_with_face": frames if tracks else 0}
    return FaceTrackingResult(file=file, frames=frames, tracks=tracks, **{**usual, **facts})


def exported(output: Path, frames: int, **facts: Any) -> ClipExportResult:
    """Return that a clip of so many frames was written."""
    usual = dict.fromkeys(("blanked", "undrawn", "faces_left", "doubtful", "bare"), ())
    usual |= {"sha256": "", "zero_us": 0, "checked_by": "centerface", "independent": False, "ends_early_s": 0.0}
    usual |= {"sound": None, "options": {}, "weights": {}, "seconds": 1.0}
    return ClipExportResult(output=output, frames=frames, **{**usual, **facts})
