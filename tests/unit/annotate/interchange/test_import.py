"""An import is one step and says what does not fit; what a format holds comes back as it was."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.interchange.annotation_files import apply_import, get_format, plan_import, read_file
from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, MediaLink, RecordingPart
from annotate.interchange.document_export import build_document, export_recordings, exportable_recordings
from annotate.interchange.document_import import Plan, apply_document_import, plan_document_import
from annotate.interchange.lane_entries import guess_recordings
from annotate.interchange.lane_mapping import (
    COMMENT,
    EntryTarget,
    ImportMapping,
    LaneTarget,
    OutsideRule,
    guess_mapping,
    load_mapping,
)
from annotate.interchange.lossless_format import STUDY, collect_rows
from project.entities.study_records import (
    Annotator,
    Changes,
    ConsentUse,
    MediaFacts,
    Medium,
    MediumRole,
    Participant,
    ParticipantRole,
    Recording,
)
from project.errors import UserError
from project.ids import new_id
from project.queries.recording_rows import all_recordings, consents, insert_participant, set_consent
from project.queries.segment_rows import all_segments, values_of
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from project.text_format import neutralize_formula, restore_formula
from tests.builders.interchange_studies import Content, compared, contents, everything, opened

SECOND = 1_000_000
SEGMENTS = LaneTarget(EntryTarget.SEGMENTS, "Ada", "shrec", "segments")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Study.create(tmp_path / "a.greenroom") as made:
        fill_study(made, 1, 0, 1)
    with Session.open(tmp_path / "a.greenroom", "Somebody") as opened:
        yield opened


def one_lane(*entries: InterchangeEntry, **lane: str) -> Document:
    return Document((RecordingPart("x", (InterchangeLane("codes", entries, **lane),)),))


def mapped(**changes: object) -> ImportMapping:
    return ImportMapping({"codes": replace(SEGMENTS, **changes)})


def planned(session: Session, document: Document, mapping: ImportMapping) -> Plan:
    return plan_document_import(session, document, mapping, [all_recordings(session.study)[0].id])


def test_what_is_a_point_or_reaches_outside_is_fitted_or_left_out_and_told(session: Session) -> None:
    last = all_recordings(session.study)[0].duration_us
    document = one_lane(InterchangeEntry(SECOND, SECOND, "error"), InterchangeEntry(last, last, "error"))
    found = planned(session, document, replace(mapped(), point_us=200_000))
    assert [(segment.start_us, segment.end_us) for segment in found.new_segments] == [
        (SECOND, 1_200_000),
        (last - 200_000, last),
    ]
    assert found.lanes[0].remarks == {"points become 200 ms long": 2}
    without = planned(session, document, replace(mapped(), point_us=0))
    assert without.added == 0
    assert without.lanes[0].left_out == {"it is a point without duration: give points a length": 2}
    spans = ((-SECOND, SECOND), (last - SECOND, last + SECOND), (last + SECOND, last + 2 * SECOND))
    document = one_lane(*(InterchangeEntry(start, end, "error") for start, end in spans))
    document = replace(document, unread={"a caption without a time": 2})
    found = planned(session, document, mapped())
    assert [(segment.start_us, segment.end_us) for segment in found.new_segments] == [
        (0, SECOND),
        (last - SECOND, last),
    ]
    assert found.remarks == ("2 left out: a caption without a time.",)
    assert found.left_out == 3
    assert planned(session, document, replace(mapped(), outside=OutsideRule.LEAVE_OUT)).added == 0


def test_texts_become_labels_by_key_by_name_by_choice_or_not_at_all(session: Session) -> None:
    texts = ("error", "COMPETENCE", "None", "stroke", "hold", "strange")
    entries = [InterchangeEntry(n * SECOND, (n + 1) * SECOND, text) for n, text in enumerate(texts)]
    found = planned(session, one_lane(*entries), mapped(labels={"stroke": "error", "hold": ""}))
    assert [segment.label for segment in found.new_segments] == ["error", "competence", "none", "error"]
    hint = "is no label: choose one for it, or a new track"
    assert found.lanes[0].left_out == {f"“hold” {hint}": 1, f"“strange” {hint}": 1}
    assert planned(session, one_lane(*entries), mapped(otherwise="none")).added == 6


def test_a_scheme_that_is_made_is_the_default_unless_the_shipped_one_has_segments(session: Session) -> None:
    gaze = replace(one_lane(InterchangeEntry(0, SECOND, "face")), name="gaze", source="csv")
    made = planned(session, gaze, guess_mapping(session, gaze))
    assert made.default == "gaze"
    assert "New segments go to “gaze” from then on." in made.remarks
    marked = planned(session, one_lane(InterchangeEntry(0, SECOND, "error")), mapped())
    apply_document_import(session, marked, "x")
    assert planned(session, gaze, guess_mapping(session, gaze)).default == ""


def test_values_become_fields_and_comments(session: Session) -> None:
    values = {"why": "Because.", "where": "Verbal", "what": "Norms", "note": "Look again.", "other": 3}
    document = one_lane(InterchangeEntry(0, SECOND, "competence", {**values, "do": "Wait."}))
    fields = {"why": "rationale", "where": "channel", "what": "attributes", "note": COMMENT, "do": "correction"}
    found = planned(session, document, mapped(fields=fields))
    apply_document_import(session, found, "a.eaf")
    [segment] = all_segments(session.study)
    stored = values_of(session.study, segment.id)
    assert stored == {"rationale": "Because.", "channel": "verbal", "attributes": ["norms"]}
    assert session.study.rows("SELECT text FROM comment") == [("Look again.",)]
    assert any("other" in remark for remark in found.lanes[0].remarks)
    assert any("Correction" in remark for remark in found.lanes[0].remarks)


def test_an_import_is_one_step_with_its_people_or_writes_nothing(session: Session) -> None:
    before = session.study.rows("SELECT name FROM annotator")
    document = one_lane(InterchangeEntry(0, SECOND, "error"), InterchangeEntry(SECOND, 2 * SECOND, "error"))
    found = planned(session, document, mapped())
    kept, found.new_segments[1] = found.new_segments[1], replace(found.new_segments[1], start_us=-1)
    with pytest.raises(UserError):
        apply_document_import(session, found, "a.eaf")
    assert all_segments(session.study) == []
    assert ("Ada",) not in session.study.rows("SELECT name FROM annotator")
    found.new_segments[1] = kept
    apply_document_import(session, found, "a.eaf")
    assert session.study.undo_name == "Import a.eaf"
    assert ("Ada",) in session.study.rows("SELECT name FROM annotator")
    session.study.undo()
    assert all_segments(session.study) == []
    assert set(session.study.rows("SELECT name FROM annotator")) - {*before} == {("Somebody",)}


def test_a_mapping_survives_its_file_and_a_wrong_one_is_one_line(tmp_path: Path) -> None:
    lanes = {
        "codes": replace(SEGMENTS, labels={"a": "error"}, fields={"n": COMMENT}, text_field="rationale"),
        "speech": LaneTarget(EntryTarget.UTTERANCES, participant="P01"),
        "rest": LaneTarget(EntryTarget.NOTHING),
    }
    wanted = ImportMapping(lanes, OutsideRule.LEAVE_OUT, 250_000)
    path = tmp_path / "m.json"
    path.write_text(wanted.to_json(), "utf-8")
    assert load_mapping(path) == wanted
    for wrong in ("[]", '{"greenroom_mapping": 1, "lanes": {"a": {}}}', '{"greenroom_mapping": 1, "point_us": -1}'):
        path.write_text(wrong)
        with pytest.raises(UserError) as caught:
            load_mapping(path)
        assert "\n" not in str(caught.value)


def test_what_the_mapping_names_must_be_there(session: Session) -> None:
    document = one_lane(InterchangeEntry(0, SECOND, "error"))
    keys = ("track", "scheme", "otherwise", "text_field")
    for wrong in (*({key: "x"} for key in keys), {"labels": {"a": "x"}}, {"annotator": " "}):
        with pytest.raises(UserError):
            planned(session, document, mapped(**wrong))


FILMED = (
    MediaLink("C:\\lab\\mic.wav"),
    MediaLink("./base.mp4", -5 * SECOND),
    MediaLink("file:///lab/Cam%202%20o\u0308st.MP4", 3 * SECOND),
)


@pytest.mark.parametrize(
    ("held", "start_us"),
    [
        ({"base.mp4": 0}, 14 * SECOND),
        ({"main.mp4": 0, "cam 2 \u00f6st.mp4": 2 * SECOND}, 8 * SECOND),
        ({"other.mp4": 0}, 9 * SECOND),
    ],
)
def test_entries_on_the_time_of_media_are_moved_by_the_medium_that_the_recording_has(
    held: dict[str, int], start_us: int
) -> None:
    lane = InterchangeLane("words", (InterchangeEntry(9 * SECOND, 10 * SECOND, "so"),), "utterances")
    part = RecordingPart("x", (lane,), FILMED, on_media_time=True)
    with opened(simple(held)) as session:
        (here,) = all_recordings(session.study)
        for moved, wanted in ((True, start_us), (False, 9 * SECOND)):
            document = Document((replace(part, on_media_time=moved),))
            mapping, places = guess_mapping(session, document), guess_recordings(session, document)
            assert places == (here.id,)
            [made] = plan_document_import(session, document, mapping, places).new_utterances
            assert (made.start_us, made.end_us) == (wanted, wanted + SECOND)


def test_lanes_of_other_tools_are_proposed_by_their_texts(session: Session) -> None:
    said = [InterchangeEntry(n * SECOND, (n + 1) * SECOND, f"This is sentence {n}.") for n in range(4)]
    codes = [InterchangeEntry(n * SECOND, (n + 1) * SECOND, text) for n, text in enumerate(("Error", "competence"))]
    gestures = [InterchangeEntry(n * SECOND, (n + 1) * SECOND, "stroke") for n in range(4)]
    lanes = (
        InterchangeLane("said", tuple(said)),
        InterchangeLane("codes", tuple(codes)),
        InterchangeLane("gestures", (*gestures, codes[0])),
    )
    found = guess_mapping(session, Document((RecordingPart("x", lanes),)))
    assert [target.becomes for target in found.lanes.values()] == [
        EntryTarget.UTTERANCES,
        EntryTarget.SEGMENTS,
        EntryTarget.OWN_TRACK,
    ]
    assert found.lanes["codes"].annotator == "Somebody"


def test_tiers_that_hang_on_each_other_in_a_circle_are_proposed_all_the_same(session: Session) -> None:
    said = tuple(InterchangeEntry(n * SECOND, (n + 1) * SECOND, f"This is sentence {n}.") for n in range(4))
    lanes = (InterchangeLane("a", said, parent="b"), InterchangeLane("b", said, parent="a"))
    document = Document((RecordingPart("x", lanes),), name="x", source="eaf")
    assert planned(session, document, guess_mapping(session, document)).added == 8


def test_an_export_never_replaces_a_file_unasked(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("mine")
    with pytest.raises(UserError):
        export_recordings(session, get_format("csv"), path, exportable_recordings(session))
    assert path.read_text() == "mine"
    export_recordings(session, get_format("csv"), path, exportable_recordings(session), overwrite=True)
    assert path.read_text() != "mine"
    with pytest.raises(UserError):
        export_recordings(
            session, get_format("csv"), session.study.path, exportable_recordings(session), overwrite=True
        )


@given(st.text())
def test_no_cell_is_a_formula_and_every_one_comes_back(cell: str) -> None:
    written = neutralize_formula(cell)
    assert restore_formula(written) == cell
    assert (
        written[:1] not in tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
        or written.lstrip("-").replace(".", "", 1).isdigit()
    )


KEEPS_IDS = {"eaf": True, "csv": True, "textgrid": False, "boris": False, "boris-csv": False, "datavyu": True}
IN_MILLISECONDS = ("boris", "boris-csv", "datavyu")
SLOW = settings(
    max_examples=settings.default.max_examples // 5,
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
        with Session(Study.create(Path(folder) / "empty.greenroom"), content.annotators[0].name) as target:
            bring(target, path)
            wanted = collect_rows(source, [recording.id for recording in content.recordings])
            found = collect_rows(target, [recording.id for recording in content.recordings])
            assert {**found, STUDY: ()} == {**wanted, STUDY: ()}
            assert found[STUDY][0]["schemes"] == wanted[STUDY][0]["schemes"]
            target.study.undo()
            assert not target.study.rows("SELECT 1 FROM recording UNION ALL SELECT 1 FROM segment")


def test_no_file_grants_a_consent_of_somebody_whom_the_study_has(session: Session, tmp_path: Path) -> None:
    person = Participant(new_id(), "P77", ParticipantRole.USER)
    with session.step("Add"):
        insert_participant(session.study, person)
        set_consent(session.study, person.id, ConsentUse.RELEASE, True)
    path = tmp_path / "a.jsonl"
    export_recordings(session, get_format("jsonl"), path, exportable_recordings(session))
    with session.step("Take back"):
        session.study.write("DELETE FROM consent", ())
    document = read_file(path)
    plan = plan_import(session, document, guess_mapping(session, document), guess_recordings(session, document))
    apply_import(session, plan, path.name)
    assert consents(session.study, person.id)[ConsentUse.RELEASE] is False
    assert any("lines of type consent are left out" in remark for remark in plan.remarks)


def simple(media: Mapping[str, int] = MappingProxyType({})) -> Content:
    """One recording of a minute with the participant P01 and media: path -> where each begins."""
    recording = Recording(new_id(), new_id(), 1, "meeting", 60_000_000)
    return Content(
        (recording,),
        tuple(
            Medium(
                new_id(),
                recording.id,
                MediumRole.CAMERA if place else MediumRole.MAIN,
                0,
                offset_us,
                path,
                new_id(),
                MediaFacts("mp4", 60_000_000, 1, None, None),
            )
            for place, (path, offset_us) in enumerate(media.items())
        ),
        (Annotator(new_id(), "Ada"),),
        (Participant(new_id(), "P01", ParticipantRole.USER),),
        (),
        (),
        (),
        (),
    )


ODD = ("<you> & all", "first --> second\nthird", "1", "Ann: Hi", "{b}&amp;<i>x</i>")


@pytest.mark.parametrize("key", ["webvtt", "srt", "srt-plain"])
def test_captions_come_back_with_whoever_spoke_unless_names_are_left_out(key: str, tmp_path: Path) -> None:
    entries = [InterchangeEntry(at * SECOND, (at + 1) * SECOND, text) for at, text in enumerate(ODD)]
    used = get_format(key)
    texts = ODD if key == "webvtt" else ODD[:1]
    lane = InterchangeLane("Speech Ann", tuple(entries[: len(texts)]), "utterances", participant="Ann & Bob")
    used.write(Document((RecordingPart("a", (lane,)),)), tmp_path / "a")
    (back,) = used.read(tmp_path / "a").recordings
    assert [(found.participant, [entry.text for entry in found.entries]) for found in back.lanes] == [
        ("" if key == "srt-plain" else "Ann & Bob", [*texts])
    ]
