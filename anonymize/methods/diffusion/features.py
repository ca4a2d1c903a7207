"""Feature optimization of FRESCO (Yang et al., CVPR 2024), re-built from the paper.

Features are moved until they agree with the source's motion (temporal term) and with the likeness of its places to
each other (spatial term).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from anonymize.methods.diffusion.flow_guidance import ScaleMotion

# As many entries of Gram matrices are held at once as a single one of 64 x 64 elements has.
_ENTRIES = 4096**2
_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class Terms:
    """How features are optimized.

    Attributes:
        iterations: of Adam.
        rate: its learning rate.
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


def pulled(features: torch.Tensor, flow: torch.Tensor) -> torch.Tensor:
    """Pull features back along a flow, bilinear, edges repeated.

    Args:
        features: (n, c, h, w), what the flow leads to.
        flow: (n, h, w, 2) in elements.
    """
    height, width = features.shape[2:]
    rows = torch.arange(height, device=flow.device, dtype=flow.dtype)[:, None]
    columns = torch.arange(width, device=flow.device, dtype=flow.dtype)[None, :]
    x = (2 * (columns + flow[..., 0]) + 1) / width - 1
    y = (2 * (rows + flow[..., 1]) + 1) / height - 1
    grid = torch.stack([x, y], dim=-1)
    return functional.grid_sample(features, grid, mode="bilinear", padding_mode="border", align_corners=False)


def optimize(
    features: torch.Tensor, motion: ScaleMotion, grams: torch.Tensor | None, terms: Terms
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return optimized features, with the mean and deviation that each channel of each frame had before.

    The loss is temporal * mean(|c2 - pulled(c1)| where seen + |c1 - pulled(c2)| where seen)
    + spatial * mean(|gram(c) - gram of the source|).

    Args:
        features: (chunks * frames, c, h, w); computed in float32 and returned as they came.
        motion: of the frames, on a grid of h x w.
        grams: (frames, h * w, h * w) of the source's features, or None without a spatial term.
        terms: what is minimised, and how.

    Returns:
        The features, and (iterations) the loss before each iteration.
    """
    start = features.detach().float()
    frames = len(motion.colours)
    chunks = len(start) // frames
    slack = terms.slack * float(start.std())
    count = len(motion.forward)
    first = [c * frames + p for c in range(chunks) for p in range(count)]
    second = [c * frames + (p + 1) % frames for c in range(chunks) for p in range(count)]
    there, back = (each.repeat(chunks, 1, 1, 1) for each in (motion.forward, motion.backward))
    kept, kept_back = (
        (~each).float().repeat(chunks, 1, 1)[:, None] for each in (motion.lost_forward, motion.lost_backward)
    )
    at_once = max(1, _ENTRIES // (start.shape[2] * start.shape[3]) ** 2)
    losses = []
    with torch.enable_grad():
        moved = start.clone().requires_grad_(True)
        adam = torch.optim.Adam([moved], lr=terms.rate)
        for _ in range(terms.iterations):
            adam.zero_grad()
            loss = torch.zeros((), device=start.device)
            if terms.temporal and count:
                one, two = moved[first], moved[second]
                apart = (
                    _beyond(two - pulled(one, back), slack) * kept_back
                    + _beyond(one - pulled(two, there), slack) * kept
                )
                term = terms.temporal * apart.mean()
                torch.autograd.backward(term)
                loss += term.detach()
            if terms.spatial and grams is not None:
                total = len(start) * grams.shape[1] * grams.shape[2]
                for begin in range(0, len(start), at_once):
                    some = list(range(begin, min(begin + at_once, len(start))))
                    wanted = grams[[each % frames for each in some]].float()
                    term = terms.spatial * _beyond(gram(moved[some]) - wanted, terms.slack).sum() / total
                    torch.autograd.backward(term)
                    loss += term.detach()
            adam.step()
            losses.append(loss)
    return restyled(moved.detach(), start).to(features.dtype), torch.stack(losses)


def restyled(features: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Give each channel of each frame the mean and deviation that it has in `like` (AdaIN, Huang, ICCV 2017)."""
    mean, deviation = _statistics(features)
    wanted_mean, wanted = _statistics(like)
    return (features - mean) / (deviation + _EPSILON) * (wanted + _EPSILON) + wanted_mean


def _statistics(features: torch.Tensor) -> Sequence[torch.Tensor]:
    return features.mean(dim=(2, 3), keepdim=True), features.std(dim=(2, 3), correction=0, keepdim=True)


def _beyond(difference: torch.Tensor, slack: float) -> torch.Tensor:
    return functional.relu(difference.abs() - slack)
