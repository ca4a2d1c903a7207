"""What would have been right."""

from typing import ClassVar

from benchmark.tasks.chosen import OfChoices


class Correction(OfChoices):
    """What the agent should have done instead of an error (SHREC, section 3.4): five options."""

    key: ClassVar[str] = "correction"
    name: ClassVar[str] = "Correction"
    description: ClassVar[str] = "What the agent should have done instead."
    prompt: ClassVar[str] = "correction"
    asks_for: ClassVar[str] = "What the agent should have done instead."
