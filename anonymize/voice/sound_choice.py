"""The sound settings of an export, and everything in the study that its sound depends on."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from anonymize.sound.sound_plan import SoundPlan, sound_filter
from anonymize.sound.voice_methods import COVERS, DEFAULT_VOICE, MUTE, VOICES, create_voice
from anonymize.sound.voice_stream import VoiceSpan
from project.codec import dump
from project.entities.study_records import Json
from project.errors import UserError, unknown_choice
from project.progress import Progress
from project.queries.pii_rows import pii_decisions, private_words, public_words
from project.queries.recording_rows import all_participants
from project.queries.transcript_rows import utterances_of
from project.search.free_texts import free_texts
from project.session.session import Session
from project.store.column_values import words_to_json
from project.timebase import Interval

if TYPE_CHECKING:
    from media.sound import SoundFilter

KEEP, NONE = "keep", "none"
SECRET_PROPERTY = "voice_secret"
"""The property that every speaker's change follows from; it never leaves with a release."""

VOICE_WARNING = "A voice identifies its speaker."
NO_TRANSCRIPT = "Without a transcript nothing personal can be found in the sound, so nothing was covered."


@dataclass(frozen=True, slots=True)
class SoundChoice:
    """What a person chose.

    Attributes:
        voice: `KEEP`, `NONE` for no sound at all, or a key of `VOICES`.
        options: of the voice method, by name.
        cover: `NONE`, or one of `COVERS`: what is heard where personal information is said.
    """

    voice: str = DEFAULT_VOICE
    options: Mapping[str, Json] = field(default_factory=dict)
    cover: str = MUTE

    @property
    def changes_voices(self) -> bool:
        """Whether voices are changed."""
        return self.voice not in (KEEP, NONE)

    @property
    def covers_pii(self) -> bool:
        """Whether personal information is covered in sound that stays."""
        return self.cover != NONE and self.voice != NONE

    @property
    def changes_sound(self) -> bool:
        """Whether the sound differs from the recording's."""
        return self.voice != KEEP or self.cover != NONE


@dataclass(frozen=True, slots=True)
class SoundParameters:
    """What a job makes a filter of the sound from; it holds secrets and is never stored.

    Attributes:
        plan: what is done; a speaker is the id of a participant.
        state: checksum of all that decides how the sound comes out.
    """

    choice: SoundChoice
    plan: SoundPlan
    state: str

    def stored(self) -> dict[str, Json]:
        """Return what a run keeps of it: no times, no secrets."""
        return {**dump(self.choice), "state": self.state, "covered": len(self.plan.covered)}


def require_choice(choice: SoundChoice) -> None:
    """Refuse what cannot be done."""
    if choice.changes_voices:
        if choice.voice not in VOICES:
            raise unknown_choice("voice method", choice.voice, [KEEP, NONE, *VOICES])
        create_voice(choice.voice, **choice.options)
    elif choice.options:
        raise UserError("Only a voice method has options.", f"Choose one of {', '.join(VOICES)}.")
    if choice.cover not in (NONE, *COVERS):
        raise unknown_choice("cover", choice.cover, [NONE, *COVERS])


def gather_sound_parameters(session: Session, recording_id: str, choice: SoundChoice) -> SoundParameters:
    """Return what `build_filter` makes a filter from."""
    require_choice(choice)
    plan = SoundPlan(
        covered=tuple(pii_spans(session, recording_id)) if choice.covers_pii else (),
        cover=MUTE if choice.cover == NONE else choice.cover,
    )
    if choice.changes_voices:
        speakers = speaker_spans(session, recording_id)
        seeds = _seeds(session, {speaker.identity for speaker in speakers})
        plan = replace(plan, voice=choice.voice, options=choice.options, speakers=tuple(speakers), seeds=seeds)
    return SoundParameters(choice, plan, sound_checksum(session, recording_id, choice))


def build_filter(
    sound: SoundParameters,
    source: Path,
    progress: Progress | None = None,
    near: tuple[int, int | None] = (0, None),
    *,
    track: int,
) -> "SoundFilter | Literal['keep', 'none']":
    """Return what treats a sound track of a file."""
    if sound.choice.voice == NONE:
        return "none"
    return "keep" if sound.plan.is_unchanged else sound_filter(sound.plan, source, progress, near, track=track)


def sound_checksum(session: Session, recording_id: str, choice: SoundChoice) -> str:
    """Return a checksum over everything that decides how the sound of a recording comes out.

    It changes with the sound track of the main file, the words of the transcript, their times, what was decided about
    them and which words are private, and with who speaks when; undoing the change brings the old one back. Nothing is
    searched for it.
    """
    medium = session.main_medium(recording_id)
    content: list[object] = [dump(choice), medium.sound_track if medium else 0]
    if choice.changes_voices:
        content.append(speaker_spans(session, recording_id))
    if choice.covers_pii:
        content.append(_transcript_state(session, recording_id))
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def pii_spans(session: Session, recording_id: str) -> list[Interval]:
    """Return where personal information is said that nobody decided to keep, in microseconds, in order of time."""
    from anonymize.pii_review.review_hits import find_spoken_spans

    if not utterances_of(session.study, recording_id):
        return []
    return sorted(
        {(spoken_span.start_us, spoken_span.end_us) for spoken_span in find_spoken_spans(session, recording_id)}
    )


def needs_pii_search(session: Session, recording_id: str, choice: SoundChoice) -> bool:
    """Tell whether texts have to be searched before it is known what is covered: that is a job of its own."""
    from anonymize.pii_review.study_finder import unsearched_texts

    if not choice.covers_pii or not utterances_of(session.study, recording_id):
        return False
    return bool(unsearched_texts(session, [free_text.text for free_text in free_texts(session.study)]))


def speaker_spans(session: Session, recording_id: str) -> list[VoiceSpan]:
    """Return which participants (ids) are heard when."""
    return [
        VoiceSpan(utterance.start_us, utterance.end_us, utterance.participant_id)
        for utterance in utterances_of(session.study, recording_id)
        if utterance.participant_id is not None
    ]


def _seeds(session: Session, participants: set[str]) -> dict[str, str]:
    secret = session.get_secret(SECRET_PROPERTY).encode()
    known = {"", *participants}
    return {who: hmac.new(secret, who.encode(), hashlib.sha256).hexdigest() for who in sorted(known)}


def _transcript_state(session: Session, recording_id: str) -> list[object]:
    from anonymize.pii_review.study_finder import current_recognizers

    study, recognizers = session.study, current_recognizers()
    said = utterances_of(study, recording_id)
    rows = {utterance.id for utterance in said}
    decided = [
        [place.row, place.field, place.text, place.ordinal, str(pii_decision.verdict)]
        for place, pii_decision in pii_decisions(study).items()
        if place.row in rows
    ]
    return [
        [
            [utterance.id, utterance.start_us, utterance.end_us, utterance.text, words_to_json(utterance.words)]
            for utterance in said
        ],
        sorted(decided),
        sorted([private_word.word, private_word.kind] for private_word in private_words(study)),
        sorted(public_words(study)),
        sorted(participant.pseudonym for participant in all_participants(study)),
        # What another version of a model under the same key found is not what this one finds.
        recognizers.model and [recognizers.model, *recognizers.titles],
    ]
