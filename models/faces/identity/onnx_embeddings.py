"""Identity embeddings run by onnxruntime. They differ in their files and in the values that they take."""

import numpy as np
from numpy.typing import NDArray

from models.faces.face_cropping import align_faces
from models.weights.onnx_model import OnnxModel


class _OnnxEmbedder(OnnxModel):
    """An embedding of one aligned face a call."""

    dimensions = 128

    def embed(self, image: NDArray[np.uint8], five_points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Embed the faces at (n, 5, 2) points of an HxWx3 RGB picture as (n, 128) vectors of length 1."""
        blobs = self._normalize(align_faces(image, five_points).astype(np.float32)).transpose(0, 3, 1, 2)
        name = self.session.get_inputs()[0].name
        found = [self.session.run(None, {name: np.ascontiguousarray(blob[None])})[0][0] for blob in blobs]
        vectors = np.asarray(found, np.float32).reshape(-1, self.dimensions)
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)

    def _normalize(self, faces: NDArray[np.float32]) -> NDArray[np.float32]:
        """Bring RGB values of 0 to 255 to what the network takes."""
        raise NotImplementedError


class MobileFaceNet(_OnnxEmbedder):
    """MobileFaceNet (Chen et al., arXiv 1804.07573), 1 million parameters."""

    key = weights = "mobilefacenet"

    def _normalize(self, faces: NDArray[np.float32]) -> NDArray[np.float32]:
        return (faces - np.float32(127.5)) / np.float32(128)


class SFace(_OnnxEmbedder):
    """SFace (Zhong et al., arXiv 2205.12010) as OpenCV's model zoo has it; its graph scales the values itself."""

    key = weights = "sface"

    def _normalize(self, faces: NDArray[np.float32]) -> NDArray[np.float32]:
        return faces
