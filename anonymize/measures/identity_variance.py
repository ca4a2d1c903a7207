"""Whether one person keeps one look along a track."""

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.figure import Figure
from anonymize.measures.reidentification import unit

LEAST = 2


def identity_variance(embeddings: NDArray[np.floating]) -> Figure:
    """Return the variance of the unit embeddings of one track around their mean: 1 - ||mean||^2.

    That is (1/n) sum ||e - mean||^2 for vectors of length 1: 0 for a face that always looks like the same person,
    near 1 for one that never does. The idea of JaGAN's identity invariance (arXiv 2106.02328).

    Args:
        embeddings: (n, d).
    """
    if len(embeddings) < LEAST:
        return Figure(None, len(embeddings), f"It takes {LEAST} faces of one track.")
    mean = unit(embeddings).mean(0)
    return Figure(max(0.0, float(1 - mean @ mean)), len(embeddings))
