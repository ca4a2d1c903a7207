"""What a report consists of, before it is written in any format."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from project.types import Json


class Number(StrEnum):
    """How the values of a column are written."""

    SHARE = "share"
    """0.57, with ± of the draws: as SHREC's tables."""
    FIGURE = "figure"
    """0.571."""
    SIGNED = "signed"
    """+0.057."""
    COUNT = "count"
    SECONDS = "seconds"
    MONEY = "money"
    P = "p"
    TEXT = "text"


class Standing(StrEnum):
    """Whose row it is."""

    JUDGE = "judge"
    PERSON = "person"
    BASELINE = "baseline"
    CHANCE = "chance"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a number leads: a list of items, and a part of it.

    Attributes:
        list: key of an `ItemList`.
        part: key of one of its parts; "" for all items.
    """

    list: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of a table.

    Attributes:
        value: None where there is none; `why` may say why.
        sd: standard deviation over draws.
        low: lower end of the 95 % interval.
        high: upper end of it.
        n: items.
        text: written in place of a number.
        target: the items that it is about.
        why: why there is no value, or what else is to be known of it, in one sentence.
        best: no other of the study's own judges has a better one.
    """

    value: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    text: str = ""
    target: Target | None = None
    why: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One column; neighbours of the same `group` share a heading."""

    key: str
    name: str
    number: Number = Number.SHARE
    group: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row; `source` is where a published one stands."""

    name: str
    standing: Standing
    cells: tuple[Cell, ...]
    source: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; each row has a cell for each column.

    Attributes:
        key: name of its files.
        note: under the title.
        corner: heading of the names of rows.
    """

    key: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    corner: str = "Judge"


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot as files.

    Attributes:
        key: name of its files.
        words: its numbers as text, for those who do not see it.
        csv: its numbers as a table.
    """

    key: str
    title: str
    words: str
    svg: bytes
    png: bytes
    csv: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What was to be answered about an item, and what was.

    Attributes:
        truth: the right answer.
        said: the answer.
        traits: by which figures are broken down.
    """

    truth: str
    said: str
    traits: str


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One item, and what came of it.

    Attributes:
        number: in its list, from 1.
        draw: from 1.
        recording: its number in the study.
        recording_id: of it.
        outcome: `right`, `wrong`, `unparsed`, `refused`, `error`, `not asked`; `answered` where nothing is right.
        keys: for programs, in keys of schemes and numbers.
        words: for people, in the names that go with the keys.
        leaves: whether a report may tell of it: its recording may leave.
        texts: name -> text that may be private; {} unless they were asked for.
    """

    number: int
    draw: int
    recording: int
    recording_id: str
    start_us: int
    end_us: int
    outcome: str
    keys: Answered
    words: Answered
    ms: int
    leaves: bool = True
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemPart:
    """Some items of a list, by number, under a title."""

    key: str
    title: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ItemList:
    """All items of one run.

    Attributes:
        key: name of its page.
        task: name of the task.
        judge: who answered, as in the tables.
        withheld: items that are counted and not listed: their recording may not leave, or somebody still answers them.
    """

    key: str
    task: str
    judge: str
    item_set: str
    lines: tuple[ItemLine, ...]
    parts: tuple[ItemPart, ...]
    withheld: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it; `lines` are paragraphs."""

    key: str
    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report.

    Attributes:
        at: when it was made, UTC, ISO 8601.
        warning: what a reader has to know before passing it on; "" where nothing.
        facts: under the title: name -> text.
        results: what a program reads, and a later report compares with.
    """

    title: str
    at: str
    warning: str
    facts: Mapping[str, str]
    sections: tuple[Section, ...]
    lists: tuple[ItemList, ...]
    results: Mapping[str, Json] = field(default_factory=dict)
