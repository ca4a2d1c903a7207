"""What a run is given, as data: the request of a user, the payload of the job, and the state that a run reports."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from benchmark.judge_input.input_plan import InputSettings
from benchmark.judging.judge_worker import JudgeWorker, RunItem
from benchmark.judging.run_budget import Limits
from models.judges.judge_interface import AnswerForm, Message, TooLong
from project.entities.judgments import RAW_CONDITION, JudgeEntry, Modality
from project.entities.study_records import Json


@dataclass(frozen=True, slots=True)
class Payload:
    """The parameters of a run.

    Attributes:
        entries: the judges, and those that coerce their answers.
        plans: results of `InputPlan.as_json`.
        items: the requests, in the order in which they are made.
        again: ask again what was refused or could not be read.
        fresh: ask everything again.
    """

    task: str
    variant: str
    seed: int
    limits: Limits
    entries: tuple[JudgeEntry, ...]
    plans: tuple[Mapping[str, Json], ...]
    items: tuple[RunItem, ...]
    again: bool = False
    fresh: bool = False

    def with_items(self, items: Sequence[RunItem]) -> "Payload":
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

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object that `read_payload` reads."""
        return {
            "task": self.task,
            "variant": self.variant,
            "seed": self.seed,
            "money": self.limits.money,
            "tokens": self.limits.tokens,
            "judges": [
                [entry.id, entry.name, entry.backend, entry.model, dict(entry.settings)] for entry in self.entries
            ],
            "plans": [dict(plan) for plan in self.plans],
            "requests": [_item_json(item) for item in self.items],
            "again": self.again,
            "fresh": self.fresh,
        }


def read_payload(found: Mapping[str, Json]) -> Payload:
    """Read the result of `Payload.as_json`."""
    values = cast(dict[str, Any], found)
    return Payload(
        values["task"],
        values["variant"],
        values["seed"],
        Limits(values["money"], values["tokens"]),
        tuple(JudgeEntry(*value) for value in values["judges"]),
        tuple(values["plans"]),
        tuple(_read_item(value) for value in values["requests"]),
        values["again"],
        values["fresh"],
    )


def _item_json(run_item: RunItem) -> Json:
    shares: list[Json] = [[dict(said), count] for said, count in run_item.shares]
    return [
        *(run_item.judge, run_item.plan, run_item.request_key, run_item.condition),
        *(run_item.recording_id, run_item.about, run_item.start_us, run_item.end_us, shares),
        *(run_item.state, run_item.modality.value),
    ]


def _read_item(found: list[Any]) -> RunItem:
    run_item = RunItem(*found)
    return replace(
        run_item, shares=tuple((said, count) for said, count in run_item.shares), modality=Modality(run_item.modality)
    )


_QUEUE_KEY = "queue"


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


class RunMonitor:
    """The state of one run, in the process that has the study open."""

    def __init__(self) -> None:
        self.standings: tuple[JudgeProgress, ...] = ()
        self._withdrawn: list[list[str]] = []

    def withdraw(self, judge_id: str, about: str = "") -> None:
        """Cancel the requests of a judge about something, or all; it takes effect within half a second."""
        self._withdrawn.append([judge_id, about])

    def answer(self, question: Mapping[str, Json]) -> dict[str, Json]:
        """Store the reported progress, and return what to cancel."""
        self.standings = tuple(_read_progress(row) for row in cast(list[list[Json]], question[_QUEUE_KEY]))
        withdrawn, self._withdrawn = self._withdrawn, []
        return {"withdrawn": cast(Json, withdrawn)}


def progress_question(lanes: Iterable[JudgeWorker]) -> dict[str, Json]:
    """Return the question of a run what to cancel, with its progress."""
    progress_rows: list[Json] = [
        [
            lane.entry.id,
            lane.entry.name,
            [*sorted(lane.in_flight)],
            len(lane.pending),
            lane.done,
            lane.failed,
            str(lane.stop_reason or ""),
        ]
        for lane in lanes
    ]
    return {"ask": _QUEUE_KEY, _QUEUE_KEY: progress_rows}


def is_progress_question(question: Mapping[str, Json]) -> bool:
    """Tell whether a question was made by `progress_question`."""
    return question.get("ask") == _QUEUE_KEY


def _read_progress(found: list[Json]) -> JudgeProgress:
    judge_id, judge, asking, waiting, done, failed, stopped = found
    return JudgeProgress(
        str(judge_id),
        str(judge),
        tuple(cast(list[str], asking)),
        cast(int, waiting),
        cast(int, done),
        cast(int, failed),
        str(stopped),
    )


Plan = Mapping[str, Json]


@dataclass(frozen=True)
class JudgeInput:
    """The messages about one item, ready to be sent.

    Attributes:
        form: of the answer.
        record: what a judgment stores of it: frames by hash, texts, what was shortened.
        prompt: `KEY@VERSION`.
        prompt_sha256: of all messages.
        item: name of what is judged, the same in every condition.
        truth: the answers of people, for baselines.
        other_recordings: recordings of which words are in it too.
        pictured: ids of the renderings of other recordings of which frames are in it.
    """

    messages: tuple[Message, ...]
    form: AnswerForm
    record: Mapping[str, Json]
    prompt: str
    prompt_sha256: str
    item: str = ""
    truth: Mapping[str, Json] = field(default_factory=dict)
    other_recordings: tuple[str, ...] = ()
    pictured: tuple[str, ...] = ()

    @property
    def has_media(self) -> bool:
        """Whether it has pictures or a clip."""
        return any(message.pictures or message.clip for message in self.messages)


@dataclass(frozen=True)
class RunConfig:
    """The common configuration of all requests of a run.

    Attributes:
        limits: the budget.
        build: builds the messages of a plan; slow if `decodes` is true.
        decodes: whether building a plan reads a video.
        shorten: returns a shorter plan; None if nothing can be left out.
        seed: of the sampling.
    """

    task: str
    variant: str
    seed: int
    limits: Limits
    build: Callable[[Plan], JudgeInput]
    decodes: Callable[[Plan], bool]
    shorten: Callable[[Plan, TooLong], Awaitable[Plan | None]]


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
