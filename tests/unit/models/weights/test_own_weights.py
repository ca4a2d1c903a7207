"""Weights that a lab brings: told by inputs and outputs, recorded with licence and checksum, never run as code."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from models.weights import installed_weights as weights
from models.weights.adding import add_weights
from models.weights.fetching import fetch
from models.weights.weights_catalogue import WEIGHTS
from project.errors import UserError
from tests.builders.onnx_files import picture_network, write_onnx
from tests.builders.toy_weights import names_in, write_files

DIFFUSION = WEIGHTS["stable-diffusion"].layout
assert DIFFUSION is not None
NCHW, NHWC = (1, 3, 512, 512), ("batch", "height", "width", 3)
LICENCE = "our own training, CC-BY-4.0"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    made = tmp_path / "mine"
    made.mkdir()
    return made


def safetensors(path: Path, *names: str) -> Path:
    header = json.dumps({name: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} for name in names}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(4))
    return path


def diffusion_folder(mine: Path) -> Path:
    for name in DIFFUSION.needed:
        if name.endswith("safetensors"):
            safetensors(mine / name, "weight")
        else:
            write_files(mine, {name: b"{}"})
    return mine


def whisper_folder(mine: Path) -> Path:
    files = dict.fromkeys(("config.json", "tokenizer.json", "vocabulary.json"), b"{}")
    return write_files(mine, files | {"model.bin": b"\x06\x00\x00\x00\x0c\x00WhisperSpec\x00" + bytes(100)})


def spacy_folder(mine: Path) -> Path:
    files = dict.fromkeys(("config.cfg", "meta.json", "vocab/strings.json"), b"{}")
    return write_files(mine, files | dict.fromkeys(("tokenizer", "vocab/key2row", "ner/model", "ner/moves"), b"\x80"))


@pytest.mark.parametrize(("shape", "key"), [(("n", 3, "h", "w"), "nchw"), (NHWC, "nhwc")])
def test_a_cartoon_network_is_told_by_its_shape(
    shape: tuple[int | str, ...], key: str, mine: Path, folder: Path
) -> None:
    source = picture_network(mine / "my.onnx", shape, shape)
    made = add_weights("cartoon", source, LICENCE)
    assert made == folder / "cartoon.onnx" == weights.verified_path("cartoon")
    assert made.read_bytes() == source.read_bytes()
    fit = weights.signature_match("cartoon")
    assert fit.key == weights.network("cartoon").key == key
    assert fit.names == {"picture": "x", "drawn": "y"}
    assert fit.shapes["picture"] == tuple(size if isinstance(size, int) else None for size in shape)
    assert weights.licence("cartoon") == LICENCE
    assert names_in(folder) == ["cartoon.added.json", "cartoon.onnx"]


@pytest.mark.parametrize("shape", [(1, 4, 64, 64), ("n", "a", "b", "c")])
def test_another_network_is_refused_by_what_it_takes_and_gives_and_a_licence_must_be_said(
    shape: tuple[int | str, ...], mine: Path, folder: Path
) -> None:
    source = picture_network(mine / "my.onnx", shape, shape)
    with pytest.raises(UserError, match="does not fit") as raised:
        add_weights("cartoon", source, LICENCE)
    assert "x".join("?" if isinstance(size, str) else str(size) for size in shape) in raised.value.message
    assert "?x3x?x?" in raised.value.hint
    with pytest.raises(UserError, match="licence"):
        add_weights("cartoon", source)
    assert names_in(folder) == []


def test_what_is_no_network_of_these_numbers_is_refused(mine: Path) -> None:
    source = write_onnx(mine / "my.onnx", [("Neg", "x", "y")], {"x": NCHW}, {"y": NCHW}, kind=np.float16)
    with pytest.raises(UserError, match="float16"):
        add_weights("cartoon", source, LICENCE)
    source.write_bytes(b"a letter")
    with pytest.raises(UserError, match="ONNX"):
        add_weights("cartoon", source, LICENCE)


@pytest.mark.parametrize("order", [("target", "source"), ("id", "face")])
def test_the_inputs_of_a_face_swap_come_in_any_order_and_under_any_name(order: tuple[str, str], mine: Path) -> None:
    shapes = {name: (1, 512) if name in ("source", "id") else (1, 3, 128, 128) for name in order}
    face, identity = sorted(order, key=lambda name: len(shapes[name]), reverse=True)
    nodes = [("ReduceSum", (identity,), ("sum",)), ("Add", (face, "sum"), ("output",))]
    add_weights("face-swap", write_onnx(mine / "swap.onnx", nodes, shapes, {"output": (1, 3, 128, 128)}), LICENCE)
    assert weights.signature_match("face-swap").names == {"target": face, "source": identity, "swapped": "output"}


def test_a_file_that_changed_after_it_was_added_is_not_used(mine: Path, folder: Path) -> None:
    add_weights("cartoon", picture_network(mine / "my.onnx", NCHW, NCHW), LICENCE)
    first = weights.digest("cartoon")
    picture_network(folder / "cartoon.onnx", NCHW, NCHW, gain=2)
    with pytest.raises(UserError, match="damaged") as raised:
        weights.verified_path("cartoon")
    assert "greenroom model add cartoon FILE" in raised.value.hint
    add_weights("cartoon", folder / "cartoon.onnx", LICENCE)
    assert weights.digest("cartoon") != first


def test_a_diffusion_folder_is_copied_whole_and_checked_file_by_file(mine: Path, folder: Path) -> None:
    source = diffusion_folder(mine)
    (source / ".cache").mkdir()
    (source / ".cache" / "x.bin").write_bytes(b"left out")
    made = add_weights("stable-diffusion", source, "CreativeML Open RAIL-M")
    assert made == weights.verified_path("stable-diffusion") == folder / "stable-diffusion"
    assert {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()} == set(DIFFUSION.needed)
    first = weights.digest("stable-diffusion")
    (made / "unet" / "config.json").write_text("{ }")
    with pytest.raises(UserError, match=r"unet/config\.json"):
        weights.verified_path("stable-diffusion")
    (made / "unet" / "config.json").write_text("{}")
    (made / "unet" / "more.json").write_text("{}")
    with pytest.raises(UserError, match="damaged"):
        weights.verified_path("stable-diffusion")
    (made / "unet" / "more.json").unlink()
    assert weights.digest("stable-diffusion") == first
    assert weights.remove("stable-diffusion")
    assert names_in(folder) == []


WRITERS = {"stable-diffusion": diffusion_folder, "whisper": whisper_folder, "ner": spacy_folder}


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [
        *(("stable-diffusion", file, b"x") for file in ("pytorch_model.bin", "unet/x.ckpt", "vae/y.pt")),
        *(("whisper", file, b"{}") for file in ("VOCABULARY.PY", "vocabulary.pkl", "other.bin")),
        *(("whisper", "model.bin", bytes([0x80, protocol]) + b"}q") for protocol in (2, 5)),
        ("whisper", "model.bin", b"PK\x03\x04archive/data.pkl"),
        *(("ner", file, b"{}") for file in ("ner/model.py", "ner/cfg.pickle")),
        ("ner", "ner/model", b"\x80\x04\x95"),
    ],
)
def test_what_could_run_code_is_never_added(name: str, file: str, content: bytes, mine: Path, folder: Path) -> None:
    write_files(WRITERS[name](mine), {file: content})
    with pytest.raises(UserError, match="can run code"):
        add_weights(name, mine, LICENCE)
    assert names_in(folder) == []


def test_a_folder_that_lacks_something_says_what(mine: Path) -> None:
    source = diffusion_folder(mine)
    (source / "vae" / "config.json").unlink()
    with pytest.raises(UserError, match=r"vae/config\.json is missing"):
        add_weights("stable-diffusion", source, LICENCE)
    with pytest.raises(UserError, match="needs a folder"):
        add_weights("stable-diffusion", source / "model_index.json", LICENCE)


def test_a_safetensors_file_is_told_by_its_tensors(mine: Path, folder: Path) -> None:
    with pytest.raises(UserError, match=r"feature_encoder.* is missing"):
        add_weights("raft-small", safetensors(mine / "other.safetensors", "weight"), LICENCE)
    (mine / "raft.pth").write_bytes(b"\x80\x02pickle" * 10)
    with pytest.raises(UserError, match="does not fit"):
        add_weights("raft-small", mine / "raft.pth", LICENCE)
    made = add_weights("raft-small", safetensors(mine / "raft.safetensors", *WEIGHTS["raft-small"].tensors), LICENCE)
    assert made == weights.verified_path("raft-small") == folder / "raft-small.safetensors"


def test_one_that_is_missing_says_how_to_add_it_and_is_never_fetched() -> None:
    for name in (name for name, entry in WEIGHTS.items() if entry.is_own):
        for ask in (weights.verified_path, fetch):
            with pytest.raises(UserError) as raised:
                ask(name)
            assert f"greenroom model add {name} F" in raised.value.hint


def test_a_whisper_of_ones_own_is_a_folder_of_ctranslate2_with_no_other_network(mine: Path, folder: Path) -> None:
    made = add_weights("whisper", whisper_folder(mine), "MIT, finetuned by us")
    assert made == weights.verified_path("whisper") == folder / "whisper"
    (mine / "vocabulary.json").unlink()
    with pytest.raises(UserError, match=r"vocabulary\.\* is missing"):
        add_weights("whisper", mine, LICENCE)
    (mine / "vocabulary.txt").write_text("a")
    assert add_weights("whisper", mine, LICENCE) == made
    (whisper_folder(mine) / "model.bin").write_bytes(b"\x06\x00\x00\x00\x10\x00TransformerSpec\x00" + bytes(100))
    with pytest.raises(UserError, match=r"model\.bin does not belong") as raised:
        add_weights("whisper", mine, LICENCE)
    assert "CTranslate2" in raised.value.hint


def test_a_spacy_pipeline_of_ones_own_is_the_folder_it_saves(mine: Path, folder: Path) -> None:
    made = add_weights("ner", spacy_folder(mine), LICENCE)
    assert made == weights.verified_path("ner") == folder / "ner"
    (mine / "custom.py").write_text("import os")
    with pytest.raises(UserError, match=r"custom\.py can run code"):
        add_weights("ner", mine, LICENCE)
    (mine / "custom.py").rename(mine / "strange")
    with pytest.raises(UserError, match="strange does not belong"):
        add_weights("ner", mine, LICENCE)
