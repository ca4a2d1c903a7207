"""The plan of a release, and the codes of its people, recordings and annotations.

The study keeps the newest plan, so that the window and the command line agree.
"""

import hashlib
import hmac
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.interchange.annotation_files import FORMATS, get_format
from anonymize.faces.masking_plan import require_method
from anonymize.methods.face_methods import METHODS, recommended_method
from anonymize.sound.voice_methods import COVERS, MUTE, VOICES, create_voice, voice_type
from project.codec import dump, load
from project.entities.study_records import Annotator, Changes
from project.errors import UserError, unknown_choice
from project.session.session import Session

PLAN_PROPERTY = "release_plan"
RAW = "raw"
LEAVE_OUT, SOLID, SCRUB, NONE, KEEP = "leave-out", "solid", "scrub", "none", "keep"

WITHOUT_CONSENT_CHOICES = {
    LEAVE_OUT: "Leave out recordings in which somebody appears who did not consent",
    SOLID: "Paint the faces of those who did not consent solid, and leave out what they say",
}
SOUND_CHOICES = {
    NONE: "No sound",
    KEEP: "Voices as they are; a voice identifies its speaker",
    **{name: f"Voices changed: {voice_type(name).title}" for name in VOICES},
}
"""How voices are released. Spoken personal information is covered whenever sound is released."""
TEXT_CHOICES = {LEAVE_OUT: "Leave free texts and transcripts out", SCRUB: "Scrub free texts and transcripts"}
VIDEO_CHOICES = {
    "source": "Clips at the source's rate",
    "15hz": "Clips at 15 frames a second",
    "1hz": "A picture a second",
}


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """What a release holds.

    Attributes:
        methods: how faces are hidden, one clip of each recording for every method; the recommended one where empty.
        only: number of a recording -> its methods, where they differ.
        without_consent: what happens where somebody appears who did not consent to release, see
            `WITHOUT_CONSENT_CHOICES`.
        sound: see `SOUND_CHOICES`.
        cover: what is heard instead of personal information, see `COVERS`.
        voice_options: of the method that changes voices, by name.
        texts: see `TEXT_CHOICES`.
        formats: keys of interchange formats for the annotations.
        video: which of `VIDEO_CHOICES`.
        keep_robots: leave the faces of participants with the role robot as they are.
        title: of the data set.
        contact: whom to ask, for card and access terms.
        holder: who holds the rights, for the licence.
        recordings: numbers of those that are released; all where empty.
    """

    methods: tuple[str, ...] = ()
    only: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    without_consent: str = LEAVE_OUT
    sound: str = NONE
    cover: str = MUTE
    voice_options: Mapping[str, int | float] = field(default_factory=dict)
    texts: str = LEAVE_OUT
    formats: tuple[str, ...] = ("csv", "eaf")
    video: tuple[str, ...] = ("source", "15hz", "1hz")
    keep_robots: bool = False
    title: str = ""
    contact: str = ""
    holder: str = ""
    recordings: tuple[int, ...] = ()

    def methods_for(self, number: int) -> tuple[str, ...]:
        """Return how the faces of a recording are hidden, one clip a method."""
        return self.only.get(number) or self.methods or (recommended_method(),)

    @property
    def voice_method(self) -> str | None:
        """The method that changes voices; None where none does."""
        return self.sound if self.sound in VOICES else None

    @property
    def includes_sound(self) -> bool:
        """Whether the sound of recordings leaves in clips."""
        return self.sound != NONE and not {*self.video} <= {"1hz"}


def read_plan(session: Session) -> ReleasePlan:
    """Return what was chosen last in this study; where that is nothing or not understood, what shows least."""
    try:
        return load(ReleasePlan, session.study.get_property(PLAN_PROPERTY), "The plan of the release")
    except UserError:
        return ReleasePlan()


def store_plan(session: Session, plan: ReleasePlan) -> Changes:
    """Remember what a release of this study is to hold."""
    require_possible(plan)
    with session.step("Choose what is released", merge_key="release plan") as step:
        session.study.set_property(PLAN_PROPERTY, dump(plan))
    return step.changes


def require_possible(plan: ReleasePlan) -> None:
    """Refuse what a release can never hold, or not on this machine."""
    every = {*plan.methods, *(name for names in plan.only.values() for name in names)}
    if RAW in every:
        raise UserError("Raw recordings cannot be released.", f"Choose one of {', '.join(METHODS)}.")
    for name in sorted(every):
        require_method(name)
    for given, known in (
        (plan.without_consent, WITHOUT_CONSENT_CHOICES),
        (plan.sound, SOUND_CHOICES),
        (plan.cover, COVERS),
        (plan.texts, TEXT_CHOICES),
        *((kind, VIDEO_CHOICES) for kind in plan.video),
    ):
        if given not in known:
            raise unknown_choice("choice", given, known)
    if plan.voice_method is not None:
        create_voice(plan.voice_method, **plan.voice_options)
    for key in plan.formats:
        if get_format(key).lossless:
            raise UserError(
                f"The format “{key}” contains the whole study with all names, so it cannot be released.",
                f"Choose one of {', '.join(key for key in FORMATS if not get_format(key).lossless)}.",
            )


KEY_PROPERTY = "release_key"
_CODE_LETTERS = {"person": "A", "model": "M", "adjudicated": "C"}
_VERSION_7 = 0x7 << 76
_VARIANT = 0b10 << 62


def get_release_key(session: Session) -> str:
    """Return the study's own secret, 64 hexadecimal digits; made where there is none. It never leaves the study."""
    return session.get_secret(KEY_PROPERTY)


def keyed_checksum(key: str, text: str) -> str:
    """Return a checksum (HMAC-SHA-256) that only who has the key can compare with anything."""
    return hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).hexdigest()


def derive_released_id(key: str, own: str) -> str:
    """Return another id for a row: the same in every release, but it tells neither the row nor when it was made."""
    value = int(keyed_checksum(key, own)[:32], 16)
    value &= ~(0xF << 76) & ~(0b11 << 62)
    return str(uuid.UUID(int=value | _VERSION_7 | _VARIANT))


def assign_annotator_codes(annotators: Sequence[Annotator], taken: Collection[str] = ()) -> dict[str, str]:
    """Return name -> A01, A02... (people), M01... (models), C01... (agreed on); nobody's own name is used as a code.

    Annotators come in the order in which they came to the study; no code is one of the names in `taken`.
    """
    avoid = {annotator.name.casefold() for annotator in annotators} | {name.casefold() for name in taken}
    codes: dict[str, str] = {}
    used = dict.fromkeys(_CODE_LETTERS.values(), 0)
    for annotator in annotators:
        letter = _CODE_LETTERS.get(annotator.kind, "A")
        while True:
            used[letter] += 1
            code = f"{letter}{used[letter]:02}"
            if code.casefold() not in avoid:
                break
        codes[annotator.name] = code
    return codes


def recording_code(number: int) -> str:
    """Return what the files of a recording are called."""
    return f"recording-{number:04}"
