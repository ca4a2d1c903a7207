"""Text is looked for by a job, suggested until an area masks it, and accepted as one step."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.study import recording_edits as history
from anonymize.faces import text_regions_job as text_regions
from anonymize.faces.face_review_edits import add_areas
from project.entities.face_regions import Keyframe, RegionKind
from project.errors import UserError
from project.progress import Silent
from project.queries.face_rows import regions_of
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.face_study import only_recording, open_lab
from tests.builders.text_network import install_text_network


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as session:
        yield session


def test_without_a_network_the_job_says_how_to_get_one(lab: Session) -> None:
    with pytest.raises(UserError, match="not installed"):
        text_regions.prepare(lab, only_recording(lab))


def test_what_a_run_found_is_suggested_until_an_area_masks_it(lab: Session, tmp_path: Path) -> None:
    here = only_recording(lab)
    install_text_network(tmp_path)
    work = text_regions.prepare(lab, here)
    result, changes = run_inline(lab, work, Silent())
    assert result["looks"] == 1
    assert len(changes.ids("run")) == 1
    found = {"box": [10, 12, 40, 8], "start_us": 0, "end_us": 80_000, "looks": 2, "score": 0.9}
    text_regions.store(lab, work, {**result, "areas": [found, {**found, "box": [80, 90, 30, 10]}]})
    first, second = text_regions.suggested_areas(lab, here)
    assert (first.box, first.start_us, first.end_us) == ((10, 12, 40, 8), 0, 80_000)
    add_areas(lab, here, [(Keyframe(0, *first.box), first.end_us)], "text")
    assert text_regions.suggested_areas(lab, here) == [second]
    assert [(region.kind, region.label) for region in regions_of(lab.study, here)] == [(RegionKind.AREA, "text")]
    history.undo(lab)
    assert len(text_regions.suggested_areas(lab, here)) == 2
