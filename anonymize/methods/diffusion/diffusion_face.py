"""The diffusion method: replaces a face on crops that follow it; see docs/diffusion.md.

Nothing heavy is imported here, because the window shows them.
"""

from typing import TYPE_CHECKING, ClassVar, Literal

from anonymize.methods.diffusion.diffusion_options import DiffusionOptions
from anonymize.methods.face_methods import Face, FaceSource, Image
from project.progress import Progress
from project.session.optional_parts import DIFFUSION

if TYPE_CHECKING:
    from anonymize.methods.diffusion.diffusion_rendering import DiffusionRenderer


class Diffusion:
    """Draws a generated person in the place of each face, the same in all recordings."""

    kind: ClassVar[Literal["face"]] = "face"
    name: ClassVar[str] = "diffusion"
    title: ClassVar[str] = "Generated face (diffusion)"
    description: ClassVar[str] = (
        "Draws another person over the face, who keeps its expression and pose. Slow without a GPU. "
        "How well it hides someone has to be measured for each export."
    )
    reversible: ClassVar[bool] = True
    from_source: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("stable-diffusion", "controlnet")
    options_type: ClassVar[type[DiffusionOptions]] = DiffusionOptions

    def __init__(self, options: DiffusionOptions | None = None) -> None:
        self.options = options or DiffusionOptions()
        self._work: DiffusionRenderer | None = None

    def begin(self, source: FaceSource, progress: Progress) -> None:
        """Load the networks and draw the key frames of all faces.

        What was drawn is kept in the source's cache, also when the user stops it.
        """
        DIFFUSION.require()
        from anonymize.methods.diffusion.diffusion_setup import create_renderer

        self._work = create_renderer(self.options, source, progress)
        self._work.draw_keyframes()

    def draw(self, face: Face) -> Image | None:
        """Return (h, w, 3) RGB for the whole of `face.rect`; None where nothing could be drawn of it."""
        return None if self._work is None else self._work.draw(face)

    def end(self) -> None:
        """Let go of what is held; what was drawn stays in the source's cache."""
        if self._work is not None:
            self._work.close()
        self._work = None
