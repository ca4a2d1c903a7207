"""Examples for a prompt about a question: other questions that people verified, with their answers."""

import hashlib
from collections.abc import Iterator

from app.core.judging.seeing.examples import LONGEST, MOST, Examples, usable, written
from app.core.judging.seeing.lines import lines_of
from app.core.judging.seeing.option_homes import homes_of_options
from app.core.judging.seeing.people import agent_among, names_of
from app.core.judging.seeing.shortening import shortened
from app.core.judging.seeing.told import cast_told, telling, told_question
from app.core.per_state import PerState
from app.core.session import Session
from app.core.speech.conversation import conversation
from benchmark.tasks.base import Item, Task
from benchmark.tasks.options import told_options
from project.counted import counted
from project.judging import RAW
from project.queries.questions import all_questions
from project.questions import Question


def question_examples_for(
    session: Session, task: Task, item: Item, recording_id: str, condition: str, *, words: bool
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
    if condition != RAW:
        return Examples("", "There are no examples: nobody reviewed those of other recordings with this rendering.")
    if item.question is None or not task.truth(item):
        return Examples("", "There are no examples: nobody says what is right elsewhere.")
    found: list[tuple[Question, str]] = []
    homes: dict[str, None] = {}
    for one in _candidates(session, item.question, recording_id):
        if len(found) == MOST:
            break
        from_where = [home for home in (one.recording_id, *homes_of_options(session, one)) if home != recording_id]
        if all(usable(session, home) for home in from_where) and (text := _told(session, task, one, words=words)):
            found.append((one, text))
            homes |= dict.fromkeys(from_where)
    if not found:
        return Examples("", "There are no examples: no question of another recording was verified that may be sent.")
    verb = "example is a question" if len(found) == 1 else "examples are questions"
    note = (
        f"{len(found)} {verb} of {counted(len({one.recording_id for one, _ in found}), 'other recording')}, verified."
    )
    return Examples("\n".join(text for _, text in found), note, tuple(homes))


def _candidates(session: Session, question: Question, recording_id: str) -> Iterator[Question]:
    pool = [one for one in _POOL.of(session) if one.recording_id != recording_id]
    yield from (one for one in pool if one.kind is question.kind)
    yield from (one for one in pool if one.kind is not question.kind)


def _verified(session: Session) -> list[Question]:
    from app.core.questions.verifying import verified

    known = verified(session)
    found = [one for one in all_questions(session.study) if one.id in known]
    return sorted(found, key=lambda one: hashlib.sha256(one.id.encode()).hexdigest())


_POOL: PerState[list[Question]] = PerState(_verified)


def _told(session: Session, task: Task, one: Question, *, words: bool) -> str:
    """Return a question as an example: what was said, what is told of it, and the answer; "" where it is none."""
    people = cast_told(session, one.recording_id)
    names = names_of(people, str)
    item = Item(
        session.scheme,
        session.scheme.tracks[0].key,
        people=[(names[who.id], who.id) for who in people],
        agent=agent_among(people, names),
        question=told_question(one, telling(people, names, str)),
    )
    if task.why_not(item):
        return ""
    said: list[str] = []
    if words:
        turns = conversation(session, one.recording_id, one.start_us, one.end_us, before=0)
        lines, _ = shortened(lines_of(turns, one.start_us, names, str), LONGEST)
        said = [f"{line.head}{line.text}" for line in lines]
    return written(task, item, said, told_options(item).splitlines())
