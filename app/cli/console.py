"""What commands say on the terminal: their answer as text or JSON, progress, and the question for a passphrase."""

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from project.entities.study_records import Changes
from project.errors import UserError
from project.progress import RemainingTimeEstimator, format_time_left
from project.text_format import escape_unprintable
from project.text_tables import Column, NumberFormat, TableCell, TextTable, shorten, table
from project.timebase import SECOND_US

if TYPE_CHECKING:
    from project.session.jobs import JobSpec
    from project.session.session import Session

REDRAW_INTERVAL_S = 0.1
BAR_WIDTH = 28
UNSCRUBBED_NOTE = (
    "Names and all else that is personal are in it. Scrubbed: greenroom pii apply, or greenroom release make."
)
"""The note printed after an export that was not scrubbed."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a command prints.

    Attributes:
        data: the object that `--json` prints.
        text: lines for people.
        exit_code: 0, or 2 if something has to be put right.
        problem: what could not be done; goes to standard error.
    """

    data: Mapping[str, Any]
    text: str | Iterable[str]
    exit_code: int = 0
    problem: str = ""


def print_output(answer: Output, as_json: bool) -> None:
    """Print an answer, as an object or as text for people."""
    text = answer.text if isinstance(answer.text, str) else "\n".join(answer.text)
    try:
        click.echo(to_json_line(answer.data) if as_json else _escape_lines(text))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(
            f"The result cannot be printed: {error.strerror}.", "The command itself was completed."
        ) from None
    if answer.problem:
        click.echo(f"greenroom: {answer.problem}", err=True)


def aligned(rows: Iterable[Sequence[str]], *titles: str) -> list[str]:
    """Return rows of texts as lines with aligned columns: the first one to the left, the others to the right."""

    def column(place: int, title: str) -> Column[Sequence[str]]:
        number = NumberFormat.FIGURE if place else NumberFormat.TEXT
        return Column("", title or " ", number, lambda row: TableCell(text=row[place]))

    columns = [column(place, title) for place, title in enumerate(titles)]
    return table_lines(table(rows, columns), headings=any(titles))


def table_lines(shown: TextTable, *, headings: bool = False, indent: str = "") -> list[str]:
    """Return a line for each row; on a terminal its texts are shortened so that a line fits."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return shown.lines(headings=headings, indent=indent, width=width)


def to_json_line(result: Mapping[str, Any]) -> str:
    """Return a JSON object on one line, escaped completely if standard output cannot encode every character.

    Unprintable characters are always escaped: what a model wrote must not steer the terminal that shows it.
    """
    line = json.dumps(result, ensure_ascii=False, default=_to_json)
    if not line.isprintable():
        line = "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in line)
    if line.encode(_encoding(), "ignore") == line.encode("utf-8", "surrogatepass"):
        return line
    return json.dumps(result, default=_to_json)


def record(value: Any, *left_out: str, **more: Any) -> dict[str, Any]:
    """Return a dataclass as `--json` prints it: its fields by name, but microseconds as seconds.

    Args:
        value: an object of a dataclass.
        left_out: fields that are not printed.
        more: what is printed with them, or in the place of a field.
    """
    printed = {spec.name: getattr(value, spec.name) for spec in fields(value) if spec.name not in left_out}
    seconds = {
        name.removesuffix("_us"): None if time is None else time / SECOND_US
        for name, time in printed.items()
        if name.endswith("_us")
    }
    return {name: part for name, part in printed.items() if not name.endswith("_us")} | seconds | more


def _to_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value):
        return record(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else list(value)


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
        line = shorten(f"{self._title} {escape_unprintable(state)}", shutil.get_terminal_size().columns - 1)
        click.echo(f"\r\033[K{line}", nl=False, err=True)

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


def run_job(session: "Session", work: "JobSpec[Any]", bar_type: type[Bar] = Bar) -> tuple[Any, Changes]:
    """Do a job with progress; returns its result and what it changed."""
    from project.session.jobs import run_inline

    bar = bar_type(work.title)
    try:
        return run_inline(session, work, bar)
    finally:
        bar.clear()


def ask_passphrase(path: Path, why: str) -> str | None:
    """Ask on the terminal for the passphrase of a file; None if there is no terminal."""
    if not sys.stdin.isatty():
        return None
    if why:
        click.echo(why, err=True)
    return str(click.prompt(f"Passphrase of {escape_unprintable(path.name)}", hide_input=True, err=True))
