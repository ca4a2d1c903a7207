"""Questions in a judge's words: what is asked for, what is taken in, and what is not."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.chains.chain_edits import delete_chain, edit_node
from annotate.study.people import add_participant
from benchmark.authoring import judge_questions as by_judge
from benchmark.prompts.question_prompts import WORD_QUESTION_TASK
from benchmark.questions.question_edits import coverage_checksum, is_stale
from benchmark.questions.question_validity import SINGLE_STEP, QuestionSpec, required_questions
from project.entities.causal_chains import ChainGraph
from project.entities.judgments import JudgmentStatus
from project.entities.questions import Maker, QuestionKind
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.queries.question_rows import all_questions
from project.session.session import Session
from tests.builders.marked_study import WALK, open_study
from tests.builders.subjects import a_chain
from tests.builders.worded_questions import GOOD, asked, judge_that


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as opened:
        add_participant(opened, "R1", ParticipantRole.ROBOT, WALK)
        add_participant(opened, "P07", ParticipantRole.USER, WALK)
        yield opened


@pytest.fixture
def graph(session: Session) -> ChainGraph:
    return a_chain(session, WALK, "P07")


def one_part(session: Session, graph: ChainGraph, answer: object) -> dict[str, int]:
    """Take in one question worded so; return why it was left out."""
    with judge_that(session, lambda _: answer) as judge:
        request = by_judge.chain_requests(session, [graph.chain.id], [judge], [QuestionKind.EVENT])
        said = asked(session, replace(request, about=request.about[:1]))
    made, changes = by_judge.import_chain_questions(session, said)
    assert bool(made.ids) == bool(changes)
    return made.skipped


def test_a_question_for_everything_that_the_rules_ask_for(session: Session, graph: ChainGraph) -> None:
    told: list[str] = []

    def answer(text: str) -> object:
        told.append(text)
        return {**GOOD, "question": f"Why does the User laugh, case {len(told)}?"}

    kinds = (*SINGLE_STEP, QuestionKind.STEPS)
    with judge_that(session, answer) as judge:
        said = asked(session, by_judge.chain_requests(session, (), [judge], kinds))
    made, _ = by_judge.import_chain_questions(session, said)
    questions = all_questions(session.study)
    wanted = required_questions(graph, kinds)
    assert {QuestionSpec(question.kind, question.aspect, question.covers) for question in questions} == {*wanted}
    assert made.by_kind == dict(Counter(question_spec.kind.value for question_spec in wanted))
    assert made.skipped == {}
    assert {question.judgment_id for question in questions} == {judgment.id for judgment in said}
    for question in questions:
        assert question.maker is Maker.JUDGE
        assert question.made_from == coverage_checksum(graph, question.covers)
        assert not is_stale(question, graph)
        assert (question.answer, len(question.wrong)) == ("Because P07 takes the question for a joke.", 4)
    places = Counter(question.place for question in questions)
    assert max(places.values()) - min(places[at] for at in range(5)) <= 1
    # The chain is told with people by role, and so is the part that is covered.
    assert all("User asks something." in one and "P07" not in one for one in told)


def test_what_was_worded_is_not_asked_for_again(session: Session, graph: ChainGraph) -> None:
    with judge_that(session, lambda _: GOOD) as judge:
        request = by_judge.chain_requests(session, (), [judge], [QuestionKind.EVENT])
        said = asked(session, request)
        first, _ = by_judge.import_chain_questions(session, said)
        again, changes = by_judge.import_chain_questions(session, said)
        assert (len(first.ids), again.ids, bool(changes)) == (2, (), False)
        assert again.skipped == {by_judge.ALREADY_EXISTS: 2}
        with pytest.raises(UserError, match="No question is left"):
            by_judge.chain_requests(session, (), [judge], [QuestionKind.EVENT])
        edit_node(session, graph.nodes[0].id, text="P07 asks something else.")
        left = by_judge.chain_requests(session, (), [judge], [QuestionKind.EVENT])
        assert [text.split("/")[-1] for text in left.about] == [f"EU:{graph.nodes[0].id}"]


def test_of_two_judges_the_first_that_can_be_used_words_it(session: Session, graph: ChainGraph) -> None:
    with (
        judge_that(session, lambda _: {**GOOD, "wrong_1": GOOD["answer"]}, "bad") as bad,
        judge_that(session, lambda _: GOOD, "good") as good,
    ):
        request = by_judge.chain_requests(session, [graph.chain.id], [bad, good], [QuestionKind.EVENT])
        said = asked(session, request)
    made, _ = by_judge.import_chain_questions(session, said)
    known = {judgment.id: judgment.judge["name"] for judgment in said}
    assert {known[question.judgment_id] for question in all_questions(session.study)} == {"good"}
    assert made.skipped == {"The answer is among the wrong options.": 2}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({**GOOD, "wrong_2": GOOD["answer"]}, "The answer is among the wrong options."),
        (
            {**GOOD, "wrong_2": "because the user takes the question for a JOKE"},
            "The answer is among the wrong options.",
        ),
        (
            {**GOOD, "wrong_2": "Because a User takes the questions for jokes."},
            "A wrong option says what the answer says.",
        ),
        ({**GOOD, "wrong_1": GOOD["wrong_3"]}, "Two wrong options are the same."),
        ({**GOOD, "question": "x" * 5000}, "The question is longer than 1,000 characters."),
        ({**GOOD, "answer": "x" * 900}, "The option is longer than 600 characters."),
    ],
)
def test_what_cannot_be_used_is_left_out_with_its_reason(
    session: Session, graph: ChainGraph, answer: object, reason: str
) -> None:
    assert one_part(session, graph, answer) == {reason: 1}


@pytest.mark.parametrize(
    "answer",
    [
        {key: GOOD[key] for key in ("question", "answer", "wrong_1", "wrong_2")},
        {**GOOD, "answer": ["one", "two"]},
        {**GOOD, "answer": ""},
        {**GOOD, "wrong_3": None},
        {"questions": [GOOD]},
        [3, "four"],
        "I would rather not say.",
        json.dumps(GOOD)[:-40],
        "",
    ],
)
def test_three_options_two_answers_and_noise_make_no_question(
    session: Session, graph: ChainGraph, answer: object
) -> None:
    assert sum(one_part(session, graph, answer).values()) == 1
    assert all_questions(session.study) == []


def test_noise_around_an_answer_does_no_harm(session: Session, graph: ChainGraph) -> None:
    noisy = f"Sure!\n```json\n{json.dumps({**GOOD, 'note': 'mine'})}\n```\nGood luck."
    assert one_part(session, graph, noisy) == {}


def test_what_a_judge_writes_is_plain_text_on_one_line(session: Session, graph: ChainGraph) -> None:
    assert one_part(session, graph, {**GOOD, "answer": "One\nline <b>and\u202e\tmore</b>\u2028here."}) == {}
    assert all_questions(session.study)[0].answer == "One line <b>and more</b> here."


def test_answers_about_a_chain_as_it_was_are_not_taken_in(session: Session, graph: ChainGraph) -> None:
    with judge_that(session, lambda _: GOOD) as judge:
        said = asked(session, by_judge.chain_requests(session, (), [judge], [QuestionKind.WHY]))
    edit_node(session, graph.nodes[0].id, text="Something else.")
    assert by_judge.import_chain_questions(session, said)[0].skipped == {by_judge.CHAIN_CHANGED: 3}
    delete_chain(session, graph.chain.id)
    assert by_judge.import_chain_questions(session, said)[0].skipped == {by_judge.CHAIN_MISSING: 3}
    assert all_questions(session.study) == []


def test_answers_to_other_tasks_and_without_a_form_are_counted(session: Session, graph: ChainGraph) -> None:
    with judge_that(session, lambda _: GOOD) as judge:
        (said, *_) = asked(session, by_judge.chain_requests(session, (), [judge], [QuestionKind.WHY]))
    others = [replace(said, id="1", task="answer"), replace(said, id="2", status=JudgmentStatus.REFUSED, answer={})]
    others += [replace(said, id="3", part="EU:nobody"), replace(said, id="4", part="")]
    made, changes = by_judge.import_chain_questions(session, others)
    assert not changes
    assert sum(made.skipped.values()) == 4
    assert said.task == WORD_QUESTION_TASK
