"""Baselines land where closed forms say that they do."""

import asyncio
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from benchmark.prompts.answer_form import AnswerField, FormSpec, answer_form
from benchmark.prompts.judge_prompt import TASKS
from models.judges.baselines import Baseline
from models.judges.judge_backends import BACKENDS, create_judge, load_backend
from models.judges.judge_interface import AnswerForm, Judge, JudgeRequest, JudgeResources, Reply, SamplingParameters
from project.entities.judgments import PERSON_BACKEND, JudgeEntry, JudgmentStatus
from project.entities.study_records import Json
from project.errors import UserError
from project.schemes.scheme import Field, FieldChoice, FieldKind
from tests.builders.forms import form_of
from tests.builders.task_items import items_for, shrec

ITEMS = 1000


def judge(backend: str, **settings: Json) -> Judge:
    return create_judge(JudgeEntry("j", backend.title(), backend, "", settings), JudgeResources())


def ask(
    judge: Judge,
    form: AnswerForm,
    item: str = "s1",
    seed: int = 0,
    truth: Mapping[str, Json] | None = None,
    shares: Sequence[tuple[Mapping[str, Json], int]] = (),
) -> Reply:
    return asyncio.run(judge.ask(JudgeRequest((), form, SamplingParameters(seed=seed), truth or {}, shares, item)))


def ask_often(
    judge: Judge, form: AnswerForm, truth: Mapping[str, Json] | None = None, seed: int = 0, items: int = ITEMS
) -> list[Reply]:
    async def answer_all() -> list[Reply]:
        sampling = SamplingParameters(seed=seed)
        return [
            await judge.ask(JudgeRequest((), form, sampling, truth or {}, (), f"segment {number}"))
            for number in range(items)
        ]

    return asyncio.run(answer_all())


def five() -> AnswerForm:
    """Return a question with five options."""
    options = tuple(FieldChoice(str(number), f"Option {number}") for number in range(1, 6))
    return answer_form(
        FormSpec("five", (AnswerField(Field("option", FieldKind.CHOICE, "Option", choices=options), True),))
    )


def within(hits: int, chance: float) -> bool:
    """Tell whether a share of hits is within four standard errors of what is expected."""
    return abs(hits / ITEMS - chance) <= 4 * math.sqrt(chance * (1 - chance) / ITEMS)


@pytest.mark.parametrize(
    ("form", "right", "chance"),
    [
        (form_of("verdict", shrec()), {"label": "competence"}, 1 / 3),
        (form_of("attributes", shrec()), {"attributes": ["norms"]}, 1 / 128),
    ],
)
def test_random_lands_at_chance(form: AnswerForm, right: Mapping[str, Json], chance: float) -> None:
    answers = ask_often(judge("random"), form)
    assert {answer.status for answer in answers} == {JudgmentStatus.OK}
    assert within(sum(answer.answer == right for answer in answers), chance)


def test_random_answers_an_item_alike_in_any_order_and_another_seed_otherwise() -> None:
    form = form_of("assess", shrec())
    guess = judge("random")
    first = [ask(guess, form, f"s{number}").answer for number in range(20)]
    again = [ask(judge("random"), form, f"s{number}").answer for number in reversed(range(20))]
    assert first == again[::-1]
    assert [ask(guess, form, f"s{number}", seed=1).answer for number in range(20)] != first


def test_majority_is_right_as_often_as_the_most_frequent_answer_is() -> None:
    form = form_of("verdict", shrec())
    labels = ["competence"] * 56 + ["error"] * 43 + ["none"]
    shares = [({"label": label}, count) for label, count in Counter(labels).items()]
    answers = [ask(judge("majority"), form, shares=shares).answer["label"] for _ in labels]
    assert sum(a == b for a, b in zip(answers, labels, strict=True)) / len(labels) == 0.56
    assert ask(judge("majority"), form).status is JudgmentStatus.ERROR


def test_constant_says_what_it_is_told_wherever_it_can() -> None:
    said = judge("constant", says="error, norms, yes")
    assert ask(said, form_of("verdict", shrec())).answer == {"label": "error"}
    assert ask(said, form_of("error", shrec())).answer == {"error": "yes"}
    assert ask(said, form_of("attributes", shrec())).answer == {"attributes": ["norms"]}
    assert ask(said, form_of("assess", shrec())).answer == {"label": "error", "attributes": ["norms"]}
    assert ask(judge("constant"), five()).answer == {"option": "1"}


def test_the_oracle_is_always_right() -> None:
    asked = 0
    for key in TASKS:
        task = TASKS.make(key)
        for item in items_for(key):
            truth = task.truth(item)
            if truth:
                reply = ask(judge("oracle"), form_of(key, item), truth=truth)
                assert (reply.status, reply.answer) == (JudgmentStatus.OK, truth)
                asked += 1
    assert asked > 20
    assert ask(judge("oracle"), five()).status is JudgmentStatus.ERROR


@pytest.mark.parametrize("right", [0.0, 0.35])
def test_a_reliable_judge_is_right_as_often_as_it_is_set_to_be(right: float) -> None:
    each_judge, form = judge("reliable", right=right), five()
    said = [reply.answer["option"] for reply in ask_often(each_judge, form, {"option": "3"})]
    assert within(said.count("3"), right)
    again = [reply.answer["option"] for reply in ask_often(each_judge, form, {"option": "3"}, items=100)]
    assert said[:100] == again
    wrong = Counter(value for value in said if value != "3")
    if right == 0.0:
        assert all(within(times, 1 / 4) for times in wrong.values())
        assert len(wrong) == 4
    assert ask(each_judge, form).status is JudgmentStatus.ERROR


def test_baselines_answer_every_task_in_its_form() -> None:
    for key in TASKS:
        for item in items_for(key):
            form = form_of(key, item)
            for backend in ("random", "constant"):
                reply = ask(judge(backend), form)
                assert form.parse(dict(reply.answer)) == reply.answer
                assert (reply.cost, reply.calls, reply.tokens_in) == (None, 0, None)


def test_every_backend_says_whether_it_needs_a_model_and_sends_something_away() -> None:
    for key in BACKENDS:
        kind = load_backend(key)
        assert kind.needs_model != issubclass(kind, Baseline)
        assert kind.leaves == (key == "openai")


def test_a_judge_that_cannot_be_made_says_why() -> None:
    with pytest.raises(UserError, match="no judge backend “abacus”"):
        judge("abacus")
    with pytest.raises(UserError, match="is a person"):
        judge(PERSON_BACKEND)
    with pytest.raises(UserError, match="no option “warmth”"):
        judge("random", warmth=3)
    with pytest.raises(UserError, match="has no model"):
        judge("openai", url="http://127.0.0.1:1/v1")
    with pytest.raises(UserError, match="not allowed for right"):
        judge("reliable", right=1.5)
