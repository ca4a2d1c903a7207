"""Plans the runs of a benchmark: chooses or makes item sets, and stores a run before its first question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from benchmark.items.sampling import SamplingOptions, read_sampling_options
from benchmark.judging.ask_run import RunOutcome
from benchmark.judging.judgment_record import judge_json
from benchmark.judging.run_budget import Limits
from benchmark.metrics.paper_settings import model_options
from benchmark.prompts.judge_prompt import VARIANTS
from benchmark.runs.run_settings import default_variant
from benchmark.sets.frozen_sets import free_set_name, make_set
from benchmark.sets.item_sources import resolve_options
from benchmark.tasks.benchmark_task import SUITE, BenchmarkTask
from project.entities.frozen_items import BenchmarkRun, FrozenItem, ItemModality, ItemSet
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION, JudgeEntry
from project.entities.study_records import Changes, Json
from project.errors import UserError, unknown_choice, unknown_name
from project.ids import new_id
from project.queries.item_set_rows import all_sets, benchmark_runs, find_item_set, insert_benchmark_run, items_of
from project.queries.judgment_rows import all_judges, cost_since
from project.session.session import Session
from project.text_format import escape_unprintable
from project.timebase import utc_now
from project.version import __version__


@dataclass(frozen=True, slots=True)
class SetSelection:
    """The item sets of a benchmark.

    Attributes:
        created_ids: ids of sets that were made for it.
    """

    sets: tuple[ItemSet, ...]
    created_ids: frozenset[str]
    changes: Changes


def choose_sets(
    session: Session,
    tasks: Sequence[str] = (),
    names: Sequence[str] = (),
    *,
    seed: int = 0,
    draws: int | None = None,
    conditions: Sequence[str] = (RAW_CONDITION,),
) -> SetSelection:
    """Return the sets that are named, and for each other task the newest default set.

    A default set has this seed, these draws and conditions, and the size of the task. If there is none, it is made from
    recordings that have a rendering for every condition, so that all conditions have the same items.
    """
    if not tasks and not names:
        raise UserError("There is nothing to run.", "Choose a task, --task verdict, or an item set, --set NAME.")
    named = {item_set.id: item_set for item_set in (_require_set(session, name, tasks) for name in names)}
    methods = tuple(condition for condition in dict.fromkeys(conditions) if condition != RAW_CONDITION)
    changes, made = Changes(), set[str]()
    for task in dict.fromkeys(tasks):
        entry = SUITE.make(task)
        if any(item_set.task == task for item_set in named.values()):
            continue
        number = entry.draws if draws is None else draws
        matched = resolve_options(session, entry.source, SamplingOptions(conditions=methods)).conditions
        found = _newest_default_set(session, entry, seed, number, matched)
        if found is None:
            name = free_set_name(session, f"{task}-seed-{seed}")
            found, new = make_set(session, task, name, seed, number, None, SamplingOptions(conditions=methods))
            changes |= new
            made.add(found.id)
        named[found.id] = found
    return SetSelection(tuple(named.values()), frozenset(made), changes)


def _require_set(session: Session, name: str, tasks: Sequence[str]) -> ItemSet:
    found = find_item_set(session.study, name)
    if found is None:
        raise unknown_name(
            "item set",
            name,
            [item_set.name for item_set in all_sets(session.study)],
            "Make one: greenroom benchmark make STUDY --task TASK",
        )
    if tasks and found.task not in tasks:
        raise UserError(
            f"The item set “{escape_unprintable(found.name)}” belongs to the task “{found.task}”.",
            f"Add it: --task {found.task}",
        )
    return found


def _newest_default_set(
    session: Session, entry: BenchmarkTask, seed: int, draws: int, methods: Sequence[str]
) -> ItemSet | None:
    """Return the newest set with default options."""
    default = session.scheme

    def fits(item_set: ItemSet) -> bool:
        if (item_set.task, item_set.seed, item_set.draws) != (entry.key, seed, draws) or item_set.rule.get(
            "size", entry.size
        ) != entry.size:
            return False
        options = read_sampling_options(item_set.rule)
        is_default_track = options.scheme in ("", default.key) and options.track in ("", default.tracks[0].key)
        default_options = SamplingOptions(scheme=options.scheme, track=options.track, conditions=options.conditions)
        return is_default_track and options == default_options and {*options.conditions} == {*methods}

    return next((item_set for item_set in reversed(all_sets(session.study)) if fits(item_set)), None)


@dataclass(frozen=True, slots=True)
class BenchmarkRequest:
    """Which judges are asked which sets, and how.

    Attributes:
        judges: entries of the study; people answer in the window.
        variant: of the prompts; None for that of each paper (`default_variant`).
        shown: modality of the items; None for that of each judge (`default_modality`).
        conditions: each has its own runs: `RAW_CONDITION`, a method, or the id of a rendering.
        seed: of the judges' sampling.
        budget: of all runs together.
        again: start a new run, and ask again what was refused or could not be read.
        fresh: start a new run, and ask everything again.
    """

    sets: Sequence[ItemSet]
    judges: Sequence[JudgeEntry]
    variant: str | None = None
    shown: ItemModality | None = None
    conditions: Sequence[str] = (RAW_CONDITION,)
    seed: int = 0
    budget: Limits = field(default_factory=Limits)
    again: bool = False
    fresh: bool = False


def request_json(wanted: BenchmarkRequest) -> dict[str, Json]:
    """Return it as a JSON object that `resume_request` reads, with sets and judges by id."""
    return {
        "sets": [item_set.id for item_set in wanted.sets],
        "judges": [judge.id for judge in wanted.judges],
        "variant": wanted.variant,
        "shown": wanted.shown.value if wanted.shown is not None else None,
        "conditions": [*wanted.conditions],
        "seed": wanted.seed,
        "money": wanted.budget.money,
        "tokens": wanted.budget.tokens,
    }


def resume_request(session: Session, found: Mapping[str, Json], since: str) -> BenchmarkRequest:
    """Return the request that resumes interrupted runs, with the rest of their budget."""
    values = cast(dict[str, Any], found)
    sets = [item_set for item_set in all_sets(session.study) if item_set.id in values["sets"]]
    judges = [judge for judge in all_judges(session.study) if judge.id in values["judges"]]
    if len(sets) < len(values["sets"]) or len(judges) < len(values["judges"]):
        raise UserError(
            "An item set or a judge of these runs is no longer in the study.", "Start new runs in the mode Benchmark."
        )
    money, tokens = cost_since(session.study, [judge.id for judge in judges], since)
    return BenchmarkRequest(
        sets,
        judges,
        str(values["variant"]) if values["variant"] is not None else None,
        ItemModality(values["shown"]) if values["shown"] else None,
        [str(value) for value in values["conditions"]],
        int(values["seed"]),
        Limits(values["money"], values["tokens"]).remaining(money, tokens),
    )


def default_modality(entry: JudgeEntry) -> ItemModality:
    """Return the default modality of a judge: conversation and pictures, or only conversation if it sees none."""
    options = model_options(entry.backend, dict(entry.settings))
    return ItemModality.TEXT_AND_VIDEO if options is not None and options.sees != "text" else ItemModality.TEXT


def require_modality(entry: JudgeEntry, shown: ItemModality) -> None:
    """Raise if a judge cannot be shown a modality; baselines accept any."""
    options = model_options(entry.backend, dict(entry.settings))
    if shown is not ItemModality.TEXT and options is not None and options.sees == "text":
        raise UserError("The judge's input is set to text only.", "Ask it with --modality L, or change its input.")


@dataclass(frozen=True, slots=True)
class RunGroup:
    """The runs of one set in one condition, by judges that are shown the same modality.

    Attributes:
        runs: judge id -> its run.
    """

    item_set: ItemSet
    items: tuple[FrozenItem, ...]
    variant: str
    shown: ItemModality
    condition: str
    judges: tuple[JudgeEntry, ...]
    runs: Mapping[str, BenchmarkRun]


@dataclass(frozen=True, slots=True)
class StartedRuns:
    """The runs that were started or resumed.

    Attributes:
        resumed_ids: ids of runs that existed already.
        refusals: its notes say why judges are not asked.
        changes: runs that were written.
    """

    groups: tuple[RunGroup, ...]
    resumed_ids: frozenset[str]
    refusals: RunOutcome
    changes: Changes

    @property
    def runs(self) -> tuple[BenchmarkRun, ...]:
        return tuple(group.runs[judge.id] for group in self.groups for judge in group.judges)


def start_runs(session: Session, wanted: BenchmarkRequest) -> StartedRuns:
    """Store a run for each set, judge and condition, or resume an equal one."""
    session.study.require_writable()
    if not wanted.sets or not wanted.judges:
        raise UserError("There is nothing to run.", "Choose an item set or a task, and a judge.")
    if wanted.variant is not None and wanted.variant not in VARIANTS:
        raise unknown_choice("variant", wanted.variant, VARIANTS)
    refusals = RunOutcome()
    by_shown = _askable_judges(wanted, refusals)
    groups: list[RunGroup] = []
    new: list[BenchmarkRun] = []
    for item_set in {item_set.id: item_set for item_set in wanted.sets}.values():
        SUITE.make(item_set.task)
        items = tuple(items_of(session.study, item_set.id))
        before = [*reversed(benchmark_runs(session.study, item_set.id))]
        for condition in dict.fromkeys(wanted.conditions):
            for shown, judges in by_shown.items():
                runs: dict[str, BenchmarkRun] = {}
                for judge in judges:
                    made = _new_run(item_set, judge, wanted, shown, condition)
                    old = next((benchmark_run for benchmark_run in before if is_same_run(benchmark_run, made)), None)
                    start_new = wanted.again or wanted.fresh
                    if old is None or start_new:
                        new.append(made)
                    runs[judge.id] = made if old is None or start_new else old
                variant = wanted.variant or default_variant(item_set.task)
                groups.append(RunGroup(item_set, items, variant, shown, condition, tuple(judges), runs))
    with session.study.run_transaction():
        for benchmark_run in new:
            insert_benchmark_run(session.study, benchmark_run)
    new_ids = {benchmark_run.id for benchmark_run in new}
    resumed_ids = frozenset(run.id for group in groups for run in group.runs.values() if run.id not in new_ids)
    return StartedRuns(
        tuple(groups),
        resumed_ids,
        refusals,
        Changes.from_pairs(("benchmark_run", benchmark_run.id) for benchmark_run in new),
    )


def is_same_run(benchmark_run: BenchmarkRun, other: BenchmarkRun) -> bool:
    """Tell whether two runs ask the same set in the same setting of a judge with equal settings."""
    return replace(benchmark_run, id=other.id, at=other.at, program_version=other.program_version) == other


def _askable_judges(wanted: BenchmarkRequest, refusals: RunOutcome) -> dict[ItemModality, list[JudgeEntry]]:
    """Return modality -> judges that can be asked; others get a note."""
    found: dict[ItemModality, list[JudgeEntry]] = {}
    for judge in {entry.id: entry for entry in wanted.judges}.values():
        try:
            if judge.backend == PERSON_BACKEND:
                raise UserError("People answer in the window.", "Open the study in the mode Benchmark.")
            shown = wanted.shown or default_modality(judge)
            require_modality(judge, shown)
        except UserError as error:
            refusals.add_note(judge, "", error)
        else:
            found.setdefault(shown, []).append(judge)
    return found


def _new_run(
    item_set: ItemSet, judge: JudgeEntry, wanted: BenchmarkRequest, shown: ItemModality, condition: str
) -> BenchmarkRun:
    return BenchmarkRun(
        new_id(),
        item_set.id,
        judge.id,
        judge_json(judge),
        None,
        wanted.variant or default_variant(item_set.task),
        shown,
        condition,
        wanted.seed,
        utc_now(),
        __version__,
    )
