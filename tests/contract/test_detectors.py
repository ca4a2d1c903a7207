"""What holds for every face detector of the registry, also for those that are yet to come."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from media.decoding import iterate_frames
from models.faces.face_detectors import DETECTORS, NEEDS_WEIGHTS, FaceDetector, create_detector
from models.faces.face_tracking import track_faces
from models.weights import installed_weights as weights
from project.errors import UserError
from tests.builders.face_pictures import overlap
from tests.contract.documentation import ROOT, page
from tests.contract.footage import FRAMES, SIZE, face_clip, true_box

SHARED = ROOT.parent / "shared" / "models"
NAMES = [*DETECTORS, "+".join(DETECTORS)]


@cache
def _made(names: str) -> FaceDetector:
    """Make a detector, one that needs weights with the developers' own; skips where there are none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(weights.FOLDER_VARIABLE, str(SHARED))
        for needed in (NEEDS_WEIGHTS[name] for name in names.split("+") if name in NEEDS_WEIGHTS):
            if not weights.is_installed(needed):
                pytest.skip(f"needs the weights {needed} in ../shared/models, which users do not have")
        return create_detector(names)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return face_clip(tmp_path_factory.mktemp("clip") / "two seconds.mp4")


@pytest.fixture(scope="module")
def still(clip: Path) -> NDArray[np.uint8]:
    return next(iterate_frames(clip)).image.copy()


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is_and_how_to_repeat_its_answers(name: str) -> None:
    assert _made(name).key == name
    assert json.loads(json.dumps(dict(_made(name).parameters))) == _made(name).parameters


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_the_face_in_a_clip_of_two_seconds(name: str, clip: Path) -> None:
    found = track_faces(clip, _made(name))
    (best,) = [track for track in found.tracks if overlap(track.boxes[0].tolist(), true_box(0)) >= 0.5]
    assert list(best.frames) == list(range(FRAMES))
    for frame, box in zip(best.frames, best.boxes, strict=True):
        assert overlap(box.tolist(), true_box(int(frame))) >= 0.5


@pytest.mark.parametrize("name", NAMES)
def test_what_it_finds_is_inside_the_picture_best_first_and_scores_enough(name: str, still: NDArray[np.uint8]) -> None:
    before = still.copy()
    for floor in (0.05, 0.5):
        found = _made(name).detect(still, floor)
        assert len(found) == len(found.boxes) > 0
        assert (np.diff(found.scores) <= 0).all()
        assert found.scores.min() >= floor
        assert found.scores.max() <= 1
        corners = found.boxes[:, :2] + found.boxes[:, 2:]
        assert (found.boxes >= 0).all()
        assert (corners <= np.array(SIZE) + 0.01).all()
    assert (still == before).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [(1, 1), (3, 200), (135, 77)])
def test_it_takes_any_size_and_sees_no_face_where_there_is_none(name: str, size: tuple[int, int]) -> None:
    found = _made(name).detect(np.full((*size, 3), 90, np.uint8), 0.5)
    assert found.boxes.shape == (0, 4)
    assert found.scores.shape == (0,)


@pytest.mark.parametrize("name", NAMES)
def test_it_gives_the_same_answers_to_several_threads(name: str, still: NDArray[np.uint8]) -> None:
    alone = _made(name).detect(still, 0.2)
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda _: _made(name).detect(still, 0.2), range(4)):
            assert (found.boxes == alone.boxes).all()
            assert (found.scores == alone.scores).all()


@pytest.mark.parametrize("name", DETECTORS)
def test_the_documentation_mentions_it(name: str) -> None:
    assert f"| `{name}`" in page("faces")


def test_an_unknown_one_is_refused_with_what_there_is() -> None:
    with pytest.raises(UserError) as error:
        create_detector("magic")
    for name in DETECTORS:
        assert name in error.value.hint


def test_listing_them_loads_nothing_heavy() -> None:
    heavy = "{'cv2', 'av', 'onnxruntime', 'scipy'}"
    code = f"import sys; import models.faces.face_detectors; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
