"""Who is recognized: every embedding, every attacker, every track."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.apart import apart
from anonymize.measures.figure import Figure
from anonymize.measures.identity_variance import identity_variance
from anonymize.measures.leaks import COVERED
from anonymize.measures.looking import hidden_tracks
from anonymize.measures.observed import Observed, Sighting
from anonymize.measures.reference import reference_threshold
from anonymize.measures.reidentification import (
    FEW_PEOPLE,
    Trial,
    by_chance,
    by_track,
    equal_error_rate,
    rank_one,
    reidentified,
    threshold,
    trial,
    worst_track,
)
from anonymize.measures.report import FAR, NAIVE, PARROT, RAW, Attack, Scores
from anonymize.measures.subject import Subject
from anonymize.measures.tools import Tools

_BINS = 40
_EDGES = np.linspace(-1, 1, 2 * _BINS + 1)
_NO_EMBEDDING = "No model that recognises faces is installed, so re-identification is not measured."
_PARROT_LOOKS = (
    "The method gives each person one look. A parrot attacker then tells how well frames of one look are linked with "
    "each other, not who the person is."
)

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Recognition:
    """What the embeddings say.

    Attributes:
        attacks: by embedder, then raw, naive, parrot.
        by_track: position of a track -> share of its faces that a naive attacker re-identifies, by the first embedding.
        similar: (look, track) -> similarity of the face to its own person, by the first embedding.
        variance: of each track, in the clip, by the first embedding.
        variance_in_source: the same in the source.
        scores: see `PrivacyReport.scores`.
        notes: what to keep in mind.
    """

    attacks: tuple[Attack, ...] = ()
    by_track: Mapping[int, Figure] = field(default_factory=dict)
    similar: Mapping[tuple[int, int], float] = field(default_factory=dict)
    variance: Sequence[Figure] = ()
    variance_in_source: Sequence[Figure] = ()
    scores: Scores = field(default_factory=Scores)
    notes: tuple[str, ...] = ()

    def worst_of(self, rows: Sequence[Sighting]) -> int | None:
        """Return when to look at some sightings; see `TrackReport.worst_us`."""
        if not rows:
            return None

        def badness(one: Sighting) -> tuple[bool, bool, float]:
            return one.covered < COVERED, bool(one.in_clip), self.similar.get((one.look, one.track), -1.0)

        return max(rows, key=badness).time_us


@dataclass(frozen=True, slots=True, eq=False)
class _Faces:
    """The embedded sightings: whose they are, and who is certainly not whom."""

    rows: Sequence[Sighting]
    tracks: NDArray[np.int64]
    people: NDArray[np.int64]
    times_us: NDArray[np.int64]
    apart: NDArray[np.bool_]
    named: NDArray[np.bool_]

    def against(self, gallery: Vectors, probes: Vectors, others: Sequence[Vectors] = ()) -> Trial:
        return trial(gallery, probes, self.people, self.times_us, self.apart, others=others, named=self.named)


def recognize(subject: Subject, tools: Tools, found: Observed, others: Sequence[Sequence[Vectors]]) -> Recognition:
    """Compare what was published with what attackers know.

    Args:
        subject: what was measured.
        tools: with what.
        found: what was seen.
        others: for each embedder, vectors of people of other recordings.
    """
    if not tools.embedders:
        return Recognition(notes=(_NO_EMBEDDING,))
    faces = _faces(subject, found)
    if not faces.rows:
        return Recognition(notes=("No face could be aligned, so re-identification is not measured.",))
    ids = [track.id for track in hidden_tracks(subject)]
    attacks: list[Attack] = []
    first: dict[str, Trial] = {}
    for k, embedder in enumerate(tools.embedders):
        raw, other, veiled = (
            np.array([getattr(one, name)[k] for one in faces.rows]) for name in ("raw", "anonymous", "veiled")
        )
        trials = {
            RAW: faces.against(raw, raw, others[k]),
            NAIVE: faces.against(raw, other, others[k]),
            PARROT: faces.against(veiled, veiled),
        }
        first = first or trials
        attacks += [_attack(kind, embedder.key, one, faces, ids) for kind, one in trials.items()]
    naive, limit = first[NAIVE], attacks[1].thresholds[0]
    similar = {
        (row.look, row.track): float(score)
        for row, score in zip(faces.rows, naive.genuine, strict=True)
        if np.isfinite(score)
    }
    counts = {"genuine": first[RAW].genuine, "impostor": naive.impostors, "anonymized": naive.genuine}
    return Recognition(
        tuple(attacks),
        by_track(naive.genuine, faces.tracks, limit),
        similar,
        *_variances(faces),
        Scores(
            tuple(float(edge) for edge in _EDGES),
            {key: tuple(int(n) for n in np.histogram(_known(one), _EDGES)[0]) for key, one in counts.items()},
        ),
        _notes(subject, naive),
    )


def _faces(subject: Subject, found: Observed) -> _Faces:
    rows = [one for one in found.sightings if one.raw]
    tracks = hidden_tracks(subject)
    names = list(dict.fromkeys(subject.identity(track.id) for track in tracks))
    people = [names.index(subject.identity(track.id)) for track in tracks]
    named = [track.id in subject.named for track in tracks]
    known = np.zeros(len(names), bool)
    known[[person for person, one in zip(people, named, strict=True) if one]] = True
    return _Faces(
        rows,
        np.array([one.track for one in rows], np.int64),
        np.array([people[one.track] for one in rows], np.int64),
        np.array([one.time_us for one in rows], np.int64),
        apart(tracks, people, named),
        known,
    )


def _attack(kind: str, embedder: str, found: Trial, faces: _Faces, ids: Sequence[str]) -> Attack:
    limits = [threshold(found.impostors, far) for far in FAR]
    reference = reference_threshold(embedder, limits[0].note) if kind != PARROT and limits[0].value is None else None
    limits[0] = reference or limits[0]
    rates = [reidentified(found.genuine, limit) for limit in limits]
    worst, worst_chance, which = worst_track(found, faces.tracks, faces.people, limits[0])
    if reference is not None:
        rates[0], worst = (replace(one, note=one.note or reference.note) for one in (rates[0], worst))
    return Attack(
        kind,
        embedder,
        tuple(limits),
        tuple(rates),
        by_chance(found, faces.people, limits[0]),
        worst,
        worst_chance,
        "" if which < 0 else ids[which],
        rank_one(found),
        equal_error_rate(found.genuine, found.impostors),
        found.people,
    )


def _variances(faces: _Faces) -> tuple[list[Figure], list[Figure]]:
    places = [np.flatnonzero(faces.tracks == track) for track in np.unique(faces.tracks)]
    clip = [identity_variance(np.array([faces.rows[k].anonymous[0] for k in some.tolist()])) for some in places]
    source = [identity_variance(np.array([faces.rows[k].raw[0] for k in some.tolist()])) for some in places]
    return clip, source


def _known(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return scores[np.isfinite(scores)].clip(-1, 1)


def _notes(subject: Subject, naive: Trial) -> tuple[str, ...]:
    notes = []
    if naive.people < FEW_PEOPLE:
        who = ("nobody else", "one other person")[naive.people] if naive.people < 2 else f"{naive.people} other people"
        notes.append(
            f"The thresholds of re-identification come from {who}; with fewer than {FEW_PEOPLE} they are rough. "
            "Say whose face each track is, in this recording and in others, and there are more to compare with."
        )
    if subject.replaces:
        notes.append(_PARROT_LOOKS)
    return tuple(notes)
