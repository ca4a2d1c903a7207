"""The sample recording with some of its frames, so that a test looks for faces in these alone."""

from fractions import Fraction
from pathlib import Path

import av
from av.video.frame import PictureType

from resources import resource


def fewer_frames(video: Path, every: int, size: tuple[int, int], *, slowed: bool = False) -> Path:
    """Write the sample with every so manieth of its frames, at a size; its sound whole.

    Slowed, it has as many frames from the beginning instead, so that little moves from one to the next.
    """
    rate = Fraction(25, every)
    with av.open(resource("sample", "sample.mp4")) as source, av.open(video, "w") as out:
        picture = out.add_stream("libx264", rate=rate, options={"crf": "23", "bf": "0", "preset": "superfast"})
        (picture.width, picture.height), picture.pix_fmt = size, "yuv420p"
        sound = out.add_stream("aac", rate=48_000)
        all_frames = range(0, source.streams.video[0].frames, every)
        chosen = range(len(all_frames)) if slowed else all_frames
        frames = 0
        for frame in source.decode():
            if isinstance(frame, av.AudioFrame):
                out.mux(sound.encode(frame))
            elif isinstance(frame, av.VideoFrame):
                if frames in chosen:
                    small = frame.reformat(*size, "yuv420p")
                    small.pts, small.time_base = chosen.index(frames), 1 / rate
                    small.pict_type = PictureType.NONE
                    out.mux(picture.encode(small))
                frames += 1
        out.mux(picture.encode(None))
        out.mux(sound.encode(None))
    return video
