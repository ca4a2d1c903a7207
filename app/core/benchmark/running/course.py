"""The questions of several runs, as works that one may do here, in the window's queue or on a cluster.

    course = Course(session, wanted, begin(session, wanted))
    while works := course.next(progress):
        ...                                    do each, then course.ended(work, result, error)

An answer is noted as its run's in the transaction that stores it (`run_answers`); one that was there already, when
it is looked up. So a course may be left at any moment: another one over the same runs asks what has no answer yet.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.core.benchmark.running.legs import Begun, Leg
from app.core.benchmark.running.wanted import Wanted
from app.core.jobs import Work
from app.core.judging.runs.asking import prepare
from app.core.judging.runs.budget import Limits
from app.core.judging.runs.cache import look_up
from app.core.judging.runs.lane import RunItem
from app.core.judging.runs.outcome import Note, Outcome, outcome_from
from app.core.judging.runs.payload import Payload, payload_from
from app.core.judging.runs.run_answers import RUNS, answer_key, run_answers
from app.core.judging.runs.splitting import together
from app.core.judging.runs.wanted import AskRequest
from app.core.judging.seeing.sight import SightSettings
from app.core.session import Session
from benchmark.suite.base import Round
from benchmark.suite.registry import entry_of
from project.after import part_after
from project.counted import counted
from project.errors import UserError
from project.item_sets import Shown
from project.judging import About, JudgeEntry, Judgment, Subject, about_from
from project.progress import Progress
from project.queries.item_sets import answers_of, insert_answers
from project.queries.run_answers import usable_answers
from project.types import Json


@dataclass(frozen=True, slots=True)
class _Step:
    """One request to some judges of a leg."""

    leg: Leg
    round: Round
    judges: Sequence[JudgeEntry]
    about: Sequence[str]


@dataclass(slots=True)
class _UnderWay:
    """A work that was given out.

    Attributes:
        later: requests that are equal to one of the work, and take its answer.
    """

    step: _Step
    payload: Payload
    later: Sequence[RunItem] = field(default_factory=tuple)


class Course:
    """Everything that several runs have to ask, one round after the other. It is used by the thread of its session.

    Attributes:
        outcome: of all that was asked so far; its notes say what was not, and why.
        cached: answers that were there already.
        total: questions, about: how many a later round has shows when the one before is over.
        settled: questions that need no more asking in this course.
    """

    def __init__(self, session: Session, wanted: Wanted, begun: Begun, *, at_once: bool = False) -> None:
        """Make it; nothing is asked yet.

        Args:
            session: of the study.
            wanted: what the runs were begun for.
            begun: the runs.
            at_once: whether `next` returns a round of every leg together, to be done at the same time; else one work
                after the other. Under a budget always the latter.
        """
        self.outcome = Outcome()
        self.outcome.notes += begun.refusals.notes
        self.cached = 0
        self.settled = 0
        self.changes = begun.changes
        self._session, self._wanted = session, wanted
        self._left = wanted.budget
        self._at_once = at_once and wanted.budget == Limits()
        self._legs = [_rounds(session, one) for one in begun.legs]
        self._flat = (step for steps in self._legs for group in steps for step in group)
        self._given: dict[str, _UnderWay] = {}
        self.total = sum(
            len(leg.items) * len(leg.judges) * sum(len(one.parts) for one in entry_of(leg.item_set.task).rounds)
            for leg in begun.legs
        )

    def next(self, progress: Progress) -> list[Work]:
        """Return what is to be asked next; [] when everything was.

        Raises:
            UserError: the judges' prices are in several currencies, and one budget is to hold them.
            RuntimeError: a work that was given out has not ended.
        """
        if self._given:
            raise RuntimeError("a round begins when the one before is over")
        if not self._at_once:
            for step in self._flat:
                if (work := self._work(step, progress)) is not None:
                    return [work]
            return []
        while self._legs:
            groups = [(steps, next(steps, None)) for steps in self._legs]
            self._legs = [steps for steps, group in groups if group is not None]
            asked = [self._work(step, progress) for _, group in groups for step in group or ()]
            if works := [one for one in asked if one is not None]:
                return works
        return []

    def ended(self, work: Work, result: Mapping[str, Json] | None, error: UserError | None = None) -> None:
        """Take note of what came of a work that `next` gave out.

        Args:
            work: as it was given out.
            result: of the job; None where it failed.
            error: why it failed, or a part of it.

        Raises:
            UserError: it failed under a budget, and nobody knows what it spent.
        """
        under_way = self._given.pop(str(work.parameters["run"]))
        items = [*under_way.payload.items, *under_way.later]
        self._settle(under_way.step.leg, replace(under_way.payload, items=tuple(items)))
        self.settled += len(items)
        if result is not None:
            self._count(outcome_from(result))
        if error is not None:
            if self._wanted.budget != Limits():
                raise error
            self.outcome.note(None, "", error)
            self.outcome.notes[-1].about.clear()

    def _work(self, step: _Step, progress: Progress) -> Work | None:
        """Return what of a step has to be asked, after noting what is answered already."""
        leg, request = step.leg, self._request(step)
        answered = _answered(self._session, leg)
        if not request.about:
            return None
        asking = prepare(self._session, request, progress)
        self.changes |= asking.changes
        self._note(leg, asking.cached)
        self._take(asking.notes)
        self.cached += len(asking.cached)
        self.settled += len(asking.cached) + sum(len(one.about) for one in asking.notes)
        if asking.work is None:
            return None
        payload = payload_from(asking.work.parameters)
        first, later = self._unequal(
            [
                one
                for one in payload.items
                if (leg.runs[payload.entries[one.judge].id].id, *_of(one.about, step.round.task)) not in answered
            ]
        )
        self.settled += len(payload.items) - len(first) - len(later)
        if not first:
            return None
        runs: dict[str, Json] = {one.id: leg.runs[one.id].id for one in leg.judges}
        asked = payload.only(first)
        parameters = {**asking.work.parameters, **asked.as_json(), RUNS: runs}
        work = replace(asking.work, title=_title(step, asked), parameters=parameters)
        self._given[str(parameters["run"])] = _UnderWay(step, asked, later)
        return work

    def _request(self, step: _Step) -> AskRequest:
        wanted, leg = self._wanted, step.leg
        return AskRequest(
            step.judges,
            step.about,
            step.round.task,
            wanted.variant,
            leg.condition,
            wanted.seed,
            SightSettings(words=leg.shown is not Shown.PICTURES),
            0 if leg.shown is Shown.WORDS else None,
            self._left,
            wanted.again,
            wanted.fresh,
        )

    def _unequal(self, items: Sequence[RunItem]) -> tuple[list[RunItem], list[RunItem]]:
        """Return requests that no other equals, and those that take the answer of one of them.

        An item that stands in several draws is asked once, unless everything is to be asked anew.
        """
        if self._wanted.fresh:
            return [*items], []
        seen: set[tuple[int, str]] = set()
        first: list[RunItem] = []
        later: list[RunItem] = []
        for one in items:
            key = (one.judge, one.request_key)
            (later if key in seen else first).append(one)
            seen.add(key)
        return first, later

    def _settle(self, leg: Leg, payload: Payload) -> None:
        """Note what has an answer by now and is not noted yet: what equals another, or was answered meanwhile."""
        if self._wanted.fresh:
            return
        answered = _answered(self._session, leg)
        left = [
            one
            for one in payload.items
            if (leg.runs[payload.entries[one.judge].id].id, *_of(one.about, payload.task)) not in answered
        ]
        known = look_up(self._session, left, payload.entries)
        self.changes |= known.changes
        self._note(leg, known.judgments)

    def _note(self, leg: Leg, judgments: Sequence[Judgment]) -> None:
        runs: dict[str, Json] = {judge: run.id for judge, run in leg.runs.items()}
        if answers := run_answers({RUNS: runs}, judgments):
            with self._session.study.recording_run():
                insert_answers(self._session.study, answers)

    def _take(self, notes: Sequence[Note]) -> None:
        for note in notes:
            same = [one for one in self.outcome.notes if (one.judge_id, one.message) == (note.judge_id, note.message)]
            if same:
                same[0].about += note.about
            else:
                self.outcome.notes.append(note)

    def _count(self, found: Outcome) -> None:
        money, tokens = self._left.money, self._left.tokens
        if money is not None:
            money = max(0.0, money - sum(found.money.values()))
        if tokens is not None:
            tokens = max(0, tokens - found.tokens_in - found.tokens_out)
        self._left = Limits(money, tokens)
        seconds = self.outcome.seconds + found.seconds
        self.outcome = outcome_from(together([self.outcome.as_json(), found.as_json()]))
        self.outcome.seconds = round(seconds, 3)


def _rounds(session: Session, leg: Leg) -> Iterator[list[_Step]]:
    """Yield the requests of one round after the other; what a round asks about is read when its turn comes."""
    for one in entry_of(leg.item_set.task).rounds:
        answered = _answered(session, leg)
        if not one.after:
            about = [
                About(Subject.ITEM, item.id, part).key
                for item in leg.items
                for part in one.parts
                if any((run.id, item.id, answer_key(one.task, part)) not in answered for run in leg.runs.values())
            ]
            yield [_Step(leg, one, leg.judges, about)] if about else []
            continue
        steps = []
        for judge in leg.judges:
            run = leg.runs[judge.id]
            before = usable_answers(session.study, run.id)
            about = [
                About(Subject.ITEM, item.id, part_after(part, said)).key
                for item in leg.items
                for part in one.parts
                if (said := before.get((item.id, part))) is not None
                and (run.id, item.id, answer_key(one.task, part)) not in answered
            ]
            if about:
                steps.append(_Step(leg, one, (judge,), about))
        yield steps


def _answered(session: Session, leg: Leg) -> set[tuple[str, str, str]]:
    """Return run, item and key of all answers of a leg's runs."""
    return {
        (one.run_id, one.item_id, one.part) for run in leg.runs.values() for one in answers_of(session.study, run.id)
    }


def _of(key: str, task: str) -> tuple[str, str]:
    """Return the item of a request, and what its answer goes by."""
    about = about_from(key)
    return about.id, answer_key(task, about.part)


def _title(step: _Step, payload: Payload) -> str:
    names = [payload.entries[at].name for at in sorted({one.judge for one in payload.items})]
    who = ", ".join(names) if len(names) <= 3 else f"{len(names)} judges"
    items = counted(len({about_from(one.about).id for one in payload.items}), "item")
    return f"{step.leg.item_set.name}: ask {who} about {items}"
