"""What holds for every interchange format."""

from pathlib import Path

import pytest

from annotate.interchange.annotation_files import (
    FORMATS,
    apply_import,
    get_format,
    guess_format,
    plan_import,
    read_file,
)
from annotate.interchange.document_export import export_recordings, exportable_recordings
from annotate.interchange.lane_entries import guess_recordings
from annotate.interchange.lane_mapping import guess_mapping
from annotate.team.assignments import hold_out
from project.entities.study_records import Utterance
from project.ids import new_id
from project.queries.recording_rows import all_participants, all_recordings
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import insert_utterances
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study

WITHOUT_WHO = ("srt-plain", "webvtt-segments", "srt-segments")
"""What they hold cannot be known again: who speaks is left out, or segments are shown as captions."""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory, session_folders: None) -> Path:
    path = tmp_path_factory.mktemp("study") / "small.greenroom"
    with Study.create(path) as made:
        fill_study(made, 2, 20, 2)
        speaker = all_participants(made)[0]
        said = [
            Utterance(new_id(), r.id, 1_000_000, 2_500_000, "Hello there.", speaker.id) for r in all_recordings(made)
        ]
        with made.without_history():
            insert_utterances(made, said)
    return path


@pytest.mark.parametrize("key", FORMATS)
def test_it_says_what_it_is_and_what_it_writes_is_recognised_and_adds_nothing_to_where_it_is_from(
    key: str, study: Path, tmp_path: Path
) -> None:
    file_format = get_format(key)
    assert file_format.key == key
    assert file_format.losses
    assert all(loss.endswith(".") for loss in file_format.losses)
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in file_format.suffixes)
    with Session.open(study, "Ada") as session:
        paths = export_recordings(
            session, file_format, tmp_path / f"out{file_format.suffixes[0]}", exportable_recordings(session)
        )
        before = all_segments(session.study)
        assert paths
        for path in paths:
            assert guess_format(path).suffixes == file_format.suffixes
            document = read_file(path, key)
            assert document.recordings
            mapping, places = guess_mapping(session, document), guess_recordings(session, document)
            plan = plan_import(session, document, mapping, places)
            if key not in WITHOUT_WHO:
                assert plan.added == 0
                assert plan.known
                apply_import(session, plan, path.name)
        assert all_segments(session.study) == before


@pytest.mark.parametrize("key", FORMATS)
def test_a_hold_out_is_in_no_file(key: str, study: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.greenroom"
    copy.write_bytes(study.read_bytes())
    with Session.open(copy, "Ada") as session:
        first, second = exportable_recordings(session)
        hold_out(session, first.id)
        assert [exportable_recording.id for exportable_recording in exportable_recordings(session)] == [second.id]
        paths = export_recordings(session, get_format(key), tmp_path / "out", exportable_recordings(session))
        assert paths
        for path in paths:
            content = path.read_bytes()
            assert first.id.encode() not in content
            assert first.name.encode() not in content
