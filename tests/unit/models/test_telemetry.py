"""Nothing about the user is gathered, let alone sent."""

import os
import subprocess
import sys
from pathlib import Path

_DETECT = """
import numpy as np
from models.faces.registry import detector
detector("centerface").detect(np.zeros((64, 64, 3), np.uint8))
"""


def test_onnxruntime_keeps_no_device_id_and_no_events(tmp_path: Path) -> None:
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    subprocess.run([sys.executable, "-c", _DETECT], env={**os.environ, **home}, check=True, timeout=120)
    assert [*tmp_path.rglob("*")] == []
