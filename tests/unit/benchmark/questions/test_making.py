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
    add_questions,
    correct_question,
    coverage_checksum,
    delete_questions,
    is_stale,
)
from benchmark.questions.question_validity import SINGLE_STEP, normalize_option, required_questions
from project.entities.causal_chains import NodeKind
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import Maker, Question, QuestionKind, WrongOption
from project.errors import UserError
from project.queries.chain_rows import (
    all_chains,
    delete_chain,
    find_chain,
    read_graph,
    read_graphs,
    recordings_of_nodes,
)
from project.queries.question_rows import all_questions
from project.queries.recording_rows import hold_outs, participants_in, set_appearance, set_hold_out
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains

FEW, KEPT = 6, 60


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "filled.greenroom"
    with Study.create(path) as study:
        fill_with_chains(study)
    with Session.open(path, "Annotator 1") as session, session.step("Keep some", undoable=False):
        for chain in all_chains(session.study)[KEPT:]:
            delete_chain(session.study, chain.id)
    return path


@pytest.fixture
def session(filled: Path, tmp_path: Path) -> Iterator[Session]:
    copy = tmp_path / "copy.greenroom"
    copy.write_bytes(filled.read_bytes())
    with Session.open(copy, "Annotator 1") as opened:
        yield opened


def chains(session: Session, count: int = FEW) -> list[str]:
    return [chain.id for chain in all_chains(session.study)[:count]]


def made(session: Session, count: int = FEW, **how: int) -> list[Question]:
    add_rule_questions(session, chains(session, count), **how)
    return all_questions(session.study)


def test_as_many_as_the_rules_say_with_places_balanced(session: Session) -> None:
    graphs = read_graphs(session.study, all_chains(session.study))[:FEW]
    wanted = Counter(
        required_question.kind.value for graph in graphs for required_question in required_questions(graph, SINGLE_STEP)
    )
    done, changes = add_rule_questions(session, chains(session))
    found = all_questions(session.study)
    assert done.by_kind == dict(wanted)
    assert done.skipped == {}
    assert changes.ids("question") == {*done.ids} == {question.id for question in found}
    places = Counter(question.place for question in found)
    assert max(places.values()) - min(places.values()) <= 1
    for question in found:
        assert question.maker is Maker.RULES
        assert question.options[question.place] == question.answer
        assert len({normalize_option(text) for text in question.options}) == 5
        assert (question.start_us, question.end_us) == (0, session.recording(question.recording_id).duration_us)


def test_it_is_one_step_and_a_second_time_makes_nothing(session: Session) -> None:
    ids = {question.id for question in made(session)}
    again, changes = add_rule_questions(session, chains(session))
    assert again.ids == ()
    assert again.skipped == {ALREADY_EXISTS: len(ids)}
    assert not changes.ids("question")
    history.undo(session)
    assert all_questions(session.study) == []
    history.redo(session)
    assert {question.id for question in all_questions(session.study)} == ids


def test_kinds_are_chosen_and_multi_step_ones_are_made_when_asked_for(session: Session) -> None:
    done, _ = add_rule_questions(session, chains(session), [QuestionKind.WHY, QuestionKind.STEPS])
    assert {*done.by_kind} == {"CW", "multi-step"}
    found = all_questions(session.study)
    assert {question.aspect for question in found if question.kind is QuestionKind.STEPS} == {"start", "end", "between"}
    assert all(len(question.covers) >= 3 for question in found if question.kind is QuestionKind.STEPS)
    with pytest.raises(UserError, match="ESI"):
        add_rule_questions(session, (), [QuestionKind.ESI])


def test_an_unknown_chain_and_a_study_without_chains_are_refused(session: Session, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No chain"):
        add_rule_questions(session, ["nothing"])
    with (
        Session(Study.create(tmp_path / "empty.greenroom"), "Ada") as empty,
        pytest.raises(UserError, match="no chain"),
    ):
        add_rule_questions(empty)


def test_a_chain_that_says_something_else_makes_its_questions_old(session: Session) -> None:
    found = made(session, 1)
    chain = find_chain(session.study, chains(session, 1)[0])
    assert chain is not None
    node = read_graph(session.study, chain).subchains[0].result_id
    assert not any(is_stale(question, read_graph(session.study, chain)) for question in found)
    edits.edit_node(session, node, text="says something else entirely")
    graph = read_graph(session.study, chain)
    old = {question.id for question in found if is_stale(question, graph)}
    assert old == {question.id for question in found if node in question.covers}
    assert is_stale(found[0], None)
    done, _ = add_rule_questions(session, chains(session, 1))
    assert sum(done.by_kind.values()) == len(old)


def test_one_more_reason_makes_the_questions_of_its_subchain_old_and_no_other(session: Session) -> None:
    found = made(session, 1)
    chain = find_chain(session.study, chains(session, 1)[0])
    sub = read_graph(session.study, chain).subchains[0]
    spare, _ = edits.add_node(session, chain.id, NodeKind.EVENT, "A bell rings", 0, 1_000_000)
    edits.add_edge(session, spare, sub.result_id)
    graph = read_graph(session.study, chain)
    old = {question.id for question in found if is_stale(question, graph)}
    causal = {QuestionKind.WHY, QuestionKind.HOW}
    assert old == {question.id for question in found if question.kind in causal and question.covers[0] == sub.result_id}
    assert coverage_checksum(graph, ()) == coverage_checksum(graph, ["gone"]) == ""


def test_anybody_corrects_a_question_and_nobody_makes_it_wrong(session: Session) -> None:
    first, *_ = made(session, 1)
    session.annotator_name = "Ben"
    correct_question(session, first.id, answer="  Something else altogether ")
    after = next(question for question in all_questions(session.study) if question.id == first.id)
    assert after.answer == "Something else altogether"
    assert after.annotator_id == first.annotator_id
    assert after.checksum != first.checksum
    for change in ({"answer": first.wrong[0].text}, {"text": " "}, {"end_us": 10**12}, {"wrong": [WrongOption("one")]}):
        with pytest.raises(UserError):
            correct_question(session, first.id, **change)
    assert after in all_questions(session.study)
    assert not correct_question(session, first.id, answer=after.answer).ids("question")


def test_a_question_that_was_held_against_its_chain_is_no_longer_old(session: Session) -> None:
    first, *_ = made(session, 1)
    chain = find_chain(session.study, first.chain_id or "")
    assert chain is not None
    edits.edit_node(session, first.covers[0], text="looks away")
    correct_question(session, first.id, answer="Looks away")
    stale = next(question for question in all_questions(session.study) if question.id == first.id)
    assert is_stale(stale, read_graph(session.study, chain))
    correct_question(session, first.id, fits_chain=True)
    fits = next(question for question in all_questions(session.study) if question.id == first.id)
    assert not is_stale(fits, read_graph(session.study, chain))
    edits.delete_nodes(session, [first.covers[0]])
    with pytest.raises(UserError, match="gone"):
        correct_question(session, first.id, fits_chain=True)


def test_questions_are_removed_in_one_step(session: Session) -> None:
    found = made(session, 2)
    delete_questions(session, [question.id for question in found[:5]])
    assert len(all_questions(session.study)) == len(found) - 5
    history.undo(session)
    assert all_questions(session.study) == found
    with pytest.raises(UserError, match="no longer"):
        delete_questions(session, ["nothing"])


def test_a_question_that_cannot_be_used_is_not_added(session: Session) -> None:
    first, *_ = made(session, 1)
    twin = replace(first, id="another", wrong=(WrongOption(first.answer.upper()), *first.wrong[1:]))
    with pytest.raises(UserError, match="answer"):
        add_questions(session, [replace(first, id="fine"), twin])
    assert {question.id for question in all_questions(session.study)}.isdisjoint({"fine", "another"})


def test_what_is_held_out_becomes_no_option_of_what_is_not(session: Session) -> None:
    homes = [chain.recording_id for chain in all_chains(session.study)]
    with session.step("Hold out"):
        for home in {*homes[FEW:]} - {*homes[:FEW]} - {*homes[-25:]}:
            set_hold_out(session.study, home, True)
    home_of = {
        node.id: graph.chain.recording_id
        for graph in read_graphs(session.study, all_chains(session.study))
        for node in graph.nodes
    }
    held = hold_outs(session.study)
    for question in made(session):
        assert held.isdisjoint(home_of[each.source] for each in question.wrong)


def test_where_wrong_options_are_from_is_said_when_a_judge_is_asked(session: Session) -> None:
    home_of = {
        node.id: graph.chain.recording_id
        for graph in read_graphs(session.study, all_chains(session.study))
        for node in graph.nodes
    }
    for question in made(session, 2)[:8]:
        plan = plan_input(session, JudgmentTarget(JudgmentTargetKind.QUESTION, question.id).key, "answer")
        assert {*plan.other_recordings} == {home_of[each.source] for each in question.wrong} - {question.recording_id}


def test_where_nobody_was_asked_becomes_no_option_of_where_everybody_agreed(session: Session) -> None:
    homes = {chain.id: chain.recording_id for chain in all_chains(session.study)}
    asked = {homes[chain] for chain in chains(session)}
    unknown = {*[*homes.values()][FEW:-25]} - asked - {*[*homes.values()][-25:]}
    with session.step("Forget who appears"):
        for home in unknown:
            for participant in participants_in(session.study, home):
                set_appearance(session.study, home, participant.id, False)
            session.study.write("DELETE FROM utterance WHERE recording_id = ?", (home,))
        for graph in read_graphs(session.study, all_chains(session.study)):
            for node in graph.nodes if graph.chain.recording_id in unknown else ():
                session.study.write("DELETE FROM chain_person WHERE node_id = ?", (node.id,))
    home_of = recordings_of_nodes(session.study, [each.source for question in made(session) for each in question.wrong])
    assert home_of
    assert unknown.isdisjoint(home_of.values())


def test_what_a_gone_node_said_is_of_nobody_who_was_asked(session: Session) -> None:
    question = next(question for question in made(session) if any(each.source for each in question.wrong))
    with session.step("Delete", undoable=False):
        for graph in read_graphs(session.study, all_chains(session.study)):
            if graph.chain.recording_id != question.recording_id:
                delete_chain(session.study, graph.chain.id)
    assert (
        MISSING_RECORDING
        in plan_input(session, JudgmentTarget(JudgmentTargetKind.QUESTION, question.id).key, "answer").other_recordings
    )
