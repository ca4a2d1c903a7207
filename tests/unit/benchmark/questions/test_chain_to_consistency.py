"""From a chain to the consistency of judges: questions made, filtered, verified and measured, as worked out by hand."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from annotate.chains import chain_edits as chains
from benchmark.authoring.question_requests import answer_request, set_deciding_steps
from benchmark.authoring.rule_questions import add_rule_questions
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.question_edits import QuestionCorrection
from benchmark.questions.question_measures import compute_measures, read_measures_input
from benchmark.questions.verification import (
    VerificationState,
    read_items,
    study_agreement,
    verification_queue,
    verified_ids,
    verify,
)
from project.entities.causal_chains import NodeKind
from project.entities.questions import CHECKLIST_KEYS, VerificationDecision
from project.entities.study_records import Participant, ParticipantRole
from project.progress import Silent
from project.queries.recording_rows import insert_participant, set_appearance
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.chains import graph, node
from tests.builders.marked_study import WALK, open_study
from tests.builders.question_filter import prepare_step

Story = Sequence[tuple[NodeKind, str, int, int, str]]
STORY: Story = (
    (NodeKind.EVENT, "a", 5, 8, "A phone rings in the bag"),
    (NodeKind.BELIEF, "a", 9, 11, "The phone is Bob's"),
    (NodeKind.DESIRE, "b", 12, 14, "He wants to be left in peace"),
    (NodeKind.INTENT, "a", 15, 18, "She means to bring it to him"),
    (NodeKind.EVENT, "a", 20, 24, "She holds out the phone"),
    (NodeKind.EMOTION, "b", 26, 30, "He is annoyed"),
)
EDGES = ((0, 3), (1, 3), (3, 4), (2, 5), (4, 5))
# The story has the nodes 0 to 5 and the subchains 3 <- 0 1, 4 <- 3, 5 <- 2 4. Right options stand at:
MADE = {
    "EU 0": "E", "EU 4": "A",
    "MSE 1": "B", "MSE 2": "D", "MSE 3": "D", "MSE 5": "C",
    "CW 3": "C", "CW 4": "A", "CW 5": "B",
    "CH/W 3": "D", "CH/W 4": "E", "CH/W 5": "A",
}  # fmt: skip
FILTERED = {"EU 4", "CW 4", "CH/W 5"}
"""Whoever always says A is right about these with the options alone."""
DROPPED = "MSE 2"
CORRECTED = "CW 5"
# What is left counts, by subchain:
#   3: EU 0, MSE 1, MSE 3, CW 3, CH/W 3     4: MSE 3, CH/W 4     5: MSE 5, CW 5
LEFT = {"EU 0", "MSE 1", "MSE 3", "MSE 5", "CW 3", "CW 5", "CH/W 3", "CH/W 4"}
TABLE = {
    # judge: right of 8, chains of 1, subchains of 3
    "Knows": (8 / 8, 1 / 1, 3 / 3),
    "Says D": (2 / 8, 0 / 1, 0 / 3),  # MSE 3 and CH/W 3
}
ELSEWHERE: dict[NodeKind, tuple[str, ...]] = {
    NodeKind.EVENT: ("The bus leaves early", "A dog runs across the yard", "Two glasses break", "Snow begins to fall"),
    NodeKind.BELIEF: ("The shop is closed", "The train left", "It will rain all day", "Nobody saw the letter"),
    NodeKind.INTENT: ("To call a friend", "To hide the cake", "To leave by night", "To win the game"),
    NodeKind.DESIRE: ("A warm meal", "An old song again", "A longer holiday", "Some praise"),
    NodeKind.EMOTION: ("Proud of the garden", "Afraid of heights", "Bored by the talk", "Glad about the news"),
}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Ada's session in a study with two people in one recording, and another that lends wrong options."""
    with open_study(tmp_path, recordings=2) as opened:
        with opened.study.without_history():
            for key, name in (("a", "Ann"), ("b", "Bob")):
                insert_participant(opened.study, Participant(key, name, ParticipantRole.USER))
                set_appearance(opened.study, WALK, key, True)
        yield opened


def draw(
    session: Session, recording: str, story: Sequence[tuple[NodeKind, str, int, int, str]]
) -> tuple[str, list[str]]:
    """Draw a chain without edges; returns its id, and those of its nodes."""
    chain_id, _ = chains.add_chain(session, recording, recording)
    return chain_id, [
        node(session, chain_id, text, start, end, kind, (who,) if who else ()) for kind, who, start, end, text in story
    ]


def test_from_a_chain_to_the_consistency_of_judges(session: Session) -> None:
    lent = [(kind, text) for kind, texts in ELSEWHERE.items() for text in texts]
    _, others = draw(session, f"{WALK} 2", [(kind, "", at, at + 1, text) for at, (kind, text) in enumerate(lent)])
    for reason, result in zip(others, others[4:], strict=False):
        chains.add_edge(session, reason, result)
    chain_id, nodes = draw(session, WALK, STORY)
    for reason, result in EDGES:
        chains.add_edge(session, nodes[reason], nodes[result])
    assert len(graph(session, chain_id).subchains) == 3

    add_rule_questions(session, [chain_id])
    made = {
        f"{item.question.kind.value} {nodes.index(item.question.covers[0])}": item.question
        for item in read_items(session, WALK)
    }
    assert {name: question.correct_letter for name, question in made.items()} == MADE
    names = {question.id: name for name, question in made.items()}

    judges = {
        name: add_judge(session, name, backend, settings=settings)[0]
        for name, backend, settings in (
            ("Says A", "constant", {"says": "A"}),
            ("Says D", "constant", {"says": "D"}),
            ("Knows", "oracle", {}),
        )
    }
    for asking in prepare_step(session, "options-only", [judges["Says A"]]):
        run_inline(session, asking.job, Silent())
    set_deciding_steps(session, ["options-only"])

    def verify_all(who: str, correcting: str = "") -> None:
        session.annotator_name = who
        for item in verification_queue(session):
            name, checks = names[item.question.id], CHECKLIST_KEYS["chain"]
            if name == DROPPED:
                verify(session, item.question.id, VerificationDecision.DROP, ())
            elif name == correcting:
                correction = QuestionCorrection(text="What made him feel that way?")
                verify(session, item.question.id, VerificationDecision.CORRECT, checks, correction=correction)
            else:
                verify(session, item.question.id, VerificationDecision.KEEP, checks)

    def states() -> dict[str, VerificationState]:
        return {names[item.question.id]: item.state for item in read_items(session, WALK)}

    verify_all("Ada")
    verify_all("Bo", correcting=CORRECTED)
    assert [name for name, state in states().items() if state is VerificationState.ONCE] == [CORRECTED]
    verify_all("Ada")
    assert {name for name, state in states().items() if state is VerificationState.OPEN} == FILTERED
    assert states()[DROPPED] is VerificationState.DROPPED
    assert {names[question_id] for question_id in verified_ids(session)} == LEFT
    decision = study_agreement(session)["decision"]
    assert (decision.pairs, decision.kappa) == (9, 1.0)

    asking = prepare(session, answer_request([judges[name] for name in TABLE], [*names]))
    run_inline(session, asking.job, Silent())
    found = compute_measures(read_measures_input(session), [*TABLE]).judges
    shares = {of.setup.judge: (of.overall.value, of.chain.value, of.subchain.value) for of in found}
    assert shares == {name: pytest.approx(row) for name, row in TABLE.items()}
