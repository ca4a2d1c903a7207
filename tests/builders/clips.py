"""Small clips made on the fly, each frame of which can be told from every other by looking at it."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

import av
import numpy as np
from numpy.typing import NDArray

from media.picture import DecodedFrame

Image = NDArray[np.uint8]
How = ParamSpec("How")

_BITS = 12
_TICK = Fraction(1, 90_000)
BEEP_RATE = 16_000
_BEEP_PACKET, _BEEP_S = 320, 0.05


def paint_over(picture: DecodedFrame, rgb: Image) -> None:
    """Replace all of a picture."""
    for plane, new in zip(picture.planes, picture.rgb_to_planes(rgb), strict=True):
        plane[:] = new


def numbered(index: int, width: int, height: int) -> Image:
    """A gradient with the frame's number as a row of black and white bars along the top (from 24x8 pixels up)."""
    image = np.empty((height, width, 3), np.uint8)
    image[..., 0] = np.linspace(40, 200, width, dtype=np.uint8)
    image[..., 1] = np.linspace(60, 180, height, dtype=np.uint8)[:, None]
    image[..., 2] = 60 + index * 5 % 140
    if width >= 2 * _BITS and height >= 8:
        for bit in range(_BITS):
            bar = slice(bit * width // _BITS, (bit + 1) * width // _BITS)
            image[: height // 4, bar] = 235 if index >> bit & 1 else 16
    x = index * 7 % max(1, width - width // 5)
    image[height // 2 : height // 2 + max(1, height // 5), x : x + max(1, width // 5)] = (220, 40, 60)
    return image


def number_of(image: Image) -> int:
    """Read the number that `numbered` drew."""
    height, width = image.shape[:2]
    strip = image[: max(1, height // 4 - 1)].mean(axis=(0, 2))
    middles = [(2 * bit + 1) * width // (2 * _BITS) for bit in range(_BITS)]
    return sum(1 << bit for bit, x in enumerate(middles) if strip[x] > 128)


def texture(index: int, width: int, height: int) -> Image:
    """Noise that moves by three pixels a frame: no picture can be guessed from the one before."""
    base = np.random.default_rng(0).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return np.roll(base, index * 3, axis=1)


def noise(seconds: float, rate: int, seed: int = 0) -> NDArray[np.float32]:
    """Soft noise in bursts, so that a shift of a millisecond shows."""
    rng = np.random.default_rng(seed)
    count = round(seconds * rate)
    rough = rng.normal(0, 0.2, count + 16)
    smooth = np.convolve(rough, np.ones(16) / 4, "valid")[:count]
    bursts = np.arange(count) * 5 // rate % 2
    return np.clip(smooth * (0.1 + 0.9 * bursts), -0.95, 0.95).astype(np.float32)


def shift_ms(found: NDArray[np.float32], wanted: NDArray[np.float32], rate: int) -> float:
    """Return how much later `wanted` lies in `found`."""
    piece = wanted[rate // 4 : rate]
    return (int(np.argmax(np.correlate(found, piece, "valid"))) - rate // 4) * 1000 / rate


def make_beeps(path: Path, heard: Callable[[int], int | None], jitter_ms: Sequence[int] = (0,)) -> Path:
    """Write twelve seconds of sound that beeps at each whole second by its time stamps.

    Args:
        path: of a Matroska file, in which each packet has a stamp.
        heard: where a packet is heard, in samples of `BEEP_RATE`, by where it would be without gaps; None loses it.
        jitter_ms: by how much the stamps of the packets are wrong, over and over.
    """
    with av.open(str(path), "w") as output:
        stream = output.add_stream("pcm_s16le", rate=BEEP_RATE, layout="mono")
        stream.codec_context.time_base = Fraction(1, BEEP_RATE)
        for number in range(12 * BEEP_RATE // _BEEP_PACKET):
            start = heard(number * _BEEP_PACKET)
            if start is None:
                continue
            times = (start + np.arange(_BEEP_PACKET)) / BEEP_RATE
            stamp = start + jitter_ms[number % len(jitter_ms)] * BEEP_RATE // 1000
            samples = np.where(times % 1 < _BEEP_S, 0.6 * np.cos(2 * np.pi * 1000 * times), 0).astype(np.float32)
            frame = av.AudioFrame.from_ndarray(np.int16(samples * 32767)[None], format="s16", layout="mono")
            frame.sample_rate, frame.time_base, frame.pts = BEEP_RATE, Fraction(1, BEEP_RATE), stamp
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return path


def beeps_s(samples: NDArray[np.float32], rate: int) -> list[float]:
    """Return when beeps begin, in seconds: loud sound after a quarter of a second without any."""
    loud = np.flatnonzero(np.abs(samples) > 0.2)
    return [float(at) / rate for at, before in zip(loud, [-rate, *loud[:-1]], strict=True) if at - before > rate // 4]


def tone(level: float, seconds: float = 1.0) -> NDArray[np.float32]:
    """A tone as loud as its level, at `BEEP_RATE`."""
    return (np.sin(np.arange(round(seconds * BEEP_RATE)) / 5) * level).astype(np.float32)


def level_of(samples: NDArray[np.float32]) -> float:
    """Return how loud a tone is, whatever an encoder makes of its beginning and end."""
    return float(np.median(np.abs(samples)) * np.sqrt(2))


def make_sound_tracks(
    path: Path, sounds: Sequence[NDArray[np.float32]], *, default: int = 1, picture: bool = False
) -> Path:
    """Write a clip with several sound tracks at `BEEP_RATE`, one of them marked as the default; return its path."""
    with av.open(str(path), "w") as output:
        video = None
        if picture:
            video = output.add_stream("libx264", rate=10, options={"preset": "ultrafast"})
            video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        streams = [output.add_stream("aac", rate=BEEP_RATE, layout="mono") for _ in sounds]
        for number, stream in enumerate(streams, 1):
            stream.disposition = av.stream.Disposition.default if number == default else av.stream.Disposition(0)
        if video is not None:
            for index in range(len(sounds[0]) * 10 // BEEP_RATE):
                output.mux(video.encode(av.VideoFrame.from_ndarray(numbered(index, 64, 48), format="rgb24")))
            output.mux(video.encode(None))
        for stream, sound in zip(streams, sounds, strict=True):
            _send(output, stream, sound, 0, len(sound), 0)
            output.mux(stream.encode(None))
    return path


def _once(make: Callable[Concatenate[Path, How], Path]) -> Callable[Concatenate[Path, How], Path]:
    """Copy a clip that was made in this process before, under whatever name; encoders give the same bytes each time."""
    made: dict[str, bytes] = {}

    @wraps(make)
    def made_or_copied(path: Path, *args: How.args, **how: How.kwargs) -> Path:
        # What is drawn by a function inside a function may look otherwise the next time.
        draw = how.get("draw", numbered)
        if "<" in getattr(getattr(draw, "func", draw), "__qualname__", "<"):
            return make(path, *args, **how)
        key = repr((path.suffix, args, sorted({**how, "times_us": [*(how.get("times_us") or ())]}.items())))
        if key not in made:
            made[key] = make(path, *args, **how).read_bytes()
        else:
            path.write_bytes(made[key])
        return path

    return made_or_copied


@_once
def make_clip(
    path: Path,
    *,
    size: tuple[int, int] = (320, 240),
    frames: int = 60,
    fps: float = 30,
    times_us: Sequence[int] | None = None,
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    bframes: int = 0,
    gop: int = 30,
    open_gop: bool = False,
    rotation: int = 0,
    mirrored: bool = False,
    pixel_aspect: Fraction | None = None,
    picture: bool = True,
    picture_offset_us: int = 0,
    sound: bool = False,
    sound_offset_us: int = 0,
    sound_seconds: float | None = None,
    sound_rate: int = 48_000,
    sound_codec: str = "aac",
    metadata: Mapping[str, str] | None = None,
    chapters: Sequence[tuple[int, int, str]] = (),
    options: Mapping[str, str] | None = None,
    container: str | None = None,
    draw: Callable[[int, int, int], Image] = numbered,
) -> Path:
    """Write a clip and return its path.

    Args:
        path: with a suffix that names the container, unless `container` does.
        size: width and height as stored, before rotation.
        frames: how many, ignored when `times_us` is given.
        fps: constant frame rate.
        times_us: time stamps of the frames instead: a variable rate.
        codec: FFmpeg's encoder: libx264, libx265, mpeg4, libvpx-vp9, ffv1...
        pix_fmt: `yuv420p10le` with libx265 makes 10-bit HEVC.
        bframes: most B-frames in a row (libx264, libx265).
        gop: frames between keyframes.
        open_gop: let pictures refer across keyframes (libx264, libx265).
        rotation: clockwise degrees by which players turn the stored picture.
        mirrored: whether they change its left and right before.
        pixel_aspect: width of a stored pixel over its height.
        picture: False for sound only.
        picture_offset_us: time of the first frame.
        sound: whether to add `noise`.
        sound_offset_us: time of the first sample.
        sound_seconds: as long as the picture when not given.
        sound_rate: samples a second.
        sound_codec: aac, mp3, libopus, pcm_s16le...
        metadata: tags of the container, such as title, comment or creation_time.
        chapters: start_us, end_us, title.
        options: more for the video encoder.
        container: FFmpeg's format name when the suffix does not say it.
        draw: (index, width, height) -> RGB of the picture as it is shown.
    """
    stamps = [round(i * 1_000_000 / fps) for i in range(frames)] if times_us is None else list(times_us)
    last = stamps[-1] - stamps[-2] if len(stamps) > 1 else round(1_000_000 / fps)
    seconds = (stamps[-1] + last) / 1e6 if sound_seconds is None else sound_seconds
    tick = 1 / Fraction(fps) if path.suffix == ".avi" or codec in ("mpeg4", "mpeg2video") else _TICK
    shown = size[::-1] if rotation % 180 else size
    with av.open(f"file:{path.absolute()}", "w", format=container) as output:
        output.metadata.update(metadata or {})
        if chapters:
            output.set_chapters(
                [
                    {
                        "id": n,
                        "start": start,
                        "end": end,
                        "time_base": Fraction(1, 1_000_000),
                        "metadata": {"title": name},
                    }
                    for n, (start, end, name) in enumerate(chapters)
                ]
            )
        video = None
        if picture:
            video = _video(output, codec, size, pix_fmt, fps, bframes, gop, open_gop, tick, options or {})
        if video is not None:
            if rotation or mirrored:
                video.set_display_matrix(_display_matrix(rotation, mirrored))
            if pixel_aspect is not None:
                video.codec_context.sample_aspect_ratio = pixel_aspect
        audio = output.add_stream(sound_codec, rate=sound_rate, layout="mono") if sound else None
        sent = 0
        samples = noise(seconds, sound_rate) if sound else np.empty(0, np.float32)
        for index, stamp in enumerate(stamps if video is not None else []):
            stored = np.rot90(draw(index, *shown), rotation // 90)
            stored = np.ascontiguousarray(stored[:, ::-1] if mirrored else stored)
            frame = av.VideoFrame.from_ndarray(stored, format="rgb24")
            frame = frame.reformat(format=pix_fmt)
            frame.pts = round((stamp + picture_offset_us) / 1e6 / tick)
            frame.time_base = tick
            output.mux(video.encode(frame))
            if audio is not None:
                sent = _send(output, audio, samples, sent, round(stamp * sound_rate / 1e6), sound_offset_us)
        if audio is not None:
            _send(output, audio, samples, sent, len(samples), sound_offset_us)
            output.mux(audio.encode(None))
        if video is not None:
            output.mux(video.encode(None))
    return path


def _display_matrix(rotation, mirrored):
    """Of ISO/IEC 14496-12, 8.3.2: where it takes what points right, and what points down."""
    right, down = ((1, 0), (0, 1), (-1, 0), (0, -1))[rotation // 90], ((0, 1), (-1, 0), (0, -1), (1, 0))[rotation // 90]
    sign = -1 if mirrored else 1
    unit = 1 << 16
    return (sign * right[0] * unit, sign * right[1] * unit, 0, down[0] * unit, down[1] * unit, 0, 0, 0, 1 << 30)


def _video(output, codec, size, pix_fmt, fps, bframes, gop, open_gop, tick, options):
    stream = output.add_stream(codec, rate=Fraction(fps).limit_denominator(1001))
    stream.width, stream.height = size
    stream.pix_fmt = pix_fmt
    stream.codec_context.time_base = tick
    stream.codec_context.gop_size = gop
    keys = f"keyint={gop}:min-keyint=1:scenecut=0:open-gop={int(open_gop)}"
    chosen = {}
    if codec == "libx264":
        chosen = {
            "preset": "ultrafast" if not bframes else "veryfast",
            "bf": str(bframes),
            "x264-params": keys,
        }
    elif codec == "libx265":
        chosen = {
            "preset": "ultrafast",
            "x265-params": f"log-level=none:bframes={bframes}:{keys}",
        }
    stream.codec_context.options = {**chosen, **options}
    return stream


def _send(output, audio, samples, sent, until, offset_us):
    rate = audio.codec_context.sample_rate
    until = min(until, len(samples))
    while sent < until:
        block = samples[sent : sent + 1024]
        frame = av.AudioFrame.from_ndarray(block[None], format="fltp", layout="mono")
        frame.sample_rate = rate
        frame.time_base = Fraction(1, rate)
        frame.pts = sent + round(offset_us * rate / 1e6)
        output.mux(audio.encode(frame))
        sent += len(block)
    return sent


def remuxed(path: Path, target: Path) -> Path:
    """Copy the streams of a file into another container, without encoding anything."""
    with av.open(str(path)) as source, av.open(str(target), "w") as made:
        streams = {stream.index: made.add_stream_from_template(stream) for stream in source.streams}
        for packet in source.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream_index]
                made.mux(packet)
    return target
