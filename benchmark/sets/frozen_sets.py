"""Makes, hashes and stores frozen item sets, and finds items whose source changed or that an annotator knows."""

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from annotate.study.leave_permission import LeaveUse, may_leave
from benchmark.items.candidates import CandidatePool, ItemCandidate, ItemSamplingRule, no_items_error
from benchmark.items.sampling import HELD_OUT, SamplingOptions, read_sampling_options
from benchmark.sets.agreed_segments import TranscriptChecksums
from benchmark.sets.item_sources import read_pool, resolve_options
from benchmark.sets.verified_questions import UNGROUNDED
from benchmark.tasks.benchmark_task import SUITE, BenchmarkTask
from project.codec import dump
from project.entities.frozen_items import FrozenItem, ItemSet
from project.entities.judgments import JudgmentTargetKind
from project.entities.questions import question_from_json
from project.entities.study_records import Changes, Json, Segment
from project.errors import UserError
from project.ids import new_id
from project.queries.annotator_rows import reviews_in
from project.queries.chain_rows import find_chain
from project.queries.item_set_rows import all_sets, insert_set, items_of
from project.queries.question_rows import find_question, verifications
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import segments_of
from project.session.session import Session
from project.timebase import utc_now
from project.version import __version__


def find_own_items(session: Session, items: Iterable[FrozenItem], annotator_id: str) -> frozenset[str]:
    """Return the ids of the items that were made from what an annotator marked, reviewed, wrote or verified."""
    known = _OwnWork(session, annotator_id)
    return frozenset(item.id for item in items if known.is_known(item))


class _OwnWork:
    """The annotations of one annotator; each recording is read once."""

    def __init__(self, session: Session, annotator_id: str) -> None:
        self._session = session
        self._who = annotator_id
        self._marked: dict[str, list[Segment]] = {}
        self._reviewed: dict[str, frozenset[str]] = {}
        self._chains: dict[str, bool] = {}
        said = verifications(session.study)
        self._verified = {
            key for key, found in said.items() if any(decision.annotator_id == annotator_id for decision in found)
        }

    def is_known(self, item: FrozenItem) -> bool:
        """Tell whether an item was made from their annotations."""
        source = item.target
        if item.target_kind is JudgmentTargetKind.QUESTION:
            return self._knows_question(item)
        if item.target_kind is JudgmentTargetKind.CHAIN and source is not None:
            return self._drew_chain(source.id)
        marked = [
            segment
            for segment in self._read_marked(item.recording_id)
            if segment.scheme == item.content.get("scheme", segment.scheme)
        ]
        if source is None:
            return bool(marked)
        if source.kind is JudgmentTargetKind.SEGMENT and source.id in self._reviewed[item.recording_id]:
            return True
        return any(segment.start_us < item.end_us and segment.end_us > item.start_us for segment in marked)

    def _read_marked(self, recording_id: str) -> list[Segment]:
        if recording_id not in self._marked:
            study = self._session.study
            found = segments_of(study, recording_id, unseen=True)
            self._marked[recording_id] = [segment for segment in found if segment.annotator_id == self._who]
            self._reviewed[recording_id] = frozenset(
                key
                for key, said in reviews_in(study, recording_id).items()
                if any(review.reviewer_id == self._who for review in said)
            )
        return self._marked[recording_id]

    def _knows_question(self, item: FrozenItem) -> bool:
        source, frozen = item.target, item.content.get("question")
        question = question_from_json(cast(dict[str, Json], frozen)) if frozen else None
        if question is None and source is not None:
            question = find_question(self._session.study, source.id)
        if question is None:
            return False
        wrote = question.annotator_id == self._who or question.id in self._verified
        return wrote or (question.chain_id is not None and self._drew_chain(question.chain_id))

    def _drew_chain(self, chain_id: str) -> bool:
        if chain_id not in self._chains:
            chain = find_chain(self._session.study, chain_id)
            self._chains[chain_id] = chain is not None and chain.annotator_id == self._who
        return self._chains[chain_id]


def set_sha256(task: str, seed: int, draws: int, rule: Mapping[str, Json], items: Iterable[FrozenItem]) -> str:
    """Return the SHA-256 over the task, rule and items of a set, without ids, name and date.

    Equal content in two studies gives the same hash.
    """
    listed = [
        [
            *(item.draw, item.position, item.about, item.recording_id, item.start_us, item.end_us),
            *(dict(item.content), item.made_from),
        ]
        for item in items
    ]
    text = json.dumps([task, seed, draws, dict(rule), listed], sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


MAX_DRAWS = 1000
_USUAL = SamplingOptions()


def make_set(
    session: Session,
    task: str,
    name: str = "",
    seed: int = 0,
    draws: int | None = None,
    size: int | None = None,
    options: SamplingOptions = _USUAL,
) -> tuple[ItemSet, Changes]:
    """Draw, freeze and store the items of a task; a set is never changed later.

    Without a name, an equal existing set is returned, and nothing is written.

    Args:
        session: of the study.
        task: key of `benchmark.tasks.benchmark_task`.
        name: of the set; "" for the task's key, with a number if that is taken.
        seed: the same seed draws the same items from the same study.
        draws: number of draws; None for that of the task.
        size: items of one draw at most; 0 for all, None for the size of the task.
        options: further options.
    """
    entry = SUITE.make(task)
    session.study.require_writable()
    name = require_free_name(session, name, task)
    made, items = draw_set(session, entry, seed, entry.draws if draws is None else draws, size, options)
    return store_set(session, made, items, name)


def store_set(session: Session, made: ItemSet, items: Sequence[FrozenItem], name: str = "") -> tuple[ItemSet, Changes]:
    """Store a set that `draw_set` returned, also from another session of the study."""
    session.study.require_writable()
    name = require_free_name(session, name, made.task)
    if not name:
        for item_set in all_sets(session.study):
            if (item_set.task, item_set.sha256) == (made.task, made.sha256):
                return item_set, Changes()
    with_held_out = HELD_OUT in read_sampling_options(made.rule).include
    available_ids = {
        recording.id
        for recording in all_recordings(session.study)
        if with_held_out or may_leave(session, recording.id, LeaveUse.ITEM_SET)
    }
    if not available_ids.issuperset(item.recording_id for item in items):
        raise UserError("A recording was removed or held out during the draw.", "Make the set again.")
    made = replace(made, name=name or free_set_name(session, made.task))
    with session.study.run_transaction():
        insert_set(session.study, made, items)
    return made, Changes.from_pairs([("item_set", made.id), *(("item", item.id) for item in items)])


def draw_set(
    session: Session, entry: BenchmarkTask, seed: int, draws: int, size: int | None, wishes: SamplingOptions
) -> tuple[ItemSet, list[FrozenItem]]:
    """Draw a set without a name and its items; nothing is written."""
    most = entry.size if size is None else size
    if not 1 <= draws <= MAX_DRAWS:
        raise UserError("A set has 1 to 1000 draws.", "Give a number in this range.")
    if most < 0:
        raise UserError("The size of a draw must be 0 or more.", "Give a size, or 0 for all items.")
    wishes = resolve_options(session, entry.source, wishes)
    pool = read_pool(session, entry.source, wishes)
    more: dict[str, Json] = {"shares": dict(wishes.shares), "negatives": wishes.negatives}
    rule = ItemSamplingRule(most, wishes.stratify, more)
    set_id, checksums = new_id(), TranscriptChecksums(session)
    items: list[FrozenItem] = []
    left_out = dict(pool.left_out)
    for draw in range(draws):
        found = entry.sample(pool, rule, random.Random(f"{seed} {draw}"))
        for reason, number in found.left_out.items():
            left_out[reason] = max(left_out.get(reason, 0), number)
        items += _freeze_items(set_id, draw, found.items, checksums)
    if not items:
        raise no_items_error(f"nothing that “{entry.name}” can be asked about", CandidatePool((), left_out))
    options = replace(wishes, include=tuple(sorted({*wishes.include})))
    kept: dict[str, Json] = {"size": most, **dump(options), **_pool_scheme(pool)}
    if ungrounded := sum(_is_ungrounded(item) for item in items):
        kept[UNGROUNDED] = ungrounded
    sha256 = set_sha256(entry.key, seed, draws, kept, items)
    made = ItemSet(set_id, "", entry.key, seed, draws, kept, left_out, sha256, utc_now(), __version__)
    return made, items


def _is_ungrounded(item: FrozenItem) -> bool:
    traits = item.content.get("traits")
    return isinstance(traits, dict) and traits.get(UNGROUNDED) is True


def _pool_scheme(pool: CandidatePool) -> dict[str, Json]:
    """Return the scheme of the segments in a pool."""
    if pool.scheme is None:
        return {}
    return {"scheme": pool.scheme.key, "track": pool.track, "scheme_version": pool.scheme.version}


def _freeze_items(
    set_id: str, draw: int, chosen: Sequence[ItemCandidate], checksums: TranscriptChecksums
) -> list[FrozenItem]:
    return [
        FrozenItem(
            new_id(),
            set_id,
            draw,
            position,
            candidate.about,
            candidate.recording_id,
            candidate.start_us,
            candidate.end_us,
            _non_empty(candidate.content),
            candidate.made_from
            or checksums.unmarked_checksum(candidate.recording_id, candidate.start_us, candidate.end_us),
        )
        for position, candidate in enumerate(chosen)
    ]


def _non_empty(content: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in content.items() if value not in (None, "", [], {})}


def require_free_name(session: Session, name: str, task: str) -> str:
    """Return a stripped name for a set, after checking that it is free."""
    name = name.strip()
    if name and any(name in (item_set.id, item_set.name) for item_set in all_sets(session.study)):
        raise UserError(
            f"The item set “{name}” already exists.",
            f"Choose another name, such as {free_set_name(session, task)}.",
        )
    return name


def free_set_name(session: Session, name: str) -> str:
    """Return a name for a set, with a number if it is taken."""
    taken = {item_set.name for item_set in all_sets(session.study)}
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def find_changed_items(session: Session, item_set: ItemSet) -> tuple[str, ...]:
    """Return the ids of the items of a set whose source changed since it was made, by draw and position.

    The source was edited, removed or held out, is not agreed on any more, or its conversation changed; or an unmarked
    span was marked.
    """
    pool = read_pool(session, SUITE.make(item_set.task).source, read_sampling_options(item_set.rule))
    now = {
        (candidate.about, candidate.start_us, candidate.end_us, candidate.made_from) for candidate in pool.candidates
    }
    gaps: dict[str, list[ItemCandidate]] = {}
    for gap in pool.gaps:
        gaps.setdefault(gap.recording_id, []).append(gap)
    checksums = TranscriptChecksums(session)

    def as_it_was(item: FrozenItem) -> bool:
        if item.about:
            return (item.about, item.start_us, item.end_us, item.made_from) in now
        return _is_unmarked(item, gaps.get(item.recording_id, ())) and item.made_from == checksums.unmarked_checksum(
            item.recording_id, item.start_us, item.end_us
        )

    return tuple(item.id for item in items_of(session.study, item_set.id) if not as_it_was(item))


def _is_unmarked(item: FrozenItem, gaps: Sequence[ItemCandidate]) -> bool:
    return any(gap.start_us <= item.start_us and item.end_us <= gap.end_us for gap in gaps)
