"""Links detections into tracks, and suggests which tracks show one person. Arithmetic only: no pictures, no files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from models.boxes import iou_matrix
from models.faces.frame_detections import Observation, compare_descriptions
from models.faces.tracking_options import FaceOptions
from project.entities.study_records import FaceTrack, Origin
from project.ids import new_id

_MEMORY = 4
_FAR_CENTRE = 0.6
_FAR_SIZE = 1.7
_NO_MATCH = 100.0
_FORESIGHT_US = 500_000
# A face against itself a second later is 0.97 alike or more in 19 of 20 cases, against another of the same scene 0.94
# or less: from this much less on, likeness says no more.
_OTHERS = 0.1
_NEW_LOOK = 0.2
# What looks alike may also have stopped where it was last seen; a little less is made of that.
_ALIKE, _STAYED = 0.4, 0.8

Box = NDArray[np.float64]


@dataclass(slots=True)
class _Chain:
    """The hits of one face so far: position in the list of observations, box, score; and what it looks like."""

    positions: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    description: NDArray[np.float64] | None = None

    def add(self, at: int, time_us: int, hit: NDArray[np.float32], look: NDArray[np.uint8]) -> None:
        self.description = (
            look.astype(np.float64)
            if self.description is None
            else self.description + _NEW_LOOK * (look - self.description)
        )
        self.positions.append(at)
        self.times.append(time_us)
        self.boxes.append(_to_centres(hit[None])[0])
        self.scores.append(float(hit[4]))

    def speed(self, last: bool = True) -> Box:
        """Change of (centre x, centre y) in a microsecond at one end; sizes are taken to stay."""
        n = min(_MEMORY, len(self.positions))
        here, there = (-1, -n) if last else (n - 1, 0)
        span = self.times[here] - self.times[there]
        out = np.zeros(4)
        if span > 0:
            out[:2] = (self.boxes[here] - self.boxes[there])[:2] / span
        return out

    def predict_box(self, time_us: int) -> Box:
        ahead = min(time_us - self.times[-1], _FORESIGHT_US)
        return self.boxes[-1] + self.speed() * ahead


def _to_centres(hits: NDArray[np.float32]) -> Box:
    boxes = hits[:, :4].astype(np.float64)
    boxes[:, :2] += boxes[:, 2:] / 2
    return boxes


def _overlaps(a: Box, b: Box) -> NDArray[np.float64]:
    """Return (n, m) intersections over union of (n, 4) and (m, 4) boxes given by their centres."""
    return iou_matrix(*(np.column_stack([array[:, :2] - array[:, 2:] / 2, array[:, 2:]]) for array in (a, b)))


def _match(
    chains: list[_Chain], found: Box, looks: NDArray[np.uint8], time_us: int, options: FaceOptions
) -> list[tuple[int, int]]:
    if not chains or not len(found):
        return []
    expected = np.array([chain.predict_box(time_us) for chain in chains])
    known = np.array([chain.description for chain in chains])
    unlike = np.clip((1 - compare_descriptions(known, looks)) / _OTHERS, 0, 1)
    left = np.array([chain.boxes[-1] for chain in chains])
    alike = unlike < _ALIKE
    overlap = np.maximum(_overlaps(expected, found), np.where(alike, _STAYED * _overlaps(left, found), 0))
    side = np.sqrt(np.maximum(expected[:, None, 2:].prod(2), found[None, :, 2:].prod(2)))
    away = [np.linalg.norm(place[:, None, :2] - found[None, :, :2], axis=2) for place in (expected, left)]
    distance = np.where(alike, np.minimum(*away), away[0]) / side
    size = np.exp(np.abs(np.log(expected[:, None, 2:].prod(2) / found[None, :, 2:].prod(2))) / 2)
    possible = (overlap >= options.overlap) | ((distance < _FAR_CENTRE) & (size < _FAR_SIZE))
    cost = np.where(possible, 1 - overlap + 0.1 * distance + options.appearance * unlike, _NO_MATCH)
    rows, columns = linear_sum_assignment(cost)
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if possible[r, c]]


def _chains(shot: Sequence[Observation], options: FaceOptions) -> list[_Chain]:
    done: list[_Chain] = []
    live: list[_Chain] = []
    for at, seen in enumerate(shot):
        if not seen.was_searched:
            continue
        done += [c for c in live if seen.time_us - c.times[-1] > options.patience_us]
        live = [c for c in live if seen.time_us - c.times[-1] <= options.patience_us]
        free = list(live)
        for sure in (True, False):
            scores = seen.hits[:, 4]
            chosen = (scores >= options.weak) & ((scores >= options.sure) == sure)
            hits, looks = seen.hits[chosen], seen.descriptions[chosen]
            pairs = _match(free, _to_centres(hits), looks, seen.time_us, options)
            for row, column in pairs:
                free[row].add(at, seen.time_us, hits[column], looks[column])
            taken, used = {row for row, _ in pairs}, {column for _, column in pairs}
            free = [c for i, c in enumerate(free) if i not in taken]
            for i, hit in enumerate(hits):
                if i not in used:
                    live.append(_Chain())
                    live[-1].add(at, seen.time_us, hit, looks[i])
    return done + live


def _split_at_gaps(chain: _Chain, options: FaceOptions) -> Iterator[_Chain]:
    """Break the chain of a probable thing at its longer gaps: it must not grow by interpolation."""
    if max(chain.scores) >= options.lasting:
        yield chain
        return
    gaps = [i for i, (a, b) in enumerate(pairwise(chain.times), 1) if b - a > options.brief_patience_us]
    for start, end in pairwise([0, *gaps, len(chain.positions)]):
        part = slice(start, end)
        yield _Chain(chain.positions[part], chain.times[part], chain.boxes[part], chain.scores[part], chain.description)


def _smooth(boxes: Box) -> Box:
    """Average sizes over three hits: they tremble from look to look, which shows as a mask that breathes."""
    if len(boxes) < 3:
        return boxes
    sizes = np.concatenate([boxes[:1, 2:], boxes[:, 2:], boxes[-1:, 2:]])
    return np.concatenate([boxes[:, :2], (sizes[:-2] + sizes[1:-1] + sizes[2:]) / 3], axis=1)


def _is_face(chain: _Chain, options: FaceOptions) -> bool:
    return max(chain.scores) >= options.sure or len(chain.positions) >= options.hits


def _track_range(chain: _Chain, shot: Sequence[Observation], options: FaceOptions) -> tuple[int, int]:
    """Return the first and last position of the track, with what lies before the first and after the last hit."""
    first, last = chain.positions[0], chain.positions[-1]
    reach = options.reach_us if max(chain.scores) >= options.lasting else 0
    while first > 0 and (not shot[first - 1].was_searched or chain.times[0] - shot[first - 1].time_us <= reach):
        first -= 1
    end = len(shot) - 1
    while last < end and (not shot[last + 1].was_searched or shot[last + 1].time_us - chain.times[-1] <= reach):
        last += 1
    return first, last


def _track(chain: _Chain, shot: Sequence[Observation], options: FaceOptions) -> FaceTrack:
    first, last = _track_range(chain, shot, options)
    times = np.array([seen.time_us for seen in shot[first : last + 1]], np.int64)
    known_times, known = np.array(chain.times, np.float64), _smooth(np.array(chain.boxes))
    boxes = np.stack([np.interp(times, known_times, column) for column in known.T], axis=1)
    before, after = times < chain.times[0], times > chain.times[-1]
    if len(chain.positions) >= _MEMORY:
        boxes[before] += (times[before] - chain.times[0])[:, None] * chain.speed(last=False)
        boxes[after] += (times[after] - chain.times[-1])[:, None] * chain.speed()
    boxes[:, :2] -= boxes[:, 2:] / 2
    origins = np.full(len(times), Origin.INTERPOLATED, np.uint8)
    origins[before | after] = Origin.TRACKED
    origins[np.array(chain.positions) - first] = Origin.DETECTED
    nearest = np.abs(times[:, None] - np.array(chain.times)[None]).argmin(axis=1)
    return FaceTrack(
        id=new_id(),
        frames=np.array([seen.frame for seen in shot[first : last + 1]], np.int32),
        times_us=times,
        boxes=boxes.astype(np.float32),
        scores=np.array(chain.scores, np.float32)[nearest],
        origins=origins,
    )


def _shots(seen: Sequence[Observation]) -> Iterator[Sequence[Observation]]:
    cuts = [0, *(i for i, observation in enumerate(seen) if observation.cut and i), len(seen)]
    for start, end in pairwise(cuts):
        yield seen[start:end]


def link_detections(seen: Sequence[Observation], options: FaceOptions) -> list[FaceTrack]:
    """Return the tracks of the faces in consecutive frames, by their first frame. None crosses a scene change."""
    tracks = []
    for shot in _shots(seen):
        chains = [part for chain in _chains(shot, options) for part in _split_at_gaps(chain, options)]
        chains.sort(key=lambda c: (c.positions[0], -c.scores[0], tuple(c.boxes[0])))
        tracks += [_track(chain, shot, options) for chain in chains if _is_face(chain, options)]
    return tracks


_LEAST_HITS = 5
_LEAST_BEST = 0.5
_MOST_LOOKS = 50
# Of four friends over six shots, tracks of one person were 0.953 to 0.986 alike, of two people up to 0.966, and up to
# 0.95 as the mean of pairs of groups.
_LOOKS = (0.94, 0.99)
# Vectors of two people agree by more than 0.25 in one case of a hundred, of one person mostly by 0.4 to 0.8.
_IDENTITY = (0.2, 0.6)
_LEAST_CONFIDENCE = 0.3

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrackGroupSuggestion:
    """Tracks that may show one person.

    Attributes:
        tracks: ids, by their first frame.
        confidence: 0 to 1, of the least likely step that made the group.
    """

    tracks: tuple[str, ...]
    confidence: float


def describe_tracks(tracks: Sequence[FaceTrack], seen: Sequence[Observation]) -> dict[str, Matrix]:
    """Return the mean description, (104,), of every track that was found often and surely enough to compare.

    `seen` is every frame of the recording, from the first.
    """
    found = {}
    for track in tracks:
        hits = np.flatnonzero(track.origins == Origin.DETECTED)
        if len(hits) < _LEAST_HITS or track.scores.max() < _LEAST_BEST:
            continue
        chosen = hits[np.linspace(0, len(hits) - 1, min(_MOST_LOOKS, len(hits))).astype(int)]
        looks = []
        for place in chosen:
            observation = seen[int(track.frames[place])]
            middle = track.boxes[place, :2] + track.boxes[place, 2:] / 2
            away = np.abs(observation.hits[:, :2] + observation.hits[:, 2:4] / 2 - middle).sum(axis=1)
            looks.append(observation.descriptions[int(away.argmin())])
        found[track.id] = np.asarray(np.mean(looks, axis=0), np.float64)
    return found


def suggest_groups(
    tracks: Sequence[FaceTrack], looks: Mapping[str, Matrix], identities: Mapping[str, NDArray[np.float32]]
) -> list[TrackGroupSuggestion]:
    """Return groups of two tracks or more, the likeliest first.

    Tracks without `looks`, (104,) each, are left out; `identities` are (d,) unit vectors where an embedding saw the
    face.
    """
    chosen = [track for track in tracks if track.id in looks]
    if len(chosen) < 2:
        return []
    alike = np.array([looks[track.id] for track in chosen])
    sure = _confidence(compare_descriptions(alike, alike), _LOOKS)
    known = [i for i, track in enumerate(chosen) if track.id in identities]
    if known:
        vectors = np.array([identities[chosen[i].id] for i in known], np.float64)
        sure[np.ix_(known, known)] = _confidence(vectors @ vectors.T, _IDENTITY)
    groups = _grow_groups(sure, _seen_together(chosen))
    found = [
        TrackGroupSuggestion(tuple(chosen[i].id for i in sorted(group)), round(least, 3)) for group, least in groups
    ]
    return sorted(found, key=lambda suggestion: -suggestion.confidence)


def _confidence(values: Matrix, limits: tuple[float, float]) -> Matrix:
    low, high = limits
    return np.clip((values - low) / (high - low), 0, 1)


def _seen_together(tracks: Sequence[FaceTrack]) -> NDArray[np.bool_]:
    """Return (n, n): which tracks are found in the same frame anywhere, and so are two people."""
    spans = []
    for track in tracks:
        hits = track.frames[track.origins == Origin.DETECTED]
        spans.append((hits[0], hits[-1]))
    first, last = np.array(spans).T
    both: NDArray[np.bool_] = (first[:, None] <= last[None]) & (first[None] <= last[:, None])
    return both


def _grow_groups(sure: Matrix, apart: NDArray[np.bool_]) -> list[tuple[list[int], float]]:
    """Join the likeliest two groups that may be one until none are likely; the members, and the least confidence."""
    mean = np.where(apart, -1.0, sure)
    groups = {i: ([i], 1.0) for i in range(len(mean))}
    while True:
        a, b = (int(i) for i in np.unravel_index(int(mean.argmax()), mean.shape))
        best = float(mean[a, b])
        if best < _LEAST_CONFIDENCE:
            return [group for group in groups.values() if len(group[0]) > 1]
        (ours, least), (theirs, other) = groups[a], groups.pop(b)
        groups[a] = (ours + theirs, min(least, other, best))
        joint = (len(ours) * mean[a] + len(theirs) * mean[b]) / (len(ours) + len(theirs))
        joint[(mean[a] < 0) | (mean[b] < 0)] = -1.0
        joint[a] = -1.0
        mean[a], mean[:, a] = joint, joint
        mean[b], mean[:, b] = -1.0, -1.0
