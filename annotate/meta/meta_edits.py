"""Edits of meta information: person descriptions, summaries, contradictions, voice-over, scenes."""

import re
from dataclasses import replace

from annotate.meta.scenes import MARK_DURATION_US, SCHEME, SOUND, VOICE_OVER, find_voice_overs, is_voice_over
from annotate.segments.segment_edits import add_segment, delete_segments
from annotate.study.scheme_versions import ensure_scheme
from project.entities.questions import Contradiction, LookKind, PersonDescription, Summary, SummarySource
from project.entities.study_records import Changes
from project.errors import UserError, no_longer_in_study, require_length, unknown_id
from project.ids import new_id
from project.queries.question_rows import (
    contradictions_in,
    delete_contradiction,
    find_contradiction,
    insert_contradictions,
    person_descriptions,
    set_summary,
    summaries_of,
    update_contradiction,
)
from project.queries.question_rows import set_person_description as set_look
from project.queries.recording_rows import all_participants
from project.queries.transcript_rows import find_utterance
from project.session.session import Session

MAX_DESCRIPTION_CHARS = 200
MAX_SUMMARY_CHARS = 20_000
MAX_CONTRADICTION_CHARS = 2_000
_INVISIBLE_CHARS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SUMMARY_NAMES = {SummarySource.WORDS: "summary from words", SummarySource.FRAMES: "summary from pictures"}


def set_person_description(
    session: Session, recording_id: str, participant_id: str, kind: LookKind, text: str
) -> Changes:
    """Say by what somebody is told apart in a recording; an empty text takes it back."""
    number = session.recording(recording_id).number
    who = next(
        (participant for participant in all_participants(session.study) if participant.id == participant_id), None
    )
    if who is None:
        raise no_longer_in_study("participant")
    new = PersonDescription(recording_id, participant_id, kind, _line(text, MAX_DESCRIPTION_CHARS, "A look"))
    with session.step(f"Describe {kind.value} of {who.pseudonym} in recording {number}") as step:
        _store_description(session, new)
    return step.changes


def set_person_descriptions(session: Session, looks: list[PersonDescription]) -> Changes:
    """Set several looks as one step."""
    new = [replace(look, text=_line(look.text, MAX_DESCRIPTION_CHARS, "A look")) for look in looks]
    with session.step("Describe people") as step:
        for description in new:
            _store_description(session, description)
    return step.changes


def write_summary(
    session: Session, recording_id: str, source: SummarySource, text: str, judgment_id: str | None = None
) -> Changes:
    """Write a summary of a recording; an empty text takes it back.

    `judgment_id` is that of the judgment whose words these are; where None, a person changes what is there, and whoever
    worded it first is kept.
    """
    number = session.recording(recording_id).number
    plain = clean_summary(text)
    known = summaries_of(session.study, recording_id).get(source)
    first = known.judgment_id if known is not None else ""
    new = Summary(recording_id, source, plain, first if judgment_id is None else judgment_id)
    if known == new or (known is None and not plain):
        return Changes()
    merge = f"summary {recording_id} {source.value}" if judgment_id is None else None
    with session.step(f"Write {_SUMMARY_NAMES[source]} of recording {number}", merge_key=merge) as step:
        set_summary(session.study, new)
    return step.changes


def clean_summary(text: str) -> str:
    """Return a summary as it is kept: without signs that cannot be seen."""
    return _clean_text(text, MAX_SUMMARY_CHARS, "A summary")


def add_contradiction(session: Session, recording_id: str, text: str) -> tuple[str, Changes]:
    """Note what the summaries of a recording say differently; returns its id, "" where it is noted already."""
    if not text.strip():
        raise UserError("A contradiction cannot be empty.", "Describe how the two summaries differ.")
    made, changes = replace_contradictions(session, recording_id, [text], "", [])
    return (made[0] if made else ""), changes


def replace_contradictions(
    session: Session, recording_id: str, texts: list[str], judgment_id: str, gone: list[str]
) -> tuple[list[str], Changes]:
    """Note contradictions in the place of others, as one step; returns the new ids.

    What is noted already and stays is not noted again.
    """
    number = session.recording(recording_id).number
    stay = [
        contradiction
        for contradiction in contradictions_in(session.study, recording_id)
        if contradiction.id not in gone
    ]
    known = {_normalize_text(contradiction.text) for contradiction in stay}
    lines = {_normalize_text(text): _line(text, MAX_CONTRADICTION_CHARS, "A contradiction") for text in texts}
    new = [
        Contradiction(new_id(), recording_id, line, "", False, judgment_id)
        for key, line in lines.items()
        if line and key not in known
    ]
    if not new and not gone:
        return [], Changes()
    with session.step(f"Note contradictions in recording {number}") as step:
        for contradiction_id in gone:
            delete_contradiction(session.study, contradiction_id)
        insert_contradictions(session.study, new)
    return [contradiction.id for contradiction in new], step.changes


def settle_contradiction(
    session: Session, contradiction_id: str, resolution: str | None = None, settled: bool = True
) -> Changes:
    """Say what is true about a contradiction, and whether anybody still has to look at it.

    Without a resolution, it stays as it was.
    """
    known = _contradiction(session, contradiction_id)
    text = known.resolution if resolution is None else _line(resolution, MAX_CONTRADICTION_CHARS, "A resolution")
    new = replace(known, resolution=text, settled=settled)
    if new == known:
        return Changes()
    with session.step("Settle contradiction" if settled else "Open contradiction again") as step:
        update_contradiction(session.study, new)
    return step.changes


def edit_contradiction(session: Session, contradiction_id: str, text: str) -> Changes:
    """Say a contradiction in other words."""
    known = _contradiction(session, contradiction_id)
    new = replace(known, text=_line(text, MAX_CONTRADICTION_CHARS, "A contradiction"))
    if not new.text:
        raise UserError("A contradiction cannot be empty.", "Describe it, or delete it.")
    if new == known:
        return Changes()
    with session.step("Change contradiction") as step:
        update_contradiction(session.study, new)
    return step.changes


def remove_contradictions(session: Session, ids: list[str]) -> Changes:
    """Delete contradictions as one step."""
    for contradiction_id in ids:
        _contradiction(session, contradiction_id)
    with session.step("Delete contradiction" if len(ids) == 1 else f"Delete {len(ids)} contradictions") as step:
        for contradiction_id in ids:
            delete_contradiction(session.study, contradiction_id)
    return step.changes


def set_voice_over(session: Session, utterance_id: str, over: bool) -> Changes:
    """Say that an utterance is voice-over, so that it is left out of the speech, or that it is not.

    It is a segment of the scheme `scenes` over the utterance. Taking it back deletes one's own segments over it.
    """
    said = find_utterance(session.study, utterance_id)
    if said is None:
        raise unknown_id("utterance", utterance_id)
    marked = find_voice_overs(session, said.recording_id)
    if is_voice_over(said, marked) == over:
        return Changes()
    if over:
        _, changes = mark_scene(session, said.recording_id, said.start_us, said.end_us, SOUND, VOICE_OVER)
        return changes
    me = session.annotator()
    there = [segment for segment in marked if segment.start_us < said.end_us and segment.end_us > said.start_us]
    if me is None or any(segment.annotator_id != me.id for segment in there):
        raise UserError(
            "Another annotator marked this as voice-over.",
            "Ask them to remove the mark, or resolve it in adjudication.",
        )
    return delete_segments(session, [segment.id for segment in there])


def mark_scene_at(session: Session, recording_id: str, time_us: int, track: str, label: str) -> tuple[str, Changes]:
    """Mark a scene change or an event at a moment, half a second long; returns the segment's id."""
    last = session.recording(recording_id).duration_us
    start = max(0, min(time_us, last - MARK_DURATION_US))
    return mark_scene(session, recording_id, start, min(last, start + MARK_DURATION_US), track, label)


def mark_scene(
    session: Session, recording_id: str, start_us: int, end_us: int, track: str, label: str
) -> tuple[str, Changes]:
    """Mark something of the scheme `scenes`, which comes into use where it is not yet; returns the segment's id."""
    changes = ensure_scheme(session, SCHEME)
    made, more = add_segment(session, recording_id, start_us, end_us, label, scheme=SCHEME, track=track)
    return made, changes | more


def _store_description(session: Session, new: PersonDescription) -> None:
    known = {
        (description.participant_id, description.kind): description.text
        for description in person_descriptions(session.study, new.recording_id)
    }
    if known.get((new.participant_id, new.kind), "") != new.text:
        set_look(session.study, new)


def _contradiction(session: Session, contradiction_id: str) -> Contradiction:
    found = find_contradiction(session.study, contradiction_id)
    if found is None:
        raise no_longer_in_study("contradiction")
    return found


def _line(text: str, longest: int, what: str) -> str:
    return " ".join(_clean_text(text, longest, what).split())


def _clean_text(text: str, longest: int, what: str) -> str:
    plain = _INVISIBLE_CHARS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return require_length(plain, longest, what)


def _normalize_text(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")
