"""The texts of chains and questions are found by the search, and by those who look for what is personal."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.chains import chain_versions as chain_reviews
from annotate.review.text_search import StudySearch
from annotate.study.people import add_participant
from annotate.study.recording_edits import undo
from anonymize.pii_review.pii_decisions import hide_everywhere
from anonymize.pii_review.review_hits import find_hits
from anonymize.release.scrubbed_study import replace_in_study
from project.entities.causal_chains import ChainDecision
from project.entities.questions import (
    Contradiction,
    LookKind,
    Maker,
    PersonDescription,
    Question,
    QuestionKind,
    Summary,
    SummarySource,
    Verification,
    VerificationDecision,
    WrongOption,
)
from project.entities.study_records import ParticipantRole
from project.ids import new_id
from project.queries.question_rows import (
    insert_contradictions,
    insert_questions,
    set_person_description,
    set_summary,
    set_verification,
)
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.chains import draw, node
from tests.builders.marked_study import SECOND, WALK, open_study

NAME = "Zinnia"
AT = "2026-01-01T00:00:00Z"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """A study in which the name stands in every text of chains and questions, and what was gathered."""
    with open_study(tmp_path) as opened:
        who, _ = add_participant(opened, "P01", ParticipantRole.USER)
        chain_id, _ = draw(opened, {"B": "A"}, name=f"{NAME} waits")
        node(opened, chain_id, f"{NAME} is late", 30)
        opened.annotator_name = "Bo"
        chain_reviews.review_chain(opened, chain_id, ChainDecision.CHANGE, f"Is {NAME} late?")
        bo = opened.annotator()
        wrong = tuple(WrongOption(f"{NAME} {text}") for text in ("sleeps", "eats", "runs", "sings"))
        asked = Question(
            *(new_id(), WALK, chain_id, QuestionKind.WHY, "", (), "", 0, SECOND),
            *(f"Why does {NAME} wait?", f"{NAME} is early.", wrong, f"{NAME} says so.", 0, 2),
            *(Maker.PERSON, bo.id, "", AT),
        )
        with opened.step("Fill in") as _:
            insert_questions(opened.study, [asked])
            keep = VerificationDecision.KEEP
            said = Verification(asked.id, bo.id, keep, "chain", (), "easy", f"{NAME}!", asked.checksum, AT)
            set_verification(opened.study, said)
            set_person_description(opened.study, PersonDescription(WALK, who, LookKind.HAIR, f"as {NAME} has it"))
            set_summary(opened.study, Summary(WALK, SummarySource.WORDS, f"{NAME} comes.", ""))
            insert_contradictions(
                opened.study, [Contradiction(new_id(), WALK, f"{NAME} or not", f"{NAME} it is", False, "")]
            )
        yield opened


def places(session: Session) -> set[tuple[str, str]]:
    return {(free_text.table, free_text.field) for free_text in free_texts(session.study) if NAME in free_text.text}


EVERYWHERE = {
    *(("chain", "name"), ("chain_node", "text"), ("chain_review", "note"), ("verification", "note")),
    *(("question", "text"), ("question", "answer"), ("question", "explanation")),
    *(("question", f"wrong_{at}") for at in range(1, 5)),
    *(("look", "hair"), ("summary", "words"), ("contradiction", "text"), ("contradiction", "resolution")),
}


def test_a_private_word_is_found_in_all_of_them_and_replaced_in_one_step(session: Session) -> None:
    hide_everywhere(session, NAME)
    assert {(hit.place.table, hit.place.field) for hit in find_hits(session) if hit.hit.text == NAME} == EVERYWHERE
    before = sorted(free_text.text for free_text in free_texts(session.study))
    replace_in_study(session)
    assert places(session) == set()
    assert sorted(free_text.text for free_text in free_texts(session.study)) == sorted(
        text.replace(NAME, "[PERSON_1]") for text in before
    )
    undo(session)
    assert places(session) == EVERYWHERE


def test_the_search_finds_chains_nodes_and_questions(session: Session) -> None:
    search = StudySearch(session)
    found = {(hit.kind, hit.place.field): hit for hit in search.find_hits(NAME)}
    assert {kind for kind, _ in found} == {"Chain", "Node", "Question"}
    late = found["Node", "text"]
    assert (late.time_us, late.who) == (30 * SECOND, "Ada")
    assert "Node (Ada)" in late.as_text()
    assert replace(late, who="").location_text.endswith("Node")
    search.close()
