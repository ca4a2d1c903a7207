"""What holds for every identity embedding of the registry, also for those that are yet to come."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from models.faces.face_detectors import create_detector
from models.faces.identity.face_embeddings import EMBEDDERS, Embedder, create_face_embedder, default_face_embedder
from models.faces.landmarks.mediapipe_landmarks import POINTS, draw_test_face
from models.weights import installed_weights as weights
from project.errors import UserError
from tests.contract.documentation import ROOT, page

SHARED = ROOT.parent / "shared" / "models"
DRAWN = np.array([POINTS], np.float32)


@cache
def _made(name: str) -> Embedder:
    """Make an embedder with the developers' weights; skips where there are none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(weights.FOLDER_VARIABLE, str(SHARED))
        if not weights.is_installed(name):
            pytest.skip(f"needs the weights {name} in ../shared/models, which users do not have")
        return create_face_embedder(name)


@pytest.mark.parametrize("name", EMBEDDERS)
def test_it_says_what_it_is_and_how_to_repeat_its_answers(name: str) -> None:
    assert _made(name).key == name
    assert json.loads(json.dumps(dict(_made(name).parameters))) == _made(name).parameters


@pytest.mark.parametrize("name", EMBEDDERS)
def test_a_face_is_a_vector_of_length_one_wherever_it_is_in_the_picture(name: str) -> None:
    picture = draw_test_face()
    turn = cv2.getRotationMatrix2D((128, 128), 30, 1.5) + np.array(((0, 0, 60), (0, 0, 40)))
    moved = np.asarray(cv2.warpAffine(picture, turn, (500, 400)), np.uint8)
    here = _made(name).embed(picture, DRAWN)
    there = _made(name).embed(moved, cv2.transform(DRAWN, turn).astype(np.float32))
    assert here.shape == (1, _made(name).dimensions)
    assert here.dtype == np.float32
    assert np.linalg.norm(here, axis=1) == pytest.approx([1], abs=1e-5)
    assert float((here @ there.T)[0, 0]) > 0.9


@pytest.mark.parametrize("name", EMBEDDERS)
def test_it_gives_one_vector_a_face_in_their_order_also_none(name: str) -> None:
    picture = draw_test_face()
    both = _made(name).embed(picture, np.concatenate([DRAWN, DRAWN[:, :, ::-1], DRAWN]))
    assert (both[0] == both[2]).all()
    assert not np.allclose(both[0], both[1])
    assert _made(name).embed(picture, np.zeros((0, 5, 2), np.float32)).shape == (0, _made(name).dimensions)


@pytest.mark.parametrize("name", EMBEDDERS)
def test_it_gives_the_same_answers_to_several_threads(name: str) -> None:
    alone = _made(name).embed(draw_test_face(), DRAWN)
    with ThreadPoolExecutor(3) as pool:
        for found in pool.map(lambda _: _made(name).embed(draw_test_face(), DRAWN), range(6)):
            assert (found == alone).all()


@pytest.mark.parametrize("name", EMBEDDERS)
def test_it_tells_people_apart(name: str, shared_data: Path) -> None:
    """Equal-error rate over all pairs of 8 people with 5 stills each, with the points of a detector."""
    finder, people, vectors = create_detector("centerface"), [], []
    for file in sorted((shared_data / "stills" / "bbt").glob("*.png")):
        picture = np.ascontiguousarray(cv2.imread(str(file))[:, :, ::-1])
        found = finder.detect(picture, 0.2)
        vectors.append(_made(name).embed(picture, found.landmarks[:1])[0])
        people.append(file.stem.partition("_")[0])
    first, second = np.triu_indices(len(people), 1)
    cosines = np.einsum("nd,nd->n", np.array(vectors)[first], np.array(vectors)[second])
    same = np.array(people)[first] == np.array(people)[second]
    assert (same.sum(), len(same)) == (80, 780)
    assert equal_error_rate(cosines, same) <= 0.04


def equal_error_rate(cosines: NDArray[np.float32], same: NDArray[np.bool_]) -> float:
    errors = [((cosines[~same] >= cut).mean(), (cosines[same] < cut).mean()) for cut in cosines]
    return float(np.mean(min(errors, key=lambda pair: abs(pair[0] - pair[1]))))


@pytest.mark.parametrize("name", EMBEDDERS)
def test_the_documentation_mentions_it(name: str) -> None:
    assert f"| `{name}`" in page("faces")


def test_the_first_that_is_installed_is_used(
    tmp_path: Path, shared_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    assert default_face_embedder() is None
    for name in EMBEDDERS:
        with pytest.raises(UserError, match="not installed") as raised:
            create_face_embedder(name)
        assert f"greenroom models fetch {name}" in raised.value.hint
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
    assert default_face_embedder() in EMBEDDERS


def test_an_unknown_one_is_refused_with_what_there_is() -> None:
    with pytest.raises(UserError) as error:
        create_face_embedder("magic")
    for name in EMBEDDERS:
        assert name in error.value.hint
