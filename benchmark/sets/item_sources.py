"""The sources of items: functions that read a candidate pool from a study, and filters by rendering and consent."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from annotate.study.leave_permission import LeaveUse, may_leave
from anonymize.privacy.exported_clips import find_unchanged_clip
from benchmark.disclosure.conditions import RENDERING_KIND, may_send_words, option_recordings
from benchmark.items.candidates import CandidatePool, ItemCandidate
from benchmark.items.sampling import HELD_OUT, SamplingOptions
from benchmark.sets.agreed_segments import IN_HOLD_OUT, segment_pool
from project.entities.questions import question_from_json
from project.entities.study_records import Json, Run
from project.errors import UserError
from project.plugins.plugin_registry import Plugins
from project.queries.history_rows import runs_of
from project.queries.recording_rows import all_recordings
from project.session.session import Session

NOT_RENDERED = "not to be seen in every condition"


def rendering_methods(session: Session) -> tuple[str, ...]:
    """Return the methods by which any recording was rendered, sorted."""
    runs = [
        run
        for recording in all_recordings(session.study)
        for run in runs_of(session.study, recording.id, RENDERING_KIND)
    ]
    return tuple(sorted({run.backend for run in runs}))


def rendered_pool(session: Session, wishes: SamplingOptions) -> CandidatePool:
    """Return the segments that have a rendering in all conditions of the options."""
    if not wishes.conditions:
        raise UserError(
            "No recording of this study is rendered, so conditions cannot be compared.",
            "Export some first: greenroom anonymize export",
        )
    return segment_pool(session, wishes)


def filter_rendered(session: Session, pool: CandidatePool, methods: tuple[str, ...]) -> CandidatePool:
    """Return the candidates of a pool that lie in renderings by all of some methods; others are counted.

    Gaps are shortened to the rendered spans.
    """
    known = rendering_methods(session)
    if unknown := [method for method in methods if method not in known]:
        raise UserError(
            f"No recording of this study is rendered by “{unknown[0]}”.",
            f"Choose one of {', '.join(known)}." if known else "Export some first: greenroom anonymize export",
        )
    shown = {
        recording.id: _rendered_spans(session, recording.id, recording.duration_us, methods)
        for recording in all_recordings(session.study)
    }
    kept = _filter_pool(pool, lambda candidate: _is_inside(shown, candidate), NOT_RENDERED)
    gaps = [
        replace(gap, start_us=max(start, gap.start_us), end_us=min(end, gap.end_us))
        for gap in pool.gaps
        for start, end in shown[gap.recording_id]
        if max(start, gap.start_us) < min(end, gap.end_us)
    ]
    return replace(kept, gaps=gaps)


def _is_inside(shown: Mapping[str, list[tuple[int, int]]], candidate: ItemCandidate) -> bool:
    return any(start <= candidate.start_us and candidate.end_us <= end for start, end in shown[candidate.recording_id])


def _rendered_spans(
    session: Session, recording_id: str, duration_us: int, methods: tuple[str, ...]
) -> list[tuple[int, int]]:
    """Return the span that the newest renderings of all methods cover; [] if a method has none."""
    newest: dict[str, Run] = {}
    for run in runs_of(session.study, recording_id, RENDERING_KIND):
        if run.backend in methods:
            newest.setdefault(run.backend, run)
    if len(newest) < len({*methods}) or any(find_unchanged_clip(session, run) is None for run in newest.values()):
        return []
    starts = [_run_parameter(run, "start_us", 0) for run in newest.values()]
    ends = [_run_parameter(run, "end_us", duration_us) for run in newest.values()]
    return [(max(starts), min(ends))] if max(starts) < min(ends) else []


def _run_parameter(run: Run, key: str, otherwise: int) -> int:
    value = run.parameters.get(key)
    return value if isinstance(value, int) else otherwise


POOL_SOURCES = Plugins[CandidatePool](
    "source of items",
    {
        "segments": "benchmark.sets.agreed_segments:segment_pool",
        "statements": "benchmark.sets.rated_material:statement_pool",
        "explanations": "benchmark.sets.rated_material:explanation_pool",
        "rendered": "benchmark.sets.item_sources:rendered_pool",
        "chain questions": "benchmark.sets.verified_questions:chain_pool",
        "written questions": "benchmark.sets.verified_questions:written_pool",
        "esi questions": "benchmark.sets.verified_questions:esi_pool",
        "ratings": "benchmark.sets.rated_material:rating_pool",
    },
)
"""Key of a source -> function of a session and options that returns its pool."""
UNWILLING = "somebody in it is not willing that models see them"


def resolve_options(session: Session, source: str, wishes: SamplingOptions) -> SamplingOptions:
    """Return options with all conditions of the study, if conditions are compared and none is named."""
    wishes.require_known()
    if source == "rendered" and not wishes.conditions:
        return replace(wishes, conditions=rendering_methods(session))
    return wishes


def read_pool(session: Session, source: str, wishes: SamplingOptions) -> CandidatePool:
    """Return the pool of a task; recordings that are held out are only in it if the options include them.

    Consent is checked for all recordings that words are from, so that wrong options, which are drawn from the same
    pool, are covered too.
    """
    wishes = resolve_options(session, source, wishes)
    pool = POOL_SOURCES.make(source, session, wishes)
    if wishes.conditions:
        pool = filter_rendered(session, pool, wishes.conditions)
    if HELD_OUT not in wishes.include:
        ids = {candidate.recording_id for candidate in (*pool.candidates, *pool.gaps)}
        available_ids = {recording_id for recording_id in ids if may_leave(session, recording_id, LeaveUse.ITEM_SET)}
        pool = _filter_pool(pool, lambda candidate: candidate.recording_id in available_ids, IN_HOLD_OUT)
    if wishes.willing:
        pool = _filter_pool(
            pool,
            lambda candidate: all(
                may_send_words(session, recording_id) for recording_id in _source_recordings(session, candidate)
            ),
            UNWILLING,
        )
    return pool


def _filter_pool(pool: CandidatePool, fits: Callable[[ItemCandidate], bool], otherwise: str) -> CandidatePool:
    """Return a pool of the candidates that fit; the others are counted."""
    candidates = [candidate for candidate in pool.candidates if fits(candidate)]
    left_out = dict(pool.left_out)
    if number := len(pool.candidates) - len(candidates):
        left_out[otherwise] = left_out.get(otherwise, 0) + number
    return replace(pool, candidates=candidates, gaps=[gap for gap in pool.gaps if fits(gap)], left_out=left_out)


def _source_recordings(session: Session, candidate: ItemCandidate) -> Iterator[str]:
    """Yield the recording of a candidate, and those that options of its question are from."""
    yield candidate.recording_id
    question = candidate.content.get("question")
    if question:
        yield from option_recordings(session, question_from_json(cast(dict[str, Json], question)))
