"""Make the sample recording and its truth file. For developers; the results are committed.

Run from the root of the project, in the development environment, with espeak-ng installed (Debian and Ubuntu:
`apt-get install espeak-ng`; 1.51 made the committed files, and another version speaks a little differently)::

    python -m resources.sample.make_sample

It takes about a minute and gives the same files each time on the same versions of espeak-ng and FFmpeg.

The picture is scikit-image's `astronaut`, a photograph in the public domain (NASA), under a moving camera, beside a
drawn robot; so the true place of the face is known in every frame. See `README.md` beside this file.
"""

import json
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from resources.sample.dialogue import LINES, MOMENTS
from resources.sample.scene import FRAME_RATE, HEIGHT, WIDTH, SampleScene
from resources.sample.speech import RATE, SynthesizedLine, mix, speak, synthesizer

_HERE = Path(__file__).resolve().parent
RECORDING = _HERE / "sample.mp4"
TRUTH = _HERE / "sample.truth.json"

# The scene is drawn larger than it is stored: the demo should be quick, and the photograph look sharp.
SHRINK = 0.75
STORED_WIDTH, STORED_HEIGHT = round(WIDTH * SHRINK), round(HEIGHT * SHRINK)

_AUDIO_BLOCK = 1024


def encode(path: Path, pictures: Iterable[NDArray[np.uint8]], sound: NDArray[np.float32]) -> None:
    """Write H.264 with B-frames and AAC, without any metadata, and the same bytes each time."""
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart", "fflags": "+bitexact"}) as container:
        # A fixed number of threads: x264 decides differently with another.
        options = {"crf": "22", "preset": "slow", "bf": "2", "g": "125", "threads": "2", "flags": "+bitexact"}
        video = container.add_stream("libx264", rate=FRAME_RATE, options=options)
        video.width, video.height, video.pix_fmt = STORED_WIDTH, STORED_HEIGHT, "yuv420p"
        audio = container.add_stream("aac", rate=RATE, layout="mono", options={"b": "96000", "flags": "+bitexact"})
        written = 0
        for number, picture in enumerate(pictures):
            stored = cv2.resize(picture, (STORED_WIDTH, STORED_HEIGHT), interpolation=cv2.INTER_AREA)
            frame = av.VideoFrame.from_ndarray(stored.astype(np.uint8, copy=False), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FRAME_RATE)
            container.mux(video.encode(frame))
            due = (number + 1) * RATE // FRAME_RATE
            while written + _AUDIO_BLOCK <= min(due, len(sound)):
                container.mux(audio.encode(_audio_frame(sound, written, _AUDIO_BLOCK)))
                written += _AUDIO_BLOCK
        if written < len(sound):
            container.mux(audio.encode(_audio_frame(sound, written, len(sound) - written)))
        container.mux(video.encode(None))
        container.mux(audio.encode(None))


def truth(scene: SampleScene, utterances: list[SynthesizedLine]) -> dict[str, Any]:
    """What is true of the recording; times in microseconds on its own axis, boxes x, y, w, h in pixels."""
    spans = {said.line.key: (_microseconds(said.start), _microseconds(said.end)) for said in utterances}
    boxes = [scene.face(number) for number in range(scene.frames)]
    frame_us = 1_000_000 // FRAME_RATE
    return {
        "recording": RECORDING.name,
        "voices": synthesizer(),
        "width": STORED_WIDTH,
        "height": STORED_HEIGHT,
        "frame_rate": FRAME_RATE,
        "frames": scene.frames,
        "duration_us": scene.frames * frame_us,
        "shots": [
            {"name": shot.name, "start_us": shot.start * frame_us, "end_us": shot.end * frame_us}
            for shot in scene.shots
        ],
        "utterances": [
            {
                "speaker": said.line.speaker,
                "start_us": spans[said.line.key][0],
                "end_us": spans[said.line.key][1],
                "text": said.line.text,
            }
            for said in utterances
        ],
        "segments": [
            {
                "start_us": spans[moment.first][0],
                "end_us": spans[moment.last][1],
                "verdict": moment.verdict,
                "attributes": list(moment.attributes),
                "channel": "verbal",
                "rationale": moment.rationale,
                "correction": moment.correction,
            }
            for moment in MOMENTS
        ],
        "times_us": [number * frame_us for number in range(scene.frames)],
        "faces": [None if box is None else [round(value * SHRINK, 2) for value in box] for box in boxes],
    }


def main() -> None:
    """Make both files in place."""
    utterances = speak(LINES)
    scene = SampleScene(utterances)
    sound = mix(utterances, scene.frames * RATE // FRAME_RATE)
    facts = truth(scene, utterances)
    unfinished = RECORDING.with_suffix(".part")
    encode(unfinished, (scene.picture(number) for number in range(scene.frames)), sound)
    unfinished.replace(RECORDING)
    TRUTH.write_text(_lines(facts), encoding="utf-8")
    print(f"{RECORDING.name}: {scene.frames} frames, {RECORDING.stat().st_size / 1e6:.2f} MB")


def _audio_frame(sound: NDArray[np.float32], start: int, length: int) -> av.AudioFrame:
    frame = av.AudioFrame.from_ndarray(sound[None, start : start + length], format="fltp", layout="mono")
    frame.sample_rate, frame.pts, frame.time_base = RATE, start, Fraction(1, RATE)
    return frame


def _microseconds(sample: int) -> int:
    return round(sample * 1_000_000 / RATE)


def _lines(facts: dict[str, Any]) -> str:
    """JSON with one key a line, short enough to read and to compare."""
    rows = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in facts.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    main()
