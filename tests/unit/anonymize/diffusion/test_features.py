"""Feature optimization lowers its loss, and leaves alone what is consistent already."""

import pytest
import torch

from anonymize.methods.diffusion.fresco import Motion, Terms, gram, match_statistics, optimize_features, warp_features
from tests.builders.motions import Shift, shifted

SIZE, FRAMES, CHANNELS, PIXELS = 12, 3, 5, 4


def motion(across: int) -> Motion:
    return Motion(shifted(FRAMES, SIZE * PIXELS, across * PIXELS), Shift(across * PIXELS))


def noise(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def moving(across: int) -> torch.Tensor:
    """(frames, channels, h, w) that move with the frames."""
    wide = noise(CHANNELS, SIZE, SIZE + FRAMES * across)
    starts = [across * (FRAMES - index) for index in range(FRAMES)]
    return torch.stack([wide[:, :, start : start + SIZE] for start in starts])


def test_features_are_pulled_back_by_whole_elements_exactly() -> None:
    features = moving(2)
    flow = torch.zeros(FRAMES - 1, SIZE, SIZE, 2)
    flow[..., 0] = 2
    assert torch.allclose(warp_features(features[1:], flow)[..., :-2], features[:-1][..., :-2], atol=1e-5)


@pytest.mark.parametrize("terms", [Terms(), Terms(temporal=0), Terms(spatial=0), Terms(slack=0)])
@pytest.mark.parametrize("chunks", [1, 2])
def test_the_loss_falls(terms: Terms, chunks: int) -> None:
    source = moving(1)
    start = noise(chunks * FRAMES, CHANNELS, SIZE, SIZE, seed=1)
    _, losses = optimize_features(start, motion(1).on_grid(SIZE, SIZE), gram(source), terms)
    assert len(losses) == terms.iterations
    assert losses[-1] < 0.8 * losses[0]


def test_features_come_to_agree_along_the_motion() -> None:
    scale = motion(1).on_grid(SIZE, SIZE)
    start = noise(FRAMES, CHANNELS, SIZE, SIZE, seed=1)
    found, _ = optimize_features(start, scale, None, Terms())

    def apart(features: torch.Tensor) -> float:
        return float((features[1:, ..., 1:] - features[:-1, ..., :-1]).abs().mean())

    assert apart(found) < 0.5 * apart(start)


@pytest.mark.parametrize("across", [0, 1, 2])
def test_consistent_features_are_left_alone(across: int) -> None:
    features = moving(across)
    found, losses = optimize_features(features, motion(across).on_grid(SIZE, SIZE), gram(features), Terms())
    assert losses.tolist() == [0.0] * 20
    assert torch.allclose(found, features, atol=1e-4)


def test_each_channel_keeps_its_mean_and_deviation() -> None:
    start = 3 * noise(FRAMES, CHANNELS, SIZE, SIZE, seed=1) + 1
    found, _ = optimize_features(start, motion(1).on_grid(SIZE, SIZE), gram(moving(1)), Terms())
    assert not torch.allclose(found, start, atol=0.1)
    assert torch.allclose(found.mean((2, 3)), start.mean((2, 3)), atol=1e-4)
    assert torch.allclose(found.std((2, 3)), start.std((2, 3)), rtol=1e-3)


def test_half_precision_comes_back_as_half_precision() -> None:
    start = noise(FRAMES, CHANNELS, SIZE, SIZE).half()
    found, _ = optimize_features(start, motion(1).on_grid(SIZE, SIZE), gram(moving(1)).half(), Terms(iterations=2))
    assert found.dtype == torch.float16
    assert found.isfinite().all()


def test_restyling_like_oneself_changes_nothing() -> None:
    start = noise(FRAMES, CHANNELS, SIZE, SIZE)
    assert torch.allclose(match_statistics(start, start), start, atol=1e-6)
