"""Reads a run of a study into what was said about each item."""

from typing import cast

from app.core.benchmark.people import rounds_of
from app.core.judging.runs.run_answers import answer_key
from app.core.session import Session
from benchmark.results.base import Spent
from benchmark.results.judged import Became, became
from benchmark.suite.base import Entry, Said
from models.judges.options import ModelOptions
from models.judges.registry import BACKENDS, options_of
from project.item_sets import BenchmarkRun, FrozenItem
from project.queries.run_answers import GivenAnswer, failed_items, given_answers
from project.types import Json


def expected_of(entry: Entry, run: BenchmarkRun) -> tuple[str, ...]:
    """Return everything that a run asks about an item, `TASK` or `TASK/PART`; people are asked less than judges."""
    rounds = rounds_of(entry) if run.annotator_id is not None else entry.rounds
    return tuple(answer_key(one.task, part) for one in rounds for part in one.parts)


def said_in(
    session: Session, run: BenchmarkRun, entry: Entry, items: list[FrozenItem]
) -> tuple[list[tuple[Said, Became]], Spent]:
    """Return what was said in a run about each item of its set, in their order, and what it took.

    Raises:
        UserError: an answer is damaged.
    """
    answers = given_answers(session.study, run.id)
    failed = failed_items(session.study, run)
    expected = expected_of(entry, run)
    by_item: dict[str, list[GivenAnswer]] = {}
    for one in answers:
        by_item.setdefault(one.item_id, []).append(one)
    found = []
    for item in items:
        said = _said(item, by_item.get(item.id, []))
        found.append((said, became(said, expected, failed=item.id in failed)))
    return found, _spent(run, answers)


def _said(item: FrozenItem, given: list[GivenAnswer]) -> Said:
    costs = [one.cost for one in given if one.cost is not None]
    return Said(
        item.id,
        item.draw,
        item.recording_id,
        cast(dict[str, dict[str, Json]], item.content.get("truth", {})),
        {one.key: one.answer for one in given if one.status == "ok"},
        {one.key: one.status for one in given},
        cast(dict[str, Json], item.content.get("traits", {})),
        sum(one.ms for one in given),
        sum(costs) if costs else None,
    )


def _spent(run: BenchmarkRun, answers: list[GivenAnswer]) -> Spent:
    costs = [one.cost for one in answers if one.cost is not None]
    return Spent(
        {_currency(run): sum(costs)} if costs else {},
        sum(one.tokens_in for one in answers),
        sum(one.tokens_out for one in answers),
        sum(one.ms for one in answers),
        sum(one.cached for one in answers),
    )


def _currency(run: BenchmarkRun) -> str:
    backend, settings = str(run.judge.get("backend", "")), run.judge.get("settings")
    if backend not in BACKENDS or not isinstance(settings, dict):
        return ""
    options = options_of(backend, settings)
    return options.currency if isinstance(options, ModelOptions) else ""
