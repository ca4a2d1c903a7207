"""Measures a rendering against its source in one pass over both, without holding either in memory."""

import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from anonymize.measures.looking import Looker, Moment, hidden_tracks
from anonymize.measures.observed import Look, Observed
from anonymize.measures.report import PrivacyReport
from anonymize.measures.strangers import Stranger, embedded
from anonymize.measures.subject import MeasureOptions, Subject
from anonymize.measures.summary import summarize
from anonymize.measures.tools import Tools
from media.index import FrameIndex, load_index
from media.iterate import pictures
from project.errors import UserError
from project.progress import Progress, Silent
from project.timebase import SECOND

# How far the time stamps of a rendering may be from those of its source.
_SLACK_US = 20_000
# Each holds two pictures, in the source and in the clip.
_MOST_WORKERS = 4


def measure(
    subject: Subject,
    tools: Tools,
    options: MeasureOptions | None = None,
    strangers: Sequence[Stranger] = (),
    progress: Progress | None = None,
) -> PrivacyReport:
    """Measure how private and how useful a rendering is.

    Every `stride`-th frame is looked at, and the one after it for the motion between both.

    Args:
        subject: the rendering and what it was made of.
        tools: models to measure with; what is missing is not measured.
        options: how closely.
        strangers: people of other recordings, for the thresholds of re-identification.
        progress: told after every frame.

    Raises:
        UserError: a file cannot be read, or the clip is no rendering of this recording.
        Cancelled: the user stopped it.
    """
    started = time.monotonic()
    progress, options = progress or Silent(), options or MeasureOptions()
    source, clip = load_index(subject.source, progress=progress), load_index(subject.clip, progress=progress)
    twins = _twins(subject, source, clip)
    stride = stride_of(clip, options)
    looked = range(0, len(clip), stride)
    others = embedded(strangers, tools.embedders, tools.driver or tools.landmarks, progress)
    found = Observed(clip.times.end_us + subject.start_us)
    looker = Looker(subject, tools, options, _embedded(subject, [twins[k] for k in looked], options))
    for done, look in enumerate(_looked_at(looker, _moments(subject, source, clip, twins, stride)), 1):
        progress.check_cancelled()
        found.add(look)
        progress.progress(done, len(looked), "Measuring")
    report = summarize(subject, tools, found, stride, others)
    return replace(report, frames=len(clip), seconds=round(time.monotonic() - started, 3))


def stride_of(clip: FrameIndex, options: MeasureOptions) -> int:
    """Return every how manieth frame of a clip is looked at."""
    length_us = max(1, clip.times.end_us - clip.times.time_of(0))
    rate = len(clip) * SECOND / length_us
    return max(1, round(rate / options.looks_per_second), -(-len(clip) // options.most_looks))


def _twins(subject: Subject, source: FrameIndex, clip: FrameIndex) -> list[int]:
    """Return for every frame of the clip the frame of the source that it was made of."""
    times = clip.times.times_us + subject.start_us
    # A rendering's time stamps are rounded to its own clock, so look a little later than they say.
    twins = np.clip(np.searchsorted(source.times.times_us, times + _SLACK_US // 2, side="right") - 1, 0, None)
    same_size = (source.canvas.width, source.canvas.height) == (clip.canvas.width, clip.canvas.height)
    if not same_size or not len(times) or int(np.abs(source.times.times_us[twins] - times).max()) > _SLACK_US:
        raise UserError(
            f"{subject.clip.name} is not a rendering of this recording: its frames are others.",
            "Choose the clip that was exported from it.",
        )
    return [int(k) for k in twins]


def _moments(
    subject: Subject, source: FrameIndex, clip: FrameIndex, twins: Sequence[int], stride: int
) -> Iterator[tuple[Moment, Moment | None]]:
    """Yield each looked-at frame, in the source and in the clip, and the one after it, None at the end."""
    first, last = source.times.time_of(twins[0]), source.times.time_of(twins[-1]) + 1
    behind = iter(pictures(subject.source, source, first, last))
    raw = next(behind)
    waiting: Moment | None = None
    for place, shown in enumerate(pictures(subject.clip, clip)):
        here = place % stride == 0
        if not here and waiting is None:
            continue
        while raw.index < twins[place]:
            raw = next(behind)
        now = Moment.of(raw, shown)
        if waiting is not None:
            yield waiting, now
        waiting = now if here else None
    if waiting is not None:
        yield waiting, None


def _looked_at(looker: Looker, moments: Iterator[tuple[Moment, Moment | None]]) -> Iterator[Look]:
    """Look at all frames, several at once, and give the answers in order."""
    workers = min(_MOST_WORKERS, os.cpu_count() or 1)
    waiting: deque[Future[Look]] = deque()
    with ThreadPoolExecutor(workers, "measure") as pool:
        try:
            for place, (now, after) in enumerate(moments):
                waiting.append(pool.submit(looker.look, place, now, after))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for answer in waiting:
                answer.cancel()


def _embedded(subject: Subject, frames: Sequence[int], options: MeasureOptions) -> dict[int, frozenset[int]]:
    """Choose in which of the looked-at frames of the source the face of each track is embedded."""
    chosen: dict[int, frozenset[int]] = {}
    for k, track in enumerate(hidden_tracks(subject)):
        seen = np.intersect1d(track.frames, np.asarray(frames, np.int64))
        places = np.unique(np.linspace(0, len(seen) - 1, min(len(seen), options.most_embeddings)).astype(int))
        chosen[k] = frozenset(int(one) for one in seen[places])
    return chosen
