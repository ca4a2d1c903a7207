"""What an import does with what does not fit, and that it is one step."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, RecordingPart
from annotate.interchange.document_export import export_recordings, exportable_recordings
from annotate.interchange.document_import import Plan, apply_document_import, plan_document_import
from annotate.interchange.lane_mapping import (
    COMMENT,
    EntryTarget,
    ImportMapping,
    LaneTarget,
    OutsideRule,
    guess_mapping,
    load_mapping,
)
from project.errors import UserError
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, values_of
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from project.text_format import neutralize_formula, restore_formula

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
    return ImportMapping(MappingProxyType({"codes": replace(SEGMENTS, **changes)}))


def planned(session: Session, document: Document, mapping: ImportMapping) -> Plan:
    return plan_document_import(session, document, mapping, [all_recordings(session.study)[0].id])


def test_a_point_becomes_as_long_as_is_asked_and_stays_inside(session: Session) -> None:
    last = all_recordings(session.study)[0].duration_us
    document = one_lane(InterchangeEntry(SECOND, SECOND, "error"), InterchangeEntry(last, last, "error"))
    found = planned(session, document, replace(mapped(), point_us=200_000))
    assert [(segment.start_us, segment.end_us) for segment in found.new_segments] == [
        (SECOND, 1_200_000),
        (last - 200_000, last),
    ]
    assert found.lanes[0].remarks == ("2 points become 200 ms long",)
    without = planned(session, document, replace(mapped(), point_us=0))
    assert without.added == 0
    assert without.lanes[0].left_out == {"it is a point without duration": 2}


def test_what_reaches_outside_is_cut_off_or_left_out(session: Session) -> None:
    last = all_recordings(session.study)[0].duration_us
    spans = ((-SECOND, SECOND), (last - SECOND, last + SECOND), (last + SECOND, last + 2 * SECOND))
    document = one_lane(*(InterchangeEntry(start, end, "error") for start, end in spans))
    found = planned(session, document, mapped())
    assert [(segment.start_us, segment.end_us) for segment in found.new_segments] == [
        (0, SECOND),
        (last - SECOND, last),
    ]
    assert found.left_out == 1
    assert planned(session, document, replace(mapped(), outside=OutsideRule.LEAVE_OUT)).added == 0


def test_texts_become_labels_by_key_by_name_by_choice_or_not_at_all(session: Session) -> None:
    texts = ("error", "COMPETENCE", "None", "stroke", "hold", "strange")
    entries = [InterchangeEntry(n * SECOND, (n + 1) * SECOND, text) for n, text in enumerate(texts)]
    found = planned(session, one_lane(*entries), mapped(labels={"stroke": "error", "hold": ""}))
    assert [segment.label for segment in found.new_segments] == ["error", "competence", "none", "error"]
    assert found.lanes[0].left_out == {"“hold” is no label": 1, "“strange” is no label": 1}
    assert planned(session, one_lane(*entries), mapped(otherwise="none")).added == 6


def test_values_become_fields_and_comments(session: Session) -> None:
    values = {"why": "Because.", "where": "Verbal", "what": "Norms", "note": "Look again.", "other": 3}
    document = one_lane(InterchangeEntry(0, SECOND, "competence", {**values, "do": "Wait."}))
    fields = {"why": "rationale", "where": "channel", "what": "attributes", "note": COMMENT, "do": "correction"}
    found = planned(session, document, mapped(fields=fields))
    apply_document_import(session, found, "a.eaf")
    [segment] = all_segments(session.study)
    stored = {key: field_value.value for key, field_value in values_of(session.study, segment.id).items()}
    assert stored == {"rationale": "Because.", "channel": "verbal", "attributes": ["norms"]}
    assert session.study.rows("SELECT text FROM comment") == [("Look again.",)]
    assert any("other" in remark for remark in found.lanes[0].remarks)
    assert any("Correction" in remark for remark in found.lanes[0].remarks)


def test_an_import_is_one_step_with_its_people(session: Session) -> None:
    before = session.study.rows("SELECT name FROM annotator")
    document = one_lane(InterchangeEntry(0, SECOND, "error"))
    apply_document_import(session, planned(session, document, mapped()), "a.eaf")
    assert session.study.undo_name == "Import a.eaf"
    assert ("Ada",) in session.study.rows("SELECT name FROM annotator")
    session.study.undo()
    assert all_segments(session.study) == []
    assert set(session.study.rows("SELECT name FROM annotator")) - {*before} == {("Somebody",)}
    assert session.study.undo_name is None


def test_a_failure_on_the_way_writes_nothing(session: Session) -> None:
    found = planned(
        session, one_lane(InterchangeEntry(0, SECOND, "error"), InterchangeEntry(SECOND, 2 * SECOND, "error")), mapped()
    )
    found.new_segments[1] = replace(found.new_segments[1], start_us=-1)
    with pytest.raises(UserError):
        apply_document_import(session, found, "a.eaf")
    assert all_segments(session.study) == []
    assert ("Ada",) not in session.study.rows("SELECT name FROM annotator")


def test_what_the_mapping_names_must_be_there(session: Session) -> None:
    document = one_lane(InterchangeEntry(0, SECOND, "error"))
    keys = ("track", "scheme", "otherwise", "text_field")
    for wrong in (*({key: "x"} for key in keys), {"labels": {"a": "x"}}, {"annotator": " "}):
        with pytest.raises(UserError):
            planned(session, document, mapped(**wrong))


def test_a_mapping_survives_its_file(tmp_path: Path) -> None:
    wanted = ImportMapping(
        MappingProxyType(
            {
                "codes": replace(SEGMENTS, labels={"a": "error"}, fields={"n": COMMENT}, text_field="rationale"),
                "speech": LaneTarget(EntryTarget.UTTERANCES, participant="P01"),
                "rest": LaneTarget(EntryTarget.NOTHING),
            }
        ),
        OutsideRule.LEAVE_OUT,
        250_000,
    )
    (tmp_path / "m.json").write_text(wanted.to_json(), "utf-8")
    assert load_mapping(tmp_path / "m.json") == wanted


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"greenroom_mapping": 1, "lanes": {"a": {}}}', '{"greenroom_mapping": 1, "point_ms": -1}',
             '{"greenroom_mapping": 1, "lanes": {"a": {"becomes": "segments", "colour": "red"}}}', "[" * 100_000]
)  # fmt: skip
def test_a_mapping_file_that_is_wrong_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(UserError) as caught:
        load_mapping(tmp_path / "m.json")
    assert "\n" not in str(caught.value)


def test_lanes_of_other_tools_are_proposed_by_their_texts(session: Session) -> None:
    said = [InterchangeEntry(n * SECOND, (n + 1) * SECOND, f"This is sentence {n}.") for n in range(4)]
    codes = [
        InterchangeEntry(n * SECOND, (n + 1) * SECOND, text) for n, text in enumerate(("Error", "competence", "odd"))
    ]
    gestures = [InterchangeEntry(n * SECOND, (n + 1) * SECOND, "stroke") for n in range(4)]
    lanes = (
        InterchangeLane("said", tuple(said)),
        InterchangeLane("codes", tuple(codes)),
        InterchangeLane("gestures", tuple(gestures)),
    )
    found = guess_mapping(session, Document((RecordingPart("x", lanes),)))
    assert [target.becomes for target in found.lanes.values()] == [
        EntryTarget.UTTERANCES,
        EntryTarget.SEGMENTS,
        EntryTarget.NOTHING,
    ]
    assert found.lanes["codes"].annotator == "Somebody"


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
    assert written[:1] not in tuple("=+-@\t\r") or written.lstrip("-").replace(".", "", 1).isdigit()
