"""Optional parts are told apart by their modules; options have limits, and are held to them."""

import sys
from dataclasses import fields
from typing import Any

import pytest

from anonymize.masking.masks import MaskOptions
from models.faces.tracking_options import FaceOptions
from project.errors import UserError
from project.session.optional_parts import GPU, NAMES, OptionalPart


def part(*modules: str) -> OptionalPart:
    return OptionalPart("toy", "Playing", "Toys", "MIT", 1, {module: module for module in modules})


def test_it_is_installed_where_all_of_its_modules_are_there() -> None:
    assert part("json", "email.message").is_installed
    assert not part("json", "no_such_module").is_installed
    assert not part("no_such_package.module").is_installed


def test_nothing_is_imported_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    assert part("this").is_installed
    assert "this" not in sys.modules


def test_where_it_is_missing_one_line_names_the_command(without_names: None) -> None:
    with pytest.raises(UserError) as raised:
        NAMES.require()
    assert str(raised.value) == (
        "Searching texts for personal information needs the optional part “names”, which is not installed. "
        "Get it: greenroom models fetch names"
    )


def test_the_usual_onnxruntime_alone_is_not_that_of_a_graphics_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nvidia", None)
    assert not GPU.is_installed


KNOBS = [(kind, spec) for kind in (FaceOptions, MaskOptions) for spec in fields(kind)]


@pytest.mark.parametrize(("kind", "knob"), KNOBS, ids=[f"{kind.__name__}.{knob.name}" for kind, knob in KNOBS])
def test_a_field_has_limits_a_title_and_a_description_and_is_held_to_them(kind: type, knob: Any) -> None:
    low, high, title, text = (knob.metadata[key] for key in ("minimum", "maximum", "title", "description"))
    assert low <= knob.default <= high
    assert title
    assert text.endswith(".")
    for inside in (low, high):
        assert getattr(kind(**{knob.name: inside}), knob.name) == inside
    for outside in (low - 1, high + 1, "many", None, True, float("nan")):
        with pytest.raises(UserError, match="not allowed"):
            kind(**{knob.name: outside})
