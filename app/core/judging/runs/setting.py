"""What all requests of a run have in common, and what is sent about one item."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from app.core.judging.runs.budget import Limits
from models.judges.base import AnswerForm, Message, TooLong
from project.types import Json

Plan = Mapping[str, Json]


@dataclass(frozen=True)
class Sight:
    """What a judge is sent about one item, ready to be sent.

    Attributes:
        form: of the answer.
        told: what is kept of it: frames by hash, texts, what was shortened.
        prompt: `KEY@VERSION`.
        prompt_sha256: of all messages.
        item: names what is judged, the same under every condition.
        truth: what people said, for the baselines that know it.
        others: recordings of which words are in it too.
    """

    messages: tuple[Message, ...]
    form: AnswerForm
    told: Mapping[str, Json]
    prompt: str
    prompt_sha256: str
    item: str = ""
    truth: Mapping[str, Json] = field(default_factory=dict)
    others: tuple[str, ...] = ()

    @property
    def heavy(self) -> bool:
        """Whether pictures or a clip are in it."""
        return any(one.pictures or one.clip for one in self.messages)


@dataclass(frozen=True)
class Setting:
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
    build: Callable[[Plan], Sight]
    decodes: Callable[[Plan], bool]
    shorten: Callable[[Plan, TooLong], Awaitable[Plan | None]]
