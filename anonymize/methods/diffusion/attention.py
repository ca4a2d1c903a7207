"""The three attentions of FRESCO (Yang et al., CVPR 2024), as one attention processor of diffusers.

It stands at the self-attention of the last two up blocks of the U-Net. Re-built from the paper; the third attention is
that of FLATTEN (Cong et al., ICLR 2024).
"""

import math
from typing import Any

import torch
from diffusers.models.attention_processor import AttnProcessor2_0
from torch.nn import functional

from anonymize.methods.diffusion.guidance import Guidance

SHARPNESS = 0.2
"""Keys are scaled by it where attention is guided: less than 1 makes it wider."""


class GuidedAttention:
    """Self-attention that looks across frames, as far as its guidance says so; the ordinary one otherwise."""

    def __init__(self, name: str, guidance: Guidance) -> None:
        """Stand at one layer.

        Args:
            name: of the layer.
            guidance: shared by all layers.
        """
        self._name, self._guidance = name, guidance
        ordinary: Any = AttnProcessor2_0
        self._plain = ordinary()

    def __call__(
        self,
        attn: Any,
        hidden_states: torch.Tensor,
        encoder_hidden_states: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        temb: torch.Tensor | None = None,
        **_: Any,
    ) -> torch.Tensor:
        """Return (chunks * frames, elements, channels), for input of that shape."""
        guide = self._guidance
        if guide.recording:
            guide.attended[self._name] = hidden_states.detach()
        if guide.recording or not guide.across_frames:
            found: torch.Tensor = self._plain(attn, hidden_states, encoder_hidden_states, attention_mask, temb)
            return found
        query, key, value = attn.to_q(hidden_states), attn.to_k(hidden_states), attn.to_v(hidden_states)
        heads, frames = attn.heads, guide.frames
        motion = guide.motion_of(hidden_states.shape[1])
        asked = query
        if guide.spatial:
            source = guide.attended[self._name]
            asked = spatial(query, attn.to_q(source), attn.to_k(source), heads)
        seen = cross_frame(asked, key, value, motion.shared, frames, heads) if guide.cross else None
        if seen is None:
            seen = _joined(_attend(*(_split(each, heads) for each in (asked, key, value))))
        if guide.temporal:
            order, together = motion.ways
            seen = temporal(query, key, seen, order, together, heads)
        projected: torch.Tensor = attn.to_out[1](attn.to_out[0](seen.to(hidden_states.dtype)))
        return projected / float(attn.rescale_output_factor)


def spatial(query: torch.Tensor, source_query: torch.Tensor, source_key: torch.Tensor, heads: int) -> torch.Tensor:
    """Mix queries by how alike their places are in the source: softmax(Q_r (0.2 K_r)^T / sqrt(d)) Q.

    Args:
        query: (chunks * frames, elements, channels).
        source_query: (frames, elements, channels), of the source's own features.
        source_key: of the same shape.
        heads: of the layer.
    """
    chunks = len(query) // len(source_query)
    like = [_split(each, heads).repeat(chunks, 1, 1, 1) for each in (source_query, source_key * SHARPNESS)]
    return _joined(_attend(like[0], like[1], _split(query, heads)))


def cross_frame(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, shared: torch.Tensor, frames: int, heads: int
) -> torch.Tensor:
    """Let every frame look at the same elements: all of the first frame, and of the later ones what is newly seen.

    Args:
        query: (chunks * frames, elements, channels).
        key: of the same shape.
        value: of the same shape.
        shared: indices of the elements that are looked at, among those of all frames in turn.
        frames: in a chunk.
        heads: of the layer.
    """
    count, elements, channels = query.shape
    chunked = [each.reshape(count // frames, frames * elements, channels) for each in (query, key, value)]
    asked, keys, values = chunked[0], chunked[1][:, shared], chunked[2][:, shared]
    seen = _joined(_attend(*(_split(each, heads) for each in (asked, keys, values))))
    return seen.reshape(count, elements, channels)


def temporal(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    order: torch.Tensor,
    together: torch.Tensor,
    heads: int,
) -> torch.Tensor:
    """Attend along trajectories: each element looks at where it is in the other frames, and at nothing else.

    Args:
        query: (chunks * frames, elements, channels).
        key: of the same shape.
        value: of the same shape.
        order: (frames, elements) int64, which element of each frame lies on which trajectory.
        together: (elements, frames, frames) bool, between which frames of a trajectory one may look.
        heads: of the layer.
    """
    frames, elements = order.shape
    count, _, channels = query.shape
    chunks, depth = count // frames, channels // heads
    index = order[None, :, :, None].expand(chunks, frames, elements, channels)
    # (chunks, frames, elements, channels) to (chunks, elements, heads, frames, depth)
    along = [
        each.reshape(chunks, frames, elements, channels)
        .gather(2, index)
        .reshape(chunks, frames, elements, heads, depth)
        .permute(0, 2, 3, 1, 4)
        for each in (query, key * SHARPNESS, value)
    ]
    # Few frames and very many trajectories: the fused kernels take no batch as large as this.
    scores = (along[0] @ along[1].transpose(-1, -2)).float() / math.sqrt(depth)
    scores = scores.masked_fill(~together[None, :, None], -math.inf)
    mixed = (scores.softmax(-1).to(value.dtype) @ along[2]).permute(0, 3, 1, 2, 4)
    back = torch.zeros_like(value).reshape(chunks, frames, elements, channels)
    back.scatter_(2, index, mixed.reshape(chunks, frames, elements, channels))
    return back.reshape(count, elements, channels)


def _split(each: torch.Tensor, heads: int) -> torch.Tensor:
    return each.reshape(len(each), each.shape[1], heads, -1).transpose(1, 2)


def _joined(each: torch.Tensor) -> torch.Tensor:
    return each.transpose(1, 2).flatten(2)


def _attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(query, key, value)
