"""What a format holds comes back as it was; the lossless one brings back the study itself."""

import tempfile
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, assume, given, settings

from annotate.interchange.annotation_files import apply_import, get_format, plan_import, read_file
from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, RecordingPart
from annotate.interchange.document_export import build_document, export_recordings, exportable_recordings
from annotate.interchange.lane_entries import guess_recordings
from annotate.interchange.lane_mapping import guess_mapping
from annotate.interchange.lossless_format import STUDY, collect_rows
from project.entities.study_records import Annotator, Changes, Participant, ParticipantRole, Recording
from project.ids import new_id
from project.queries.recording_rows import all_participants, all_recordings
from project.queries.transcript_rows import utterances_of
from project.session.session import Session
from tests.builders.interchange_studies import Content, compared, contents, everything, opened, opened_empty
from tests.builders.tier_documents import one_part, parts, said_in

KEEPS_IDS = {"eaf": True, "csv": True, "textgrid": False, "boris": False, "boris-csv": False, "datavyu": True}
IN_MILLISECONDS = ("boris", "boris-csv", "datavyu")
SLOW = settings(
    max_examples=settings.default.max_examples // 2,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def bring(session: Session, path: Path) -> Changes:
    document = read_file(path)
    mapping, places = guess_mapping(session, document), guess_recordings(session, document)
    plan = plan_import(session, document, mapping, places)
    assert plan.left_out == 0
    return apply_import(session, plan, path.name)


def in_milliseconds(content: Content) -> Content:
    """Cut the times off to whole milliseconds, and comments to one a segment."""
    first = {comment.segment_id: comment for comment in reversed(content.comments)}
    return replace(
        content,
        segments=tuple(
            replace(segment, start_us=segment.start_us // 1000 * 1000, end_us=segment.end_us // 1000 * 1000)
            for segment in content.segments
        ),
        utterances=tuple(
            replace(utterance, start_us=utterance.start_us // 1000 * 1000, end_us=utterance.end_us // 1000 * 1000)
            for utterance in content.utterances
        ),
        comments=tuple(first.values()),
    )


@pytest.mark.parametrize("key", KEEPS_IDS)
@given(content=contents())
@SLOW
def test_the_stated_subset_comes_back(key: str, content: Content) -> None:
    kept = in_milliseconds(content) if key in IN_MILLISECONDS else content
    with opened(kept) as source, opened(kept.without_work()) as target, tempfile.TemporaryDirectory() as folder:
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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.vtt",
            "WEBVTT\n\n00:01.000 --> 00:02.000\n<v P01>Hello <b>there</b>\n\n00:03.000 --> 00:04.500\n<v New>Hi\n",
        ),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nP01: Hello there\n\n2\n00:00:03,000 --> 00:00:04,500\nNew: Hi\n"),
    ],
)
def test_speakers_are_participants_by_their_pseudonym(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with opened(simple()) as session:
        known = {participant.pseudonym: participant.id for participant in all_participants(session.study)}
        bring(session, path)
        people = {participant.pseudonym: participant.id for participant in all_participants(session.study)}
        assert people["P01"] == known["P01"]
        assert set(people) == {"P01", "New"}
        (where,) = all_recordings(session.study)
        said = [
            (utterance.start_us, utterance.end_us, utterance.text, utterance.participant_id)
            for utterance in utterances_of(session.study, where.id)
        ]
        assert said == [
            (1_000_000, 2_000_000, "Hello there", people["P01"]),
            (3_000_000, 4_500_000, "Hi", people["New"]),
        ]
        session.study.undo()
        assert set(utterances_of(session.study, where.id)) == set()


def simple() -> Content:
    """One recording of a minute with the participant P01."""
    return Content(
        (Recording(new_id(), new_id(), 1, "meeting", 60_000_000),),
        (),
        (Annotator(new_id(), "Ada"),),
        (Participant(new_id(), "P01", ParticipantRole.USER),),
        (),
        (),
        (),
        (),
    )


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
