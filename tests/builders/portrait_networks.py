"""Tiny networks that turn a picture into another, installed as a lab would."""

from pathlib import Path

import cv2
import numpy as np

from models.weights.adding import add_weights
from tests.builders.onnx_files import picture_network, write_onnx

LICENCE = "made for tests"
_ANY = ("n", 3, "h", "w")


def install_cartoon(base: Path, keeps: bool = False) -> None:
    """Install a cartoon network that squares its values, or one that only turns colours over."""
    file = base / "cartoon.onnx"
    if keeps:
        picture_network(file, _ANY, _ANY, -1.0)
    else:
        write_onnx(file, [("Mul", ("x", "x"), ("y",))], {"x": _ANY}, {"y": _ANY})
    add_weights("cartoon", file, LICENCE)


def install_swap(base: Path, keeps: bool = False) -> None:
    """Install a network that mixes the identity into what it sees, or gives back what it sees, and an identity."""
    steps = [("ReduceMean", ("source",), ("mean",)), ("Mul", ("mean", "little"), ("tone",))]
    steps += [] if keeps else [("Sub", ("target", "half"), ("low",)), ("Mul", ("low", "low"), ("square",))]
    steps.append(("Add", ("target" if keeps else "square", "tone"), ("swapped",)))
    inputs = {"target": ("n", 3, 128, 128), "source": ("n", 512)}
    constants = {"little": np.array(0.01, np.float32), "half": np.array(0.5, np.float32)}
    file = write_onnx(base / "swap.onnx", steps, inputs, {"swapped": ("n", 3, 128, 128)}, constants)
    add_weights("face-swap", file, LICENCE)
    bounds = {name: np.array([value], np.int64) for name, value in (("from", 0), ("to", 512), ("axis", 1))}
    steps = [("Flatten", ("face",), ("flat",)), ("Slice", ("flat", "from", "to", "axis"), ("identity",))]
    takes, gives = {"face": ("n", 3, 112, 112)}, {"identity": ("n", 512)}
    add_weights("face-swap-identity", write_onnx(base / "identity.onnx", steps, takes, gives, bounds), LICENCE)


def source_faces(folder: Path, count: int = 3) -> None:
    """Put pictures of nobody into a folder, and say so."""
    folder.mkdir(parents=True, exist_ok=True)
    told = []
    for number in range(count):
        noise = np.random.default_rng(number).integers(0, 256, (160, 160, 3), np.uint8)
        cv2.imwrite(str(folder / f"{number}.png"), noise)
        told.append(
            f'[[face]]\nfile = "{number}.png"\norigin = "generated"\nstatement = "Noise, made for a test, of nobody."\n'
        )
    (folder / "faces.toml").write_text("\n".join(told), "utf-8")
