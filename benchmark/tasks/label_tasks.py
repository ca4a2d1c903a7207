"""Tasks of SHREC whose answers are labels: verdict, error, attributes, several attributes, and conditions."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from benchmark.items.candidates import NO_ATTRIBUTES, CandidatePool, ItemCandidate, ItemDraw, ItemSamplingRule
from benchmark.items.sampling import draw_balanced
from benchmark.metrics.classification import (
    accuracy,
    exact_match,
    exact_match_by_chance,
    macro_f1,
    macro_f1_by_chance,
    macro_f1_multilabel,
    macro_f1_multilabel_by_chance,
    partial_match,
    partial_match_by_chance,
)
from benchmark.metrics.item_sums import MetricValue
from benchmark.metrics.published_figures import ACCURACY, EXACT_MATCH, MACRO_F1, PARTIAL_MATCH
from benchmark.prompts.answer_form import LABEL_KEY, NO_LABEL
from benchmark.prompts.judge_prompt import TASKS, JudgePrompt, PromptSubject
from benchmark.prompts.segment_prompts import YES_NO, attributes_field, label_choices
from benchmark.tasks.benchmark_task import (
    LABELS_TRAIT,
    BenchmarkTask,
    ItemResponse,
    Round,
    defined_values,
    label_answers,
    label_truths,
    make_metrics,
    set_answers,
    set_truths,
    task_labels,
)
from project.entities.study_records import Json, Verdict
from project.errors import UserError, unknown_choice
from project.schemes.scheme import Field, Scheme


class LabelTask(BenchmarkTask):
    """Accuracy and macro-F1 over the labels of the task, which its items have as the trait `labels`."""

    field: str
    metrics = make_metrics(ACCURACY, MACRO_F1)

    @property
    def task(self) -> str:
        return self.rounds[0].task

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        truth, given = label_truths(said, self.task, self.field), label_answers(said, self.task, self.field)
        return {ACCURACY: accuracy(truth, given), MACRO_F1: macro_f1(truth, given, task_labels(said))}

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:
        labels = task_labels(said)
        if not labels:
            return {}
        f1 = macro_f1_by_chance(label_truths(said, self.task, self.field), labels)
        return defined_values({ACCURACY: 1 / len(labels), MACRO_F1: f1})


ERROR, COMPETENCE = Verdict.ERROR.value, Verdict.COMPETENCE.value


def pool_scheme(pool: CandidatePool) -> Scheme:
    """Return the scheme of a pool of segments."""
    assert pool.scheme is not None
    return pool.scheme


def candidate_label(candidate: ItemCandidate) -> str:
    """Return the label of a candidate."""
    return str(candidate.content.get("label", ""))


def candidate_values(candidate: ItemCandidate) -> Mapping[str, Json]:
    """Return the values of a candidate."""
    return cast(Mapping[str, Json], candidate.content.get("values", {}))


def candidate_traits(candidate: ItemCandidate) -> Mapping[str, Json]:
    """Return the traits of a candidate."""
    return cast(Mapping[str, Json], candidate.content.get("traits", {}))


def group_by_label(candidates: Sequence[ItemCandidate]) -> dict[str, list[ItemCandidate]]:
    """Return label -> candidates."""
    found: dict[str, list[ItemCandidate]] = {}
    for candidate in candidates:
        found.setdefault(candidate_label(candidate), []).append(candidate)
    return found


def candidate_subject(pool: CandidatePool, candidate: ItemCandidate, label: str = "") -> PromptSubject:
    """Return a candidate as the subject of a prompt."""
    return PromptSubject(
        pool_scheme(pool), pool.track, label or candidate_label(candidate), candidate_values(candidate)
    )


def fitting_candidates(
    pool: CandidatePool, candidates: Sequence[ItemCandidate], task: JudgePrompt, otherwise: str
) -> tuple[list[ItemCandidate], Counter[str]]:
    """Return the candidates that a task can be asked about and that have a right answer; the others are counted."""
    left_out: Counter[str] = Counter()
    found: list[ItemCandidate] = []
    for candidate in candidates:
        item = candidate_subject(pool, candidate)
        if not task.inapplicable_reason(item) and task.truth(item):
            found.append(candidate)
        else:
            left_out[otherwise] += 1
    return found, left_out


def freeze_candidate(
    pool: CandidatePool,
    candidate: ItemCandidate,
    task: JudgePrompt,
    label: str,
    traits: Mapping[str, Json],
    **more: Json,
) -> ItemCandidate:
    """Return a candidate with the content of its item: the right answer, and further traits."""
    content: dict[str, Json] = {
        "scheme": pool_scheme(pool).key,
        "track": pool.track,
        "label": label,
        "truth": {task.key: task.truth(candidate_subject(pool, candidate, label))},
        "traits": {**candidate_traits(candidate), **traits},
        **more,
    }
    return replace(candidate, content=content)


def all_labels(pool: CandidatePool) -> list[str]:
    """Return the labels that a judge can choose from, `none` among them."""
    return [choice.key for choice in label_choices(PromptSubject(pool_scheme(pool), pool.track))]


def yes_no_traits() -> dict[str, Json]:
    """Return the labels trait of a yes-or-no question."""
    return {LABELS_TRAIT: [choice.key for choice in YES_NO]}


def label_shares(pool: CandidatePool, given: Any, usual: Mapping[str, float]) -> dict[str, float]:
    """Return label -> weight: the given ones, else the paper's if the scheme has its labels, else equal weights."""
    labels = all_labels(pool)
    shares = {str(key): float(weight) for key, weight in given.items()} if isinstance(given, dict) else {}
    if not shares:
        shares = dict(usual) if {*usual} <= {*labels} else dict.fromkeys(labels, 1.0)
    if strange := [key for key in shares if key not in labels]:
        raise unknown_choice("label", strange[0], labels)
    if not any(weight > 0 for weight in shares.values()):
        raise UserError("All labels have the weight 0.", "Give at least one label a weight above 0.")
    return shares


ATTRIBUTE_SHARES = {ERROR: 0.66, COMPETENCE: 0.34}
"""SHREC, appendix A.2."""


def candidate_attributes(pool: CandidatePool, candidate: ItemCandidate) -> frozenset[str]:
    """Return the attributes of a candidate."""
    value = candidate_values(candidate).get(require_attributes_field(pool).key)
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset()


def require_attributes_field(pool: CandidatePool) -> Field:
    """Return the field of attributes."""
    found = attributes_field(candidate_subject(pool, ItemCandidate("", "", "", 0, 1, "")))
    if found is None:
        raise UserError(
            f"{pool_scheme(pool).name} has no field with several choices.", "Choose another task or scheme."
        )
    return found


_ANSWERS = tuple(field_choice.key for field_choice in YES_NO)


class AttributeDrawTask(BenchmarkTask):
    """Three draws of about 70 segments: 66 % error, 34 % competence (SHREC, appendix A.2).

    In other schemes every label has the same share. Items are agreed if their annotators chose the same attributes
    (appendix C).
    """

    key: str
    paper = "SHREC"
    section = "3.2 and appendices A.2 and C"
    source = "segments"
    draws = 3
    size = 70
    shares = ATTRIBUTE_SHARES

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        field = require_attributes_field(pool)
        task = TASKS.make(self.key)
        wanted = cast(dict[str, float], rule.more.get("shares") or {})
        by_label = {key: weight for key, weight in wanted.items() if key not in _ANSWERS}
        shares = label_shares(pool, by_label, self.shares)
        shares = {key: weight for key, weight in shares.items() if key != NO_LABEL and field.applies_to(key)}
        labelled = [candidate for candidate in pool.candidates if shares.get(candidate_label(candidate), 0) > 0]
        fit, left_out = fitting_candidates(pool, labelled, task, NO_ATTRIBUTES)
        classes, weights = self._classes(pool, fit, shares, wanted)
        drawn = draw_balanced(pool, classes, weights, rule, chance)
        items = tuple(
            freeze_candidate(pool, item, task, candidate_label(item), self._traits(pool, item)) for item in drawn.items
        )
        return ItemDraw(items, {**left_out, **drawn.left_out})

    def _classes(
        self,
        pool: CandidatePool,  # noqa: ARG002
        fit: Sequence[ItemCandidate],
        shares: Mapping[str, float],
        wanted: Mapping[str, float],  # noqa: ARG002
    ) -> tuple[Mapping[str, Sequence[ItemCandidate]], Mapping[str, float]]:
        """Return the classes of a draw with their candidates, and their weights."""
        return group_by_label(fit), shares

    def _traits(self, pool: CandidatePool, candidate: ItemCandidate) -> Mapping[str, Json]:
        traits = candidate_traits(candidate)
        agreed = bool(traits.get("agreed")) and bool(traits.get("same_attributes"))
        return {"agreed": agreed, LABELS_TRAIT: self._labels(pool)}

    def _labels(self, pool: CandidatePool) -> list[Json]:
        return [choice.key for choice in require_attributes_field(pool).choices]


class AttributesTask(AttributeDrawTask):
    """Which attributes a segment is about, given its label."""

    key = "attributes"
    name = "Attributes"
    description = "Which attributes is the segment about, given its label?"
    answer = "any of the attributes"
    metrics = make_metrics(EXACT_MATCH, MACRO_F1, PARTIAL_MATCH)

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        field = _asked_field(said)
        truth, given = set_truths(said, self.key, field), set_answers(said, self.key, field)
        return {
            EXACT_MATCH: exact_match(truth, given),
            MACRO_F1: macro_f1_multilabel(truth, given, task_labels(said)),
            PARTIAL_MATCH: partial_match(truth, given),
        }

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:
        truth, labels = set_truths(said, self.key, _asked_field(said)), task_labels(said)
        return defined_values(
            {
                EXACT_MATCH: exact_match_by_chance(len(labels)) if said else None,
                MACRO_F1: macro_f1_multilabel_by_chance(truth, labels),
                PARTIAL_MATCH: partial_match_by_chance(truth),
            }
        )


def _asked_field(said: Sequence[ItemResponse]) -> str:
    """Return the key of the field of attributes; "" without items."""
    return next((key for response in said for key in response.truth["attributes"]), "")


class MultipleTask(LabelTask, AttributeDrawTask):
    """Samples as for the attributes, asked whether there is more than one (SHREC, 3.2 and appendix A.2).

    Half of each label is about several, half about one: accuracy and macro-F1 of the constant answers in table 1 lie at
    50 %. Shares of `yes` and `no` replace the halves.
    """

    key = "multiple"
    name = "Several attributes"
    description = "Is the segment about more than one attribute?"
    answer = "yes or no"
    field = "multiple"

    def _labels(self, pool: CandidatePool) -> list[Json]:  # noqa: ARG002
        return [*_ANSWERS]

    def _classes(
        self,
        pool: CandidatePool,
        fit: Sequence[ItemCandidate],
        shares: Mapping[str, float],
        wanted: Mapping[str, float],
    ) -> tuple[Mapping[str, Sequence[ItemCandidate]], Mapping[str, float]]:
        answers = {answer: wanted.get(answer, 0.0) for answer in _ANSWERS}
        if not any(answers.values()):
            answers = dict.fromkeys(_ANSWERS, 1.0)
        classes: dict[str, list[ItemCandidate]] = {}
        for candidate in fit:
            answer = "yes" if len(candidate_attributes(pool, candidate)) > 1 else "no"
            classes.setdefault(_class_name(candidate_label(candidate), answer), []).append(candidate)
        weights = {
            _class_name(label, answer): share * weight
            for label, share in shares.items()
            for answer, weight in answers.items()
        }
        return classes, weights


def _class_name(label: str, answer: str) -> str:
    return f"{label} with {'several attributes' if answer == 'yes' else 'one attribute'}"


VERDICT_SHARES = {COMPETENCE: 0.295, ERROR: 0.5, NO_LABEL: 0.205}
"""SHREC, appendix A.1."""


class VerdictTask(LabelTask):
    """Three draws of about 200 segments: 29.5 % competence, 50 % error, 20.5 % none (SHREC, 3.1 and appendix A.1).

    In other schemes every label has the same share.
    """

    key = "verdict"
    name = "Verdict"
    description = "Does the segment show competence, an error, or none?"
    paper = "SHREC"
    section = "3.1 and appendix A.1"
    source = "segments"
    draws = 3
    size = 200
    answer = "one of the labels"
    field = LABEL_KEY
    shares = VERDICT_SHARES

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        shares = label_shares(pool, rule.more.get("shares"), self.shares)
        drawn = draw_balanced(pool, group_by_label(pool.candidates), shares, rule, chance, NO_LABEL)
        return ItemDraw(tuple(self._freeze(pool, item) for item in drawn.items), drawn.left_out)

    def _freeze(self, pool: CandidatePool, candidate: ItemCandidate) -> ItemCandidate:
        task = TASKS.make(self.task)
        label = candidate_label(candidate) or NO_LABEL
        return freeze_candidate(pool, candidate, task, label, self._traits(pool))

    def _traits(self, pool: CandidatePool) -> Mapping[str, Json]:
        return {LABELS_TRAIT: [*all_labels(pool)]}


class ConditionsTask(VerdictTask):
    """Ten draws of fifteen segments, five of each label, that can be seen in every condition (SHREC, appendix I)."""

    key = "conditions"
    rounds = (Round("verdict"),)
    name = "Conditions"
    description = "The verdict on the same segments as recorded and anonymized."
    section = "appendix I"
    source = "rendered"
    draws = 10
    size = 15
    shares = {COMPETENCE: 1.0, ERROR: 1.0, NO_LABEL: 1.0}


class ErrorTask(VerdictTask):
    """The same samples as for the verdict, asked whether there is an error (SHREC, 3.1 and appendix A.1)."""

    key = "error"
    name = "Error or not"
    description = "Does the segment show an error?"
    answer = "yes or no"
    field = "error"

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        if ERROR not in all_labels(pool):
            raise UserError(
                f"{pool_scheme(pool).name} has no label “{ERROR}” for “{pool.track}”.", "Choose another task or scheme."
            )
        return super().sample(pool, rule, chance)

    def _traits(self, pool: CandidatePool) -> Mapping[str, Json]:  # noqa: ARG002
        return yes_no_traits()
