"""Faces that do not lie wholly under their masks."""

import numpy as np

from anonymize.masks import MaskSet
from anonymize.render import RenderPlan
from media.index import load_index


def bare_frames(plan: RenderPlan) -> list[int]:
    """Return the times of frames in which the box of a face does not lie wholly under its own mask."""
    canvas = load_index(plan.source).canvas
    masks = MaskSet(plan.tracks, plan.masks, plan.exempt)
    bare = set()
    for track in masks.hidden:
        for frame, time_us, box in zip(track.frames, track.times_us, track.boxes, strict=True):
            own = next((mask for mask in masks.at(int(frame)) if mask.track_id == track.id), None)
            x, y = (max(0, round(float(v))) for v in box[:2])
            right = min(canvas.width, round(float(box[0] + box[2])))
            bottom = min(canvas.height, round(float(box[1] + box[3])))
            if right <= x or bottom <= y:
                continue
            area = own.area(canvas.width, canvas.height) if own is not None else None
            if area is None:
                bare.add(int(time_us))
                continue
            inside = area.alpha[max(0, y - area.y) : bottom - area.y, max(0, x - area.x) : right - area.x]
            if inside.size != (right - x) * (bottom - y) or not np.all(inside == 255):
                bare.add(int(time_us))
    return sorted(bare)
