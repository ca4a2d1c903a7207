"""A chain in lines, as judges and people write them: read strictly, and drawn as a draft."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.chains.chain_drafts import find_cycle
from annotate.study.people import add_participant
from benchmark.authoring.chain_suggestions import (
    ReadChain,
    add_chain_draft,
    explanation_chain_request,
    parse_chain,
    read_chain_answer,
)
from benchmark.judging.ask_job import prepare
from benchmark.questions.question_edits import QuestionCorrection, correct_question
from project.entities.causal_chains import NodeKind
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.queries.annotator_rows import annotator_by_name
from project.queries.chain_rows import all_chains, find_chain, read_graph
from project.queries.recording_rows import pseudonyms
from project.session.session import Session
from tests.builders.marked_study import WALK
from tests.builders.subjects import a_question
from tests.builders.worded_questions import asked, judge_that

LINES = """1 | event | Agent | 0-2 | The Agent asks the User something. |
2 | belief | the User | 2.5 - 4 | The User takes it for a joke. | 1

| 3 | emotion | user | 4 to 6 s | The User is amused. | 1, 2 |"""


def read(text: str) -> ReadChain:
    return parse_chain(text, "Chain", 10_000_000, 70_000_000, lambda name: name if name.startswith("p") else "")


def test_lines_are_nodes_and_their_reasons_edges() -> None:
    found = read("2 | emotion | p1, p2 | 1.5-3 | glad | 1\n1|Event||0-1|It rains.|")
    assert found.problems == ()
    glad, rain = found.draft.nodes
    assert (glad.kind, glad.people) == (NodeKind.EMOTION, ("p1", "p2"))
    assert (glad.start_us, glad.end_us) == (11_500_000, 13_000_000)
    assert (rain.kind, rain.text, rain.people) == (NodeKind.EVENT, "It rains.", ())
    assert found.draft.edges == ((1, 0),)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("1 | event | | 0-1 | It rains", "it has 5 parts, and needs 6"),
        ("1 | event | | 0-1 | It | rains | | ", "it has 7 parts"),
        ("one | event | | 0-1 | It rains |", "it begins with no number"),
        ("1 | thing | | 0-1 | It rains | ", "“thing” is no kind of node."),
        ("1 | event | | soon | It rains | ", "“soon” is no span of seconds."),
        ("1 | event | | 5-5 | It rains | ", "does not lie inside what was shown."),
        ("1 | event | | 9-5 | It rains | ", "does not lie inside what was shown."),
        ("1 | event | | 50-61 | It rains | ", "does not lie inside what was shown."),
        ("1 | event | Ada | 0-1 | It rains | ", "nobody here is called “Ada”."),
        ("1 | event | | 0-1 |  | ", "its text is empty."),
        ("1 | event | | 0-1 | " + "x" * 2001 + " | ", "its text is too long."),
        ("1 | event | | 0-1 | It rains | the weather", "“the weather” are no numbers of reasons."),
        ("Here is the chain:", "it has 1 parts"),
    ],
)
def test_a_line_of_another_form_is_told_and_left_out(line: str, says: str) -> None:
    found = read(f"{line}\n7 | event | | 0-1 | It snows | ")
    assert len(found.problems) == 1
    assert found.problems[0].startswith("Line 1: ")
    assert says in found.problems[0]
    assert [node.text for node in found.draft.nodes] == ["It snows"]


def test_circles_and_reasons_that_lead_nowhere_are_not_drawn() -> None:
    dangling = read("1 | event | | 0-1 | a | 1, 9\n2 | event | | 1-2 | b | 1\n2 | event | | 1-2 | c | ")
    assert dangling.draft.edges == ((0, 1),)
    assert dangling.problems == (
        "Line 3: number 2 is there already.",
        "Line 1: 1 is no other line of the chain.",
        "Line 1: 9 is no other line of the chain.",
    )
    round_about = read("1 | event | | 0-1 | a | 2\n2 | event | | 1-2 | b | 1")
    assert (len(round_about.draft.nodes), round_about.draft.edges) == (2, ())
    assert round_about.problems == ("The reasons go round in a circle, so none of them is drawn.",)


_parts = st.sampled_from(
    ["1", "2", "3", "event", "belief", "p1", "0-1", "3 to 4", "because", "1,2", "3", "", "\u2028", "²"]
)
_lines = st.lists(st.lists(_parts, max_size=8).map("|".join) | st.text(max_size=40), max_size=12).map("\n".join)


@given(_lines)
def test_whatever_is_written_is_a_drawing_that_can_be_drawn(text: str) -> None:
    found = read(text)
    nodes, edges = found.draft.nodes, found.draft.edges
    assert not find_cycle(len(nodes), edges)
    assert all(reason != result and max(reason, result) < len(nodes) for reason, result in edges)
    assert len({*edges}) == len(edges)
    assert all(10_000_000 <= node.start_us < node.end_us <= 70_000_000 and node.text for node in nodes)


def test_a_judges_lines_are_a_draft_of_whoever_works_here(session: Session) -> None:
    add_participant(session, "R1", ParticipantRole.ROBOT, WALK)
    add_participant(session, "P07", ParticipantRole.USER, WALK)
    question = a_question(session, WALK, "P07")
    told: list[str] = []
    with judge_that(session, lambda text: (told.append(text), {"chain": f"{LINES}\nDone."})[1]) as judge:
        (said,) = asked(session, explanation_chain_request(question.id, judge))
    assert "Explanation: User heard the question as a joke, which amused." in told[0]
    assert read_chain_answer(session, said).problems == ("Line 5: it has 1 parts, and needs 6: Done.",)
    made, changes = add_chain_draft(session, said)
    chain = find_chain(session.study, made)
    ada = annotator_by_name(session.study, "Ada")
    assert (chain.name, chain.annotator_id) == ("Draft: Why does P07 laugh?", ada.id)
    graph = read_graph(session.study, chain)
    names = pseudonyms(session.study)
    assert [([names[who] for who in node.people], node.text) for node in graph.nodes] == [
        (["R1"], "R1 asks P07 something."),
        (["P07"], "P07 takes it for a joke."),
        (["P07"], "P07 is amused."),
    ]
    assert [len(graph.reasons[node.id]) for node in graph.nodes] == [0, 1, 2]
    assert len(changes.ids("chain")) == 1


def test_what_is_no_chain_is_not_drawn(session: Session) -> None:
    question = a_question(session, WALK)
    answers = [{"chain": "I cannot."}, {"chain": ""}, {"lines": LINES}, "no", {"chain": 3}]
    for seed, answer in enumerate(answers):
        with judge_that(session, lambda _, answer=answer: answer, f"judge {seed}") as judge:
            (said,) = asked(session, explanation_chain_request(question.id, judge))
        with pytest.raises(UserError, match=r"No line of the chain can be read|wrote no chain"):
            add_chain_draft(session, said)
        with pytest.raises(UserError, match="wrote no chain"):
            read_chain_answer(session, replace(said, status=JudgmentStatus.OK, task="answer"))
    assert all_chains(session.study) == []


def test_a_question_without_an_explanation_is_not_asked_about(session: Session) -> None:
    question = a_question(session, WALK)
    correct_question(session, question.id, QuestionCorrection(explanation=""))
    with judge_that(session, lambda _: {}) as judge:
        asking = prepare(session, explanation_chain_request(question.id, judge))
    assert asking.job is None
    assert [note.message for note in asking.notes] == ["This question has no explanation. Write one first."]
