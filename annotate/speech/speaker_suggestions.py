"""Speakers that the newest speaker detection found, and the edits that name them as participants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.study.people import build_participant
from models.speakers.diarization import Flag, FlagKind
from project.codec import load
from project.entities.study_records import Changes, ParticipantRole, Utterance
from project.errors import UserError, no_longer_in_study
from project.queries import recording_rows
from project.queries.history_rows import latest_run
from project.queries.recording_rows import pseudonyms
from project.queries.transcript_rows import find_utterances, update_utterance
from project.session.session import Session
from project.timebase import SECOND_US, format_time

KIND = "speakers"
_UNNAMED_SPEAKER = "somebody who is no participant yet"


@dataclass(frozen=True, slots=True)
class SpeakerFlag:
    """A place where a person should look at who speaks.

    Attributes:
        utterance_id: None where the recording had no transcript.
        text: one line that says why.
    """

    kind: FlagKind
    utterance_id: str | None
    start_us: int
    end_us: int
    text: str


@dataclass(frozen=True, slots=True)
class FoundSpeaker:
    """Somebody who speaks in a recording.

    Attributes:
        number: from 1, in the order in which they are first heard.
        participant_id: who it is taken for; None for somebody who is no participant yet.
        tracks: ids of the face tracks that speak with this voice, the surest first.
        confidence: mean over that speech, 0 to 1.
        stretches: of speech, as (start, end).
        utterance_ids: of the transcript; empty where there was none.
    """

    number: int
    participant_id: str | None
    tracks: tuple[str, ...]
    seconds: float
    confidence: float
    stretches: tuple[tuple[int, int], ...]
    utterance_ids: tuple[str, ...]

    @property
    def label(self) -> str:
        """What they are called while nobody knows who it is."""
        return f"Speaker {self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerGuess:
    """Who speaks in a stretch, as the study keeps it: a participant, or a face track that is nobody's yet."""

    utterance: str
    start_us: int
    end_us: int
    speaker: int | None
    participant: str | None
    track: str | None
    confidence: float
    faces: Mapping[str, float]
    nobody: float


@dataclass(frozen=True, slots=True)
class SpeakerFindings:
    """What is read of a run, in order of time."""

    suggestions: tuple[SpeakerGuess, ...] = ()
    flags: tuple[Flag, ...] = ()


def read_findings(session: Session, recording_id: str) -> SpeakerFindings:
    """Return what the newest run found; nothing where there is none."""
    run = latest_run(session.study, recording_id, KIND)
    return SpeakerFindings() if run is None else load(SpeakerFindings, run.result, "The run")


def list_speakers(session: Session, recording_id: str) -> list[FoundSpeaker]:
    """Return who speaks in a recording by the newest run, by number."""
    by_number: dict[int, list[SpeakerGuess]] = {}
    for guess in read_findings(session, recording_id).suggestions:
        if guess.speaker is not None:
            by_number.setdefault(guess.speaker, []).append(guess)
    return [_speaker(number, guesses) for number, guesses in sorted(by_number.items())]


def list_speaker_flags(session: Session, recording_id: str) -> list[SpeakerFlag]:
    """Return where a person should look, in order of time.

    What a person decided since then, or an utterance that is gone or was moved, is left out.
    """
    flags = read_findings(session, recording_id).flags
    there = find_utterances(session.study, {flag.utterance for flag in flags if flag.utterance})
    names = pseudonyms(session.study)
    return [
        SpeakerFlag(flag.kind, flag.utterance or None, flag.start_us, flag.end_us, _text(flag, names))
        for flag in flags
        if not flag.utterance or _is_open(there.get(flag.utterance), flag)
    ]


def _is_open(utterance: Utterance | None, flag: Flag) -> bool:
    if utterance is None or (utterance.start_us, utterance.end_us) != (flag.start_us, flag.end_us):
        return False
    return utterance.participant_id is None or utterance.suggested


def _text(flag: Flag, names: Mapping[str, str]) -> str:
    person, other = (names.get(key or "", _UNNAMED_SPEAKER) for key in (flag.person, flag.other))
    match flag.kind:
        case FlagKind.DISAGREE if flag.person is None:
            return f"The voice is nobody's who is seen, but the mouth of {other} moves: listen who speaks."
        case FlagKind.DISAGREE:
            return f"Voice and face disagree: it is {person} or {other}. Listen who speaks."
        case FlagKind.TWO_VOICES:
            return f"Another voice begins at {format_time(flag.at_us or 0)}: split it there if two people speak."
        case FlagKind.OVERLAP:
            return "Others speak at the same time: listen who speaks."
        case FlagKind.SHORT:
            return "Too short to tell a voice by: listen who speaks."
        case FlagKind.DOUBTFUL:
            return "It is doubtful who speaks: listen."


def _speaker(number: int, guesses: Sequence[SpeakerGuess]) -> FoundSpeaker:
    seconds = [(guess.end_us - guess.start_us) / SECOND_US for guess in guesses]
    total = sum(seconds)
    tracks: dict[str, float] = {}
    for guess, length in zip(guesses, seconds, strict=True):
        for track, score in guess.faces.items():
            tracks[track] = tracks.get(track, 0.0) + score * length
    seen = [
        track for track in sorted(tracks, key=lambda track: -tracks[track]) if tracks[track] >= 0.5 * min(total, 2.0)
    ]
    surely = sum(guess.confidence * length for guess, length in zip(guesses, seconds, strict=True))
    return FoundSpeaker(
        number,
        guesses[0].participant,
        tuple(seen),
        round(total, 3),
        round(surely / max(total, 1e-9), 3),
        tuple((guess.start_us, guess.end_us) for guess in guesses),
        tuple(guess.utterance for guess in guesses if guess.utterance),
    )


MIN_ASSIGN_CONFIDENCE = 0.6
"""Utterances that are this surely a speaker's are assigned; the others become suggestions."""


def name_speaker(session: Session, recording_id: str, number: int, participant_id: str) -> Changes:
    """Say which participant a speaker is: their utterances that nobody else was chosen for follow, as one step."""
    speaker = find_speaker(session, recording_id, number)
    known = {participant.id: participant for participant in recording_rows.all_participants(session.study)}
    if participant_id not in known:
        raise no_longer_in_study("participant")
    with session.step(f"{speaker.label} is {known[participant_id].pseudonym}") as step:
        _assign(session, recording_id, speaker, participant_id)
    return step.changes


def name_speaker_as_new(
    session: Session, recording_id: str, number: int, pseudonym: str, role: ParticipantRole
) -> tuple[str, Changes]:
    """Make a speaker a new participant who appears in the recording, as one step; returns the new id."""
    speaker = find_speaker(session, recording_id, number)
    made = build_participant(session, pseudonym, role)
    with session.step(f"{speaker.label} is {made.pseudonym}") as step:
        recording_rows.insert_participant(session.study, made)
        _assign(session, recording_id, speaker, made.id)
    return made.id, step.changes


def find_speaker(session: Session, recording_id: str, number: int) -> FoundSpeaker:
    """Return a speaker of the newest search."""
    found = {speaker.number: speaker for speaker in list_speakers(session, recording_id)}
    if number not in found:
        there = ", ".join(str(known) for known in found) or "none yet"
        raise UserError(
            f"There is no speaker {number} in recording {session.recording(recording_id).number}.",
            f"Speakers found: {there}.",
        )
    return found[number]


def _assign(session: Session, recording_id: str, speaker: FoundSpeaker, participant_id: str) -> None:
    recording_rows.set_appearance(session.study, recording_id, participant_id, True)
    sure = {
        guess.utterance: guess.confidence >= MIN_ASSIGN_CONFIDENCE
        for guess in read_findings(session, recording_id).suggestions
        if guess.speaker == speaker.number
    }
    for utterance in find_utterances(session.study, speaker.utterance_ids).values():
        if utterance.participant_id is None or utterance.suggested:
            new = replace(utterance, participant_id=participant_id, suggested=not sure[utterance.id])
            update_utterance(session.study, new)
