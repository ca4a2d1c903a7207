"""A run of judges as data: what is asked, how far it is, and what came of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import cast

from benchmark.judge_input.input_plan import InputPlan, InputSettings
from benchmark.judging.run_budget import Limits
from models.judges.judge_interface import Reply
from project.codec import dump, load
from project.entities.egress_policy import Forbidden
from project.entities.judgments import RAW_CONDITION, JudgeEntry, Judgment, JudgmentStatus, parse_target
from project.entities.study_records import Json
from project.errors import UserError
from project.text_format import pluralize


@dataclass(frozen=True, slots=True)
class AskRequest:
    """Which judges are asked what, and about what.

    Attributes:
        about: ids of segments, or keys of other things (`project.entities.judgments.JudgmentTarget.key`).
        task: key of `benchmark/prompts/judge_prompt.py`.
        condition: `RAW_CONDITION`, the id of the run that made a rendering, or a method: the newest rendering by it.
        sight: how much of a segment is shown; the kind of media and the number of frames are settings of the judge.
        frames: number of frames instead of the setting of each judge; None for the setting.
        again: ask again what was refused or could not be read.
        fresh: ask again even where there is an answer.
    """

    judges: Sequence[JudgeEntry]
    about: Sequence[str]
    task: str = "assess"
    variant: str = "plain"
    condition: str = RAW_CONDITION
    seed: int = 0
    sight: InputSettings = field(default_factory=InputSettings)
    frames: int | None = None
    budget: Limits = field(default_factory=Limits)
    again: bool = False
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class RunItem:
    """One request of a run: a judge is asked with a plan.

    Attributes:
        judge: position of the judge in the run.
        plan: position of the plan in the run.
        request_key: of the request as it was planned; shortening does not change it.
        about: what is asked about, `project.entities.judgments.JudgmentTarget.key`.
        shares: how often each answer was given by people, for `majority`.
    """

    judge: int
    plan: int
    request_key: str
    about: str
    shares: tuple[tuple[Mapping[str, Json], int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskParameters:
    """The parameters of a run.

    Attributes:
        run: id of the run, or of a part of it.
        entries: the judges, and those that coerce their answers.
        items: the requests, in the order in which they are made.
        again: ask again what was refused or could not be read.
        benchmark_runs: id of a judge -> id of its run of the benchmark.
        since: when it was prepared; requests that were answered later are not resumed.
    """

    run: str
    task: str
    variant: str
    seed: int
    limits: Limits
    entries: tuple[JudgeEntry, ...]
    plans: tuple[InputPlan, ...]
    items: tuple[RunItem, ...]
    again: bool = False
    fresh: bool = False
    benchmark_runs: Mapping[str, str] = field(default_factory=dict)
    since: str = ""

    def with_items(self, items: Sequence[RunItem]) -> "AskParameters":
        """Return a copy with some of its requests and the plans that they need."""
        needed = sorted({item.plan for item in items})
        positions = {plan: position for position, plan in enumerate(needed)}
        return replace(
            self,
            plans=tuple(self.plans[plan] for plan in needed),
            items=tuple(replace(item, plan=positions[item.plan]) for item in items),
        )

    def find_judge(self, name: str) -> JudgeEntry | None:
        """Return the judge with a name, or None."""
        return next((entry for entry in self.entries if entry.name == name), None)

    @property
    def only_recording(self) -> str:
        """The id of the one recording that it is about; "" where there are several."""
        ids = {plan.recording_id for plan in self.plans}
        return ids.pop() if len(ids) == 1 else ""

    def key_of(self, item: RunItem) -> tuple[str, str, str]:
        """Return what tells a request from all others: its key, its judge, and what is asked about."""
        return item.request_key, self.entries[item.judge].id, item.about


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """The progress of one judge in a run.

    Attributes:
        asking: what it is being asked about.
        done: requests that came back.
        failed: of these, with an error.
        stopped: why it is not asked any more; "" while it is.
    """

    judge_id: str
    judge: str
    asking: tuple[str, ...]
    waiting: int
    done: int
    failed: int
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """The progress of all judges in a run; it is answered with what to cancel."""

    judges: tuple[JudgeProgress, ...]


@dataclass(frozen=True, slots=True)
class CancelledRequests:
    """Ids of judges and what they are not asked about any more; "" for everything."""

    requests: tuple[tuple[str, str], ...] = ()


class RunMonitor:
    """The state of one run, in the process that has the study open."""

    def __init__(self) -> None:
        self.judges: tuple[JudgeProgress, ...] = ()
        self._cancelled: list[tuple[str, str]] = []

    def cancel(self, judge_id: str, about: str = "") -> None:
        """Cancel the requests of a judge about something, or all; it takes effect within half a second."""
        self._cancelled.append((judge_id, about))

    def exchange(self, question: Mapping[str, Json]) -> dict[str, Json]:
        """Keep the reported progress, and return what to cancel."""
        self.judges = load(ProgressReport, question, "progress").judges
        cancelled, self._cancelled = self._cancelled, []
        return dump(CancelledRequests(tuple(cancelled)))


_COUNT_FIELDS = ("answered", "unparsed", "refused", "failed", "withdrawn", "over_budget", "tokens_in", "tokens_out")
_MAX_LISTED = 20
"""Keys that a note lists at most on the command line."""


@dataclass(slots=True)
class RunNote:
    """Why requests of a judge were not made.

    Attributes:
        judge: its name; "" if the note holds for every judge.
        rule: of the policy that forbade it; "" for other reasons.
        about: what it was not asked about, keys of `project.entities.judgments.JudgmentTarget`.
    """

    judge_id: str
    judge: str
    message: str
    hint: str = ""
    rule: str = ""
    about: list[str] = field(default_factory=list)

    def title(self) -> str:
        """Return the judge and the message."""
        return f"{self.judge}: {self.message}" if self.judge else self.message

    def as_text(self) -> str:
        """Return it in one line, with the hint."""
        about = f" ({pluralize(len(self.about), subject_noun(self.about))})" if self.about else ""
        return " ".join(part for part in (f"{self.title()}{about}", self.hint) if part)

    def as_short_json(self) -> dict[str, Json]:
        """Return it as a JSON object of bounded size: `count`, and the first keys."""
        found = cast(dict[str, Json], asdict(self))
        return {**found, "count": len(self.about), "about": [*self.about[:_MAX_LISTED]]}


@dataclass(slots=True)
class RunOutcome:
    """Counts and costs of the requests of a run.

    Attributes:
        unparsed: with an answer that could not be read.
        refused: by the model or its server.
        failed: with an error.
        withdrawn: cancelled one by one.
        over_budget: not sent, because the budget had no room for them.
        tokens_in: read, of all requests that were counted.
        tokens_out: written.
    """

    answered: int = 0
    unparsed: int = 0
    refused: int = 0
    failed: int = 0
    withdrawn: int = 0
    over_budget: int = 0
    notes: list[RunNote] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    money: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def completed(self) -> int:
        """The number of requests that came back."""
        return self.answered + self.unparsed + self.refused + self.failed

    def count_reply(self, reply: Reply | Judgment, currency: str) -> None:
        """Count one reply, or the judgment that was made of it."""
        name = {JudgmentStatus.OK: "answered", JudgmentStatus.ERROR: "failed"}.get(reply.status, reply.status.value)
        setattr(self, name, getattr(self, name) + 1)
        self.tokens_in += reply.tokens_in or 0
        self.tokens_out += reply.tokens_out or 0
        if reply.cost is not None:
            self.money[currency] = self.money.get(currency, 0.0) + reply.cost

    def add(self, other: "RunOutcome") -> None:
        """Add the outcome of another part of the run; `seconds` stays, because parts may run in parallel."""
        for name in _COUNT_FIELDS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for currency, money in other.money.items():
            self.money[currency] = self.money.get(currency, 0.0) + money
        self.add_notes(other.notes)

    def add_notes(self, notes: Iterable[RunNote]) -> None:
        """Add notes; those of the same reason and judge become one."""
        for note in notes:
            same = [known for known in self.notes if (known.judge_id, known.message) == (note.judge_id, note.message)]
            if same:
                same[0].about += note.about
            else:
                self.notes.append(replace(note, about=[*note.about]))

    def add_note(self, entry: JudgeEntry | None, about: str, why: UserError) -> None:
        """Note why a request was not made, or none about anything (`about` ""); a reason of a judge is one note."""
        judge_id, name = (entry.id, entry.name) if entry else ("", "")
        rule = why.rule if isinstance(why, Forbidden) else ""
        self.add_notes([RunNote(judge_id, name, why.message, why.hint, rule, [about] if about else [])])

    def spending_text(self) -> str:
        """Return tokens and money so far, such as `12,340 tokens, 0.031 USD`."""
        tokens = self.tokens_in + self.tokens_out
        parts = [f"{tokens:,} tokens"] if tokens else []
        parts += [
            f"{money:,.3f} {currency}" if money >= 0.1 else f"{money:.4f} {currency}"
            for currency, money in self.money.items()
        ]
        return ", ".join(parts)

    def as_text(self) -> str:
        """Return it in one line."""
        parts = [pluralize(self.answered, "answer")]
        for number, what in (
            (self.unparsed, "unreadable"),
            (self.refused, "refused"),
            (self.failed, "failed"),
            (self.withdrawn, "withdrawn"),
            (self.over_budget, "not sent, for the budget"),
            (sum(len(note.about) for note in self.notes), "not sent"),
        ):
            if number:
                parts.append(f"{number} {what}")
        return ", ".join([*parts, *([self.spending_text()] if self.spending_text() else [])])

    def as_short_json(self) -> dict[str, Json]:
        """Return it as a JSON object of bounded size."""
        return {**asdict(self), "notes": [note.as_short_json() for note in self.notes]}


def refusal_error(notes: Sequence[RunNote]) -> UserError:
    """Return the error for a run in which nothing could be asked: a note of the policy, else the first one."""
    first = next((note for note in notes if note.rule), notes[0])
    if first.rule:
        return Forbidden(first.rule, first.title(), first.hint)
    return UserError(first.title(), first.hint)


def subject_noun(about: Iterable[str]) -> str:
    """Return the noun for what is asked about: `segment`, `question`, ...; `item` if mixed."""
    found = {parse_target(key).kind.value for key in about}
    return found.pop() if len(found) == 1 else "item"


def format_progress(left_s: float, spent: str) -> str:
    """Return the time left and what was spent, such as `about 3 min left · 12,340 tokens, 0.031 USD`."""
    if left_s < 1:
        left = ""
    elif left_s < 90:
        left = f"about {left_s:.0f} s left"
    else:
        left = f"about {left_s / 60:.0f} min left" if left_s < 5400 else f"about {left_s / 3600:.1f} h left"
    return " · ".join(part for part in (left, spent) if part)
