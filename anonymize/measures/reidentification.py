"""Re-identification rates, thresholds and error rates of faces in a rendering.

Reference thresholds are used where a study has too few people.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.privacy_report import MeasuredValue, pool_values, share_value
from project.timebase import SECOND_US

MIN_PEOPLE = 10
"""With fewer other people than this, a threshold says little about people in general."""
MIN_FACES_IN_TRACK = 10
"""A track with fewer faces than this is judged together with the other short ones."""
MIN_ENROLLED_FACES = 5
"""Fewer faces than this are no gallery of a person: the mean of one or two bad views is like anything blurred."""

Vectors = NDArray[np.floating]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AttackScores:
    """Scores of one kind of attack.

    Attributes:
        genuine: (n,) of each probe against what the gallery has of the same person in other frames; NaN where that is
            too little.
        impostors: (m,) of gallery faces against what the gallery has of other people.
        best_other: (n,) the greatest score of each probe against other people; NaN where there is nobody else.
        crossed: (k,) of probes against what the gallery has of other people of the recording.
        crossed_with: (k,) which person each of those was compared with.
        people: from how many people the impostors are.
    """

    genuine: Scores
    impostors: Scores
    best_other: Scores
    crossed: Scores
    crossed_with: NDArray[np.int64]
    people: int


def unit_vectors(vectors: Vectors) -> NDArray[np.float64]:
    """Return (n, d) vectors of length 1; a vector of zeros stays."""
    long = np.asarray(vectors, np.float64)
    length = np.linalg.norm(long, axis=-1, keepdims=True)
    short: NDArray[np.float64] = np.divide(long, length, out=np.zeros_like(long), where=length > 0)
    return short


def run_trial(
    gallery: Vectors,
    probes: Vectors,
    people: Sequence[int] | NDArray[np.integer],
    times_us: Sequence[int] | NDArray[np.integer],
    apart: NDArray[np.bool_],
    others: Sequence[Vectors] = (),
    named: NDArray[np.bool_] | None = None,
) -> AttackScores:
    """Compare probes with a gallery of the same faces.

    What the gallery has of a person is the mean of their unit vectors (enrolment). For a probe of that person it is
    the mean over frames at least a second away, or over all other frames where too few are so far away. People of whom
    there are not `MIN_ENROLLED_FACES` other faces are not in the gallery.

    Args:
        gallery: (n, d) of the attacker.
        probes: (n, d) of the published faces, row by row the same faces as the gallery's.
        people: (n,) whose face it is, 0 to p - 1.
        times_us: (n,) when.
        apart: (p, p) whether two people are certainly not the same; only then are they impostors of each other.
        others: (k, d) vectors each of further people, from elsewhere.
        named: (p,) who is known to be none of the others; everybody when None.
    """
    known, seen = unit_vectors(gallery), unit_vectors(probes)
    who, when = np.asarray(people, np.int64), np.asarray(times_us, np.int64)
    count = len(apart)
    genuine = np.full(len(seen), np.nan)
    templates = np.zeros((count, known.shape[1]))
    for person in range(count):
        rows = np.flatnonzero(who == person)
        if len(rows) > MIN_ENROLLED_FACES:
            templates[person] = unit_vectors(known[rows].sum(0)[None])[0]
            genuine[rows] = _score_own(known, seen, rows, when)
    further = np.array([unit_vectors(unit_vectors(vectors).sum(0)[None])[0] for vectors in others]).reshape(
        -1, known.shape[1]
    )
    present = np.bincount(who, minlength=count) > MIN_ENROLLED_FACES
    known_well = np.ones(count, bool) if named is None else named
    far_off = np.repeat(known_well[who][:, None], len(further), axis=1)
    strange = np.concatenate([apart[who] & present[None], far_off], axis=1)
    everyone = np.concatenate([templates, further])
    impostors = (known @ everyone.T)[strange]
    against = seen @ everyone.T
    best = np.where(strange, against, -np.inf).max(axis=1, initial=-np.inf)
    met = (apart & present[None] & present[:, None]).any(1)
    involved = int(met.sum()) + (len(further) if far_off.any() else 0)
    here = strange[:, :count]
    return AttackScores(
        genuine,
        impostors,
        np.where(np.isfinite(best), best, np.nan),
        against[:, :count][here],
        np.nonzero(here)[1],
        involved,
    )


def _score_own(
    known: NDArray[np.float64], seen: NDArray[np.float64], rows: NDArray[np.intp], when: NDArray[np.int64]
) -> Scores:
    """Score each probe of one person against the mean of their other frames."""
    by_time = np.argsort(when[rows], kind="stable")
    order = rows[by_time]
    times = when[order]
    sums = np.concatenate([np.zeros((1, known.shape[1])), np.cumsum(known[order], axis=0)])
    first = np.searchsorted(times, times - SECOND_US, side="right")
    last = np.searchsorted(times, times + SECOND_US, side="left")
    far = sums[-1] - (sums[last] - sums[first])
    enough = len(order) - (last - first) >= MIN_ENROLLED_FACES
    enrolled = np.where(enough[:, None], far, sums[-1] - known[order])
    scores = np.einsum("nd,nd->n", unit_vectors(enrolled), seen[order])
    placed = np.empty(len(rows))
    placed[by_time] = scores
    return placed


def match_threshold(impostors: Scores, far: float) -> MeasuredValue:
    """Return the score that a share `far` of impostors exceeds at most: the (1 - far) quantile.

    FIVA (Rosberg et al., arXiv 2309.04228, section 4) and the ISO/IEC 19795-1 false match rate. None where there are
    fewer than 1 / far comparisons: such a quantile would be the greatest score, whatever the rate asked for.
    """
    scores = impostors[np.isfinite(impostors)]
    needed = math.ceil(1 / far)
    if len(scores) < needed:
        return MeasuredValue(
            None, len(scores), f"It takes {needed:,} comparisons with other people; there are {len(scores):,}."
        )
    return MeasuredValue(float(np.quantile(scores, 1 - far, method="higher")), len(scores))


def reidentification_rate(genuine: Scores, limit: MeasuredValue) -> MeasuredValue:
    """Return the share of probes whose score against their own person exceeds a threshold."""
    scores = genuine[np.isfinite(genuine)]
    if limit.value is None:
        return MeasuredValue(None, len(scores), limit.note)
    return share_value(int((scores > limit.value).sum()), len(scores), "faces that other frames show again")


def false_match_rates(
    found: AttackScores, people: Sequence[int] | NDArray[np.integer], limit: MeasuredValue
) -> dict[int, MeasuredValue]:
    """Return for each person the share of other people's published faces that are taken for them.

    What a mask looks like to the model may be like somebody, whoever is behind it. Where others are taken for a person
    as often as that person's own faces are, being taken for oneself tells nothing. `people` says whose each published
    face is.
    """
    shares: dict[int, MeasuredValue] = {}
    for person in np.unique(np.asarray(people, np.int64)).tolist():
        scores = found.crossed[found.crossed_with == person]
        if limit.value is None:
            shares[person] = MeasuredValue(None, len(scores), limit.note)
        else:
            shares[person] = share_value(
                int((scores > limit.value).sum()), len(scores), "other people in the recording"
            )
    return shares


def chance_rate(
    found: AttackScores,
    people: Sequence[int] | NDArray[np.integer],
    limit: MeasuredValue,
    some: NDArray[np.bool_] | None = None,
) -> MeasuredValue:
    """Return the share of faces re-identified if a face told nothing: `false_match_rates` weighted by person.

    Only the faces in `some` count, all when None.
    """
    each = false_match_rates(found, people, limit)
    counts = np.isfinite(found.genuine) if some is None else np.isfinite(found.genuine) & some
    own = np.asarray(people, np.int64)[counts]
    weighed = [MeasuredValue(each[person].value, int((own == person).sum())) for person in each]
    return pool_values(weighed, limit.note or "There is nobody else in the recording.")


def find_worst_track(
    found: AttackScores,
    tracks: Sequence[int] | NDArray[np.integer],
    people: Sequence[int] | NDArray[np.integer],
    limit: MeasuredValue,
) -> tuple[MeasuredValue, MeasuredValue, int]:
    """Return of the track that is re-identified most beyond chance: its share, that by chance, its number.

    Tracks with fewer than `MIN_FACES_IN_TRACK` faces count as one: in three faces, one hit by chance is a third. The
    number is -1 where there is no track.
    """
    numbers = np.asarray(tracks, np.int64)
    rates = rates_by_track(found.genuine, numbers, limit)
    short = [key for key, rate in rates.items() if rate.n < MIN_FACES_IN_TRACK and rate.n]
    groups = [(key, numbers == key) for key, rate in rates.items() if rate.n >= MIN_FACES_IN_TRACK]
    if short:
        groups.append((max(short, key=lambda key: float(rates[key].value or 0.0)), np.isin(numbers, short)))
    worst: tuple[float, MeasuredValue, MeasuredValue, int] | None = None
    for key, some in groups:
        rate, chance = reidentification_rate(found.genuine[some], limit), chance_rate(found, people, limit, some)
        beyond = float(rate.value or 0.0) - float(chance.value or 0.0)
        if rate.value is not None and rate.n >= MIN_FACES_IN_TRACK and (worst is None or beyond > worst[0]):
            worst = beyond, rate, chance, key
    if worst is None:
        note = limit.note or f"No track has {MIN_FACES_IN_TRACK} faces to compare."
        return MeasuredValue(None, 0, note), MeasuredValue(None, 0, note), -1
    return worst[1:]


def rates_by_track(
    genuine: Scores, tracks: Sequence[int] | NDArray[np.integer], limit: MeasuredValue
) -> dict[int, MeasuredValue]:
    """Return the share of re-identified faces of each track."""
    numbers = np.asarray(tracks, np.int64)
    return {int(key): reidentification_rate(genuine[numbers == key], limit) for key in np.unique(numbers)}


def rank_one_rate(found: AttackScores) -> MeasuredValue:
    """Return the share of probes that are nearest to their own person of all people in the gallery.

    As for video swaps on FaceForensics++ (arXiv 2505.20985). Chance is one divided by the number of people.
    """
    both = np.isfinite(found.genuine) & np.isfinite(found.best_other)
    if not both.any():
        return MeasuredValue(None, 0, "There is nobody else to be taken for.")
    nearest = found.genuine[both] > found.best_other[both]
    return MeasuredValue(float(nearest.mean()), int(both.sum()), f"Others are {_people(found.people)}.")


def equal_error_rate(genuine: Scores, impostors: Scores) -> MeasuredValue:
    """Return the rate at which as many own faces are refused as strangers are accepted (ISO/IEC 19795-1).

    Of the thresholds between scores, the one where both rates are closest; their mean there. 0.5 is chance.
    """
    own, strange = np.sort(genuine[np.isfinite(genuine)]), np.sort(impostors[np.isfinite(impostors)])
    if not len(own) or not len(strange):
        return MeasuredValue(None, 0, "There are no comparisons with other people.")
    levels = np.unique(np.concatenate([own, strange]))
    refused = np.searchsorted(own, levels, side="right") / len(own)
    accepted = 1 - np.searchsorted(strange, levels, side="right") / len(strange)
    place = int(np.argmin(np.abs(refused - accepted)))
    return MeasuredValue(float((refused[place] + accepted[place]) / 2), len(own) + len(strange))


def _people(count: int) -> str:
    return "one person" if count == 1 else f"{count} people"


MIN_EMBEDDINGS = 2


def identity_variance(embeddings: NDArray[np.floating]) -> MeasuredValue:
    """Return the variance of the unit embeddings of one track around their mean: 1 - ||mean||^2.

    That is (1/n) sum ||e - mean||^2 for vectors of length 1: 0 for a face that always looks like the same person,
    near 1 for one that never does. The idea of JaGAN's identity invariance (arXiv 2106.02328).
    """
    if len(embeddings) < MIN_EMBEDDINGS:
        return MeasuredValue(None, len(embeddings), f"It takes {MIN_EMBEDDINGS} faces of one track.")
    mean = unit_vectors(embeddings).mean(0)
    return MeasuredValue(max(0.0, float(1 - mean @ mean)), len(embeddings))


REFERENCE_PEOPLE = 8
REFERENCE_THRESHOLDS = {"mobilefacenet": 0.245}
"""Embedder -> the cosine that one in a hundred comparisons of different people exceeds, of 700 comparisons of eight
people in sharp pictures."""


def reference_threshold(embedder: str, reason: str) -> MeasuredValue | None:
    """Return the threshold of a reference set at a false match rate of 1e-2 for an embedder; None without.

    `reason` says why the study has none of its own.
    """
    known = REFERENCE_THRESHOLDS.get(embedder)
    if known is None:
        return None
    return MeasuredValue(known, 0, f"{reason} The threshold is that of a reference set of {REFERENCE_PEOPLE} people.")
