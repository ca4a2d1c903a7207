"""What a run is given, as JSON: judges, what they are to see, and which of them is asked about what.

What runs where, and what of it is no longer wanted: told and asked between a run and whoever shows it. What all
requests of a run have in common, and what is sent about one item. What somebody wants to be asked of whom.
"""

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
    """Everything that a run needs to know.

    Attributes:
        entries: the judges, and those that bring their answers into form.
        plans: what is to be seen, as `SightPlan.as_json` made it.
        items: the requests, in the order in which they are made.
        again: it was wished that what was refused or could not be read is asked again.
        fresh: it was wished that everything is.
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
        """Return it with some of its requests, and the plans that these need."""
        needed = sorted({item.plan for item in items})
        place = {plan: at for at, plan in enumerate(needed)}
        return replace(
            self,
            plans=tuple(self.plans[at] for at in needed),
            items=tuple(replace(item, plan=place[item.plan]) for item in items),
        )

    def find_judge(self, name: str) -> JudgeEntry | None:
        """Return the judge with a name, if it is there."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def as_json(self) -> dict[str, Json]:
        """Return what `payload_from` reads."""
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
    """Read what `Payload.as_json` made."""
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
    """How far one judge of a run is.

    Attributes:
        asking: what it is being asked about.
        waiting: requests that nobody has begun.
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
    """What is known of one run in the process that holds the study."""

    def __init__(self) -> None:
        self.standings: tuple[JudgeProgress, ...] = ()
        self._withdrawn: list[list[str]] = []

    def withdraw(self, judge_id: str, about: str = "") -> None:
        """Cancel what a judge is asked about something, or everything it is asked; heard within half a second."""
        self._withdrawn.append([judge_id, about])

    def answer(self, question: Mapping[str, Json]) -> dict[str, Json]:
        """Take in how far a run is, and return what is no longer wanted of it."""
        self.standings = tuple(_read_progress(one) for one in cast(list[list[Json]], question[_QUEUE_KEY]))
        withdrawn, self._withdrawn = self._withdrawn, []
        return {"withdrawn": cast(Json, withdrawn)}


def progress_question(lanes: Iterable[JudgeWorker]) -> dict[str, Json]:
    """Return how far a run is, as the question what is no longer wanted of it."""
    told: list[Json] = [
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
    return {"ask": _QUEUE_KEY, _QUEUE_KEY: told}


def is_progress_question(question: Mapping[str, Json]) -> bool:
    """Tell whether a question is one of `state_question`."""
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
    """What a judge is sent about one item, ready to be sent.

    Attributes:
        form: of the answer.
        record: what is kept of it: frames by hash, texts, what was shortened.
        prompt: `KEY@VERSION`.
        prompt_sha256: of all messages.
        item: names what is judged, the same under every condition.
        truth: what people said, for the baselines that know it.
        other_recordings: recordings of which words are in it too.
    """

    messages: tuple[Message, ...]
    form: AnswerForm
    record: Mapping[str, Json]
    prompt: str
    prompt_sha256: str
    item: str = ""
    truth: Mapping[str, Json] = field(default_factory=dict)
    other_recordings: tuple[str, ...] = ()

    @property
    def has_media(self) -> bool:
        """Whether pictures or a clip are in it."""
        return any(message.pictures or message.clip for message in self.messages)


@dataclass(frozen=True)
class RunConfig:
    """What is the same for all requests of a run.

    Attributes:
        limits: the budget.
        build: makes what is sent of what was planned; may take long where `decodes` says so.
        decodes: whether building a plan reads a video.
        shorten: returns a plan that is shorter by the stated rules; None where nothing can be left out.
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
    """What is asked of whom.

    Attributes:
        judges: entries of the study.
        about: ids of segments, or keys of other things (`project.entities.judgments.JudgmentTarget.key`).
        task: key of `benchmark/prompts/judge_prompt.py`.
        variant: of the prompt.
        condition: `RAW`, the id of the run that made a rendering, or a method: each recording's newest rendering by it.
        seed: of the sampling; another one draws another answer.
        sight: how much of a segment is seen; what a judge sees at all, and how many frames, is a setting of the judge.
        frames: in the place of the number that each judge is set to; None for that.
        budget: that the run may not pass.
        again: ask again what was refused or could not be read.
        fresh: ask again also what was answered.
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
