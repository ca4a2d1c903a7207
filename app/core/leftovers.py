"""Removes what nobody comes back for: raw material of killed processes, pictures of footage not looked at for long."""

import time
from contextlib import suppress
from pathlib import Path

from app.core.faces import hiding, track_file
from app.core.release.staging import sweep_prepared
from app.core.rendering import preview
from app.core.speech import recognition_log
from app.core.voice import preview as sound_preview
from media.cache import cache_folder
from project.scratch import sweep_own_folders

_KEPT_S = 90 * 24 * 3600
"""How long a picture in the list of recordings is kept; making it anew takes a moment."""


def sweep_leftovers() -> None:
    """Remove it, each kind by the rule of the part that makes it: what somebody may come back for stays a while."""
    sweep_own_folders()
    base = cache_folder()
    preview.sweep(base / "previews")
    sound_preview.sweep(base / "previews")
    track_file.sweep(base / "faces")
    hiding.sweep(base / "renderings")
    recognition_log.sweep(base / "transcripts")
    sweep_prepared(base / "release-texts")
    _sweep_pictures(base / "thumbnails")


def _sweep_pictures(folder: Path) -> None:
    for picture in folder.glob("*.png"):
        with suppress(OSError):
            if time.time() - picture.stat().st_mtime > _KEPT_S:
                picture.unlink()
