"""The synthetic method: draws a face from landmarks with the appearance of a pseudonym."""

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from anonymize.methods.face_methods import Face, FaceSource, Image
from anonymize.methods.synthetic.expression import (
    Expression,
    FaceSample,
    HeadPose,
    read_pose_and_expression,
    smooth_motion,
)
from models.faces.landmarks.landmark_finders import LandmarkFinder, create_landmark_finder
from project.plugins.option_limits import check_limits, limited_field
from project.progress import Progress

if TYPE_CHECKING:
    from anonymize.methods.synthetic.face_drawing import SceneLight
    from anonymize.methods.synthetic.portrait import Layer, Portrait

_LIGHT_US = 500_000


@dataclass(frozen=True, slots=True)
class SyntheticOptions:
    """How the face is drawn."""

    expression: float = limited_field(
        1.0, 0.5, 1.5, "Expression", "How much of the expression is drawn; 1 is as measured."
    )

    def __post_init__(self) -> None:
        check_limits(self)


class SyntheticFace:
    """Draws a head that only moves like the person.

    No sample under a mask has any influence on the drawing, save through the landmarks that were found in it, and of
    those only through a pose and fifteen distances relative to the same face at rest.
    """

    kind: ClassVar[Literal["face"]] = "face"
    name: ClassVar[str] = "synthetic"
    title: ClassVar[str] = "Synthetic face"
    description: ClassVar[str] = (
        "Draws another face that keeps expression, gaze, blinks and the pose of the head. Nothing of the person's "
        "appearance is left; how a person moves is, and may tell those who know them."
    )
    reversible: ClassVar[bool] = False
    from_source: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("face-landmarks",)
    options_type: ClassVar[type[SyntheticOptions]] = SyntheticOptions

    def __init__(self, options: SyntheticOptions | None = None, finder: LandmarkFinder | None = None) -> None:
        self.options = options or SyntheticOptions()
        self._given = finder
        self._moves: dict[str, dict[int, tuple[HeadPose, Expression]]] = {}
        self._masks: dict[int, list[tuple[str, tuple[int, int, int, int]]]] = {}
        self._portraits: dict[str, Portrait] = {}
        self._light: dict[str, tuple[int, SceneLight]] = {}
        self._cuts: tuple[int, ...] = ()
        self._layers: tuple[int, list[Layer]] = (-1, [])

    def begin(self, source: FaceSource, progress: Progress) -> None:
        """Find the landmarks of all faces, and smooth what they do."""
        self._cuts = tuple(source.cuts)
        masks = defaultdict(list)
        seen: defaultdict[str, list[FaceSample]] = defaultdict(list)
        total, done = sum(len(track.frames) for track in source.tracks), 0
        finder = self._given or create_landmark_finder()
        try:
            for face in source.faces():
                progress.check_cancelled()
                masks[face.frame].append((face.track_id, face.rect))
                found = finder.find(face.image, face.box[None].astype(np.float32))[0]
                pose = None if found is None else read_pose_and_expression(found.points)
                seen[face.track_id].append(FaceSample(face.frame, face.time_us, face.box, pose))
                done += 1
                progress.progress(min(done, total), total, "Reading expressions")
        finally:
            if self._given is None:
                finder.close()
        self._moves = {track_id: dict(smooth_motion(samples, source.cuts)) for track_id, samples in seen.items()}
        self._masks = dict(masks)

    def draw(self, face: Face) -> Image | None:
        """Return the drawn face on its surroundings, None where its landmarks are not known."""
        from anonymize.methods.synthetic.portrait import paint_background

        move = self._moves.get(face.track_id, {}).get(face.frame)
        if move is None:
            return None
        pose, expression = move
        others = [rect for track_id, rect in self._masks.get(face.frame, ()) if track_id != face.track_id]
        layer = self._portrait(face.identity).draw_layer(
            face, pose, self._scale_expression(expression), self._smoothed_light(face, others)
        )
        drawn = paint_background(face, others)
        if self._layers[0] != face.frame:
            self._layers = face.frame, []
        self._layers[1].append(layer)
        for head in sorted(self._layers[1], key=lambda head: head.scale):
            head.paste_onto(drawn, face.x, face.y)
        return drawn

    def end(self) -> None:
        """Forget all faces."""
        self._moves, self._masks, self._portraits, self._light = {}, {}, {}, {}
        self._layers = (-1, [])

    def _portrait(self, identity: str) -> "Portrait":
        from anonymize.methods.synthetic.portrait import Portrait

        if identity not in self._portraits:
            self._portraits[identity] = Portrait(identity)
        return self._portraits[identity]

    def _scale_expression(self, face: Expression) -> Expression:
        from anonymize.methods.synthetic.expression import REST_EXPRESSION, SIGNALS

        share = self.options.expression
        if share == 1:
            return face
        kept = ("eye_right", "eye_left", "across", "down")
        changed = {
            name: getattr(REST_EXPRESSION, name) + share * (getattr(face, name) - getattr(REST_EXPRESSION, name))
            for name in SIGNALS
            if name not in kept
        }
        return replace(face, **changed)

    def _smoothed_light(self, face: Face, others: list[tuple[int, int, int, int]]) -> "SceneLight":
        """Return the light of the scene, which changes slowly unless the scene does."""
        from anonymize.methods.synthetic.face_drawing import SceneLight
        from anonymize.methods.synthetic.portrait import estimate_light

        now = estimate_light(face, others)
        before = self._light.get(face.track_id)
        if before is not None:
            time_us, light = before
            step = face.time_us - time_us
            if 0 <= step <= _LIGHT_US and face.frame not in self._cuts:
                share = 1 - np.exp(-step / _LIGHT_US)
                now = SceneLight(
                    light.level + share * (now.level - light.level),
                    light.across + share * (now.across - light.across),
                    light.colour + share * (now.colour - light.colour),
                    light.saturation + share * (now.saturation - light.saturation),
                )
        self._light[face.track_id] = face.time_us, now
        return now
