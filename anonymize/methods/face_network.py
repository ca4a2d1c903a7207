"""Runs the lab's own networks that turn one picture of a face into another, and checks that they changed it."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from models.runtime.onnx_session import open_session
from models.weights import installed_weights
from project.errors import UserError

Values = NDArray[np.float32]
Image = NDArray[np.uint8]

# A network that only shifts or scales colours keeps the person. Its detail goes along with its input's nearly wholly.
_SAME_DETAIL = 0.97
_SAME_COLOUR = 6.0
_DETAIL = 4
_THREADS = 2


class PictureNetwork:
    """A network of the catalogue that a lab brings itself."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._fit = installed_weights.signature_match(name)
        wanted = installed_weights.network(name)
        self._spans = {tensor.role: tensor.span for tensor in (*wanted.inputs, *wanted.outputs)}
        self._outputs = [tensor.role for tensor in wanted.outputs]
        self._session = open_session(installed_weights.verified_path(name), threads=_THREADS)
        self.key = self._fit.key

    def input_side(self, role: str, otherwise: int) -> int:
        """Return the side in pixels of the square pictures that an input takes; `otherwise` where any will do."""
        sizes = [size for size in self._fit.shapes[role][1:] if size != 3]
        if len(set(sizes)) > 1:
            raise UserError(
                f"The network “{self.name}” takes pictures that are not square.", "Export it for square pictures."
            )
        return otherwise if not sizes or sizes[0] is None else sizes[0]

    def to_input(self, role: str, image: Image) -> Values:
        """Return an RGB picture, (h, w, 3), as the input of a role takes it, with channels first."""
        low, high = self._spans[role] or (0.0, 255.0)
        scaled = image.astype(np.float32) * np.float32((high - low) / 255) + np.float32(low)
        return np.ascontiguousarray(scaled.transpose(2, 0, 1)[None])

    def to_image(self, role: str, found: Values) -> Image | None:
        """Return the picture, (h, w, 3) RGB, of an output with channels first; None where it is none."""
        if found.ndim != 4 or found.shape[:2] != (1, 3) or not np.isfinite(found).all():
            return None
        low, high = self._spans[role] or (0.0, 255.0)
        scaled = (found[0].transpose(1, 2, 0) - low) * (255 / (high - low))
        return np.asarray(np.clip(scaled + 0.5, 0, 255), np.uint8)

    def run(self, inputs: Mapping[str, Values]) -> Values:
        """Return the first output for inputs by role."""
        named = {self._fit.names[role]: value for role, value in inputs.items()}
        try:
            found = self._session.run([self._fit.names[self._outputs[0]]], named)[0]
        # What onnxruntime raises has no base of its own.
        except Exception as error:
            raise UserError(
                f"The network “{self.name}” failed: {str(error).splitlines()[0][:120]}",
                "Export the network again, or use another.",
            ) from error
        return np.asarray(found, np.float32)


def is_unchanged(before: Image, after: Image) -> bool:
    """Tell whether a picture is nearly the one it was made of, also in other colours.

    Either no value changed much, or the detail of one goes along with that of the other (normalized cross-correlation
    of the luminance without its means over 9 by 9 pixels).
    """
    import cv2

    first, second = (
        cv2.cvtColor(cv2.resize(array, (128, 128), interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY).astype(np.float64)
        for array in (before, after)
    )
    if np.abs(first - second).mean() < _SAME_COLOUR:
        return True
    a, b = (array - cv2.blur(array, (2 * _DETAIL + 1, 2 * _DETAIL + 1)) for array in (first, second))
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return size > 0 and abs(float((a * b).sum())) / size > _SAME_DETAIL
