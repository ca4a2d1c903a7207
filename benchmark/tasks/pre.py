"""What came before the agent's words."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.chosen import OfChoices
from project.judging import Modality


class Pre(OfChoices):
    """What the person said before the agent's words (SHREC, section 3.3, pre-condition): five options."""

    key: ClassVar[str] = "pre"
    name: ClassVar[str] = "What came before"
    description: ClassVar[str] = "What the person said that the agent answers."
    prompt: ClassVar[str] = "pre"
    shows: ClassVar[Modality] = Modality.PICTURES
    asks_for: ClassVar[str] = "What was said before these words of the agent."
    facts: ClassVar[Mapping[str, str]] = {"shown": "What the agent says"}
