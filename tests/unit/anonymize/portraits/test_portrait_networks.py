"""Networks of the lab's own: what they may not do, how steadily they draw, and whose faces may be shown."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.methods import deepfake
from anonymize.methods.cartoon import Cartoon, CartoonOptions
from anonymize.methods.deepfake import Deepfake, SourceFace, choose_source_faces, load_source_faces, source_faces_folder
from anonymize.methods.face_network import is_unchanged
from models.weights import installed_weights as weights
from project.errors import UserError
from project.progress import Silent
from tests.builders.face_sources import NoiseSource, noise
from tests.builders.face_tracks import track
from tests.builders.points478 import Finder
from tests.builders.portrait_networks import install_cartoon, install_swap
from tests.builders.portrait_networks import source_faces as make_faces

BOX = (60, 40, 50, 62)


@pytest.fixture(autouse=True)
def _weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "weights"))
    monkeypatch.setattr(deepfake, "create_landmark_finder", Finder)
    (tmp_path / "made").mkdir()


def source(**more: object) -> NoiseSource:
    return NoiseSource([track([BOX] * 4)], **more)


def drawn(how: Cartoon | Deepfake, of: NoiseSource) -> list[np.ndarray | None]:
    how.begin(of, Silent())
    made = [how.draw(face) for face in of.faces("face")]
    how.end()
    return made


@given(st.integers(0, 9), st.floats(0.4, 1.6), st.floats(-60, 60))
def test_other_colours_are_no_other_picture(seed: int, gain: float, offset: float) -> None:
    picture = noise(0, seed)
    assert is_unchanged(picture, picture)
    turned = np.clip(128 + (picture.astype(float) - 128) * gain * 0.4 + offset * 0.5, 0, 255).astype(np.uint8)
    assert is_unchanged(picture, turned)
    assert is_unchanged(picture, 255 - turned)
    assert not is_unchanged(picture, noise(0, seed + 10))


def test_a_cartoon_network_that_gives_back_what_it_got_draws_nothing(tmp_path: Path) -> None:
    install_cartoon(tmp_path / "made", keeps=True)
    assert drawn(Cartoon(), source()) == [None] * 5


def test_a_cartoon_fills_its_rectangle_without_the_source(tmp_path: Path) -> None:
    install_cartoon(tmp_path / "made")
    for face, made in zip(source().faces("face"), drawn(Cartoon(CartoonOptions(smoothing=0.0)), source()), strict=True):
        assert made.shape == face.crop.shape
        # The network squares values of -1 to 1, so nothing is darker than the middle, up to resampling.
        assert (made >= 126).mean() > 0.99


def test_a_swap_shows_the_same_source_for_the_same_name_and_blurs_the_rest(tmp_path: Path) -> None:
    install_swap(tmp_path / "made")
    make_faces(source_faces_folder(), 5)
    first, again = (drawn(Deepfake(), source(identities={"face": "P01"})) for _ in range(2))
    assert all(a is not None and (a == b).all() for a, b in zip(first, again, strict=True))
    face = next(source().faces("face"))
    rim = first[0][:6].astype(float)
    assert np.abs(np.diff(rim, axis=1)).mean() < 0.1 * np.abs(np.diff(face.crop[:6].astype(float), axis=1)).mean()


def test_a_swap_that_changes_nothing_and_a_face_without_landmarks_are_not_drawn(tmp_path: Path) -> None:
    install_swap(tmp_path / "made", keeps=True)
    make_faces(source_faces_folder())
    assert drawn(Deepfake(), source()) == [None] * 5
    install_swap(tmp_path / "made")
    finder = Finder(missed=frozenset(range(2, 9)))
    assert drawn(Deepfake(finder=finder), source())[1:] == [None] * 4


@given(st.sets(st.text(min_size=1), max_size=12), st.integers(1, 8))
def test_participants_share_a_source_only_where_there_are_too_few(names: set[str], count: int) -> None:
    faces = [SourceFace(Path(f"{number}.png"), "generated", "made by a network of ours") for number in range(count)]
    given_faces = choose_source_faces(names, faces)
    assert given_faces.keys() == names
    assert choose_source_faces(sorted(names, reverse=True), faces) == given_faces
    used = [list(given_faces.values()).count(face) for face in faces]
    assert max(used) - min(used) <= 1


def test_faces_without_a_statement_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="list of source faces is missing"):
        load_source_faces()
    make_faces(source_faces_folder())
    assert len(load_source_faces()) == 3
    manifest = source_faces_folder() / "faces.toml"
    told = manifest.read_text("utf-8")
    for old, new, problem in (
        ("Noise, made for a test, of nobody.", "ok", "statement"),
        ('origin = "generated"', 'origin = "web"', "origin"),
        ('file = "1.png"', 'file = "../1.png"', "is missing in"),
    ):
        manifest.write_text(told.replace(old, new), "utf-8")
        with pytest.raises(UserError, match=problem):
            load_source_faces()
    manifest.write_text(told, "utf-8")
    (source_faces_folder() / "stranger.jpg").write_bytes(b"")
    with pytest.raises(UserError, match=r"stranger\.jpg"):
        load_source_faces()
