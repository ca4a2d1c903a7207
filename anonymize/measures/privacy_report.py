"""The privacy report of a rendering: its attacks, tracks and scores.

It names no file and no person, only pseudonyms.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A measured value.

    Attributes:
        value: None where it is undefined or was not measured.
        n: how many observations it was taken from.
        note: why there is no value, or what to keep in mind about it; a sentence, or empty.
    """

    value: float | None
    n: int = 0
    note: str = ""


def share_value(hits: int, n: int, what: str) -> MeasuredValue:
    """Return hits out of n, or none where n is 0; `what` names the observations that are missing then."""
    return MeasuredValue(hits / n, n) if n else MeasuredValue(None, 0, f"There are no {what}.")


def pool_values(figures: "list[MeasuredValue]", empty: str) -> MeasuredValue:
    """Return the mean of the figures that have a value, each weighted by its n; none with the note `empty`."""
    known = [(figure.value, figure.n) for figure in figures if figure.value is not None]
    n = sum(count for _, count in known)
    return MeasuredValue(sum(value * count for value, count in known) / n, n) if n else MeasuredValue(None, 0, empty)


NAIVE, PARROT, RAW = "naive", "parrot", "raw"
FALSE_ACCEPT_RATES = (1e-2, 1e-3)


@dataclass(frozen=True, slots=True)
class MeasureInfo:
    """What a figure of a report is called, and which way it is good.

    Attributes:
        unit: "share", "degrees", "r", or what else it is counted in.
        better: "low", "high", or "" where neither is meant.
    """

    name: str
    unit: str
    better: str = ""


FIGURES: dict[str, MeasureInfo] = {
    "detected": MeasureInfo("Faces still detected", "share"),
    "detected_in_source": MeasureInfo("Faces detected in the source", "share"),
    "coverage": MeasureInfo("Faces covered by the masks", "share", "high"),
    "leak_frames": MeasureInfo("Frames with an uncovered face", "frames", "low"),
    "leak_longest_s": MeasureInfo("Longest leak", "seconds", "low"),
    "identity_variance": MeasureInfo("Identity variance along a track", "variance", "low"),
    "identity_variance_in_source": MeasureInfo("Identity variance in the source", "variance"),
    "landmarks_found": MeasureInfo("Faces with landmarks left", "share", "high"),
    "nme": MeasureInfo("Landmark error (NME)", "eye distances", "low"),
    "yaw": MeasureInfo("Head turn, error", "degrees", "low"),
    "pitch": MeasureInfo("Head nod, error", "degrees", "low"),
    "roll": MeasureInfo("Head tilt, error", "degrees", "low"),
    "iris": MeasureInfo("Iris offset, error", "eye widths", "low"),
    "mouth": MeasureInfo("Mouth opening, correlation", "r", "high"),
    "eye": MeasureInfo("Eye closure, correlation", "r", "high"),
    "brow": MeasureInfo("Brow height, correlation", "r", "high"),
    "iris_x": MeasureInfo("Gaze to the side, correlation", "r", "high"),
    "mouth_to_driver": MeasureInfo("Mouth opening, against the second model on the source", "r", "high"),
    "eye_to_driver": MeasureInfo("Eye closure, against the second model on the source", "r", "high"),
    "brow_to_driver": MeasureInfo("Brow height, against the second model on the source", "r", "high"),
    "mouth_in_source": MeasureInfo("Mouth opening, both models on the source", "r"),
    "eye_in_source": MeasureInfo("Eye closure, both models on the source", "r"),
    "brow_in_source": MeasureInfo("Brow height, both models on the source", "r"),
    "lag_s": MeasureInfo("Delay of the mouth", "seconds", "low"),
    "warp": MeasureInfo("Flicker, as a ratio to the source", "times", "low"),
}
"""Every figure that a report can have."""


@dataclass(frozen=True, slots=True)
class Attack:
    """How one attacker did, with one embedding.

    Attributes:
        kind: `naive`: a clean gallery; `parrot`: one processed the same way; `raw`: the source itself, for comparison.
        embedder: key of the model.
        thresholds: of cosines, at the false match rates `FALSE_ACCEPT_RATES`.
        rates: share of faces re-identified at these.
        chance: share at the first of them if a face told nothing: how often other people's faces in the clip are taken
            for the same person.
        worst: share at the first of them in the track that is re-identified most beyond chance.
        worst_chance: the same share by chance.
        worst_track: its id; empty where there is none.
        rank_one: share that is nearest to its own person.
        equal_error: 0.5 is chance.
        people: from how many other people the impostors are.
    """

    kind: str
    embedder: str
    thresholds: tuple[MeasuredValue, ...]
    rates: tuple[MeasuredValue, ...]
    chance: MeasuredValue
    worst: MeasuredValue
    worst_chance: MeasuredValue
    worst_track: str
    rank_one: MeasuredValue
    equal_error: MeasuredValue
    people: int


@dataclass(frozen=True, slots=True)
class TrackReport:
    """One track.

    Attributes:
        identity: a pseudonym, or the track's id.
        looks: frames in which it was looked at.
        figures: some of `FIGURES`, and `reidentified`: its share at the first of `FALSE_ACCEPT_RATES`, naive.
        worst_us: when to look at it: a leak, else a face that is still detected, else the one recognized best.
    """

    track_id: str
    identity: str
    looks: int
    figures: Mapping[str, MeasuredValue]
    worst_us: int | None


@dataclass(frozen=True, slots=True)
class Scores:
    """Histogram of cosines: (bins + 1,) rising edges and (bins,) counts for each kind of comparison."""

    edges: tuple[float, ...] = ()
    counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PrivacyReport:
    """Everything that was measured about one rendering.

    Attributes:
        looks: how many of them were looked at, each with the one after it.
        stride: from one of them to the next, in frames.
        faces: how many faces these show.
        tools: what it was measured with, by part; empty for what was missing.
        independent: whether the detector is another one than those that found the tracks.
        figures: key of `FIGURES` -> figure.
        scores: genuine, impostor and anonymized similarities of the first embedding.
        worst_us: the frame to look at first, on the recording's axis; None where there was no face.
        leaks_us: times of looked-at frames with an uncovered face.
    """

    method: str
    replaces: bool
    frames: int
    looks: int
    stride: int
    faces: int
    tools: Mapping[str, str]
    independent: bool
    figures: Mapping[str, MeasuredValue]
    attacks: tuple[Attack, ...]
    tracks: tuple[TrackReport, ...]
    scores: Scores
    notes: tuple[str, ...]
    worst_us: int | None
    leaks_us: tuple[int, ...]
    seconds: float

    def figure(self, key: str) -> MeasuredValue:
        """Return a figure; one without a value where it is not in the report."""
        return self.figures.get(key, MeasuredValue(None, 0, "It was not measured."))

    def strongest_attack(self, kind: str) -> Attack | None:
        """Return the attack of a kind that recognized most, over all embeddings."""
        having = [attack for attack in self.attacks if attack.kind == kind]
        values = [-1.0 if attack.rates[0].value is None else attack.rates[0].value for attack in having]
        return having[values.index(max(values))] if having else None
