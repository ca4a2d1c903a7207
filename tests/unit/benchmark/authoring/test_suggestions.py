"""What judges suggest: chains in lines, read strictly and drawn as drafts, and inferences that become statements."""

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
from benchmark.judging.ask_job import prepare
from benchmark.questions.question_edits import QuestionCorrection, correct_question
from project.entities.causal_chains import NodeKind
from project.entities.judgments import JudgeEntry, Judgment, JudgmentStatus, judgment_id_of_part, parse_target
from project.entities.study_records import Json, ParticipantRole
from project.errors import UserError
from project.queries.annotator_rows import annotator_by_name
from project.queries.chain_rows import all_chains, find_chain, read_graph
from project.queries.judgment_rows import find_judgments
from project.queries.recording_rows import pseudonyms
from project.queries.segment_rows import segments_of_scheme, values_of
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK
from tests.builders.statements import an_answer
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
        ("one | event | | 0-1 | It rains |", "it begins with no number"),
        ("1 | thing | | 0-1 | It rains | ", "“thing” is no kind of node."),
        ("1 | event | | soon | It rains | ", "“soon” is no span of seconds."),
        ("1 | event | | 9-5 | It rains | ", "does not lie inside what was shown."),
        ("1 | event | Ada | 0-1 | It rains | ", "nobody here is called “Ada”."),
        ("1 | event | | 0-1 |  | ", "its text is empty."),
        ("1 | event | | 0-1 | It rains | the weather", "“the weather” are no numbers of reasons."),
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


def test_what_is_no_chain_is_not_drawn_and_without_an_explanation_nobody_is_asked(session: Session) -> None:
    question = a_question(session, WALK)
    for seed, answer in enumerate(({"chain": "I cannot."}, "no")):
        with judge_that(session, lambda _, answer=answer: answer, f"judge {seed}") as judge:
            (said,) = asked(session, explanation_chain_request(question.id, judge))
        with pytest.raises(UserError, match=r"chain cannot be read|drew no chain"):
            add_chain_draft(session, said)
    with pytest.raises(UserError, match="drew no chain"):
        read_chain_answer(session, replace(said, status=JudgmentStatus.OK, task="answer"))
    assert all_chains(session.study) == []
    correct_question(session, question.id, QuestionCorrection(explanation=""))
    asking = prepare(session, explanation_chain_request(question.id, judge))
    assert asking.job is None
    assert "no explanation" in asking.notes[0].message


GOOD = ("She is glad.", "He knows that she lies.", "They have met.", "He is sorry.", "She thinks he jokes.")


def answer(session: Session, texts: tuple[str, ...] = GOOD, label: Json = "emotion") -> Judgment:
    said: dict[str, Json] = {f"inference_{at}": text for at, text in enumerate(texts, 1)}
    said |= {f"class_{at}": label for at in range(1, 6)}
    return find_judgments(session.study, [an_answer(session, WALK, "nli_inferences", said)])[0]


def test_each_rater_gets_every_statement_without_a_plausibility(session: Session) -> None:
    taken, _ = import_inferences(session, [answer(session)], ["Anna", "Bram", "Anna"])
    assert (taken.statements, len(taken.segments), taken.skipped) == (5, 10, {})
    assert session.schemes.is_in_use("socialnli")
    segments = segments_of_scheme(session.study, "socialnli")
    assert len(segments) == 10
    for segment in segments:
        assert {*values_of(session.study, segment.id)} == {"statement"}
        assert (segment.label, segment.track) == ("emotion", "inferences")
        assert (segment.start_us, segment.end_us) == (0, 600 * SECOND)


def test_what_is_there_is_not_taken_twice_and_ten_questions_are_asked_at_most(session: Session) -> None:
    import_inferences(session, [answer(session)])
    again = ("She is  GLAD!", "He knows that she lies", *GOOD[2:])
    taken, _ = import_inferences(session, [answer(session, again)])
    assert taken.skipped == {DUPLICATE: 5}
    assert taken.segments == ()
    assert len(question_request(session, [WALK, WALK], [], 10).about) == 10
    for number in (0, 11):
        with pytest.raises(UserError, match="1 to 10"):
            question_request(session, [WALK], [], number)


def test_what_cannot_be_used_is_left_out_for_its_reason(session: Session) -> None:
    texts = (GOOD[0], "\u200b\u202e", "She is glad. " * 40, "2. she is\u202e GLAD", GOOD[4])
    taken, _ = import_inferences(session, [answer(session, texts)])
    assert (taken.skipped, taken.statements) == ({EMPTY: 1, TOO_LONG: 1, DUPLICATE: 1}, 2)
    for label in ("anger", ["emotion"]):
        assert import_inferences(session, [answer(session, label=label)])[0].skipped == {NO_CLASS: 5}
    other = find_judgments(session.study, [an_answer(session, WALK, "looks", {"looks": "x"})])[0]
    assert import_inferences(session, [other])[0].skipped == {OTHER_TASK: 1}


def test_each_judge_makes_inferences_for_its_own_question_at_both_strengths(session: Session) -> None:
    question = an_answer(session, WALK, "nli_question", {"question": "What is meant?"})
    asked = find_judgments(session.study, [question])
    mine, other = JudgeEntry("j", "J", "random"), JudgeEntry("k", "K", "random")
    requests = inference_requests([mine, other], asked)
    assert [(request.judges, request.variant) for request in requests] == [([mine], "cot"), ([mine], "plain")]
    parts = [parse_target(key).part for request in requests for key in request.about]
    assert {judgment_id_of_part(part) for part in parts} == {question}
