"""Identity embeddings run by onnxruntime. They differ in their files and in the values that they take."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from models.faces.face_cropping import align_faces
from models.runtime.onnx_session import open_session
from models.weights import installed_weights
from project.entities.study_records import Json


class _OnnxEmbedder:
    """An embedding of one aligned face a call.

    Args:
        threads: of one call.
    """

    key: ClassVar[str]
    dimensions = 128

    def __init__(self, threads: int = 1) -> None:
        self._session = open_session(installed_weights.verified_path(self.key), threads)
        self._input = self._session.get_inputs()[0].name
        self._weights = installed_weights.digest(self.key)

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers."""
        return {"weights": self._weights}

    def embed(self, image: NDArray[np.uint8], five_points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Embed the faces at (n, 5, 2) points of an HxWx3 RGB picture as (n, 128) vectors of length 1."""
        blobs = self._normalize(align_faces(image, five_points).astype(np.float32)).transpose(0, 3, 1, 2)
        found = [self._session.run(None, {self._input: np.ascontiguousarray(blob[None])})[0][0] for blob in blobs]
        vectors = np.asarray(found, np.float32).reshape(-1, self.dimensions)
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)

    def _normalize(self, faces: NDArray[np.float32]) -> NDArray[np.float32]:
        """Bring RGB values of 0 to 255 to what the network takes."""
        raise NotImplementedError


class MobileFaceNet(_OnnxEmbedder):
    """MobileFaceNet (Chen et al., arXiv 1804.07573), 1 million parameters."""

    key = "mobilefacenet"

    def _normalize(self, faces: NDArray[np.float32]) -> NDArray[np.float32]:
        return (faces - np.float32(127.5)) / np.float32(128)


class SFace(_OnnxEmbedder):
    """SFace (Zhong et al., arXiv 2205.12010) as OpenCV's model zoo has it; its graph scales the values itself."""

    key = "sface"

    def _normalize(self, faces: NDArray[np.float32]) -> NDArray[np.float32]:
        return faces
