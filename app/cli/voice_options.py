"""Flags that say how the sound is treated; those of the voice methods derive from their dataclasses."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import click

from anonymize.sound.kinds import COVERS
from anonymize.voice.registry import VOICES, voice_type
from app.core.voice.choice import KEEP, NONE, SoundChoice, require_choice
from project.types import Json

Function = TypeVar("Function", bound=Callable[..., Any])
_PREFIX = "voice_"


def sound_options(function: Function) -> Function:
    """Give a command `--cover`, and a flag for every option of a voice method; those not given come as None."""
    for name in reversed(VOICES):
        for spec in reversed(fields(voice_type(name).options_type)):
            told = spec.metadata
            function = click.option(
                f"--voice-{spec.name.replace('_', '-')}",
                f"{_PREFIX}{spec.name}",
                type=float,
                default=None,
                help=f"{told['title']}, for {name}: {told['minimum']} to {told['maximum']}, by default {spec.default}. "
                f"{told['description']}",
            )(function)
    covers = [*COVERS, NONE]
    return click.option(
        "--cover",
        type=click.Choice(covers),
        default=SoundChoice().cover,
        show_default=True,
        help="What is heard where personal information is said; none: what was said.",
    )(function)


def chosen_sound(voice: str, cover: str, flags: Mapping[str, Json]) -> SoundChoice:
    """Return what the flags say.

    Raises:
        UserError: there is no such voice method, it has no such option, or a value is outside what is safe.
    """
    options = {key.removeprefix(_PREFIX): value for key, value in flags.items() if value is not None}
    choice = SoundChoice(voice, options, cover)
    require_choice(choice)
    return choice


def split_flags(flags: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return the flags of voice methods, and the others."""
    voices = {key: value for key, value in flags.items() if key.startswith(_PREFIX)}
    return voices, {key: value for key, value in flags.items() if key not in voices}


VOICE_HELP = f"What is done to the voices; one of: {', '.join([*VOICES, KEEP, NONE])}."
