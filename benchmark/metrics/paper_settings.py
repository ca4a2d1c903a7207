"""How each paper asked its tasks, as its published table declares it, and where a run departs from that.

A table in `resources/published` declares settings by task. What a run says of the same settings is compared with them;
what differs is told in one line beside the published rows.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from benchmark.metrics.published_figures import ESI_BENCH, R3_VQA, SCORE_FILES
from models.judges.judge_backends import BACKENDS, build_options
from models.judges.judge_interface import ModelOptions
from project.entities.study_records import Json
from resources import resource

SETTING_NAMES: Mapping[str, str] = {
    "variant": "prompt variant",
    "prompt": "wording of prompts",
    "shown": "shown",
    "frames": "frames",
    "video": "video",
    "temperature": "temperature",
    "max_tokens": "tokens of an answer at most",
    "draws": "draws",
    "size": "items of a draw",
    "shares": "shares of the labels",
    "balance": "yes and no",
    "collections": "collections",
    "included": "also drawn",
    "truth": "what counts as true",
    "option_pictures": "pictures of the options",
    "people": "people told by",
    "request": "rated in one request",
    "reasons": "reasons",
}
"""Key of a setting -> its name, in the order in which they are told."""


@dataclass(frozen=True, slots=True)
class PaperSettings:
    """How a paper asked one task.

    Attributes:
        values: key of `SETTING_NAMES` -> value.
    """

    paper: str
    values: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class SettingDeparture:
    """A setting that is other than in the paper."""

    key: str
    own: Json
    paper: Json

    def __str__(self) -> str:
        return f"{SETTING_NAMES[self.key]} {_format(self.own)} (there {_format(self.paper)})"


@cache
def paper_settings(task: str) -> PaperSettings | None:
    """Return how the paper of a task asked it; None for a task of no paper."""
    return _all_settings().get(task)


def find_departures(task: str, own: Mapping[str, Json]) -> tuple[SettingDeparture, ...]:
    """Return the declared settings that are other in a run."""
    declared = paper_settings(task)
    values = declared.values if declared is not None else {}
    return tuple(
        SettingDeparture(key, own[key], values[key])
        for key in SETTING_NAMES
        if key in values and key in own and own[key] != values[key]
    )


def model_options(backend: str, settings: Json) -> ModelOptions | None:
    """Return the options of a judge that is a model; None for baselines and people."""
    options = build_options(backend, settings) if backend in BACKENDS and isinstance(settings, dict) else None
    return options if isinstance(options, ModelOptions) else None


def model_settings(options: ModelOptions, *, shows_pictures: bool) -> dict[str, Json]:
    """Return the settings of a model, by key of `SETTING_NAMES`."""
    found: dict[str, Json] = {"temperature": options.temperature, "max_tokens": options.max_tokens}
    if shows_pictures and options.sees == "frames":
        found["frames"] = options.frames
    if shows_pictures and options.sees == "clip":
        found["video"] = "a small clip without sound"
    return found


def departure_lines(told: Iterable[tuple[str, str, Mapping[str, Json]]]) -> list[str]:
    """Return one line for each task and each way in which runs depart from its paper.

    Args:
        told: of each run its task, its name, and its settings.
    """
    names: dict[tuple[str, tuple[SettingDeparture, ...]], list[str]] = {}
    for task, name, own in told:
        if found := find_departures(task, own):
            names.setdefault((task, found), []).append(name)
    lines = []
    for (task, departures), those in names.items():
        declared = paper_settings(task)
        assert declared is not None
        who = ", ".join(dict.fromkeys(those))
        lines.append(f"Other than in {declared.paper}, {task}, {who}: {'; '.join(map(str, departures))}.")
    return lines


@cache
def _all_settings() -> Mapping[str, PaperSettings]:
    found = {}
    for name in (*SCORE_FILES, R3_VQA, ESI_BENCH):
        table = tomllib.loads(resource("published", f"{name}.toml").read_text("utf-8"))
        for task, values in table["settings"].items():
            found[task] = PaperSettings(table["name"], values)
    return found


def _format(value: Json) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
