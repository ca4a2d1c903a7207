"""Finds answers that people changed after judgments were revealed, and the judges that agree with the new answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotate.blinding.own_answers import (
    LABEL,
    OwnWords,
    SegmentAnswer,
    answer_of_judgment,
    answer_of_segment,
    judge_name,
)
from annotate.blinding.reveals import JudgmentVisibility
from project.entities.judgments import PERSON_BACKEND, Judgment, JudgmentStatus, Reveal
from project.entities.study_records import Annotator, Json, Recording
from project.queries.annotator_rows import all_annotators
from project.queries.history_rows import RowEdit, edits_of
from project.queries.judgment_rows import find_judgments, judgments_of, reveals
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import find_segment, segment_ids
from project.schemes.scheme import Scheme
from project.session.session import Session
from project.text_format import escape_unprintable, pluralize
from project.timebase import format_time


@dataclass(frozen=True, slots=True)
class Revision:
    """One part of what somebody said that they changed after they were shown judges.

    Attributes:
        segment_id: what the judges had said something about.
        own_id: the segment of who revised; "" where they answered in the form for people.
        recording: whose segment it is; None where it is gone.
        part: `label`, or a field of the form.
        before: what they had said; None for nothing.
        after: what they say now; None for nothing, or where they deleted the segment.
        toward: names of the judges that say what they say now and not what they had said.
        seen_at: when they were shown judges, UTC, ISO 8601.
        at: when they changed it last; "" where that was in another copy of the study.
    """

    annotator: Annotator
    segment_id: str
    own_id: str
    recording: Recording | None
    start_us: int
    part: str
    before: Json
    after: Json
    toward: tuple[str, ...]
    seen_at: str
    at: str


@dataclass(frozen=True, slots=True)
class RevisionCounts:
    """How much one annotator saw and revised, counted in judged segments.

    Attributes:
        seen: after they had said their own.
        unprepared: before they had said anything, because nothing was hidden then.
        revised: of `seen`, those in which something is different now.
        toward: name of a judge -> in how many of those something was changed to what it says.
    """

    annotator: Annotator
    seen: int
    unprepared: int
    revised: int
    toward: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RevisionReport:
    """Every revision, by annotator and time, and what they come to.

    Attributes:
        hidden: number of revisions left out, because the annotator may not see those judgments yet.
    """

    revisions: tuple[Revision, ...]
    annotators: tuple[RevisionCounts, ...]
    hidden: int = 0


def build_revision_report(session: Session) -> RevisionReport:
    """Return the revisions in a study, without those that would reveal hidden judgments to the annotator."""
    found, listed, people = _collect_revisions(session)
    eyes, own = JudgmentVisibility(session), session.annotator()
    may = {}
    for key in {revision.segment_id for revision in found}:
        about = find_segment(session.study, key)
        may[key] = about is not None and bool(eyes.may_see(about))
    kept = [revision for revision in found if revision.annotator == own or may[revision.segment_id] or not eyes.blind]
    return RevisionReport(tuple(kept), tuple(_count_by_annotator(listed, found, people)), len(found) - len(kept))


def find_revised_segments(session: Session) -> set[str]:
    """Return the ids of the segments that were revised by who made them after they were shown judges."""
    return {revision.own_id for revision in _collect_revisions(session)[0] if revision.own_id}


def _collect_revisions(session: Session) -> tuple[list[Revision], list[Reveal], dict[str, Annotator]]:
    study = session.study
    people = {annotator.id: annotator for annotator in all_annotators(study)}
    listed = [reveal for reveal in reveals(study) if reveal.annotator_id in people]
    owned = {str(reveal.own["segment"]) for reveal in listed if "segment" in reveal.own}
    edits = {
        "segment": _group_by_subject(edits_of(study, "segment", owned)),
        "segment_value": _group_by_subject(edits_of(study, "segment_value", owned)),
    }
    recordings = {recording.id: recording for recording in all_recordings(study)}
    words = {who: OwnWords(session, who) for who in {reveal.annotator_id for reveal in listed}}
    found: list[Revision] = []
    for reveal in listed:
        who = people[reveal.annotator_id]
        spoken = judgments_of(study, reveal.segment_id)
        place = recordings.get(spoken[0].recording_id) if spoken else None
        start_us = spoken[0].start_us if spoken else 0
        for part, before, after, at in _differences(session, reveal, words[who.id], spoken, edits):
            own_id = str(reveal.own.get("segment", ""))
            toward = _agreeing_judges(part, before, after, _newest_answers(spoken, who.id))
            found.append(
                Revision(who, reveal.segment_id, own_id, place, start_us, part, before, after, toward, reveal.at, at)
            )
    found.sort(key=lambda revision: (revision.annotator.name, revision.seen_at, revision.segment_id))
    return found, listed, people


_Difference = tuple[str, Json, Json, str]
_Edits = Mapping[str, Mapping[str, Sequence[RowEdit]]]


def _differences(
    session: Session, reveal: Reveal, words: OwnWords, spoken: Sequence[Judgment], edits: _Edits
) -> Iterator[_Difference]:
    if "segment" in reveal.own:
        yield from _segment_differences(session, reveal, words, edits)
    elif "judgment" in reveal.own:
        yield from _form_differences(session, reveal, spoken)


def _segment_differences(session: Session, reveal: Reveal, words: OwnWords, edits: _Edits) -> Iterator[_Difference]:
    own_id, values = str(reveal.own["segment"]), reveal.own.get("values")
    before = answer_of_segment(str(reveal.own.get("label", "")), values if isinstance(values, dict) else {})
    now = find_segment(session.study, own_id)
    labels, fields = edits["segment"].get(own_id, ()), edits["segment_value"].get(own_id, ())
    if now is None and own_id in segment_ids(session.study):
        return
    if now is None:
        gone = [edit.at for edit in labels if not edit.after]
        yield LABEL, before.part_value(LABEL), None, gone[-1] if gone else ""
        return
    after = answer_of_segment(now.label, words.form_values(now))
    for part in _parts(before, after):
        if part == LABEL:
            at = [
                e.at
                for e in labels
                if e.before.get("label") != e.after.get("label") and _is_not_before(e.at, reveal.at)
            ]
        else:
            at = [
                e.at
                for e in fields
                if part in (e.before.get("field"), e.after.get("field")) and _is_not_before(e.at, reveal.at)
            ]
        yield part, before.part_value(part), after.part_value(part), at[-1] if at else ""


def _form_differences(session: Session, reveal: Reveal, spoken: Sequence[Judgment]) -> Iterator[_Difference]:
    """Compare somebody's answer in the form for people with the last that they gave after they were shown judges."""
    first = find_judgments(session.study, [str(reveal.own["judgment"])])
    later = [
        judgment
        for judgment in spoken
        if judgment.annotator_id == reveal.annotator_id
        and judgment.task == reveal.own.get("task")
        and judgment.judge.get("backend") == PERSON_BACKEND
        and judgment.status is JudgmentStatus.OK
        and _is_not_before(judgment.at, reveal.at)
    ]
    if first and later:
        before, after = answer_of_judgment(first[0]), answer_of_judgment(later[0])
        for part in _parts(before, after):
            yield part, before.part_value(part), after.part_value(part), later[0].at


def _parts(before: SegmentAnswer, after: SegmentAnswer) -> list[str]:
    """Return in what two answers differ, the label first."""
    known = dict.fromkeys((LABEL, *before.parts, *after.parts))
    return [part for part in known if before.part_value(part) != after.part_value(part)]


def _newest_answers(spoken: Sequence[Judgment], annotator_id: str) -> list[Judgment]:
    """Return the newest answer of each judge in each task and condition; not somebody's own."""
    newest: dict[tuple[str, str, str, str], Judgment] = {}
    for judgment in spoken:
        if judgment.annotator_id != annotator_id and judgment.status is JudgmentStatus.OK:
            newest.setdefault(
                (judgment.judge_id, judgment.annotator_id or "", judgment.task, judgment.condition), judgment
            )
    return [*newest.values()]


def _agreeing_judges(part: str, before: Json, after: Json, answers: Iterable[Judgment]) -> tuple[str, ...]:
    if after is None:
        return ()
    names = (judge_name(answer) for answer in answers if answer_of_judgment(answer).part_value(part) == after != before)
    return tuple(sorted(set(names)))


def _count_by_annotator(
    listed: Sequence[Reveal], found: Sequence[Revision], people: Mapping[str, Annotator]
) -> Iterator[RevisionCounts]:
    for who in sorted(people.values(), key=lambda annotator: annotator.name):
        own = [reveal for reveal in listed if reveal.annotator_id == who.id]
        if not own:
            continue
        mine = [revision for revision in found if revision.annotator.id == who.id]
        pairs = {(name, revision.segment_id) for revision in mine for name in revision.toward}
        toward = {name: sum(pair[0] == name for pair in pairs) for name in sorted({pair[0] for pair in pairs})}
        said = [reveal for reveal in own if "segment" in reveal.own or "judgment" in reveal.own]
        yield RevisionCounts(
            who, len(said), len(own) - len(said), len({revision.segment_id for revision in mine}), toward
        )


def _group_by_subject(edits: Iterable[RowEdit]) -> dict[str, list[RowEdit]]:
    found: dict[str, list[RowEdit]] = {}
    for edit in edits:
        found.setdefault(edit.subject, []).append(edit)
    return found


def _is_not_before(at: str, seen_at: str) -> bool:
    return datetime.fromisoformat(at) >= datetime.fromisoformat(seen_at)


NO_REVEALS_TEXT = "Nobody was shown what judges say yet."


def format_place(revision: Revision) -> str:
    """Return such as `3  0:01:02.000`: number of the recording and time."""
    number = str(revision.recording.number) if revision.recording is not None else "?"
    return f"{number}  {format_time(revision.start_us)}"


def part_name(session: Session, revision: Revision) -> str:
    """Return what the part is called in the form."""
    _, scheme = _form(session, revision)
    return "Label" if revision.part == LABEL else revision.part if scheme is None else scheme.field_name(revision.part)


def format_value(session: Session, revision: Revision, value: Json) -> str:
    """Return a value of the part in words."""
    if value is None:
        return "deleted" if revision.part == LABEL else "nothing"
    track, scheme = _form(session, revision)
    texts = [str(item) for item in value] if isinstance(value, list) else [str(value)]
    if scheme is None:
        return ", ".join(texts)
    if revision.part == LABEL:
        return scheme.label_name(track, texts[0])
    return ", ".join(scheme.choice_name(revision.part, key) for key in texts)


def format_annotator_summary(revised: RevisionCounts) -> str:
    """Return how much one annotator saw and revised, on one line."""
    toward = ", ".join(f"{name} ({number})" for name, number in revised.toward.items())
    said = f"{revised.annotator.name} saw judges on {pluralize(revised.seen, 'segment')} and revised {revised.revised}"
    if toward:
        said += f", now agreeing with {toward}"
    if revised.unprepared:
        said += f"; {pluralize(revised.unprepared, 'segment')} more before marking anything there"
    return f"{said}."


def format_hidden_count(report: RevisionReport) -> str:
    """Return how many revisions are left out, or ""."""
    if not report.hidden:
        return ""
    return f"{pluralize(report.hidden, 'revision')} hidden, because your own is not complete there yet."


def format_report(session: Session, report: RevisionReport) -> str:
    """Return all of it for people."""
    lines = [format_annotator_summary(annotator) for annotator in report.annotators]
    for revision in report.revisions:
        change = (
            f"{format_value(session, revision, revision.before)} -> {format_value(session, revision, revision.after)}"
        )
        toward = f"  now agrees with {', '.join(revision.toward)}" if revision.toward else ""
        lines.append(
            escape_unprintable(
                f"{revision.annotator.name}  {format_place(revision)}  {part_name(session, revision)}: {change}{toward}"
            )
        )
    lines.append(format_hidden_count(report))
    return "\n".join(line for line in lines if line) or NO_REVEALS_TEXT


def _form(session: Session, revision: Revision) -> tuple[str, Scheme | None]:
    """Return track and scheme of the form that was revised."""
    found = find_segment(session.study, revision.own_id or revision.segment_id)
    return ("", None) if found is None else (found.track, session.schemes.find(found.scheme))
