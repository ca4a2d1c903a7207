"""Cuts a run of judges into works that several workers do at the same time, and puts together what came of them.

A request is answered alike in whichever work it is. What holds for a run as a whole stays in one work:

- the pace of a server: all judges that ask it, also to bring answers into form, are asked from one place;
- a budget: one purse holds it, so all models are asked from one place; baselines cost nothing and are cut.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from app.core.jobs import Work
from app.core.judging.runs.budget import Limits
from app.core.judging.runs.lane import RunItem
from app.core.judging.runs.outcome import Outcome, outcome_from
from app.core.judging.runs.payload import Payload, payload_from
from models.judges.options import ModelOptions
from models.judges.registry import backend_of, options_of
from project.errors import UserError
from project.ids import new_id
from project.judging import JudgeEntry
from project.types import Json

_FINER = 3
"""Works of what loads nothing, for each of what does: small ones even out what some machines are slower."""


def pieces(work: Work, count: int) -> list[Work]:
    """Return works that together ask what a run asks, about as many as wished.

    Args:
        work: of the kind `ask`.
        count: of works that a model is loaded for; what loads nothing is cut finer.
    """
    payload = payload_from(work.parameters)
    groups: dict[str, list[RunItem]] = {}
    for one in payload.items:
        groups.setdefault(_place(payload, payload.entries[one.judge]), []).append(one)
    cut: list[Sequence[RunItem]] = []
    for place, items in groups.items():
        cut += [items] if place else _cut(items, payload, count)
    return [_work(work, payload, items) for items in cut]


def served(work: Work) -> frozenset[str]:
    """Return the ids of the judges at servers that a work asks; what asks the same one waits for its turn."""
    payload = payload_from(work.parameters)
    asked = [payload.entries[at] for at in {one.judge for one in payload.items}]
    seconds = [payload.named(str(one.settings.get("coerce", ""))) for one in asked]
    return frozenset(one.id for one in (*asked, *seconds) if one is not None and backend_of(one.backend).leaves)


def rest(work: Work, parts: Iterable[Mapping[str, Json]]) -> Work | None:
    """Return what is left of a work that was broken off after some answers were handed over; None where nothing is.

    Raises:
        UserError: it had a budget, and nobody knows what it spent last.
    """
    payload = payload_from(work.parameters)
    if payload.limits != Limits() and any(_costs(payload.entries[one.judge]) for one in payload.items):
        raise UserError(
            "It stopped, and what it spent last is not known.", "Ask again with what is left of the budget."
        )
    answered = {_key(one) for part in parts for one in cast(list[dict[str, Json]], part["judgments"])}
    left = [one for one in payload.items if _of(payload, one) not in answered]
    return _work(work, payload, left) if left else None


def together(results: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    """Return what came of several works of one run as the result of one."""
    found = Outcome()
    for one in map(outcome_from, results):
        found.add(one)
        found.seconds = max(found.seconds, one.seconds)
    return found.as_json()


def asked_and_answered(parts: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    """Return as a result what came of a work that broke off, by the answers that it handed over."""
    found = Outcome()
    for part in parts:
        for one in cast(list[dict[str, Any]], part["judgments"]):
            name = {"ok": "answered", "error": "failed"}.get(one["status"], one["status"])
            setattr(found, name, getattr(found, name) + 1)
            found.tokens_in += one["tokens_in"] or 0
            found.tokens_out += one["tokens_out"] or 0
            if one["cost"] is not None:
                currency = _currency(one["judge"])
                found.money[currency] = found.money.get(currency, 0.0) + one["cost"]
    return found.as_json()


def _cut(items: Sequence[RunItem], payload: Payload, count: int) -> list[Sequence[RunItem]]:
    """Cut requests at about equal lengths; those about one thing stay together, so that it is decoded once."""
    ordered = sorted(range(len(items)), key=lambda at: (_loads(payload.entries[items[at].judge]), items[at].plan, at))
    loading: dict[int, list[RunItem]] = {}
    for at in ordered:
        judge = items[at].judge
        loading.setdefault(judge if _loads(payload.entries[judge]) else -1, []).append(items[at])
    found: list[Sequence[RunItem]] = []
    for each in loading.values():
        wanted = max(1, count) if _loads(payload.entries[each[0].judge]) else max(1, count) * _FINER
        step = -(-len(each) // wanted)
        found += [each[start : start + step] for start in range(0, len(each), step)]
    return found


def _place(payload: Payload, entry: JudgeEntry) -> str:
    """Return what its requests have to stay together with; "" where they may be cut."""
    if payload.limits != Limits() and _costs(entry):
        return "budget"
    second = payload.named(str(entry.settings.get("coerce", "")))
    asked = [one.id for one in (entry, second) if one is not None and backend_of(one.backend).leaves]
    if not asked:
        return ""
    return "served" if any(one.settings.get("coerce") for one in payload.entries) else asked[0]


def _costs(entry: JudgeEntry) -> bool:
    return isinstance(options_of(entry.backend, entry.settings), ModelOptions)


def _loads(entry: JudgeEntry) -> bool:
    """Tell whether a model has to be loaded where a judge is asked."""
    return _costs(entry) and not backend_of(entry.backend).leaves


def _currency(judge: Mapping[str, Any]) -> str:
    options = options_of(judge["backend"], judge["settings"])
    return options.currency if isinstance(options, ModelOptions) else ""


def _work(work: Work, payload: Payload, items: Sequence[RunItem]) -> Work:
    return replace(work, parameters={**work.parameters, "run": new_id(), **payload.only(items).as_json()})


def _of(payload: Payload, one: RunItem) -> tuple[str, str, str]:
    return payload.entries[one.judge].id, one.about, one.request_key


def _key(judgment: Mapping[str, Any]) -> tuple[str, str, str]:
    from app.core.judging.runs.parts import judgment_from

    found = judgment_from(judgment)
    return found.judge_id, found.about.key, found.request_key
