"""Who is drawn, what is kept of the source, and whether the result is still the same person."""

import numpy as np
import pytest

from anonymize.methods.diffusion.diffusion_options import DiffusionOptions
from anonymize.methods.diffusion.keyframe_drawing import (
    EmbeddingComparer,
    choose_appearance,
    create_comparer,
    detect_edges,
    draw_landmark_lines,
    is_copy,
)
from models.faces.landmarks.landmark_finders import IBUG, MEDIAPIPE, Landmarks
from project.errors import UserError


def test_the_same_person_is_drawn_the_same() -> None:
    assert choose_appearance("P01") == choose_appearance("P01")


def test_different_people_are_drawn_differently() -> None:
    looks = {choose_appearance(f"P{number:02d}") for number in range(100)}
    assert len({look.seed for look in looks}) == 100
    assert len({look.prompt for look in looks}) > 90


def test_another_attempt_changes_the_noise_and_not_the_words() -> None:
    first, second = choose_appearance("P01"), choose_appearance("P01", 1)
    assert first.prompt == second.prompt
    assert first.seed != second.seed
    assert 0 <= second.seed < 2**63


def test_appearance_does_not_change_between_versions() -> None:
    """Otherwise a person would look different in recordings that are rendered later."""
    assert choose_appearance("P01").seed == 6859106274410656092


def test_edges_are_white_lines_on_black() -> None:
    crop = np.zeros((64, 64, 3), np.uint8)
    crop[20:40, 20:40] = 200
    found = detect_edges(crop)
    assert found.shape == crop.shape
    assert set(np.unique(found)) == {0, 255}
    assert not found[:10].any()


@pytest.mark.parametrize(("layout", "count"), [(MEDIAPIPE, 478), (IBUG, 68)])
def test_lines_lie_where_the_landmarks_are(layout: str, count: int) -> None:
    points = np.random.default_rng(0).uniform(20, 44, (count, 3)).astype(np.float32)
    found = draw_landmark_lines(Landmarks(points, 1.0, layout), (64, 80))
    assert found.shape == (80, 64, 3)
    assert found[16:49, 16:49].any()
    found[16:49, 16:49] = 0
    assert not found.any()


def test_without_landmarks_nothing_is_kept() -> None:
    assert not draw_landmark_lines(None, (32, 32)).any()


class Means:
    """Takes the mean colour for the identity."""

    key = "means"
    parameters: dict[str, object] = {}
    dimensions = 3

    def embed(self, image: np.ndarray, points: np.ndarray) -> np.ndarray:
        assert points.shape == (1, 5, 2)
        mean = image.mean((0, 1))
        return (mean / np.linalg.norm(mean))[None].astype(np.float32)


def test_a_face_is_like_itself_and_unlike_another() -> None:
    red, blue = np.zeros((2, 32, 32, 3), np.uint8)
    red[..., 0] = blue[..., 2] = 200
    compare = EmbeddingComparer(Means(), None)
    box = np.array([4.0, 4, 20, 24])
    assert compare.similarity(red, red, box) == pytest.approx(1)
    assert compare.similarity(red, blue, box) == pytest.approx(0)


def test_a_copy_is_noticed_in_other_colours_too() -> None:
    source, other = np.random.default_rng(0).integers(0, 256, (2, 40, 40, 3), np.uint8)
    box = np.array([-4.0, 5, 30, 40])
    assert is_copy(source, source, box)
    assert is_copy(source, source // 2 + 60, box)
    assert not is_copy(source, other, box)
    assert not is_copy(source, np.zeros_like(source), box)
    assert not is_copy(source, source, np.array([100.0, 100, 10, 10]))


def test_without_an_identity_network_nothing_is_compared() -> None:
    assert create_comparer() is None


def test_options_fall_back_to_their_preset() -> None:
    assert DiffusionOptions(preset="fast").resolved_preset.steps == 8
    assert DiffusionOptions(preset="fast", steps=12).resolved_preset.steps == 12
    assert DiffusionOptions(size=400).resolved_preset.size == 384
    assert DiffusionOptions(size=1).resolved_preset.size == 64


@pytest.mark.parametrize("wrong", [{"preset": "best"}, {"strength": 0.2}, {"memory": 1.0}, {"control": "pixels"}])
def test_what_is_not_safe_cannot_be_chosen(wrong: dict[str, object]) -> None:
    with pytest.raises(UserError, match="not allowed"):
        DiffusionOptions(**wrong)
