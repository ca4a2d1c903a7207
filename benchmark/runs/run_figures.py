"""The figures of runs, as tables, page and report show them.

Two runs side by side, and every condition beside raw. Reads a run of a study into what was said about each item.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from benchmark.judging.judgment_record import answer_key
from benchmark.metrics.paired_tests import EQUIVALENCE_MARGIN, McNemar
from benchmark.metrics.resampling import Difference
from benchmark.results.item_results import (
    COUNTED_OUTCOMES,
    Became,
    Breakdown,
    Confusion,
    ItemResult,
    MetricRow,
    ResponseCounts,
    Spent,
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
from benchmark.tasks.benchmark_task import BenchmarkTask, ItemResponse, get_benchmark_task
from models.judges.judge_backends import BACKENDS, build_options
from models.judges.judge_interface import ModelOptions
from project.entities.frozen_items import BenchmarkRun, FrozenItem, ItemSet
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION
from project.entities.study_records import Json
from project.errors import UserError
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
    """Return everything that a run asks about an item, `TASK` or `TASK/PART`; people are asked less than judges."""
    rounds = human_rounds(entry) if run.annotator_id is not None else entry.rounds
    return tuple(answer_key(each_round.task, part) for each_round in rounds for part in each_round.parts)


def read_responses(
    session: Session, run: BenchmarkRun, entry: BenchmarkTask, items: list[FrozenItem]
) -> tuple[list[tuple[ItemResponse, Became]], Spent]:
    """Return what was said in a run about each item of its set, in their order, and what it took.

    Raises:
        UserError: an answer is damaged.
    """
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


def _spending(run: BenchmarkRun, answers: list[GivenAnswer]) -> Spent:
    costs = [answer.cost for answer in answers if answer.cost is not None]
    return Spent(
        {_currency(run): sum(costs)} if costs else {},
        sum(answer.tokens_in for answer in answers),
        sum(answer.tokens_out for answer in answers),
        sum(answer.ms for answer in answers),
        sum(answer.cached for answer in answers),
    )


def _currency(run: BenchmarkRun) -> str:
    backend, settings = str(run.judge.get("backend", "")), run.judge.get("settings")
    if backend not in BACKENDS or not isinstance(settings, dict):
        return ""
    options = build_options(backend, settings)
    return options.currency if isinstance(options, ModelOptions) else ""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What one run came to.

    Attributes:
        item_set: that was asked.
        judge: who answered, by a name that nobody else among these figures has.
        human: whether a person answered.
        rows: of all items that count, in the order of the task's metrics.
        labels: F1 of each label, as `f1.LABEL`; () where answers are no labels.
        breakdowns: by each trait that tells items apart.
        confusions: where answers are one of several labels.
        items: in the order of the set, by draw and position; those that were not asked have no status.
    """

    run: BenchmarkRun
    item_set: ItemSet
    judge: str
    human: bool
    rows: tuple[MetricRow, ...]
    labels: tuple[MetricRow, ...]
    counts: ResponseCounts
    spent: Spent
    breakdowns: tuple[Breakdown, ...]
    confusions: tuple[Confusion, ...]
    items: tuple[ItemResult, ...]

    @property
    def counted_responses(self) -> tuple[ItemResponse, ...]:
        """Everything that was said about items that count."""
        return tuple(item.response for item in self.items if item.is_counted)

    def row(self, metric: str) -> MetricRow | None:
        """Return one figure by its key."""
        return next((label for label in (*self.rows, *self.labels) if label.metric == metric), None)

    def results_json(self) -> list[dict[str, Json]]:
        """Return one JSON object a metric: `task`, `judge`, `metric`, `mean`, `sd`, `n`, `unparsed`, and more."""
        about = self.about_json()
        return [{**about, **row.as_json(), **self.counts.as_json()} for row in self.rows]

    def about_json(self) -> dict[str, Json]:
        """Return who was asked what, and how, as a JSON object."""
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

    def as_json(self) -> dict[str, Json]:
        """Return everything but the single items as a JSON object."""
        return {
            **self.about_json(),
            "figures": [row.as_json() for row in self.rows],
            "labels": [label.as_json() for label in self.labels],
            "counts": self.counts.as_json(),
            "spent": self.spent.as_json(),
            "breakdowns": [breakdown.as_json() for breakdown in self.breakdowns],
            "confusions": [confusion.as_json() for confusion in self.confusions],
        }


@dataclass(frozen=True, slots=True)
class RunRead:
    """What a study says about one run; figures follow from it in any thread.

    Attributes:
        judge: who answered, by a name that nobody else among these has.
        expected_keys: what is asked about an item, `TASK` or `TASK/PART`.
        responses: what was said about each item of the set, in order, and what became of it.
        names: what values of traits that are ids are called.
    """

    run: BenchmarkRun
    item_set: ItemSet
    judge: str
    expected_keys: tuple[str, ...]
    responses: tuple[tuple[ItemResponse, Became], ...]
    spent: Spent
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
        run_ids: of the runs; where empty, the newest of each judge and way of asking.
        sets: ids or names of sets; all where empty.
        samples: of the bootstrap over recordings; 0 for no intervals.
        parts: whether breakdowns are worked out.

    Raises:
        UserError: there is no such run or set, or one of them is damaged.
    """
    return [compute_figures(run, samples=samples, parts=parts) for run in read_runs(session, run_ids, sets)]


def read_runs(session: Session, run_ids: Sequence[str] = (), sets: Sequence[str] = ()) -> list[RunRead]:
    """Read what figures of runs are computed from; arguments and errors as `figures_of`."""
    chosen = _select_sets(session, sets)
    runs = _select_runs(session, run_ids, chosen)
    named = _judge_names(runs)
    collections = {collection.id: collection.name for collection in all_collections(session.study)}
    items: dict[str, list[FrozenItem]] = {}
    found = []
    for item_set in chosen:
        entry = get_benchmark_task(item_set.task)
        for run in runs:
            if run.set_id == item_set.id:
                if item_set.id not in items:
                    items[item_set.id] = items_of(session.study, item_set.id)
                each, spent = read_responses(session, run, entry, items[item_set.id])
                expected = expected_keys(entry, run)
                found.append(RunRead(run, item_set, named[run.id], expected, tuple(each), spent, collections))
    return found


def compute_figures(read: RunRead, *, samples: int = BOOTSTRAP_SAMPLES, parts: bool = True) -> RunFigures:
    """Return the figures of a run; some tasks take seconds, and any thread may do it.

    Raises:
        UserError: an item does not say what is right.
    """
    try:
        return _compute_figures(read, samples, parts=parts)
    except KeyError:
        raise UserError(
            f"An item of the set “{escape_unprintable(read.item_set.name)}” does not say what is right.",
            "Make another set.",
        ) from None


def _compute_figures(read: RunRead, samples: int, *, parts: bool) -> RunFigures:
    entry = get_benchmark_task(read.item_set.task)
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
            raise UserError(
                f"There is no set of items “{escape_unprintable(name)}” in this study.",
                "See which there are: greenroom benchmark sets",
            )
        found[item_set.id] = item_set
    return [*found.values()]


def _select_runs(session: Session, wanted: Sequence[str], sets: Sequence[ItemSet]) -> list[BenchmarkRun]:
    """Return the runs that are named; else the newest of each that are equal, in the order in which they began."""
    every = [run for item_set in sets for run in benchmark_runs(session.study, item_set.id)]
    if wanted:
        known = {benchmark_run.id: benchmark_run for benchmark_run in every}
        if missing := [text for text in wanted if text not in known]:
            raise UserError(
                f"There is no run “{escape_unprintable(missing[0])}” in this study.",
                "See which there are: greenroom benchmark results STUDY",
            )
        return [known[fromkey] for fromkey in dict.fromkeys(wanted)]
    newest: list[BenchmarkRun] = []
    for run in reversed(every):
        if not any(is_same_run(run, benchmark_run) for benchmark_run in newest):
            newest.append(run)
    return newest[::-1]


def _judge_names(runs: Sequence[BenchmarkRun]) -> dict[str, str]:
    """Return run id -> who answered; judges of one name are told apart by their model, else by when they were asked."""
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
    """Tell who answers from everybody else; people may be called otherwise by now."""
    if run.annotator_id is not None:
        return f"{PERSON_BACKEND} {run.annotator_id}"
    return f"{run.judge_id} {sorted(dict(run.judge).items(), key=str)}"


def _model_name(run: BenchmarkRun) -> str:
    return str(run.judge.get("model", "")).rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs beside each other.

    Attributes:
        paired: whether both were asked the same set; else there are means alone, and no tests.
        n: items that count in both, in all draws.
        rows: one figure each.
        mcnemar: which items only one of them got right; None where nothing is right or wrong, or the sets differ.
    """

    first: RunFigures
    second: RunFigures
    paired: bool
    n: int
    rows: tuple[MetricDifference, ...]
    mcnemar: McNemar | None

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        mc_nemar = self.mcnemar
        return {
            "first": self.first.about_json(),
            "second": self.second.about_json(),
            "paired": self.paired,
            "n": self.n,
            "figures": [each.as_json() for each in self.rows],
            "mcnemar": None
            if mc_nemar is None
            else {
                "first_only": mc_nemar.first_only,
                "second_only": mc_nemar.second_only,
                "p": mc_nemar.p,
                "exact": mc_nemar.exact,
            },
        }


def compare_runs(
    session: Session, first: RunFigures, second: RunFigures, samples: int = BOOTSTRAP_SAMPLES
) -> RunComparison:
    """Compare two runs of one task: on the items that count in both where they were asked the same set.

    Args:
        session: of the study.
        first: a run.
        second: another one, of another judge, or an earlier one of the same.
        samples: of the bootstrap; 0 for no intervals.

    Raises:
        UserError: the two are of different tasks.
    """
    if first.item_set.task != second.item_set.task:
        raise UserError(
            f"One run is of “{first.item_set.task}”, the other of “{second.item_set.task}”.",
            "Compare runs of one task.",
        )
    entry = get_benchmark_task(first.item_set.task)
    if first.item_set.id != second.item_set.id:
        rows = tuple(_mean_difference(first, second, row.metric) for row in first.rows)
        return RunComparison(first, second, False, 0, rows, None)
    both = _shared_items(first, second)
    one, other = [each[0] for each in both], [each[1] for each in both]
    items = {each.id: each for each in items_of(session.study, first.item_set.id)}
    same = [_content_digest(items[each.response.item_id]) for each in one]
    rows = compare_metrics(entry, [each.response for each in one], [each.response for each in other], samples)
    right = compare_correctness([each.right for each in one], [each.right for each in other], same)
    return RunComparison(first, second, True, len(both), rows, right)


def compare_conditions(found: Sequence[RunFigures], margin: float = EQUIVALENCE_MARGIN) -> tuple[ConditionRow, ...]:
    """Return each judge under each condition beside itself on raw footage, on the items that count in both.

    Runs without a partner on raw footage, of the same set and way of asking, are left out. Tests are corrected over
    all conditions and judges of a set and figure.
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
                    [each.response for each, _ in both],
                    [each.response for _, each in both],
                )
            )
        rows += condition_rows(get_benchmark_task(item_set.task), pairs, margin)
    return tuple(rows)


def _shared_items(first: RunFigures, second: RunFigures) -> list[tuple[ItemResult, ItemResult]]:
    there = {item.response.item_id: item for item in second.items if item.is_counted}
    return [
        (item, there[item.response.item_id])
        for item in first.items
        if item.is_counted and item.response.item_id in there
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
    """Tell items apart by what is asked: one that stands in several draws is the same there."""
    text = to_json([item.about, item.recording_id, item.start_us, item.end_us, dict(item.content)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
