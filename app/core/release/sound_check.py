"""Reads the sound of a clip that is about to leave and compares it with its source: is gone what has to be gone?"""

from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from anonymize.sound.cover import FADE_US, CoverFilter, Span, covered_samples
from anonymize.sound.kinds import MUTE, SILENCE
from anonymize.sound.plan import Treatments
from anonymize.sound.room_tone import RoomTone, measure_room
from app.core.release.sound import Sounding
from media.lossless import sixteen_bits
from media.own_sound import stream_own
from media.source import opened
from project.progress import Progress, Silent
from project.timebase import SECOND, format_time

Whole = NDArray[np.int16]

_LOUD = 64
"""From this level on, of 32768, equal samples are no chance."""
_SAME = 0.5
_STREAMINFO = 34
"""Bytes that describe a FLAC stream; whatever is more is something else."""


def wrong_in_sound(clip: Path, source: Path, one: Sounding, progress: Progress | None = None) -> Iterator[str]:
    """Yield what is wrong with the sound of a released clip, each kind once, with where it is first.

    Where something was covered or somebody muted, there must be exactly what a cover makes of silence: nothing of the
    source. Where voices are as they are, every other sample must be the source's; where they are changed, none of
    it may be left as it was. The sound must be as long as the source's.

    Raises:
        UserError: a file cannot be read.
        Cancelled: the user stopped it.
    """
    told = progress or Silent()
    own = stream_own(source)
    rate, channels = own.rate, own.channels
    with opened(clip) as container:
        if len(container.streams.audio) != 1:
            yield "it has no sound, or several"
            return
        stream = container.streams.audio[0]
        codec = stream.codec_context
        if (codec.name, codec.sample_rate, codec.channels) != ("flac", rate, channels):
            yield "its sound is stored in another way than it was made"
            return
        if len(codec.extradata or b"") != _STREAMINFO:
            yield "the description of its sound holds more than that"
        covers = _instead(one, _tone(one, source), rate, channels)
        inside, near = _places(one, rate, 0), _places(one, rate, FADE_US)
        found: set[str] = set()
        at = 0
        released = _chunks((_samples(frame, channels) for frame in container.decode(stream)), rate)
        originals = _chunks((sixteen_bits(block) for block in own.blocks), rate)
        for heard, raw in _both(released, originals):
            told.check_cancelled()
            if heard is None or raw is None or heard.shape != raw.shape:
                yield "its sound is not as long as the recording's"
                return
            cover = sixteen_bits(next(covers))[:, : heard.shape[1]]
            covered, beside = _mask(inside, at, heard.shape[1]), ~_mask(near, at, heard.shape[1])
            off = np.abs(heard.astype(np.int32) - cover).max(axis=0) > (one.cover != MUTE)
            for what, bad in (
                ("sound is left where words are covered or somebody is muted", off & covered),
                ("its sound differs where nothing is covered", _changed(one, heard, raw) & beside),
                ("a voice is left as it was", _unchanged(one, heard, raw, beside)),
            ):
                if what not in found and bad.any():
                    found.add(what)
                    yield f"{what}, first at {format_time((at + int(bad.argmax())) * SECOND // rate)}"
            at += heard.shape[1]


def _samples(frame: av.AudioFrame, channels: int) -> Whole:
    found = np.asarray(frame.to_ndarray(), np.int16)
    return found if frame.format.is_planar else found.reshape(-1, channels).T


def _changed(one: Sounding, heard: Whole, raw: Whole) -> NDArray[np.bool_]:
    if one.voice is not None:
        return np.zeros(heard.shape[1], np.bool_)
    return np.asarray((heard != raw).any(axis=0), np.bool_)


def _unchanged(one: Sounding, heard: Whole, raw: Whole, beside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where sound is loud and as it was, in a second in which most of it is."""
    loud = (np.abs(raw.astype(np.int32)).max(axis=0) >= _LOUD) & beside
    same = loud & (heard == raw).all(axis=0)
    left = one.voice is not None and same.sum() > _SAME * loud.sum()
    return same if left else np.zeros_like(same)


def _tone(one: Sounding, source: Path) -> RoomTone | None:
    if one.cover != SILENCE or not one.covered:
        return None
    own = stream_own(source)
    return measure_room(own.blocks, own.rate)


def _instead(one: Sounding, tone: RoomTone | None, rate: int, channels: int) -> Iterator[NDArray[np.float32]]:
    """Yield what the covers make of a silence without end, a second at a time."""
    silence = repeat(np.zeros((channels, rate), np.float32))
    words = CoverFilter([Span(*each) for each in one.covered], one.cover, tone)
    return Treatments((words, CoverFilter([Span(*each) for each in one.muted]))).treat(silence, rate, 0)


def _places(one: Sounding, rate: int, around_us: int) -> NDArray[np.int64]:
    """Return (n, 2) first and last sample plus one of all that is covered or muted, with a margin."""
    spans = [Span(start - around_us, end + around_us) for start, end in (*one.covered, *one.muted)]
    found = covered_samples(spans, rate)
    # A stretch without a length covers a sample, and a fade is rounded.
    return found + np.array([-2, 2]) if around_us else found


def _mask(places: NDArray[np.int64], at: int, count: int) -> NDArray[np.bool_]:
    made = np.zeros(count, np.bool_)
    for start, end in places[(places[:, 1] > at) & (places[:, 0] < at + count)]:
        made[max(0, int(start) - at) : max(0, int(end) - at)] = True
    return made


def _chunks(blocks: Iterable[Whole], size: int) -> Iterator[Whole]:
    """Yield (channels, n) samples in blocks of one size; the last may be shorter."""
    held: list[Whole] = []
    count = 0
    for block in blocks:
        held.append(block)
        count += block.shape[1]
        while count >= size:
            whole = np.concatenate(held, axis=1)
            yield whole[:, :size]
            held, count = [whole[:, size:]], count - size
    if count:
        yield np.concatenate(held, axis=1)


def _both(first: Iterator[Whole], second: Iterator[Whole]) -> Iterator[tuple[Whole | None, Whole | None]]:
    while True:
        one, other = next(first, None), next(second, None)
        if one is None and other is None:
            return
        yield one, other
