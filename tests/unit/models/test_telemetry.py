"""Nothing about the user is gathered, let alone sent."""

import os
import subprocess
import sys
from pathlib import Path

from tests.builders.waiting import HANG_S

_FIND = """
import numpy as np
from models.faces.face_detectors import create_detector
from models.faces.landmarks.landmark_finders import create_landmark_finder
picture = np.zeros((64, 64, 3), np.uint8)
create_detector("centerface").detect(picture)
finder = create_landmark_finder()
assert finder.find(picture, np.array([[0, 0, 64, 64]], np.float32)) == [None]
finder.close()
left_open = create_landmark_finder()
"""


def test_onnxruntime_and_mediapipe_keep_no_device_id_no_events_and_no_fonts_and_say_nothing(
    tmp_path: Path, shared_models: Path
) -> None:
    """Also where MediaPipe's finder is not closed."""
    home = dict.fromkeys(
        ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "TMPDIR"), str(tmp_path)
    )
    settings = {**os.environ, **home, "GREENROOM_MODELS": str(shared_models)}
    run = [sys.executable, "-c", _FIND]
    done = subprocess.run(run, env=settings, check=True, timeout=HANG_S, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert [*tmp_path.rglob("*")] == []
