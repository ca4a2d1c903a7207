"""Nothing about the user is gathered, let alone sent."""

import os
import subprocess
import sys
from pathlib import Path

from tests.builders.waiting import HANG_S

_DETECT = """
import numpy as np
from models.faces.face_detectors import create_detector as detector
detector("centerface").detect(np.zeros((64, 64, 3), np.uint8))
"""


def test_onnxruntime_keeps_no_device_id_and_no_events(tmp_path: Path) -> None:
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    subprocess.run([sys.executable, "-c", _DETECT], env={**os.environ, **home}, check=True, timeout=HANG_S)
    assert [*tmp_path.rglob("*")] == []


_LANDMARKS = """
import numpy as np
from models.faces.landmarks.landmark_finders import create_landmark_finder as landmark_finder
finder = landmark_finder()
assert finder.find(np.zeros((64, 64, 3), np.uint8), np.array([[0, 0, 64, 64]], np.float32)) == [None]
finder.close()
left_open = landmark_finder()
"""


def test_mediapipe_writes_nothing_and_says_nothing(tmp_path: Path, shared_models: Path) -> None:
    """Neither a cache of fonts nor lines on standard error, also where it is not closed."""
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR")}
    run = [sys.executable, "-c", _LANDMARKS]
    settings = {**os.environ, **home, "GREENROOM_MODELS": str(shared_models)}
    done = subprocess.run(run, env=settings, check=True, timeout=HANG_S, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert [*tmp_path.rglob("*")] == []
