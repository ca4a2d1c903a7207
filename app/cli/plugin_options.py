"""Options of the command line derived from the option dataclasses of plugins: judges, anonymizers, voice methods."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields
from typing import Any, Literal

from anonymize.methods.face_methods import METHODS, method_type
from anonymize.sound.voice_methods import COVERS, VOICES, voice_type
from anonymize.voice.sound_choice import KEEP, NONE, SoundChoice, require_choice
from app.cli.command import given_options, option
from app.cli.command_help import OPTIONS
from models.judges.judge_backends import BACKENDS, load_backend
from project.entities.study_records import Json


def plugin_options(
    plugins: Iterable[str], plugin_type: Callable[[str], Any], prefix: str = "", *, heading: str = OPTIONS
) -> Any:
    """Declare an option for every option of any plugin; the parameter gets the values that were given, by name.

    Which plugin has which option, and which values are allowed, is checked when the plugin is made.
    """
    uses: dict[str, dict[str, Field[Any]]] = {}
    for plugin in plugins:
        for spec in fields(plugin_type(plugin).options_type):
            uses.setdefault(spec.name, {})[plugin] = spec
    declared = {f"{prefix}{name}": _declare(f"{prefix}{name}", specs) for name, specs in uses.items()}
    return given_options(heading, **declared)


def _declare(name: str, specs: Mapping[str, Field[Any]]) -> tuple[Any, Any]:
    kind = _option_type([*specs.values()])
    flag = name.replace("_", "-")
    names = (f"--{flag}/--no-{flag}",) if kind is bool else ()
    meanings: dict[str, list[str]] = {}
    for plugin, spec in specs.items():
        meanings.setdefault(_meaning(spec), []).append(plugin)
    text = " ".join(meaning.format(" and ".join(plugins)) for meaning, plugins in meanings.items())
    return kind | None, option(text, *names, default=None)


def _option_type(specs: Sequence[Field[Any]]) -> Any:
    if all("choices" in spec.metadata for spec in specs):
        return Literal[tuple(dict.fromkeys(choice for spec in specs for choice in spec.metadata["choices"]))]
    for kind in (bool, int, str):
        if all(isinstance(spec.default, kind) for spec in specs):
            return kind
    return float


def _meaning(spec: Field[Any]) -> str:
    """Return the help of an option, with a place for the names of plugins."""
    default = spec.default if not isinstance(spec.default, bool) else "yes" if spec.default else "no"
    if "choices" in spec.metadata:
        allowed = f"one of {', '.join(spec.metadata['choices'])}"
    elif isinstance(spec.default, bool):
        allowed = "yes or no"
    elif "minimum" in spec.metadata:
        allowed = f"{spec.metadata['minimum']} to {spec.metadata['maximum']}"
    else:
        allowed = "text"
    known = f", by default {default}" if default != "" else ""
    text = f"{allowed}{known}. {spec.metadata['description']}".replace("{", "{{").replace("}", "}}")
    return f"{spec.metadata['title']}, for {{}}: {text}"


def options_by_method(options: Mapping[str, Json], methods: Sequence[str]) -> dict[str, dict[str, Json]]:
    """Return for each method the options that were given for it.

    Each of several methods gets the options that it has. An option that none of them has goes to all, so that it is
    refused.
    """
    known = {method: {spec.name for spec in fields(method_type(method).options_type)} for method in methods}
    unknown = set(options) - set().union(*known.values())
    return {
        method: {name: value for name, value in options.items() if name in known[method] | unknown}
        for method in methods
    }


def sound_choice(voice: str, cover: str, options: Mapping[str, Json]) -> SoundChoice:
    """Return the sound treatment that the options describe; an error if there is none of that kind."""
    choice = SoundChoice(voice, {name.removeprefix(_VOICE_PREFIX): value for name, value in options.items()}, cover)
    require_choice(choice)
    return choice


_VOICE_PREFIX = "voice_"
JUDGE_OPTIONS = plugin_options(BACKENDS, load_backend, heading="Options of the backend")
METHOD_OPTIONS = plugin_options(METHODS, method_type, heading="Options of the method")
VOICE_OPTIONS = plugin_options(VOICES, voice_type, _VOICE_PREFIX, heading="Options of the voice method")
VOICE_HELP = f"One of: {', '.join([*VOICES, KEEP, NONE])}."
COVER = option(
    "Sound over personal words.",
    choices=[*COVERS, NONE],
    default=SoundChoice().cover,
)
SCHEDULER = option(
    "A Dask cluster, such as tcp://node7:8786.",
    "--scheduler",
    default="",
    metavar="ADDRESS",
)
