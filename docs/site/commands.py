"""Every command of the command line, as its own help tells it."""

import inspect
from collections.abc import Iterator

import click

from app.cli.command import HIDDEN
from app.cli.command_table import SECTIONS
from app.cli.main import greenroom as program
from docs.site.markdown import code, codes, paragraph, table

_NOT_SAID = {"help"}


def commands() -> str:
    """Return a section for each heading of `greenroom --help`, with its commands."""
    context = click.Context(program, info_name="greenroom")
    parts = []
    for heading, names in SECTIONS.items():
        parts += [f"## {heading}\n"] if heading != HIDDEN else []
        for name in names if heading != HIDDEN else ():
            found = program.get_command(context, name)
            assert found is not None
            parts += [_section(path, command) for path, command in _leaves(found, f"greenroom {name}")]
    return "\n".join(parts)


def _leaves(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _leaves(found, f"{path} {name}")


def _section(path: str, command: click.Command) -> str:
    if isinstance(command, click.Group):
        return f"### {path}\n\n{_told(command)}\n"
    options = [param for param in command.params if isinstance(param, click.Option) and param.name not in _NOT_SAID]
    listed = (
        table(("Option", "What it does"), ((_flags(option), _meaning(option)) for option in options)) if options else ""
    )
    return f"### {path}\n\n    {_usage(path, command)}\n\n{_told(command)}\n\n{listed}"


def _usage(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path)
    return " ".join([path, *command.collect_usage_pieces(context)])


def _told(command: click.Command) -> str:
    """Return the help: its paragraphs, and what it marks as preformatted as code."""
    parts = []
    for part in inspect.cleandoc(command.help or "").split("\n\n"):
        if part.startswith("\b"):
            lines = part.lstrip("\b\n").splitlines()
            first, rest = (lines[:1], lines[1:]) if lines[0].rstrip().endswith(":") else ([], lines)
            indent = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
            parts += [*first, "\n".join(f"    {line[indent:]}" for line in rest)]
        else:
            parts.append(paragraph(part))
    return "\n\n".join(parts)


def _flags(option: click.Option) -> str:
    names = codes([*option.opts, *option.secondary_opts])
    if option.is_flag or option.count:
        return names
    return f"{names} {code(option.make_metavar(click.Context(click.Command(None))))}"


def _meaning(option: click.Option) -> str:
    more = []
    if option.required:
        more.append("Must be given.")
    usual = option.default
    if not option.is_flag and isinstance(usual, str | int | float) and str(usual) and not callable(usual):
        more.append(f"Usually {code(usual)}.")
    if option.envvar:
        more.append(f"Or the variable {codes([option.envvar] if isinstance(option.envvar, str) else option.envvar)}.")
    return " ".join([paragraph(option.help), *more])
