"""The commands on recordings of real people, which only the developers have."""

from pathlib import Path

import av
import numpy as np
import pytest

from tests.builders.terminal import Terminal
from tests.e2e import plain
from tools.bench.witness import Witness, agrees, is_thing

YUNET = "yunet_n_dynamic.onnx"
EVERY = 3
# Solid paints luma 128; an encoder adds a little.
GREY, NEAR = 128, 8
SOUND_MS = 10
BEGINNING = 104
"""Frames before the second key frame."""
NO_FACES = np.array([[312, 93, 32, 43], [349, 56, 22, 29], [739, 467, 50, 56], [638, 425, 62, 84]], np.float32)
"""Tufts of hair, a blanket and a hand in the beginning that the witness takes for faces: to hide them is chance."""


def export(greenroom: Terminal, source: Path, folder: Path) -> Path:
    """Add, track, export with the default method; returns the clip."""
    study = folder / "study.greenroom"
    greenroom("new", study)
    greenroom("add", study, source)
    frames = plain.frame_times(source)
    assert greenroom.json("faces", study)["frames"] == len(frames)
    made = greenroom.json("anonymize", study, "--recording", "1", "--out", folder / "clips")
    assert made["frames"] == len(frames)
    assert made["faces_left"] == []
    assert greenroom.json("check", study)["ok"] is True
    return Path(made["output"])


def beginning(source: Path, target: Path, frames: int) -> Path:
    """Copy the first frames as they are, the sound that comes with them, and what is said of the whole."""
    with av.open(str(source)) as whole, av.open(str(target), "w") as part:
        part.metadata.update(whole.metadata)
        streams = [whole.streams.video[0], whole.streams.audio[0]]
        copies = {stream.index: part.add_stream_from_template(stream) for stream in streams}
        taken = 0
        for packet in whole.demux(streams):
            if packet.dts is None:
                continue
            taken += packet.stream.type == "video"
            if taken > frames:
                break
            packet.stream = copies[packet.stream.index]
            part.mux(packet)
    return target


@pytest.mark.parametrize(
    ("frames", "faces", "enough"),
    [(BEGINNING, 60, 0.8), pytest.param(None, 400, 0.9, marks=pytest.mark.soak)],
    ids=["beginning", "whole"],
)
def test_a_conversation_keeps_its_time_and_shows_no_face(
    shared_data: Path,
    shared_models: Path,
    tmp_path: Path,
    greenroom: Terminal,
    frames: int | None,
    faces: int,
    enough: float,
) -> None:
    whole = shared_data / "media" / "conv_multi_friends_720p.mp4"
    source = whole if frames is None else beginning(whole, tmp_path / "beginning.mkv", frames)
    assert plain.frame_times(source) == pytest.approx(plain.frame_times(whole)[:frames], abs=1_000)
    clip = export(greenroom, source, tmp_path)
    times = plain.frame_times(clip)
    assert len(times) == (frames or 632)
    assert times == pytest.approx(plain.frame_times(source), abs=1)
    assert times[0] == pytest.approx(1_704_000, abs=1_000)
    before, after = plain.sound(source), plain.sound(clip)
    assert abs(plain.loudness_lag_ms(before, after)) <= SOUND_MS
    assert len(after) == pytest.approx(len(before), abs=16 * SOUND_MS)

    witness = Witness(shared_models / YUNET, 1280, 720)
    hidden = []
    for frame, (raw, luma) in enumerate(zip(plain.images(source), plain.lumas(clip), strict=True)):
        if frame % EVERY:
            continue
        for box in witness.faces(raw):
            x, y, right, bottom = (max(0, round(float(v))) for v in (*box[:2], *(box[:2] + box[2:])))
            known = is_thing(frame, box) or (frame < BEGINNING and agrees(box, NO_FACES, 0.5))
            if not known:
                grey = np.abs(luma[y:bottom, x:right].astype(int) - GREY) <= NEAR
                hidden.append(float(grey.mean()) >= enough)
    assert len(hidden) > faces
    assert np.mean(hidden) >= (1.0 if frames else 0.98)


@pytest.mark.parametrize("frames", [60, pytest.param(None, marks=pytest.mark.soak)], ids=["beginning", "whole"])
@pytest.mark.parametrize(
    ("name", "told"), [("face_noface_vfr_hevc.mov", "creation_time"), ("talk_vfr_tags.mp4", "title")]
)
def test_uneven_time_stamps_stay_and_tags_do_not(
    shared_data: Path, tmp_path: Path, greenroom: Terminal, name: str, told: str, frames: int | None
) -> None:
    whole = shared_data / "media" / name
    source = whole if frames is None else beginning(whole, tmp_path / f"beginning{whole.suffix}", frames)
    clip = export(greenroom, source, tmp_path)
    times = plain.frame_times(source)
    assert len(set(np.diff(times))) > 1
    assert plain.frame_times(clip) == pytest.approx(times, abs=1)
    assert abs(plain.loudness_lag_ms(plain.sound(source), plain.sound(clip))) <= SOUND_MS
    assert told in plain.tags(source)
    assert plain.tags(clip) == set()
