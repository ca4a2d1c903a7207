"""What is left in caches: swept at the start of the program, and nobody else may look into it."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from anonymize.local_files.file_traces import remove_leftovers
from project.files.temporary_files import cache_folder
from project.session.settings import log_path

DAY_S = 24 * 3600


def put(place: Path, days: float) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"a face")
    os.utime(place, (time.time() - days * DAY_S,) * 2)
    return place


def test_what_was_left_goes_and_what_is_in_use_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    base = cache_folder()
    gone = [
        put(base / "previews" / "a.preview.npz", 1),
        put(base / "previews" / "b.preview.wav" / "before.wav", 1).parent,
        put(base / "faces" / "a.tracks.npz", 8),
        put(base / "renderings" / "key" / "frame.npz", 8),
        put(base / "transcripts" / "a.heard", 8),
        put(base / "releases" / "key" / "clip.mp4", 15),
        put(base / "release-texts" / "own" / "texts.json", 0),
        put(base / "thumbnails" / "old.png", 91),
        put(tmp_path / "greenroom-scratch-abcdefgh" / "copy", 0).parent,
    ]
    for folder in (gone[1], gone[3].parent, gone[5].parent):
        os.utime(folder, (time.time() - 15 * DAY_S,) * 2)
    kept = [
        put(base / "previews" / "c.preview.npz", 0),
        put(base / "faces" / "b.tracks.npz", 1),
        put(base / "renderings" / "another" / "frame.npz", 1),
        put(base / "transcripts" / "b.heard", 1),
        put(base / "releases" / "another" / "clip.mp4", 13),
        put(base / "thumbnails" / "new.png", 1),
        put(base / "peaks-abc.npz", 400),
    ]
    remove_leftovers()
    assert [path for path in gone if path.exists()] == []
    assert [path for path in kept if not path.exists()] == []


def test_nobody_else_may_look_into_the_cache_and_the_log() -> None:
    base = cache_folder()
    base.chmod(0o755)
    log = log_path()
    log.chmod(0o644)
    assert cache_folder().stat().st_mode & 0o077 == 0
    assert log_path().stat().st_mode & 0o077 == 0
