"""The base of benchmark tasks, which sample items and score responses, and their registry.

A new task is a class in this package and a line in the registry.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from benchmark.items.candidates import CandidatePool, ItemDraw, ItemSamplingRule
from benchmark.metrics.item_sums import MetricValue, metric_values
from benchmark.metrics.published_figures import METRIC_DESCRIPTIONS
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from project.plugins.plugin_registry import Plugins

BREAKDOWN_TRAITS = ("attributes", "channel", "agreed", "collection", "kind", "aspect", "steps", "negative")
"""Traits of items by which figures are broken down; other traits, such as `labels`, are inputs of scores."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of questions about each item.

    Attributes:
        task: key of `benchmark/prompts/judge_prompt.py`.
        parts: of the item, each asked separately; ("",) for the item as a whole.
        is_followup: it is about the answer of the same judge in the round before.
    """

    task: str
    parts: tuple[str, ...] = ("",)
    is_followup: bool = False


@dataclass(frozen=True, slots=True)
class ItemResponse:
    """The response to one item.

    Attributes:
        truth: the right answer, by `TASK` or `TASK/PART`.
        answers: readable answers, by the same keys.
        statuses: of all questions that were asked, by the same keys.
        cost: in the currency of the judge's prices; None if it has none.
    """

    item_id: str
    draw: int
    recording_id: str
    truth: Mapping[str, Mapping[str, Json]]
    answers: Mapping[str, Mapping[str, Json]]
    statuses: Mapping[str, JudgmentStatus]
    traits: Mapping[str, Json] = field(default_factory=dict)
    ms: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of a task.

    Attributes:
        share: its value is a share from 0 to 1, shown in percent.
    """

    key: str
    name: str
    share: bool = True


class BenchmarkTask:
    """Base of tasks of the benchmark.

    Attributes:
        key: in the registry, and in results.
        section: of it, where the task is described.
        source: the part of a study that its items come from, a key of `benchmark.sets.item_sources.POOL_SOURCES`.
        answer: what an answer is, in words.
        metrics: its figures, the most important first.
        draws: the number of samples by default.
        size: about how many items a sample has; 0 for all there are.
        shares: label -> weight in the paper, for a task whose draws have a share of each label.
        people: what people are asked, where that is other than what judges are asked.
    """

    key: str
    name: str
    description: str
    paper: str
    section: str
    source: str
    answer: str
    metrics: tuple[Metric, ...]
    draws: int = 1
    size: int = 0
    shares: Mapping[str, float] = MappingProxyType({})
    people: tuple[Round, ...] = ()

    @property
    def rounds(self) -> tuple[Round, ...]:
        return (Round(self.key),)

    def sample(self, pool: CandidatePool, rule: ItemSamplingRule, chance: random.Random) -> ItemDraw:
        """Return the items of one draw, and what was left out."""
        raise NotImplementedError

    def measure(self, said: Sequence[ItemResponse]) -> Mapping[str, MetricValue]:
        """Return the figures of these items by key of `metrics`, as sums over the items where they are such."""
        raise NotImplementedError

    def chance(self, said: Sequence[ItemResponse]) -> Mapping[str, float]:  # noqa: ARG002
        """Return the expected figures of guessing over these items, by key, where they are known."""
        return {}


def score(task: BenchmarkTask, said: Sequence[ItemResponse]) -> dict[str, float | None]:
    """Return the figures of one draw; None if undefined."""
    return metric_values(task.measure(said))


SUITE = Plugins[BenchmarkTask](
    "benchmark task",
    {
        "verdict": "benchmark.tasks.label_tasks:VerdictTask",
        "error": "benchmark.tasks.label_tasks:ErrorTask",
        "attributes": "benchmark.tasks.label_tasks:AttributesTask",
        "multiple": "benchmark.tasks.label_tasks:MultipleTask",
        "pre": "benchmark.tasks.option_tasks:PRE",
        "post": "benchmark.tasks.option_tasks:POST",
        "rationale": "benchmark.tasks.option_tasks:RATIONALE",
        "correction": "benchmark.tasks.option_tasks:CORRECTION",
        "conditions": "benchmark.tasks.label_tasks:ConditionsTask",
        "r3vqa": "benchmark.tasks.question_task:ChainQuestionTask",
        "r3vqa_written": "benchmark.tasks.question_task:WrittenQuestionTask",
        "esi": "benchmark.tasks.question_task:EsiTask",
        "socialnli": "benchmark.tasks.statement_task:SocialNliTask",
        "socialnli_facts": "benchmark.tasks.statement_task:FactCheckTask",
        "sotopia_eval": "benchmark.tasks.episode_rating_task:EpisodeRatingTask",
    },
)


LABELS_TRAIT = "labels"
"""Trait of an item: all labels of the task, in a draw or not."""


def make_metrics(*keys: str) -> tuple[Metric, ...]:
    """Return metrics by their keys in `benchmark.metrics.published_figures`."""
    return tuple(Metric(key, METRIC_DESCRIPTIONS[key].name, METRIC_DESCRIPTIONS[key].share) for key in keys)


def defined_values(values: Mapping[str, float | None]) -> dict[str, float]:
    """Return the figures that are defined."""
    return {key: value for key, value in values.items() if value is not None}


def field_truths(said: Sequence[ItemResponse], task: str, field: str) -> list[Json]:
    """Return the right value of a field for each item."""
    return [response.truth[task][field] for response in said]


def field_answers(said: Sequence[ItemResponse], task: str, field: str) -> list[Json]:
    """Return the answered value of a field for each item; None if unreadable."""
    return [response.answers.get(task, {}).get(field) for response in said]


def label_truths(said: Sequence[ItemResponse], task: str, field: str) -> list[str]:
    """Return the true label of each item."""
    return [str(field_truth) for field_truth in field_truths(said, task, field)]


def label_answers(said: Sequence[ItemResponse], task: str, field: str) -> list[str | None]:
    """Return the answered label of each item; None if unreadable."""
    return [
        field_answer if isinstance(field_answer, str) else None for field_answer in field_answers(said, task, field)
    ]


def set_truths(said: Sequence[ItemResponse], task: str, field: str) -> list[list[str]]:
    """Return the true labels of each item."""
    return [_string_list(field_truth) or [] for field_truth in field_truths(said, task, field)]


def set_answers(said: Sequence[ItemResponse], task: str, field: str) -> list[list[str] | None]:
    """Return the answered labels of each item; None if unreadable."""
    return [_string_list(field_answer) for field_answer in field_answers(said, task, field)]


def task_labels(said: Sequence[ItemResponse]) -> list[str]:
    """Return all labels of a task, in the order of its scheme."""
    found: dict[str, None] = {}
    for response in said:
        found |= dict.fromkeys(_string_list(response.traits.get(LABELS_TRAIT)) or ())
    return [*found]


def _string_list(value: Json) -> list[str] | None:
    return [str(entry) for entry in value] if isinstance(value, list) else None
