"""Questions are verified by two people, each for themselves."""

import pytest

from annotate.chains import chain_edits as chains
from annotate.study.recording_edits import redo, undo
from benchmark.authoring.question_requests import set_deciding_steps
from benchmark.questions.question_edits import QuestionCorrection
from benchmark.questions.verification import (
    VerificationItem,
    VerificationState,
    current_annotator_id,
    read_items,
    study_agreement,
    verification_progress,
    verification_queue,
    verified_ids,
    verify,
    withdraw_verification,
)
from project.entities.questions import CHECKLIST_KEYS, VerificationDecision
from project.errors import UserError
from project.queries.question_rows import verifications_of
from project.session.session import Session
from tests.builders.chains import draw
from tests.builders.question_study import WRONG, ask

KEEP, CORRECT, DROP = VerificationDecision.KEEP, VerificationDecision.CORRECT, VerificationDecision.DROP
ALL = CHECKLIST_KEYS["chain"]


def say(session: Session, who: str, question: str, decision: VerificationDecision = KEEP, **more: object) -> None:
    session.annotator_name = who
    verify(session, question, decision, () if decision is DROP else ALL, **more)


def only(session: Session) -> VerificationItem:
    (found,) = read_items(session)
    return found


def state_of(session: Session, question: str) -> VerificationState:
    return next(item.state for item in read_items(session) if item.question.id == question)


def waiting(session: Session, who: str) -> list[str]:
    session.annotator_name = who
    return [item.question.id for item in verification_queue(session)]


def test_two_people_settle_a_question_and_the_same_person_twice_is_one(session: Session) -> None:
    for second, expected in (
        (KEEP, VerificationState.VERIFIED),
        (DROP, VerificationState.DISPUTED),
    ):
        question = ask(session, f"Why {second}?")
        for decision in (DROP, KEEP):
            say(session, "Ada", question, decision, note="Still fine.")
            assert session.study.undo_name == "Verify question", "it does not tell what they said"
        assert (state_of(session, question), waiting(session, "Ada")) == (VerificationState.ONCE, [])
        assert waiting(session, "Bo") == [question]
        say(session, "Bo", question, second)
        assert state_of(session, question) is expected
        assert waiting(session, "Bo") == waiting(session, "Cy") == []
        assert (question in verified_ids(session)) == (expected is VerificationState.VERIFIED)


def test_a_correction_is_one_step_with_the_word_about_it_and_asks_the_first_one_again(session: Session) -> None:
    question = ask(session)
    say(session, "Ada", question)
    say(session, "Bo", question, CORRECT, correction=QuestionCorrection(answer="He told a joke."))
    undo(session)
    assert (only(session).question.answer, len(only(session).verifications)) == ("He made a joke.", 1)
    redo(session)
    found = only(session)
    assert (found.question.answer, found.state) == ("He told a joke.", VerificationState.ONCE)
    assert found.is_verified_by(current_annotator_id(session))
    other = ask(session, "What does he do?", start=2)
    assert waiting(session, "Ada") == [question, other], "what is to be looked at again comes first"
    assert found.needs_recheck_by(current_annotator_id(session))
    say(session, "Ada", question)
    assert state_of(session, question) is VerificationState.VERIFIED


def test_a_correction_that_cannot_be_used_writes_nothing(session: Session) -> None:
    question = ask(session)
    session.annotator_name = "Ada"
    with pytest.raises(UserError, match="among the wrong options"):
        verify(session, question, CORRECT, ALL, correction=QuestionCorrection(answer=WRONG[0].text))
    assert only(session).verifications == ()
    with pytest.raises(UserError, match="cannot be combined"):
        verify(session, question, KEEP, ALL, correction=QuestionCorrection(answer="He sang."))


def test_what_is_kept_meets_every_check_and_can_be_taken_back(session: Session) -> None:
    question = ask(session)
    with pytest.raises(UserError, match="one_right"):
        verify(session, question, KEEP, ALL[:-1])
    with pytest.raises(UserError, match="no check in this checklist"):
        verify(session, question, DROP, ["clear"])
    verify(session, question, DROP, ALL[:-1], note="Two are right.")
    assert only(session).verifications[0].checks == ALL[:-1]
    verify(session, question, KEEP, CHECKLIST_KEYS["esi"], "hard", checklist="esi")
    assert only(session).verifications[0].difficulty == "hard"
    session.annotator_name = "Bo"
    with pytest.raises(UserError, match="did not verify"):
        withdraw_verification(session, question)
    session.annotator_name = "Ada"
    withdraw_verification(session, question)
    assert verifications_of(session.study, question) == []


def test_an_edit_of_the_chain_asks_everybody_again(session: Session) -> None:
    session.annotator_name = "Ada"
    chain_id, ids = draw(session, {"B": "A"})
    question = ask(session, chain_id=chain_id, covers=(ids["A"],))
    untouched = ask(session, "What is B?", chain_id=chain_id, covers=(ids["B"],), start=1)
    for who in ("Ada", "Bo"):
        say(session, who, question)
        say(session, who, untouched)
    session.annotator_name = "Ada"
    chains.edit_node(session, ids["A"], text="something else happens")
    assert [item.stale for item in read_items(session)] == [False, True]
    assert waiting(session, "Bo") == [question]
    say(session, "Bo", question)
    found = next(item for item in read_items(session) if item.question.id == question)
    assert (found.stale, found.state) == (False, VerificationState.ONCE), "Bo held it against the chain as it is now"
    assert waiting(session, "Ada") == [question]
    say(session, "Ada", question)
    assert verified_ids(session) == {question, untouched}
    chains.delete_nodes(session, [ids["A"]])
    with pytest.raises(UserError, match="was deleted"):
        say(session, "Ada", question)
    say(session, "Ada", question, DROP)


def test_progress_and_agreement_are_counted(session: Session) -> None:
    first, second, third, fourth = (ask(session, f"Why {number}?") for number in range(4))
    session.annotator_name = "Ada"
    for question, decision, checks in ((first, KEEP, ALL), (second, DROP, ALL[:2]), (third, DROP, ())):
        verify(session, question, decision, checks, "easy")
    session.annotator_name = "Bo"
    for question, decision, checks in ((first, KEEP, ALL), (second, DROP, ALL[:3]), (third, KEEP, ALL)):
        verify(session, question, decision, checks, "easy" if question == first else "hard")
    found = study_agreement(session)
    assert (found["decision"].agreeing, found["decision"].pairs) == (2, 3)
    # Ada: keep, drop, drop; Bo: keep, drop, keep. Observed 2/3, expected 1/3 * 2/3 + 2/3 * 1/3 = 4/9.
    assert found["decision"].kappa == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
    assert (found["covers"].agreeing, found["by_rules"].agreeing) == (1, 2)
    assert found["difficulty"].raw == pytest.approx(1 / 3)
    assert "clear" not in found
    told = verification_progress(read_items(session), current_annotator_id(session))
    assert (told.done, told.waiting, told.total) == (3, 1, 4)
    states = {state.value: number for state, number in told.states.items() if number}
    assert states == {"open": 1, "verified": 1, "disputed": 1, "dropped": 1}
    assert waiting(session, "Bo") == [fourth]


def test_only_what_the_filters_leave_is_in_the_queue(session: Session) -> None:
    first, second = ask(session), ask(session, "What is it?", start=30)
    session.annotator_name = "Ada"
    assert [item.question.id for item in verification_queue(session, surviving={second})] == [second]
    assert {item.question.id for item in verification_queue(session)} == {first, second}
    say(session, "Bo", first, CORRECT, correction=QuestionCorrection(answer="He told a joke."))
    session.annotator_name = "Ada"
    begun = verification_queue(session, surviving=())
    assert [item.question.id for item in begun] == [first], "what was begun is not forgotten"
    set_deciding_steps(session, ["difficulty"])
    assert [item.question.id for item in verification_queue(session)] == [first], "nobody scored the second"
