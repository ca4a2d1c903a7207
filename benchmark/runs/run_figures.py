"""Reads the responses of runs from a study, computes their figures, and compares runs and conditions."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from benchmark.judging.judgment_record import answer_key
from benchmark.metrics.paired_tests import EQUIVALENCE_MARGIN, McNemar
from benchmark.metrics.paper_settings import model_options
from benchmark.metrics.resampling import Difference
from benchmark.results.item_results import (
    COUNTED_OUTCOMES,
    AnswerCosts,
    Breakdown,
    Confusion,
    ItemOutcome,
    ItemResult,
    MetricRow,
    ResponseCounts,
    classify_outcome,
    count_outcomes,
    is_right,
)
from benchmark.results.result_comparison import (
    ConditionRow,
    MetricDifference,
    RawConditionPair,
    compare_correctness,
    compare_metrics,
    condition_rows,
)
from benchmark.results.run_measures import (
    BOOTSTRAP_SAMPLES,
    compute_breakdowns,
    compute_confusions,
    label_rows,
    metric_rows,
)
from benchmark.runs.people_runs import human_rounds
from benchmark.runs.run_plan import is_same_run
from benchmark.tasks.benchmark_task import SUITE, BenchmarkTask, ItemResponse
from project.codec import dump
from project.entities.frozen_items import BenchmarkRun, FrozenItem, ItemSet
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION
from project.entities.study_records import Json
from project.errors import UserError, unknown_name
from project.queries.item_set_rows import (
    GivenAnswer,
    all_sets,
    benchmark_runs,
    failed_items,
    find_item_set,
    items_of,
    read_run_answers,
)
from project.queries.recording_rows import all_collections
from project.session.session import Session
from project.store.column_values import to_json
from project.text_format import escape_unprintable


def expected_keys(entry: BenchmarkTask, run: BenchmarkRun) -> tuple[str, ...]:
    """Return the keys of the questions of a run about an item, `TASK` or `TASK/PART`; people are asked fewer."""
    rounds = human_rounds(entry) if run.annotator_id is not None else entry.rounds
    return tuple(answer_key(round_.task, part) for round_ in rounds for part in round_.parts)


def read_responses(
    session: Session, run: BenchmarkRun, entry: BenchmarkTask, items: list[FrozenItem]
) -> tuple[list[tuple[ItemResponse, ItemOutcome]], AnswerCosts]:
    """Return the response of a run to each item of its set, in their order, and the costs."""
    answers = read_run_answers(session.study, run.id)
    failed = failed_items(session.study, run)
    expected = expected_keys(entry, run)
    by_item: dict[str, list[GivenAnswer]] = {}
    for answer in answers:
        by_item.setdefault(answer.item_id, []).append(answer)
    found = []
    for item in items:
        said = _item_response(item, by_item.get(item.id, []))
        found.append((said, classify_outcome(said, expected, failed=item.id in failed)))
    return found, _spending(run, answers)


def _item_response(item: FrozenItem, given: list[GivenAnswer]) -> ItemResponse:
    costs = [given_answer.cost for given_answer in given if given_answer.cost is not None]
    return ItemResponse(
        item.id,
        item.draw,
        item.recording_id,
        cast(dict[str, dict[str, Json]], item.content.get("truth", {})),
        {given_answer.key: given_answer.answer for given_answer in given if given_answer.status == "ok"},
        {given_answer.key: given_answer.status for given_answer in given},
        cast(dict[str, Json], item.content.get("traits", {})),
        sum(given_answer.ms for given_answer in given),
        sum(costs) if costs else None,
    )


def _spending(run: BenchmarkRun, answers: list[GivenAnswer]) -> AnswerCosts:
    costs = [answer.cost for answer in answers if answer.cost is not None]
    return AnswerCosts(
        {_currency(run): sum(costs)} if costs else {},
        sum(answer.tokens_in for answer in answers),
        sum(answer.tokens_out for answer in answers),
        sum(answer.ms for answer in answers),
        sum(answer.cached for answer in answers),
    )


def _currency(run: BenchmarkRun) -> str:
    options = model_options(str(run.judge.get("backend", "")), run.judge.get("settings"))
    return options.currency if options is not None else ""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The figures of one run.

    Attributes:
        item_set: its items.
        judge: unique name of who answered.
        human: whether a person answered.
        rows: of all items that count, in the order of the task's metrics.
        labels: F1 of each label, as `f1.LABEL`; () if answers are no labels.
        breakdowns: by each trait with several values.
        confusions: if answers are single labels.
        items: in the order of the set, by draw and position; those that were not asked have no status.
    """

    run: BenchmarkRun
    item_set: ItemSet
    judge: str
    human: bool
    rows: tuple[MetricRow, ...]
    labels: tuple[MetricRow, ...]
    counts: ResponseCounts
    spent: AnswerCosts
    breakdowns: tuple[Breakdown, ...]
    confusions: tuple[Confusion, ...]
    items: tuple[ItemResult, ...]

    @property
    def counted_responses(self) -> tuple[ItemResponse, ...]:
        return tuple(item.response for item in self.items if item.is_counted)

    def row(self, metric: str) -> MetricRow | None:
        return next((label for label in (*self.rows, *self.labels) if label.metric == metric), None)

    def results_json(self) -> list[dict[str, Json]]:
        """Return one JSON object per metric: `task`, `judge`, `metric`, `mean`, `sd`, `n`, `unparsed`, and more."""
        about = self.about_json()
        return [{**about, **dump(row), **dump(self.counts)} for row in self.rows]

    def about_json(self) -> dict[str, Json]:
        run = self.run
        return {
            "task": self.item_set.task,
            "set": self.item_set.name,
            "judge": self.judge,
            "human": self.human,
            "variant": run.variant,
            "shown": run.shown.value,
            "condition": run.condition,
            "seed": run.seed,
            "run": run.id,
            "at": run.at,
        }


@dataclass(frozen=True, slots=True)
class RunRead:
    """The data of one run; figures can be computed from it in any thread.

    Attributes:
        judge: unique name of who answered.
        expected_keys: keys of the questions about an item, `TASK` or `TASK/PART`.
        responses: response to each item of the set, in order, with its outcome.
        names: names of values of traits that are ids.
    """

    run: BenchmarkRun
    item_set: ItemSet
    judge: str
    expected_keys: tuple[str, ...]
    responses: tuple[tuple[ItemResponse, ItemOutcome], ...]
    spent: AnswerCosts
    names: Mapping[str, str]


def read_figures(
    session: Session,
    run_ids: Sequence[str] = (),
    sets: Sequence[str] = (),
    *,
    samples: int = BOOTSTRAP_SAMPLES,
    parts: bool = True,
) -> list[RunFigures]:
    """Return the figures of runs, by set, in the order in which runs began.

    Args:
        session: of the study.
        run_ids: of the runs; if empty, the newest of each judge and setting.
        sets: ids or names of sets; all if empty.
        samples: of the bootstrap over recordings; 0 for no intervals.
        parts: whether to compute breakdowns.
    """
    return [compute_figures(run, samples=samples, parts=parts) for run in read_runs(session, run_ids, sets)]


def read_runs(session: Session, run_ids: Sequence[str] = (), sets: Sequence[str] = ()) -> list[RunRead]:
    """Read the data of runs; arguments and errors as `read_figures`."""
    chosen = _select_sets(session, sets)
    runs = _select_runs(session, run_ids, chosen)
    named = _judge_names(runs)
    collections = {collection.id: collection.name for collection in all_collections(session.study)}
    items: dict[str, list[FrozenItem]] = {}
    found = []
    for item_set in chosen:
        entry = SUITE.make(item_set.task)
        for run in runs:
            if run.set_id == item_set.id:
                if item_set.id not in items:
                    items[item_set.id] = items_of(session.study, item_set.id)
                responses, spent = read_responses(session, run, entry, items[item_set.id])
                expected = expected_keys(entry, run)
                found.append(RunRead(run, item_set, named[run.id], expected, tuple(responses), spent, collections))
    return found


def compute_figures(read: RunRead, *, samples: int = BOOTSTRAP_SAMPLES, parts: bool = True) -> RunFigures:
    """Compute the figures of a run, in any thread; some tasks take seconds."""
    try:
        return _compute_figures(read, samples, parts=parts)
    except KeyError:
        raise UserError(
            f"An item of the set “{escape_unprintable(read.item_set.name)}” has no correct answer.",
            "Make another set.",
        ) from None


def _compute_figures(read: RunRead, samples: int, *, parts: bool) -> RunFigures:
    entry = SUITE.make(read.item_set.task)
    counted = [said for said, state in read.responses if state in COUNTED_OUTCOMES]
    results = tuple(
        ItemResult(
            said, is_right(said, read.expected_keys) if state in COUNTED_OUTCOMES else None, state in COUNTED_OUTCOMES
        )
        for said, state in read.responses
    )
    return RunFigures(
        read.run,
        read.item_set,
        read.judge,
        read.run.annotator_id is not None,
        metric_rows(entry, counted, samples),
        label_rows(counted),
        count_outcomes(state for _, state in read.responses),
        read.spent,
        compute_breakdowns(entry, counted, read.names) if parts else (),
        compute_confusions(counted),
        results,
    )


def _select_sets(session: Session, wanted: Sequence[str]) -> list[ItemSet]:
    if not wanted:
        return all_sets(session.study)
    found = {}
    for name in wanted:
        item_set = find_item_set(session.study, name)
        if item_set is None:
            raise unknown_name("item set", name, [item_set.name for item_set in all_sets(session.study)])
        found[item_set.id] = item_set
    return [*found.values()]


def _select_runs(session: Session, wanted: Sequence[str], sets: Sequence[ItemSet]) -> list[BenchmarkRun]:
    """Return the runs that are named, else the newest of equal ones, in the order in which they were started."""
    every = [run for item_set in sets for run in benchmark_runs(session.study, item_set.id)]
    if wanted:
        known = {benchmark_run.id: benchmark_run for benchmark_run in every}
        if missing := [run_id for run_id in wanted if run_id not in known]:
            raise UserError(
                f"There is no run “{escape_unprintable(missing[0])}” in this study.",
                "List the runs: greenroom benchmark results STUDY",
            )
        return [known[run_id] for run_id in dict.fromkeys(wanted)]
    newest: list[BenchmarkRun] = []
    for run in reversed(every):
        if not any(is_same_run(run, benchmark_run) for benchmark_run in newest):
            newest.append(run)
    return newest[::-1]


def _judge_names(runs: Sequence[BenchmarkRun]) -> dict[str, str]:
    """Return run id -> unique name; judges with the same name get their model, or else the time of the run."""
    names = {benchmark_run.id: str(benchmark_run.judge.get("name", benchmark_run.judge_id)) for benchmark_run in runs}
    who: dict[str, dict[str, BenchmarkRun]] = {}
    for run in runs:
        who.setdefault(names[run.id], {}).setdefault(_identity(run), run)
    for name, judges in who.items():
        if len(judges) == 1:
            continue
        models = Counter(_model_name(judge) for judge in judges.values())
        for run in runs:
            if names[run.id] == name:
                model = _model_name(run)
                apart = model if model and models[model] == 1 else judges[_identity(run)].at[:16].replace("T", " ")
                names[run.id] = f"{name} ({apart})"
    return names


def _identity(run: BenchmarkRun) -> str:
    """Return the identity of who answers, which does not depend on the name of a person."""
    if run.annotator_id is not None:
        return f"{PERSON_BACKEND} {run.annotator_id}"
    return f"{run.judge_id} {sorted(dict(run.judge).items(), key=str)}"


def _model_name(run: BenchmarkRun) -> str:
    return str(run.judge.get("model", "")).rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs compared with each other.

    Attributes:
        paired: whether both were asked the same set; otherwise there are only means, and no tests.
        n: number of items that count in both, in all draws.
        mcnemar: test of the items that only one got right; None without right answers, or if the sets differ.
    """

    first: RunFigures
    second: RunFigures
    paired: bool
    n: int
    rows: tuple[MetricDifference, ...]
    mcnemar: McNemar | None


def compare_runs(
    session: Session, first: RunFigures, second: RunFigures, samples: int = BOOTSTRAP_SAMPLES
) -> RunComparison:
    """Compare two runs of one task, on the items that count in both if they were asked the same set."""
    if first.item_set.task != second.item_set.task:
        raise UserError(
            f"The runs have different tasks: “{first.item_set.task}” and “{second.item_set.task}”.",
            "Compare runs of the same task.",
        )
    entry = SUITE.make(first.item_set.task)
    if first.item_set.id != second.item_set.id:
        rows = tuple(_mean_difference(first, second, row.metric) for row in first.rows)
        return RunComparison(first, second, False, 0, rows, None)
    both = _shared_items(first, second)
    first_results, second_results = [pair[0] for pair in both], [pair[1] for pair in both]
    items = {item.id: item for item in items_of(session.study, first.item_set.id)}
    same = [_content_digest(items[result.response.item_id]) for result in first_results]
    rows = compare_metrics(
        entry,
        [result.response for result in first_results],
        [result.response for result in second_results],
        samples,
    )
    right = compare_correctness(
        [result.right for result in first_results], [result.right for result in second_results], same
    )
    return RunComparison(first, second, True, len(both), rows, right)


def compare_conditions(found: Sequence[RunFigures], margin: float = EQUIVALENCE_MARGIN) -> tuple[ConditionRow, ...]:
    """Compare each judge in each condition with itself on raw footage, on the items that count in both.

    Runs without a partner on raw footage with the same set and setting are left out. Tests are corrected over all
    conditions and judges of a set and figure.
    """
    rows: list[ConditionRow] = []
    for item_set in {run_figures.item_set.id: run_figures.item_set for run_figures in found}.values():
        runs = [run_figures for run_figures in found if run_figures.item_set.id == item_set.id]
        raw = {_condition_key(run): run for run in runs if run.run.condition == RAW_CONDITION}
        pairs = []
        for run in runs:
            partner = raw.get(_condition_key(run))
            if run.run.condition == RAW_CONDITION or partner is None:
                continue
            both = _shared_items(partner, run)
            pairs.append(
                RawConditionPair(
                    run.judge,
                    run.run.condition,
                    [result.response for result, _ in both],
                    [result.response for _, result in both],
                )
            )
        rows += condition_rows(SUITE.make(item_set.task), pairs, margin)
    return tuple(rows)


def _shared_items(first: RunFigures, second: RunFigures) -> list[tuple[ItemResult, ItemResult]]:
    counted = {item.response.item_id: item for item in second.items if item.is_counted}
    return [
        (item, counted[item.response.item_id])
        for item in first.items
        if item.is_counted and item.response.item_id in counted
    ]


def _mean_difference(first: RunFigures, second: RunFigures, metric: str) -> MetricDifference:
    metric_row, other = first.row(metric), second.row(metric)
    assert metric_row is not None
    mine, theirs = metric_row.mean, other.mean if other else None
    value = None if mine is None or theirs is None else mine - theirs
    return MetricDifference(
        metric, metric_row.name, metric_row.share, mine, theirs, Difference(value, None, None, None, 0)
    )


def _condition_key(run_figures: RunFigures) -> tuple[str, ...]:
    run = run_figures.run
    return run_figures.judge, run.judge_id, run.variant, run.shown.value, str(run.seed)


def _content_digest(item: FrozenItem) -> str:
    """Return a digest of the content of an item, which is the same for an item in several draws."""
    text = to_json([item.about, item.recording_id, item.start_us, item.end_us, dict(item.content)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
