"""Questions made by rules of a whole study: as many as the rules say, in one step, none of them twice."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.chains import chain_edits as edits
from annotate.study import recording_edits as history
from benchmark.authoring.rule_questions import ALREADY_EXISTS, add_rule_questions
from benchmark.disclosure.conditions import MISSING_RECORDING
from benchmark.judge_input.input_planning import plan_input
from benchmark.questions.question_edits import (
    QuestionCorrection,
    add_questions,
    correct_question,
    coverage_checksum,
    delete_questions,
    get_question,
    is_stale,
)
from benchmark.questions.question_validity import SINGLE_STEP, normalize_option, required_questions
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import Maker, Question, QuestionKind, WrongOption
from project.errors import UserError
from project.queries.chain_rows import (
    all_chains,
    delete_chain,
    read_graphs,
    recordings_of_nodes,
)
from project.queries.question_rows import all_questions
from project.queries.recording_rows import participants_in, set_appearance, set_hold_out
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains

FEW, KEPT = 4, 40
MANY = 30
"""Questions of a sort from which the share of the longest is known well enough."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "filled.greenroom"
    with Study.create(path) as study:
        fill_with_chains(study, chains=KEPT)
    return path


def test_the_answer_is_as_often_the_longest_or_the_shortest_as_any_other_option(session: Session) -> None:
    add_rule_questions(session)
    sorts: dict[tuple[str, str], list[Question]] = {}
    for question in all_questions(session.study):
        sorts.setdefault((question.kind.value, question.aspect), []).append(question)
    for sort, questions in sorts.items():
        for better in (max, min):
            shares = []
            for question in questions:
                ends = [len(text) for text in question.options].count(best := better(map(len, question.options)))
                shares.append((len(question.answer) == best) / ends)
            if len(shares) >= MANY:
                assert sum(shares) / len(shares) == pytest.approx(0.2, abs=0.06), (sort, better.__name__)


@pytest.fixture
def session(filled: Path, tmp_path: Path) -> Iterator[Session]:
    copy = tmp_path / "copy.greenroom"
    copy.write_bytes(filled.read_bytes())
    with Session.open(copy, "Annotator 1") as opened:
        yield opened


def chains(session: Session, count: int = FEW) -> list[str]:
    return [chain.id for chain in all_chains(session.study)[:count]]


def made(session: Session, count: int = FEW) -> list[Question]:
    add_rule_questions(session, chains(session, count))
    return all_questions(session.study)


def graph_of(session: Session) -> ChainGraph:
    return read_graphs(session.study, all_chains(session.study)[:1])[0]


def homes_of_nodes(session: Session) -> dict[str, str]:
    graphs = read_graphs(session.study, all_chains(session.study))
    return {node.id: graph.chain.recording_id for graph in graphs for node in graph.nodes}


def homes_of_others(session: Session) -> set[str]:
    """Return the recordings of half of the chains that are not asked about."""
    homes = [chain.recording_id for chain in all_chains(session.study)]
    return {*homes[FEW : KEPT // 2]} - {*homes[:FEW]} - {*homes[KEPT // 2 :]}


def test_as_many_as_the_rules_say_in_one_step_with_places_balanced_and_none_twice(session: Session) -> None:
    graphs = read_graphs(session.study, all_chains(session.study))[:FEW]
    wanted = Counter(each.kind.value for graph in graphs for each in required_questions(graph, SINGLE_STEP))
    done, changes = add_rule_questions(session, chains(session))
    found = all_questions(session.study)
    assert (done.by_kind, done.skipped) == (dict(wanted), {})
    assert changes.ids("question") == {*done.questions} == {question.id for question in found}
    places = Counter(question.place for question in found)
    assert max(places.values()) - min(places.values()) <= 1
    for question in found:
        assert question.maker is Maker.RULES
        assert question.options[question.place] == question.answer
        assert len({normalize_option(text) for text in question.options}) == 5
        assert (question.start_us, question.end_us) == (0, session.recording(question.recording_id).duration_us)
    again, changes = add_rule_questions(session, chains(session))
    assert (again.questions, again.skipped) == ((), {ALREADY_EXISTS: len(found)})
    assert not changes.ids("question")
    history.undo(session)
    assert all_questions(session.study) == []


def test_kinds_are_chosen_and_unknown_ones_and_chains_are_refused(session: Session) -> None:
    done, _ = add_rule_questions(session, chains(session), [QuestionKind.WHY, QuestionKind.STEPS])
    assert {*done.by_kind} == {"CW", "multi-step"}
    found = all_questions(session.study)
    assert {question.aspect for question in found if question.kind is QuestionKind.STEPS} == {"start", "end", "between"}
    for chain_ids, kinds, says in (((), [QuestionKind.ESI], "ESI"), (["nothing"], SINGLE_STEP, "no chain")):
        with pytest.raises(UserError, match=says):
            add_rule_questions(session, chain_ids, kinds)


def test_a_chain_that_says_something_else_makes_its_questions_old_until_they_are_held_against_it(
    session: Session,
) -> None:
    questions, graph = made(session, 1), graph_of(session)
    node = graph.subchains[0].result_id
    assert not any(is_stale(question, graph) for question in questions)
    edits.edit_node(session, node, text="says something else entirely")
    old = [question for question in questions if is_stale(question, graph_of(session))]
    assert old == [question for question in questions if node in question.covers]
    assert is_stale(questions[0], None)
    correct_question(session, old[0].id, QuestionCorrection(answer="Something else entirely"))
    assert is_stale(get_question(session, old[0].id), graph_of(session))
    correct_question(session, old[0].id, QuestionCorrection(fits_chain=True))
    assert not is_stale(get_question(session, old[0].id), graph_of(session))
    done, _ = add_rule_questions(session, chains(session, 1))
    assert sum(done.by_kind.values()) == len(old) - 1
    edits.delete_nodes(session, [node])
    with pytest.raises(UserError, match="was deleted"):
        correct_question(session, old[0].id, QuestionCorrection(fits_chain=True))


def test_one_more_reason_makes_the_questions_of_its_subchain_old_and_no_other(session: Session) -> None:
    questions, graph = made(session, 1), graph_of(session)
    result = graph.subchains[0].result_id
    spare, _ = edits.add_node(session, graph.chain.id, NodeKind.EVENT, "A bell rings", 0, 1_000_000)
    edits.add_edge(session, spare, result)
    graph = graph_of(session)
    old = {question.id for question in questions if is_stale(question, graph)}
    causal = {QuestionKind.WHY, QuestionKind.HOW}
    assert old == {question.id for question in questions if question.kind in causal and question.covers[0] == result}
    assert old
    assert coverage_checksum(graph, ()) == coverage_checksum(graph, ["gone"]) == ""


def test_anybody_corrects_and_removes_questions_and_nobody_makes_one_wrong(session: Session) -> None:
    first, *rest = made(session, 1)
    session.annotator_name = "Ben"
    correct_question(session, first.id, QuestionCorrection(answer="  Something else altogether "))
    after = get_question(session, first.id)
    assert (after.answer, after.annotator_id) == ("Something else altogether", first.annotator_id)
    assert after.checksum != first.checksum
    for change in ({"answer": first.wrong[0].text}, {"text": " "}, {"end_us": 10**12}, {"wrong": [WrongOption("one")]}):
        with pytest.raises(UserError):
            correct_question(session, first.id, QuestionCorrection(**change))
    twin = replace(first, id="another", wrong=(WrongOption(first.answer.upper()), *first.wrong[1:]))
    with pytest.raises(UserError, match="answer"):
        add_questions(session, [replace(first, id="fine"), twin])
    assert get_question(session, first.id) == after
    assert not correct_question(session, first.id, QuestionCorrection(answer=after.answer)).ids("question")
    delete_questions(session, [question.id for question in rest])
    assert all_questions(session.study) == [after]
    history.undo(session)
    assert len(all_questions(session.study)) == 1 + len(rest)


def test_what_is_held_out_becomes_no_option_of_what_is_not(session: Session) -> None:
    held, home_of = homes_of_others(session), homes_of_nodes(session)
    with session.step("Hold out"):
        for home in held:
            set_hold_out(session.study, home, True)
    sources = [option.source for question in made(session) for option in question.wrong if option.source]
    assert held
    assert sources
    assert held.isdisjoint(home_of[source] for source in sources)


def test_where_wrong_options_are_from_is_said_when_a_judge_is_asked_also_when_that_is_gone(session: Session) -> None:
    home_of, questions = homes_of_nodes(session), made(session, 2)

    def others_told(question: Question) -> set[str]:
        key = JudgmentTarget(JudgmentTargetKind.QUESTION, question.id).key
        return {*plan_input(session, key, "answer").other_recordings}

    for question in questions[:8]:
        assert others_told(question) == {home_of[each.source] for each in question.wrong} - {question.recording_id}
    borrowing = next(question for question in questions if any(each.source for each in question.wrong))
    with session.step("Delete", undoable=False):
        for chain in all_chains(session.study):
            if chain.recording_id != borrowing.recording_id:
                delete_chain(session.study, chain.id)
    assert MISSING_RECORDING in others_told(borrowing)


def test_where_nobody_was_asked_becomes_no_option_of_where_everybody_agreed(session: Session) -> None:
    unknown = homes_of_others(session)
    with session.step("Forget who appears"):
        for home in unknown:
            for participant in participants_in(session.study, home):
                set_appearance(session.study, home, participant.id, False)
            session.study.write("DELETE FROM utterance WHERE recording_id = ?", (home,))
        for node, home in homes_of_nodes(session).items():
            if home in unknown:
                session.study.write("DELETE FROM chain_person WHERE node_id = ?", (node,))
    sources = [option.source for question in made(session) for option in question.wrong]
    homes = {*recordings_of_nodes(session.study, sources).values()}
    assert unknown
    assert homes
    assert unknown.isdisjoint(homes)
