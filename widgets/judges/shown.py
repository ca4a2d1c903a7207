"""What the page of judges shows, as facts."""

from dataclasses import dataclass, field
from enum import StrEnum

from widgets.label_looks import LabelLook


class State(StrEnum):
    """How far a judge is with a segment."""

    ANSWERED = "answered"
    NOT_ASKED = "not asked"
    WAITING = "waiting"
    ASKING = "asking"
    HIDDEN = "hidden"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    ERROR = "error"
    NOT_SENT = "not sent"
    PERSON = "person"


UNDER_WAY = frozenset({State.WAITING, State.ASKING})
FAILED = frozenset({State.UNPARSED, State.REFUSED, State.ERROR, State.NOT_SENT})


class Pair(StrEnum):
    """Whether a column and the next to it are one judge, with the footage raw and anonymized."""

    NONE = ""
    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A label, and the people who say the same or something else."""

    look: LabelLook
    agrees: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chip:
    """One choice; `shared` where half of the people made it, or of all columns where no person says anything."""

    text: str
    shared: bool


@dataclass(frozen=True, slots=True)
class Chips:
    """The choices of a field; none is an answer too."""

    chips: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """A text or a number; `differs` where another column says something else."""

    text: str
    differs: bool = False


Cell = Verdict | Chips | Words | None


@dataclass(frozen=True, slots=True)
class RowHead:
    """A row of the table; `differs` where the columns do not say the same."""

    key: str
    name: str
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """What one judge or person says.

    Attributes:
        key: tells columns apart.
        what: backend and model, or what a person's column is.
        condition: what the judge saw: `Raw`, or the name of a rendering; "" for people.
        said: a line about the state: why it is hidden, what went wrong.
        cells: one a row, by its key; a row that is missing has no answer.
        thoughts: what the model wrote before its answer.
        facts: time, tokens, cost, whether it was cached or mended, a line each.
        judgment_id: what is shown; "" where there is none.
        judge_id: who can be asked again; "" for people.
        own_condition: id of the condition, for asking again.
        takeable: rows whose words can be taken over into one's own form.
    """

    key: str
    name: str
    what: str
    state: State
    condition: str = ""
    said: str = ""
    cells: dict[str, Cell] = field(default_factory=dict)
    thoughts: str = ""
    facts: tuple[str, ...] = ()
    judgment_id: str = ""
    judge_id: str = ""
    own_condition: str = ""
    pair: Pair = Pair.NONE
    takeable: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Table:
    """Everything that is said about a segment."""

    rows: tuple[RowHead, ...]
    columns: tuple[Column, ...]
