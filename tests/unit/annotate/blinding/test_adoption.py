"""A judge's text goes into one's own form by an explicit act, with where it is from, and undo takes back both."""

import pytest

from annotate.blinding.own_answers import read_adoptions
from annotate.blinding.reveals import adopt
from annotate.segments.segment_edits import set_field
from annotate.study.recording_edits import redo, undo
from project.entities.judgments import JudgmentStatus
from project.errors import UserError
from project.queries.judgment_rows import adoptions, reveals
from project.queries.segment_rows import values_of
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import mark

WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


def rationale(session: Session, segment_id: str) -> object:
    return values_of(session.study, segment_id)["rationale"].value


def test_one_step_writes_the_text_and_where_it_is_from_and_undo_takes_back_both(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    said = judged(session, made, "Model A", label="error", rationale="It listens.")
    changes = adopt(session, said.id, "rationale")
    assert changes.ids("segment_value") == changes.ids("adoption") == {made}
    assert rationale(session, made) == "It listens."
    assert str(read_adoptions(session, made)["rationale"]).startswith("Taken over from Model A on 20")
    assert undo(session).name == "Take over rationale from Model A"
    assert rationale(session, made) == "It waits."
    assert adoptions(session.study) == []
    redo(session)
    assert [adoption.judgment_id for adoption in adoptions(session.study, made)] == [said.id]


def test_a_text_that_was_changed_since_says_so(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    adopt(session, judged(session, made, rationale="It listens.").id, "rationale")
    assert not read_adoptions(session, made)["rationale"].changed
    set_field(session, made, "rationale", "It listens closely.")
    assert read_adoptions(session, made)["rationale"].changed
    set_field(session, made, "rationale", None)
    assert read_adoptions(session, made) == {}


def test_what_is_hidden_cannot_be_taken_over(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence")
    said = judged(session, made, rationale="It listens.")
    with pytest.raises(UserError, match="still hidden"):
        adopt(session, said.id, "rationale")
    assert "rationale" not in values_of(session.study, made)


def test_it_goes_to_ones_own_segment_where_another_was_judged(session: Session) -> None:
    theirs = mark(session, "Bo", 1, 5, "competence", **WHOLE)
    mine = mark(session, "Ada", 1, 5.5, "competence", **WHOLE)
    said = judged(session, theirs, rationale="It listens.")
    adopt(session, said.id, "rationale")
    assert rationale(session, mine) == "It listens."
    assert rationale(session, theirs) == "It waits."
    assert [(reveal.segment_id, reveal.own["segment"]) for reveal in reveals(session.study)] == [(theirs, mine)]


@pytest.mark.parametrize(("field", "answer"), [("channel", "verbal"), ("rationale", " "), ("rationale", None)])
def test_only_a_text_that_is_there_is_taken_over(session: Session, field: str, answer: str | None) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    said = judged(session, made, **{field: answer})
    with pytest.raises(UserError):
        adopt(session, said.id, field)
    assert adoptions(session.study) == []


def test_nothing_is_taken_over_from_an_answer_that_could_not_be_read(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    said = judged(session, made, status=JudgmentStatus.UNPARSED, rationale="It listens.")
    with pytest.raises(UserError, match="wrote nothing"):
        adopt(session, said.id, "rationale")
