"""Why it is an error."""

from typing import ClassVar

from benchmark.tasks.chosen import OfChoices


class Rationale(OfChoices):
    """Which reason for an error is the right one (SHREC, section 3.4): five options."""

    key: ClassVar[str] = "rationale"
    name: ClassVar[str] = "Rationale"
    description: ClassVar[str] = "Which reason why the segment shows an error is the right one."
    prompt: ClassVar[str] = "rationale"
    asks_for: ClassVar[str] = "Why the agent's behaviour is an error here."
