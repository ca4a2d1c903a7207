"""What an ONNX file takes and gives, and whether that is what an entry of the catalogue asks for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from models.weights.editions import Network, Tensor
from project.errors import UserError

_NUMPY_NAMES = {"float": "float32", "double": "float64", "float16": "float16"}


@dataclass(frozen=True, slots=True)
class Fit:
    """How a file fits a network of the catalogue.

    Attributes:
        key: of the network.
        names: what the file calls each input and output, by its role.
        shapes: of each, by its role; None where the file leaves a size open.
    """

    key: str
    names: Mapping[str, str]
    shapes: Mapping[str, tuple[int | None, ...]]


def signature(file: Path) -> Network:
    """Return what an ONNX file takes and gives; roles are the names in the file.

    Raises:
        UserError: it is no ONNX file that can be loaded.
    """
    from models.onnx_session import open_session

    session = open_session(file)
    try:
        inputs, outputs = (tuple(map(_tensor, side)) for side in (session.get_inputs(), session.get_outputs()))
    except UnicodeDecodeError:
        raise UserError(f"{file} names something that is no text.", "Get it again, or export it again.") from None
    return Network(file.name, inputs, outputs)


def fit(found: Network, wanted: Sequence[Network]) -> Fit | None:
    """Return how a file fits the first network that it fits; None where it fits none.

    Inputs and outputs may come in another order and under other names. A size that the catalogue states must be
    stated by the file, and be the same.
    """
    for network in wanted:
        for inputs in _orders(found.inputs, network.inputs):
            for outputs in _orders(found.outputs, network.outputs):
                pairs = [*zip(network.inputs, inputs, strict=True), *zip(network.outputs, outputs, strict=True)]
                names = {role.role: tensor.role for role, tensor in pairs}
                return Fit(network.key, names, {role.role: tensor.shape for role, tensor in pairs})
    return None


def require_fit(name: str, file: Path, wanted: Sequence[Network]) -> Fit:
    """Return how a file fits an entry.

    Raises:
        UserError: it is another network; says what it takes and gives, and what it should.
    """
    found = signature(file)
    fitting = fit(found, wanted)
    if fitting is None:
        raise UserError(
            f"{file.name} is another network than “{name}”: it is {found}.",
            f"“{name}” is {' or '.join(map(str, wanted))}.",
        )
    return fitting


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
        if all(map(_same, named, wanted)):
            yield named
        return
    if len(found) <= 3:
        yield from (order for order in permutations(found) if all(map(_same, order, wanted)))


def _same(found: Tensor, wanted: Tensor) -> bool:
    return (
        found.dtype == wanted.dtype
        and len(found.shape) == len(wanted.shape)
        and all(size is None or size == there for there, size in zip(found.shape, wanted.shape, strict=True))
    )
