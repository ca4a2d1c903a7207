"""Dataclasses as JSON and back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import pytest

from project.codec import dump, load
from project.entities.study_records import Json
from project.errors import UserError


class Shape(StrEnum):
    ROUND = "round"


@dataclass(frozen=True, slots=True)
class Mark:
    at_us: int
    shape: Shape = Shape.ROUND


@dataclass(frozen=True, slots=True)
class Sheet:
    path: Path
    spans: tuple[tuple[int, int], ...] = ()
    marks: tuple[Mark, ...] = ()
    options: Mapping[str, Json] = field(default_factory=dict)
    limit: float | None = None


def test_a_dataclass_is_json_and_comes_back() -> None:
    sheet = Sheet(Path("/a/b"), ((1, 2),), (Mark(3),), {"deep": [1, 2.5, True, None, {"x": "y"}]}, 0.5)
    written = json.dumps(dump(sheet))
    assert load(Sheet, json.loads(written), "sheet.json") == sheet
    assert load(Sheet, {"path": "/a", "unknown": 1}, "sheet.json") == Sheet(Path("/a"))


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"path": "a", "marks": [{"at_us": "soon"}]}, "marks.0.at_us"),
        ({"path": "a", "marks": [{"at_us": 1, "shape": "square"}]}, "marks.0.shape"),
        ({}, "path"),
        ([], "content"),
    ],
)
def test_an_error_names_the_field(data: Json, place: str) -> None:
    with pytest.raises(UserError, match=f"^sheet.json: “{place}” is wrong: "):
        load(Sheet, data, "sheet.json")
