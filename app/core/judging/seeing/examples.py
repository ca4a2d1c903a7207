"""Examples for a prompt: what people of the study agreed on elsewhere, or else what the scheme itself explains."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.core.judging.seeing.items import item_of
from app.core.judging.seeing.lines import lines_of
from app.core.judging.seeing.people import agent_among, names_of
from app.core.judging.seeing.shortening import shortened
from app.core.per_state import PerState
from app.core.session import Session
from app.core.speech.conversation import conversation
from benchmark.quoting import on_one_line
from benchmark.tasks.base import Item, Task
from benchmark.tasks.registry import OF_SETS
from benchmark.tasks.told import written_answer
from project.judging import RAW, Modality
from project.policy import Departure, Purpose
from project.queries.participants import participants_in
from project.queries.reviews import reviews_in
from project.queries.segments import segments_under
from project.questions import LETTERS
from project.schemes.scheme import FieldKind
from project.types import Decision, Json, Segment

MOST = 3
LONGEST = 1_500
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


def examples_for(session: Session, task: Task, item: Item, recording_id: str, condition: str) -> Examples:
    """Return up to `MOST` examples for a task, each of another label as far as there are.

    They are segments of the same scheme and track in other recordings, with which a reviewer agreed and none disagreed,
    in recordings of which words may be sent: not held out, and everybody known and willing to be sent to models. The
    checksum of its id decides which comes first. Under a rendering none of these is shown, because nobody reviewed
    their texts together with it.
    Where there is none, the worked examples of the scheme stand in.
    """
    found = _agreed(session, task, item, recording_id) if condition == RAW else []
    if found:
        many = "example is a segment" if len(found) == 1 else "examples are segments"
        note = f"{len(found)} {many} of other recordings that people agreed on."
        recordings = dict.fromkeys(home for one in found for home in one.homes)
        return Examples("\n".join(one.text for one in found), note, tuple(recordings))
    why = ", since no other recording has segments that people agreed on" if condition == RAW else ""
    worked = [*_worked(task, item)][:MOST]
    if not worked:
        return Examples("", f"There are no examples: the scheme explains none{why}.")
    return Examples("\n".join(worked), f"The examples are those of the scheme{why}.")


def _agreed(session: Session, task: Task, item: Item, recording_id: str) -> "list[_Example]":
    """Return examples from the study: one of each label, then others."""
    pool = _pool(session, item.scheme.key, item.track, task)
    others = [one for one in pool if recording_id not in one.homes]
    firsts = list({one.label: one for one in reversed(others)}.values())[::-1]
    return [*firsts, *(one for one in others if one not in firsts)][:MOST]


@dataclass(frozen=True, slots=True)
class _Example:
    """One example; `homes` are its own recording, and those that words in it were taken from."""

    homes: tuple[str, ...]
    label: str
    text: str


_POOLS: PerState[dict[tuple[str, str, str], list[_Example]]] = PerState(lambda _session: {})


def _pool(session: Session, scheme: str, track: str, task: Task) -> list[_Example]:
    """Return what can be an example for a task, in a fixed order; found once for a state of the study."""
    known = _POOLS.of(session)
    key = (scheme, track, task.key)
    if key not in known:
        known[key] = _gathered(session, scheme, track, task)
    return known[key]


def _gathered(session: Session, scheme: str, track: str, task: Task) -> list[_Example]:
    """Return up to `MOST` examples of each label from each recording."""
    found: list[_Example] = []
    counts: Counter[tuple[str, str]] = Counter()
    marked = [one for one in segments_under(session.study, scheme) if one.track == track]
    reviews = {place: reviews_in(session.study, place) for place in {each.recording_id for each in marked}}
    for one in sorted(marked, key=lambda each: hashlib.sha256(each.id.encode()).hexdigest()):
        said = {review.decision for review in reviews.get(one.recording_id, {}).get(one.id, ())}
        place = (one.recording_id, one.label)
        if said != {Decision.AGREE} or counts[place] == MOST:
            continue
        if not usable(session, one.recording_id):
            continue
        text, borrowed = _told(session, task, one)
        if text:
            counts[place] += 1
            found.append(_Example((one.recording_id, *borrowed), one.label, text))
    return found


_USABLE: PerState[dict[str, bool]] = PerState(lambda _session: {})


def usable(session: Session, recording_id: str) -> bool:
    """Tell whether words of a recording may be sent to a model, by the rules for its own segments."""
    known = _USABLE.of(session)
    if recording_id not in known:
        known[recording_id] = _willing(session, recording_id)
    return known[recording_id]


def _willing(session: Session, recording_id: str) -> bool:
    # It brings all that a release is judged by, which a window does without until somebody asks.
    from app.core.leaving.evidence import evidences_of

    words = Departure(*(Purpose.JUDGE, "", 0, (), False), texts=1, condition=RAW, recording_id=recording_id)
    return not evidences_of(session).of(words).evidence.unwilling


def _told(session: Session, task: Task, one: Segment) -> tuple[str, tuple[str, ...]]:
    """Return a segment as an example, and the recordings that its wrong options are from.

    It tells what was said, what was told about it, and the answer; "" where it is no example.
    """
    people = participants_in(session.study, one.recording_id)
    names = names_of(people, str)
    item = item_of(session, one, [(names[who.id], who.id) for who in people], agent_among(people, names))
    options: list[str] = []
    homes: tuple[str, ...] = ()
    if task.key in OF_SETS:
        # It brings the benchmark, which most requests do without.
        from app.core.benchmark.sets.example_options import example_options

        found = example_options(session, task.key, one, lambda home: usable(session, home))
        if found is None:
            return "", ()
        frozen, homes = found
        item = replace(item, frozen=frozen)
        options = [f"{letter}: {on_one_line(text)}" for letter, text in zip(LETTERS, frozen.options, strict=False)]
    if task.shows is Modality.PICTURES:
        return written(task, item, [], options), homes
    turns = conversation(session, one.recording_id, one.start_us, one.end_us, before=0)
    lines, _ = shortened(lines_of(turns, one.start_us, names, str), LONGEST)
    said = [f"{line.head}{line.text}" for line in lines]
    return (written(task, item, said, options), homes) if said else ("", ())


def _worked(task: Task, item: Item) -> Iterator[str]:
    """Yield the worked examples of a scheme that answer a task."""
    for one in item.scheme.examples:
        about = replace(item, label=one.label, values=one.values, people=(), agent="Agent")
        if text := written(task, about, [on_one_line(one.situation)]):
            yield text


def written(task: Task, item: Item, said: Sequence[str], more: Sequence[str] = ()) -> str:
    """Return an example: what was said, what is told beside it, and the answer; "" where it is none."""
    if task.why_not(item):
        return ""
    answer = task.truth(item)
    if not answer:
        return ""
    names = {who: label for label, who in item.people}
    people = {field.key for field in item.scheme.fields if field.kind is FieldKind.PARTICIPANT}
    shown: dict[str, Json] = {
        key: names.get(str(value), str(value)) if key in people else value for key, value in answer.items()
    }
    given = [f"{name}: {on_one_line(text)}" for name, text in task.given(item).items()]
    return "\n".join(
        ["Example:", *(f"  {line}" for line in (*said, *given, *more)), f"  Answer: {written_answer(shown)}"]
    )
