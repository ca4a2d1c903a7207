"""A copy holds all that the study held when they parted."""

import threading
from pathlib import Path

from project.queries.segment_rows import delete_segment
from project.sharing.annotator_copy import AnnotatorShare, StudyCopyDraft
from project.store.study import Study
from tests.builders.small_study import Small


def test_a_copy_is_filled_again_where_another_thread_edits_while_it_is_finished(small: Small, tmp_path: Path) -> None:
    study, marked = small.study, small.add()
    study.read_without_waiting()
    draft = StudyCopyDraft(study, tmp_path / "copy")
    with Study.open(study.path, read_only=True) as second:
        draft.fill(second, AnnotatorShare(small.annotator, (small.recording.id,)))
    begun = threading.Event()

    def delete() -> None:
        with study.step("Delete", small.annotator.id):
            delete_segment(study, marked.id)
            begun.set()
            threading.Event().wait(0.3)

    thread = threading.Thread(target=delete)
    thread.start()
    begun.wait()
    assert draft.finish(study) is None
    thread.join()
    draft.close()
    assert not (tmp_path / "copy.greenroom").exists()
