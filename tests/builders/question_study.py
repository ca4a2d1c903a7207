"""Questions in a study with one recording, for tests of what people say about them."""

from benchmark.questions.question_edits import add_questions, coverage_checksum
from project.entities.questions import Maker, Question, QuestionKind, WrongOption
from project.ids import new_id
from project.session.session import Session
from tests.builders.chains import graph
from tests.builders.marked_study import SECOND, WALK

WRONG = tuple(WrongOption(text) for text in ("She is tired.", "He left.", "It rains.", "They won."))


def ask(
    session: Session,
    text: str = "Why does she smile?",
    *,
    chain_id: str | None = None,
    covers: tuple[str, ...] = (),
    start: float = 10,
) -> str:
    """Add a question, from a chain or from nothing; returns its id."""
    new = Question(
        id=new_id(),
        recording_id=WALK,
        chain_id=chain_id,
        kind=QuestionKind.EVENT,
        aspect="",
        covers=covers,
        made_from="" if chain_id is None else coverage_checksum(graph(session, chain_id), covers),
        start_us=round(start * SECOND),
        end_us=round((start + 5) * SECOND),
        text=text,
        answer="He made a joke.",
        wrong=WRONG,
        explanation="",
        seed=3,
        place=2,
        maker=Maker.RULES,
        annotator_id="",
        judgment_id="",
        at="2026-11-22T01:00:00.000Z",
    )
    add_questions(session, [new])
    return new.id
