"""How the sound of a recording leaves: what is covered in it, who is muted, whose voices are changed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from anonymize.sound.cover import CoverFilter, Span
from anonymize.sound.kinds import MUTE
from anonymize.sound.plan import SoundPlan, Treatments, sound_filter
from anonymize.voice.streaming import UNKNOWN, Speaking
from app.core.release.codes import sealed
from app.core.release.plan import ReleasePlan
from app.core.release.speech import Speech
from app.core.release.stretches import Stretch
from media.lossless import SoundFilter
from project.progress import Progress
from project.types import Json, Participant


@dataclass(frozen=True, slots=True)
class Spoken:
    """A place in the sound where something personal is said.

    Attributes:
        kind: what it is, a key of `anonymize.pii.kinds.KINDS`.
        measured: whether its words have measured times; the stretch is the whole utterance otherwise.
    """

    start_us: int
    end_us: int
    kind: str
    measured: bool


@dataclass(frozen=True, slots=True)
class Sounding:
    """What is done to the sound of one recording. Nothing in it says who anybody is, but for pseudonyms.

    Attributes:
        covered: where personal information is said.
        muted: where somebody may be heard who did not agree.
        cover: what is heard instead of personal information.
        voice: the method that changes voices; None leaves them.
        options: of that method.
        speakers: start, end and pseudonym of who is known to speak.
        kinds: kind of personal information -> how many places of it are covered.
        whole: how many of these places are covered by their whole utterance, because nobody measured their words.
    """

    covered: tuple[Stretch, ...] = ()
    muted: tuple[Stretch, ...] = ()
    cover: str = MUTE
    voice: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    speakers: tuple[tuple[int, int, str], ...] = ()
    kinds: Mapping[str, int] = field(default_factory=dict)
    whole: int = 0

    @property
    def muted_s(self) -> float:
        """How long it is that somebody is muted."""
        return sum(end - start for start, end in self.muted) / 1e6

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        found = asdict(self)
        return {key: [[*one] for one in value] if isinstance(value, tuple) else value for key, value in found.items()}

    def facts(self) -> dict[str, Json]:
        """Return what manifest and card say: how many and how, not where and who."""
        return {
            "voices": self.voice or "as they are",
            "options": cast(Json, dict(self.options)),
            "cover": self.cover,
            "covered": cast(Json, dict(self.kinds)),
            "whole_utterances": self.whole,
            "muted": len(self.muted),
            "muted_s": round(self.muted_s, 3),
        }


def sounding_from(found: Mapping[str, Any]) -> Sounding:
    """Read what `Sounding.as_json` made."""
    known = {one.name for one in fields(Sounding)}
    values: dict[str, Any] = {
        k: tuple(tuple(one) for one in v) if isinstance(v, list) else v for k, v in found.items() if k in known
    }
    return Sounding(**values)


def sounding(
    plan: ReleasePlan,
    spoken: Iterable[Spoken],
    speech: Speech,
    people: Iterable[Participant],
    refusing: Iterable[Participant],
) -> Sounding:
    """Return what is done to the sound of a recording.

    Where somebody in it did not agree, only those are heard who did and are known to speak: fail closed.

    Args:
        plan: of the release.
        spoken: everything personal that is said, but for what a person decided to keep.
        speech: what is known about who speaks when.
        people: everybody who appears.
        refusing: those of them who did not agree.
    """
    said, silent = [*spoken], {one.id for one in refusing}
    names = {one.id: one.pseudonym for one in people}
    known = [one for one in speech.utterances if one.participant_id in names and not one.suggested]
    return Sounding(
        tuple((one.start_us, one.end_us) for one in said),
        tuple(speech.muted({*names} - silent)) if silent else (),
        plan.cover,
        plan.voice,
        dict(plan.voice_options) if plan.voice else {},
        tuple((one.start_us, one.end_us, names[one.participant_id or ""]) for one in known) if plan.voice else (),
        dict(sorted(Counter(one.kind for one in said).items())),
        sum(not one.measured for one in said),
    )


def seeds_of(one: Sounding, key: str) -> dict[str, str]:
    """Return what the changed voices follow from, by pseudonym; as secret as the key of the study's releases."""
    names = {name for _, _, name in one.speakers}
    return {UNKNOWN: sealed(key, "voice"), **{name: sealed(key, f"voice {name}") for name in sorted(names)}}


def treatment_of(
    one: Sounding, source: Path, seeds: Mapping[str, str], progress: Progress | None = None
) -> SoundFilter:
    """Return what treats the sound of a recording's file.

    Who is muted is so before voices are changed, so that nothing of it is smeared over what is heard, and after.

    Raises:
        UserError: the file cannot be read, or the voice method does not take its options.
    """
    plan = SoundPlan(
        [Span(*each) for each in one.covered],
        one.cover,
        one.voice,
        one.options,
        [Speaking(*each) for each in one.speakers],
        seeds,
    )
    treated = sound_filter(plan, source, progress)
    if not one.muted:
        return treated
    mute = CoverFilter([Span(*each) for each in one.muted])
    return Treatments((mute, treated, mute))
