"""What a run is given, as data: the request, the parameters of the job, and the progress that it reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmark.judge_input.input_plan import InputPlan, InputSettings
from benchmark.judging.run_budget import Limits
from project.codec import dump, load
from project.entities.judgments import RAW_CONDITION, JudgeEntry, Modality
from project.entities.study_records import Json


@dataclass(frozen=True, slots=True)
class AskRequest:
    """Which judges are asked what, and about what.

    Attributes:
        judges: entries of the study.
        about: ids of segments, or keys of other things (`project.entities.judgments.JudgmentTarget.key`).
        task: key of `benchmark/prompts/judge_prompt.py`.
        variant: of the prompt.
        condition: `RAW_CONDITION`, the id of the run that made a rendering, or a method: the newest rendering by it.
        seed: of the sampling.
        sight: how much of a segment is shown; the kind of media and the number of frames are settings of the judge.
        frames: number of frames instead of the setting of each judge; None for the setting.
        budget: of the run.
        again: ask again what was refused or could not be read.
        fresh: ask again even where there is an answer.
    """

    judges: Sequence[JudgeEntry]
    about: Sequence[str]
    task: str = "assess"
    variant: str = "plain"
    condition: str = RAW_CONDITION
    seed: int = 0
    sight: InputSettings = field(default_factory=InputSettings)
    frames: int | None = None
    budget: Limits = field(default_factory=Limits)
    again: bool = False
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class RunItem:
    """One request of a run.

    Attributes:
        judge: position of the judge in the run.
        plan: position of its plan in the run.
        request_key: of the request as it was planned; shortening does not change it.
        condition: `RAW_CONDITION`, or the id of the run that made the rendering.
        about: what is asked about, `project.entities.judgments.JudgmentTarget.key`.
        shares: how often each answer was given by people, for `majority`.
        state: of a question or a chain when it was planned; "" for anything else.
        modality: what is shown.
    """

    judge: int
    plan: int
    request_key: str
    condition: str
    recording_id: str
    about: str
    start_us: int
    end_us: int
    shares: tuple[tuple[Mapping[str, Json], int], ...] = ()
    state: str = ""
    modality: Modality = Modality.BOTH


@dataclass(frozen=True, slots=True, kw_only=True)
class AskParameters:
    """The parameters of a run.

    Attributes:
        run: id of the run, or of a part of it.
        entries: the judges, and those that coerce their answers.
        items: the requests, in the order in which they are made.
        again: ask again what was refused or could not be read.
        fresh: ask everything again.
        benchmark_runs: id of a judge -> id of its run of the benchmark.
        since: when it was prepared; requests that were answered later are not resumed.
    """

    run: str
    task: str
    variant: str
    seed: int
    limits: Limits
    entries: tuple[JudgeEntry, ...]
    plans: tuple[InputPlan, ...]
    items: tuple[RunItem, ...]
    again: bool = False
    fresh: bool = False
    benchmark_runs: Mapping[str, str] = field(default_factory=dict)
    since: str = ""

    def with_items(self, items: Sequence[RunItem]) -> "AskParameters":
        """Return a copy with some of its requests and the plans that they need."""
        needed = sorted({item.plan for item in items})
        positions = {plan: position for position, plan in enumerate(needed)}
        return replace(
            self,
            plans=tuple(self.plans[plan] for plan in needed),
            items=tuple(replace(item, plan=positions[item.plan]) for item in items),
        )

    def find_judge(self, name: str) -> JudgeEntry | None:
        """Return the judge with a name, or None."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def key_of(self, item: RunItem) -> tuple[str, str, str]:
        """Return what tells a request from all others: its key, its judge, and what is asked about."""
        return item.request_key, self.entries[item.judge].id, item.about


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """The progress of one judge in a run.

    Attributes:
        asking: what it is being asked about.
        waiting: requests that were not started.
        done: requests that came back.
        failed: of these, with an error.
        stopped: why it is not asked any more; "" while it is.
    """

    judge_id: str
    judge: str
    asking: tuple[str, ...]
    waiting: int
    done: int
    failed: int
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """The progress of all judges in a run; it is answered with what to cancel."""

    judges: tuple[JudgeProgress, ...]


@dataclass(frozen=True, slots=True)
class CancelledRequests:
    """Ids of judges and what they are not asked about any more; "" for everything."""

    requests: tuple[tuple[str, str], ...] = ()


class RunMonitor:
    """The state of one run, in the process that has the study open."""

    def __init__(self) -> None:
        self.judges: tuple[JudgeProgress, ...] = ()
        self._cancelled: list[tuple[str, str]] = []

    def cancel(self, judge_id: str, about: str = "") -> None:
        """Cancel the requests of a judge about something, or all; it takes effect within half a second."""
        self._cancelled.append((judge_id, about))

    def exchange(self, question: Mapping[str, Json]) -> dict[str, Json]:
        """Keep the reported progress, and return what to cancel."""
        self.judges = load(ProgressReport, question, "progress").judges
        cancelled, self._cancelled = self._cancelled, []
        return dump(CancelledRequests(tuple(cancelled)))
