"""Measures a rendering against its source in one pass, without holding either in memory, and builds the report."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.frame_measures import (
    COVERED_SHARE,
    Stranger,
    Tools,
    count_leaks,
    estimate_lag,
    mean_difference,
    mean_error,
    pearson,
)
from anonymize.measures.frame_observation import (
    SIGNALS,
    FaceObservation,
    FrameObservations,
    FrameObserver,
    FramePair,
    MeasuredRendering,
    MeasureOptions,
    hidden_tracks,
    warp_ratio,
)
from anonymize.measures.privacy_report import MeasuredValue, PrivacyReport, TrackReport, pool_values, share_value
from anonymize.measures.recognition import Recognition, embed_strangers, recognize
from media.decoding import iterate_frames, map_ahead
from media.frame_index import FrameIndex, load_index
from project.errors import UserError
from project.progress import Progress, Silent
from project.timebase import SECOND_US

_NO_DETECTOR = MeasuredValue(None, 0, "No face detector that could look for them is installed.")
_NO_LANDMARKS = "No model of landmarks is installed."
_NOT_SEEN = "No track shows it in enough frames."
_ANGLES = ("yaw", "pitch", "roll")
_CORRELATED = ("mouth", "eye", "brow")
_PER_TRACK = ("nme", "yaw", "mouth", "eye", "brow", "iris", "warp")
_NOT_COMPARED = MeasuredValue(None, 0, "None of its faces could be aligned.")
_MAX_LAG_S = 0.5

Signal = NDArray[np.float64]


def build_report(
    subject: MeasuredRendering,
    tools: Tools,
    found: FrameObservations,
    stride: int,
    others: Sequence[Sequence[NDArray[np.float32]]],
) -> PrivacyReport:
    """Compute every figure. Every `stride`-th frame was looked at; `others` holds vectors of strangers by embedder."""
    tracks = hidden_tracks(subject)
    rows: list[list[FaceObservation]] = [[] for _ in tracks]
    for sighting in found.sightings:
        rows[sighting.track].append(sighting)
    recognition = recognize(subject, tools, found, others)
    spacing_us = float(np.median(np.diff(found.times_us))) if len(found.times_us) > 1 else 0.0
    each = [_utility(of_track, tools, spacing_us) for of_track in rows]
    figures = {
        "detected": _detected([sighting.in_clip for sighting in found.sightings], tools),
        "detected_in_source": _detected([sighting.in_source for sighting in found.sightings], tools),
        **_pool_utility(each, found, tools),
    }
    lost = count_leaks(
        np.array([sighting.covered for sighting in found.sightings] + [covered for _, covered in found.strays]),
        np.array([sighting.look for sighting in found.sightings] + [look for look, _ in found.strays], np.int64),
        np.arange(len(found.times_us)),
        np.asarray(found.times_us, np.int64),
        found.end_us,
        stride,
    )
    figures["coverage"] = lost.coverage
    figures["leak_frames"] = MeasuredValue(float(lost.frames), len(found.times_us))
    figures["leak_longest_s"] = MeasuredValue(lost.longest_s, len(found.times_us), _leak_note(lost.longest_frames))
    figures["identity_variance"] = pool_values([*recognition.variance], _NOT_SEEN)
    figures["identity_variance_in_source"] = pool_values([*recognition.variance_in_source], _NOT_SEEN)
    reports = [
        TrackReport(
            track.id,
            subject.identity(track.id),
            len(of_track),
            {
                **{key: own[key] for key in _PER_TRACK if key in own},
                **_track_figures(of_track, tools),
                "reidentified": recognition.by_track.get(k, _NOT_COMPARED),
            },
            recognition.worst_time_us(of_track),
        )
        for k, (track, of_track, own) in enumerate(zip(tracks, rows, each, strict=True))
    ]
    leaking = {sighting.look for sighting in found.sightings if sighting.covered < COVERED_SHARE}
    leaking |= {look for look, covered in found.strays if covered < COVERED_SHARE}
    return PrivacyReport(
        method=subject.method,
        replaces=subject.replaces,
        frames=0,
        looks=len(found.times_us),
        stride=stride,
        faces=len(found.sightings),
        tools=_names(tools),
        independent=tools.independent,
        figures=figures,
        attacks=recognition.attacks,
        tracks=tuple(reports),
        scores=recognition.scores,
        notes=_notes(subject, tools, found, recognition),
        worst_us=lost.first_us if lost.first_us is not None else recognition.worst_time_us(found.sightings),
        leaks_us=tuple(found.times_us[look] for look in sorted(leaking)),
        seconds=0.0,
    )


def _detected(seen: Sequence[bool | None], tools: Tools) -> MeasuredValue:
    """Return the share of faces that a detector finds: wanted near 0 for masks and near 1 for synthesis."""
    return _NO_DETECTOR if tools.detector is None else share_value(sum(map(bool, seen)), len(seen), "faces to look for")


def _track_figures(rows: Sequence[FaceObservation], tools: Tools) -> dict[str, MeasuredValue]:
    covered = share_value(sum(row.covered >= COVERED_SHARE for row in rows), len(rows), "faces to cover")
    detected = {} if tools.detector is None else {"detected": _detected([row.in_clip for row in rows], tools)}
    return {"coverage": covered, **detected}


def _utility(rows: Sequence[FaceObservation], tools: Tools, spacing_us: float) -> dict[str, MeasuredValue]:
    """Return the figures of use of one track."""
    found: dict[str, MeasuredValue] = {}
    source, clip, driver, redrawn = (
        _columns([getattr(row, name) for row in rows]) for name in ("source", "clip", "driver_source", "driver_clip")
    )
    if tools.landmarks is not None:
        found["nme"] = mean_error(np.array([row.error for row in rows]))
        found |= {key: mean_difference(source[key], clip[key], turn=360) for key in _ANGLES}
        found |= {key: pearson(source[key], clip[key]) for key in _CORRELATED}
        steps = int(_MAX_LAG_S * SECOND_US // spacing_us) if spacing_us else 0
        late = estimate_lag(source["mouth"], clip["mouth"], steps)
        note = f"In steps of {spacing_us / SECOND_US:.2f} s." if late.value is not None else late.note
        found["lag_s"] = MeasuredValue(
            None if late.value is None else late.value * spacing_us / SECOND_US, late.n, note
        )
        if tools.driver is not None:
            found |= {f"{key}_to_driver": pearson(driver[key], clip[key]) for key in _CORRELATED}
            found |= {f"{key}_in_source": pearson(driver[key], source[key]) for key in _CORRELATED}
    before, after = _irises(source, driver), _irises(clip, redrawn)
    found["iris"] = _iris_error(before, after)
    found["iris_x"] = pearson((before[:, 0] + before[:, 2]) / 2, (after[:, 0] + after[:, 2]) / 2)
    sums = np.array([row.flicker for row in rows], np.float64).reshape(-1, 3).sum(0)
    found["warp"] = warp_ratio(sums[0], sums[1], int(sums[2]))
    return found


def _pool_utility(
    by_track: Sequence[dict[str, MeasuredValue]], found: FrameObservations, tools: Tools
) -> dict[str, MeasuredValue]:
    """Return the figures of use of all tracks: means weighted by how often each was seen."""
    keys = [
        *("nme", *_ANGLES, *_CORRELATED, "iris", "iris_x", "lag_s", "warp"),
        *(f"{key}{end}" for key in _CORRELATED for end in ("_to_driver", "_in_source")),
    ]
    missing = _NOT_SEEN if tools.landmarks is not None else _NO_LANDMARKS
    figures = {key: pool_values([own[key] for own in by_track if key in own], missing) for key in keys}
    if tools.flow is None:
        figures["warp"] = MeasuredValue(None, 0, "No optical flow is installed.")
    measured = [sighting for sighting in found.sightings if sighting.measured]
    seen = share_value(sum(face.visible for face in measured), len(measured), "faces with landmarks in the source")
    figures["landmarks_found"] = seen if tools.landmarks is not None else MeasuredValue(None, 0, _NO_LANDMARKS)
    return figures


def _columns(rows: Sequence[NDArray[np.float32]]) -> dict[str, Signal]:
    table = np.array(rows, np.float64).reshape(len(rows), len(SIGNALS))
    return dict(zip(SIGNALS, table.T, strict=True))


def _irises(first: dict[str, Signal], second: dict[str, Signal]) -> Signal:
    """Return (n, 4) offsets of both irises by the model that knows irises."""
    names = SIGNALS[-4:]
    having = first if any(np.isfinite(first[key]).any() for key in names) else second
    return np.stack([having[key] for key in names], axis=1)


def _iris_error(before: Signal, after: Signal) -> MeasuredValue:
    apart_by = np.linalg.norm((before - after).reshape(-1, 2, 2), axis=2)
    return mean_difference(apart_by, np.zeros_like(apart_by))


def _leak_note(frames: int) -> str:
    return f"About {frames} frames of the clip." if frames else ""


def _names(tools: Tools) -> dict[str, str]:
    parts = {part: getattr(tools, part) for part in ("detector", "landmarks", "driver", "flow")}
    named = {part: "" if tool is None else tool.key for part, tool in parts.items()}
    return {**named, "embedders": ", ".join(embedder.key for embedder in tools.embedders)}


def _notes(
    subject: MeasuredRendering, tools: Tools, found: FrameObservations, recognition: Recognition
) -> tuple[str, ...]:
    notes = [*recognition.notes]
    if tools.detector is not None and not tools.independent:
        notes.append(
            f"The detector that looked for faces that are left, {tools.detector.key}, also found the faces; "
            "install another one for an independent look."
        )
    same = tools.landmarks is not None and tools.driver is not None and tools.landmarks.key == tools.driver.key
    if subject.replaces and tools.landmarks is not None and (same or tools.driver is None):
        notes.append(
            f"{tools.landmarks.key} may drive what is drawn and measures it too, which flatters mouth, eyes and brows."
        )
    if found.strays:
        notes.append(
            f"In the source the detector saw {len(found.strays)} faces that are on no track; they count for the "
            "coverage. Draw them in, or mark them as no face."
        )
    return tuple(notes)


# How far the time stamps of a rendering may be from those of its source.
_SLACK_US = 20_000
# Each holds two pictures, in the source and in the clip.
_MAX_WORKERS = 4


def measure_privacy(
    subject: MeasuredRendering,
    tools: Tools,
    options: MeasureOptions | None = None,
    strangers: Sequence[Stranger] = (),
    progress: Progress | None = None,
) -> PrivacyReport:
    """Measure how private and how useful a rendering is.

    Every `stride`-th frame is looked at, and the one after it for the motion between both. What is missing among the
    tools is not measured. Strangers make the thresholds of re-identification.
    """
    started = time.monotonic()
    progress, options = progress or Silent(), options or MeasureOptions()
    source, clip = load_index(subject.source, progress=progress), load_index(subject.clip, progress=progress)
    twins = _match_source_frames(subject, source, clip)
    stride = choose_stride(clip, options)
    looked = range(0, len(clip), stride)
    others = embed_strangers(strangers, tools.embedders, tools.driver or tools.landmarks, progress)
    found = FrameObservations(clip.times.end_us + subject.start_us)
    looker = FrameObserver(
        subject, tools, options, _choose_embedded_frames(subject, [twins[k] for k in looked], options)
    )
    moments = enumerate(_frame_pairs(subject, source, clip, twins, stride))
    workers = min(_MAX_WORKERS, os.cpu_count() or 1)
    looks = map_ahead(lambda moment: looker.observe(moment[0], *moment[1]), moments, workers)
    for done, look in enumerate(looks, 1):
        progress.check_cancelled()
        found.add(look)
        progress.progress(done, len(looked), "Measuring")
    report = build_report(subject, tools, found, stride, others)
    return replace(report, frames=len(clip), seconds=round(time.monotonic() - started, 3))


def choose_stride(clip: FrameIndex, options: MeasureOptions) -> int:
    """Return the stride at which frames of a clip are looked at."""
    length_us = max(1, clip.times.end_us - clip.times.time_of(0))
    rate = len(clip) * SECOND_US / length_us
    return max(1, round(rate / options.looks_per_second), -(-len(clip) // options.most_looks))


def _match_source_frames(subject: MeasuredRendering, source: FrameIndex, clip: FrameIndex) -> list[int]:
    """Return for every frame of the clip the frame of the source that it was made of."""
    times = clip.times.times_us + subject.start_us
    # A rendering's time stamps are rounded to its own clock, so look a little later than they say.
    twins = np.clip(np.searchsorted(source.times.times_us, times + _SLACK_US // 2, side="right") - 1, 0, None)
    same_size = (source.canvas.width, source.canvas.height) == (clip.canvas.width, clip.canvas.height)
    if not same_size or not len(times) or int(np.abs(source.times.times_us[twins] - times).max()) > _SLACK_US:
        raise UserError(
            f"{subject.clip.name} is not a rendering of this recording: its frames differ.",
            "Choose a clip that was exported from this recording.",
        )
    return [int(k) for k in twins]


def _frame_pairs(
    subject: MeasuredRendering, source: FrameIndex, clip: FrameIndex, twins: Sequence[int], stride: int
) -> Iterator[tuple[FramePair, FramePair | None]]:
    """Yield each looked-at frame, in the source and in the clip, and the one after it, None at the end."""
    first, last = source.times.time_of(twins[0]), source.times.time_of(twins[-1]) + 1
    behind = iter(iterate_frames(subject.source, source, first, last))
    raw = next(behind)
    waiting: FramePair | None = None
    for place, shown in enumerate(iterate_frames(subject.clip, clip)):
        here = place % stride == 0
        if not here and waiting is None:
            continue
        while raw.index < twins[place]:
            raw = next(behind)
        now = FramePair.from_frames(raw, shown)
        if waiting is not None:
            yield waiting, now
        waiting = now if here else None
    if waiting is not None:
        yield waiting, None


def _choose_embedded_frames(
    subject: MeasuredRendering, frames: Sequence[int], options: MeasureOptions
) -> dict[int, frozenset[int]]:
    """Choose in which of the looked-at frames of the source the face of each track is embedded."""
    chosen: dict[int, frozenset[int]] = {}
    for k, track in enumerate(hidden_tracks(subject)):
        seen = np.intersect1d(track.frames, np.asarray(frames, np.int64))
        places = np.unique(np.linspace(0, len(seen) - 1, min(len(seen), options.most_embeddings)).astype(int))
        chosen[k] = frozenset(int(frame) for frame in seen[places])
    return chosen
