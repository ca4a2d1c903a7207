"""Examples in prompts: segments that people agree on, verified questions, or else the worked examples of the scheme."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.transcript.conversation_history import read_conversation
from benchmark.disclosure.cast_names import (
    agent_name,
    make_name_rewriter,
    name_participants,
    recording_cast,
    rewrite_question,
)
from benchmark.disclosure.conditions import may_send_words, option_recordings
from benchmark.items.candidates import draw_options, sort_candidates
from benchmark.items.sampling import REVIEWED, SamplingOptions
from benchmark.judge_input.conversation_lines import prompt_turns, shorten_turns
from benchmark.judge_input.judged_subjects import segment_subject
from benchmark.prompts.answer_form import answer_json, to_single_line
from benchmark.prompts.judge_prompt import ITEM_ONLY_TASKS, TASKS, FrozenContent, JudgePrompt, PromptSubject
from benchmark.prompts.question_prompts import format_options
from benchmark.sets.agreed_segments import segment_pool
from benchmark.tasks.benchmark_task import SUITE
from benchmark.tasks.label_tasks import candidate_label
from benchmark.tasks.option_tasks import OptionTask
from project.entities.judgments import RAW_CONDITION, Modality
from project.entities.questions import LETTERS, Question
from project.entities.study_records import Json, ReviewDecision, Segment
from project.queries.annotator_rows import reviews_in
from project.queries.question_rows import all_questions
from project.queries.recording_rows import participants_in
from project.queries.segment_rows import segments_of_scheme
from project.schemes.scheme import FieldKind
from project.session.session import PerState, Session
from project.text_format import pluralize


def example_options(
    session: Session, task: str, segment: Segment, usable: Callable[[str], bool]
) -> tuple[FrozenContent, tuple[str, ...]] | None:
    """Return a segment as a frozen item, and the other recordings that its wrong options are from.

    The result is the same as long as the study does not change.

    Words of other recordings are only taken where `usable` says so.

    Returns:
        None if the task is not asked about such a segment, or there are not four wrong options.
    """
    entry = SUITE.make(task)
    assert isinstance(entry, OptionTask)
    pool = segment_pool(session, SamplingOptions((REVIEWED,), scheme=segment.scheme, track=segment.track))
    labelled = [
        candidate
        for candidate in sort_candidates(pool.candidates)
        if candidate_label(candidate) == entry.label and entry.option_text(candidate)
    ]
    own = next((candidate for candidate in labelled if candidate.about == segment.id), None)
    if own is None:
        return None
    made = draw_options(
        own,
        entry.option_text,
        labelled,
        random.Random(segment.id),
        lambda other: entry.is_valid_distractor(pool, own, other) and usable(other.recording_id),
    )
    if made is None:
        return None
    facts = {key: str(value) for key, value in entry.facts(own).items()}
    return FrozenContent(made.options, made.place, facts), made.source_recordings


MAX_EXAMPLES = 3
MAX_EXAMPLE_CHARS = 1_500
"""Characters of the conversation of one example."""


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of a prompt.

    Attributes:
        text: a few lines for each.
        note: where they are from, in one sentence.
        recordings: their recordings; () for examples of the scheme.
    """

    text: str
    note: str
    recordings: tuple[str, ...] = ()


def build_segment_examples(
    session: Session, task: JudgePrompt, item: PromptSubject, recording_id: str, condition: str
) -> Examples:
    """Return up to `MAX_EXAMPLES` examples for a task, of different labels if possible.

    They are segments of the same scheme and track in other recordings, with which a reviewer agreed and none disagreed.
    Words of these recordings may be sent: they are not held out, and everybody in them consented. The order is by
    checksum of the id. Under a rendering none of these is shown, because nobody reviewed their texts together with it.
    If there is none, the worked examples of the scheme are used.
    """
    found = _agreed_examples(session, task, item, recording_id) if condition == RAW_CONDITION else []
    if found:
        many = "example is a segment" if len(found) == 1 else "examples are segments"
        note = f"{len(found)} {many} of other recordings that people agreed on."
        recordings = dict.fromkeys(home for example in found for home in example.recording_ids)
        return Examples("\n".join(example.text for example in found), note, tuple(recordings))
    why = ", since no other recording has segments that people agreed on" if condition == RAW_CONDITION else ""
    worked = [*_scheme_examples(task, item)][:MAX_EXAMPLES]
    if not worked:
        return Examples("", f"There are no examples: the scheme explains none{why}.")
    return Examples("\n".join(worked), f"The examples are those of the scheme{why}.")


def _agreed_examples(session: Session, task: JudgePrompt, item: PromptSubject, recording_id: str) -> "list[_Example]":
    """Return examples from the study: one of each label, then others."""
    pool = _SEGMENT_POOLS.get(session, item.scheme.key, item.track, task.key)
    others = [example for example in pool if recording_id not in example.recording_ids]
    firsts = list({example.label: example for example in reversed(others)}.values())[::-1]
    return [*firsts, *(example for example in others if example not in firsts)][:MAX_EXAMPLES]


@dataclass(frozen=True, slots=True)
class _Example:
    """One example; `recording_ids` are its own recording and those that its wrong options are from."""

    recording_ids: tuple[str, ...]
    label: str
    text: str


def _collect_examples(session: Session, scheme: str, track: str, task_key: str) -> list[_Example]:
    """Return up to `MAX_EXAMPLES` examples of each label from each recording, in a fixed order."""
    task = TASKS.make(task_key)
    found: list[_Example] = []
    counts: Counter[tuple[str, str]] = Counter()
    marked = [segment for segment in segments_of_scheme(session.study, scheme) if segment.track == track]
    reviews = {
        recording_id: reviews_in(session.study, recording_id)
        for recording_id in {segment.recording_id for segment in marked}
    }
    for segment in sorted(marked, key=lambda segment: hashlib.sha256(segment.id.encode()).hexdigest()):
        decisions = {review.decision for review in reviews.get(segment.recording_id, {}).get(segment.id, ())}
        count_key = (segment.recording_id, segment.label)
        if decisions != {ReviewDecision.AGREE} or counts[count_key] == MAX_EXAMPLES:
            continue
        if not may_send_words(session, segment.recording_id):
            continue
        text, borrowed = _segment_example(session, task, segment)
        if text:
            counts[count_key] += 1
            found.append(_Example((segment.recording_id, *borrowed), segment.label, text))
    return found


_SEGMENT_POOLS = PerState(_collect_examples)


def _segment_example(session: Session, task: JudgePrompt, segment: Segment) -> tuple[str, tuple[str, ...]]:
    """Return a segment as an example, and the recordings that its wrong options are from.

    It has the conversation, the given texts and the answer; "" if it cannot be an example.
    """
    people = participants_in(session.study, segment.recording_id)
    names = name_participants(people, str)
    item = segment_subject(session, segment, [(names[who.id], who.id) for who in people], agent_name(people, names))
    options: list[str] = []
    homes: tuple[str, ...] = ()
    if task.key in ITEM_ONLY_TASKS:
        found = example_options(session, task.key, segment, lambda home: may_send_words(session, home))
        if found is None:
            return "", ()
        frozen, homes = found
        item = replace(item, frozen=frozen)
        options = [f"{letter}: {to_single_line(text)}" for letter, text in zip(LETTERS, frozen.options, strict=False)]
    if task.modality is Modality.PICTURES:
        return format_example(task, item, [], options), homes
    said = _conversation(session, segment, names)
    return (format_example(task, item, said, options), homes) if said else ("", ())


def _conversation(session: Session, about: Segment | Question, names: Mapping[str, str]) -> list[str]:
    turns = read_conversation(session, about.recording_id, about.start_us, about.end_us, before=0)
    lines, _ = shorten_turns(prompt_turns(turns, about.start_us, names, str), MAX_EXAMPLE_CHARS)
    return [f"{line.head}{line.text}" for line in lines]


def _scheme_examples(task: JudgePrompt, item: PromptSubject) -> Iterator[str]:
    """Yield the worked examples of a scheme that answer a task."""
    for example in item.scheme.examples:
        about = replace(item, label=example.label, values=example.values, people=(), agent="Agent")
        if text := format_example(task, about, [to_single_line(example.situation)]):
            yield text


def format_example(task: JudgePrompt, item: PromptSubject, said: Sequence[str], more: Sequence[str] = ()) -> str:
    """Return an example with its conversation, given texts and answer; "" if it has no answer."""
    if task.inapplicable_reason(item):
        return ""
    answer = task.truth(item)
    if not answer:
        return ""
    names = {who: label for label, who in item.people}
    people = {field.key for field in item.scheme.fields if field.kind is FieldKind.PARTICIPANT}
    shown: dict[str, Json] = {
        key: names.get(str(value), str(value)) if key in people else value for key, value in answer.items()
    }
    given = [f"{name}: {to_single_line(text)}" for name, text in task.item_texts(item).items()]
    return "\n".join(["Example:", *(f"  {line}" for line in (*said, *given, *more)), f"  Answer: {answer_json(shown)}"])


def build_question_examples(
    session: Session, task: JudgePrompt, item: PromptSubject, recording_id: str, condition: str, *, words: bool
) -> Examples:
    """Return up to `MAX_EXAMPLES` examples for a task about a question, those of its own kind first.

    They are questions that two people verified, about other recordings of which words may be sent, with options from
    such recordings. The order is by checksum of the id. There are none for tasks without a right answer, such as
    scores, and none under a rendering, because nobody reviewed their texts together with it.
    """
    if condition != RAW_CONDITION:
        return Examples("", "There are no examples: nobody reviewed those of other recordings with this rendering.")
    if item.question is None or not task.truth(item):
        return Examples("", "There are no examples: nobody says what is right elsewhere.")
    found: list[tuple[Question, str]] = []
    all_recording_ids: dict[str, None] = {}
    for candidate_question in _candidate_questions(session, item.question, recording_id):
        if len(found) == MAX_EXAMPLES:
            break
        recording_ids = [
            home
            for home in (candidate_question.recording_id, *option_recordings(session, candidate_question))
            if home != recording_id
        ]
        if all(may_send_words(session, home) for home in recording_ids) and (
            text := _question_example(session, task, candidate_question, words=words)
        ):
            found.append((candidate_question, text))
            all_recording_ids |= dict.fromkeys(recording_ids)
    if not found:
        return Examples("", "There are no examples: no question of another recording was verified that may be sent.")
    verb = "example is a question" if len(found) == 1 else "examples are questions"
    recording_count = len({question.recording_id for question, _ in found})
    note = f"{len(found)} {verb} of {pluralize(recording_count, 'other recording')}, verified."
    return Examples("\n".join(text for _, text in found), note, tuple(all_recording_ids))


def _candidate_questions(session: Session, question: Question, recording_id: str) -> Iterator[Question]:
    pool = [candidate for candidate in _QUESTION_POOL.get(session) if candidate.recording_id != recording_id]
    yield from (candidate for candidate in pool if candidate.kind is question.kind)
    yield from (candidate for candidate in pool if candidate.kind is not question.kind)


def _verified_questions(session: Session) -> list[Question]:
    from benchmark.questions.verification import verified_ids

    known = verified_ids(session)
    found = [question for question in all_questions(session.study) if question.id in known]
    return sorted(found, key=lambda question: hashlib.sha256(question.id.encode()).hexdigest())


_QUESTION_POOL = PerState(_verified_questions)


def _question_example(session: Session, task: JudgePrompt, question: Question, *, words: bool) -> str:
    """Return a question as an example with its conversation, options and answer; "" if it cannot be one."""
    people = recording_cast(session, question.recording_id)
    names = name_participants(people, str)
    item = PromptSubject(
        session.scheme,
        session.scheme.tracks[0].key,
        people=[(names[who.id], who.id) for who in people],
        agent=agent_name(people, names),
        question=rewrite_question(question, make_name_rewriter(people, names, str)),
    )
    if task.inapplicable_reason(item):
        return ""
    said = _conversation(session, question, names) if words else []
    return format_example(task, item, said, format_options(item).splitlines())
