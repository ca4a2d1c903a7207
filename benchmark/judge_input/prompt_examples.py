"""Examples for a prompt: what people of the study agreed on elsewhere, or else what the scheme itself explains.

Examples for a prompt about a question: other questions that people verified, with their answers. Options for examples
of tasks about items of a set, drawn for a segment as for an item, from the study.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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
from benchmark.prompts.judge_prompt import ITEM_ONLY_TASKS, Frozen, JudgePrompt, PromptSubject
from benchmark.prompts.question_prompts import format_options
from benchmark.sets.agreed_segments import segment_pool
from benchmark.tasks.benchmark_task import get_benchmark_task
from benchmark.tasks.label_tasks import candidate_label
from benchmark.tasks.option_tasks import FiveOptions
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
) -> tuple[Frozen, tuple[str, ...]] | None:
    """Return what a segment would bring as an item, and the other recordings that its wrong options are from.

    The same segment brings the same, as long as the study does not change.

    Args:
        session: of the study.
        task: one of `benchmark.prompts.judge_prompt.OF_SETS`.
        segment: of which people agree.
        usable: whether words of a recording may be sent.

    Returns:
        None where the task is not asked about such a segment, or there are not four wrong options.
    """
    entry = get_benchmark_task(task)
    assert isinstance(entry, FiveOptions)
    pool = segment_pool(session, SamplingOptions((REVIEWED,), scheme=segment.scheme, track=segment.track))
    labelled = [
        each
        for each in sort_candidates(pool.candidates)
        if candidate_label(each) == entry.label and entry.option_text(each)
    ]
    own = next((each for each in labelled if each.about == segment.id), None)
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
    return Frozen(made.options, made.place, facts), made.source_recordings


MAX_EXAMPLES = 3
MAX_EXAMPLE_CHARS = 1_500
"""Characters of the conversation of one example."""


@dataclass(frozen=True, slots=True)
class Examples:
    """What is shown of other moments.

    Attributes:
        text: a few lines for each.
        note: where they are from, in one sentence.
        recordings: that they are from; () where they are the scheme's.
    """

    text: str
    note: str
    recordings: tuple[str, ...] = ()


def build_segment_examples(
    session: Session, task: JudgePrompt, item: PromptSubject, recording_id: str, condition: str
) -> Examples:
    """Return up to `MOST` examples for a task, each of another label as far as there are.

    They are segments of the same scheme and track in other recordings, with which a reviewer agreed and none disagreed,
    in recordings of which words may be sent: not held out, and everybody known and willing to be sent to models. The
    checksum of its id decides which comes first. Under a rendering none of these is shown, because nobody reviewed
    their texts together with it.
    Where there is none, the worked examples of the scheme stand in.
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
    pool = _example_pool(session, item.scheme.key, item.track, task)
    others = [example for example in pool if recording_id not in example.recording_ids]
    firsts = list({example.label: example for example in reversed(others)}.values())[::-1]
    return [*firsts, *(example for example in others if example not in firsts)][:MAX_EXAMPLES]


@dataclass(frozen=True, slots=True)
class _Example:
    """One example; `homes` are its own recording, and those that words in it were taken from."""

    recording_ids: tuple[str, ...]
    label: str
    text: str


_SEGMENT_POOLS: PerState[dict[tuple[str, str, str], list[_Example]]] = PerState(lambda _session: {})


def _example_pool(session: Session, scheme: str, track: str, task: JudgePrompt) -> list[_Example]:
    """Return what can be an example for a task, in a fixed order; found once for a state of the study."""
    known = _SEGMENT_POOLS.get(session)
    key = (scheme, track, task.key)
    if key not in known:
        known[key] = _collect_examples(session, scheme, track, task)
    return known[key]


def _collect_examples(session: Session, scheme: str, track: str, task: JudgePrompt) -> list[_Example]:
    """Return up to `MOST` examples of each label from each recording."""
    found: list[_Example] = []
    counts: Counter[tuple[str, str]] = Counter()
    marked = [segment for segment in segments_of_scheme(session.study, scheme) if segment.track == track]
    reviews = {place: reviews_in(session.study, place) for place in {each.recording_id for each in marked}}
    for segment in sorted(marked, key=lambda each: hashlib.sha256(each.id.encode()).hexdigest()):
        said = {review.decision for review in reviews.get(segment.recording_id, {}).get(segment.id, ())}
        place = (segment.recording_id, segment.label)
        if said != {ReviewDecision.AGREE} or counts[place] == MAX_EXAMPLES:
            continue
        if not may_send_words(session, segment.recording_id):
            continue
        text, borrowed = _segment_example(session, task, segment)
        if text:
            counts[place] += 1
            found.append(_Example((segment.recording_id, *borrowed), segment.label, text))
    return found


def _segment_example(session: Session, task: JudgePrompt, segment: Segment) -> tuple[str, tuple[str, ...]]:
    """Return a segment as an example, and the recordings that its wrong options are from.

    It tells what was said, what was told about it, and the answer; "" where it is no example.
    """
    people = participants_in(session.study, segment.recording_id)
    names = name_participants(people, str)
    item = segment_subject(session, segment, [(names[who.id], who.id) for who in people], agent_name(people, names))
    options: list[str] = []
    homes: tuple[str, ...] = ()
    if task.key in ITEM_ONLY_TASKS:
        # It brings the benchmark, which most requests do without.
        found = example_options(session, task.key, segment, lambda home: may_send_words(session, home))
        if found is None:
            return "", ()
        frozen, homes = found
        item = replace(item, frozen=frozen)
        options = [f"{letter}: {to_single_line(text)}" for letter, text in zip(LETTERS, frozen.options, strict=False)]
    if task.modality is Modality.PICTURES:
        return format_example(task, item, [], options), homes
    turns = read_conversation(session, segment.recording_id, segment.start_us, segment.end_us, before=0)
    lines, _ = shorten_turns(prompt_turns(turns, segment.start_us, names, str), MAX_EXAMPLE_CHARS)
    said = [f"{line.head}{line.text}" for line in lines]
    return (format_example(task, item, said, options), homes) if said else ("", ())


def _scheme_examples(task: JudgePrompt, item: PromptSubject) -> Iterator[str]:
    """Yield the worked examples of a scheme that answer a task."""
    for example in item.scheme.examples:
        about = replace(item, label=example.label, values=example.values, people=(), agent="Agent")
        if text := format_example(task, about, [to_single_line(example.situation)]):
            yield text


def format_example(task: JudgePrompt, item: PromptSubject, said: Sequence[str], more: Sequence[str] = ()) -> str:
    """Return an example: what was said, what is told beside it, and the answer; "" where it is none."""
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
    """Return up to `MOST` examples for a task about a question, those of its own kind first.

    They are questions that two people verified, about other recordings of which words may be sent, with options of such
    recordings. The checksum of its
    id decides which comes first. There are none where nobody says what is right, as with scores, and none under a
    rendering, because nobody reviewed their texts together with it.

    Args:
        session: holds the study.
        task: that is asked.
        item: that it is asked about.
        recording_id: of the item.
        condition: under which it is asked.
        words: whether what is said is told with them.
    """
    if condition != RAW_CONDITION:
        return Examples("", "There are no examples: nobody reviewed those of other recordings with this rendering.")
    if item.question is None or not task.truth(item):
        return Examples("", "There are no examples: nobody says what is right elsewhere.")
    found: list[tuple[Question, str]] = []
    homes: dict[str, None] = {}
    for candidate_question in _candidate_questions(session, item.question, recording_id):
        if len(found) == MAX_EXAMPLES:
            break
        from_where = [
            home
            for home in (candidate_question.recording_id, *option_recordings(session, candidate_question))
            if home != recording_id
        ]
        if all(may_send_words(session, home) for home in from_where) and (
            text := _question_example(session, task, candidate_question, words=words)
        ):
            found.append((candidate_question, text))
            homes |= dict.fromkeys(from_where)
    if not found:
        return Examples("", "There are no examples: no question of another recording was verified that may be sent.")
    verb = "example is a question" if len(found) == 1 else "examples are questions"
    note = f"{len(found)} {verb} of {pluralize(len({question.recording_id for question, _ in found}), 'other recording')}, verified."
    return Examples("\n".join(text for _, text in found), note, tuple(homes))


def _candidate_questions(session: Session, question: Question, recording_id: str) -> Iterator[Question]:
    pool = [
        each_question for each_question in _QUESTION_POOL.get(session) if each_question.recording_id != recording_id
    ]
    yield from (each_question for each_question in pool if each_question.kind is question.kind)
    yield from (each_question for each_question in pool if each_question.kind is not question.kind)


def _verified_questions(session: Session) -> list[Question]:
    from benchmark.questions.verification import verified_ids

    known = verified_ids(session)
    found = [question for question in all_questions(session.study) if question.id in known]
    return sorted(found, key=lambda question: hashlib.sha256(question.id.encode()).hexdigest())


_QUESTION_POOL: PerState[list[Question]] = PerState(_verified_questions)


def _question_example(session: Session, task: JudgePrompt, question: Question, *, words: bool) -> str:
    """Return a question as an example: what was said, what is told of it, and the answer; "" where it is none."""
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
    said: list[str] = []
    if words:
        turns = read_conversation(session, question.recording_id, question.start_us, question.end_us, before=0)
        lines, _ = shorten_turns(prompt_turns(turns, question.start_us, names, str), MAX_EXAMPLE_CHARS)
        said = [f"{line.head}{line.text}" for line in lines]
    return format_example(task, item, said, format_options(item).splitlines())
