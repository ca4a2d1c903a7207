"""Questions of the five dimensions: what is asked for, and what of the answers becomes a question."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.study.people import add_participant
from benchmark.authoring import judge_questions as esi
from benchmark.authoring.judge_questions import ALREADY_EXISTS
from benchmark.prompts.recording_prompts import DIMENSIONS, EsiPart, esi_parts, parse_esi_part
from project.entities.judgments import JudgmentStatus
from project.entities.questions import Maker, QuestionKind
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.queries.question_rows import all_questions
from project.session.session import Session
from tests.builders.marked_study import WALK, open_study
from tests.builders.subjects import gather
from tests.builders.worded_questions import GOOD, asked, judge_that

FOUR = {key: text for key, text in GOOD.items() if key != "wrong_4"}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as opened:
        made, _ = add_participant(opened, "P07", ParticipantRole.USER, WALK)
        gather(opened, WALK, "P07", made)
        yield opened


def test_two_rounds_of_ten_ask_for_every_dimension_in_four_ways() -> None:
    parts = esi_parts()
    assert len({part.part for part in parts}) == 20
    assert Counter(part.dimension for part in parts) == dict.fromkeys(DIMENSIONS, 4)
    ways = {key: {part.wording for part in parts if part.dimension == key} for key in DIMENSIONS}
    assert ways == {key: {*dimension.wordings} for key, dimension in DIMENSIONS.items()}
    assert len({way for found in ways.values() for way in found}) == 20
    assert [parse_esi_part(part.part) for part in parts] == parts


@pytest.mark.parametrize(
    "text", ["", "1", "1:2", "1:2:XYZ", "0:1:IFA", "1:0:IFA", "01:1:IFA", "x:1:IFA", "²:1:IFA", "1:2:IFA:"]
)
def test_other_parts_are_none(text: str) -> None:
    assert parse_esi_part(text) is None


def test_each_judge_words_all_of_them_from_what_was_gathered(session: Session) -> None:
    told: list[str] = []

    def answer(text: str) -> object:
        told.append(text)
        (dimension,) = (key for key, each_dimension in DIMENSIONS.items() if f"{key} = {each_dimension.name}" in text)
        return {**FOUR, "dimension": dimension, "question": f"What does the User want, in case {len(told)}?"}

    with judge_that(session, answer, "one") as judge_entry, judge_that(session, answer, "two") as two:
        request = esi.esi_requests(session, [WALK], [judge_entry, two], each=5)
        said = asked(session, request)
    assert (len(request.about), request.frames, len(said)) == (10, 24, 20)
    for text in told:
        for piece in ("User talks.", "User laughs.", "User: hair like User", "Does User laugh? User does."):
            assert piece in text
        assert "P07" not in text
    made, changes = esi.import_esi_questions(session, said)
    assert made.by_kind == {"ESI": 20}
    questions = all_questions(session.study)
    assert Counter(each_question.aspect for each_question in questions) == dict.fromkeys(DIMENSIONS, 4)
    assert Counter(each_question.place for each_question in questions) == dict.fromkeys(range(4), 5)
    for question in questions:
        assert (question.kind, question.maker, question.chain_id) == (QuestionKind.ESI, Maker.JUDGE, None)
        assert (question.covers, question.made_from, len(question.options)) == ((), "", 4)
        assert (question.start_us, question.end_us) == (0, 600_000_000)
    assert {each_question.judgment_id for each_question in questions} == {judgment.id for judgment in said}
    assert len(changes.ids("question")) == 20


def test_the_same_question_is_taken_in_once(session: Session) -> None:
    with judge_that(session, lambda _: {**FOUR, "dimension": "IFA"}) as judge:
        said = asked(session, esi.esi_requests(session, [WALK], [judge], 2, 1))
    made, _ = esi.import_esi_questions(session, said)
    assert (len(made.ids), made.skipped) == (1, {ALREADY_EXISTS: 1})
    assert esi.import_esi_questions(session, said)[0].skipped == {ALREADY_EXISTS: 2}


def test_another_dimension_three_options_and_nonsense_make_no_question(session: Session) -> None:
    answers = iter([{**FOUR, "dimension": "EBR"}, {**FOUR, "wrong_3": FOUR["wrong_1"], "dimension": "IFA"}, "nothing"])
    with judge_that(session, lambda _: next(answers)) as judge:
        for at in range(3):
            request = esi.esi_requests(session, [WALK], [judge], 1, 1)
            said = asked(session, replace(request, seed=at))
            made, changes = esi.import_esi_questions(session, said)
            assert sum(made.skipped.values()) == 1
            assert not changes
    with_question = replace(said[0], status=JudgmentStatus.OK, answer={**FOUR, "dimension": "IFA"})
    assert esi.import_esi_questions(session, [replace(with_question, part="1:1")])[0].skipped == {esi.NO_DIMENSION: 1}
    assert esi.import_esi_questions(session, [replace(with_question, recording_id="gone")])[0].skipped == {
        esi.RECORDING_MISSING: 1
    }


def test_more_than_two_rounds_of_ten_are_refused(session: Session) -> None:
    with pytest.raises(UserError, match="rounds"):
        esi.esi_requests(session, [WALK], [], 3)
    with pytest.raises(UserError, match="rounds"):
        esi.esi_requests(session, [WALK], [], 1, 11)
    assert EsiPart(2, 10, "IDC").wording in DIMENSIONS["IDC"].wordings
