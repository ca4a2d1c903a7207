"""What a task is: a question that can be asked about any segment of a scheme that it fits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from benchmark.tasks.form import FormSpec
from project.chains import ChainGraph
from project.judging import Modality, Subject
from project.questions import Question
from project.schemes.scheme import Scheme
from project.types import Json

VARIANTS = ("plain", "few-shot", "cot", "tom")
"""How a question is put: as it is, with examples, with thoughts first, with thoughts about each person's mind first."""
THINKING = ("cot", "tom")


@dataclass(frozen=True, slots=True)
class Frozen:
    """What an item of a frozen set brings beside what it is about, in the words in which it is told.

    Attributes:
        options: to choose from, in their order.
        place: of the right one, from 0.
        facts: texts that are told, by key.
    """

    options: tuple[str, ...] = ()
    place: int = 0
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Item:
    """What a task is about.

    Attributes:
        scheme: of the segment.
        track: of the segment.
        label: that the segment has; "" for a stretch that nobody labelled.
        values: that are filled in about it, by field.
        people: what a person is called in this request -> participant id, in order.
        agent: what the agent is called; "" where none takes part.
        question: that it is about, or None.
        chain: that it is about, or that the question was made from, or None.
        part: of what it is about; "" for all of it.
        material: what else is told about it, by key, several lines each (`Task.material`).
        frozen: what the item of a set brings, or None for what is no item of a set.
    """

    scheme: Scheme
    track: str
    label: str = ""
    values: Mapping[str, Json] | None = None
    people: Sequence[tuple[str, str]] = ()
    agent: str = ""
    question: Question | None = None
    chain: ChainGraph | None = None
    part: str = ""
    material: Mapping[str, str] = field(default_factory=dict)
    frozen: Frozen | None = None

    @property
    def filled(self) -> Mapping[str, Json]:
        """The values; {} where none are."""
        return self.values or {}


class OfSegments:
    """What tasks about segments share."""

    subject: ClassVar[Subject] = Subject.SEGMENT
    shows: ClassVar[Modality] = Modality.BOTH
    material: ClassVar[tuple[str, ...]] = ()


class Task(Protocol):
    """One question. Its answer has the shape of a segment's own label and values, where it asks for these.

    Attributes:
        key: in the registry.
        name: for menus.
        description: one line on what is asked.
        prompt: key of its prompt, `resources/prompts/KEY.toml`.
        subject: what it is asked about.
        shows: what of the moment is shown at most.
        material: what is told beside it, keys of `app.core.judging.seeing.material.MATERIAL`.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    description: ClassVar[str]
    prompt: ClassVar[str]
    subject: ClassVar[Subject]
    shows: ClassVar[Modality]
    material: ClassVar[tuple[str, ...]]

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked about an item, in one sentence; "" where it can."""

    def spec(self, item: Item) -> FormSpec:
        """Return what is asked. Only where `why_not` is ""."""

    def given(self, item: Item) -> Mapping[str, str]:
        """Return what the judge is told about the item besides footage and words: name -> what it is."""

    def truth(self, item: Item) -> dict[str, Json]:
        """Return the answer that the item's own label and values stand for; {} where they say nothing about it."""
