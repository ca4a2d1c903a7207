"""Command-line flags derived from the option dataclasses of plugins.

Plugins are the backends of judges, the anonymization methods and the voice methods. The option `--scheduler`, for work
that a cluster can do, is here too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from typing import Any, TypeVar

import click

from anonymize.methods.face_methods import METHODS, method_type
from anonymize.sound.voice_methods import COVERS, VOICES, voice_type
from anonymize.voice.sound_choice import KEEP, NONE, SoundChoice, require_choice
from models.judges.judge_backends import BACKENDS, load_backend
from project.entities.study_records import Json

Function = TypeVar("Function", bound=Callable[..., Any])


def judge_options(function: Function) -> Function:
    """Give a command a flag for every option of any backend; flags that are not given are None.

    Which backend has which option, and which values are allowed, is checked when the judge is added.
    """
    for name, uses in reversed(_backend_options().items()):
        flag = f"--{name.replace('_', '-')}"
        kind = _option_type([spec for _, spec in uses])
        if kind is bool:
            flag = f"{flag}/--no-{name.replace('_', '-')}"
        text = _option_help(uses)
        function = click.option(flag, name, type=kind, default=None, help=text)(function)
    return function


def drop_unset_options(flags: Mapping[str, Json]) -> dict[str, Json]:
    """Return only the options that were given."""
    return {name: value for name, value in flags.items() if value is not None}


def _backend_options() -> dict[str, list[tuple[str, Field[Any]]]]:
    found: dict[str, list[tuple[str, Field[Any]]]] = {}
    for key in BACKENDS:
        for spec in fields(load_backend(key).options_type):
            found.setdefault(spec.name, []).append((key, spec))
    return found


def _option_type(specs: list[Field[Any]]) -> type | click.Choice[str]:
    if all("choices" in spec.metadata for spec in specs):
        return click.Choice(list(dict.fromkeys(choice for spec in specs for choice in spec.metadata["choices"])))
    for kind in (bool, int, str):
        if all(isinstance(spec.default, kind) for spec in specs):
            return kind
    return float


def _option_help(uses: list[tuple[str, Field[Any]]]) -> str:
    """Return the help of an option: once for the backends that share its meaning, and again for each that differs."""
    said: dict[str, list[str]] = {}
    for backend, spec in uses:
        said.setdefault(_spec_help(spec), []).append(backend)
    return " ".join(f"For {' and '.join(backends)}: {text}" for text, backends in said.items())


def _spec_help(spec: Field[Any]) -> str:
    words = spec.metadata.get("description", "")
    if "choices" in spec.metadata:
        return f"{words} One of {', '.join(spec.metadata['choices'])}; by default {spec.default}."
    if isinstance(spec.default, bool):
        return f"{words} By default {'yes' if spec.default else 'no'}."
    if "minimum" in spec.metadata:
        low, high = spec.metadata["minimum"], spec.metadata["maximum"]
        return f"{words} {low} to {high}; by default {spec.default}."
    return f"{words} By default {spec.default}." if spec.default else words


def method_options(function: Function) -> Function:
    """Give a command a flag for every option of any method; flags that are not given are None.

    Which method has which option, and which values are allowed, is checked when the method is made.
    """
    for name, uses in reversed(_options_of_methods().items()):
        text = " ".join(_method_option_help(method, spec) for method, spec in uses)
        flag = f"--{name.replace('_', '-')}"
        kind = _method_option_type([spec for _, spec in uses])
        if kind is bool:
            flag = f"{flag}/--no-{name.replace('_', '-')}"
        function = click.option(flag, name, type=kind, default=None, help=text)(function)
    return function


def options_by_method(flags: Mapping[str, Json], methods: Sequence[str]) -> dict[str, dict[str, Json]]:
    """Return for each method the options that were given for it.

    Each of several methods gets the options that it has. An option that none of them has goes to all, so that it is
    refused.
    """
    said = {name: value for name, value in flags.items() if value is not None}
    known = {method: {spec.name for spec in fields(method_type(method).options_type)} for method in methods}
    nobodys = set(said) - set().union(*known.values())
    return {
        method: {name: value for name, value in said.items() if name in known[method] | nobodys} for method in methods
    }


def _options_of_methods() -> dict[str, list[tuple[str, Field[Any]]]]:
    found: dict[str, list[tuple[str, Field[Any]]]] = {}
    for method in METHODS:
        for spec in fields(method_type(method).options_type):
            found.setdefault(spec.name, []).append((method, spec))
    return found


def _method_option_type(specs: Sequence[Field[Any]]) -> type | click.Choice[str]:
    if all("choices" in spec.metadata for spec in specs):
        return click.Choice(list(dict.fromkeys(choice for spec in specs for choice in spec.metadata["choices"])))
    if all(isinstance(spec.default, bool) for spec in specs):
        return bool
    return int if all(isinstance(spec.default, int) for spec in specs) else float


def _method_option_help(method: str, spec: Field[Any]) -> str:
    title, text = spec.metadata["title"], spec.metadata["description"]
    if "choices" in spec.metadata:
        allowed = f"one of {', '.join(spec.metadata['choices'])}"
    elif isinstance(spec.default, bool):
        allowed = "yes or no"
    else:
        allowed = f"{spec.metadata['minimum']} to {spec.metadata['maximum']}"
    default = spec.default if not isinstance(spec.default, bool) else "yes" if spec.default else "no"
    return f"{title}, for {method}: {allowed}, by default {default}. {text}"


def scheduler_option(function: Function) -> Function:
    """Give a command the option `--scheduler`."""
    return click.option(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="A Dask cluster does it, such as tcp://node7:8786. Its workers: dask worker --preload greenroom ADDRESS.",
    )(function)


_VOICE_PREFIX = "voice_"


def sound_options(function: Function) -> Function:
    """Give a command `--cover` and a flag for every option of a voice method; flags that are not given are None."""
    for name in reversed(VOICES):
        for spec in reversed(fields(voice_type(name).options_type)):
            told = spec.metadata
            function = click.option(
                f"--voice-{spec.name.replace('_', '-')}",
                f"{_VOICE_PREFIX}{spec.name}",
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


def parse_sound_choice(voice: str, cover: str, flags: Mapping[str, Json]) -> SoundChoice:
    """Return the sound treatment that the flags describe."""
    options = {key.removeprefix(_VOICE_PREFIX): value for key, value in flags.items() if value is not None}
    choice = SoundChoice(voice, options, cover)
    require_choice(choice)
    return choice


def split_voice_flags(flags: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Split flags into those of voice methods and the others."""
    voices = {key: value for key, value in flags.items() if key.startswith(_VOICE_PREFIX)}
    return voices, {key: value for key, value in flags.items() if key not in voices}


VOICE_HELP = f"What is done to the voices; one of: {', '.join([*VOICES, KEEP, NONE])}."
