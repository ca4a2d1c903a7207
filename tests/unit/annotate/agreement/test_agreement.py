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
from annotate.review.segment_statistics import summarize_by_annotator, summarize_segments
from project.codec import dump
from project.entities.study_records import Annotator, Collection, FieldValue, Json, Recording, Segment
from project.errors import UserError
from project.ids import new_id
from project.queries.annotator_rows import insert_annotator
from project.queries.recording_rows import insert_collection, insert_recording
from project.queries.segment_rows import insert_segment, segments_of, set_value
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from project.text_format import to_csv

SECOND = 1_000_000
FEW = Options(step_us=SECOND, samples=20)


class Lab:
    """A study that can be written to without a window: two recordings of one minute, and whoever is named."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.study = session.study
        collection = Collection(new_id(), "Wellness", "A coach")
        self.recordings = [
            Recording(new_id(), collection.id, number, f"Talk {number}", 60 * SECOND) for number in (1, 2)
        ]
        self.people: dict[str, Annotator] = {}
        with self.study.step("Set up", undoable=False):
            insert_collection(self.study, collection)
            for recording in self.recordings:
                insert_recording(self.study, recording)

    def who(self, name: str, kind: str = "person") -> str:
        if name not in self.people:
            self.people[name] = Annotator(new_id(), name, kind)
            with self.study.step("Introduce", undoable=False):
                insert_annotator(self.study, self.people[name])
        return self.people[name].id

    def mark(self, name: str, label: str, start: float, end: float, recording: int = 0, **values: Json) -> str:
        made = Segment(
            new_id(), self.recordings[recording].id, self.who(name), label, round(start * SECOND), round(end * SECOND)
        )
        with self.study.step("Mark", made.annotator_id):
            insert_segment(self.study, made)
            for field, value in values.items():
                set_value(self.study, FieldValue(made.id, made.scheme, 1, field, value))
        return made.id

    def write(self, sql: str, *values: str) -> None:
        with self.study.step("Write", undoable=False):
            self.study.write(sql, values)

    def figure(self, key: str, **question: object) -> float | None:
        asked = replace(AgreementQuery(options=FEW), **question)
        return report_agreement(self.session, asked).main[key].value


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        yield Lab(session)


def test_two_people_and_their_forms(lab: Lab) -> None:
    lab.mark("Ada", "error", 0, 10, attributes=["emotions", "norms"], channel="verbal", rationale="It was late.")
    lab.mark("Ben", "error", 2, 10, attributes=["emotions"], channel="verbal")
    lab.mark("Ada", "competence", 20, 30, attributes=["norms"], channel="both")
    report = report_agreement(lab.session, AgreementQuery(options=FEW))
    assert report.main["overlap_share"].value == pytest.approx(2 / 3)
    assert report.main["mean_iou"].value == pytest.approx(0.8)
    fields = {field.key: field for field in report.fields}
    assert fields["attributes"].figures["jaccard"].value == pytest.approx(0.5)
    assert fields["channel"].figures["same"].value == 1
    assert {"attributes", "channel"} <= report.rows.keys()
    assert report.settings.annotators == ("Ada", "Ben")
    assert [beside.published.value for beside in report.published] == [0.851, 0.913, 0.087, 0.56, 0.43, 2.6, 3.2, 0.928]
    found = dump(report)
    for key in ("overlap_share", "verdict_agreement", "disagreement_share", "cohen_kappa", "elan_kappa", "alpha"):
        assert found["main"][key].keys() == {"value", "n", "low", "high", "reason", "more"}
    json.dumps(found, allow_nan=False)


def test_models_count_only_when_they_are_named_and_adjudicated_lanes_never(lab: Lab) -> None:
    lab.who("Judge", "model")
    lab.who("Adjudicated", "adjudicated")
    for name, label in (("Ada", "error"), ("Ben", "error"), ("Judge", "competence"), ("Adjudicated", "error")):
        lab.mark(name, label, 0, 10)
    assert read_agreement_input(lab.session).settings.annotators == ("Ada", "Ben")
    assert lab.figure("verdict_agreement") == 1
    assert lab.figure("verdict_agreement", pair=("Ada", "Judge")) == 0
    with pytest.raises(UserError, match="several people"):
        lab.figure("verdict_agreement", pair=("Ada", "Adjudicated"))


def test_who_looked_and_found_nothing_has_said_so(lab: Lab) -> None:
    lab.mark("Ada", "error", 0, 30)
    lab.who("Ben")
    assert lab.figure("overlap_share") is None
    lab.write("INSERT INTO completion VALUES (?, ?, '2026-01-01T00:00:00Z')", lab.recordings[0].id, lab.who("Ben"))
    assert lab.figure("overlap_share") == 0
    assert lab.figure("cohen_kappa") == 0


def test_training_is_left_out(lab: Lab) -> None:
    for recording, label in ((0, "error"), (1, "competence")):
        lab.mark("Ada", "error", 0, 10, recording)
        lab.mark("Ben", label, 0, 10, recording)
    assert lab.figure("verdict_agreement") == 0.5
    lab.write("INSERT INTO assignment VALUES (?, ?, 'training')", lab.recordings[1].id, lab.who("Ben"))
    assert lab.figure("verdict_agreement") == 1
    assert lab.figure("verdict_agreement", recordings=(lab.recordings[1].id,)) is None


def test_a_review_by_the_author_counts_for_nothing(lab: Lab) -> None:
    text, other = lab.mark("Ada", "error", 0, 10), lab.mark("Ben", "competence", 0, 10)
    review = "INSERT INTO review VALUES (?, ?, ?, '', '2026-01-01T00:00:00Z')"
    lab.write(review, text, lab.who("Ada"), "agree")
    assert lab.figure("reviewer_agreement") is None
    lab.write(review, text, lab.who("Ben"), "disagree")
    lab.write(review, other, lab.who("Ada"), "agree")
    assert lab.figure("reviewer_agreement") == 0.5
    assert lab.figure("disagreement_share") == 0.5


def test_what_is_said_of_one_participant_is_not_compared_with_what_is_said_of_another(lab: Lab) -> None:
    with lab.study.step("Use", undoable=False):
        lab.study.set_property("schemes", ["sotopia-eval"])
    lab.session.schemes.reload()
    for name, scores in (("Ada", (9, 1)), ("Ben", (8, 2))):
        for participant, score in zip(("p1", "p2"), scores, strict=True):
            made = Segment(
                new_id(), lab.recordings[0].id, lab.who(name), "rating", 0, 60 * SECOND, "sotopia-eval", "ratings"
            )
            with lab.study.step("Rate", made.annotator_id):
                insert_segment(lab.study, made)
                set_value(lab.study, FieldValue(made.id, "sotopia-eval", 1, "participant", participant))
                set_value(lab.study, FieldValue(made.id, "sotopia-eval", 1, "goal", score))
    report = report_agreement(lab.session, AgreementQuery(options=FEW))
    goal = next(field for field in report.fields if field.key == "goal").figures
    assert goal["mean_difference"].value == 1
    assert goal["pearson_r"].value == pytest.approx(1)
    assert goal["randolph_kappa"].n == 2


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"pair": ("Ada", "Nobody")}, "No annotator is called"),
        ({"pair": ("Ada", "Ada")}, "different annotators"),
        ({"third": "Nobody"}, "No annotator is called"),
        ({"scheme": "cues"}, "does not use"),
        ({"track": "lane"}, "no track"),
        ({"within": ("mood",)}, "no field"),
        ({"options": Options(minimum_iou=2)}, "is a share"),
        ({"options": Options(step_us=1)}, "too small"),
        ({"options": Options(bins=1)}, "two bins"),
    ],
)
def test_a_question_that_cannot_be_answered(lab: Lab, question: dict[str, object], said: str) -> None:
    lab.mark("Ada", "error", 0, 10)
    with pytest.raises(UserError, match=said):
        lab.figure("alpha", **question)


def test_an_empty_study_has_reasons(lab: Lab) -> None:
    report = report_agreement(lab.session, AgreementQuery(options=FEW))
    json.dumps(dump(report), allow_nan=False)
    assert all(figure.value is None and figure.reason for figure in report.main.values())
    assert summarize_segments(read_agreement_input(lab.session).material).to_json()["recordings"] == 0


def test_the_strip_and_its_keys(lab: Lab) -> None:
    lab.mark("Ada", "error", 0, 10)
    lab.mark("Ben", "competence", 5, 20)
    lab.mark("Ben", "error", 30, 40)
    segments = segments_of(lab.study, lab.recordings[0].id)
    found = find_disagreements(segments, [lab.who("Ada"), lab.who("Ben")], "shrec", "segments")
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
    assert find_disagreements(segments, [lab.who("Ada")], "shrec", "segments") == []


def test_a_track_that_one_codes_alone_is_no_disagreement(lab: Lab) -> None:
    lab.mark("Ada", "error", 0, 10)
    lab.mark("Ben", "error", 0, 10)
    segments = segments_of(lab.study, lab.recordings[0].id)
    gaze = [replace(segment, id=f"gaze {segment.id}", track="gaze") for segment in segments]
    ada, ben, cleo = lab.who("Ada"), lab.who("Ben"), lab.who("Cleo")
    alone = [*segments, *(segment for segment in gaze if segment.annotator_id == ada)]
    assert find_disagreements(alone, [ada, ben], "shrec", "gaze") == []
    assert find_disputed(alone, {segments[0].recording_id: {ada, ben}}) == set()
    others = [replace(segment, id=f"Cleo {segment.id}", annotator_id=cleo) for segment in segments]
    assert find_disagreements([*others, *gaze], [ada, ben, cleo], "shrec", "gaze") == [], "Cleo codes no gaze"
    assert len(find_disagreements(gaze, [ada, ben, cleo], "shrec", "gaze")) == 1, "Cleo marked nothing at all"


def test_statistics_written_out(lab: Lab) -> None:
    lab.mark("Ada", "error", 0, 30, attributes=["emotions", "norms"], channel="verbal")
    lab.mark("Ben", "error", 0, 10, attributes=["norms"], channel="both")
    lab.mark("Ben", "competence", 54, 60)
    found = summarize_segments(read_agreement_input(lab.session).material)
    assert [label.key for label in found.labels] == ["error", "competence", "none"]
    assert found.by_label.tolist() == [2, 1, 0]
    assert found.by_annotator.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert sorted(found.seconds["error"].tolist()) == [10, 30]
    attributes = next(field for field in found.fields if field.key == "attributes")
    keys = [choice.key for choice in attributes.choices]
    emotions, norms = keys.index("emotions"), keys.index("norms")
    assert attributes.by_label[0, [emotions, norms]].tolist() == [1, 2]
    assert attributes.co_occurrence[[emotions, norms, emotions], [emotions, norms, norms]].tolist() == [1, 2, 1]
    assert attributes.filled == 2
    # Ada marks the first half as an error, Ben the first sixth; a twentieth is 3 s.
    assert found.density[0, 0] == pytest.approx(1)
    assert found.density[0, 5:10].tolist() == pytest.approx([0.5] * 5)
    assert found.density[1, 18:].tolist() == pytest.approx([0.5] * 2)
    assert found.density.sum() == pytest.approx(20 * (30 + 10 + 6) / 120)
    json.dumps(found.to_json(), allow_nan=False)


def test_time_that_is_marked_twice_counts_once(lab: Lab) -> None:
    for start, end in ((0, 30), (10, 20), (25, 40), (40, 60), (50, 65)):
        lab.mark("Ada", "error", start, end)
    lab.mark("Ada", "competence", 0, 6)
    lab.mark("Ada", "error", 3, 6, recording=1)
    found = summarize_segments(read_agreement_input(lab.session).material)
    assert found.density[0].max() <= 1
    assert found.density[0].tolist() == pytest.approx([0.5, 1, *[0.5] * 18], abs=0.1)
    assert found.density[0].sum() == pytest.approx(20 * (1 + 3 / 60) / 2)
    assert found.density[1].sum() == pytest.approx(20 * 6 / 65 / 2)


def test_statistics_of_each_annotator_add_up(lab: Lab) -> None:
    lab.mark("Ada", "error", 0, 30, attributes=["emotions", "norms"], channel="verbal")
    lab.mark("Ben", "error", 0, 10, attributes=["norms"], channel="both")
    lab.mark("Ben", "competence", 54, 60, recording=1)
    lab.who("Cleo")
    material = read_agreement_input(lab.session).material
    each = summarize_by_annotator(material)
    assert [[who.name for who in statistics.annotators] for statistics in each] == [["Ada"], ["Ben"]]
    assert [statistics.by_label.tolist() for statistics in each] == [[1, 0, 0], [1, 1, 0]]
    assert (
        sum(statistics.fields[0].co_occurrence for statistics in each).tolist()
        == summarize_segments(material).fields[0].co_occurrence.tolist()
    )
    # Ben's two recordings of a minute: each marked second is a third of a twentieth, in one of the two.
    assert each[1].density[0, :4].tolist() == pytest.approx([0.5, 0.5, 0.5, 1 / 6])
    assert [statistics.recordings for statistics in each] == [1, 2]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AgreementReport:
    path = tmp_path_factory.mktemp("tables") / "s.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=5, segments=90)
    with Session.open(path, "Ada", read_only=True) as session:
        return report_agreement(session, AgreementQuery(options=Options(samples=50)))


def read(report: AgreementReport, name: str) -> list[dict[str, str]]:
    head, rows = build_report_tables(report)[name]
    return list(csv.DictReader(io.StringIO(to_csv(head, rows))))


def number(text: str) -> float | None:
    return float(text) if text else None


def test_the_tables_of_figures_and_groups_equal_the_report(report: AgreementReport) -> None:
    rows = {row["figure"]: row for row in read(report, "figures")}
    every = {
        **report.main,
        **{f"f1_iou.{level}": statistic_result for level, statistic_result in report.f1_iou.items()},
    }
    for key, figure in every.items():
        row = rows[key]
        assert [number(row[part]) for part in ("value", "low", "high")] == [figure.value, figure.low, figure.high]
        assert (int(row["n"]), row["reason"]) == (figure.n, figure.reason)
    assert rows["third_agreement"]["value"] == ""
    for split, groups in report.rows.items():
        for row, group in zip(read(report, f"by_{split}"), groups, strict=True):
            assert (row["key"], row["name"]) == (group.key, group.name)
            for key, figure in group.figures.items():
                assert (number(row[f"{key}.value"]), int(row[f"{key}.n"])) == (figure.value, figure.n)


def test_the_other_tables(report: AgreementReport) -> None:
    head, rows = build_report_tables(report)["confusion"]
    assert head == ("", "Error", "Competence", "None", "unmatched")
    assert [list(row[1:]) for row in rows] == [list(row) for row in report.confusion]
    published = read(report, "published")
    assert [float(row["published"]) for row in published] == [beside.published.value for beside in report.published]
    field = report.fields[0]
    found = [row for row in read(report, "form") if row["field"] == field.key and not row["choice"]]
    assert {row["figure"]: number(row["value"]) for row in found} == {
        key: figure.value for key, figure in field.figures.items()
    }


def test_a_name_is_never_a_formula(tmp_path: Path) -> None:
    text = to_csv(("=1+1", "n"), [("=HYPERLINK(1)", 1), ("+x", -0.25), ("\t@y", None), ('a "b", c', 1e-12)])
    found = list(csv.reader(io.StringIO(text)))
    assert [row[0] for row in found] == ["'=1+1", "'=HYPERLINK(1)", "'+x", "'\t@y", 'a "b", c']
    assert [row[1] for row in found[1:]] == ["1", "-0.25", "", "1e-12"]
