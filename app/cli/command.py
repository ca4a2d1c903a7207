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

from app.cli.command_help import OPTIONS, StudioCommand, StudioOption
from app.cli.console import Output, print_output
from project.entities.study_records import Participant, Recording
from project.timebase import parse_time

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from project.session.session import Session

_HELP_MARGIN = 4
"""Columns of the help before and after the name of a command."""
_COMPLETION_WIDTH = 60
HIDDEN = ""
"""The heading of commands that no help lists."""
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
        return [StudioOption([*names, name], **settings)]

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
            StudioOption([f"--{flag}", name], flag_value=flag, default=None, help=text)
            for flag, text in self.settings.items()
        ]


@dataclass(frozen=True, slots=True)
class OptionGroup(Declaration):
    """Options that are passed as one object.

    Attributes:
        declared: name -> its type and declaration.
        build: makes the object of the values.
        heading: over them in the help.
    """

    declared: Mapping[str, tuple[Any, Declaration]] = field(default_factory=dict)
    build: Callable[..., Any] = dict
    heading: str = OPTIONS

    def parameters(self, name: str, annotation: Any) -> list[click.Parameter]:  # noqa: ARG002
        """Return the options of all."""
        parameters = [
            parameter
            for own, (kind, declaration) in self.declared.items()
            for parameter in declaration.parameters(own, kind)
        ]
        for parameter in parameters:
            if isinstance(parameter, StudioOption):
                parameter.heading = self.heading
        return parameters

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


def options_of(kind: type[Any], heading: str = OPTIONS) -> Any:
    """Declare the options of a dataclass, whose fields have them as default values."""
    declared = {spec.name: (spec.type, _declared(spec.default)) for spec in fields(kind)}
    return OptionGroup(declared=declared, build=kind, heading=heading)


def _declared(default: object) -> Declaration:
    assert isinstance(default, Declaration)
    return default


def given_options(heading: str = OPTIONS, /, **declared: tuple[Any, Any]) -> Any:
    """Declare options that are passed together: name -> value, of those that were given.

    Args:
        heading: over them in the help.
        declared: name -> its type and declaration.
    """
    return OptionGroup(declared=declared, build=_keep_given, heading=heading)


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
    *,
    study: StudyAccess = READ,
    edits: Sequence[str] = (),
    reads: Sequence[str] = (),
    annotator: Any = None,
) -> Callable[[CommandFunction], click.Command]:
    """Make a command of a function; its docstring is the help, its parameters are arguments and options.

    A parameter `session` becomes the argument STUDY, and the open study. A parameter `as_json` tells whether an object
    is printed, and a parameter `annotator` without a default value who works in the study.

    Args:
        study: how the study is opened.
        edits: options by which a command that reads becomes one that edits.
        reads: options by which a command that edits becomes one that reads.
        annotator: declares the option of that name: who works in the study.
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

        return StudioCommand(
            function.__name__, callback=callback, params=parameters, help=inspect.cleandoc(function.__doc__ or "")
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


Place: TypeAlias = "str | CommandGroup"
"""`module:function` of a command, with the module in `app.cli`; or a group."""


class CommandGroup(click.Group):
    """A group of commands, each of which is imported when it runs.

    Neither the help nor the completion of a group imports a command: that would take ten times as long.

    Attributes:
        sections: heading of the help -> name -> its place.
    """

    def __init__(self, *args: Any, sections: Mapping[str, Mapping[str, Place]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.sections = sections
        self._places = {name: place for places in sections.values() for name, place in places.items()}
        for name, place in self._places.items():
            if isinstance(place, CommandGroup):
                place.name = name

    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names, in the order of the table."""
        return [*self._places]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a subcommand, or None if there is none of that name."""
        place = self._places.get(name)
        if not isinstance(place, str):
            return place
        if context.resilient_parsing:
            from app.cli.completion import completed_command

            return completed_command(name, place, lambda: load_command(name, place))
        return load_command(name, place)

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands with the first sentence of each help; the options are in the line of the usage."""
        longest = max(map(len, self._places))
        room = formatter.width - longest - _HELP_MARGIN
        for heading, places in self.sections.items():
            if heading != HIDDEN:
                with formatter.section(heading):
                    formatter.write_dl(
                        [(name.ljust(longest), short_help(place, room)) for name, place in places.items()]
                    )

    def shell_complete(self, context: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Return the commands and options that begin with a text."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=short_help(place, _COMPLETION_WIDTH))
            for heading, places in self.sections.items()
            for name, place in places.items()
            if heading != HIDDEN and name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, context, incomplete)


def command_group(help_text: str, commands: Mapping[str, Place]) -> CommandGroup:
    """Return a group whose help lists all commands under one heading."""
    return CommandGroup(sections={"Commands": commands}, help=inspect.cleandoc(help_text), options_metavar="[--help]")


def load_command(name: str, place: str) -> click.Command:
    """Import a command."""
    module, function = place.split(":")
    found = getattr(import_module(f"app.cli.{module}"), function)
    assert isinstance(found, click.Command)
    found.name = name
    return found


def short_help(place: Place, room: int) -> str:
    """Return the first sentence of the help of a command or group.

    That of a command is read from the source, because an import takes longer.
    """
    if isinstance(place, CommandGroup):
        return place.get_short_help_str(room)
    module, function = place.split(":")
    source = Path(__file__).parent.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8")
    found = re.search(rf'^def {function}\(.*?"""(.*?)"""', source, re.DOTALL | re.MULTILINE)
    assert found is not None, place
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
