"""Questions in a judge's words, of chains and of the five dimensions: what is asked for, and what is taken in."""

from collections import Counter
from dataclasses import replace

import pytest

from annotate.chains.chain_edits import delete_chain, edit_node
from annotate.study.people import add_participant
from benchmark.authoring.judge_questions import (
    ALREADY_EXISTS,
    CHAIN_CHANGED,
    CHAIN_MISSING,
    RECORDING_MISSING,
    chain_requests,
    esi_requests,
    import_chain_questions,
    import_esi_questions,
)
from benchmark.prompts.recording_prompts import DIMENSIONS, esi_parts, parse_esi_part
from benchmark.questions.question_edits import coverage_checksum, is_stale
from benchmark.questions.question_validity import SINGLE_STEP, QuestionSpec, required_questions
from project.entities.causal_chains import ChainGraph
from project.entities.questions import Maker, QuestionKind
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.queries.judgment_rows import all_judges
from project.queries.question_rows import all_questions
from project.session.session import Session
from tests.builders.marked_study import WALK
from tests.builders.subjects import a_chain, gather
from tests.builders.worded_questions import GOOD, asked, judge_that

FOUR = {key: text for key, text in GOOD.items() if key != "wrong_4"}


@pytest.fixture
def graph(session: Session) -> ChainGraph:
    """A chain about P07, whom R1 deals with."""
    add_participant(session, "R1", ParticipantRole.ROBOT, WALK)
    add_participant(session, "P07", ParticipantRole.USER, WALK)
    return a_chain(session, WALK, "P07")


def reasons_against(session: Session, graph: ChainGraph, answer: object) -> dict[str, int]:
    """Take in one question worded so; return why it was left out."""
    with judge_that(session, lambda _: answer, f"judge {len(all_judges(session.study))}") as judge:
        request = chain_requests(session, [graph.chain.id], [judge], [QuestionKind.EVENT])
        said = asked(session, replace(request, about=request.about[:1]))
    made, changes = import_chain_questions(session, said)
    assert bool(made.questions) == bool(changes)
    return made.skipped


def test_a_question_for_everything_that_the_rules_ask_for(session: Session, graph: ChainGraph) -> None:
    told: list[str] = []

    def answer(text: str) -> object:
        told.append(text)
        return {**GOOD, "question": f"Why does the User laugh, case {len(told)}?"}

    kinds = (*SINGLE_STEP, QuestionKind.STEPS)
    with judge_that(session, answer) as judge:
        said = asked(session, chain_requests(session, (), [judge], kinds))
    made, _ = import_chain_questions(session, said)
    questions = all_questions(session.study)
    wanted = required_questions(graph, kinds)
    assert {QuestionSpec(question.kind, question.aspect, question.covers) for question in questions} == {*wanted}
    assert (made.by_kind, made.skipped) == (dict(Counter(each.kind.value for each in wanted)), {})
    assert {question.judgment_id for question in questions} == {judgment.id for judgment in said}
    for question in questions:
        assert question.maker is Maker.JUDGE
        assert question.made_from == coverage_checksum(graph, question.covers)
        assert not is_stale(question, graph)
        assert (question.answer, len(question.wrong)) == ("Because P07 takes the question for a joke.", 4)
    places = Counter(question.place for question in questions)
    assert max(places.values()) - min(places[at] for at in range(5)) <= 1
    # The chain is told with people by role, and so is the part that is covered.
    assert all("User asks something." in text and "P07" not in text for text in told)


def test_what_was_worded_is_not_asked_for_again(session: Session, graph: ChainGraph) -> None:
    with judge_that(session, lambda _: GOOD) as judge:
        said = asked(session, chain_requests(session, (), [judge], [QuestionKind.EVENT]))
        first, _ = import_chain_questions(session, said)
        again, changes = import_chain_questions(session, said)
        assert (len(first.questions), again.questions, bool(changes)) == (2, (), False)
        assert again.skipped == {ALREADY_EXISTS: 2}
        with pytest.raises(UserError, match="no questions for a judge"):
            chain_requests(session, (), [judge], [QuestionKind.EVENT])
        edit_node(session, graph.nodes[0].id, text="P07 asks something else.")
        left = chain_requests(session, (), [judge], [QuestionKind.EVENT])
        assert [text.split("/")[-1] for text in left.about] == [f"EU:{graph.nodes[0].id}"]


def test_of_two_judges_the_first_that_can_be_used_words_it(session: Session, graph: ChainGraph) -> None:
    with (
        judge_that(session, lambda _: {**GOOD, "wrong_1": GOOD["answer"]}, "bad") as bad,
        judge_that(session, lambda _: GOOD, "good") as good,
    ):
        said = asked(session, chain_requests(session, [graph.chain.id], [bad, good], [QuestionKind.EVENT]))
    made, _ = import_chain_questions(session, said)
    known = {judgment.id: judgment.judge["name"] for judgment in said}
    assert {known[question.judgment_id] for question in all_questions(session.study)} == {"good"}
    assert made.skipped == {"The answer is among the wrong options.": 2}


def test_what_cannot_be_used_is_left_out_with_its_reason(session: Session, graph: ChainGraph) -> None:
    for wrong, reason in (
        ("because the user takes the question for a JOKE", "The answer is among the wrong options."),
        ("Because a User takes the questions for jokes.", "A wrong option says what the answer says."),
    ):
        assert reasons_against(session, graph, {**GOOD, "wrong_2": wrong}) == {reason: 1}
    for noise in ({key: GOOD[key] for key in ("question", "answer", "wrong_1")}, {**GOOD, "answer": ["one"]}, "No."):
        assert sum(reasons_against(session, graph, noise).values()) == 1
    assert all_questions(session.study) == []


def test_answers_about_something_else_or_a_chain_as_it_was_are_not_taken_in(
    session: Session, graph: ChainGraph
) -> None:
    with judge_that(session, lambda _: GOOD) as judge:
        said = asked(session, chain_requests(session, (), [judge], [QuestionKind.WHY]))
    others = [replace(said[0], id="1", task="answer"), replace(said[0], id="2", part="EU:nobody")]
    made, changes = import_chain_questions(session, others)
    assert (sum(made.skipped.values()), bool(changes)) == (2, False)
    edit_node(session, graph.nodes[0].id, text="Something else.")
    assert import_chain_questions(session, said)[0].skipped == {CHAIN_CHANGED: 3}
    delete_chain(session, graph.chain.id)
    assert import_chain_questions(session, said)[0].skipped == {CHAIN_MISSING: 3}
    assert all_questions(session.study) == []


def test_two_rounds_of_ten_and_no_more_ask_for_every_dimension_in_four_ways(session: Session) -> None:
    parts = esi_parts()
    assert len({part.part for part in parts}) == len({part.wording for part in parts}) == 20
    assert Counter(part.dimension for part in parts) == dict.fromkeys(DIMENSIONS, 4)
    for key, dimension in DIMENSIONS.items():
        assert {part.wording for part in parts if part.dimension == key} == {*dimension.wordings}
    assert [parse_esi_part(part.part) for part in parts] == parts
    assert {parse_esi_part(text) for text in ("", "1:2", "1:2:XYZ", "0:1:IFA", "²:1:IFA")} == {None}
    for rounds in ((3,), (1, 11)):
        with pytest.raises(UserError, match="rounds"):
            esi_requests(session, [WALK], [], *rounds)


@pytest.fixture
def gathered(session: Session) -> Session:
    made, _ = add_participant(session, "P07", ParticipantRole.USER, WALK)
    gather(session, WALK, "P07", made)
    return session


def test_each_judge_words_all_dimensions_from_what_was_gathered(gathered: Session) -> None:
    told: list[str] = []

    def answer(text: str) -> object:
        told.append(text)
        (key,) = (key for key, dimension in DIMENSIONS.items() if f"{key} = {dimension.name}" in text)
        return {**FOUR, "dimension": key, "question": f"What does the User want, in case {len(told)}?"}

    with judge_that(gathered, answer, "one") as first, judge_that(gathered, answer, "two") as second:
        request = esi_requests(gathered, [WALK], [first, second], each=5)
        said = asked(gathered, request)
    assert (len(request.about), request.frames, len(said)) == (10, 24, 20)
    for text in told:
        assert "P07" not in text
        for piece in ("User talks.", "User laughs.", "User: hair like User", "Does User laugh? User does."):
            assert piece in text
    made, changes = import_esi_questions(gathered, said)
    assert made.by_kind == {"ESI": 20}
    questions = all_questions(gathered.study)
    assert Counter(question.aspect for question in questions) == dict.fromkeys(DIMENSIONS, 4)
    assert Counter(question.place for question in questions) == dict.fromkeys(range(4), 5)
    for question in questions:
        assert (question.kind, question.maker, question.chain_id) == (QuestionKind.ESI, Maker.JUDGE, None)
        assert (question.covers, question.made_from, len(question.options)) == ((), "", 4)
        assert (question.start_us, question.end_us) == (0, 600_000_000)
    assert {question.judgment_id for question in questions} == {judgment.id for judgment in said}
    assert len(changes.ids("question")) == 20


def test_another_dimension_and_three_options_make_no_question_and_the_same_makes_one(gathered: Session) -> None:
    answer = good = {**FOUR, "dimension": "IFA"}
    with judge_that(gathered, lambda _: answer) as judge:
        said = asked(gathered, esi_requests(gathered, [WALK], [judge], 2, 1))
        for seed, change in enumerate(({"dimension": "EBR"}, {"wrong_3": FOUR["wrong_1"]}), 1):
            answer = {**good, **change}
            wrong = asked(gathered, replace(esi_requests(gathered, [WALK], [judge], 1, 1), seed=seed))
            made, changes = import_esi_questions(gathered, wrong)
            assert (sum(made.skipped.values()), bool(changes)) == (1, False)
    gone = replace(said[0], recording_id="gone")
    assert import_esi_questions(gathered, [gone])[0].skipped == {RECORDING_MISSING: 1}
    made, _ = import_esi_questions(gathered, said)
    assert (len(made.questions), made.skipped) == (1, {ALREADY_EXISTS: 1})
