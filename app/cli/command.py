"""What commands share: lazy groups, the argument `STUDY`, the option `--json`, progress and the passphrase prompt."""

import inspect
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from project.entities.study_records import Json
from project.errors import UserError
from project.progress import RemainingTimeEstimator, format_time_left
from project.text_format import escape_unprintable


class LazyGroup(click.Group):
    """Loads the file of a subcommand when it is needed.

    Args:
        places: name -> `file:function`, with the file in `app.cli`.
    """

    def __init__(self, *args: Any, places: Mapping[str, str], **more: Any) -> None:
        super().__init__(*args, **more)
        self._places = places

    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names, in the order of the table."""
        return [*self._places]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """Return a subcommand, or None if there is none of that name."""
        if name not in self._places:
            return None
        file, function = self._places[name].split(":")
        found = getattr(import_module(f"app.cli.{file}"), function)
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the names with the first sentence of each help."""
        room = formatter.width - 6 - max(map(len, self._places))
        lines = [(name, short_help(place, room)) for name, place in self._places.items()]
        with formatter.section("Commands"):
            formatter.write_dl(lines)


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


Function = TypeVar("Function", bound=Callable[..., Any])
STUDY = click.argument("study", type=click.Path(path_type=Path))
KEEP_REST = click.option("--keep-rest", is_flag=True, help="Let in what only looks like somebody who withdrew.")
"""The argument for the study that a command works on."""
SOUND_TRACK = click.option(
    "--sound",
    metavar="N",
    type=click.IntRange(1),
    default=None,
    help="Which of several sound tracks is used, from 1; the container's default when not given.",
)
"""The option for the sound track of a file that is added."""
REDRAW_INTERVAL_S = 0.1
BAR_WIDTH = 28

UNSCRUBBED_NOTE = "Names and all else that is personal are in it. Scrubbed: greenroom pii apply, or greenroom release."
"""The note printed after an export that was not scrubbed."""


def json_option(function: Function) -> Function:
    """Give a command the option `--json`, passed to it as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")(function)


def print_result(as_json: bool, result: Mapping[str, Json], text: str) -> None:
    """Print the result of a command, as an object or as text for people."""
    try:
        click.echo(to_json_line(result) if as_json else _escape_lines(text))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(f"The result cannot be printed: {error.strerror}.", "What was asked for is done.") from None


def to_json_line(result: Mapping[str, Json]) -> str:
    """Return a JSON object on one line, escaped completely if standard output cannot encode every character.

    Unprintable characters are always escaped: what a model wrote must not steer the terminal that shows it.
    """
    line = json.dumps(result, ensure_ascii=False)
    if not line.isprintable():
        line = "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in line)
    return line if line.encode(_encoding(), "ignore") == line.encode("utf-8", "surrogatepass") else json.dumps(result)


def _escape_lines(text: str) -> str:
    """Return lines with unprintable characters escaped: the name of a file must not steer the terminal."""
    lines = "\n".join(escape_unprintable(line) for line in text.split("\n"))
    return lines.encode(_encoding(), "backslashreplace").decode(_encoding())


def _encoding() -> str:
    return sys.stdout.encoding or "utf-8"


class Bar:
    """Progress on standard error: a line that redraws itself on a terminal, nothing elsewhere."""

    def __init__(self, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._title = escape_unprintable(title)
        self._shown = sys.stderr.isatty()
        self._clock = clock
        self._remaining = RemainingTimeEstimator(clock)
        self._last = 0.0

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Draw `done` of `total` with the time left."""
        now = self._clock()
        if not self._shown or (now - self._last < REDRAW_INTERVAL_S and done != total):
            return
        self._last = now
        left = format_time_left(self._remaining.estimate(done, total))
        if total:
            filled = min(BAR_WIDTH, BAR_WIDTH * done // total)
            drawn = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {100 * done // total:3d}%"
            state = "  ".join(part for part in (drawn, left, text) if part)
        else:
            state = f"{done}  {text}"
        click.echo(f"\r\033[K{self._title} {escape_unprintable(state)}", nl=False, err=True)

    def check_cancelled(self) -> None:
        """Do nothing: Ctrl+C ends a command by itself."""

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            click.echo("\r\033[K", nl=False, err=True)


@contextmanager
def progress_bar(title: str) -> Iterator[Bar]:
    """Show progress while the block runs."""
    bar = Bar(title)
    try:
        yield bar
    finally:
        bar.clear()


def ask_passphrase(path: Path, why: str) -> str | None:
    """Ask on the terminal for the passphrase of a file; None if there is no terminal."""
    if not sys.stdin.isatty():
        return None
    if why:
        click.echo(why, err=True)
    return str(click.prompt(f"Passphrase of {escape_unprintable(path.name)}", hide_input=True, err=True))
