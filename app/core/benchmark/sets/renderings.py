"""Segments of which several renderings can be shown, so that every condition is about the same moments."""

from collections.abc import Mapping
from dataclasses import replace

from app.core.benchmark.sets.segments import segment_pool
from app.core.benchmark.sets.wishes import Wishes
from app.core.judging.seeing.conditions import KIND
from app.core.leaving.clip import clip_of
from app.core.session import Session
from benchmark.items.base import Candidate, Pool
from project.errors import UserError
from project.queries.recordings import all_recordings
from project.queries.runs import runs_of
from project.types import Run

NOT_RENDERED = "not to be seen in every condition"


def methods_of(session: Session) -> tuple[str, ...]:
    """Return the methods by which any recording was rendered, by name."""
    runs = [run for one in all_recordings(session.study) for run in runs_of(session.study, one.id, KIND)]
    return tuple(sorted({run.backend for run in runs}))


def rendered_pool(session: Session, wishes: Wishes) -> Pool:
    """Return the segments that can be seen in every condition that is wished, and as they were recorded.

    Raises:
        UserError: no recording was rendered.
    """
    if not wishes.conditions:
        raise UserError(
            "No recording of this study has a rendering, so conditions cannot be compared.",
            "Export some first: greenroom anonymize",
        )
    return segment_pool(session, wishes)


def only_rendered(session: Session, pool: Pool, methods: tuple[str, ...]) -> Pool:
    """Return what of a pool lies in renderings by every one of some methods; the others are counted.

    Gaps are shortened to what was rendered.

    Raises:
        UserError: no recording was rendered by one of them.
    """
    known = methods_of(session)
    if unknown := [one for one in methods if one not in known]:
        raise UserError(
            f"No recording of this study was rendered by “{unknown[0]}”.",
            f"There is {', '.join(known)}." if known else "Export some first: greenroom anonymize",
        )
    shown = {one.id: _shown(session, one.id, one.duration_us, methods) for one in all_recordings(session.study)}
    kept = [one for one in pool.candidates if _fits(shown, one)]
    left_out = {**pool.left_out}
    if number := len(pool.candidates) - len(kept):
        left_out[NOT_RENDERED] = left_out.get(NOT_RENDERED, 0) + number
    gaps = [
        replace(one, start_us=max(start, one.start_us), end_us=min(end, one.end_us))
        for one in pool.gaps
        for start, end in shown[one.recording_id]
        if max(start, one.start_us) < min(end, one.end_us)
    ]
    return replace(pool, candidates=kept, gaps=gaps, left_out=left_out)


def _fits(shown: Mapping[str, list[tuple[int, int]]], one: Candidate) -> bool:
    return any(start <= one.start_us and one.end_us <= end for start, end in shown[one.recording_id])


def _shown(session: Session, recording_id: str, duration_us: int, methods: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the stretch of a recording that the newest rendering of each method shows, if each has one."""
    newest: dict[str, Run] = {}
    for run in runs_of(session.study, recording_id, KIND):
        if run.backend in methods:
            newest.setdefault(run.backend, run)
    if len(newest) < len({*methods}) or any(clip_of(session, run) is None for run in newest.values()):
        return []
    starts = [_at(run, "start_us", 0) for run in newest.values()]
    ends = [_at(run, "end_us", duration_us) for run in newest.values()]
    return [(max(starts), min(ends))] if max(starts) < min(ends) else []


def _at(run: Run, key: str, otherwise: int) -> int:
    value = run.parameters.get(key)
    return value if isinstance(value, int) else otherwise
