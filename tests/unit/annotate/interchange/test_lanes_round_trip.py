"""What each format holds comes back as it was: the stated subset of documents, written and read."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, RecordingPart
from tests.builders.tier_documents import one_part, parts, said_in


def again(key: str, document: Document, suffix: str = "") -> Document:
    """Write a document and read the file."""
    used = get_format(key)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix or used.suffixes[0]}"
        path.touch()
        used.write(document, path)
        head = path.read_bytes()[:65_536]
        assert used.recognises(head) or not head
        return used.read(path)


@pytest.mark.parametrize(("key", "suffix"), [("boris", ".boris"), ("boris", ".gz"), ("boris-csv", ".csv")])
@given(st.lists(parts(), min_size=1, max_size=3, unique_by=lambda part: part.name))
def test_boris(key: str, suffix: str, made: list[RecordingPart]) -> None:
    found = again(key, Document(tuple(made)), suffix=suffix)
    back = {part.id: part for part in found.recordings}
    assert found.remarks == ()
    for part in made:
        if part.lanes or key == "boris":
            assert back[part.id].name == part.name
            assert [link.path for link in back[part.id].media] == [link.path for link in part.media]
            assert back[part.id].duration_us == part.duration_us
            assert said_in(back[part.id], ids=False) == said_in(part, ids=False)
    assert len(back) == len([part for part in made if part.lanes or key == "boris"])


@given(parts())
def test_datavyu(part: RecordingPart) -> None:
    back = one_part(again("datavyu", Document((part,))))
    assert (back.name, back.id) == (part.name, part.id)
    assert said_in(back, ids=True, plain=True) == said_in(part, ids=True, plain=True)


@given(parts())
def test_webvtt(part: RecordingPart) -> None:
    back = one_part(again("webvtt", Document((part,))))
    assert (back.name, back.id) == (part.name, part.id)
    assert said_in(back, ids=True) == said_in(spoken(part), ids=True)


@given(parts(segments=False, spoken=True))
def test_srt(part: RecordingPart) -> None:
    assume(not any(sign in entry.text for lane in part.lanes for entry in lane.entries for sign in ("-->", "<", "{")))
    back = one_part(again("srt", Document((part,))))
    assert said_in(back, ids=False) == said_in(spoken(part), ids=False)


@given(parts())
def test_what_only_shows_segments_says_their_labels(part: RecordingPart) -> None:
    marks = [entry for lane in part.lanes if lane.kind == "segments" for entry in lane.entries]
    for key in ("webvtt-segments", "srt-segments"):
        back = one_part(again(key, Document((part,))))
        shown = [(entry.start_us, entry.text.split("\n")[0]) for lane in back.lanes for entry in lane.entries]
        if key == "webvtt-segments":
            assert sorted(shown) == sorted((mark.start_us, mark.text) for mark in marks)
        assert len(shown) == len(marks)


def spoken(part: RecordingPart) -> RecordingPart:
    """Only what is said, without blank lines."""
    lanes = tuple(
        InterchangeLane(
            lane.name,
            tuple(without_blank_lines(entry) for entry in lane.entries),
            lane.kind,
            participant=lane.participant,
        )
        for lane in part.lanes
        if lane.kind == "utterances"
    )
    return RecordingPart(part.name, lanes)


def without_blank_lines(entry: InterchangeEntry) -> InterchangeEntry:
    text = "\n".join(line for line in entry.text.split("\n") if line.strip())
    return InterchangeEntry(entry.start_us, entry.end_us, text, id=entry.id)


def test_srt_without_names_leaves_them_out() -> None:
    lane = InterchangeLane("Speech Ann", (InterchangeEntry(0, 1_000_000, "Hello"),), "utterances", participant="Ann")
    back = one_part(again("srt-plain", Document((RecordingPart("a", (lane,)),))))
    assert [(interchange_lane.participant, interchange_lane.entries[0].text) for interchange_lane in back.lanes] == [
        ("", "Hello")
    ]
