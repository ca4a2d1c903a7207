"""What a format holds comes back as it was; the lossless one brings back the study itself."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from annotate.interchange.annotation_files import apply_import, get_format, plan_import, read_file
from annotate.interchange.document_export import build_document, export_recordings, exportable_recordings
from annotate.interchange.lane_entries import guess_recordings
from annotate.interchange.lane_mapping import guess_mapping
from annotate.interchange.lossless_format import STUDY, collect_rows
from project.entities.study_records import Changes
from project.session.session import Session
from tests.builders.interchange_studies import Content, compared, contents, everything, opened, opened_empty

KEEPS_IDS = {"eaf": True, "csv": True, "textgrid": False}
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]
SLOW = settings(max_examples=12, deadline=None, suppress_health_check=QUIET)


def bring(session: Session, path: Path) -> Changes:
    document = read_file(path)
    mapping, places = guess_mapping(session, document), guess_recordings(session, document)
    plan = plan_import(session, document, mapping, places)
    assert plan.left_out == 0
    return apply_import(session, plan, path.name)


@pytest.mark.parametrize("key", KEEPS_IDS)
@given(content=contents())
@SLOW
def test_the_stated_subset_comes_back(key: str, content: Content) -> None:
    with opened(content) as source, opened(content.without_work()) as target, tempfile.TemporaryDirectory() as folder:
        paths = export_recordings(source, get_format(key), Path(folder) / "out", exportable_recordings(source))
        before = everything(source)
        for path in paths:
            bring(target, path)
            bring(source, path)
        assert everything(source) == before
        wanted = compared(build_document(source, exportable_recordings(source)), ids=KEEPS_IDS[key])
        assert compared(build_document(target, exportable_recordings(target)), ids=KEEPS_IDS[key]) == wanted
        after = everything(target)
        for path in paths:
            bring(target, path)
        assert everything(target) == after


@given(content=contents())
@SLOW
def test_the_lossless_one_makes_the_same_study_again(content: Content) -> None:
    with opened(content) as source, tempfile.TemporaryDirectory() as folder:
        [path] = export_recordings(
            source, get_format("jsonl"), Path(folder) / "out.jsonl", exportable_recordings(source)
        )
        before = everything(source)
        bring(source, path)
        assert everything(source) == before
        with opened_empty(content.annotators[0].name) as target:
            bring(target, path)
            wanted = collect_rows(source, [recording.id for recording in content.recordings])
            found = collect_rows(target, [recording.id for recording in content.recordings])
            assert {**found, STUDY: ()} == {**wanted, STUDY: ()}
            assert found[STUDY][0]["schemes"] == wanted[STUDY][0]["schemes"]
            target.study.undo()
            assert not target.study.rows("SELECT 1 FROM recording UNION ALL SELECT 1 FROM segment")
