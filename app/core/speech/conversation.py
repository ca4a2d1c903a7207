"""What was said around a stretch of a recording: the conversation history that people and judges see."""

from dataclasses import dataclass

from app.core.cues.marks import CueMark, cues_at
from app.core.session import Session
from project.queries.participants import all_participants
from project.queries.utterances import utterances_before, utterances_between
from project.types import ParticipantRole

BEFORE = 6
"""Turns before a stretch that are shown where nobody asks for another number."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance of a conversation.

    Attributes:
        utterance_id: of the utterance.
        start_us: on the recording's axis.
        end_us: on the recording's axis.
        participant_id: who speaks; None while nobody knows.
        speaker: the speaker's pseudonym; "" while nobody knows.
        role: the speaker's; None while nobody knows.
        text: what is said.
        inside: it shares time with the stretch; else it is over before it.
        checked: somebody looked at it; else a model heard it.
        cues: what people marked inside it, where they were asked for; pre-labels are never among them.
    """

    utterance_id: str
    start_us: int
    end_us: int
    participant_id: str | None
    speaker: str
    role: ParticipantRole | None
    text: str
    inside: bool
    checked: bool
    cues: tuple[CueMark, ...] = ()


def conversation(
    session: Session, recording_id: str, start_us: int, end_us: int, before: int = BEFORE, cues: bool = False
) -> list[Turn]:
    """Return the utterances that share time with a stretch and those that led up to it, by start.

    Args:
        session: holds the study.
        recording_id: of the recording.
        start_us: of the stretch, on the recording's axis.
        end_us: of the stretch, on the recording's axis.
        before: utterances before the stretch, at most.
        cues: whether to tell the cues inside them.
    """
    study = session.study
    inside = utterances_between(study, recording_id, start_us, end_us)
    earlier = utterances_before(study, recording_id, start_us, before) if before > 0 else []
    if not (inside or earlier):
        return []
    people = {one.id: one for one in all_participants(study)}
    marks = cues_at(session, recording_id) if cues else {}
    chosen = {one.id for one in inside}
    turns = []
    for one in sorted((*earlier, *inside), key=lambda each: (each.start_us, each.end_us, each.id)):
        speaker = None if one.participant_id is None else people.get(one.participant_id)
        turns.append(
            Turn(
                one.id,
                one.start_us,
                one.end_us,
                one.participant_id,
                "" if speaker is None else speaker.pseudonym,
                None if speaker is None else speaker.role,
                one.text,
                one.id in chosen,
                one.checked,
                tuple(cue for cue in marks.get(one.id, ()) if not cue.prelabel),
            )
        )
    return turns
