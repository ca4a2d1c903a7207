"""The commands on recordings of real people, which only the developers have."""

from pathlib import Path

import numpy as np
import pytest

from tests.builders.terminal import Terminal
from tests.e2e import plain
from tools.bench.witness import Witness, is_thing

pytestmark = [pytest.mark.e2e, pytest.mark.soak]
EVERY = 3
# Solid paints luma 128; an encoder adds a little.
GREY, NEAR = 128, 8
SOUND_MS = 10


def export(greenroom: Terminal, source: Path, folder: Path) -> Path:
    """Add, track, export with the default method; returns the clip."""
    study = folder / "study.greenroom"
    greenroom("new", study)
    greenroom("add", study, source)
    frames = len(plain.frame_times(source))
    assert greenroom.json("faces", study)["frames"] == frames
    made = greenroom.json("anonymize", study, "--recording", "1", "--out", folder / "clips")
    assert (made["frames"], made["faces_left"]) == (frames, [])
    assert greenroom.json("check", study)["ok"] is True
    return Path(made["output"])


def test_a_conversation_keeps_its_time_and_shows_no_face(
    shared_data: Path, shared_models: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    source = shared_data / "media" / "conv_multi_friends_720p.mp4"
    clip = export(greenroom, source, tmp_path)
    times = plain.frame_times(clip)
    assert len(times) == 632
    assert times == pytest.approx(plain.frame_times(source), abs=1)
    assert times[0] == pytest.approx(1_704_000, abs=1_000)
    before, after = plain.sound(source), plain.sound(clip)
    assert abs(plain.loudness_lag_ms(before, after)) <= SOUND_MS
    assert len(after) == pytest.approx(len(before), abs=16 * SOUND_MS)

    witness = Witness(shared_models / "yunet_n_dynamic.onnx", 1280, 720)
    hidden = []
    for frame, (raw, luma) in enumerate(zip(plain.images(source), plain.lumas(clip), strict=True)):
        if frame % EVERY:
            continue
        for box in witness.faces(raw):
            x, y, right, bottom = (max(0, round(float(v))) for v in (*box[:2], *(box[:2] + box[2:])))
            if not is_thing(frame, box):
                grey = np.abs(luma[y:bottom, x:right].astype(int) - GREY) <= NEAR
                hidden.append(float(grey.mean()) >= 0.9)
    assert len(hidden) > 400
    assert np.mean(hidden) >= 0.98


@pytest.mark.parametrize(
    ("name", "told"), [("face_noface_vfr_hevc.mov", "creation_time"), ("talk_vfr_tags.mp4", "title")]
)
def test_uneven_time_stamps_stay_and_tags_do_not(
    shared_data: Path, tmp_path: Path, greenroom: Terminal, name: str, told: str
) -> None:
    source = shared_data / "media" / name
    clip = export(greenroom, source, tmp_path)
    times = plain.frame_times(source)
    assert len(set(np.diff(times))) > 1
    assert plain.frame_times(clip) == pytest.approx(times, abs=1)
    assert abs(plain.loudness_lag_ms(plain.sound(source), plain.sound(clip))) <= SOUND_MS
    assert told in plain.tags(source)
    assert plain.tags(clip) == set()
