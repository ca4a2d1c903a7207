"""Imports the part of mediapipe that is used, without what its other parts bring along.

`import mediapipe` imports matplotlib, which writes a cache of fonts, and sounddevice, which looks for PortAudio by
running a compiler; both are for drawing and recording, which is not done here. It opens no connection.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

_NOT_NEEDED = ("sounddevice", "matplotlib", "matplotlib.pyplot")


@contextmanager
def left_out() -> Iterator[None]:
    """Let imports of mediapipe in the block find empty modules for what is not needed and was not imported before."""
    stand_ins = {name: ModuleType(name) for name in _NOT_NEEDED if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name in stand_ins:
            del sys.modules[name]


with left_out():
    from mediapipe import Image, ImageFormat
    from mediapipe.tasks.python.core.base_options import BaseOptions
    from mediapipe.tasks.python.vision.core.vision_task_running_mode import VisionTaskRunningMode
    from mediapipe.tasks.python.vision.face_landmarker import FaceLandmarker, FaceLandmarkerOptions

__all__ = [
    "BaseOptions",
    "FaceLandmarker",
    "FaceLandmarkerOptions",
    "Image",
    "ImageFormat",
    "VisionTaskRunningMode",
    "left_out",
]
