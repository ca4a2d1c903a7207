"""A tiny network that takes bright pixels for text, and its installation."""

from pathlib import Path

import numpy as np

from models.weights.adding import add_weights
from tests.builders.onnx_files import write_onnx

LICENCE = "made in a test"


def install_text_network(folder: Path) -> Path:
    """Write the network into a folder and add it to the weights of this machine; returns the installed file."""
    folder.mkdir(parents=True, exist_ok=True)
    constants = {
        "mean": np.full((1, 3, 1, 1), 10 / 3, np.float32),
        "least": np.array([-15], np.float32),
    }
    nodes = [("Conv", ("x", "mean", "least"), ("sum",)), ("Sigmoid", ("sum",), ("y",))]
    shapes = {"x": ("n", 3, "h", "w")}, {"y": ("n", 1, "h", "w")}
    return add_weights("text-regions", write_onnx(folder / "tiny.onnx", nodes, *shapes, constants), LICENCE)
