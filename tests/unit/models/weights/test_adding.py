"""Weights of the catalogue are added from a stick, without a network: whole and right, or not at all."""

import os
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


@pytest.mark.parametrize("inside", ["", "toy.onnx"])
def test_a_file_or_its_folder_is_added(inside: str, stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, at_address())
    write_files(stick, {"toy.onnx": CONTENT})
    made = add_weights("toy", stick / inside)
    assert weights.verified_path("toy") == made
    assert held(made) == CONTENT
    assert names_in(folder) == ["toy.onnx"]


@pytest.mark.parametrize(
    "inside",
    ["", "toy-folder", "faster-toy", f"models--lab--faster-toy/snapshots/{REVISION}"],
    ids=["itself", "our name", "the hub's name", "the hub's cache"],
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


@pytest.mark.parametrize(("name", "given"), [(WHEEL, WHEEL), (WHEEL, ""), ("renamed (1).whl", "renamed (1).whl")])
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
        ({wheels.WHEEL: wheels.wheel()}, wheels.WHEEL),
        ({"packed.bin": wheels.PACKED, "plain.bin": wheels.PLAIN}, ""),
        ({"toy.task": BUILT}, ""),
        ({"toy.task": BUILT}, "toy.task"),
    ],
    ids=["the wheel's folder", "the wheel", "the parts", "the built file's folder", "the built file"],
)
def test_a_built_file_is_made_of_what_is_there(
    contents: dict[str, bytes], given: str, stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, *wheels.toy().editions)
    assert held(add_weights("toy", write_files(stick, contents) / given)) == BUILT
    assert names_in(folder) == ["toy.task"]


@pytest.mark.parametrize("content", [b"", CONTENT[:-1], CONTENT + b"x", bytes(len(CONTENT))])
def test_another_file_is_not_installed_and_the_good_one_stays(
    content: bytes, stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, at_address())
    write_files(stick, {"toy.onnx": content})
    with pytest.raises(UserError, match="checksum is wrong"):
        add_weights("toy", stick / "toy.onnx")
    assert names_in(folder) == []
    assert (stick / "toy.onnx").read_bytes() == content
    add_weights("toy", write_files(stick / "good", {"toy.onnx": CONTENT}))
    with pytest.raises(UserError):
        add_weights("toy", stick / "toy.onnx")
    assert held(weights.verified_path("toy")) == CONTENT


def test_a_folder_with_another_file_in_it_is_refused_by_its_hash_and_the_good_one_stays(
    stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_hub())
    add_weights("toy", write_files(stick / "good"))
    wrong = b"another network" * 10
    with pytest.raises(UserError, match=r"model\.bin") as raised:
        add_weights("toy", write_files(stick / "bad", {**FILES, "model.bin": wrong}))
    assert sha256_of(wrong) in raised.value.message
    assert held(weights.verified_path("toy")) == FILES
    assert names_in(folder) == ["toy-folder"]


def test_what_lacks_a_file_is_refused_with_what_is_needed(
    stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_hub(), from_wheel())
    write_files(stick, {"letter.txt": b"hello", "broken.whl": folder_wheel()[:-100]})
    lacking = write_files(stick / "lacking", {"model.bin": FILES["model.bin"]})
    for source in (lacking, stick / "letter.txt", stick / "broken.whl"):
        with pytest.raises(UserError, match="does not hold") as raised:
            add_weights("toy", source)
        assert "model.bin, config.json, vocab/words.txt" in raised.value.hint
        assert WHEEL in raised.value.hint
    know(monkeypatch, *wheels.toy().editions)
    with pytest.raises(UserError, match="does not hold") as raised:
        add_weights("toy", write_files(stick / "one part", {"packed.bin": wheels.PACKED}))
    assert wheels.WHEEL in raised.value.hint
    with pytest.raises(UserError, match="There is no file"):
        add_weights("toy", stick / "gone.onnx")
    assert names_in(folder) == []


def test_a_wheel_with_a_damaged_member_is_said(stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_wheel())
    content = bytearray(folder_wheel())
    at = content.index(b"toy_models/model/model.bin") + 200
    content[at : at + 8] = bytes(8)
    with pytest.raises(UserError, match="damaged"):
        add_weights("toy", write_files(stick, {WHEEL: bytes(content)}) / WHEEL)
    assert names_in(folder) == []


def test_a_cancelled_copy_leaves_nothing(stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_hub())
    with pytest.raises(Cancelled):
        add_weights("toy", write_files(stick), progress=StopAfter(1))
    assert names_in(folder) == []


def test_nothing_is_begun_where_there_is_no_room(stick: Path, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_hub())
    monkeypatch.setattr("shutil.disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1000))
    with pytest.raises(UserError, match="no room") as raised:
        fetch("toy")
    assert weights.FOLDER_VARIABLE in raised.value.hint
    with pytest.raises(UserError, match="no room"):
        add_weights("toy", write_files(stick))
    assert sender.paths == []


def test_the_bundle_of_the_catalogue_is_built_of_the_real_wheel() -> None:
    """Where the developers put that wheel."""
    place = os.environ.get("GREENROOM_TEST_WHEEL")
    if not place:
        pytest.skip("set GREENROOM_TEST_WHEEL to the wheel of mediapipe 0.10.21 to build the real bundle")
    assert add_weights("face-landmarks", Path(place)) == weights.verified_path("face-landmarks")
