import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.masking.masks import MaskOptions, MaskSet
from anonymize.methods.face_methods import METHODS, create_method, method_type
from anonymize.rendering.compositing import hide_faces
from project.errors import UserError
from tests.builders.face_tracks import track

Planes = tuple[np.ndarray, ...]
PLANES = [name for name in METHODS if method_type(name).kind == "plane"]


def noise(width: int, height: int, seed: int = 0) -> Planes:
    """A picture of pure noise in 4:2:0 planes."""
    make = np.random.default_rng(seed)
    half = ((height + 1) // 2, (width + 1) // 2)
    return tuple(make.integers(0, 256, shape, np.uint8) for shape in ((height, width), half, half))


def chroma_touched(core: np.ndarray) -> np.ndarray:
    """Which chroma samples belong to a pixel of the core."""
    rows, columns = core.shape
    even = np.pad(core, ((0, rows % 2), (0, columns % 2)))
    found: np.ndarray = even[::2, ::2] | even[1::2, ::2] | even[::2, 1::2] | even[1::2, 1::2]
    return found


@given(
    width=st.integers(1, 90),
    height=st.integers(1, 90),
    box=st.tuples(st.floats(-50, 100), st.floats(-50, 100), st.floats(0, 80), st.floats(0, 80)),
    feather=st.floats(0, 1),
)
def test_solid_leaves_no_face(width: int, height: int, box: tuple[float, float, float, float], feather: float) -> None:
    masks = MaskSet([track([box])], MaskOptions(feather=feather))
    core = masks.draw_alpha(0, width, height) == 255
    cores = core, chroma_touched(core), chroma_touched(core)
    pair, other = noise(width, height, 1), noise(width, height, 1)
    for plane, inside, fresh in zip(other, cores, noise(width, height, 2), strict=True):
        plane[inside] = fresh[inside]
    before = [plane.copy() for plane in pair]
    for picture in (pair, other):
        hide_faces(picture, masks.masks_at(0), create_method("solid"))
    for plane, changed, inside in zip(pair, other, cores, strict=True):
        assert plane.tobytes() == changed.tobytes()
        assert (plane[inside] == 128).all()
    untouched = masks.draw_alpha(0, width, height) == 0
    assert (pair[0][untouched] == before[0][untouched]).all()


def spectrum(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frequency in cycles a sample, and energy, of the middle of a picture (its edges are another matter)."""
    rows, columns = samples.shape
    middle = samples[rows // 4 : -rows // 4, columns // 4 : -columns // 4].astype(float)
    middle = (middle - middle.mean()) * np.outer(np.hanning(middle.shape[0]), np.hanning(middle.shape[1]))
    energy = np.abs(np.fft.fft2(middle)) ** 2
    return np.hypot(*np.meshgrid(np.fft.fftfreq(middle.shape[1]), np.fft.fftfreq(middle.shape[0]))), energy


@pytest.mark.parametrize(
    ("face_width", "subsampling"), [(8, (1, 1)), (101, (2, 2)), pytest.param(200, (1, 1), marks=pytest.mark.soak)]
)
def test_blur_is_at_least_as_strong_as_the_full_gaussian(face_width: int, subsampling: tuple[int, int]) -> None:
    sigma = 0.25 * face_width / subsampling[0]
    side = max(128, round(24 * sigma))
    loud = np.kron(noise(side, side)[0] // 128 * 255, np.ones((4, 4), np.uint8))[:side, :side]
    ours = create_method("blur", strength=0.25).cover(loud, face_width, subsampling)
    theirs = np.rint(cv2.GaussianBlur(loud.astype(np.float32), (0, 0), sigma, borderType=cv2.BORDER_REPLICATE))
    frequency, energy = spectrum(ours)
    _, expected = spectrum(theirs)
    _, rounding = spectrum(np.random.default_rng(1).uniform(-1, 1, loud.shape))
    for cut_off in (0.25, 0.4, 0.6):
        above = frequency * sigma > cut_off
        assert energy[above].sum() <= 1.05 * expected[above].sum() + 2 * rounding[above].sum()


@given(face_width=st.floats(1, 900), cells=st.integers(1, 8))
def test_no_more_cells_than_asked_for_go_across_a_face(face_width: float, cells: int) -> None:
    side = create_method("pixelate", cells=cells).grid(face_width)
    assert side % 2 == 0
    assert face_width / side <= cells


def test_a_trembling_box_over_a_still_face_shows_the_same_mosaic() -> None:
    """Else the mean over frames would show finer detail than one frame."""
    shake = np.random.default_rng(3).uniform(-3, 3, (30, 2))
    boxes = [(60 + dx, 50 + dy, 64.0, 64.0) for dx, dy in shake]
    masks = MaskSet([track([*boxes, (60, 50, 70, 70)])], MaskOptions(feather=0))
    seen = []
    for frame in range(30):
        picture = noise(200, 200)
        hide_faces(picture, masks.masks_at(frame), create_method("pixelate"))
        seen.append(picture[0][60:105, 70:115])
    assert all((other == seen[0]).all() for other in seen)


@pytest.mark.parametrize("name", PLANES)
def test_overlapping_faces_stay_hidden(name: str) -> None:
    """The second mask must not bring back what the first one hid."""
    pair = MaskSet([track([(60, 60, 60, 60)], name="a"), track([(90, 70, 60, 60)], name="b")])
    first, second = pair.masks_at(0)
    alone = noise(240, 200)
    hide_faces(alone, [first], create_method(name))
    both = noise(240, 200)
    hide_faces(both, [first, second], create_method(name))
    assert both[0][80:110, 80:110].std() <= alone[0][80:110, 80:110].std() + 1
    assert both[0][80:110, 80:110].std() < noise(240, 200)[0].std() / 3


def test_what_is_too_weak_or_unknown_is_refused() -> None:
    for name, wrong in (
        *(("blur", {"strength": value}) for value in (0.2, "strong", float("nan"))),
        *(("pixelate", {"cells": value}) for value in (9, 0, 4.5, True)),
    ):
        with pytest.raises(UserError, match="not allowed"):
            create_method(name, **wrong)
    with pytest.raises(UserError, match="no anonymization method “mask”"):
        create_method("mask")
    with pytest.raises(UserError, match="no option “radius”"):
        create_method("blur", radius=3)
    with pytest.raises(UserError, match="has no options"):
        create_method("solid", colour="red")


def test_only_what_leaves_no_picture_of_the_face_is_called_irreversible() -> None:
    assert {name for name in METHODS if not method_type(name).reversible} == {"solid", "synthetic"}
    assert create_method().name == "solid"
