"""Multiple-choice questions about a recording, their verification, and the meta information they are made from."""

import hashlib
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from project.entities.study_records import Json

LETTERS = "ABCDEFGH"


class QuestionKind(StrEnum):
    """What a question asks about (R3-VQA, section 3.1; ESI-Bench, section 3)."""

    EVENT = "EU"
    """Event understanding: one event node."""
    STATE = "MSE"
    """Mental state estimation: one mental-state node."""
    WHY = "CW"
    """Causal why: from the result of a subchain back to its reasons."""
    HOW = "CH/W"
    """Causal how or what: from the reasons of a subchain to its result."""
    STEPS = "multi-step"
    """Over a path of two or more subchains."""
    ESI = "ESI"
    """One of the five dimensions of ESI-Bench; it covers no node."""
    WRITTEN = "written"
    """Written by a person to stump a model."""


CHAIN_QUESTION_KINDS = (QuestionKind.EVENT, QuestionKind.STATE, QuestionKind.WHY, QuestionKind.HOW, QuestionKind.STEPS)
"""Kinds that are made from a chain."""


class Maker(StrEnum):
    """Who worded a question first."""

    RULES = "rules"
    JUDGE = "judge"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class WrongOption:
    """One option that is not right.

    Attributes:
        plausibility: from 0 to 100, by whoever proposed it; None where nobody said.
        source: id of the node whose text it is; "" where it was worded for the question.
    """

    text: str
    plausibility: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with one right option and some wrong ones.

    Attributes:
        chain_id: of the chain that it was made from; None for none.
        aspect: of an MSE question, its state; of a multi-step one, the part that it asks for (`start`, `end` or
            `between`); of an ESI one, its dimension; else "".
        covers: ids of the nodes that it covers; of a subchain, the result first; of a path, from start to end.
        made_from: checksum over what it was made from, as it was then, see
            `benchmark.questions.question_edits.coverage_checksum`; "" for none.
        start_us: of what is shown with it, on the recording's axis.
        end_us: of what is shown with it, on the recording's axis.
        explanation: why the answer is right; "" for none.
        seed: of the order of the wrong options.
        place: position of the right option, from 0.
        annotator_id: who wrote it, or had it made.
        judgment_id: the judgment that worded it; "" for none.
        at: when it was made, UTC, ISO 8601.
    """

    id: str
    recording_id: str
    chain_id: str | None
    kind: QuestionKind
    aspect: str
    covers: tuple[str, ...]
    made_from: str
    start_us: int
    end_us: int
    text: str
    answer: str
    wrong: tuple[WrongOption, ...]
    explanation: str
    seed: int
    place: int
    maker: Maker
    annotator_id: str
    judgment_id: str
    at: str

    @property
    def options(self) -> tuple[str, ...]:
        """All options as they are shown: the wrong ones shuffled by the seed, the right one in its place."""
        found = [wrong_option.text for wrong_option in self.wrong]
        random.Random(f"{self.seed} {self.id}").shuffle(found)
        found.insert(min(self.place, len(found)), self.answer)
        return tuple(found)

    @property
    def correct_letter(self) -> str:
        """The letter of the right option."""
        return LETTERS[min(self.place, len(self.wrong))]

    @property
    def checksum(self) -> str:
        """A checksum of its words: what was said about another state was said about another question."""
        words = [
            self.text,
            self.answer,
            sorted(wrong_option.text for wrong_option in self.wrong),
            self.start_us,
            self.end_us,
        ]
        return hashlib.sha256(json.dumps(words, ensure_ascii=True).encode()).hexdigest()[:16]


class VerificationDecision(StrEnum):
    """What becomes of a question, as one person says."""

    KEEP = "keep"
    CORRECT = "correct"
    """It was corrected, and is good as it is now."""
    DROP = "drop"


DIFFICULTIES = ("easy", "intermediate", "hard")
"""Labels of difficulty (ESI-Bench, appendix A.1.6)."""

CHECKLIST_KEYS = {
    "chain": ("by_rules", "times_right", "covers", "one_right"),
    "esi": ("clear", "needs_picture", "unambiguous", "truth", "difficulty"),
}
"""Checklist -> what is checked: R3-VQA, section 3.2; ESI-Bench, appendix A.1.6."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What one person says about a question.

    Attributes:
        checklist: key of `CHECKLIST_KEYS`.
        checks: what was found to hold, keys of the checklist.
        difficulty: one of `DIFFICULTIES`, or "".
        state: of the question, and of what it was made from, when it was said, see
            `benchmark.questions.question_edits.content_state`.
        at: UTC, ISO 8601.
    """

    question_id: str
    annotator_id: str
    decision: VerificationDecision
    checklist: str
    checks: tuple[str, ...]
    difficulty: str
    note: str
    state: str
    at: str


class LookKind(StrEnum):
    """What of a person's appearance is told (ESI-Bench, appendix A.1.2)."""

    CLOTHING = "clothing"
    HAIR = "hair"
    ACCESSORIES = "accessories"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class PersonDescription:
    """One thing by which somebody is told apart in one recording."""

    recording_id: str
    participant_id: str
    kind: LookKind
    text: str


class SummarySource(StrEnum):
    """What a summary was made from."""

    WORDS = "words"
    FRAMES = "frames"


@dataclass(frozen=True, slots=True)
class Summary:
    """What happens in a recording, in prose with times. `judgment_id` is "" where a person wrote all of it."""

    recording_id: str
    source: SummarySource
    text: str
    judgment_id: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something that the two summaries of a recording say differently.

    Attributes:
        text: what it is.
        resolution: what a person found out.
        settled: nobody has to look at it any more.
        judgment_id: of the auditor; "" where a person noted it.
    """

    id: str
    recording_id: str
    text: str
    resolution: str
    settled: bool
    judgment_id: str


def question_to_json(question: Question) -> dict[str, Json]:
    """Return a question as a JSON object that `question_from_json` reads."""
    found: dict[str, Any] = {field.name: getattr(question, field.name) for field in fields(Question)}
    wrong = [[option.text, option.plausibility, option.source] for option in question.wrong]
    return found | {
        "kind": question.kind.value,
        "maker": question.maker.value,
        "covers": [*question.covers],
        "wrong": wrong,
    }


def question_from_json(found: Mapping[str, Json]) -> Question:
    """Read what `question_to_json` returned."""
    values: dict[str, Any] = {field.name: found[field.name] for field in fields(Question)}
    wrong = tuple(WrongOption(*option) for option in values["wrong"])
    kind, maker = QuestionKind(values["kind"]), Maker(values["maker"])
    return Question(**{**values, "kind": kind, "maker": maker, "covers": tuple(values["covers"]), "wrong": wrong})
