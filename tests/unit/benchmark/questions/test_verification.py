"""Questions are verified by two people, each for themselves."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.chains import chain_edits as chains
from annotate.study.recording_edits import redo, undo
from benchmark.questions.question_edits import QuestionCorrection
from benchmark.questions.verification import (
    VerificationItem,
    VerificationState,
    current_annotator_id,
    read_items,
    study_agreement,
    verification_progress,
    verification_queue,
    verification_state,
    verified_ids,
    verify,
    withdraw_verification,
)
from project.entities.questions import CHECKLIST_KEYS, Maker, Question, QuestionKind, Verification, VerificationDecision
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


def waiting(session: Session, who: str) -> list[str]:
    session.annotator_name = who
    return [item.question.id for item in verification_queue(session)]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (KEEP, KEEP, VerificationState.VERIFIED),
        (DROP, DROP, VerificationState.DROPPED),
        (KEEP, DROP, VerificationState.DISPUTED),
        (DROP, KEEP, VerificationState.DISPUTED),
    ],
)
def test_two_people_settle_a_question(
    session: Session, first: VerificationDecision, second: VerificationDecision, expected: VerificationState
) -> None:
    question = ask(session)
    assert only(session).state is VerificationState.OPEN
    say(session, "Ada", question, first)
    assert only(session).state is VerificationState.ONCE
    assert waiting(session, "Ada") == []
    assert waiting(session, "Bo") == [question]
    say(session, "Bo", question, second)
    assert only(session).state is expected
    assert waiting(session, "Bo") == waiting(session, "Cy") == []
    assert verified_ids(session) == ({question} if expected is VerificationState.VERIFIED else set())


def test_the_same_person_twice_is_one_person_and_the_history_does_not_tell_what_they_said(session: Session) -> None:
    question = ask(session)
    for decision in (KEEP, DROP, CORRECT):
        say(session, "Ada", question, decision, note="Still fine.")
        assert session.study.undo_name == "Verify question"
    assert only(session).state is VerificationState.ONCE
    assert len(only(session).verifications) == 1


def test_a_correction_asks_the_first_one_again(session: Session) -> None:
    question = ask(session)
    say(session, "Ada", question)
    say(session, "Bo", question, CORRECT, correction=QuestionCorrection(answer="He told a joke."))
    found = only(session)
    assert found.question.answer == "He told a joke."
    assert found.state is VerificationState.ONCE
    other = ask(session, "What does he do?", start=2)
    assert waiting(session, "Ada") == [question, other], "what is to be looked at again comes first"
    assert found.needs_recheck_by(current_annotator_id(session))
    say(session, "Ada", question)
    assert {item.question.id: item.state for item in read_items(session)}[question] is VerificationState.VERIFIED


def test_a_correction_is_one_step_with_the_word_about_it_and_has_to_be_usable(session: Session) -> None:
    question = ask(session)
    say(session, "Bo", question, CORRECT, correction=QuestionCorrection(text="Why does he smile?"))
    undo(session)
    found = only(session)
    assert (found.question.text, found.verifications) == ("Why does she smile?", ())
    redo(session)
    assert only(session).question.text == "Why does he smile?"
    assert only(session).is_verified_by(current_annotator_id(session))


def test_a_correction_that_cannot_be_used_writes_nothing(session: Session) -> None:
    question = ask(session)
    session.annotator_name = "Ada"
    with pytest.raises(UserError, match="among the wrong options"):
        verify(session, question, CORRECT, ALL, correction=QuestionCorrection(answer=WRONG[0].text))
    assert only(session).verifications == ()
    with pytest.raises(UserError, match="stays as it is"):
        verify(session, question, KEEP, ALL, correction=QuestionCorrection(answer="He sang."))


def test_what_is_kept_meets_every_check(session: Session) -> None:
    question = ask(session)
    with pytest.raises(UserError, match="one_right"):
        verify(session, question, KEEP, ALL[:-1])
    with pytest.raises(UserError, match="not on this checklist"):
        verify(session, question, DROP, ["clear"])
    with pytest.raises(UserError, match="no label"):
        verify(session, question, KEEP, CHECKLIST_KEYS["esi"], checklist="esi")
    verify(session, question, DROP, ALL[:-1], note="Two are right.")
    assert only(session).verifications[0].checks == ALL[:-1]
    verify(session, question, KEEP, CHECKLIST_KEYS["esi"], "hard", checklist="esi")
    assert only(session).verifications[0].difficulty == "hard"


def test_a_word_is_taken_back(session: Session) -> None:
    question = ask(session)
    say(session, "Ada", question)
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


def test_what_lost_its_nodes_can_only_be_dropped(session: Session) -> None:
    session.annotator_name = "Ada"
    chain_id, ids = draw(session, {"B": "A"})
    question = ask(session, chain_id=chain_id, covers=(ids["A"],))
    chains.delete_nodes(session, [ids["A"]])
    with pytest.raises(UserError, match="gone from its chain"):
        say(session, "Ada", question)
    say(session, "Ada", question, DROP)
    assert only(session).state is VerificationState.ONCE


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


_QUESTION = Question(
    *("q", "r", None, QuestionKind.EVENT, "", (), "", 0, 1, "Why?", "So.", WRONG, "", 0, 0, Maker.RULES, "ada", "", "")
)


@given(st.lists(st.tuples(st.sampled_from([KEEP, CORRECT, DROP]), st.booleans()), max_size=5), st.randoms())
def test_what_others_saw_never_counts_and_order_does_not_matter(
    words: list[tuple[VerificationDecision, bool]], chance: Random
) -> None:
    said = [
        Verification("q", f"p{at}", decision, "chain", (), "", "", _QUESTION.checksum if now else "before", str(at))
        for at, (decision, now) in enumerate(words)
    ]
    shuffled = [*said]
    chance.shuffle(shuffled)
    of_now = [word for word in said if word.state != "before"]
    state = verification_state(_QUESTION, said)
    assert state is verification_state(_QUESTION, shuffled) is verification_state(_QUESTION, of_now)
    if state is VerificationState.VERIFIED:
        assert sum(word.decision is not DROP for word in of_now) >= 2
