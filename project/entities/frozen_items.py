"""Frozen item sets, which every judge and person is asked alike, and the benchmark runs over them.

`describe_content_problem` validates the content of an item.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

from project.entities.judgments import JudgmentTarget, JudgmentTargetKind, parse_target
from project.entities.questions import question_from_json
from project.entities.study_records import Json


class ItemModality(StrEnum):
    """What of an item a run shows (SHREC, section 3: L and L+V; R3-VQA, section 4.3: pictures alone)."""

    TEXT = "L"
    TEXT_AND_VIDEO = "L+V"
    VIDEO = "V"


@dataclass(frozen=True, slots=True)
class ItemSet:
    """Items that were drawn once and are never changed; another set takes its place.

    Attributes:
        name: unique in the study.
        task: key of `benchmark/tasks/benchmark_task.py`.
        seed: of all that was drawn.
        draws: how many samples the items are in.
        rule: how they were drawn: sizes, balance, exclusions, as JSON.
        left_out: why something could not become an item -> how often.
        sha256: over rule and items.
        at: when it was made, UTC, ISO 8601.
    """

    id: str
    name: str
    task: str
    seed: int
    draws: int
    rule: Mapping[str, Json]
    left_out: Mapping[str, int]
    sha256: str
    at: str
    program_version: str


@dataclass(frozen=True, slots=True)
class FrozenItem:
    """One item, with everything that it is asked by except footage and transcript, which are the study's own.

    Attributes:
        set_id: of its set.
        draw: number of the sample that it is in, from 0.
        position: in its draw, from 0.
        about: what it was made from, as `JudgmentTarget.key`; "" for a stretch that nobody marked.
        start_us: of what is shown, on the recording's axis.
        end_us: of what is shown, on the recording's axis.
        content: what is frozen, by key, where there is any: `scheme`, `track`, `label`, `values` of a segment;
            `options`, the texts to choose from in their order, and `place` of the right one, from 0; `facts`, texts
            that are told; `question`, a whole question; `person`, a participant's id; `truth`, the right answer by
            `TASK` or `TASK/PART`; `traits`, by which figures are broken down; `homes`, the recordings that texts of it
            were taken from.
        made_from: checksum over what it was made from, as it was then.
    """

    id: str
    set_id: str
    draw: int
    position: int
    about: str
    recording_id: str
    start_us: int
    end_us: int
    content: Mapping[str, Json] = field(default_factory=dict)
    made_from: str = ""

    @property
    def target_kind(self) -> JudgmentTargetKind:
        """What kind of thing it was made from; a stretch counts as a segment."""
        return parse_target(self.about).kind if self.about else JudgmentTargetKind.SEGMENT

    @property
    def target(self) -> JudgmentTarget | None:
        """What it was made from; None for a stretch that nobody marked."""
        return parse_target(self.about) if self.about else None


@dataclass(frozen=True, slots=True)
class BenchmarkRun:
    """That a judge, or a person, was asked a set in one way. It is written before the first question.

    Attributes:
        judge: the entry as it was: name, backend, model, settings.
        annotator_id: who answers, where the judge is a person.
        variant: of the prompt.
        shown: what of the items.
        condition: `RAW_CONDITION`, a method, or the id of a rendering.
        seed: of the judge's sampling.
        at: when it began, UTC, ISO 8601.
    """

    id: str
    set_id: str
    judge_id: str
    judge: Mapping[str, Json]
    annotator_id: str | None
    variant: str
    shown: ItemModality
    condition: str
    seed: int
    at: str
    program_version: str


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """Which judgment is the answer of a run to an item, or to a part of it."""

    run_id: str
    item_id: str
    part: str
    judgment_id: str


def describe_content_problem(about: str, content: Mapping[str, Json]) -> str:
    """Return why the content of an item cannot be used, in words that follow its name; "" where it can be.

    Args:
        about: what the item was made from, as `JudgmentTarget.key`; "" for nothing.
        content: as `FrozenItem.content` describes it; keys that are not named there are passed over.
    """
    if about and parse_target(about).kind is JudgmentTargetKind.ITEM:
        return "was made from another item"
    for key, fits in _CONTENT_CHECKS.items():
        if key in content and not fits(content[key]):
            return f"cannot be read: {key}"
    options, place = content.get("options", []), content.get("place", 0)
    if isinstance(options, list) and options and not 0 <= cast(int, place) < len(options):
        return "has no option at the place of the right one"
    return ""


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text_list(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_text_map(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def _is_moment_list(value: Json) -> bool:
    return isinstance(value, list) and all(
        isinstance(moment, list) and len(moment) == 3 and isinstance(moment[0], str) and all(map(_is_count, moment[1:]))
        for moment in value
    )


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _is_object_map(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())


def _is_question(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    try:
        found = question_from_json(value)
        texts = (found.id, found.recording_id, found.text, found.answer, found.explanation, *found.options)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return False
    return all(isinstance(text, str) for text in texts)


_CONTENT_CHECKS: Mapping[str, Callable[[Json], bool]] = {
    **dict.fromkeys(("scheme", "track", "label", "person"), _is_text),
    **dict.fromkeys(("values", "traits"), _is_object),
    **dict.fromkeys(("options", "homes"), _is_text_list),
    "place": _is_count,
    "moments": _is_moment_list,
    "facts": _is_text_map,
    "question": _is_question,
    "truth": _is_object_map,
}
"""Key -> whether a value is what stands there."""
