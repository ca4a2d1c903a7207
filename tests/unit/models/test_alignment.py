"""Aligning a face: any turn, scale and shift of the template is undone, and pictures follow their points."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from models.faces.face_cropping import ALIGNED_SIDE, FACE_TEMPLATE, align_faces, similarity_transform


@given(st.floats(-180, 180), st.floats(0.05, 20), st.floats(-500, 500), st.floats(-500, 500))
def test_a_moved_template_comes_back_to_itself(turn: float, scale: float, x: float, y: float) -> None:
    cosine, sine = np.cos(np.radians(turn)) * scale, np.sin(np.radians(turn)) * scale
    moved = FACE_TEMPLATE @ np.array([(cosine, sine), (-sine, cosine)]) + (x, y)
    move = similarity_transform(moved.astype(np.float32))
    assert np.allclose(moved @ move[:, :2].T + move[:, 2], FACE_TEMPLATE, atol=0.02)


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=5, max_size=5))
def test_no_other_turn_scale_and_shift_is_closer(points: list[tuple[float, float]]) -> None:
    ours = np.array(points, np.float32)
    move = similarity_transform(ours)

    def error(change: np.ndarray) -> float:
        turn, shift = complex(*(move[:, 0] + change[:2])), complex(*(move[:, 2] + change[2:]))
        return float((abs((ours @ (1, 1j)) * turn + shift - FACE_TEMPLATE @ (1, 1j)) ** 2).sum())

    best = error(np.zeros(4))
    changes = np.random.default_rng(0).normal(0, 1e-3, (20, 4))
    assert all(error(change) >= best - 1e-3 for change in changes)


def test_a_face_that_is_in_place_already_stays() -> None:
    face = np.random.default_rng(0).integers(0, 256, (ALIGNED_SIDE, ALIGNED_SIDE, 3), np.uint8)
    (same,) = align_faces(face, FACE_TEMPLATE[None])
    assert (same == face).all()


def test_what_lies_past_the_picture_is_black() -> None:
    (face,) = align_faces(np.full((ALIGNED_SIDE, ALIGNED_SIDE, 3), 200, np.uint8), FACE_TEMPLATE[None] + (60, 0))
    assert (face[:, 60:] == 0).all()
    assert (face[:, :50] == 200).all()
