"""What is read of a study to be compared, and reports as tables: the same numbers, and no cell that is a formula."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.agreement.agreement_report import AgreementReport
from annotate.agreement.annotation_arrays import Options
from annotate.agreement.annotator_lanes import (
    find_disagreements,
    find_disputed,
    next_disagreement,
    previous_disagreement,
)
from annotate.agreement.span_matching import DisagreementKind
from annotate.agreement.study_agreement import (
    AgreementQuery,
    build_report_tables,
    read_agreement_input,
    report_agreement,
)
from annotate.segments.segment_edits import add_segment
from annotate.statistics.segment_statistics import summarize_by_annotator, summarize_segments
from annotate.study.people import add_participant
from annotate.study.scheme_versions import use_shipped_scheme
from project.codec import dump
from project.entities.study_records import Annotator, Json, ParticipantRole, Segment
from project.errors import UserError
from project.ids import new_id
from project.queries.annotator_rows import insert_annotator
from project.queries.segment_rows import insert_segment, segments_of
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from project.text_format import to_csv
from tests.builders.marked_study import WALK, mark, open_study, person

SECOND = 1_000_000
FEW = Options(step_us=SECOND, samples=20)


def figure(session: Session, key: str, **question: object) -> float | None:
    return report_agreement(session, replace(AgreementQuery(options=FEW), **question)).main[key].value


def introduce(session: Session, name: str, kind: str = "person") -> str:
    who = Annotator(new_id(), name, kind)
    with session.study.without_history():
        insert_annotator(session.study, who)
    return who.id


def write(session: Session, sql: str, *values: str) -> None:
    with session.study.without_history():
        session.study.write(sql, values)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        yield opened


def test_two_people_and_their_forms(session: Session) -> None:
    mark(session, "Ada", 0, 10, attributes=["emotions", "norms"], channel="verbal", rationale="It was late.")
    mark(session, "Ben", 2, 10, attributes=["emotions"], channel="verbal")
    mark(session, "Ada", 20, 30, "competence", attributes=["norms"], channel="both")
    report = report_agreement(session, AgreementQuery(options=FEW))
    assert report.main["overlap_share"].value == pytest.approx(2 / 3)
    assert report.main["mean_iou"].value == pytest.approx(0.8)
    fields = {field.key: field for field in report.fields}
    assert fields["attributes"].figures["jaccard"].value == pytest.approx(0.5)
    assert fields["channel"].figures["same"].value == 1
    assert {"attributes", "channel"} <= report.rows.keys()
    assert report.settings.annotators == ("Ada", "Ben")
    json.dumps(dump(report), allow_nan=False)


def test_models_count_only_when_they_are_named_and_adjudicated_lanes_never(session: Session) -> None:
    mark(session, "Ada", 0, 10)
    mark(session, "Ben", 0, 10)
    for name, kind, label in (("Judge", "model", "competence"), ("Adjudicated", "adjudicated", "error")):
        who = introduce(session, name, kind)
        with session.study.without_history():
            insert_segment(session.study, Segment(new_id(), WALK, who, label, 0, 10 * SECOND))
    assert read_agreement_input(session).settings.annotators == ("Ada", "Ben")
    assert figure(session, "verdict_agreement") == 1
    assert figure(session, "verdict_agreement", pair=("Ada", "Judge")) == 0
    with pytest.raises(UserError, match="adjudicated lane"):
        figure(session, "verdict_agreement", pair=("Ada", "Adjudicated"))


def test_who_looked_and_found_nothing_has_said_so(session: Session) -> None:
    mark(session, "Ada", 0, 30)
    ben = introduce(session, "Ben")
    assert figure(session, "overlap_share") is None
    write(session, "INSERT INTO completion VALUES (?, ?, '2026-01-01T00:00:00Z')", WALK, ben)
    assert figure(session, "overlap_share") == 0
    assert figure(session, "cohen_kappa") == 0


def test_training_is_left_out(session: Session) -> None:
    for recording, label in ((WALK, "error"), ("walk 2", "competence")):
        mark(session, "Ada", 0, 10, recording=recording)
        mark(session, "Ben", 0, 10, label, recording=recording)
    assert figure(session, "verdict_agreement") == 0.5
    write(session, "INSERT INTO assignment VALUES (?, ?, 'training')", "walk 2", person(session, "Ben").id)
    assert figure(session, "verdict_agreement") == 1
    assert figure(session, "verdict_agreement", recordings=("walk 2",)) is None


def test_a_review_by_the_author_counts_for_nothing(session: Session) -> None:
    text, other = mark(session, "Ada", 0, 10), mark(session, "Ben", 0, 10, "competence")
    ada, ben = (person(session, name).id for name in ("Ada", "Ben"))
    review = "INSERT INTO review VALUES (?, ?, ?, '', '2026-01-01T00:00:00Z')"
    write(session, review, text, ada, "agree")
    assert figure(session, "reviewer_agreement") is None
    write(session, review, text, ben, "disagree")
    write(session, review, other, ada, "agree")
    assert figure(session, "reviewer_agreement") == 0.5
    assert figure(session, "disagreement_share") == 0.5


def test_what_is_said_of_one_participant_is_not_compared_with_what_is_said_of_another(session: Session) -> None:
    use_shipped_scheme(session, "sotopia-eval")
    people = [add_participant(session, pseudonym, ParticipantRole.USER)[0] for pseudonym in ("P01", "P02")]
    for session.annotator_name, scores in (("Ada", (9, 1)), ("Ben", (8, 2))):
        for participant, score in zip(people, scores, strict=True):
            values: dict[str, Json] = {"participant": participant, "goal": score}
            add_segment(session, WALK, 0, 600 * SECOND, "rating", values, scheme="sotopia-eval", track="ratings")
    report = report_agreement(session, AgreementQuery(scheme="sotopia-eval", options=FEW))
    goal = next(field for field in report.fields if field.key == "goal").figures
    assert goal["mean_difference"].value == 1
    assert goal["pearson_r"].value == pytest.approx(1)
    assert goal["randolph_kappa"].n == 2
    assert goal["icc_agreement"].value == pytest.approx(0.98, abs=0.01)
    assert (goal["icc_agreement"].n, goal["icc_agreement"].more["interval"]) == (2, "F")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"pair": ("Ada", "Ada")}, "named twice"),
        ({"third": "Nobody"}, "There is no annotator"),
        ({"scheme": "cues"}, "is not in this study"),
        ({"track": "lane"}, "no track"),
        ({"within": ("mood",)}, "no field"),
        ({"options": Options(minimum_iou=2)}, "be a share"),
    ],
)
def test_a_question_that_cannot_be_answered(session: Session, question: dict[str, object], said: str) -> None:
    mark(session, "Ada", 0, 10)
    with pytest.raises(UserError, match=said):
        figure(session, "alpha", **question)


def test_the_strip_and_its_keys(session: Session) -> None:
    mark(session, "Ada", 0, 10)
    mark(session, "Ben", 5, 20, "competence")
    mark(session, "Ben", 30, 40)
    segments = segments_of(session.study, WALK)
    found = find_disagreements(segments, [person(session, name).id for name in ("Ada", "Ben")], "shrec", "segments")
    assert [
        (disagreement.start_us // SECOND, disagreement.end_us // SECOND, disagreement.kind) for disagreement in found
    ] == [
        (0, 5, DisagreementKind.UNMARKED),
        (5, 10, DisagreementKind.LABEL),
        (10, 20, DisagreementKind.UNMARKED),
        (30, 40, DisagreementKind.UNMARKED),
    ]
    assert next_disagreement(found, 5 * SECOND) == found[2]
    assert next_disagreement(found, 30 * SECOND) is None
    assert previous_disagreement(found, 5 * SECOND) == found[0]
    assert previous_disagreement(found, 0) is None
    assert find_disagreements(segments, [person(session, "Ada").id], "shrec", "segments") == []


def test_a_track_that_one_codes_alone_is_no_disagreement(session: Session) -> None:
    mark(session, "Ada", 0, 10)
    mark(session, "Ben", 0, 10)
    segments = segments_of(session.study, WALK)
    gaze = [replace(segment, id=f"gaze {segment.id}", track="gaze") for segment in segments]
    ada, ben, cleo = person(session, "Ada").id, person(session, "Ben").id, introduce(session, "Cleo")
    alone = [*segments, *(segment for segment in gaze if segment.annotator_id == ada)]
    assert find_disagreements(alone, [ada, ben], "shrec", "gaze") == []
    assert find_disputed(alone, {segments[0].recording_id: {ada, ben}}) == set()
    others = [replace(segment, id=f"Cleo {segment.id}", annotator_id=cleo) for segment in segments]
    assert find_disagreements([*others, *gaze], [ada, ben, cleo], "shrec", "gaze") == [], "Cleo codes no gaze"
    assert len(find_disagreements(gaze, [ada, ben, cleo], "shrec", "gaze")) == 1, "Cleo marked nothing at all"


def test_statistics_written_out(session: Session) -> None:
    mark(session, "Ada", 0, 300, attributes=["emotions", "norms"], channel="verbal")
    mark(session, "Ben", 0, 100, attributes=["norms"], channel="both")
    mark(session, "Ben", 540, 600, "competence")
    found = summarize_segments(read_agreement_input(session).material)
    assert [label.key for label in found.labels] == ["error", "competence", "none"]
    assert found.by_label.tolist() == [2, 1, 0]
    assert found.by_annotator.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert sorted(found.seconds["error"].tolist()) == [100, 300]
    attributes = next(field for field in found.fields if field.key == "attributes")
    keys = [choice.key for choice in attributes.choices]
    emotions, norms = keys.index("emotions"), keys.index("norms")
    assert attributes.by_label[0, [emotions, norms]].tolist() == [1, 2]
    assert attributes.co_occurrence[[emotions, norms, emotions], [emotions, norms, norms]].tolist() == [1, 2, 1]
    assert attributes.filled == 2
    # Ada marks the first half as an error, Ben the first sixth; a twentieth is 30 s.
    assert found.density[0, 0] == pytest.approx(1)
    assert found.density[0, 5:10].tolist() == pytest.approx([0.5] * 5)
    assert found.density[1, 18:].tolist() == pytest.approx([0.5] * 2)
    assert found.density.sum() == pytest.approx(20 * (30 + 10 + 6) / 120)
    json.dumps(found.to_json(), allow_nan=False)


def test_time_that_is_marked_twice_counts_once(session: Session) -> None:
    for start, end in ((0, 300), (100, 200), (250, 400), (400, 600), (500, 600)):
        mark(session, "Ada", start, end)
    mark(session, "Ada", 0, 60, "competence")
    mark(session, "Ada", 30, 60, recording="walk 2")
    found = summarize_segments(read_agreement_input(session).material)
    assert found.density[0].max() <= 1
    assert found.density[0].tolist() == pytest.approx([0.5, 1, *[0.5] * 18], abs=0.1)
    assert found.density[0].sum() == pytest.approx(20 * (1 + 3 / 60) / 2)
    assert found.density[1].sum() == pytest.approx(20 * 6 / 60 / 2)
    assert found.marked.tolist() == pytest.approx(found.density[0].tolist()), "the other label lies inside"


def test_statistics_of_each_annotator_add_up(session: Session) -> None:
    mark(session, "Ada", 0, 300, attributes=["emotions", "norms"])
    mark(session, "Ben", 0, 100, attributes=["norms"])
    mark(session, "Ben", 540, 600, "competence", recording="walk 2")
    introduce(session, "Cleo")
    material = read_agreement_input(session).material
    each = summarize_by_annotator(material)
    assert [[who.name for who in statistics.annotators] for statistics in each] == [["Ada"], ["Ben"]]
    assert [statistics.by_label.tolist() for statistics in each] == [[1, 0, 0], [1, 1, 0]]
    assert (
        sum(statistics.fields[0].co_occurrence for statistics in each).tolist()
        == summarize_segments(material).fields[0].co_occurrence.tolist()
    )
    # Ben's two recordings of ten minutes: each ten seconds are a third of a twentieth, in one of the two.
    assert each[1].density[0, :4].tolist() == pytest.approx([0.5, 0.5, 0.5, 1 / 6])
    assert [statistics.recordings for statistics in each] == [1, 2]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AgreementReport:
    path = tmp_path_factory.mktemp("tables") / "s.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=3, segments=40)
    with Session.open(path, "Ada", read_only=True) as session:
        return report_agreement(session, AgreementQuery(options=Options(samples=20)))


def read(report: AgreementReport, name: str) -> list[dict[str, str]]:
    head, rows = build_report_tables(report)[name]
    return list(csv.DictReader(io.StringIO(to_csv(head, rows))))


def number(text: str) -> float | None:
    return float(text) if text else None


def test_the_tables_equal_the_report(report: AgreementReport) -> None:
    rows = {row["figure"]: row for row in read(report, "figures")}
    for key, figure in report.main.items():
        row = rows[key]
        assert [number(row[part]) for part in ("value", "low", "high")] == [figure.value, figure.low, figure.high]
        assert (int(row["n"]), row["reason"]) == (figure.n, figure.reason)
    assert rows["third_agreement"]["value"] == ""
    for split, groups in report.rows.items():
        for row, group in zip(read(report, f"by_{split}"), groups, strict=True):
            assert (row["key"], row["name"]) == (group.key, group.name)
            for key, figure in group.figures.items():
                assert (number(row[f"{key}.value"]), int(row[f"{key}.n"])) == (figure.value, figure.n)
    head, confusion = build_report_tables(report)["confusion"]
    assert head == ("", "Error", "Competence", "None", "unmatched")
    assert [list(row[1:]) for row in confusion] == [list(row) for row in report.confusion]
    field = report.fields[0]
    found = [row for row in read(report, "form") if row["field"] == field.key and not row["choice"]]
    assert {row["figure"]: number(row["value"]) for row in found} == {
        key: figure.value for key, figure in field.figures.items()
    }
