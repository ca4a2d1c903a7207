"""The same moments as recorded and anonymized."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.suite.segments import COMPETENCE, ERROR
from benchmark.suite.verdict import VerdictEntry
from benchmark.tasks.form import NONE


class ConditionsEntry(VerdictEntry):
    """Ten draws of fifteen segments, five of each label, that can be seen in every condition (SHREC, appendix I)."""

    key: ClassVar[str] = "conditions"
    name: ClassVar[str] = "Conditions"
    description: ClassVar[str] = "The verdict on the same segments as recorded and anonymized."
    section: ClassVar[str] = "appendix I"
    source: ClassVar[str] = "rendered"
    draws: ClassVar[int] = 10
    size: ClassVar[int] = 15
    shares: ClassVar[Mapping[str, float]] = {COMPETENCE: 1.0, ERROR: 1.0, NONE: 1.0}
