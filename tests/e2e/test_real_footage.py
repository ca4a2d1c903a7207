"""A recording of real people, which only the developers have: no face is left where another detector finds one."""

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


def test_a_conversation_shows_no_face(
    shared_data: Path, shared_models: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    source, study = shared_data / "media" / "conv_multi_friends_720p.mp4", tmp_path / "study.greenroom"
    greenroom("new", study)
    greenroom("add", study, source)
    assert greenroom.json("faces", study)["frames"] == 632
    made = greenroom.json("anonymize", study, "--recording", "1", "--out", tmp_path / "clips")
    assert (made["frames"], made["faces_left"]) == (632, [])
    witness = Witness(shared_models / "yunet_n_dynamic.onnx", 1280, 720)
    hidden = []
    pairs = zip(plain.images(source), plain.lumas(Path(made["output"])), strict=True)
    for frame, (raw, luma) in enumerate(pairs):
        if frame % EVERY:
            continue
        for box in witness.faces(raw):
            x, y, right, bottom = (max(0, round(float(v))) for v in (*box[:2], *(box[:2] + box[2:])))
            if not is_thing(frame, box):
                grey = np.abs(luma[y:bottom, x:right].astype(int) - GREY) <= NEAR
                hidden.append(float(grey.mean()) >= 0.9)
    assert len(hidden) > 400
    assert np.mean(hidden) >= 0.98
