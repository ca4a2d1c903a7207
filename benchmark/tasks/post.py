"""What came after the person's words."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.chosen import OfChoices
from project.judging import Modality


class Post(OfChoices):
    """What the agent said after the person's words (SHREC, section 3.3, post-condition): five options."""

    key: ClassVar[str] = "post"
    name: ClassVar[str] = "What came after"
    description: ClassVar[str] = "What the agent answers to what the person said."
    prompt: ClassVar[str] = "post"
    shows: ClassVar[Modality] = Modality.PICTURES
    asks_for: ClassVar[str] = "What the agent says after these words."
    facts: ClassVar[Mapping[str, str]] = {"shown": "What the person says"}
