"""What a judge gathers about a whole recording, to make questions from: summaries, looks, contradictions."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import FormSpec
from benchmark.tasks.worded import asked_text
from project.judging import Modality, Subject
from project.questions import LookKind
from project.types import Json

SUMMARY, CONTRADICTIONS, LOOKS = "summary", "contradictions", "looks"
"""Keys of what is asked, in an answer."""
LONGEST = 3_000
MATERIAL_NAMES: Mapping[str, str] = {
    "looks": "What people look like",
    "words summary": "Summary from the words",
    "frames summary": "Summary from the pictures",
    "contradictions": "What these two say differently",
    "scenes": "Scene changes, unexpected events, and sound that nobody there hears",
}
"""Key of a piece of material -> what it is called where it is told."""


class OfRecordings:
    """What tasks about whole recordings share."""

    subject: ClassVar[Subject] = Subject.RECORDING
    shows: ClassVar[Modality] = Modality.BOTH
    material: ClassVar[tuple[str, ...]] = ()

    def why_not(self, item: Item) -> str:  # noqa: ARG002
        """Return "": any recording can be asked about."""
        return ""

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the material that there is."""
        return {MATERIAL_NAMES[key]: item.material[key] for key in self.material if item.material.get(key)}

    def truth(self, item: Item) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: nobody said what is right."""
        return {}


class SummaryTask(OfRecordings):
    """What happens in a recording, in prose with times."""

    key: ClassVar[str]
    about: ClassVar[str]
    material: ClassVar[tuple[str, ...]] = ("looks", "scenes")

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return one text."""
        return FormSpec(self.key, (asked_text(SUMMARY, "Summary", LONGEST, self.about),))


class WordsSummary(SummaryTask):
    """A summary of what is said, with the cues that people marked (ESI-Bench, appendix A.1.2, processing by an LLM)."""

    key: ClassVar[str] = "words_summary"
    name: ClassVar[str] = "Summary from words"
    description: ClassVar[str] = "What happens in a recording, from what is said in it."
    prompt: ClassVar[str] = "words_summary"
    shows: ClassVar[Modality] = Modality.WORDS
    about: ClassVar[str] = "What is talked about, what each of them wants, and what changes between them, with times."


class FramesSummary(SummaryTask):
    """A summary of what is to be seen, person by person (ESI-Bench, appendix A.1.2, processing by a VLM)."""

    key: ClassVar[str] = "frames_summary"
    name: ClassVar[str] = "Summary from pictures"
    description: ClassVar[str] = "What happens in a recording, from what is to be seen in it."
    prompt: ClassVar[str] = "frames_summary"
    shows: ClassVar[Modality] = Modality.PICTURES
    about: ClassVar[str] = "Who does what, with which face and posture, towards whom, and where, with times."


class Audit(OfRecordings):
    """What the two summaries of a recording say differently (ESI-Bench, appendix A.1.2, consistency between models)."""

    key: ClassVar[str] = "audit"
    name: ClassVar[str] = "Contradictions"
    description: ClassVar[str] = "What the two summaries of a recording say differently."
    prompt: ClassVar[str] = "audit"
    material: ClassVar[tuple[str, ...]] = ("words summary", "frames summary")

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: one of the two summaries is missing."""
        missing = any(not item.material.get(key) for key in self.material)
        return "Both summaries of the recording are needed. Make or write them first." if missing else ""

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return lines, none where nothing is said differently."""
        about = "One line for each thing on which they cannot both be right, with its time; empty where there is none."
        return FormSpec(self.key, (asked_text(CONTRADICTIONS, "Contradictions", LONGEST, about, required=False),))


class LooksTask(OfRecordings):
    """By what the people of a recording can be told apart (ESI-Bench, appendix A.1.2, attribute tagging)."""

    key: ClassVar[str] = "looks"
    name: ClassVar[str] = "Looks"
    description: ClassVar[str] = "What the people of a recording look like: clothing, hair, accessories."
    prompt: ClassVar[str] = "looks"

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: nobody is known to take part."""
        return "" if item.people else "Nobody is known to take part in this recording. Add participants first."

    def spec(self, item: Item) -> FormSpec:
        """Return lines."""
        names = ", ".join(label for label, _ in item.people)
        kinds = ", ".join(one.value for one in LookKind)
        about = (
            "One line for each thing, of three parts between upright bars: "
            f"whose it is, one of {names}; one of {kinds}; what it is, in a few words. "
            "Nothing for whoever is not to be seen."
        )
        return FormSpec(self.key, (asked_text(LOOKS, "Looks", LONGEST, about),))
