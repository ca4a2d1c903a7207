"""Declares commands: a typed function becomes a command that opens its study and prints its answer as text or JSON."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, NewType, TypeAlias, Union, get_args, get_origin

import click
from click.core import ParameterSource

from app.cli.console import Output, print_output
from project.entities.study_records import Participant, Recording
from project.timebase import parse_time

if TYPE_CHECKING:
    from project.session.session import Session

_HELP_MARGIN = 4
"""Columns of the help before and after the name of a command."""
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

Time = NewType("Time", int)
"""Microseconds, typed as seconds or h:mm:ss.mmm."""
_RESOLVERS = {Recording: "resolve_recording", Participant: "resolve_participant"}
"""What a study knows by several names: type of a parameter -> function of `project.session.session` that finds it."""


_KNOWN_HELP: dict[Any, str] = {Recording: "Number, file name or id", Time: "Seconds or h:mm:ss.mmm"}


class StudyAccess(Enum):
    """How a command opens its study."""

    READ = "read"
    EDIT = "edit"
    """Raises an error if the study cannot be written to."""
    OPEN = "open"
    """Goes on where the study can only be read."""


READ, EDIT, OPEN = StudyAccess.READ, StudyAccess.EDIT, StudyAccess.OPEN


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the default value of a parameter says about it on the command line.

    Attributes:
        names: option strings, such as `--from`; by default the name of the parameter.
        settings: for click.
    """

    names: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_argument: bool = False

    def parameters(self, name: str, annotation: Any) -> list[click.Parameter]:
        """Return what click parses."""
        kind, optional, several = _unwrap(annotation)
        settings = dict(self.settings)
        choices = settings.pop("choices", ())
        settings.setdefault("type", _click_type(kind, choices))
        if self.is_argument:
            nargs = -1 if several else 1
            return [click.Argument([name], **{"required": not (optional or several), "nargs": nargs, **settings})]
        if kind in _KNOWN_HELP:
            settings["help"] = self.settings["help"] or _KNOWN_HELP[kind] + (
                "; by default all." if optional or several else "."
            )
        names = self.names or (f"--{name.replace('_', '-')}",)
        if kind is bool and not optional:
            settings["is_flag"] = True
        elif several:
            settings |= {"multiple": True, "help": f"{settings['help']} Repeatable."}
        elif optional:
            settings["default"] = None
        elif "default" not in settings:
            settings["required"] = True
        settings["show_default"] = settings.get("default") not in (None, "")
        return [click.Option([*names, name], **settings)]

    def value(self, name: str, annotation: Any, values: Mapping[str, Any], session: "Session | None") -> Any:
        """Return what the function gets."""
        found = values[name]
        kind, _, several = _unwrap(annotation)
        if kind not in _RESOLVERS or found is None:
            return found
        resolve = getattr(import_module("project.session.session"), _RESOLVERS[kind])
        return tuple(resolve(session, text) for text in found) if several else resolve(session, found)


@dataclass(frozen=True, slots=True)
class ExclusiveFlags(Declaration):
    """Flags of which the last one counts; the parameter is its name, or None."""

    def parameters(self, name: str, annotation: Any) -> list[click.Parameter]:  # noqa: ARG002
        """Return an option for each."""
        return [
            click.Option([f"--{flag}", name], flag_value=flag, default=None, help=text)
            for flag, text in self.settings.items()
        ]


@dataclass(frozen=True, slots=True)
class OptionGroup(Declaration):
    """Options that are passed as one object.

    Attributes:
        declared: name -> its type and declaration.
        build: makes the object of the values.
    """

    declared: Mapping[str, tuple[Any, Declaration]] = field(default_factory=dict)
    build: Callable[..., Any] = dict

    def parameters(self, name: str, annotation: Any) -> list[click.Parameter]:  # noqa: ARG002
        """Return the options of all."""
        return [
            parameter
            for own, (kind, declaration) in self.declared.items()
            for parameter in declaration.parameters(own, kind)
        ]

    def value(self, name: str, annotation: Any, values: Mapping[str, Any], session: "Session | None") -> Any:  # noqa: ARG002
        """Return the object."""
        return self.build(
            **{own: declaration.value(own, kind, values, session) for own, (kind, declaration) in self.declared.items()}
        )


def option(help_text: str = "", *names: str, **settings: Any) -> Any:
    """Declare an option as the default value of a parameter, whose type says what may be given.

    Args:
        help_text: one sentence; not needed for a recording and a time.
        names: as they are typed, if the parameter is called otherwise.
        settings: for click, such as a default value or a type that is narrower than the parameter's.
    """
    return Declaration(names, {"help": help_text, **settings})


def argument(**settings: Any) -> Any:
    """Declare an argument as the default value of a parameter."""
    return Declaration((), settings, is_argument=True)


def flags(**help_texts: str) -> Any:
    """Declare flags of which one can be given."""
    return ExclusiveFlags((), help_texts)


def options_of(kind: type[Any]) -> Any:
    """Declare the options of a dataclass, whose fields have them as default values."""
    return OptionGroup(declared={spec.name: (spec.type, _declared(spec.default)) for spec in fields(kind)}, build=kind)


def _declared(default: object) -> Declaration:
    assert isinstance(default, Declaration)
    return default


def given_options(**declared: tuple[Any, Any]) -> Any:
    """Declare options that are passed together: name -> value, of those that were given.

    Args:
        declared: name -> its type and declaration.
    """
    return OptionGroup(declared=declared, build=_keep_given)


def _keep_given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value != ()}


def _unwrap(annotation: Any) -> tuple[Any, bool, bool]:
    """Return the type of a value, whether it can be None, and whether there can be several."""
    optional = several = False
    if get_origin(annotation) in (Union, UnionType):
        (annotation,) = (kind for kind in get_args(annotation) if kind is not type(None))
        optional = True
    if get_origin(annotation) is tuple and get_args(annotation)[1:] == (...,):
        annotation, several = get_args(annotation)[0], True
    return annotation, optional, several


class _TimeType(click.ParamType[int]):
    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        return parse_time(value) if isinstance(value, str) else value


class _EnumChoice(click.Choice[str]):
    def __init__(self, kind: type[Enum], members: Iterable[Enum]) -> None:
        super().__init__([member.value for member in members])
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if isinstance(value, self._kind) else self._kind(super().convert(value, param, ctx))


def _click_type(kind: Any, choices: Iterable[Any]) -> Any:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _EnumChoice(kind, choices or kind)
    if choices:
        return click.Choice([*choices])
    if kind is Path:
        return click.Path(path_type=Path)
    if kind is Time:
        return _TimeType()
    if kind in _RESOLVERS:
        return str
    if get_origin(kind) is tuple:
        return get_args(kind)
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    return kind


CommandFunction: TypeAlias = Callable[..., Output | int | None]


def command(
    name: str | None = None,
    *,
    study: StudyAccess = READ,
    edits: Sequence[str] = (),
    reads: Sequence[str] = (),
    annotator: Any = None,
    hidden: bool = False,
) -> Callable[[CommandFunction], click.Command]:
    """Make a command of a function; its docstring is the help, its parameters are arguments and options.

    A parameter `session` becomes the argument STUDY, and the open study. A parameter `as_json` tells whether an object
    is printed, and a parameter `annotator` without a default value who works in the study.

    Args:
        name: of the command; by default that of the function.
        study: how the study is opened.
        edits: options by which a command that reads becomes one that edits.
        reads: options by which a command that edits becomes one that reads.
        annotator: declares the option of that name: who works in the study.
        hidden: whether the help leaves it out.
    """

    def make(function: CommandFunction) -> click.Command:
        signature = inspect.signature(function)
        declared = {
            key: parameter
            for key, parameter in signature.parameters.items()
            if key not in _GIVEN or parameter.default is not inspect.Parameter.empty
        }
        parameters: list[click.Parameter] = []
        if "session" in signature.parameters:
            parameters.append(click.Argument(["study"], type=click.Path(path_type=Path)))
        for key, parameter in declared.items():
            parameters += parameter.default.parameters(key, parameter.annotation)
        if annotator is not None:
            required = annotator.settings.get("required", False)
            named = replace(annotator, names=annotator.names or ("--annotator",))
            parameters += named.parameters(_WORKER, str if required else str | None)
        if signature.return_annotation is not int:
            parameters.append(
                click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object instead of text.")
            )

        def callback(**values: Any) -> int:
            with ExitStack() as stack:
                session = None
                if "session" in signature.parameters:
                    access = EDIT if _is_given(edits) else READ if _is_given(reads) else study
                    session = stack.enter_context(_open_study(values["study"], values.get(_WORKER), access))
                known = {"session": session, "annotator": values.get(_WORKER), "as_json": values.get("as_json", False)}
                known |= {
                    key: parameter.default.value(key, parameter.annotation, values, session)
                    for key, parameter in declared.items()
                }
                output = function(**{key: known[key] for key in signature.parameters})
            if not isinstance(output, Output):
                return output or 0
            print_output(output, values["as_json"])
            return output.exit_code

        return click.Command(
            name or function.__name__.replace("_", "-"),
            callback=callback,
            params=parameters,
            help=inspect.cleandoc(function.__doc__ or ""),
            hidden=hidden,
        )

    return make


def _open_study(path: Path, annotator: str | None, access: StudyAccess) -> "Session":
    from project.session.session import Session

    session = Session.open(path, annotator, read_only=access is READ)
    if access is EDIT:
        try:
            session.study.require_writable()
        except BaseException:
            session.close()
            raise
    return session


def _is_given(options: Sequence[str]) -> bool:
    context = click.get_current_context()
    return any(context.get_parameter_source(key) is ParameterSource.COMMANDLINE for key in options)


_GIVEN = {"session", "annotator", "as_json"}
"""Parameters that a function gets without declaring them."""
_WORKER = "acting_annotator"
"""Parameter of who works in the study; conditions on annotators have the other name."""


class CommandGroup(click.Group):
    """A group of commands, whose files are loaded when they are needed.

    Args:
        sections: heading -> name -> `file:function`, with the file in `app.cli`.
    """

    def __init__(self, *args: Any, sections: Mapping[str, Mapping[str, str]] | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        self._sections = sections or {}
        self._places = {name: place for places in self._sections.values() for name, place in places.items()}

    def command(  # type: ignore[override]
        self, name: str | None = None, **declared: Any
    ) -> Callable[[CommandFunction], click.Command]:
        """Make a command of this group; see `command`."""

        def add(function: CommandFunction) -> click.Command:
            made = command(name, **declared)(function)
            self.add_command(made)
            return made

        return add

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        return [*self._places] or super().list_commands(context)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a subcommand, or None if there is none of that name."""
        if name not in self._places:
            return super().get_command(context, name)
        file, function = self._places[name].split(":")
        found = getattr(import_module(f"app.cli.{file}"), function)
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names with the first sentence of each help, under their headings."""
        if not self._places:
            return super().format_commands(context, formatter)
        longest = max(map(len, self._places))
        room = formatter.width - longest - _HELP_MARGIN
        for heading, places in self._sections.items():
            found = [(name.ljust(longest), short_help(place, room)) for name, place in places.items()]
            with formatter.section(heading):
                formatter.write_dl([(name, line) for name, line in found if line])
        return None


def short_help(place: str, room: int) -> str:
    """Return the first sentence of a command's help, or "" for a hidden command.

    It is read from the source: importing all commands for a line each would take ten times as long.

    Args:
        place: `file:function`, with the file in `app.cli`.
        room: characters in a line.
    """
    file, function = place.split(":")
    source = Path(__file__).parent.joinpath(*file.split(".")).with_suffix(".py").read_text("utf-8")
    found = re.search(rf'^def {function}\(.*?"""(.*?)"""', source, re.DOTALL | re.MULTILINE)
    assert found is not None, place
    if "hidden=True" in source[: found.start()].rpartition("\n\n\n")[2]:
        return ""
    return click.Command(function, help=inspect.cleandoc(found[1])).get_short_help_str(room)


def recordings_or_all(session: "Session", recording: Recording | None) -> list[Recording]:
    """Return the recording that was given, or all of the study."""
    from project.queries.recording_rows import all_recordings

    return all_recordings(session.study) if recording is None else [recording]


KEEP_REST = option("Let in what only looks like somebody who withdrew.")
SOUND_TRACK = option(
    "Which of several sound tracks is used, from 1; by default the container's default.",
    metavar="N",
    type=click.IntRange(1),
)
