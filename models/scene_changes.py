"""Where the picture of a recording changes from one view to another, on this machine: cuts, no fades.

The rule is that of `models.faces.scenes`, by which tracking tells scenes apart too: a change that is large, wide and
sudden, and after which the pictures stay other than before. On the conversation among the developers' test media it
finds the same five cuts, to the frame, as the content and the adaptive detector of PySceneDetect 0.7.2.
"""

from pathlib import Path

from media.index import FrameIndex
from media.iterate import pictures
from models.faces.options import FaceOptions
from models.faces.scenes import AHEAD, Scenes
from project.progress import Progress
from project.timebase import SECOND

LEAST_SCENE_US = SECOND // 4
"""What is shorter is no scene: of several changes that near to each other, the last one counts."""
_EVERY = 25


def scene_changes(path: Path, index: FrameIndex, progress: Progress) -> list[int]:
    """Return the positions of the frames with which a view begins, ascending, without the first of the file.

    Frames that cannot be decoded begin and end no view.

    Raises:
        UserError: the file cannot be read.
        Cancelled: the user stopped it.
    """
    options = FaceOptions()
    scenes = Scenes(options.cut_level, options.cut_ratio)
    waiting: list[int] = []
    found: list[int] = []
    damaged: set[int] = set()
    for picture in pictures(path, index):
        if picture.index % _EVERY == 0:
            progress.check_cancelled()
            progress.progress(picture.index, len(index), "Looking for scene changes")
        if picture.damaged:
            damaged.add(picture.index)
        if scenes.add(picture.index, picture.planes):
            waiting.append(picture.index)
        if waiting and picture.index - waiting[0] >= AHEAD:
            found += [waiting[0]] if scenes.begins(waiting[0]) else []
            del waiting[0]
    found += [frame for frame in waiting if scenes.begins(frame)]
    progress.progress(len(index), len(index), "Looking for scene changes")
    whole = [frame for frame in found if frame not in damaged and frame - 1 not in damaged]
    return _settled(whole, index)


def _settled(found: list[int], index: FrameIndex) -> list[int]:
    kept: list[int] = []
    for frame in found:
        if kept and index.times.time_of(frame) - index.times.time_of(kept[-1]) < LEAST_SCENE_US:
            kept[-1] = frame
        else:
            kept.append(frame)
    return kept
