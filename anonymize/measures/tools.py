"""What a rendering is measured with."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonymize.measures.expression import ExpressionReader
from models.faces.base import FaceDetector
from models.faces.identity.base import Embedder
from models.faces.landmarks.base import LandmarkFinder
from models.flow.base import OpticalFlow


@dataclass(frozen=True, slots=True)
class Tools:
    """Models; what is missing is not measured, and the report says so.

    Attributes:
        detector: looks for faces in the clip; best none of those that found the tracks.
        independent: whether it is none of those.
        embedders: recognize people; the strictest answer counts.
        landmarks: measures points, pose and expression; best another one than `driver`.
        driver: finds landmarks of the source a second time: what a drawn face is driven by, and the only one with the
            iris.
        flow: motion in the source.
        expressions: names expressions.
    """

    detector: FaceDetector | None = None
    independent: bool = False
    embedders: Sequence[Embedder] = ()
    landmarks: LandmarkFinder | None = None
    driver: LandmarkFinder | None = None
    flow: OpticalFlow | None = None
    expressions: ExpressionReader | None = None
