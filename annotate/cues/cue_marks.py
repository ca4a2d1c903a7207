"""Cues of a recording at their places inside utterances, and pre-labels made from what a model noticed."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from models.cues.cue_baseline import BROWS, GAZE_AWAY, MOUTH, NOD, SHAKE, SMILE, VOCAL_CUES, CueSuggestion
from project.entities.study_records import Annotator, Segment, Utterance
from project.entities.transcript import estimate_word_times
from project.queries.annotator_rows import all_annotators, reviews_in
from project.queries.segment_rows import segments_of, values_in
from project.queries.transcript_rows import utterances_of
from project.session.session import Session

SCHEME = "cues"
RESPONSE = "response"
"""The scheme whose segments are cues, and its track for what listeners show."""
MODEL = "model"
"""Kind of the annotators that are no person: their cues are pre-labels until somebody accepts them."""


@dataclass(frozen=True, slots=True)
class CueMark:
    """A cue at its place.

    Attributes:
        track: key of its track in the scheme `cues`.
        description: what is seen or heard; may be empty.
        participant_id: whose cue it is; None where nobody said.
        word: position of the word of the utterance during or after which it begins; -1 where it has none before it.
        prelabel: a model suggests it, and nobody accepted it yet.
    """

    segment_id: str
    track: str
    label: str
    name: str
    description: str
    participant_id: str | None
    start_us: int
    end_us: int
    word: int
    annotator_id: str
    prelabel: bool

    @property
    def is_response(self) -> bool:
        """Whether it is what a listener shows."""
        return self.track == RESPONSE

    @property
    def display_text(self) -> str:
        """What it says, in few words: its description, or else its label."""
        return self.description or self.name.lower()


def cues_by_utterance(
    session: Session, recording_id: str, *, prelabels: bool = True
) -> Mapping[str, Sequence[CueMark]]:
    """Return utterance id -> its cues, by start; utterances without any are left out.

    Cues that lie in no utterance are under "". Pre-labels that the annotator of this session decided on are left out,
    and all others where only what people marked is wanted. A cue belongs to the utterance that it shares most time
    with; where two people speak at once, to that of the speaker it is about, or to another's where it is a listener's.
    """
    marked = segments_of(session.study, recording_id, scheme=SCHEME)
    if not marked:
        return {}
    spoken = utterances_of(session.study, recording_id)
    kinds = {annotator.id: annotator for annotator in all_annotators(session.study)}
    values = values_in(session.study, recording_id)
    finder = _UtteranceFinder(spoken)
    viewer = session.annotator()
    done = {
        segment_id
        for segment_id, reviews in reviews_in(session.study, recording_id).items()
        if viewer and any(review.reviewer_id == viewer.id for review in reviews)
    }
    found: dict[str, list[CueMark]] = {}
    for segment in marked:
        given = values.get(segment.id, {})
        whose = given.get("participant")
        participant_id = whose if isinstance(whose, str) and whose else None
        holder = finder.find_utterance(segment, participant_id)
        mark = _mark(session, segment, participant_id, str(given.get("description") or ""), holder, kinds)
        if not mark.prelabel or (prelabels and segment.id not in done):
            found.setdefault("" if holder is None else holder.id, []).append(mark)
    return found


def word_index_at(utterance: Utterance, time_us: int) -> int:
    """Return the position of the word that is spoken at a time, or of the last one before it; -1 before the first."""
    words = utterance.words or estimate_word_times(utterance.text, utterance.start_us, utterance.end_us)
    return next((at for at in range(len(words) - 1, -1, -1) if words[at].start_us <= time_us), -1)


def _mark(
    session: Session,
    segment: Segment,
    participant_id: str | None,
    description: str,
    holder: Utterance | None,
    annotators: Mapping[str, Annotator],
) -> CueMark:
    scheme = session.schemes.find(segment.scheme)
    label = None if scheme is None else scheme.track_or_empty(segment.track).label(segment.label)
    author = annotators.get(segment.annotator_id)
    return CueMark(
        segment.id,
        segment.track,
        segment.label,
        segment.label if label is None else label.name,
        description.strip(),
        participant_id,
        segment.start_us,
        segment.end_us,
        -1 if holder is None else word_index_at(holder, segment.start_us),
        segment.annotator_id,
        author is not None and author.kind == MODEL,
    )


class _UtteranceFinder:
    """Finds the utterance of a cue among many in O(log n)."""

    def __init__(self, spoken: Sequence[Utterance]) -> None:
        self._spoken = spoken
        self._starts = [utterance.start_us for utterance in spoken]
        self._reach = [*accumulate((utterance.end_us for utterance in spoken), max)]

    def find_utterance(self, cue: Segment, participant_id: str | None) -> Utterance | None:
        first = bisect_left(self._reach, cue.start_us + 1)
        last = bisect_left(self._starts, cue.end_us)
        best: tuple[tuple[int, bool], Utterance] | None = None
        for utterance in self._spoken[first:last]:
            shared = min(cue.end_us, utterance.end_us) - max(cue.start_us, utterance.start_us)
            if shared <= 0:
                continue
            own = utterance.participant_id is not None and utterance.participant_id == participant_id
            rank = (shared, own != (cue.track == RESPONSE))
            if best is None or rank > best[0]:
                best = rank, utterance
        return None if best is None else best[1]


MIN_DURATION_US = 100_000
_SPEAKER_CUES = {
    SMILE: ("expression", "smile", "Smiles"),
    BROWS: ("expression", "surprise", "Raises the brows"),
    GAZE_AWAY: ("expression", "other_face", "Looks away"),
    NOD: ("action", "gesture", "Nods"),
    SHAKE: ("action", "gesture", "Shakes the head"),
}
_LISTENER_CUES = {
    SMILE: (RESPONSE, "smile_back", "Smiles"),
    GAZE_AWAY: (RESPONSE, "gaze", "Looks away"),
    NOD: (RESPONSE, "nod", "Nods"),
    SHAKE: (RESPONSE, "nod", "Shakes the head"),
}
_SILENT_CUES = {MOUTH: ("expression", "surprise", "Mouth wide open")}
"""Told only where nobody speaks or no transcript says so: a mouth that speaks is open."""


@dataclass(frozen=True, slots=True)
class NoticedCue(CueSuggestion):
    """What a model noticed about somebody; `participant_id` is None while nobody said whose face it is."""

    participant_id: str | None = None


@dataclass(frozen=True, slots=True)
class CuePrelabel:
    """A pre-label: a segment of the scheme `cues` to be."""

    track: str
    label: str
    start_us: int
    end_us: int
    participant_id: str | None
    description: str


def build_prelabels(noticed: Iterable[NoticedCue], spoken: Sequence[Utterance]) -> list[CuePrelabel]:
    """Return pre-labels inside utterances; what lies in none is left out, unless there is no transcript at all.

    A cue of somebody who speaks is an action, an expression or a tone; during others' words it is a listener's
    response, where the scheme has one for it.
    """
    found = []
    for cue in noticed:
        made = _tone(cue) if cue.kind in VOCAL_CUES else _visual_prelabel(cue, spoken)
        if made is not None and made.end_us - made.start_us >= MIN_DURATION_US:
            found.append(made)
    return found


def _tone(noticed: NoticedCue) -> CuePrelabel:
    return CuePrelabel(
        "tone", noticed.kind, noticed.start_us, noticed.end_us, noticed.participant_id, _sentence(noticed.told)
    )


def _visual_prelabel(noticed: NoticedCue, spoken: Sequence[Utterance]) -> CuePrelabel | None:
    if not spoken:
        what = (_SPEAKER_CUES | _SILENT_CUES).get(noticed.kind)
        return None if what is None else _make_prelabel(noticed, what, noticed.start_us, noticed.end_us)
    best = max(spoken, key=lambda utterance: _overlap_us(noticed, utterance))
    if _overlap_us(noticed, best) <= 0:
        return None
    listens = noticed.participant_id is not None and best.participant_id not in (None, noticed.participant_id)
    what = (_LISTENER_CUES if listens else _SPEAKER_CUES).get(noticed.kind)
    start, end = max(noticed.start_us, best.start_us), min(noticed.end_us, best.end_us)
    return None if what is None else _make_prelabel(noticed, what, start, end)


def _overlap_us(noticed: NoticedCue, utterance: Utterance) -> int:
    return min(noticed.end_us, utterance.end_us) - max(noticed.start_us, utterance.start_us)


def _make_prelabel(noticed: NoticedCue, what: tuple[str, str, str], start_us: int, end_us: int) -> CuePrelabel:
    track, label, words = what
    return CuePrelabel(track, label, start_us, end_us, noticed.participant_id, f"{words}.")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
