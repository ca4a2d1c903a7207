"""What judges say is hidden from an annotator until they have said their own."""

import random

import pytest

from annotate.blinding.own_answers import OwnWords
from annotate.blinding.reveals import BLIND_FIRST, is_blind_first, may_see, reveal, set_blind_first, split_by_visibility
from annotate.segments.segment_edits import set_field
from annotate.study.recording_edits import undo
from project.queries.judgment_rows import reveals
from project.queries.segment_rows import all_segments
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import mark, person

WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


def test_a_segment_of_ones_own_opens_when_its_form_is_complete(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", attributes=["norms"], channel="verbal")
    said = judged(session, made, label="error")
    found = split_by_visibility(session, [said])
    assert found.judgments == ()
    assert found.hidden_reason == "Judges are hidden until your own form is complete. Rationale is missing."
    set_field(session, made, "rationale", "It waits.")
    assert split_by_visibility(session, [said]).judgments == (said,)


def test_what_is_hidden_tells_nothing_that_was_answered(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "competence", **WHOLE)
    said = judged(session, made, label="error", rationale="a secret reason")
    (hidden,) = split_by_visibility(session, [said]).hidden
    assert (hidden.id, hidden.judge, hidden.ms, hidden.tokens_in) == (said.id, said.judge, said.ms, said.tokens_in)
    assert not hidden.answer
    assert (hidden.raw, hidden.thinking) == ("", "")


def test_anothers_segment_opens_by_ones_own_that_stands_for_it(session: Session) -> None:
    theirs = mark(session, "Bo", 10, 20, "error")
    assert not may_see(session, theirs)
    mark(session, "Ada", 40, 50, "competence", **WHOLE)
    assert not may_see(session, theirs)
    mark(session, "Ada", 11, 19, "competence", **WHOLE)
    assert may_see(session, theirs)


def test_a_segment_on_which_nobody_of_that_name_worked_stays_hidden(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "competence", **WHOLE)
    session.annotator_name = "Cy"
    assert not may_see(session, made)
    assert not reveal(session, made)
    assert reveals(session.study) == []


def test_the_form_for_people_opens_the_same_task_alone(session: Session) -> None:
    theirs = mark(session, "Bo", 10, 20, "error")
    mark(session, "Ada", 40, 50, "competence", **WHOLE)
    ada = person(session, "Ada").id
    own = judged(session, theirs, "Ada", task="verdict", annotator_id=ada, verdict="error")
    first, second = judged(session, theirs, task="verdict"), judged(session, theirs, task="assess")
    assert split_by_visibility(session, [own, first, second]).judgments == (own, first)
    assert reveal(session, theirs, "verdict")
    assert split_by_visibility(session, [own, first, second]).judgments == (own, first)


def test_anothers_answer_in_the_form_is_hidden_like_a_judges(session: Session) -> None:
    theirs = mark(session, "Bo", 10, 20, "error")
    mark(session, "Ada", 40, 50)
    bo = judged(session, theirs, "Bo", annotator_id=person(session, "Bo").id, label="error")
    assert split_by_visibility(session, [bo]).judgments == ()


def test_the_first_reveal_counts_and_opens_for_good(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    assert reveal(session, made)
    set_field(session, made, "rationale", "It interrupts.")
    assert reveal(session, made)
    (kept,) = reveals(session.study)
    assert kept.own == {"task": "", "segment": made, "label": "competence", "values": WHOLE}
    set_field(session, made, "rationale", None)
    assert may_see(session, made)


def test_nothing_is_hidden_where_the_study_says_so_and_undo_hides_it_again(session: Session) -> None:
    made = mark(session, "Bo", 1, 5)
    mark(session, "Ada", 40, 50)
    assert set_blind_first(session, False).ids("property") == {BLIND_FIRST}
    assert may_see(session, made)
    undo(session)
    assert is_blind_first(session)
    assert not may_see(session, made)


def test_who_was_shown_it_while_nothing_was_hidden_has_seen_it(session: Session) -> None:
    made = mark(session, "Bo", 1, 5)
    mark(session, "Ada", 40, 50)
    set_blind_first(session, False)
    reveal(session, made)
    set_blind_first(session, True)
    assert may_see(session, made)


@pytest.mark.parametrize("damaged", [None, 0, "", [], "no"])
def test_a_setting_that_cannot_be_read_hides(session: Session, damaged: int | str | list[str] | None) -> None:
    mark(session, "Ada", 1, 5)
    with session.step("Damage"):
        session.study.set_property(BLIND_FIRST, damaged)
    assert is_blind_first(session)


def test_where_it_cannot_be_written_down_it_is_not_shown(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    other = mark(session, "Ada", 10, 15, "competence", **WHOLE)
    reveal(session, other)
    path = session.study.path
    session.close()
    with Session.open(path, "Ada", read_only=True) as reading:
        assert not may_see(reading, made)
        assert may_see(reading, other)


@pytest.mark.parametrize("seed", range(5))
def test_one_at_a_time_and_all_at_once_find_the_same(session: Session, seed: int) -> None:
    chance = random.Random(seed)
    for who in ("Ada", "Bo", "Cy"):
        for _ in range(12):
            start = chance.randrange(60)
            mark(session, who, start, start + chance.randint(1, 9), chance.choice(["error", "competence"]))
    together = OwnWords(session, person(session, "Ada").id)
    together.read_recording("walk")
    for segment in all_segments(session.study):
        alone = OwnWords(session, person(session, "Ada").id)
        assert together.own_segment(segment) == alone.own_segment(segment)
        assert together.missing_parts(segment) == alone.missing_parts(segment)
