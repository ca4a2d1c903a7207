"""Checks weights that a lab brings itself: networks by their signature, folders by their layout."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import permutations
from pathlib import Path
from typing import Any

from models.weights.installed_weights import list_files
from models.weights.weights_catalogue import NetworkSignature, SignatureMatch, Tensor, Weights, WeightsFolderLayout
from project.errors import UserError

_NUMPY_NAMES = {"float": "float32", "double": "float64", "float16": "float16"}
# A safetensors file begins with the length of its header in eight bytes, and the header in JSON.
_LENGTH, _LONGEST_HEADER = 8, 100 << 20
# Formats that can run code when they are read.
_UNSAFE = {".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".npy", ".npz", ".joblib", ".py"}
_PLAIN = {".safetensors", ".json", ".txt", ".model", ".md"}
# How pickles and zip files begin: torch keeps a pickle in the latter.
_RUNNABLE = (*(bytes([0x80, protocol]) for protocol in range(2, 6)), b"PK\x03\x04")
_HEAD_BYTES = 64
_NAMES_OF_PLAIN = {"LICENSE", "LICENCE", "NOTICE", "README"}


def require_fit(wanted: Weights, source: Path) -> SignatureMatch | None:
    """Return how a network that a lab brings fits its entry; raise where it, a file or a folder, does not."""
    if wanted.layout:
        _require_layout(wanted, wanted.layout, source)
    elif wanted.tensors:
        _require_tensors(wanted, source)
    if not wanted.networks:
        return None
    found = read_signature(source)
    fit = match_signature(found, wanted.networks)
    if fit is None:
        raise UserError(
            f"{source.name} does not fit “{wanted.name}”: it is {found}.",
            f"“{wanted.name}” must be {' or '.join(map(str, wanted.networks))}.",
        )
    return fit


def read_signature(file: Path) -> NetworkSignature:
    """Return what an ONNX file takes and gives; roles are the names in the file."""
    from models.runtime.onnx_session import open_session

    session = open_session(file)
    try:
        inputs, outputs = (tuple(map(_tensor, side)) for side in (session.get_inputs(), session.get_outputs()))
    except UnicodeDecodeError:
        raise UserError(f"{file} contains a name that is not text.", "Get it again, or export it again.") from None
    return NetworkSignature(file.name, inputs, outputs)


def match_signature(found: NetworkSignature, wanted: Sequence[NetworkSignature]) -> SignatureMatch | None:
    """Return how a file fits the first network that it fits; None where it fits none.

    Inputs and outputs may come in another order and under other names. A size that the catalogue states must be
    stated by the file, and be the same.
    """
    for network in wanted:
        for inputs in _orders(found.inputs, network.inputs):
            for outputs in _orders(found.outputs, network.outputs):
                pairs = [*zip(network.inputs, inputs, strict=True), *zip(network.outputs, outputs, strict=True)]
                names = {role.role: tensor.role for role, tensor in pairs}
                return SignatureMatch(network.key, names, {role.role: tensor.shape for role, tensor in pairs})
    return None


def _tensor(value: Any) -> Tensor:
    kind = str(value.type).removeprefix("tensor(").removesuffix(")")
    shape = tuple(size if isinstance(size, int) else None for size in value.shape)
    return Tensor(value.name, shape, _NUMPY_NAMES.get(kind, kind))


def _orders(found: Sequence[Tensor], wanted: Sequence[Tensor]) -> Iterator[tuple[Tensor, ...]]:
    """Yield the orders of the tensors found in which each is what is wanted; by name first, where names agree."""
    if len(found) != len(wanted):
        return
    by_name = {tensor.role: tensor for tensor in found}
    if all(tensor.role in by_name for tensor in wanted):
        named = tuple(by_name[tensor.role] for tensor in wanted)
        if all(map(_is_compatible, named, wanted)):
            yield named
        return
    if len(found) <= 3:
        yield from (order for order in permutations(found) if all(map(_is_compatible, order, wanted)))


def _is_compatible(found: Tensor, wanted: Tensor) -> bool:
    return (
        found.dtype == wanted.dtype
        and len(found.shape) == len(wanted.shape)
        and all(size is None or size == there for there, size in zip(found.shape, wanted.shape, strict=True))
    )


def _require_layout(wanted: Weights, layout: WeightsFolderLayout, source: Path) -> None:
    """Raise unless a folder holds what it must and nothing that could run code."""
    if not source.is_dir():
        raise UserError(f"“{wanted.name}” needs a folder, but {source} is a file.", "Choose the folder.")
    there = list_files(source)
    # The hub's own tools keep files beside a folder and link to them.
    roots = source.resolve(), source.resolve().parent.parent / "blobs"
    for name, file in sorted(there.items()):
        if not any(file.resolve().is_relative_to(root) for root in roots):
            raise UserError(f"{name} is a link to a file outside the folder.", "Replace the link by the file.")
        _require_harmless(wanted.name, layout, name, file)
    for pattern in layout.needed:
        if not any(fnmatchcase(name, pattern) for name in there):
            raise UserError(
                f"The folder is not “{wanted.name}”: {pattern} is missing.",
                f"It needs {', '.join(layout.needed)}.",
            )
    for name, mark in layout.marks.items():
        if mark.encode() not in _beginning(there[name]):
            raise UserError(
                f"{name} does not belong to “{wanted.name}”: its content differs.",
                f"Choose the folder of a network of this kind: {wanted.purpose}.",
            )


def _require_harmless(entry: str, layout: WeightsFolderLayout, name: str, file: Path) -> None:
    """Raise unless a file of a folder is known as one that holds nothing but data."""
    suffix = Path(name).suffix.lower()
    patterns = [pattern for pattern in (*layout.needed, *layout.data) if fnmatchcase(name, pattern)]
    # A pattern lets a doubtful ending in only where it names it.
    expected = any(suffix not in _UNSAFE or Path(pattern).suffix == suffix for pattern in patterns)
    if (suffix in _UNSAFE and not expected) or _beginning(file).startswith(_RUNNABLE):
        raise UserError(
            f"{name} can run code when it is loaded, so the folder is refused.",
            "Save the network in a format without code, and remove such files.",
        )
    is_kind = _KINDS.get(suffix)
    if is_kind is not None and not is_kind(file):
        raise UserError(
            f"The content of {name} does not match its file type.", "Save the network again, or remove the file."
        )
    if not expected and suffix not in _PLAIN and Path(name).stem not in _NAMES_OF_PLAIN:
        raise UserError(f"{name} does not belong to “{entry}”.", "Remove it from the folder.")


def _tensors(file: Path) -> set[str] | None:
    """Return what a safetensors file holds; None where it is none."""
    try:
        with file.open("rb") as content:
            length = int.from_bytes(content.read(_LENGTH), "little")
            header = json.loads(content.read(length)) if length <= _LONGEST_HEADER else None
    except (ValueError, RecursionError):
        return None
    return set(header) if isinstance(header, dict) else None


def _is_json(file: Path) -> bool:
    try:
        if file.stat().st_size > _LONGEST_HEADER:
            return False
        json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return False
    return True


_KINDS: Mapping[str, Callable[[Path], bool]] = {
    ".safetensors": lambda file: _tensors(file) is not None,
    ".json": _is_json,
}
"""How a file is known to be what its name says."""


def _beginning(file: Path) -> bytes:
    with file.open("rb") as content:
        return content.read(_HEAD_BYTES)


def _require_tensors(wanted: Weights, source: Path) -> None:
    names = _tensors(source) or set()
    lacking = [name for name in wanted.tensors if name not in names]
    if lacking:
        raise UserError(
            f"{source.name} does not fit “{wanted.name}”: {lacking[0]} is missing.",
            "Convert the network as docs/models.md says; pickle files are never loaded.",
        )
