"""Samples of a recording: when they are taken, which are missing, and what an answer becomes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.review.segment_table import SegmentTable
from annotate.review.study_progress import ChecklistItemKind, build_checklist
from annotate.segments.segment_edits import add_segment, move_segments
from annotate.segments.time_samples import SampleSheet, answer_sample, read_sample_sheet
from annotate.study.people import add_participant
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.queries.segment_rows import all_segments, values_of
from project.schemes.scheme import Sampling, SamplingKind
from project.schemes.scheme_file import parse_scheme
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK
from tests.builders.point_schemes import MOMENTS, mark_moment, open_moments


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_moments(tmp_path) as opened:
        yield opened


def test_samples_come_after_each_interval_and_a_rest_is_not_sampled() -> None:
    moments, intervals = Sampling(10, SamplingKind.INSTANTANEOUS), Sampling(2.5, SamplingKind.WHOLE)
    assert moments.count(39 * SECOND) == 3
    assert [moments.span(number) for number in (1, 3)] == [(10 * SECOND,) * 2, (30 * SECOND,) * 2]
    assert intervals.span(2) == (2_500_000, 5_000_000)
    assert intervals.number_of(2_500_000, 5_000_000) == 2
    assert [moments.number_of(at * SECOND, at * SECOND) for at in (0, 5, 10)] == [None, None, 1]
    assert intervals.number_of(5_000_000, 5_000_000) is None


def test_what_is_missing_is_asked_for_in_turn_and_an_answer_takes_the_place_of_the_one_before(session: Session) -> None:
    def sheet() -> SampleSheet:
        return read_sample_sheet(session, WALK, "moments", "gaze")

    first, second = sheet().questions[:2]
    assert sheet().first_from(3 * SECOND) == second
    answer_sample(session, sheet(), second, "face")
    answer_sample(session, sheet(), sheet().questions[-1], "away")
    answer_sample(session, sheet(), second, "away")
    assert [(s.label, s.start_us, s.end_us) for s in all_segments(session.study)] == [
        ("away", 4 * SECOND, 4 * SECOND),
        ("away", 600 * SECOND, 600 * SECOND),
    ]
    assert len(sheet().missing) == sheet().size - sheet().taken == 298
    assert sheet().next_missing(first) == sheet().questions[2]
    assert sheet().next_missing(sheet().questions[-1]) == first, "after the last one it goes on with those left out"
    assert sheet().neighbour(first, -1) == first


def test_a_scan_asks_about_each_participant(session: Session) -> None:
    for name in ("P01", "P02"):
        add_participant(session, name, ParticipantRole.USER, WALK)
    questions = read_sample_sheet(session, WALK, "moments", "scan").questions
    assert [(q.number, q.participant.pseudonym) for q in questions[:3] if q.participant] == [
        (1, "P01"),
        (1, "P02"),
        (2, "P01"),
    ]
    answer_sample(session, read_sample_sheet(session, WALK, "moments", "scan"), questions[1], "far")
    (segment,) = all_segments(session.study)
    assert questions[1].participant is not None
    assert values_of(session.study, segment.id) == {"person": questions[1].participant.id}
    assert read_sample_sheet(session, WALK, "moments", "scan").missing == (questions[0], *questions[2:])


def test_the_checklist_has_the_missing_samples_of_who_took_others(session: Session) -> None:
    mark_moment(session, "Ada", 4, "face", track="gaze")
    mark_moment(session, "Ben", 4, "nod")
    first, _ = (add_participant(session, name, ParticipantRole.USER, WALK)[0] for name in ("P01", "P02"))
    mark_moment(session, "Ben", 5, "near", track="scan", person=first)
    found = build_checklist(session, SegmentTable(session)).tasks
    assert [(task.annotator.name, task.kind, task.text, task.time_us, task.count) for task in found] == [
        ("Ada", ChecklistItemKind.SAMPLES, "Gaze: 299 of 300 samples not coded.", 2 * SECOND, 299),
        ("Ben", ChecklistItemKind.SAMPLES, "Scan: 239 of 240 samples not coded.", 5 * SECOND, 239),
    ]


def test_samples_lie_at_their_times_and_stay_there(session: Session) -> None:
    made, _ = add_segment(session, WALK, 2 * SECOND, 2 * SECOND, "face", scheme="moments", track="gaze")
    for refused in (
        lambda: add_segment(session, WALK, 3 * SECOND, 3 * SECOND, "face", scheme="moments", track="gaze"),
        lambda: add_segment(session, WALK, SECOND, 3 * SECOND, "yes", scheme="moments", track="touch"),
        lambda: move_segments(session, [(made, 4 * SECOND, 4 * SECOND)]),
        lambda: read_sample_sheet(session, WALK, "moments", "nods"),
    ):
        with pytest.raises(UserError):
            refused()


@pytest.mark.parametrize(
    ("before", "after", "where"),
    [
        ('kind = "instantaneous"', 'kind = "continuous"', "tracks[3].sampling.kind"),
        ("every = 2", "every = 0.05", "tracks[3].sampling.every"),
        ('extent = "point"\nsampling', "sampling", "tracks[3].extent"),
        ('sampling = { every = 2, kind = "instantaneous" }', "sampling = 2", "tracks[3].sampling"),
        ('extent = "point"\nsampling', 'extent = "point"\ninside = "utterance"\nsampling', "tracks[3].inside"),
    ],
)
def test_a_scheme_that_says_no_samples_is_refused_with_the_place(before: str, after: str, where: str) -> None:
    with pytest.raises(UserError, match="wrong at") as refused:
        parse_scheme(MOMENTS.replace(before, after, 1), "moments.toml")
    assert where in refused.value.message
