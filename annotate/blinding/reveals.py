"""Hides judgments of a segment from an annotator until they have answered, and reveals them.

Adopting a text from a judge is an explicit edit that is recorded as such.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from annotate.blinding.own_answers import OwnWords, Partners, answer_of_judgment, judge_name
from annotate.segments.segment_edits import find_own_segment, write_field
from annotate.segments.segment_edits import find_segment as find
from project.entities.judgments import Adoption, Judgment, JudgmentStatus, Reveal
from project.entities.study_records import Changes, Json, Segment
from project.errors import UserError, unknown_id
from project.ids import new_id
from project.queries.judgment_rows import (
    answered_forms,
    answered_forms_in,
    find_judgments,
    insert_adoption,
    insert_reveal,
    revealed_task,
    revealed_tasks,
)
from project.queries.segment_rows import find_segment
from project.schemes.scheme import FieldKind
from project.session.session import Session
from project.timebase import utc_now

BLIND_FIRST = "blind-first"
"""The property that holds whether judges stay hidden; on where it is missing or damaged."""

EVERY_TASK = ""
"""The task of a reveal that showed what judges said in any task."""

_BULK_READ_THRESHOLD = 8
"""Segments of one recording from which reading it at once is quicker."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """Whether somebody may see what judges say about a segment; true or false by itself.

    Attributes:
        hidden_reason: a line for the page, which says what to do; "" where they may.
    """

    hidden_reason: str = ""

    def __bool__(self) -> bool:
        return not self.hidden_reason


@dataclass(frozen=True, slots=True)
class VisibleJudgments:
    """Judgments, split into those that somebody may see and those that are hidden.

    Attributes:
        hidden: without what was answered.
        hidden_reason: why the first of those is hidden; "" where none is.
    """

    judgments: tuple[Judgment, ...]
    hidden: tuple[Judgment, ...] = ()
    hidden_reason: str = ""


class JudgmentVisibility:
    """Decides which judgments the annotator of a session may see. After an edit, make a new one.

    They may see it where a segment of their own says it, complete by its scheme's rules; where they answered the same
    task in the form for people; or where they were shown it before.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._who = session.annotator()
        self._own = OwnWords(session, self._who.id) if self._who is not None else None
        self._before: dict[str, str | None] = {}
        self._answers: dict[str, dict[str, str]] = {}
        self.blind = is_blind_first(session)

    def read_recording(self, recording_id: str, partners: Partners | None = None) -> None:
        """Read a whole recording at once, where many of its segments are asked for."""
        if self._own is None or self._who is None or not self._own.read_recording(recording_id, partners):
            return
        shown, forms = (
            revealed_tasks(self._session.study, self._who.id),
            answered_forms_in(self._session.study, self._who.id, recording_id),
        )
        for key in self._own.segment_ids(recording_id):
            self._before[key], self._answers[key] = shown.get(key), forms.get(key, {})

    def refresh(self, segment_ids: Iterable[str]) -> None:
        """Read again what was shown and answered about some segments; the segments are as they were."""
        for key in segment_ids:
            self._before.pop(key, None)
            self._answers.pop(key, None)

    def forget_form(self, segment_id: str) -> None:
        """Read a form again at the next chance: its values changed, and nothing else."""
        if self._own is not None:
            self._own.forget_form(segment_id)

    def may_see(self, about: Segment, task: str | None = None) -> Visibility:
        """Tell whether they may see what judges say about a segment; in any task where none is named."""
        if not self.blind:
            return _VISIBLE
        if self._who is None or self._own is None:
            return Visibility("Mark this moment yourself first: judges are hidden until you have.")
        if self._task_shown(about.id) in (EVERY_TASK, task or EVERY_TASK):
            return _VISIBLE
        if self._session.study.read_only:
            return Visibility("This study is read-only, so it could not be written down that you saw what judges say.")
        own = self._own.own_segment(about)
        missing = self._own.missing_parts(own) if own is not None else ()
        if (own is not None and not missing) or self._has_answered(about.id, task):
            return _VISIBLE
        if own is None:
            return Visibility("Mark this moment yourself, or answer yourself: judges are hidden until you have.")
        return Visibility(f"Judges are hidden until your own form is complete. {missing[0]}")

    def owns(self, annotator_id: str | None) -> bool:
        """Tell whether an answer in the form for people is their own."""
        return self._who is not None and annotator_id == self._who.id

    def was_shown(self, segment_id: str) -> bool:
        """Tell whether it is written down that they were shown what judges say."""
        return self._task_shown(segment_id) is not None

    def own_answer(self, about: Segment, task: str | None) -> dict[str, Json]:
        """Return what they say themselves at this moment, as `Reveal.own` keeps it."""
        own = self._own.own_segment(about) if self._own is not None else None
        if self._own is not None and own is not None and not (self.blind and self._own.missing_parts(own)):
            values = dict(sorted(self._own.form_values(own).items()))
            return {"task": EVERY_TASK, "segment": own.id, "label": own.label, "values": values}
        if task is not None and self.blind and self._has_answered(about.id, task):
            (answer,) = find_judgments(self._session.study, [self._answers[about.id][task]])
            return {"task": task, "judgment": answer.id, "answer": dict(answer.answer)}
        return {"task": EVERY_TASK}

    def _task_shown(self, segment_id: str) -> str | None:
        if self._who is None:
            return None
        if segment_id not in self._before:
            self._before[segment_id] = revealed_task(self._session.study, self._who.id, segment_id)
        return self._before[segment_id]

    def _has_answered(self, segment_id: str, task: str | None) -> bool:
        if task is None or self._who is None:
            return False
        if segment_id not in self._answers:
            self._answers[segment_id] = answered_forms(self._session.study, self._who.id, segment_id)
        return task in self._answers[segment_id]


def is_blind_first(session: Session) -> bool:
    """Tell whether judges stay hidden until an annotator has said their own."""
    try:
        return session.study.get_property(BLIND_FIRST, True) is not False
    except UserError:
        return True


def may_see(session: Session, segment_id: str, task: str | None = None) -> Visibility:
    """Tell whether the annotator of this session may see the judgments of a segment; of any task where None."""
    about = find_segment(session.study, segment_id)
    return _SEGMENT_GONE if about is None else JudgmentVisibility(session).may_see(about, task)


def split_by_visibility(session: Session, judgments: Iterable[Judgment]) -> VisibleJudgments:
    """Split judgments into visible and hidden ones for the annotator of this session; own answers are never hidden."""
    listed: Sequence[Judgment] = tuple(judgments)
    eyes = JudgmentVisibility(session)
    for place, count in Counter(
        place for place, _ in {(judgment.recording_id, judgment.segment_id) for judgment in listed}
    ).items():
        if count > _BULK_READ_THRESHOLD:
            eyes.read_recording(place)
    known: dict[tuple[str, str], Visibility] = {}
    seen, hidden, why_not = [], [], ""
    for judgment in listed:
        if eyes.owns(judgment.annotator_id):
            seen.append(judgment)
            continue
        key = judgment.segment_id, judgment.task
        if key not in known:
            about = find_segment(session.study, judgment.segment_id)
            known[key] = _SEGMENT_GONE if about is None else eyes.may_see(about, judgment.task)
        if known[key]:
            seen.append(judgment)
        else:
            hidden.append(_redact_judgment(judgment))
            why_not = why_not or known[key].hidden_reason
    return VisibleJudgments(tuple(seen), tuple(hidden), why_not)


def reveal(session: Session, segment_id: str, task: str | None = None) -> bool:
    """Record that the annotator of this session is shown the judgments of a segment; the first time counts.

    Called where it is first shown, before it is. Nothing is written for somebody who never worked in the study, nor
    where the study is open read-only.

    Returns:
        Whether they may see it.
    """
    about = find_segment(session.study, segment_id)
    return about is not None and bool(reveal_all(session, JudgmentVisibility(session), [(about, task)]))


def reveal_all(session: Session, eyes: JudgmentVisibility, about: Iterable[tuple[Segment, str | None]]) -> list[str]:
    """Record that the annotator of this session is shown the judgments of many segments, each of one task or of any.

    Returns:
        The ids of the segments that they may see it about.
    """
    allowed = [(segment, task) for segment, task in about if eyes.may_see(segment, task)]
    who = session.annotator()
    new = [(segment, task) for segment, task in allowed if not eyes.was_shown(segment.id)]
    if new and who is not None and not session.study.read_only:
        at = utc_now()
        with session.study.run_transaction():
            for segment, task in new:
                insert_reveal(session.study, Reveal(segment.id, who.id, eyes.own_answer(segment, task), at))
    return [segment.id for segment, _ in allowed]


_VISIBLE = Visibility()
_SEGMENT_GONE = Visibility("This segment is no longer part of the study, or not to be seen yet.")


def _redact_judgment(judgment: Judgment) -> Judgment:
    error = "" if judgment.status is JudgmentStatus.UNPARSED else judgment.error
    return replace(judgment, answer={}, raw="", thinking="", mended="", tokens_out=None, error=error)


def adopt(session: Session, judgment_id: str, field: str) -> Changes:
    """Take what a judge wrote into a field of one's own form, in one step with who it was taken from.

    The form is that of the segment which was judged, or of one's own that stands for it.
    """
    session.study.require_writable()
    found = find_judgments(session.study, [judgment_id])
    if not found:
        raise unknown_id("judgment", judgment_id)
    (judgment,) = found
    allowed = split_by_visibility(session, found)
    if not allowed.judgments:
        raise UserError("What this judge wrote is hidden.", allowed.hidden_reason)
    about, who = find(session, judgment.segment_id), session.annotator()
    own = OwnWords(session, who.id).own_segment(about) if who is not None else None
    if own is None:
        raise UserError("You have no segment here that could take the text.", "Mark this moment yourself first.")
    own = find_own_segment(session, own.id)
    wanted = session.schemes.get(own.scheme).field(field)
    text = answer_of_judgment(judgment).part_value(field)
    if wanted.kind is not FieldKind.TEXT:
        raise UserError(f"{wanted.name} is not a text field, so it cannot be adopted.", "Fill it in yourself.")
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"The judge wrote nothing for {wanted.name}.", "Choose another judge or field.")
    reveal(session, about.id, judgment.task)
    with session.step(f"Take over {wanted.name.lower()} from {judge_name(judgment)}") as step:
        author = session.author()
        write_field(session, own, field, text)
        insert_adoption(session.study, Adoption(new_id(), own.id, author.id, field, judgment.id, utc_now()))
    return step.changes


def set_blind_first(session: Session, on: bool) -> Changes:
    """Hide what judges say until an annotator's own is saved, or show it at once."""
    with session.step("Hide judges until one's own is saved" if on else "Show judges at once") as step:
        if on != is_blind_first(session):
            session.study.set_property(BLIND_FIRST, on)
    return step.changes
