"""An invented study has verified questions of every kind that the benchmark asks."""

from collections import Counter
from pathlib import Path

import pytest

from benchmark.authoring.adversarial_authoring import verified_written_ids
from benchmark.authoring.synthetic_questions import add_synthetic_questions
from benchmark.questions.verification import verified_ids
from project.entities.questions import QuestionKind
from project.integrity.integrity_check import check_study
from project.progress import Silent
from project.queries.question_rows import all_questions, verifications
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_study import fill_whole_study


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "whole.greenroom"
    with Study.create(path) as study:
        fill_whole_study(study, recordings=24, segments=600)
        add_synthetic_questions(Session(study, "Annotator 1"), 0, Silent())
    return path


def test_nearly_all_are_verified_and_some_are_not(whole: Path) -> None:
    with Session.open(whole, "Annotator 1") as session:
        questions = all_questions(session.study)
        kinds = Counter(question.kind for question in questions)
        assert {*kinds} == {*QuestionKind} - {QuestionKind.STEPS}
        good = verified_ids(session)
        assert 0.85 < len(good) / len(questions) < 1
        assert verified_written_ids(session)
    assert check_study(whole) == []


def test_options_differ_and_a_writer_does_not_verify_alone(whole: Path) -> None:
    with Session.open(whole, "Annotator 1") as session:
        said = verifications(session.study)
        for question in all_questions(session.study):
            assert len({*question.options}) == (4 if question.kind is QuestionKind.ESI else 5)
            assert len({word.annotator_id for word in said[question.id]} - {question.annotator_id}) >= 1


def test_a_study_without_anything_to_ask_about_gets_no_question(tmp_path: Path) -> None:
    with Study.create(tmp_path / "small.greenroom") as study:
        fill_whole_study(study, recordings=1, segments=0)
        assert add_synthetic_questions(Session(study, "Annotator 1"), 0, Silent()) >= 0
