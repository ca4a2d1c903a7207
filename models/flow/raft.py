"""RAFT (Teed and Deng, ECCV 2020), small, as torchvision builds it; its weights come from the catalogue."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from safetensors.torch import load_file

from models.flow.optical_flow import Flow, Picture
from models.weights import installed_weights
from project.entities.study_records import Json
from project.errors import UserError

WEIGHTS = "raft-small"
# Eight times as coarse inside, and the correlation pyramid halves that three times more.
_MULTIPLE, _LEAST = 8, 128


class Raft:
    """A network for flow; better than `dis` where motion is large, and only worth waiting for on a GPU."""

    key: ClassVar[str] = "raft"
    parameters: ClassVar[Mapping[str, Json]] = {"network": "small", "updates": 12}

    def __init__(self) -> None:
        from torchvision.models.optical_flow import raft_small  # no part of any installation by itself

        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._network: Any = raft_small(weights=None, progress=False)
        try:
            self._network.load_state_dict(load_file(installed_weights.verified_path(WEIGHTS)))
        except RuntimeError:
            raise UserError(
                f"The weights “{WEIGHTS}” are not those of torchvision's small RAFT.",
                "Convert torchvision's raft_small to safetensors as docs/diffusion.md says, and add that file.",
            ) from None
        self._network.eval().to(self._device)

    def between(self, first: Picture, second: Picture) -> Flow:
        """Return the flow; the pictures are enlarged by repeating their edge to what the network asks for."""
        height, width = first.shape[:2]
        pair = [self._tensor(picture) for picture in (first, second)]
        with torch.inference_mode():
            flow = self._network(*pair)[-1][0]
        found: Flow = flow.permute(1, 2, 0).float().cpu().numpy()
        return np.ascontiguousarray(found[:height, :width])

    def _tensor(self, picture: Picture) -> torch.Tensor:
        colour = picture if picture.ndim == 3 else picture[..., None].repeat(3, axis=2)
        height, width = colour.shape[:2]
        wanted = [max(_LEAST, -(-side // _MULTIPLE) * _MULTIPLE) for side in (height, width)]
        padded = np.pad(colour, ((0, wanted[0] - height), (0, wanted[1] - width), (0, 0)), mode="edge")
        return torch.from_numpy(padded).to(self._device).permute(2, 0, 1)[None].float() / 127.5 - 1
