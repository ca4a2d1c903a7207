"""What the window of meta information shows, as rows of its tables."""

from collections.abc import Sequence

from app.core.cues.lines import said_with_cues
from app.core.meta.answers import LOOKS, SOURCES, answers_about, is_own, said_contradictions, said_summary
from app.core.meta.people import Person
from app.core.meta.scenes import CHANGE, EVENT, Happening, happenings
from app.core.meta.speech import Said
from app.core.session import Session
from project.judging import Judgment
from project.queries.meta import contradictions_in, summaries_of
from project.queries.participants import all_participants
from project.questions import SummarySource
from project.timebase import format_seconds, format_time
from resources.translation import tr, trn
from widgets.meta.answer_picker import Answer
from widgets.meta.contradictions_table import ContradictionRow
from widgets.meta.people_table import PersonRow
from widgets.rows_table import Row

SPEECH = (tr("Time"), tr("Who"), tr("What, with cues"), "")
SCENES = (tr("Time"), tr("What"), tr("Description"), tr("State"))
PAUSE = tr("pause ")
"""How the key of a stretch without speech begins."""
_NO_WORDS = tr("no words yet: transcribe or import them in the mode Transcript")
_LEFT_OUT = tr("voice-over, left out")
_KINDS = {CHANGE: "", EVENT: tr("Event: ")}


def people_rows(people: Sequence[Person]) -> list[PersonRow]:
    """Return a row for each person; where a face of theirs is surest is where clicking leads, -1 for nowhere."""
    return [_person_row(one) for one in people]


def speech_rows(session: Session, said: Sequence[Said], pauses: Sequence[tuple[int, int]]) -> list[Row]:
    """Return a row for each utterance and each stretch in which nobody speaks, by start."""
    names = {one.id: one.pseudonym for one in all_participants(session.study)}
    rows = [
        Row(
            one.utterance.id,
            (
                format_time(one.utterance.start_us),
                names.get(one.utterance.participant_id or "", "?"),
                said_with_cues(one.utterance.text, one.cues, names),
                _LEFT_OUT if one.left_out else "",
            ),
            "volume-x" if one.left_out else "",
            time_us=one.utterance.start_us,
        )
        for one in said
    ]
    rows += [
        Row(
            f"{PAUSE}{start}",
            (
                format_time(start),
                "",
                tr("nobody speaks for {length}").format(length=format_seconds(end - start)) if said else _NO_WORDS,
                "",
            ),
            time_us=start,
        )
        for start, end in pauses
    ]
    return sorted(rows, key=lambda row: row.time_us)


def scene_rows(found: Sequence[Happening]) -> list[Row]:
    """Return a row for each scene change, event and sound that was laid over."""
    return [
        Row(
            one.segment.id,
            (
                format_time(one.segment.start_us),
                f"{_KINDS.get(one.segment.track, '')}{one.name}",
                ": ".join(part for part in (one.who, one.description) if part),
                "suggested" if one.prelabel else "",
            ),
            time_us=one.segment.start_us,
        )
        for one in found
    ]


def contradiction_rows(session: Session, recording_id: str) -> list[ContradictionRow]:
    """Return a row for each contradiction."""
    return [
        ContradictionRow(one.id, one.text, one.resolution, one.settled)
        for one in contradictions_in(session.study, recording_id)
    ]


def summary_of(session: Session, recording_id: str, source: SummarySource) -> tuple[str, str]:
    """Return a summary and a note on who wrote it."""
    known = summaries_of(session.study, recording_id).get(source)
    if known is None:
        return "", ""
    if not known.judgment_id:
        return known.text, tr("written by a person")
    changed = is_own(session, recording_id, source)
    return known.text, tr("by a judge, changed by a person") if changed else tr("by a judge")


def answers_by_task(session: Session, recording_id: str) -> dict[str, list[Answer]]:
    """Return task -> what judges suggest, newest first, without suggestions that say the same."""
    found: dict[str, list[Answer]] = {}
    for said in answers_about(session, recording_id):
        text = _words(session, said)
        known = found.setdefault(said.task, [])
        if all(one.text != text for one in known):
            known.append(Answer(said.id, f"{said.judge.get('name', '?')}, {said.at[:16].replace('T', ' ')}", text))
    return found


def open_changes(session: Session, recording_id: str) -> list[str]:
    """Return the ids of what is suggested and was not decided on."""
    return [one.segment.id for one in happenings(session, recording_id) if one.prelabel]


def _words(session: Session, said: Judgment) -> str:
    if said.task in SOURCES:
        return said_summary(session, said)
    if said.task == LOOKS:
        return str(said.answer.get("looks") or "").strip()
    return "\n".join(said_contradictions(session, said)) or tr("The two summaries do not contradict each other.")


def _person_row(one: Person) -> PersonRow:
    who = one.participant
    seen = sum(end - start for start, end in one.shown)
    parts = (
        [f"{format_seconds(seen)}, {trn('{count} track', '{count} tracks', len(one.tracks))}"]
        if one.tracks
        else [tr("no face tracked")]
    )
    if one.spoken_us:
        parts.append(tr("speaks {length}").format(length=format_seconds(one.spoken_us)))
    start = -1
    if one.tracks:
        best = max(one.tracks, key=lambda each: float(each.face.scores.max())).face
        start = int(best.times_us[int(best.scores.argmax())])
    name = tr("nobody yet") if who is None else who.pseudonym
    return PersonRow("" if who is None else who.id, name, dict(one.looks), "\n".join(parts), start)
