"""The optional parts of the program: packages that only some steps need and that an installation may lack."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec

from project.errors import UserError


@dataclass(frozen=True, slots=True)
class OptionalPart:
    """Packages that are installed together, an extra of pyproject.toml.

    Attributes:
        purpose: what needs them, as the subject of a sentence.
        used_in: where in the program that is.
        licence: of the packages.
        size: bytes that they take on the disk, about.
        packages: requirement -> module that it brings; "" where another package brings one of that name too.
    """

    name: str
    purpose: str
    used_in: str
    licence: str
    size: int
    packages: Mapping[str, str]

    @property
    def is_installed(self) -> bool:
        """Whether all of its packages are there; none is imported."""
        return all(
            _is_importable(module) if module else _is_distributed(requirement)
            for requirement, module in self.packages.items()
        )

    @property
    def missing_text(self) -> str:
        """What is wrong where it is missing."""
        return f"{self.purpose} needs the optional part “{self.name}”, which is not installed."

    @property
    def how_to_get(self) -> str:
        """The command that installs it."""
        return f"greenroom model fetch {self.name}"

    @property
    def hint(self) -> str:
        """What to do where it is missing."""
        return f"Get it: {self.how_to_get}"

    def require(self) -> None:
        """Return quietly where it is installed."""
        if not self.is_installed:
            raise UserError(self.missing_text, self.hint)


_MB = 1_000_000
NAMES = OptionalPart(
    "names",
    "Searching texts for personal information",
    "Personal information, releases, withdrawals",
    "MIT and others",
    235 * _MB,
    {"presidio-analyzer": "presidio_analyzer", "spacy": "spacy"},
)
LOCAL_VLM = OptionalPart(
    "local-vlm",
    "Judging with models on this machine",
    "Judges",
    "MIT and others",
    26 * _MB,
    {"llama-cpp-python": "llama_cpp"},
)
DIFFUSION = OptionalPart(
    "diffusion",
    "Drawing faces by diffusion",
    "Export of anonymized clips",
    "BSD-3-Clause and others",
    5_000 * _MB,
    {
        "torch": "torch",
        "diffusers": "diffusers",
        "transformers": "transformers",
        "accelerate": "accelerate",
        "safetensors": "safetensors",
    },
)
GPU = OptionalPart(
    "gpu",
    "Running networks on an NVIDIA card",
    "Faces, speech",
    "MIT, NVIDIA's own",
    2_000 * _MB,
    {"onnxruntime-gpu[cuda,cudnn]": "", "nvidia-cublas-cu12": "nvidia.cublas"},
)
CLUSTER = OptionalPart(
    "cluster",
    "Working on a cluster",
    "Commands with --scheduler",
    "BSD-3-Clause and others",
    40 * _MB,
    {"distributed": "distributed"},
)
NOTEBOOK = OptionalPart(
    "notebook",
    "Reading a study as data frames",
    "Notebooks",
    "BSD-3-Clause",
    70 * _MB,
    {"pandas": "pandas"},
)
PARQUET = OptionalPart(
    "parquet",
    "Writing tables as Parquet",
    "Commands with --parquet",
    "Apache-2.0",
    150 * _MB,
    {"pyarrow": "pyarrow"},
)
OPTIONAL_PARTS: Mapping[str, OptionalPart] = {
    part.name: part for part in (NAMES, LOCAL_VLM, DIFFUSION, GPU, CLUSTER, NOTEBOOK, PARQUET)
}


def _is_importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        # The package that it would be in is missing, or its import was forbidden.
        return False


def _is_distributed(requirement: str) -> bool:
    try:
        distribution(requirement.partition("[")[0])
    except PackageNotFoundError:
        return False
    return True
