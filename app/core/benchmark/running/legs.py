"""From what is wanted to runs: each is in the study before its first question is asked."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.core.benchmark.running.wanted import Wanted, require_sees, usually_shown
from app.core.clock import utc_now
from app.core.judging.runs.outcome import Outcome
from app.core.judging.runs.parts import judge_json
from app.core.session import Session
from benchmark.suite.registry import entry_of
from benchmark.tasks.base import VARIANTS
from project.errors import UserError
from project.ids import new_id
from project.item_sets import BenchmarkRun, FrozenItem, ItemSet, Shown
from project.judging import PERSON, JudgeEntry
from project.queries.item_sets import benchmark_runs, insert_benchmark_run, items_of
from project.types import Changes
from project.version import __version__


@dataclass(frozen=True, slots=True)
class Leg:
    """One set, asked under one condition of judges that are shown the same.

    Attributes:
        judges: each once.
        runs: judge id -> its run.
    """

    item_set: ItemSet
    items: tuple[FrozenItem, ...]
    shown: Shown
    condition: str
    judges: tuple[JudgeEntry, ...]
    runs: Mapping[str, BenchmarkRun]


@dataclass(frozen=True, slots=True)
class Begun:
    """What can be asked.

    Attributes:
        taken_up: ids of runs that were there already, and go on.
        refusals: why a judge is not asked; notes of an outcome, about no item.
        changes: runs that were written.
    """

    legs: tuple[Leg, ...]
    taken_up: frozenset[str]
    refusals: Outcome
    changes: Changes

    @property
    def runs(self) -> tuple[BenchmarkRun, ...]:
        """Every run, by set and condition."""
        return tuple(leg.runs[one.id] for leg in self.legs for one in leg.judges)


def begin(session: Session, wanted: Wanted) -> Begun:
    """Write a run for each set, judge and condition; an equal one that is there is taken up again.

    Raises:
        UserError: nothing is wanted, there is no such task or variant, or the study cannot be written to.
    """
    session.study.require_writable()
    if not wanted.sets or not wanted.judges:
        raise UserError("There is nothing to run.", "Name a set of items, or a task, and a judge.")
    if wanted.variant not in VARIANTS:
        raise UserError(f"There is no variant “{wanted.variant}”.", f"Choose one of {', '.join(VARIANTS)}.")
    refusals = Outcome()
    by_shown = _able(wanted, refusals)
    legs: list[Leg] = []
    new: list[BenchmarkRun] = []
    for item_set in {one.id: one for one in wanted.sets}.values():
        entry_of(item_set.task)
        items = tuple(items_of(session.study, item_set.id))
        before = [*reversed(benchmark_runs(session.study, item_set.id))]
        for condition in dict.fromkeys(wanted.conditions):
            for shown, judges in by_shown.items():
                runs: dict[str, BenchmarkRun] = {}
                for judge in judges:
                    made = _run(item_set, judge, wanted, shown, condition)
                    old = next((one for one in before if equal(one, made)), None)
                    anew = wanted.again or wanted.fresh
                    if old is None or anew:
                        new.append(made)
                    runs[judge.id] = made if old is None or anew else old
                legs.append(Leg(item_set, items, shown, condition, tuple(judges), runs))
    with session.study.recording_run():
        for one in new:
            insert_benchmark_run(session.study, one)
    made_now = {one.id for one in new}
    taken_up = frozenset(run.id for leg in legs for run in leg.runs.values() if run.id not in made_now)
    return Begun(tuple(legs), taken_up, refusals, Changes.of(("benchmark_run", one.id) for one in new))


def equal(one: BenchmarkRun, other: BenchmarkRun) -> bool:
    """Tell whether two runs ask the same set in the same way of a judge that is set alike."""
    return _way(one) == _way(other) and dict(one.judge) == dict(other.judge)


def _way(one: BenchmarkRun) -> tuple[object, ...]:
    return one.set_id, one.judge_id, one.annotator_id, one.variant, one.shown, one.condition, one.seed


def _able(wanted: Wanted, refusals: Outcome) -> dict[Shown, list[JudgeEntry]]:
    """Return the judges that can be asked, by what they are shown; why others cannot becomes a note."""
    found: dict[Shown, list[JudgeEntry]] = {}
    for judge in {one.id: one for one in wanted.judges}.values():
        try:
            if judge.backend == PERSON:
                raise UserError("People answer in the window.", "Open the study: the mode Benchmark.")
            shown = wanted.shown or usually_shown(judge)
            require_sees(judge, shown)
        except UserError as error:
            _note(refusals, judge, error)
        else:
            found.setdefault(shown, []).append(judge)
    return found


def _note(refusals: Outcome, judge: JudgeEntry, error: UserError) -> None:
    refusals.note(judge, "", error)
    refusals.notes[-1].about.clear()


def _run(item_set: ItemSet, judge: JudgeEntry, wanted: Wanted, shown: Shown, condition: str) -> BenchmarkRun:
    return BenchmarkRun(
        new_id(),
        item_set.id,
        judge.id,
        judge_json(judge),
        None,
        wanted.variant,
        shown,
        condition,
        wanted.seed,
        utc_now(),
        __version__,
    )
