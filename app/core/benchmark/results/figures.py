"""The figures of runs, as tables, page and report show them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.benchmark.results.reading import expected_of, said_in
from app.core.benchmark.running.legs import equal
from app.core.session import Session
from benchmark.results.base import Breakdown, Confusion, Counts, FigureRow, ItemResult, Spent
from benchmark.results.judged import COUNTED, Became, counts_of, is_right
from benchmark.results.measuring import SAMPLES, breakdowns_of, confusions_of, label_rows, rows_of
from benchmark.suite.base import Said
from benchmark.suite.registry import entry_of
from project.errors import UserError
from project.item_sets import BenchmarkRun, FrozenItem, ItemSet
from project.judging import PERSON
from project.names import shown
from project.queries.collections import all_collections
from project.queries.item_sets import all_sets, benchmark_runs, items_of, set_called
from project.types import Json


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
    rows: tuple[FigureRow, ...]
    labels: tuple[FigureRow, ...]
    counts: Counts
    spent: Spent
    breakdowns: tuple[Breakdown, ...]
    confusions: tuple[Confusion, ...]
    items: tuple[ItemResult, ...]

    @property
    def counted(self) -> tuple[Said, ...]:
        """Everything that was said about items that count."""
        return tuple(one.said for one in self.items if one.counts)

    def row(self, metric: str) -> FigureRow | None:
        """Return one figure by its key."""
        return next((one for one in (*self.rows, *self.labels) if one.metric == metric), None)

    def results(self) -> list[dict[str, Json]]:
        """Return one JSON object a metric: `task`, `judge`, `metric`, `mean`, `sd`, `n`, `unparsed`, and more."""
        about = self.about()
        return [{**about, **one.as_json(), **self.counts.as_json()} for one in self.rows]

    def about(self) -> dict[str, Json]:
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
            **self.about(),
            "figures": [one.as_json() for one in self.rows],
            "labels": [one.as_json() for one in self.labels],
            "counts": self.counts.as_json(),
            "spent": self.spent.as_json(),
            "breakdowns": [one.as_json() for one in self.breakdowns],
            "confusions": [one.as_json() for one in self.confusions],
        }


@dataclass(frozen=True, slots=True)
class RunRead:
    """What a study says about one run; figures follow from it in any thread.

    Attributes:
        judge: who answered, by a name that nobody else among these has.
        expected: what is asked about an item, `TASK` or `TASK/PART`.
        each: what was said about each item of the set, in order, and what became of it.
        names: what values of traits that are ids are called.
    """

    run: BenchmarkRun
    item_set: ItemSet
    judge: str
    expected: tuple[str, ...]
    each: tuple[tuple[Said, Became], ...]
    spent: Spent
    names: Mapping[str, str]


def figures_of(
    session: Session,
    run_ids: Sequence[str] = (),
    sets: Sequence[str] = (),
    *,
    samples: int = SAMPLES,
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
    return [computed(one, samples=samples, parts=parts) for one in read_runs(session, run_ids, sets)]


def read_runs(session: Session, run_ids: Sequence[str] = (), sets: Sequence[str] = ()) -> list[RunRead]:
    """Read what figures of runs are computed from; arguments and errors as `figures_of`."""
    chosen = _sets(session, sets)
    runs = _runs(session, run_ids, chosen)
    named = _names(runs)
    collections = {one.id: one.name for one in all_collections(session.study)}
    items: dict[str, list[FrozenItem]] = {}
    found = []
    for one in chosen:
        entry = entry_of(one.task)
        for run in runs:
            if run.set_id == one.id:
                if one.id not in items:
                    items[one.id] = items_of(session.study, one.id)
                each, spent = said_in(session, run, entry, items[one.id])
                expected = expected_of(entry, run)
                found.append(RunRead(run, one, named[run.id], expected, tuple(each), spent, collections))
    return found


def computed(read: RunRead, *, samples: int = SAMPLES, parts: bool = True) -> RunFigures:
    """Return the figures of a run; some tasks take seconds, and any thread may do it.

    Raises:
        UserError: an item does not say what is right.
    """
    try:
        return _computed(read, samples, parts=parts)
    except KeyError:
        raise UserError(
            f"An item of the set “{shown(read.item_set.name)}” does not say what is right.", "Make another set."
        ) from None


def _computed(read: RunRead, samples: int, *, parts: bool) -> RunFigures:
    entry = entry_of(read.item_set.task)
    counted = [said for said, state in read.each if state in COUNTED]
    results = tuple(
        ItemResult(said, is_right(said, read.expected) if state in COUNTED else None, state in COUNTED)
        for said, state in read.each
    )
    return RunFigures(
        read.run,
        read.item_set,
        read.judge,
        read.run.annotator_id is not None,
        rows_of(entry, counted, samples),
        label_rows(counted),
        counts_of(state for _, state in read.each),
        read.spent,
        breakdowns_of(entry, counted, read.names) if parts else (),
        confusions_of(counted),
        results,
    )


def _sets(session: Session, wanted: Sequence[str]) -> list[ItemSet]:
    if not wanted:
        return all_sets(session.study)
    found = {}
    for name in wanted:
        one = set_called(session.study, name)
        if one is None:
            raise UserError(
                f"There is no set of items “{shown(name)}” in this study.",
                "See which there are: greenroom benchmark sets",
            )
        found[one.id] = one
    return [*found.values()]


def _runs(session: Session, wanted: Sequence[str], sets: Sequence[ItemSet]) -> list[BenchmarkRun]:
    """Return the runs that are named; else the newest of each that are equal, in the order in which they began."""
    every = [run for one in sets for run in benchmark_runs(session.study, one.id)]
    if wanted:
        known = {one.id: one for one in every}
        if missing := [one for one in wanted if one not in known]:
            raise UserError(
                f"There is no run “{shown(missing[0])}” in this study.",
                "See which there are: greenroom benchmark results STUDY",
            )
        return [known[one] for one in dict.fromkeys(wanted)]
    newest: list[BenchmarkRun] = []
    for run in reversed(every):
        if not any(equal(run, one) for one in newest):
            newest.append(run)
    return newest[::-1]


def _names(runs: Sequence[BenchmarkRun]) -> dict[str, str]:
    """Return run id -> who answered; judges of one name are told apart by their model, else by when they were asked."""
    names = {one.id: str(one.judge.get("name", one.judge_id)) for one in runs}
    who: dict[str, dict[str, BenchmarkRun]] = {}
    for run in runs:
        who.setdefault(names[run.id], {}).setdefault(_identity(run), run)
    for name, judges in who.items():
        if len(judges) == 1:
            continue
        models = Counter(_model(one) for one in judges.values())
        for run in runs:
            if names[run.id] == name:
                model = _model(run)
                apart = model if model and models[model] == 1 else judges[_identity(run)].at[:16].replace("T", " ")
                names[run.id] = f"{name} ({apart})"
    return names


def _identity(run: BenchmarkRun) -> str:
    """Tell who answers from everybody else; people may be called otherwise by now."""
    if run.annotator_id is not None:
        return f"{PERSON} {run.annotator_id}"
    return f"{run.judge_id} {sorted(dict(run.judge).items(), key=str)}"


def _model(run: BenchmarkRun) -> str:
    return str(run.judge.get("model", "")).rpartition("/")[2]
