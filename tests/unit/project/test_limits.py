"""Every dataclass of options says the same things about its fields, and holds them to it."""

from dataclasses import fields
from typing import Any

import pytest

from anonymize.masking.masks import MaskOptions
from models.faces.tracking_options import FaceOptions
from project.errors import UserError

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
