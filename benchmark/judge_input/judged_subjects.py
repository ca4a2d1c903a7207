"""Finds what judges are asked about: a segment, question, chain, recording or frozen item, with its span and texts.

Also counts the answers of people for the baselines that use them; these never leave this machine.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, cast

from annotate.chains.chain_versions import chain_checksum
from benchmark.disclosure.cast_names import TextRewriter
from benchmark.prompts.judge_prompt import TASKS, FrozenContent, PromptSubject
from project.entities.causal_chains import Chain, ChainGraph
from project.entities.frozen_items import FrozenItem
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind, base_part
from project.entities.questions import Question, question_from_json
from project.entities.study_records import Json, Segment, point_in_span
from project.errors import UserError, no_longer_in_study
from project.queries.annotator_rows import all_annotators
from project.queries.chain_rows import find_chain, read_graph
from project.queries.item_set_rows import find_item, items_of
from project.queries.question_rows import find_question
from project.queries.segment_rows import find_segment, segments_of_scheme, values_in, values_of
from project.schemes.scheme import FieldKind, Scheme
from project.session.session import PerState, Session
from project.store.column_values import to_json


def read_frozen(item: FrozenItem, told: TextRewriter) -> FrozenContent:
    """Return the frozen content of an item, with its texts rewritten."""
    content = cast(dict[str, Any], dict(item.content))
    options = tuple(told(str(option)) for option in content.get("options", []))
    facts = {key: told(str(text)) for key, text in content.get("facts", {}).items()}
    return FrozenContent(options, int(content.get("place", 0)), facts)


def frozen_truth(item: FrozenItem, task: str, part: str) -> dict[str, Json] | None:
    """Return the frozen answer to a task, or to a part of it; None if there is none."""
    truth = cast(dict[str, dict[str, Json]], item.content.get("truth", {}))
    return truth.get(f"{task}/{base_part(part)}" if part else task)


def item_sources(item: FrozenItem) -> list[str]:
    """Return the recordings that texts of an item were taken from."""
    return [str(recording_id) for recording_id in cast(list[str], item.content.get("homes", []))]


def item_moments(item: FrozenItem) -> list[tuple[str, int, int]]:
    """Return recording, start and end of what is shown with each option of an item; [] for nothing."""
    return [(str(home), int(start), int(end)) for home, start, end in cast(list[Any], item.content.get("moments", []))]


def get_visible_segment(session: Session, segment_id: str) -> Segment:
    """Return a segment that is visible to the annotator."""
    found = find_segment(session.study, segment_id)
    if found is None:
        raise UserError("This segment is no longer in the study, or you may not see it yet.", "Choose another.")
    return found


def get_scheme(session: Session, key: str) -> Scheme:
    """Return the scheme of a segment."""
    found = session.schemes.find(key)
    if found is None:
        raise UserError(f"The scheme “{key}” is not in this study.", "Add it: greenroom scheme add")
    return found


def segment_subject(
    session: Session, segment: Segment, people: Sequence[tuple[str, str]] = (), agent: str = ""
) -> PromptSubject:
    """Return a segment with its values, as the subject of a prompt."""
    values = values_of(session.study, segment.id)
    return PromptSubject(get_scheme(session, segment.scheme), segment.track, segment.label, values, people, agent)


@dataclass(frozen=True, slots=True)
class SubjectLocation:
    """The location of what is asked about, with its content.

    Attributes:
        start_us: on the recording's axis.
        end_us: on the recording's axis.
        scheme: of a segment; "" for anything else.
        track: of a segment; "" for anything else.
        point_us: the instant that is asked about, where that is a point; else None.
        state: present state of a question or a chain; "" for anything else.
        question: the question, if it is one.
        chain: the chain, if it is one, or the source of the question, if requested.
        frozen: the item, if it is one of a frozen set.
    """

    about: JudgmentTarget
    recording_id: str
    start_us: int
    end_us: int
    scheme: str = ""
    track: str = ""
    point_us: int | None = None
    state: str = ""
    question: Question | None = None
    chain: ChainGraph | None = None
    frozen: FrozenItem | None = None

    @property
    def subject(self) -> JudgmentTargetKind:
        """Its kind; for an item, the kind of its source."""
        return self.about.kind if self.frozen is None else self.frozen.target_kind


def locate_target(session: Session, about: JudgmentTarget, *, told_chain: bool = True) -> SubjectLocation:
    """Return the location of what is asked about."""
    match about.kind:
        case JudgmentTargetKind.SEGMENT:
            segment = get_visible_segment(session, about.id)
            shown = segment.shown_span(session.recording(segment.recording_id).duration_us)
            span = segment.recording_id, *shown
            return SubjectLocation(
                about, *span, segment.scheme, segment.track, segment.start_us if segment.is_point else None
            )
        case JudgmentTargetKind.QUESTION:
            question = find_question(session.study, about.id)
            if question is None:
                raise no_longer_in_study("question")
            wanted = question.chain_id if told_chain else None
            chain = find_chain(session.study, wanted) if wanted else None
            graph = read_graph(session.study, chain) if chain else None
            span = question.recording_id, question.start_us, question.end_us
            return SubjectLocation(about, *span, state=question.checksum, question=question, chain=graph)
        case JudgmentTargetKind.CHAIN:
            return _locate_chain(session, about, find_chain(session.study, about.id))
        case JudgmentTargetKind.RECORDING:
            recording = session.recording(about.id)
            return SubjectLocation(about, recording.id, 0, recording.duration_us)
        case JudgmentTargetKind.ITEM:
            return _locate_item(session, about, told_chain=told_chain)


def _locate_item(session: Session, about: JudgmentTarget, *, told_chain: bool) -> SubjectLocation:
    """Return the location of an item; its question is the frozen one, whether or not it was edited since."""
    item = find_item(session.study, about.id)
    if item is None:
        raise no_longer_in_study("item")
    recording = session.recording(item.recording_id)
    frozen = item.content.get("question")
    question = question_from_json(cast(dict[str, Json], frozen)) if frozen else None
    chain = find_chain(session.study, question.chain_id) if told_chain and question and question.chain_id else None
    end_us = min(item.end_us, recording.duration_us)
    key, track = str(item.content.get("scheme", "")), str(item.content.get("track", ""))
    scheme = session.schemes.find(key) if item.target_kind is JudgmentTargetKind.SEGMENT else None
    holds_points = scheme is not None and scheme.track_or_empty(track).holds_points
    return SubjectLocation(
        about,
        recording.id,
        item.start_us,
        end_us,
        key,
        track,
        point_in_span(item.start_us, end_us, recording.duration_us) if holds_points else None,
        item.made_from,
        question,
        read_graph(session.study, chain) if chain else None,
        item,
    )


def _locate_chain(session: Session, about: JudgmentTarget, chain: Chain | None) -> SubjectLocation:
    if chain is None:
        raise UserError("This chain is no longer in the study, or you may not see it yet.", "Choose another.")
    graph = read_graph(session.study, chain)
    start_us, end_us = shown_span(session.recording(chain.recording_id).duration_us, *graph.span)
    return SubjectLocation(about, chain.recording_id, start_us, end_us, state=chain_checksum(graph), chain=graph)


MAX_WHOLE_US = 180_000_000
"""Recordings up to this long are shown whole, as R3-VQA's are (section 3.3)."""
CONTEXT_US = 15_000_000


def shown_span(duration_us: int, start_us: int, end_us: int) -> tuple[int, int]:
    """Return the span that is shown with a question: all of a short recording, else its span with context."""
    if duration_us <= MAX_WHOLE_US or end_us <= start_us:
        return 0, duration_us
    return max(0, start_us - CONTEXT_US), min(duration_us, end_us + CONTEXT_US)


PERSON = "person"
AnswerCounts = list[tuple[Mapping[str, Json], int]]


def answer_counts(session: Session, scheme: str, track: str, task: str) -> AnswerCounts:
    """Return how often each answer to a task was given by people, the most frequent first.

    Segments that a training round hides do not count; text fields are ignored, since no two people write the same.
    """
    return _ANSWER_COUNTS.get(session, scheme, track, task)


def most_common_truth(session: Session, set_id: str, task: str, part: str = "") -> AnswerCounts:
    """Return the most common right answer of the items of a set, with their number; [] if no item has a right answer.

    Each field has its most frequent value, in a tie the first in alphabetical order; a numeric field has the rounded
    mean.
    """
    return _COMMON_TRUTHS.get(session, set_id, task, base_part(part))


def _find_common_truth(session: Session, set_id: str, task: str, part: str) -> AnswerCounts:
    found = [truth for item in items_of(session.study, set_id) if (truth := frozen_truth(item, task, part))]
    fields = dict.fromkeys(name for entry in found for name in entry)
    usual = {name: _most_common([entry[name] for entry in found if name in entry]) for name in fields}
    return [(usual, len(found))] if usual else []


def _most_common(values: Sequence[Json]) -> Json:
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == len(values):
        return round(fmean(numbers))
    counts = Counter(to_json(value) for value in values)
    most = min(counts, key=lambda text: (-counts[text], text))
    return next(value for value in values if to_json(value) == most)


def _count_answers(session: Session, scheme_key: str, track: str, task_key: str) -> AnswerCounts:
    study, scheme, task = session.study, get_scheme(session, scheme_key), TASKS.make(task_key)
    people = {annotator.id for annotator in all_annotators(study) if annotator.kind == PERSON}
    counts: dict[str, tuple[Mapping[str, Json], int]] = {}
    values: dict[str, Mapping[str, Mapping[str, Json]]] = {}
    for segment in segments_of_scheme(study, scheme_key):
        if segment.track != track or segment.annotator_id not in people:
            continue
        if segment.recording_id not in values:
            values[segment.recording_id] = values_in(study, segment.recording_id)
        item = PromptSubject(scheme, track, segment.label, values[segment.recording_id].get(segment.id, {}))
        if task.inapplicable_reason(item):
            continue
        answer = {name: value for name, value in task.truth(item).items() if not _is_text_field(item, name)}
        if answer:
            text = to_json(dict(sorted(answer.items())))
            counts[text] = (answer, counts.get(text, (answer, 0))[1] + 1)
    return [counts[text] for text in sorted(counts, key=lambda text: (-counts[text][1], text))]


def _is_text_field(item: PromptSubject, name: str) -> bool:
    return any(field.key == name and field.kind is FieldKind.TEXT for field in item.scheme.fields)


_ANSWER_COUNTS = PerState(_count_answers)
_COMMON_TRUTHS = PerState(_find_common_truth)
