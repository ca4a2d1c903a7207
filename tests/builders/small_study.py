"""A study with little in it."""

from dataclasses import dataclass

from project.entities.study_records import Annotator, Collection, Recording, Segment, Verdict
from project.ids import new_id
from project.queries.annotator_rows import insert_annotator
from project.queries.recording_rows import insert_collection, insert_recording
from project.queries.segment_rows import insert_segment
from project.queries.study_schemes import insert_version
from project.schemes.scheme_file import shipped_text
from project.store.study import Study


@dataclass(frozen=True)
class Small:
    study: Study
    collection: Collection
    recording: Recording
    annotator: Annotator

    def segment(self, start_us: int = 1_000_000, end_us: int = 2_000_000) -> Segment:
        return Segment(new_id(), self.recording.id, self.annotator.id, Verdict.ERROR, start_us, end_us)

    def add(self, start_us: int = 1_000_000, end_us: int = 2_000_000) -> Segment:
        segment = self.segment(start_us, end_us)
        with self.study.step("Add segment", self.annotator.id):
            insert_segment(self.study, segment)
        return segment


def furnish(study: Study) -> Small:
    collection = Collection(new_id(), "Wellness", "A coach")
    small = Small(
        study, collection, Recording(new_id(), collection.id, 1, "First", 60_000_000), Annotator(new_id(), "Anna")
    )
    with study.step("Set up", undoable=False):
        insert_collection(study, small.collection)
        insert_recording(study, small.recording)
        insert_annotator(study, small.annotator)
        insert_version(study, "shrec", 1, shipped_text("shrec"))
    return small
