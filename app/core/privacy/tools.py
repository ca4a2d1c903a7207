"""The models that are installed, to measure with."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from anonymize.measures.tools import Tools
from models.faces.identity.registry import EMBEDDERS, embedder
from models.faces.landmarks import registry as landmarks
from models.faces.landmarks.base import LandmarkFinder
from models.faces.registry import ALWAYS, detector, independent_of
from models.flow.registry import optical_flow
from models.weights import installed

_MEASURES = ("pfld", "mediapipe")
"""Finders of landmarks, the one that measures first: a drawn face is driven by the other one."""
_DRIVES = "mediapipe"


@contextmanager
def installed_tools(tracked_by: str) -> Iterator[Tools]:
    """Load what is installed, and free it when the block ends.

    Args:
        tracked_by: the detectors that found the faces, joined by `+`: another one looks whether any is left.
    """
    witness = independent_of(tracked_by)
    with ExitStack() as stack:

        def finder(name: str) -> LandmarkFinder | None:
            if not landmarks.installed(name):
                return None
            made = landmarks.landmark_finder(name)
            stack.callback(made.close)
            return made

        drives = finder(_DRIVES)
        measures = finder(next((name for name in _MEASURES if landmarks.installed(name)), _MEASURES[0]))
        yield Tools(
            detector=detector(witness or ALWAYS),
            independent=witness is not None,
            embedders=tuple(embedder(name) for name in EMBEDDERS if installed(name)),
            landmarks=measures,
            driver=drives,
            flow=optical_flow(),
        )
