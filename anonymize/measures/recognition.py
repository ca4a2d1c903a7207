"""Recognition attacks on a rendering, for every embedding, attacker and track.

Strangers from other recordings make the thresholds more reliable.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.frame_measures import COVERED_SHARE, Stranger, Tools
from anonymize.measures.frame_observation import FaceObservation, FrameObservations, MeasuredRendering, hidden_tracks
from anonymize.measures.privacy_report import FALSE_ACCEPT_RATES, NAIVE, PARROT, RAW, Attack, MeasuredValue, Scores
from anonymize.measures.reidentification import (
    MIN_PEOPLE,
    AttackScores,
    chance_rate,
    equal_error_rate,
    find_worst_track,
    identity_variance,
    match_threshold,
    rank_one_rate,
    rates_by_track,
    reference_threshold,
    reidentification_rate,
    run_trial,
)
from media.exact_frames import FrameReader
from media.frame_index import load_index
from models.boxes import iou
from models.faces.identity.face_embeddings import Embedder
from models.faces.landmarks import face_signals
from models.faces.landmarks.landmark_finders import LandmarkFinder
from project.entities.study_records import FaceTrack
from project.progress import Progress

_MIN_SHARED_FRAMES = 5
"""Frames in which two tracks must be seen side by side."""
_MAX_SHARED_FRAMES = 50
_MAX_SIDE_BY_SIDE_IOU = 0.1


def distinct_track_pairs(
    tracks: Sequence[FaceTrack], people: Sequence[int], named: Sequence[bool]
) -> NDArray[np.bool_]:
    """Return (p, p): both have a name, and not the same one, or they are seen side by side in a frame.

    Two tracks without a name may be one person who left and came back; as impostors of each other they would raise the
    threshold and hide that the person is recognized. `people` says who each of the (t,) tracks is, 0 to p - 1, `named`
    whether somebody said so.
    """
    count = max(people, default=-1) + 1
    found = np.zeros((count, count), bool)
    for (track, a, is_named), (other, b, is_known) in combinations(zip(tracks, people, named, strict=True), 2):
        if a != b and not found[a, b] and ((is_named and is_known) or _appear_side_by_side(track, other)):
            found[a, b] = found[b, a] = True
    return found


def _appear_side_by_side(track: FaceTrack, other: FaceTrack) -> bool:
    if not len(track.frames) or not len(other.frames):
        return False
    if track.frames[-1] < other.frames[0] or other.frames[-1] < track.frames[0]:
        return False
    _, mine, theirs = np.intersect1d(track.frames, other.frames, assume_unique=True, return_indices=True)
    if len(mine) < _MIN_SHARED_FRAMES:
        return False
    some = np.linspace(0, len(mine) - 1, min(len(mine), _MAX_SHARED_FRAMES)).astype(int)
    return float(np.median([iou(track.boxes[mine[k]], other.boxes[theirs[k]]) for k in some])) < _MAX_SIDE_BY_SIDE_IOU


_BINS = 40
_EDGES = np.linspace(-1, 1, 2 * _BINS + 1)
_NO_EMBEDDING = "No model that recognises faces is installed, so re-identification is not measured."
_PARROT_NOTE = (
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
    """

    attacks: tuple[Attack, ...] = ()
    by_track: Mapping[int, MeasuredValue] = field(default_factory=dict)
    similar: Mapping[tuple[int, int], float] = field(default_factory=dict)
    variance: Sequence[MeasuredValue] = ()
    variance_in_source: Sequence[MeasuredValue] = ()
    scores: Scores = field(default_factory=Scores)
    notes: tuple[str, ...] = ()

    def worst_time_us(self, rows: Sequence[FaceObservation]) -> int | None:
        """Return when to look at some sightings; see `TrackReport.worst_us`."""
        if not rows:
            return None

        def badness(face: FaceObservation) -> tuple[bool, bool, float]:
            return (
                face.covered < COVERED_SHARE,
                bool(face.in_clip),
                self.similar.get((face.look, face.track), -1.0),
            )

        return max(rows, key=badness).time_us


@dataclass(frozen=True, slots=True, eq=False)
class _EmbeddedFaces:
    """The embedded sightings: whose they are, and who is certainly not whom."""

    rows: Sequence[FaceObservation]
    tracks: NDArray[np.int64]
    people: NDArray[np.int64]
    times_us: NDArray[np.int64]
    apart: NDArray[np.bool_]
    named: NDArray[np.bool_]

    def run_attack(self, gallery: Vectors, probes: Vectors, others: Sequence[Vectors] = ()) -> AttackScores:
        return run_trial(gallery, probes, self.people, self.times_us, self.apart, others=others, named=self.named)


def recognize(
    subject: MeasuredRendering, tools: Tools, found: FrameObservations, others: Sequence[Sequence[Vectors]]
) -> Recognition:
    """Compare what was published with what attackers know; `others` holds vectors of strangers for each embedder."""
    if not tools.embedders:
        return Recognition(notes=(_NO_EMBEDDING,))
    faces = _faces(subject, found)
    if not faces.rows:
        return Recognition(notes=("No face could be aligned, so re-identification is not measured.",))
    ids = [track.id for track in hidden_tracks(subject)]
    attacks: list[Attack] = []
    first: dict[str, AttackScores] = {}
    for k, embedder in enumerate(tools.embedders):
        raw, other, veiled = (
            np.array([getattr(face, name)[k] for face in faces.rows]) for name in ("raw", "anonymous", "veiled")
        )
        trials = {
            RAW: faces.run_attack(raw, raw, others[k]),
            NAIVE: faces.run_attack(raw, other, others[k]),
            PARROT: faces.run_attack(veiled, veiled),
        }
        first = first or trials
        attacks += [_attack(kind, embedder.key, attack_scores, faces, ids) for kind, attack_scores in trials.items()]
    naive, limit = first[NAIVE], attacks[1].thresholds[0]
    similar = {
        (row.look, row.track): float(score)
        for row, score in zip(faces.rows, naive.genuine, strict=True)
        if np.isfinite(score)
    }
    counts = {"genuine": first[RAW].genuine, "impostor": naive.impostors, "anonymized": naive.genuine}
    return Recognition(
        tuple(attacks),
        rates_by_track(naive.genuine, faces.tracks, limit),
        similar,
        *_variances(faces),
        Scores(
            tuple(_EDGES.tolist()),
            {key: tuple(np.histogram(_finite_scores(array), _EDGES)[0].tolist()) for key, array in counts.items()},
        ),
        _notes(subject, naive),
    )


def _faces(subject: MeasuredRendering, found: FrameObservations) -> _EmbeddedFaces:
    rows = [sighting for sighting in found.sightings if sighting.raw]
    tracks = hidden_tracks(subject)
    names = list(dict.fromkeys(subject.identity(track.id) for track in tracks))
    people = [names.index(subject.identity(track.id)) for track in tracks]
    named = [track.id in subject.named for track in tracks]
    known = np.zeros(len(names), bool)
    known[[person for person, is_named in zip(people, named, strict=True) if is_named]] = True
    return _EmbeddedFaces(
        rows,
        np.array([row.track for row in rows], np.int64),
        np.array([people[row.track] for row in rows], np.int64),
        np.array([row.time_us for row in rows], np.int64),
        distinct_track_pairs(tracks, people, named),
        known,
    )


def _attack(kind: str, embedder: str, found: AttackScores, faces: _EmbeddedFaces, ids: Sequence[str]) -> Attack:
    limits = [match_threshold(found.impostors, far) for far in FALSE_ACCEPT_RATES]
    reference = reference_threshold(embedder, limits[0].note) if kind != PARROT and limits[0].value is None else None
    limits[0] = reference or limits[0]
    rates = [reidentification_rate(found.genuine, limit) for limit in limits]
    worst, worst_chance, which = find_worst_track(found, faces.tracks, faces.people, limits[0])
    if reference is not None:
        rates[0], worst = (replace(value, note=value.note or reference.note) for value in (rates[0], worst))
    return Attack(
        kind,
        embedder,
        tuple(limits),
        tuple(rates),
        chance_rate(found, faces.people, limits[0]),
        worst,
        worst_chance,
        "" if which < 0 else ids[which],
        rank_one_rate(found),
        equal_error_rate(found.genuine, found.impostors),
        found.people,
    )


def _variances(faces: _EmbeddedFaces) -> tuple[list[MeasuredValue], list[MeasuredValue]]:
    of_tracks = [[row for row in faces.rows if row.track == track] for track in np.unique(faces.tracks)]
    clip = [identity_variance(np.array([row.anonymous[0] for row in rows])) for rows in of_tracks]
    return clip, [identity_variance(np.array([row.raw[0] for row in rows])) for rows in of_tracks]


def _finite_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return scores[np.isfinite(scores)].clip(-1, 1)


def _notes(subject: MeasuredRendering, naive: AttackScores) -> tuple[str, ...]:
    notes = []
    if naive.people < MIN_PEOPLE:
        who = ("nobody else", "one other person")[naive.people] if naive.people < 2 else f"{naive.people} other people"
        notes.append(
            f"The thresholds of re-identification come from {who}; with fewer than {MIN_PEOPLE} they are rough. "
            "Say whose face each track is, in this recording and in others, and there are more to compare with."
        )
    if subject.replaces:
        notes.append(_PARROT_NOTE)
    return tuple(notes)


_READER_BYTES = 32 << 20


def embed_strangers(
    strangers: Sequence[Stranger], embedders: Sequence[Embedder], finder: LandmarkFinder | None, progress: Progress
) -> list[list[NDArray[np.float32]]]:
    """Return for each embedder an (n, d) array for each stranger whose face could be embedded.

    Nothing of it is kept: vectors of faces are personal data like the faces themselves.
    """
    found: list[list[NDArray[np.float32]]] = [[] for _ in embedders]
    if finder is None or not embedders:
        return found
    for done, stranger in enumerate(strangers, 1):
        progress.progress(done, len(strangers), "Looking at people of other recordings")
        seen: list[list[NDArray[np.float32]]] = [[] for _ in embedders]
        with FrameReader(stranger.path, load_index(stranger.path, progress=progress), memory=_READER_BYTES) as reader:
            for frame, box in zip(stranger.frames, stranger.boxes, strict=True):
                progress.check_cancelled()
                if not 0 <= frame < len(reader.index):
                    continue
                image = reader.frame_at(frame).image
                (points,) = finder.find(image, np.asarray(box, np.float32)[None])
                if points is not None:
                    five = np.asarray(face_signals.five_points(points), np.float32)[None]
                    for vectors, embedder in zip(seen, embedders, strict=True):
                        vectors.append(embedder.embed(image, five)[0])
        for kept, vectors in zip(found, seen, strict=True):
            if vectors:
                kept.append(np.array(vectors))
    return found
