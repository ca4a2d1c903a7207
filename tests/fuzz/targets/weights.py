"""Files of weights: what a lab adds, what lies in the folder of models, and GGUF files that a judge names."""

import json
import os
import shutil
from pathlib import Path
from random import Random

import numpy as np
from safetensors.numpy import save

from models.runtime import onnx_files as onnx_writer
from models.weights import installed_weights as weights
from models.weights.adding import add_weights
from models.weights.weights_catalogue import find_entry
from project.errors import UserError
from tests.builders.onnx_files import picture_network
from tests.fuzz.base import Refuted
from tests.fuzz.mutate import json_bytes, spoil_bytes, spoil_json

_UNSAFE = (
    b"\x80\x04\x95\x1f\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x04true\x94\x85\x94R\x94.",
    b"cposix\nsystem\n(S'touch ../../outside/made'\ntR.",
    b"PK\x03\x04" + bytes(60),
    b"\x93NUMPY\x01\x00v\x00{'descr': '|O'}",
    b"import os; os.system('true')",
)
_STARTS = {one[:4] for one in _UNSAFE}
_SUFFIXES = (
    ".bin",
    ".pt",
    ".pth",
    ".ckpt",
    ".pkl",
    ".npy",
    ".py",
    ".safetensors",
    ".json",
    ".txt",
    "",
    ".model",
    ".so",
)
_PLACES = ("../outside/secret.mp4", "../../outside/secret.mp4", "/etc/passwd", "/dev/zero", "x", "weights.bin", "")


class _Weights:
    apart = False
    name = "cartoon"

    def prepare(self, folder: Path) -> None:
        os.environ.pop(weights.FOLDER_VARIABLE, None)
        self._seeds = self.make(folder)
        for seed in self._seeds:
            trial = folder / "trial"
            shutil.rmtree(trial, ignore_errors=True)
            self.put(trial, seed)
            add_weights(self.name, trial / "given", "as its makers say")
            weights.remove(self.name)

    def make(self, folder: Path) -> list[dict[str, bytes]]:
        raise NotImplementedError

    def put(self, folder: Path, files: dict[str, bytes]) -> None:
        """Write one file as `given`, or a folder of that name."""
        for name, content in files.items():
            place = folder / "given" / name if name else folder / "given"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)

    def spoil(self, chance: Random, folder: Path) -> None:
        files = dict(chance.choice(self._seeds))
        at = chance.choice(sorted(files))
        files[at] = self.spoiled(chance, files[at])
        if len(files) > 1:
            self._harm(chance, files)
        self.put(folder, files)
        if len(files) > 1 and chance.random() < 0.1:
            (folder / "given" / "more.safetensors").symlink_to(
                chance.choice(("../../../outside/secret.mp4", "/dev/zero", ".."))
            )

    def _harm(self, chance: Random, files: dict[str, bytes]) -> None:
        if chance.random() < 0.3:
            files[f"{chance.choice(('pytorch_model', 'unet/weights', 'a b', 'é'))}{chance.choice(_SUFFIXES)}"] = (
                chance.choice(_UNSAFE)
            )
        if chance.random() < 0.1:
            del files[chance.choice(sorted(files))]

    def spoiled(self, chance: Random, content: bytes) -> bytes:
        return spoil_bytes(chance, content)

    def use(self, chance: Random, folder: Path) -> None:
        kept = weights.weights_folder()
        weights.remove(self.name)
        try:
            added = add_weights(self.name, folder / "given", "as its makers say")
        except UserError:
            left = sorted(path.name for path in kept.iterdir()) if kept.exists() else []
            if left:
                raise Refuted(f"weights that were refused left {left}") from None
            raise
        for file in [added, *(added.rglob("*") if added.is_dir() else ())]:
            if file.is_symlink():
                raise Refuted("a link was kept")
            if file.is_file() and file.suffix not in (".txt", ".model", ".md") and file.read_bytes()[:4] in _STARTS:
                raise Refuted(f"what can run code was kept: {file.name}")
        weights.remove(self.name)


class Onnx(_Weights):
    """Networks; some name another file as the place of their numbers."""

    def make(self, folder: Path) -> list[dict[str, bytes]]:
        found = []
        for number, shape in enumerate(((1, 3, "h", "w"), (1, "h", "w", 3))):
            path = picture_network(folder / f"{number}.onnx", shape, shape)
            found.append({"": path.read_bytes()})
        return found

    def spoiled(self, chance: Random, content: bytes) -> bytes:
        if chance.random() < 0.2:
            content = content + _external(chance.choice(_PLACES))
        return spoil_bytes(chance, content) if chance.random() < 0.9 else content


def _external(place: str) -> bytes:
    """Return a piece that adds a constant to a network, whose numbers are said to lie in another file."""
    field, text, number = onnx_writer._field, onnx_writer._text, onnx_writer._number
    named = text(1, "location") + text(2, place)
    tensor = number(1, 4) + number(2, 1) + text(8, "gain2") + field(13, named) + number(14, 1)
    used = text(1, "x") + text(1, "gain2") + text(2, "unused") + text(4, "Mul")
    return field(7, field(5, tensor) + field(1, used))


def _safetensors(names: tuple[str, ...]) -> bytes:
    return save({name: np.zeros((2, 2), np.float32) for name in names}, {"format": "pt"})


class Safetensors(_Weights):
    name = "raft-small"

    def make(self, folder: Path) -> list[dict[str, bytes]]:
        return [{"": _safetensors(find_entry(self.name).tensors)}]

    def spoiled(self, chance: Random, content: bytes) -> bytes:
        return _spoiled_safetensors(chance, content)


def _spoiled_safetensors(chance: Random, content: bytes) -> bytes:
    if chance.random() < 0.4:
        return spoil_bytes(chance, content)
    length = int.from_bytes(content[:8], "little")
    header = json_bytes(chance, spoil_json(chance, json.loads(content[8 : 8 + length])))
    stated = chance.choice((len(header), len(header), len(header), 0, 2**63, 2**64 - 1, len(header) * 2, 100 << 20))
    return stated.to_bytes(8, "little") + header + content[8 + length :]


class Folders(_Weights):
    """A folder as diffusers saves it, with what else a stranger may put there."""

    name = "controlnet"

    def make(self, folder: Path) -> list[dict[str, bytes]]:
        config = json.dumps({"_class_name": "ControlNetModel", "in_channels": 4}).encode()
        return [{"config.json": config, "diffusion_pytorch_model.safetensors": _safetensors(("a", "b"))}]

    def spoiled(self, chance: Random, content: bytes) -> bytes:
        if content.startswith(b"{"):
            return json_bytes(chance, spoil_json(chance, json.loads(content)))
        return chance.choice(_UNSAFE) if chance.random() < 0.1 else _spoiled_safetensors(chance, content)


class Records:
    """The records that lie beside weights, changed by somebody else."""

    apart = False

    def prepare(self, folder: Path) -> None:
        path = picture_network(folder / "a.onnx", (1, 3, "h", "w"), (1, 3, "h", "w"))
        add_weights("cartoon", path, "as its makers say")
        self._kept = {file.name: file.read_bytes() for file in weights.weights_folder().iterdir() if file.is_file()}

    def spoil(self, chance: Random, folder: Path) -> None:
        for name, content in self._kept.items():
            if name.endswith(".json"):
                content = json_bytes(chance, spoil_json(chance, json.loads(content)))
            (weights.weights_folder() / name).write_bytes(content)

    def use(self, chance: Random, folder: Path) -> None:
        from models.weights.model_list import list_models

        weights.is_installed("cartoon")
        weights.licence("cartoon")
        list_models()


class Gguf:
    """Models for llama.cpp, loaded as the process of a model does. What llama.cpp aborts on ends that process alone."""

    apart = True

    def prepare(self, folder: Path) -> None:
        from models.judges.llama_cpp import llama_model as model
        from models.judges.llama_cpp.process_messages import LlamaModelConfig, StopFlag
        from tests.builders.tiny_gguf import Shape, write_tiny_model

        self._model, self._flag, self._loading = model, StopFlag, LlamaModelConfig
        made = write_tiny_model(folder, Shape(width=16, heads=2, layers=1, inner=16, context=256))
        self._language, self._projector = made.model.read_bytes(), made.projector.read_bytes()
        os.environ["GGML_NO_BACKTRACE"] = "1"

    def spoil(self, chance: Random, folder: Path) -> None:
        self._seen = chance.random() < 0.25
        language, projector = self._language, self._projector
        if self._seen:
            projector = spoil_bytes(chance, projector, (language,))
        else:
            language = spoil_bytes(chance, language, (projector,))
        (folder / "a.gguf").write_bytes(language)
        (folder / "b.gguf").write_bytes(projector)

    def use(self, chance: Random, folder: Path) -> None:
        from models.judges.judge_interface import Message, Role, SamplingParameters
        from models.judges.llama_cpp.llama_judge import require_gguf_file
        from models.judges.llama_cpp.process_messages import CompletionRequest

        model = require_gguf_file(str(folder / "a.gguf"), "model")
        projector = require_gguf_file(str(folder / "b.gguf"), "projector") if self._seen else ""
        try:
            loaded = self._model.LlamaModel(self._loading(str(model), str(projector), 128, 0, 1), self._flag())
        except self._model.NotLoaded as error:
            raise UserError(str(error)) from None
        schema = {"type": "object", "properties": {}, "additionalProperties": False}
        ask = CompletionRequest(1, (Message(Role.USER, "Hi"),), schema, SamplingParameters(max_tokens=4))
        loaded.answer(ask)
