"""Baseline judges without a model: constant, majority, oracle, random, and reliable with a set probability.

All of them answer at once, cost nothing and open no connection.
"""

import hashlib
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from models.judges.judge_interface import JudgeRequest, JudgeResources, NoOptions, Reply
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from project.plugins.option_limits import check_limits, limited_field, text_field


class Baseline:
    """A judge without a model; a subclass says what it answers.

    Attributes:
        version: goes up when it answers otherwise, so that no old answer is taken for a new one.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    description: ClassVar[str]
    options_type: ClassVar[type[Any]] = NoOptions
    needs_model: ClassVar[bool] = False
    leaves: ClassVar[bool] = False
    version: ClassVar[int] = 1

    def __init__(self, model: str = "", options: Any = None, means: JudgeResources | None = None) -> None:  # noqa: ARG002
        self.options = options if options is not None else self.options_type()

    @property
    def fingerprint(self) -> str:
        """Name, version and options."""
        return f"{self.key} {self.version} {self.options!r}"

    async def ask(self, question: JudgeRequest) -> Reply:
        """Answer at once."""
        started = time.monotonic()
        found = self.answer(question)
        ms = round(1000 * (time.monotonic() - started))
        if found is None:
            return Reply(JudgmentStatus.ERROR, ms=ms, error=self.no_answer_message)
        try:
            answer = question.form.parse(dict(found))
        except ValueError as error:
            # The mean of what several people said is right, and no form for one of them has it.
            if question.truth and all(found.get(key) == value for key, value in question.truth.items()):
                return Reply(JudgmentStatus.OK, dict(found), ms=ms)
            return Reply(JudgmentStatus.UNPARSED, ms=ms, error=" ".join(str(error).split()))
        return Reply(JudgmentStatus.OK, answer, ms=ms)

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""

    no_answer_message: ClassVar[str] = "There is nothing to answer by."

    def answer(self, question: JudgeRequest) -> Mapping[str, Json] | None:
        """Return an answer as the form reads it; None where there is none."""
        raise NotImplementedError


NO_REASON_TEXT = "No reason is given."
"""Stands where a text is needed."""

Choose = Callable[[Sequence[Json]], Json]
"""Picks one of several values."""
Several = Callable[[Sequence[Json]], list[Json]]
"""Picks any number of several values."""


def build_answer(schema: Mapping[str, Json], choose: Choose, several: Several) -> dict[str, Json]:
    """Return an answer in a form.

    `choose` picks from a list, in which None stands for what may be left open; `several` picks the items of a list.
    """
    properties = cast(Mapping[str, Mapping[str, Any]], schema.get("properties", {}))
    return {key: _choose_value(schema, choose, several) for key, schema in properties.items()}


def text_fields(schema: Mapping[str, Json]) -> frozenset[str]:
    """Return the keys of an object that hold free text."""
    properties = cast(Mapping[str, Mapping[str, Any]], schema.get("properties", {}))
    return frozenset(key for key, schema in properties.items() if _is_free_text(schema))


def _is_free_text(schema: Mapping[str, Any]) -> bool:
    return any(map(_is_free_text, schema.get("anyOf", ()))) or (
        schema.get("type") == "string" and _allowed_values(schema) is None
    )


def _choose_value(schema: Mapping[str, Any], choose: Choose, several: Several) -> Json:
    found = _allowed_values(schema)
    if found is not None:
        return choose(found)
    if schema.get("type") == "array":
        items = _allowed_values(schema.get("items", {})) or []
        return several(items)
    if schema.get("type") == "object":
        return build_answer(schema, choose, several)
    if schema.get("type") in ("number", "integer"):
        return cast(Json, schema.get("minimum", 0))
    return NO_REASON_TEXT[: schema.get("maxLength", len(NO_REASON_TEXT))] if schema.get("minLength") else ""


def _allowed_values(schema: Mapping[str, Any]) -> list[Json] | None:
    """Return every value that a schema allows; None where they are not listed."""
    if "enum" in schema:
        return [*schema["enum"]]
    if "const" in schema:
        return [schema["const"]]
    if schema.get("type") == "boolean":
        return [True, False]
    if schema.get("type") == "null":
        return [None]
    if "anyOf" in schema:
        lists = [_allowed_values(option) for option in schema["anyOf"]]
        return [value for values in lists if values is not None for value in values] or None
    return None


def _open_answer(question: JudgeRequest) -> dict[str, Json]:
    """Return an answer that leaves open what may be left open, with the first value elsewhere."""
    return build_answer(question.form.schema, lambda values: None if None in values else values[0], lambda _: [])


def _draws(question: JudgeRequest, prefix: str = "") -> random.Random:
    """Return what draws at random for an item, by seed and item."""
    name = f"{prefix}{question.sampling.seed} {question.item} {question.form.name}"
    return random.Random(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())


@dataclass(frozen=True)
class ConstantOptions:
    """What is always said."""

    says: str = text_field(
        "", 400, "Says", "What it always says, such as “error, norms”; the first choice where empty."
    )

    def __post_init__(self) -> None:
        check_limits(self)


class ConstantJudge(Baseline):
    """One answer for everything: wherever one of its words is a choice, that one; else the first choice."""

    key: ClassVar[str] = "constant"
    name: ClassVar[str] = "Constant"
    description: ClassVar[str] = "Always gives the same answer."
    options_type: ClassVar[type[ConstantOptions]] = ConstantOptions

    def answer(self, question: JudgeRequest) -> Mapping[str, Json]:
        """Return the constant answer in this form."""
        words = [word.strip() for word in self.options.says.split(",")]

        def said(values: Sequence[Json]) -> list[Json]:
            return [value for word in words for value in values if value is not None and str(value) == word]

        def chosen(values: Sequence[Json]) -> Json:
            return (said(values) or [None if None in values else values[0]])[0]

        return build_answer(question.form.schema, chosen, lambda items: list(dict.fromkeys(map(str, said(items)))))


class MajorityJudge(Baseline):
    """The answer that people gave most often, whatever is shown; of several the first. It writes no text of theirs."""

    key: ClassVar[str] = "majority"
    name: ClassVar[str] = "Majority"
    description: ClassVar[str] = "Always says what people of the study say most often."
    no_answer_message: ClassVar[str] = "Nobody of this study has answered this task yet."

    def answer(self, question: JudgeRequest) -> Mapping[str, Json] | None:
        """Return the most frequent answer; fields that it leaves open stay open, and texts are no answer of most."""
        if not question.answer_counts:
            return None
        most, _ = max(question.answer_counts, key=lambda row: row[1])
        texts = text_fields(question.form.schema)
        return {**_open_answer(question), **{key: value for key, value in most.items() if key not in texts}}


class OracleJudge(Baseline):
    """The answer that the segment's own label and values stand for: always right, so a metric has to say so."""

    key: ClassVar[str] = "oracle"
    name: ClassVar[str] = "Oracle"
    description: ClassVar[str] = "Gives the answer that people gave: a metric must find it right everywhere."
    no_answer_message: ClassVar[str] = "Nobody has said what is right here."

    def answer(self, question: JudgeRequest) -> Mapping[str, Json] | None:
        """Return the right answer; fields that people left open stay open."""
        if not question.truth:
            return None
        return {**_open_answer(question), **question.truth}


class RandomJudge(Baseline):
    """Each value of a list with the same chance, each item of several by the toss of a coin.

    So it is right in 1 of k answers of k kinds, and in 1 of 2^n sets of n. Seed and item decide what it draws: the same
    item is answered alike in whatever order items come.
    """

    key: ClassVar[str] = "random"
    name: ClassVar[str] = "Random"
    description: ClassVar[str] = "Guesses: what a judge has to beat."

    def answer(self, question: JudgeRequest) -> Mapping[str, Json]:
        """Return an answer drawn at random for the item."""
        draw = _draws(question)
        return build_answer(
            question.form.schema, draw.choice, lambda items: [item for item in items if draw.random() < 0.5]
        )


@dataclass(frozen=True)
class ReliableOptions:
    """How often it is right."""

    right: float = limited_field(0.9, 0.0, 1.0, "Right", "How often it is right, from 0 to 1.")

    def __post_init__(self) -> None:
        check_limits(self)


class ReliableJudge(Baseline):
    """What people said, with a chance that is set; else another of the values that could be said, never the right one.

    So its accuracy is known beforehand, and its consistency over n questions is that chance to the power of n. Seed and
    item decide when it is wrong: the same item is answered alike in whatever order items come.
    """

    key: ClassVar[str] = "reliable"
    name: ClassVar[str] = "Reliable"
    description: ClassVar[str] = "Is right with a chance that you set: a metric must find just that."
    options_type: ClassVar[type[ReliableOptions]] = ReliableOptions
    no_answer_message: ClassVar[str] = "Nobody has said what is right here."

    def answer(self, question: JudgeRequest) -> Mapping[str, Json] | None:
        """Return the right answer, or one in which every value that has an alternative is wrong."""
        if not question.truth:
            return None
        draw = _draws(question, "reliable ")
        right = {**_open_answer(question), **question.truth}
        if draw.random() < self.options.right:
            return right
        properties = question.form.schema.get("properties", {})
        assert isinstance(properties, dict)
        return {key: _wrong_value(key, schema, right.get(key), draw) for key, schema in properties.items()}


def _wrong_value(key: str, schema: Json, right: Json, draw: random.Random) -> Json:
    """Return another value than the right one, where a field has one."""

    def choose(values: Sequence[Json]) -> Json:
        return draw.choice([value for value in values if value != right] or values)

    def several(items: Sequence[Json]) -> list[Json]:
        return [item for item in items if item not in (right if isinstance(right, list) else [])]

    return build_answer({"properties": {key: schema}}, choose, several)[key]
