"""What a judge or a person says about a segment, in one shape: a label and the values of fields."""

from collections.abc import Mapping
from dataclasses import dataclass

from project.judging import Judgment, JudgmentStatus
from project.types import Json

LABEL = "label"
"""The part of an answer that is the segment's label; every other part is a field of its form."""


@dataclass(frozen=True, slots=True)
class Said:
    """Label and values; what was not said is missing. Several choices are in no order."""

    parts: Mapping[str, Json]

    @property
    def label(self) -> str:
        """The label, or "" where none was given."""
        found = self.parts.get(LABEL)
        return found if isinstance(found, str) else ""

    def of(self, part: str) -> Json:
        """Return what was said about one part, several choices sorted; None for nothing."""
        found = self.parts.get(part)
        if found in (None, "", []):
            return None
        return sorted(found, key=str) if isinstance(found, list) else found


def said_by(judgment: Judgment) -> Said:
    """Return what a judgment says; nothing where there is no answer."""
    return Said(dict(judgment.answer) if judgment.status is JudgmentStatus.OK else {})


def said_in(label: str, values: Mapping[str, Json]) -> Said:
    """Return what a segment says."""
    return Said({**values, LABEL: label})


def judge_name(judgment: Judgment) -> str:
    """Return the name that a judge had when it was asked."""
    return str(judgment.judge.get("name", judgment.judge_id))
