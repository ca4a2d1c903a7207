"""Every free text of a study with where it stands and when, for those who search all of them for what is personal."""

from collections.abc import Iterator
from dataclasses import dataclass

from project.searching.texts import Texts
from project.sight import SEEN
from project.store import Study

_CHUNK = 900


@dataclass(frozen=True, slots=True)
class FreeText:
    """One text that somebody wrote or a model heard.

    Attributes:
        table: where it is kept.
        row: id of its row; of a value, of its segment; of a note of a review, segment and reviewer.
        field: the form's field, or the table's column.
        text: as it stands there.
        recording_id: that it belongs to, or None where it belongs to the study as a whole.
        start_us: where on the recording; 0 for the recording as a whole.
        end_us: end of what it is about; equal to `start_us` for the recording as a whole.
    """

    table: str
    row: str
    field: str
    text: str
    recording_id: str | None = None
    start_us: int = 0
    end_us: int = 0


def free_texts(study: Study) -> Iterator[FreeText]:
    """Yield the texts of what is seen: those of each recording by time, in the order of recordings, then the others."""
    found = [*_utterances(study), *_values(study), *_comments(study), *_reviews(study), *_names(study)]
    numbers = {row[0]: row[1] for row in study.rows("SELECT id, number FROM recording")}
    last = max(numbers.values(), default=0) + 1
    yield from sorted(
        found, key=lambda one: (numbers.get(one.recording_id or "", last), one.start_us, one.table, one.row, one.field)
    )


def _utterances(study: Study) -> Iterator[FreeText]:
    for row, recording, start, end, text in study.rows(
        "SELECT id, recording_id, start_us, end_us, text FROM utterance"
    ):
        yield FreeText("utterance", row, "text", text, recording, start, end)


def _values(study: Study) -> Iterator[FreeText]:
    spans = {row[0]: row[1:] for row in study.rows(f"SELECT id, recording_id, start_us, end_us FROM {SEEN}")}
    texts = Texts(study)
    ids = texts.subjects("segment_value")
    for first in range(0, len(ids), _CHUNK):
        for place, text in texts.read("segment_value", ids[first : first + _CHUNK]):
            if place.subject in spans:
                yield FreeText("segment_value", place.subject, place.field, text, *spans[place.subject])


def _comments(study: Study) -> Iterator[FreeText]:
    for row, text, recording, start, end in study.rows(
        f"SELECT c.id, c.text, s.recording_id, s.start_us, s.end_us FROM comment c JOIN {SEEN} s ON s.id = c.segment_id"
    ):
        yield FreeText("comment", row, "text", text, recording, start, end)


def _reviews(study: Study) -> Iterator[FreeText]:
    for segment, reviewer, text, recording, start, end in study.rows(
        "SELECT r.segment_id, r.reviewer_id, r.note, s.recording_id, s.start_us, s.end_us "
        f"FROM review r JOIN {SEEN} s ON s.id = r.segment_id WHERE r.note <> ''"
    ):
        yield FreeText("review", f"{segment}/{reviewer}", "note", text, recording, start, end)


def _names(study: Study) -> Iterator[FreeText]:
    for row, text in study.rows("SELECT id, name FROM recording"):
        yield FreeText("recording", row, "name", text, row)
    for row, name, context in study.rows("SELECT id, name, agent_context FROM collection"):
        yield FreeText("collection", row, "name", name)
        if context:
            yield FreeText("collection", row, "agent_context", context)
    for row, note in study.rows("SELECT id, note FROM participant WHERE note <> ''"):
        yield FreeText("participant", row, "note", note)
