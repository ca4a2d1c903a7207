"""The face embedding interface and registry, default first. A new embedding is a class and one line here."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.weights.model_plugins import InferenceModel, ModelPlugins


class Embedder(InferenceModel, Protocol):
    """Turns faces into vectors; those of one person point the same way. May be called from several threads at once."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def embed(self, image: NDArray[np.uint8], five_points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Embed the faces of a picture, aligned as `align_faces` does.

        The (n, 5, 2) points are x, y in pixels as in `Detections.landmarks`. Returns (n, dimensions) vectors of length
        1; the cosine of two is their product.
        """


EMBEDDERS = ModelPlugins[Embedder](
    "identity embedding",
    {
        "sface": "models.faces.identity.onnx_embeddings:SFace",
        "mobilefacenet": "models.faces.identity.onnx_embeddings:MobileFaceNet",
    },
    weights={"sface": "sface", "mobilefacenet": "mobilefacenet"},
)
default_face_embedder = EMBEDDERS.default
create_face_embedder = EMBEDDERS.make
