"""Puts together what a rendering needs, of what is installed."""

from anonymize.methods.base import FaceSource
from anonymize.methods.diffusion import likeness, loading, memory
from anonymize.methods.diffusion.options import DiffusionOptions
from anonymize.methods.diffusion.work import Work
from models import weights
from models.faces.landmarks.registry import NEEDS_WEIGHTS, landmark_finder
from models.flow.registry import optical_flow, usual
from project.progress import Progress


def work(options: DiffusionOptions, source: FaceSource, progress: Progress) -> Work:
    """Load the networks.

    Raises:
        UserError: weights are missing or not what they should be.
    """
    folders = [weights.path(name) for name in (loading.MODEL, loading.CONTROLNET)]
    if options.control == "landmarks":
        weights.path(NEEDS_WEIGHTS["mediapipe"])  # before the networks, which take long to load
    progress.progress(0, 0, "Loading the networks")
    memory.bound(options.memory)
    pipe = loading.from_folders(folders[0], folders[1], options.recipe)
    flow = optical_flow(usual())
    finder = landmark_finder() if options.control == "landmarks" else None
    told = " ".join(weights.digest(name) for name in (loading.MODEL, loading.CONTROLNET))
    return Work(options, source, pipe, flow, likeness.installed(), finder, told, progress)
