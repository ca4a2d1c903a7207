"""What models have in common that are one ONNX network of the catalogue."""

from collections.abc import Mapping
from typing import ClassVar

from models.runtime.onnx_files import free_shapes
from models.runtime.onnx_session import onnx_providers, open_session
from models.weights import installed_weights
from project.entities.study_records import Json


class OnnxModel:
    """A network that is loaded from its weights once they were found whole.

    Attributes:
        key: its name in the registry.
        weights: its name in the catalogue.
        parameters: whatever changes its answers.
    """

    key: ClassVar[str]
    weights: ClassVar[str]

    def __init__(
        self, threads: int = 1, processor: str | None = None, *, any_size: bool = False, **settings: Json
    ) -> None:
        """Load it; one thread of a call is best where several run side by side.

        `processor` is `auto`, `cpu` or `cuda`, noted with what it came to; without one it is the processor of the
        machine. `any_size` lets it take pictures of other sizes than its file says. The answers depend on `settings`
        too.
        """
        file = installed_weights.verified_path(self.weights)
        network = free_shapes(file.read_bytes()) if any_size else file
        self.session = open_session(network, threads, onnx_providers(processor or "cpu"))
        self.parameters: Mapping[str, Json] = {"weights": installed_weights.digest(self.weights), **settings}
        if processor is not None:
            self.parameters = {**self.parameters, "processor": self.session.get_providers()[0]}
