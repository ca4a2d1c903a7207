"""Inferences of judges become statements to rate, whatever a judge writes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.authoring.judge_questions import OTHER_TASK
from benchmark.authoring.statement_suggestions import (
    DUPLICATE,
    EMPTY,
    NO_CLASS,
    TOO_LONG,
    import_inferences,
    inference_requests,
    question_request,
)
from project.entities.judgments import JudgeEntry, Judgment, judgment_id_of_part, parse_target
from project.entities.study_records import Json, Recording
from project.errors import UserError
from project.queries.judgment_rows import find_judgments
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import segments_of_scheme, values_of
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.statements import an_answer


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "study.greenroom"
    with Study.create(path) as study:
        fill_study(study, recordings=1, segments=0)
    with Session.open(path, "Annotator 1") as found:
        yield found


@pytest.fixture
def recording(session: Session) -> Recording:
    return all_recordings(session.study)[0]


GOOD = ("She is glad.", "He knows that she lies.", "They have met.", "He is sorry.", "She thinks he jokes.")


def answer(session: Session, recording: Recording, texts: tuple[str, ...] = GOOD, label: Json = "emotion") -> Judgment:
    said: dict[str, Json] = {f"inference_{at}": text for at, text in enumerate(texts, 1)}
    said |= {f"class_{at}": label for at in range(1, 6)}
    return find_judgments(session.study, [an_answer(session, recording.id, "nli_inferences", said)])[0]


def test_each_rater_gets_every_statement_without_a_plausibility(session: Session, recording: Recording) -> None:
    taken, _ = import_inferences(session, [answer(session, recording)], ["Anna", "Bram", "Anna"])
    assert (taken.statements, len(taken.segments), taken.skipped) == (5, 10, {})
    assert session.schemes.is_in_use("socialnli")
    segments = segments_of_scheme(session.study, "socialnli")
    assert len(segments) == 10
    for segment in segments:
        assert {*values_of(session.study, segment.id)} == {"statement"}
        assert (segment.label, segment.track) == ("emotion", "inferences")
        assert (segment.start_us, segment.end_us) == (0, recording.duration_us)


def test_what_is_there_is_not_taken_twice_and_ten_questions_are_asked_at_most(
    session: Session, recording: Recording
) -> None:
    import_inferences(session, [answer(session, recording)])
    again = ("She is  GLAD!", "He knows that she lies", *GOOD[2:])
    taken, _ = import_inferences(session, [answer(session, recording, again)])
    assert taken.skipped == {DUPLICATE: 5}
    assert taken.segments == ()
    assert len(question_request(session, [recording.id, recording.id], [], 10).about) == 10
    for number in (0, 11):
        with pytest.raises(UserError, match="1 to 10"):
            question_request(session, [recording.id], [], number)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", EMPTY),
        ("   \n ", EMPTY),
        ("\u200b\u202e", EMPTY),
        ("She is glad. " * 40, TOO_LONG),
        ("she is GLAD", DUPLICATE),
        ("2. She is glad.", DUPLICATE),
        ("She is\u202e glad.", DUPLICATE),
    ],
)
def test_what_cannot_be_used_is_left_out_for_its_reason(
    session: Session, recording: Recording, text: str, reason: str
) -> None:
    taken, _ = import_inferences(session, [answer(session, recording, (GOOD[0], text, *GOOD[2:]))])
    assert (taken.skipped, taken.statements) == ({reason: 1}, 4)


def test_statements_of_no_class_and_answers_to_something_else_are_left_out(
    session: Session, recording: Recording
) -> None:
    for label in ("anger", "", None, 3, ["emotion"], {}):
        said = answer(session, recording, label=label)
        assert import_inferences(session, [said])[0].skipped == {NO_CLASS: 5}
    other = find_judgments(session.study, [an_answer(session, recording.id, "looks", {"looks": "x"})])[0]
    assert import_inferences(session, [other])[0].skipped == {OTHER_TASK: 1}


def test_each_judge_makes_inferences_for_its_own_question_at_both_strengths(
    session: Session, recording: Recording
) -> None:
    question = an_answer(session, recording.id, "nli_question", {"question": "What is meant?"})
    asked = find_judgments(session.study, [question])
    mine, other = JudgeEntry("j", "J", "random"), JudgeEntry("k", "K", "random")
    requests = inference_requests([mine, other], asked)
    assert [(request.judges, request.variant) for request in requests] == [([mine], "cot"), ([mine], "plain")]
    parts = [parse_target(key).part for request in requests for key in request.about]
    assert {judgment_id_of_part(part) for part in parts} == {question}
