"""Attention across frames, where what must come out is known."""

import numpy as np
import torch
from diffusers.models.attention_processor import Attention, AttnProcessor2_0

from anonymize.methods.diffusion.fresco import (
    Guidance,
    GuidedAttention,
    Motion,
    cross_frame_attention,
    spatial_attention,
    temporal_attention,
)
from tests.builders.motions import Shift, shifted

SIZE, FRAMES, HEADS, CHANNELS = 8, 4, 2, 8


def moving(across: int = 1) -> Motion:
    """The motion of frames of 8 x 8 elements of 8 pixels each, that move by whole elements."""
    return Motion(shifted(FRAMES, SIZE * 8, across * 8), Shift(across * 8))


def noise(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def features_of(motion_across: int) -> torch.Tensor:
    """Features that move with the frames: (frames, elements, channels)."""
    wide = noise(SIZE, SIZE + FRAMES * motion_across, CHANNELS)
    starts = [motion_across * (FRAMES - index) for index in range(FRAMES)]
    return torch.stack([wide[:, start : start + SIZE].reshape(-1, CHANNELS) for start in starts])


def test_temporal_attention_follows_a_known_translation_exactly() -> None:
    order, together = moving().on_grid(SIZE, SIZE).trajectory_order
    value = torch.arange(FRAMES * SIZE * SIZE, dtype=torch.float64).reshape(FRAMES, -1, 1).repeat(1, 1, CHANNELS)
    alike = torch.zeros_like(value)  # equal scores: what comes out is the mean of what was looked at
    mean = temporal_attention(alike, alike, value, order, together, HEADS)
    for frame in range(FRAMES):
        for y in range(SIZE):
            for x in range(SIZE):
                ways = [(f, x + f - frame) for f in range(FRAMES) if 0 <= x + f - frame < SIZE]
                expected = sum(f * SIZE * SIZE + y * SIZE + at for f, at in ways) / len(ways)
                assert torch.allclose(mean[frame, y * SIZE + x], torch.tensor(expected, dtype=torch.float64)), (
                    frame,
                    y,
                    x,
                )


def test_what_moves_with_the_flow_is_left_as_it_is() -> None:
    order, together = moving().on_grid(SIZE, SIZE).trajectory_order
    value = features_of(1)
    out = temporal_attention(
        noise(FRAMES, SIZE**2, CHANNELS), noise(FRAMES, SIZE**2, CHANNELS, seed=1), value, order, together, HEADS
    )
    assert torch.allclose(out, value, atol=1e-6)


def test_both_halves_of_guidance_are_treated_alike() -> None:
    order, together = moving().on_grid(SIZE, SIZE).trajectory_order
    inputs = [noise(FRAMES, SIZE**2, CHANNELS, seed=seed) for seed in range(3)]
    once = temporal_attention(*inputs, order, together, HEADS)
    twice = temporal_attention(*(torch.cat([each, each]) for each in inputs), order, together, HEADS)
    assert torch.allclose(twice, torch.cat([once, once]), atol=1e-6)


def test_cross_frame_attention_looks_at_the_first_frame_and_at_what_is_newly_seen() -> None:
    motion = moving().on_grid(SIZE, SIZE)
    # The left column comes into view in each frame.
    column = [frame * SIZE**2 + y * SIZE for frame in range(1, FRAMES) for y in range(SIZE)]
    assert motion.shared_indices.tolist() == [*range(SIZE**2), *column]
    query, key, value = (noise(FRAMES, SIZE**2, CHANNELS, seed=seed) for seed in range(3))
    found = cross_frame_attention(query, key, value, motion.shared_indices, FRAMES, 1)
    keys, values = (each.reshape(-1, CHANNELS)[motion.shared_indices] for each in (key, value))
    expected = torch.softmax(query @ keys.T / CHANNELS**0.5, -1) @ values
    assert torch.allclose(found, expected, atol=1e-5)


def test_spatial_attention_mixes_queries_of_places_that_are_alike_in_the_source() -> None:
    same = torch.zeros(1, SIZE**2, CHANNELS)
    query = noise(2, SIZE**2, CHANNELS)
    mixed = spatial_attention(query, same, same, HEADS)
    assert torch.allclose(mixed, query.mean(1, keepdim=True).expand_as(query), atol=1e-5)
    alone = 1000 * torch.eye(SIZE**2)[None]  # each place is like itself only
    query = noise(1, SIZE**2, SIZE**2)
    assert torch.allclose(spatial_attention(query, alone, alone, 1), query, atol=1e-5)


def test_without_guidance_it_is_the_ordinary_attention() -> None:
    torch.manual_seed(0)
    layer = Attention(query_dim=CHANNELS, heads=HEADS, dim_head=CHANNELS // HEADS)
    hidden = noise(3, SIZE**2, CHANNELS)
    layer.set_processor(AttnProcessor2_0())
    plain = layer(hidden)
    layer.set_processor(GuidedAttention("layer", Guidance()))
    assert (layer(hidden) == plain).all()


def test_a_layer_records_the_source_and_is_guided_by_it() -> None:
    torch.manual_seed(0)
    layer = Attention(query_dim=CHANNELS, heads=HEADS, dim_head=CHANNELS // HEADS)
    guide = Guidance(frames=FRAMES, height=SIZE, width=SIZE, motion=moving())
    layer.set_processor(GuidedAttention("layer", guide))
    guide.recording = True
    source = noise(FRAMES, SIZE**2, CHANNELS)
    ordinary = layer(source)
    assert (guide.attended["layer"] == source).all()
    guide.recording = False
    assert (layer(source) == ordinary).all()
    results = []
    for switch in ("spatial", "cross", "temporal"):
        setattr(guide, switch, True)
        results.append(layer(torch.cat([source, source])))
        setattr(guide, switch, False)
        assert results[-1].shape == (2 * FRAMES, SIZE**2, CHANNELS)
        assert not torch.allclose(results[-1][:FRAMES], ordinary, atol=1e-4)
        assert torch.allclose(results[-1][:FRAMES], results[-1][FRAMES:], atol=1e-6)
    assert np.isfinite([float(each.detach().abs().max()) for each in results]).all()
