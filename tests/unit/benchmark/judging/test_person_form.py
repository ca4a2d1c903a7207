"""A person answers the task that judges are asked, in a form, and is stored as a judge is."""

import pytest

from annotate.blinding.reveals import may_see, reveal
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.person_judge import FORM_TRACK, plan_person_task, save_answer
from project.entities.judgments import PERSON_BACKEND
from project.errors import UserError
from project.queries.judgment_rows import judgments_of
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import mark, person

WORDS = InputSettings(frames=0)


def test_the_words_and_the_form_are_those_of_a_judge(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "error")
    asked = plan_person_task(session, made, "assess", settings=WORDS)
    plan = plan_input(session, made, "assess", settings=WORDS)
    assert (asked.plan.system, asked.plan.text, asked.plan.prompt) == (plan.system, plan.text, plan.prompt)
    assert [field.key for field in asked.scheme.fields_of(FORM_TRACK)] == [
        answer_field.field.key for answer_field in plan.form.fields
    ]


def test_an_answer_is_a_judgment_of_its_own_and_opens_the_task(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "error")
    mark(session, "Ada", 100, 105)
    judged(session, made, "Left", task="verdict", label="error")
    asked = plan_person_task(session, made, "verdict", settings=WORDS)
    assert not may_see(session, made, "verdict")
    saved, changes = save_answer(session, asked, {"label": "competence"}, 4200)
    assert changes.ids("judgment") == {saved.id}
    (stored,) = [judgment for judgment in judgments_of(session.study, made, "verdict") if judgment.annotator_id]
    assert stored == saved
    assert (stored.judge["backend"], stored.annotator_id) == (PERSON_BACKEND, person(session, "Ada").id)
    assert (stored.answer, stored.ms, stored.prompt_sha256 != "") == ({"label": "competence"}, 4200, True)
    assert stored.sight["after_judges"] is False
    assert may_see(session, made, "verdict")
    assert not may_see(session, made, "assess")


def test_an_answer_after_judges_were_shown_says_so(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "error")
    judged(session, made, "Left", task="verdict", label="error")
    session.annotator_name = "Cy"
    asked = plan_person_task(session, made, "verdict", settings=WORDS)
    save_answer(session, asked, {"label": "competence"}, 10)
    assert reveal(session, made, "verdict")
    second, _ = save_answer(session, asked, {"label": "error"}, 10)
    assert second.sight["after_judges"] is True


def test_what_does_not_fit_is_said_by_name_and_nothing_is_stored(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "error")
    asked = plan_person_task(session, made, "verdict", settings=WORDS)
    name = asked.scheme.field("label").name
    for wrong in ({}, {"label": "nonsense"}):
        with pytest.raises(UserError, match=name):
            save_answer(session, asked, wrong, 10)
    assert judgments_of(session.study, made) == []
