"""Inferences of judges become statements to rate, whatever a judge writes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.authoring import statement_suggestions as taking
from benchmark.authoring.statement_suggestions import import_inferences, inference_requests, question_request
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
    assert (taken.statements, len(taken.ids), taken.skipped) == (5, 10, {})
    assert session.schemes.is_in_use("socialnli")
    for segment in segments_of_scheme(session.study, "socialnli"):
        assert {*values_of(session.study, segment.id)} == {"statement"}
        assert (segment.label, segment.track, segment.start_us, segment.end_us) == (
            "emotion",
            "inferences",
            0,
            recording.duration_us,
        )


def test_what_is_there_is_not_taken_twice(session: Session, recording: Recording) -> None:
    import_inferences(session, [answer(session, recording)])
    again = ("She is  GLAD!", "He knows that she lies", *GOOD[2:])
    taken, _ = import_inferences(session, [answer(session, recording, again)])
    assert taken.skipped == {taking.DUPLICATE: 5}
    assert taken.ids == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", taking.EMPTY),
        ("   \n ", taking.EMPTY),
        ("\u200b\u202e", taking.EMPTY),
        ("She is glad. " * 40, taking.TOO_LONG),
        ("she is GLAD", taking.DUPLICATE),
        ("2. She is glad.", taking.DUPLICATE),
        ("She is\u202e glad.", taking.DUPLICATE),
    ],
)
def test_what_cannot_be_used_is_left_out_for_its_reason(
    session: Session, recording: Recording, text: str, reason: str
) -> None:
    taken, _ = import_inferences(session, [answer(session, recording, (GOOD[0], text, *GOOD[2:]))])
    assert taken.skipped == {reason: 1}
    assert taken.statements == 4


@pytest.mark.parametrize("label", ["anger", "", None, 3, ["emotion"]])
def test_a_statement_needs_one_of_the_three_classes(session: Session, recording: Recording, label: Json) -> None:
    said = answer(session, recording, label=label if isinstance(label, str) else str(label))
    assert import_inferences(session, [said])[0].skipped == {taking.NO_CLASS: 5}


def test_answers_to_something_else_are_told(session: Session, recording: Recording) -> None:
    other = find_judgments(session.study, [an_answer(session, recording.id, "looks", {"looks": "x"})])[0]
    assert import_inferences(session, [other])[0].skipped == {taking.OTHER_TASK: 1}


def test_each_judge_makes_inferences_for_its_own_question_at_both_strengths(
    session: Session, recording: Recording
) -> None:
    question = an_answer(session, recording.id, "nli_question", {"question": "What is meant?"})
    asked = find_judgments(session.study, [question])
    mine, other = JudgeEntry("j", "J", "random"), JudgeEntry("k", "K", "random")
    found = inference_requests([mine, other], asked)
    assert [(ask_request.judges, ask_request.variant) for ask_request in found] == [([mine], "cot"), ([mine], "plain")]
    assert {judgment_id_of_part(parse_target(key).part) for ask_request in found for key in ask_request.about} == {
        question
    }


def test_ten_questions_a_recording_at_most(session: Session, recording: Recording) -> None:
    assert len(question_request(session, [recording.id, recording.id], [], 10).about) == 10
    for number in (0, 11):
        with pytest.raises(UserError, match="1 to 10"):
            question_request(session, [recording.id], [], number)
