"""The file that keeps the frames of an unfinished tracking."""

from dataclasses import asdict
from pathlib import Path

from models.faces.frame_detections import Observation, ObservationLog
from tests.builders.face_pictures import seen

WORK = {"source": "abc"}
SEEN = [seen(0, (1, 2, 3, 4, 0.5)), seen(1, looked=False), seen(2, cut=True, damaged=True)]


def _written(path: Path) -> None:
    with ObservationLog(path, WORK) as log:
        for observation in SEEN:
            log.add(observation)


def _plain(seen: list[Observation]) -> list[dict[str, object]]:
    return [{**asdict(o), "hits": o.hits.tolist(), "descriptions": o.descriptions.tolist()} for o in seen]


def _same(a: list[Observation], b: list[Observation]) -> bool:
    return _plain(a) == _plain(b)


def test_what_was_added_is_found_again(tmp_path: Path) -> None:
    _written(tmp_path / "log")
    with ObservationLog(tmp_path / "log", WORK) as log:
        assert _same(log.found, SEEN)


def test_frames_that_are_not_in_order_end_what_is_believed(tmp_path: Path) -> None:
    with ObservationLog(tmp_path / "log", WORK) as log:
        for observation in (SEEN[0], SEEN[2], SEEN[1]):
            log.add(observation)
    with ObservationLog(tmp_path / "log", WORK) as log:
        assert _same(log.found, SEEN[:1])


def test_removed_when_done(tmp_path: Path) -> None:
    with ObservationLog(tmp_path / "deep" / "log", WORK) as log:
        log.add(SEEN[0])
        log.remove()
    assert not (tmp_path / "deep" / "log").exists()
