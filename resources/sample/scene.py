"""The shots of the sample, and the picture of each frame."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import ImageColor
from scipy.special import expit

from resources.sample import robot
from resources.sample.portrait import Aim, Camera, PortraitCrop
from resources.sample.speech import RATE, SynthesizedLine, loudness

WIDTH, HEIGHT = 1280, 720
FRAME_RATE = 25

_LAST_SHOT_FRAMES = 10
_TAIL_S = 0.95
_MOVE_S = 1.8

_USER_CARD = PortraitCrop(48, 60, 704, 600)
_ROBOT_CARD = PortraitCrop(784, 60, 448, 600)
_ROBOT_INSET = PortraitCrop(924, 384, 308, 288)
_WHOLE = PortraitCrop(0, 0, WIDTH, HEIGHT)
_RADIUS = 26.0
_ROBOT_SCALE, _INSET_SCALE, _CLOSE_SCALE = 1.0, 0.66, 1.9
_ROBOT_TOP, _INSET_TOP, _CLOSE_TOP = 62.0, 6.0, 18.0


@dataclass(frozen=True)
class SceneShot:
    """Frames between two cuts.

    Attributes:
        name: "both" or "robot": who is in the picture.
        start: First frame.
        end: First frame after it.
    """

    name: str
    start: int
    end: int


class SampleScene:
    """Everything that is seen, made from what is said.

    User and robot side by side; as the robot apologises, the user's card grows until it fills the picture; last, after
    a hard cut, the robot alone.
    """

    def __init__(self, utterances: Sequence[SynthesizedLine]) -> None:
        at = {utterance.line.key: (utterance.start / RATE, utterance.end / RATE) for utterance in utterances}
        self.frames = round((utterances[-1].end / RATE + _TAIL_S) * FRAME_RATE)
        cut = self.frames - _LAST_SHOT_FRAMES
        self.shots = (SceneShot("both", 0, cut), SceneShot("robot", cut, self.frames))
        self._move_at = at["apology"][0]
        self._camera = Camera(
            [
                Aim(0, 258, 236, 1.40),
                Aim(at["story"][0], 254, 230, 1.44),
                Aim(at["interruption"][0], 240, 174, 1.84),
                Aim(at["interruption"][0] + 0.7, 226, 172, 1.88),
                Aim(at["protest"][0], 232, 173, 1.84),
                Aim(self._move_at, 236, 166, 1.96),
                Aim(self._move_at + _MOVE_S, 256, 150, 2.56),
                Aim(at["answer"][0], 260, 146, 2.66),
                Aim(at["answer"][1], 248, 137, 2.88),
                Aim(self.frames / FRAME_RATE, 256, 147, 2.60),
            ]
        )
        times = np.arange(self.frames) / FRAME_RATE
        self._voice = loudness(utterances, "robot", times)
        self._sorry = (at["apology"][0], at["question"][0] + 1.2)

    def shot(self, frame: int) -> SceneShot:
        """The shot that a frame belongs to."""
        return next(shot for shot in self.shots if shot.start <= frame < shot.end)

    def face(self, frame: int) -> tuple[float, float, float, float] | None:
        """The true face box of a frame, x, y, w, h in pixels; None where no face is in the picture."""
        if self.shot(frame).name == "robot":
            return None
        time_s = frame / FRAME_RATE
        return self._camera.face(_between(_USER_CARD, _WHOLE, self._moved(time_s)), time_s)

    def picture(self, frame: int) -> NDArray[np.uint8]:
        """The picture of a frame, (720, 1280, 3) uint8 RGB."""
        time_s = frame / FRAME_RATE
        bob = 2.2 * np.sin(2 * np.pi * time_s / 3.7)
        pose = self._pose(frame)
        if self.shot(frame).name == "robot":
            push = (frame - self.shot(frame).start) * 0.35
            canvas = _with_robot(_WHOLE, pose, _CLOSE_SCALE, _CLOSE_TOP + bob - push)
        else:
            moved = self._moved(time_s)
            user, machine = _between(_USER_CARD, _WHOLE, moved), _between(_ROBOT_CARD, _ROBOT_INSET, moved)
            scale = _mix(_ROBOT_SCALE, _INSET_SCALE, moved)
            top = _mix(_ROBOT_TOP, _INSET_TOP, moved) + bob * scale
            canvas = _wall().copy()
            _lay_card(canvas, user, _mix(_RADIUS, 0, moved), self._camera.view(user, time_s, (WIDTH, HEIGHT)))
            _lay_card(canvas, machine, _RADIUS, _with_robot(machine, pose, scale, top))
        return np.asarray(np.clip(canvas + _dither(), 0, 255), np.uint8)

    def _moved(self, time_s: float) -> float:
        """How far the cards are on their way from side by side, 0, to one inside the other, 1."""
        along = min(max((time_s - self._move_at) / _MOVE_S, 0), 1)
        return along * along * (3 - 2 * along)

    def _pose(self, frame: int) -> robot.RobotPose:
        time_s = frame / FRAME_RATE
        since_blink = (time_s + 1.1) % 3.3
        openness = abs(since_blink - 0.12) / 0.12 if since_blink < 0.24 else 1.0
        gaze = -7 + 4 * np.sin(2 * np.pi * time_s / 5.3)
        sorry = self._sorry[0] <= time_s < self._sorry[1]
        return robot.pose(float(self._voice[frame]), openness, gaze, sorry=sorry)


def _mix(first: float, last: float, along: float) -> float:
    return first + (last - first) * along


def _between(first: PortraitCrop, last: PortraitCrop, along: float) -> PortraitCrop:
    return PortraitCrop(
        _mix(first.x, last.x, along),
        _mix(first.y, last.y, along),
        _mix(first.w, last.w, along),
        _mix(first.h, last.h, along),
    )


def _with_robot(place: PortraitCrop, pose: robot.RobotPose, scale: float, top: float) -> NDArray[np.float32]:
    """The whole picture with the robot before its backdrop: in the middle of the place, `top` pixels down in it."""
    colour, opacity = robot.draw(pose, scale)
    move = np.array([[1, 0, place.x + (place.w - robot.WIDTH * scale) / 2], [0, 1, place.y + top]])
    layer = cv2.warpAffine(np.concatenate([colour, opacity], axis=2), move, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
    return np.asarray(_backdrop(place) * (1 - layer[..., 3:]) + layer[..., :3], np.float32)


def _lay_card(canvas: NDArray[np.float32], place: PortraitCrop, radius: float, content: NDArray[np.float32]) -> None:
    mask, shaded = _card(place, radius)
    canvas *= shaded
    canvas += mask * (content - canvas)


def _grid() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Columns and rows of the middles of all pixels."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32) + 0.5
    return x, y


@lru_cache(maxsize=4)
def _card(place: PortraitCrop, radius: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Opacity of a rounded card and what its soft shadow leaves of the light, (720, 1280, 1) each."""
    x, y = _grid()
    from_x = np.abs(x - place.x - place.w / 2) - place.w / 2 + radius
    from_y = np.abs(y - place.y - place.h / 2) - place.h / 2 + radius
    beyond = np.hypot(np.maximum(from_x, 0), np.maximum(from_y, 0)) + np.minimum(np.maximum(from_x, from_y), 0) - radius
    mask = np.clip(0.5 - beyond, 0, 1)
    shadow = cv2.GaussianBlur(np.roll(mask, 10, axis=0), (0, 0), 18)
    return mask[..., None], 1 - 0.38 * shadow[..., None]


@cache
def _wall() -> NDArray[np.float32]:
    return _gradient(_WHOLE, "#e9e4dc", "#c3c9cf")


@lru_cache(maxsize=4)
def _backdrop(place: PortraitCrop) -> NDArray[np.float32]:
    """A quiet room out of focus, laid out for the place."""
    canvas = _gradient(place, "#9fbcc2", "#557783")
    x, y = _grid()
    for left, top, size, light in _LAMPS:
        away = np.hypot(x - place.x - left * place.w, y - place.y - top * place.h) / (size * place.h)
        canvas += (light * expit((1 - away) * 14))[..., None]
    return canvas


_LAMPS = ((0.16, 0.2, 0.16, 18), (0.86, 0.14, 0.22, 16), (0.9, 0.62, 0.13, 12), (0.1, 0.7, 0.2, 10))
"""Round lights behind the robot: place as parts of its width and height, radius as a part of the height, brightness."""


def _gradient(place: PortraitCrop, top: str, bottom: str) -> NDArray[np.float32]:
    first, last = (np.asarray(ImageColor.getrgb(name), np.float32) for name in (top, bottom))
    x, y = _grid()
    along = 0.8 * (y - place.y) / place.h + 0.2 * (x - place.x) / place.w
    return np.asarray(first + (last - first) * np.clip(along, 0, 1)[..., None], np.float32)


@cache
def _dither() -> NDArray[np.float32]:
    """Less than one step of still noise, so that the gradients do not fall into bands."""
    return np.random.default_rng(2).uniform(0, 1, (HEIGHT, WIDTH, 1)).astype(np.float32)
