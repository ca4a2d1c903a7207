"""What came before and after: which words of the other side belong to these."""

from collections.abc import Mapping
from typing import ClassVar, cast

from benchmark.items.base import Candidate
from benchmark.items.reasons import FEW_OPTIONS, NO_WORDS
from benchmark.suite.base import Round
from benchmark.suite.choices import FiveOptions
from benchmark.suite.segments import COMPETENCE
from project.types import Json

_USER, _AGENT = 0, 1


class _Flow(FiveOptions):
    """Segments of competence in which somebody says something that the agent answers (SHREC, 3.3 and appendix A.3).

    One side's words are told, and those of the other side in five segments are the options; the transcript is not.
    """

    label: ClassVar[str] = COMPETENCE
    lacking: ClassVar[str] = NO_WORDS
    few: ClassVar[str] = FEW_OPTIONS
    section: ClassVar[str] = "3.3 and appendix A.3"
    asked: ClassVar[int]
    told: ClassVar[int]

    def text(self, one: Candidate) -> str:
        """Return the words of the side that is asked for; "" where the two do not speak with each other."""
        words = cast(list[str], one.content.get("words", []))
        return words[self.asked] if words else ""

    def facts(self, one: Candidate) -> Mapping[str, Json]:
        """Return the words of the other side."""
        return {"shown": cast(list[str], one.content["words"])[self.told]}


class PreEntry(_Flow):
    """What the person said before the agent's words."""

    key: ClassVar[str] = "pre"
    name: ClassVar[str] = "What came before"
    description: ClassVar[str] = "What did the person say before these words of the agent?"
    rounds: ClassVar[tuple[Round, ...]] = (Round("pre"),)
    asked: ClassVar[int] = _USER
    told: ClassVar[int] = _AGENT


class PostEntry(_Flow):
    """What the agent answered to the person's words."""

    key: ClassVar[str] = "post"
    name: ClassVar[str] = "What came after"
    description: ClassVar[str] = "What does the agent answer to these words of the person?"
    rounds: ClassVar[tuple[Round, ...]] = (Round("post"),)
    asked: ClassVar[int] = _AGENT
    told: ClassVar[int] = _USER
