"""Which part of a study the items of a task come from, by the key that a task names."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import cast

from app.core.benchmark.sets.renderings import methods_of, only_rendered
from app.core.benchmark.sets.segments import KEPT_BACK
from app.core.benchmark.sets.wishes import HELD_OUT, Wishes
from app.core.judging.seeing.examples import usable
from app.core.judging.seeing.option_homes import homes_of_options
from app.core.session import Session
from benchmark.items.base import Candidate, Pool
from project.queries.hold_outs import hold_outs
from project.questions import question_from
from project.types import Json

SOURCES: Mapping[str, str] = {
    "segments": "app.core.benchmark.sets.segments:segment_pool",
    "statements": "app.core.benchmark.sets.statements:statement_pool",
    "explanations": "app.core.benchmark.sets.statements:explanation_pool",
    "rendered": "app.core.benchmark.sets.renderings:rendered_pool",
    "chain questions": "app.core.benchmark.sets.questions:chain_pool",
    "written questions": "app.core.benchmark.sets.questions:written_pool",
    "esi questions": "app.core.benchmark.sets.questions:esi_pool",
    "ratings": "app.core.benchmark.sets.ratings:rating_pool",
}
"""Key of a source -> a function of a session and wishes that returns its pool."""
Source = Callable[[Session, Wishes], Pool]
UNWILLING = "somebody in it is not willing that models see them"


def resolved(session: Session, source: str, wishes: Wishes) -> Wishes:
    """Return wishes with what follows from the study: where conditions are compared, all of them if none is named.

    Raises:
        UserError: something of them is not known.
    """
    wishes.require_known()
    if source == "rendered" and not wishes.conditions:
        return replace(wishes, conditions=methods_of(session))
    return wishes


def pool_of(session: Session, source: str, wishes: Wishes) -> Pool:
    """Return what the items of a task can be drawn from; never of a recording that is held out, unless it is wished.

    Whether everybody is willing is asked of all recordings that words are from, so that wrong options, which are drawn
    from the same pool, are of willing people too.

    Raises:
        UserError: something that is wished is not there.
    """
    wishes = resolved(session, source, wishes)
    module, _, name = SOURCES[source].partition(":")
    pool = cast(Source, getattr(import_module(module), name))(session, wishes)
    if wishes.conditions:
        pool = only_rendered(session, pool, wishes.conditions)
    if HELD_OUT not in wishes.include:
        kept_back = hold_outs(session.study)
        pool = _only(pool, lambda one: one.recording_id not in kept_back, KEPT_BACK)
    if wishes.willing:
        pool = _only(pool, lambda one: all(usable(session, home) for home in _homes(session, one)), UNWILLING)
    return pool


def _only(pool: Pool, fits: Callable[[Candidate], bool], otherwise: str) -> Pool:
    """Return a pool of what fits; the other candidates are counted."""
    candidates = [one for one in pool.candidates if fits(one)]
    left_out = dict(pool.left_out)
    if number := len(pool.candidates) - len(candidates):
        left_out[otherwise] = left_out.get(otherwise, 0) + number
    return replace(pool, candidates=candidates, gaps=[one for one in pool.gaps if fits(one)], left_out=left_out)


def _homes(session: Session, one: Candidate) -> Iterator[str]:
    """Yield the recording of a candidate, and those that options of its question were taken from."""
    yield one.recording_id
    question = one.content.get("question")
    if question:
        yield from homes_of_options(session, question_from(cast(dict[str, Json], question)))
