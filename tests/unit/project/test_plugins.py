"""A registry loads what a name stands for, and says what there is where a name or an option is unknown."""

import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from project.errors import UserError
from project.plugins.plugin_registry import Plugins


@dataclass(frozen=True)
class Strength:
    strength: int = 1


@dataclass(frozen=True)
class Blender:
    options_type: ClassVar[type[Strength]] = Strength
    options: Strength


BLENDER = Blender(Strength(3))
BLENDERS = Plugins[Any](
    "blender",
    {
        "soft": f"{__name__}:Blender",
        "made": f"{__name__}:BLENDER",
        "heavy": "fractions_of_nothing:Blender",
    },
    elsewhere=("hand",),
)


def test_a_name_stands_for_a_class_or_for_one_that_is_made() -> None:
    assert BLENDERS.make("soft", BLENDERS.options("soft", {"strength": 2})) == Blender(Strength(2))
    assert BLENDERS.make("made") is BLENDER
    assert "fractions_of_nothing" not in sys.modules


def test_what_is_unknown_is_refused_with_what_there_is() -> None:
    with pytest.raises(UserError, match="There is no blender “loud”") as refused:
        BLENDERS.load("loud")
    assert refused.value.hint == "Choose one of soft, made, heavy, hand."
    with pytest.raises(UserError, match="The blender “soft” has no option “speed”") as refused:
        BLENDERS.options("soft", {"speed": 1})
    assert refused.value.hint == "It has strength."
