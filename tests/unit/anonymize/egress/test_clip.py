"""Where a rendering lies, and that a window does not stand still to find out."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from anonymize.privacy import exported_clips as clip
from anonymize.privacy.exported_clips import find_unchanged_clip, list_unread_renderings, read_checksums
from project.entities.study_records import Run
from project.session.session import Session
from project.store.study import Study

CONTENT = b"a rendering"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setattr(clip, "_CHECKSUMS", {})
    monkeypatch.setattr(clip, "MAX_FOREGROUND_BYTES", len(CONTENT) - 1)
    with Session(Study.create(tmp_path / "lab"), "Ada") as session:
        (session.study.folder / "clip.mp4").write_bytes(CONTENT)
        yield session


def run_of(digest: str = hashlib.sha256(CONTENT).hexdigest()) -> Run:
    return Run("run", "r-1", "anonymize", "solid", {}, {"output": "clip.mp4", "sha256": digest}, "", "")


def test_whoever_has_time_reads_it_at_once(session: Session) -> None:
    place = session.study.folder / "clip.mp4"
    assert find_unchanged_clip(session, run_of()) == place
    assert find_unchanged_clip(session, run_of("0" * 64)) is None
    assert list_unread_renderings(session, [run_of()]) == []


def test_a_window_knows_a_large_one_only_after_somebody_read_it(session: Session) -> None:
    session.patient = False
    place = session.study.folder / "clip.mp4"
    assert find_unchanged_clip(session, run_of()) is None
    assert list_unread_renderings(session, [run_of()]) == [place]
    read_checksums([place])
    assert list_unread_renderings(session, [run_of()]) == []
    assert find_unchanged_clip(session, run_of()) == place
    place.write_bytes(b"another file")
    assert find_unchanged_clip(session, run_of()) is None
    assert list_unread_renderings(session, [run_of()]) == [place]


def test_a_window_reads_a_small_one_itself(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.patient = False
    monkeypatch.setattr(clip, "MAX_FOREGROUND_BYTES", len(CONTENT))
    assert find_unchanged_clip(session, run_of()) == session.study.folder / "clip.mp4"


def test_one_that_cannot_be_read_is_tried_once(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(place: Path) -> str:
        raise OSError

    monkeypatch.setattr(clip, "file_sha256", fail)
    session.patient = False
    assert list_unread_renderings(session, [run_of()])
    read_checksums([session.study.folder / "clip.mp4"])
    assert list_unread_renderings(session, [run_of()]) == []
    assert find_unchanged_clip(session, run_of()) is None
