"""Attention processors and feature optimization of FRESCO (Yang et al., CVPR 2024), re-built from the paper.

The networks' layers share trajectories of picture elements and motion between the frames of a batch.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from diffusers.models.attention_processor import AttnProcessor2_0
from numpy.typing import NDArray
from torch.nn import functional

from models.flow.flow_consistency import find_occlusions
from models.flow.optical_flow import OpticalFlow

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Trajectories:
    """A one-to-one mapping between the elements of consecutive frames.

    Attributes:
        order: (frames, elements) int64; which element of each frame lies on which way. Each row is a permutation.
        linked: (frames - 1, elements) bool; whether the step of a way from a frame to the next follows the flow, or
            only takes what was left over.
    """

    order: Indices
    linked: NDArray[np.bool_]

    @property
    def joined_frames(self) -> NDArray[np.bool_]:
        """(elements, frames, frames): which frames of a way are joined by steps that all follow the flow."""
        frames = len(self.order)
        part = np.concatenate([np.zeros((1, self.order.shape[1]), np.int64), np.cumsum(~self.linked, axis=0)])
        found = part[:, None] == part[None, :]
        return np.ascontiguousarray(found.reshape(frames, frames, -1).transpose(2, 0, 1))


def link_elements(
    flow: NDArray[np.float32],
    lost: NDArray[np.bool_],
    first: NDArray[np.float32],
    second: NDArray[np.float32],
) -> tuple[Indices, NDArray[np.bool_]]:
    """Map the elements of a frame to those of the next, one to one.

    An element goes where the flow, rounded, leads it. Where several go to one place, the one with the most similar
    colour gets it, the earliest of equals. Elements that get none, are lost or leave the picture take the places that
    are left over, both in order, and count as not linked. `flow` is (h, w, 2) in elements, `lost` (h, w) tells what the
    next frame does not show, `first` and `second` are (h, w, channels) colours. Returns (h * w) int64, the place of
    each element in the next frame, a permutation; and (h * w) bool, whether by flow.
    """
    height, width = lost.shape
    count = height * width
    rows, columns = np.divmod(np.arange(count), width)
    x = columns + np.rint(flow[..., 0]).astype(np.int64).ravel()
    y = rows + np.rint(flow[..., 1]).astype(np.int64).ravel()
    goes = np.flatnonzero((x >= 0) & (y >= 0) & (x < width) & (y < height) & ~lost.ravel())
    place = y[goes] * width + x[goes]
    colours = first.reshape(count, -1)[goes] - second.reshape(count, -1)[place]
    distance = np.square(colours).sum(axis=1)
    best = np.lexsort((goes, distance, place))
    _, winners = np.unique(place[best], return_index=True)
    chosen = best[winners]
    target = np.full(count, -1, np.int64)
    target[goes[chosen]] = place[chosen]
    linked = target >= 0
    free = np.ones(count, np.bool_)
    free[target[linked]] = False
    target[~linked] = np.flatnonzero(free)
    return target, linked


def build_trajectories(
    flows: Sequence[NDArray[np.float32]],
    lost: Sequence[NDArray[np.bool_]],
    colours: Sequence[NDArray[np.float32]],
) -> Trajectories:
    """Join the mappings of consecutive frames into ways.

    `flows`, (h, w, 2) in elements, and `lost` are of each frame but the last; `colours`, (h, w, channels), of all.
    """
    count = colours[0].shape[0] * colours[0].shape[1]
    order, linked = [np.arange(count)], []
    for flow, gone, first, second in zip(flows, lost, colours[:-1], colours[1:], strict=True):
        target, by_flow = link_elements(flow, gone, first, second)
        linked.append(by_flow[order[-1]])
        order.append(target[order[-1]])
    return Trajectories(np.stack(order), np.stack(linked) if linked else np.zeros((0, count), np.bool_))


_NEWLY_SEEN = 0.5


@dataclass(frozen=True, eq=False)
class ScaleMotion:
    """The motion of a batch of n frames on a grid of h x w elements.

    Pair p is of the frames p and p + 1; the last pair, where there are more than two frames, closes the ring from the
    last frame to the first.

    Attributes:
        forward: (pairs, h, w, 2), in elements, from the first frame of each pair to the second.
        backward: the way back.
        lost_forward: (pairs, h, w) bool; elements of the first that the second does not show.
        lost_backward: elements of the second that the first does not show.
        newly_seen: (n - 1, h, w) bool; elements of each frame but the first of which more than half is not shown by
            the frame before.
        colours: (n, h, w, 3).
    """

    forward: torch.Tensor
    backward: torch.Tensor
    lost_forward: torch.Tensor
    lost_backward: torch.Tensor
    newly_seen: torch.Tensor
    colours: torch.Tensor

    @cached_property
    def shared_indices(self) -> torch.Tensor:
        """Indices, into all elements of all frames in turn, of the first frame's and of the newly seen ones."""
        every = torch.ones_like(self.lost_forward[:1])
        return torch.cat([every, self.newly_seen]).flatten().nonzero().flatten()

    @cached_property
    def trajectory_order(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The order of the trajectories, (n, h * w) int64, and which frames of each are joined, (h * w, n, n) bool."""
        steps = len(self.colours) - 1
        found: Trajectories = build_trajectories(
            [tensor.cpu().numpy() for tensor in self.forward[:steps]],
            [tensor.cpu().numpy() for tensor in self.lost_forward[:steps]],
            [tensor.cpu().numpy() for tensor in self.colours],
        )
        device = self.forward.device
        return torch.from_numpy(found.order).to(device), torch.from_numpy(found.joined_frames).to(device)


class Motion:
    """The optical flow within a batch, worked out once and reduced to any grid that the network asks for."""

    def __init__(
        self, frames: Sequence[NDArray[np.uint8]], flow: OpticalFlow, device: torch.device | str = "cpu"
    ) -> None:
        """Find the flow both ways between each two consecutive frames, and from the last to the first.

        `frames` are two or more, (h, w, 3) RGB of one size.
        """
        count = len(frames)
        pairs = [(frames[p], frames[(p + 1) % count]) for p in range(count if count > 2 else count - 1)]
        flows = [(flow.between(a, b), flow.between(b, a)) for a, b in pairs]
        lost = [
            (find_occlusions(there, back, a, b), find_occlusions(back, there, b, a))
            for (there, back), (a, b) in zip(flows, pairs, strict=True)
        ]
        stacked = [
            np.stack(arrays).astype(np.float32) for arrays in (*zip(*flows, strict=True), *zip(*lost, strict=True))
        ]
        self._flows = [torch.from_numpy(tensor).to(device).permute(0, 3, 1, 2) for tensor in stacked[:2]]
        self._lost = [torch.from_numpy(tensor).to(device)[:, None] for tensor in stacked[2:]]
        colours = np.stack(frames).astype(np.float32) / 255
        self._colours = torch.from_numpy(colours).to(device).permute(0, 3, 1, 2)
        self._scales: dict[tuple[int, int], ScaleMotion] = {}
        self.frames = count

    def on_grid(self, height: int, width: int) -> ScaleMotion:
        """Return the motion on a grid.

        Flow and colours are means over the pixels of an element. An element is lost where any pixel of it is, so that
        nothing is pulled across an edge.
        """
        size = (height, width)
        if size not in self._scales:
            scale = torch.tensor(
                [size[1] / self._colours.shape[3], size[0] / self._colours.shape[2]], device=self._colours.device
            )
            forward, backward = (
                functional.adaptive_avg_pool2d(tensor, size).permute(0, 2, 3, 1) * scale for tensor in self._flows
            )
            lost, lost_back = (functional.adaptive_max_pool2d(tensor, size)[:, 0] > 0 for tensor in self._lost)
            seen = functional.adaptive_avg_pool2d(self._lost[1], size)[: self.frames - 1, 0] > _NEWLY_SEEN
            colours = functional.adaptive_avg_pool2d(self._colours, size).permute(0, 2, 3, 1)
            self._scales[size] = ScaleMotion(forward, backward, lost, lost_back, seen, colours)
        return self._scales[size]


# As many entries of Gram matrices are held at once as a single one of 64 x 64 elements has.
_MAX_GRAM_ENTRIES = 4096**2
_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class Terms:
    """How features are optimized.

    Attributes:
        temporal: weight of the temporal term; 0 leaves it out.
        spatial: weight of the spatial term; 0 leaves it out.
        slack: differences up to this share of the features' standard deviation, or of a cosine, count as none. Adam
            makes a full step of every gradient, however small, so without it rounding errors move what is right.
    """

    iterations: int = 20
    rate: float = 0.2
    temporal: float = 2.0
    spatial: float = 100.0
    slack: float = 1e-3


def gram(features: torch.Tensor) -> torch.Tensor:
    """Return the cosines between all elements of each frame: (n, c, h, w) to (n, h * w, h * w)."""
    flat = functional.normalize(features.flatten(2), dim=1)
    return flat.transpose(1, 2) @ flat


def warp_features(features: torch.Tensor, flow: torch.Tensor) -> torch.Tensor:
    """Pull features back along a flow, bilinear, edges repeated.

    `features` are (n, c, h, w), what the flow leads to; `flow` is (n, h, w, 2) in elements.
    """
    height, width = features.shape[2:]
    rows = torch.arange(height, device=flow.device, dtype=flow.dtype)[:, None]
    columns = torch.arange(width, device=flow.device, dtype=flow.dtype)[None, :]
    x = (2 * (columns + flow[..., 0]) + 1) / width - 1
    y = (2 * (rows + flow[..., 1]) + 1) / height - 1
    grid = torch.stack([x, y], dim=-1)
    return functional.grid_sample(features, grid, mode="bilinear", padding_mode="border", align_corners=False)


def optimize_features(
    features: torch.Tensor, motion: ScaleMotion, grams: torch.Tensor | None, terms: Terms
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return optimized features, with the mean and deviation that each channel of each frame had before.

    The loss is temporal * mean(|c2 - pulled(c1)| where seen + |c1 - pulled(c2)| where seen) + spatial * mean(|gram(c) -
    gram of the source|). `features`, (chunks * frames, c, h, w), are computed in float32 and returned as they came;
    `grams`, (frames, h * w, h * w), are those of the source, None without a spatial term. Also returns (iterations) the
    loss before each iteration.
    """
    start = features.detach().float()
    frames = len(motion.colours)
    chunks = len(start) // frames
    slack = terms.slack * float(start.std())
    count = len(motion.forward)
    first = [c * frames + p for c in range(chunks) for p in range(count)]
    second = [c * frames + (p + 1) % frames for c in range(chunks) for p in range(count)]
    there, back = (tensor.repeat(chunks, 1, 1, 1) for tensor in (motion.forward, motion.backward))
    kept, kept_back = (
        (~tensor).float().repeat(chunks, 1, 1)[:, None] for tensor in (motion.lost_forward, motion.lost_backward)
    )
    at_once = max(1, _MAX_GRAM_ENTRIES // (start.shape[2] * start.shape[3]) ** 2)
    losses = []
    with torch.enable_grad():
        moved = start.clone().requires_grad_(True)
        adam = torch.optim.Adam([moved], lr=terms.rate)
        for _ in range(terms.iterations):
            adam.zero_grad()
            loss = torch.zeros((), device=start.device)
            if terms.temporal and count:
                earlier, later = moved[first], moved[second]
                apart = _excess(later - warp_features(earlier, back), slack) * kept_back
                apart = apart + _excess(earlier - warp_features(later, there), slack) * kept
                term = terms.temporal * apart.mean()
                torch.autograd.backward(term)
                loss += term.detach()
            if terms.spatial and grams is not None:
                total = len(start) * grams.shape[1] * grams.shape[2]
                for begin in range(0, len(start), at_once):
                    some = list(range(begin, min(begin + at_once, len(start))))
                    wanted = grams[[index % frames for index in some]].float()
                    term = terms.spatial * _excess(gram(moved[some]) - wanted, terms.slack).sum() / total
                    torch.autograd.backward(term)
                    loss += term.detach()
            adam.step()
            losses.append(loss)
    return match_statistics(moved.detach(), start).to(features.dtype), torch.stack(losses)


def match_statistics(features: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Give each channel of each frame the mean and deviation that it has in `like` (AdaIN, Huang, ICCV 2017)."""
    mean, deviation = _statistics(features)
    wanted_mean, wanted = _statistics(like)
    return (features - mean) / (deviation + _EPSILON) * (wanted + _EPSILON) + wanted_mean


def _statistics(features: torch.Tensor) -> Sequence[torch.Tensor]:
    return features.mean(dim=(2, 3), keepdim=True), features.std(dim=(2, 3), correction=0, keepdim=True)


def _excess(difference: torch.Tensor, slack: float) -> torch.Tensor:
    return functional.relu(difference.abs() - slack)


@dataclass(eq=False)
class Guidance:
    """State of one batch. The pipeline sets it before each step; the layers read it.

    Attributes:
        height: of the latents.
        width: of the latents.
        motion: between the frames; None for a single one, which nothing guides.
        recording: the source itself goes through the network, and what its layers attend to is kept.
        recording_grams: so is the likeness of its features.
        spatial: queries are guided by the source's likeness of places.
        cross: all frames look at the same keys and values.
        temporal: elements look along their trajectories.
        terms: how features are optimized in this step; None where they are not.
        most_elements: features on larger grids have no spatial term, whose cost grows with the square.
        attended: what went into each guided self-attention, of the source.
        grams: of what went into each up block, of the source.
        check: called before each optimization; may raise.
    """

    frames: int = 1
    height: int = 0
    width: int = 0
    motion: Motion | None = None
    recording: bool = False
    recording_grams: bool = False
    spatial: bool = False
    cross: bool = False
    temporal: bool = False
    terms: Terms | None = None
    most_elements: int = 4096
    attended: dict[str, torch.Tensor] = field(default_factory=dict)
    grams: dict[int, torch.Tensor] = field(default_factory=dict)
    check: Callable[[], None] = lambda: None

    def reset(self) -> None:
        """Let go of everything that belongs to a batch."""
        self.motion, self.terms = None, None
        self.recording = self.recording_grams = self.spatial = self.cross = self.temporal = False
        self.attended.clear()
        self.grams.clear()

    @property
    def is_cross_frame(self) -> bool:
        """Whether the self-attention of the layers is another one than the ordinary."""
        return self.motion is not None and (self.spatial or self.cross or self.temporal)

    def motion_for(self, elements: int) -> ScaleMotion:
        """Return the motion on the grid that has so many elements and the shape of the latents."""
        if self.motion is None:
            raise ValueError("a single frame has no motion")
        step = math.isqrt(self.height * self.width // elements)
        return self.motion.on_grid(self.height // step, self.width // step)

    def process_features(self, block: int, features: torch.Tensor) -> torch.Tensor:
        """Record or optimize what enters an up block, (chunks * frames, c, h, w)."""
        elements = features.shape[2] * features.shape[3]
        if self.recording:
            if self.recording_grams and elements <= self.most_elements:
                self.grams[block] = gram(features)
            return features
        if self.terms is None or self.motion is None:
            return features
        self.check()
        scale = self.motion.on_grid(features.shape[2], features.shape[3])
        return optimize_features(features, scale, self.grams.get(block), self.terms)[0]


KEY_SCALE = 0.2
"""Keys are scaled by it where attention is guided: less than 1 makes it wider."""


class GuidedAttention:
    """Self-attention that looks across frames, as far as its guidance says so; the ordinary one otherwise."""

    def __init__(self, name: str, guidance: Guidance) -> None:
        """Stand at one layer."""
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
        if guide.recording or not guide.is_cross_frame:
            found: torch.Tensor = self._plain(attn, hidden_states, encoder_hidden_states, attention_mask, temb)
            return found
        query, key, value = attn.to_q(hidden_states), attn.to_k(hidden_states), attn.to_v(hidden_states)
        heads, frames = attn.heads, guide.frames
        motion = guide.motion_for(hidden_states.shape[1])
        asked = query
        if guide.spatial:
            source = guide.attended[self._name]
            asked = spatial_attention(query, attn.to_q(source), attn.to_k(source), heads)
        if guide.cross:
            seen = cross_frame_attention(asked, key, value, motion.shared_indices, frames, heads)
        else:
            seen = _attend(asked, key, value, heads)
        if guide.temporal:
            order, together = motion.trajectory_order
            seen = temporal_attention(query, key, seen, order, together, heads)
        projected: torch.Tensor = attn.to_out[1](attn.to_out[0](seen.to(hidden_states.dtype)))
        return projected / float(attn.rescale_output_factor)


def spatial_attention(
    query: torch.Tensor, source_query: torch.Tensor, source_key: torch.Tensor, heads: int
) -> torch.Tensor:
    """Mix queries by how alike their places are in the source: softmax(Q_r (0.2 K_r)^T / sqrt(d)) Q.

    `query` is (chunks * frames, elements, channels); `source_query` and `source_key`, (frames, elements, channels), are
    of the source's own features.
    """
    chunks = len(query) // len(source_query)
    return _attend(source_query.repeat(chunks, 1, 1), source_key.repeat(chunks, 1, 1) * KEY_SCALE, query, heads)


def cross_frame_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, shared: torch.Tensor, frames: int, heads: int
) -> torch.Tensor:
    """Let every frame look at the same elements: all of the first frame, and of the later ones what is newly seen.

    `query`, `key` and `value` are (chunks * frames, elements, channels); `shared` indexes the elements that are looked
    at among those of all frames in turn.
    """
    count, elements, channels = query.shape
    chunked = [tensor.reshape(count // frames, frames * elements, channels) for tensor in (query, key, value)]
    seen = _attend(chunked[0], chunked[1][:, shared], chunked[2][:, shared], heads)
    return seen.reshape(count, elements, channels)


def temporal_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    order: torch.Tensor,
    together: torch.Tensor,
    heads: int,
) -> torch.Tensor:
    """Attend along trajectories: each element looks at where it is in the other frames, and at nothing else.

    `query`, `key` and `value` are (chunks * frames, elements, channels). `order`, (frames, elements) int64, tells which
    element of each frame lies on which trajectory; `together`, (elements, frames, frames) bool, between which frames of
    a trajectory one may look.
    """
    frames, elements = order.shape
    count, _, channels = query.shape
    chunks, depth = count // frames, channels // heads
    index = order[None, :, :, None].expand(chunks, frames, elements, channels)
    # (chunks, frames, elements, channels) to (chunks, elements, heads, frames, depth)
    along = [
        tensor.reshape(chunks, frames, elements, channels)
        .gather(2, index)
        .reshape(chunks, frames, elements, heads, depth)
        .permute(0, 2, 3, 1, 4)
        for tensor in (query, key * KEY_SCALE, value)
    ]
    # Few frames and very many trajectories: the fused kernels take no batch as large as this.
    scores = (along[0] @ along[1].transpose(-1, -2)).float() / math.sqrt(depth)
    scores = scores.masked_fill(~together[None, :, None], -math.inf)
    mixed = (scores.softmax(-1).to(value.dtype) @ along[2]).permute(0, 3, 1, 2, 4)
    back = torch.zeros_like(value).reshape(chunks, frames, elements, channels)
    back.scatter_(2, index, mixed.reshape(chunks, frames, elements, channels))
    return back.reshape(count, elements, channels)


def _attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, heads: int) -> torch.Tensor:
    """Return the attention of several heads, which share the channels of (n, elements, channels) tensors."""
    q, k, v = (tensor.reshape(*tensor.shape[:2], heads, -1).transpose(1, 2) for tensor in (query, key, value))
    return functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
