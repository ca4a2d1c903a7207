"""Where what a model noticed goes in the scheme `cues`: a track, a label, and a place inside an utterance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.core.cues.marks import RESPONSE
from models.cues.found import BROWS, GAZE_AWAY, HEARD, MOUTH, NOD, SHAKE, SMILE
from project.types import Utterance

LEAST_US = 100_000
_SPEAKER = {
    SMILE: ("expression", "smile", "Smiles"),
    BROWS: ("expression", "surprise", "Raises the brows"),
    GAZE_AWAY: ("expression", "other_face", "Looks away"),
    NOD: ("action", "gesture", "Nods"),
    SHAKE: ("action", "gesture", "Shakes the head"),
}
_LISTENER = {
    SMILE: (RESPONSE, "smile_back", "Smiles"),
    GAZE_AWAY: (RESPONSE, "gaze", "Looks away"),
    NOD: (RESPONSE, "nod", "Nods"),
    SHAKE: (RESPONSE, "nod", "Shakes the head"),
}
_ALONE = {MOUTH: ("expression", "surprise", "Mouth wide open")}
"""Told only where nobody speaks or no transcript says so: a mouth that speaks is open."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """What a model noticed about somebody.

    Attributes:
        participant_id: whom; None while nobody said whose face it is.
        kind: of `models.cues.found`.
        start_us: on the recording's axis.
        end_us: on the recording's axis.
        strength: 1 is just enough.
        told: what was measured.
    """

    participant_id: str | None
    kind: str
    start_us: int
    end_us: int
    strength: float
    told: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A pre-label: a segment of the scheme `cues` to be."""

    track: str
    label: str
    start_us: int
    end_us: int
    participant_id: str | None
    description: str


def placed(noticed: Iterable[Noticed], spoken: Sequence[Utterance]) -> list[Placed]:
    """Return pre-labels inside utterances; what lies in none is left out, unless there is no transcript at all.

    Whoever is noticed while they speak shows an action, an expression or a tone; during others' words it is a
    listener's response, where the scheme has one for it.
    """
    found = []
    for one in noticed:
        made = _tone(one) if one.kind in HEARD else _seen(one, spoken)
        if made is not None and made.end_us - made.start_us >= LEAST_US:
            found.append(made)
    return found


def _tone(one: Noticed) -> Placed:
    return Placed("tone", one.kind, one.start_us, one.end_us, one.participant_id, _sentence(one.told))


def _seen(one: Noticed, spoken: Sequence[Utterance]) -> Placed | None:
    if not spoken:
        what = (_SPEAKER | _ALONE).get(one.kind)
        return None if what is None else _made(one, what, one.start_us, one.end_us)
    best = max(spoken, key=lambda each: _shared(one, each))
    if _shared(one, best) <= 0:
        return None
    listens = one.participant_id is not None and best.participant_id not in (None, one.participant_id)
    what = (_LISTENER if listens else _SPEAKER).get(one.kind)
    start, end = max(one.start_us, best.start_us), min(one.end_us, best.end_us)
    return None if what is None else _made(one, what, start, end)


def _shared(one: Noticed, utterance: Utterance) -> int:
    return min(one.end_us, utterance.end_us) - max(one.start_us, utterance.start_us)


def _made(one: Noticed, what: tuple[str, str, str], start_us: int, end_us: int) -> Placed:
    track, label, words = what
    return Placed(track, label, start_us, end_us, one.participant_id, f"{words}.")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
