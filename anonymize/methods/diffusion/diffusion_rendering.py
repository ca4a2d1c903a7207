"""Renders faces with the diffusion method: analyses all shots, draws their key frames, then each frame on request.

It limits GPU memory and frees it when it runs out.
"""

import gc
import hashlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from anonymize.methods.diffusion.diffusion_options import DiffusionOptions
from anonymize.methods.diffusion.keyframe_drawing import Artist, FaceComparer, KeyframeCrop, choose_appearance
from anonymize.methods.diffusion.pipeline import Translator
from anonymize.methods.diffusion.shot_drawing import (
    ShotGeneration,
    ShotState,
    ShotStore,
    TooClose,
    interpolate_frame,
    map_box_to_crop,
    shot_key,
)
from anonymize.methods.diffusion.shots import (
    THUMBNAIL,
    CropWindow,
    FaceShot,
    add_excursions,
    choose_keyframes,
    frame_change,
    nearest_shot,
    split_into_shots,
    whole_frame_window,
)
from anonymize.methods.face_methods import Face, FaceSource
from models.faces.landmarks.landmark_finders import LandmarkFinder
from models.flow.optical_flow import OpticalFlow
from project.entities.study_records import FaceTrack, Json
from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.files.temporary_files import OwnFolder
from project.progress import Progress


def limit_gpu_memory(gigabytes: float) -> None:
    """Let this process use no more of the GPU; asking for more fails as if it had no more."""
    if torch.cuda.is_available():
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, gigabytes * 1e9 / total))


def free_memory() -> None:
    """Give back what is no longer used."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def is_out_of_memory(error: Exception) -> bool:
    """Tell whether an error says that memory ran out, of a GPU or of the machine."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error)


Image = NDArray[np.uint8]

MAX_ATTEMPTS = 3
_VERSION = 1
_FLOW_SIDE = 256
# Frames that a key between others is apart from them at least: a blink is five frames or so.
_MIN_EXCURSION_FRAMES = 2


class DiffusionRenderer:
    """Everything that belongs to one rendering."""

    def __init__(
        self,
        options: DiffusionOptions,
        source: FaceSource,
        pipe: Any,
        flow: OpticalFlow,
        likeness: FaceComparer | None,
        finder: LandmarkFinder | None,
        weights: str,
        progress: Progress,
    ) -> None:
        """Set up the work for all faces of a source.

        `pipe` is a `StableDiffusionControlNetImg2ImgPipeline` that is nobody else's. `likeness` tells whether a face
        was changed enough, None where nothing can; `finder` finds landmarks, where they are what is kept from the
        source. `weights` tells these networks from others.
        """
        self._recipe, self._source = options.resolved_preset, source
        self._flow, self._likeness, self._finder, self._progress = flow, likeness, finder, progress
        self._decides: dict[str, Json] = {
            "version": _VERSION,
            "recipe": asdict(self._recipe),
            "strength": options.strength,
            "control": options.control,
            "weights": weights,
            "flow": [flow.key, dict(flow.parameters)],
            "device": str(pipe.unet.device.type),
            "likeness": likeness.key if likeness else "",
            "landmarks": finder.key if finder else "",
        }
        translator = Translator(pipe, self._recipe, flow)
        self._artist: Artist | None = Artist(translator, options.strength, likeness, finder, progress)
        self._attempts: dict[str, int] = {}
        self._batch = options.batch
        self._own = OwnFolder() if source.cache is None else None
        self._folder = self._own.path if self._own is not None else source.cache or Path()
        self._size = (self._recipe.size, self._recipe.size)
        if self._recipe.whole_frame:
            self._size = whole_frame_window(source.size, self._recipe.size)[1]
        self._drawings: dict[str, list[ShotGeneration]] = {}
        self._done = 0

    def draw_keyframes(self) -> None:
        """Draw the key frames of all faces.

        What was drawn is kept when the user stops it.
        """
        with explain_os_errors("The drawn faces cannot be saved", f"Free some space in {self._folder}."):
            for track in self._source.tracks:
                self._drawings[track.id] = self._plan_shots(track)
            for track in self._source.tracks:
                self._draw_track(track)
        self._artist = None
        free_memory()

    def draw(self, face: Face) -> Image | None:
        """Return what hides a face; None where nothing was drawn of it."""
        there = self._drawings.get(face.track_id, [])
        if not there:
            return None
        shot = nearest_shot([generation.shot for generation in there], face.frame)
        for generation in there:
            if generation.shot is not shot:
                generation.release_pictures()
        drawing = next(generation for generation in there if generation.shot is shot)
        image = None if drawing.state.refused else self._picture(drawing, face)
        return None if image is None else self._view(shot, face.frame).paste(image, face.rect)

    def close(self) -> None:
        """Let go of networks and of what is not to be kept."""
        self._artist = None
        self._drawings.clear()
        for model in (self._likeness, self._finder):
            if model is not None:
                model.close()
        if self._own is not None:
            self._own.remove()
        free_memory()

    def _view(self, shot: FaceShot, frame: int) -> CropWindow:
        if self._recipe.whole_frame:
            return whole_frame_window(self._source.size, self._recipe.size)[0]
        return shot.window_at(frame)

    def _grey(self, shot: FaceShot, face: Face) -> Image:
        """Return the crop of a face, small and without colour: what flow and changes are measured on."""
        scale = min(1.0, _FLOW_SIDE / min(self._size))
        size = (round(self._size[0] * scale), round(self._size[1] * scale))
        crop = self._view(shot, face.frame).crop(face.image, size)
        return np.asarray(cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY), np.uint8)

    def _faces(self, track: FaceTrack, there: list[FaceShot]) -> Iterator[tuple[Face, FaceShot]]:
        for face in self._source.faces(track.id):
            self._progress.check_cancelled()
            shot = nearest_shot(there, face.frame)
            if shot.contains(face.frame):
                yield face, shot

    def _plan_shots(self, track: FaceTrack) -> list[ShotGeneration]:
        """Look at a face in every frame, and choose the key frames of each shot."""
        self._progress.progress(0, 0, "Looking for key frames")
        identity = self._source.identities.get(track.id, track.id)
        there = split_into_shots(track, identity, self._source.cuts)
        frames: dict[int, list[int]] = {id(shot): [] for shot in there}
        changes: dict[int, list[float]] = {id(shot): [] for shot in there}
        small: dict[int, list[Image]] = {id(shot): [] for shot in there}
        before: Image | None = None
        for face, shot in self._faces(track, there):
            grey = self._grey(shot, face)
            if frames[id(shot)] and before is not None:
                changes[id(shot)].append(frame_change(before, grey, self._recipe.cells))
            frames[id(shot)].append(face.frame)
            small[id(shot)].append(np.asarray(cv2.resize(grey, THUMBNAIL, interpolation=cv2.INTER_AREA), np.uint8))
            before = grey
        seen = [(shot, frames[id(shot)], changes[id(shot)], small[id(shot)]) for shot in there]
        return [self._drawing(*parts) for parts in seen if parts[1]]

    def _drawing(self, shot: FaceShot, frames: list[int], changes: list[float], small: list[Image]) -> ShotGeneration:
        recipe = self._recipe
        places = choose_keyframes(changes, recipe.least, recipe.most)
        if recipe.cells > 1:
            places = add_excursions(places, small, min(recipe.least, _MIN_EXCURSION_FRAMES), recipe.cells)
        keys = [frames[place] for place in places]
        seen = hashlib.sha256(np.asarray(changes).tobytes() + shot.squares.tobytes() + np.asarray(frames).tobytes())
        look = choose_appearance(shot.identity)
        name = shot_key({**self._decides, "prompt": look.prompt, "seed": look.seed, "source": seen.hexdigest()})
        return ShotGeneration(shot, keys, ShotStore(self._folder / name))

    def _draw_track(self, track: FaceTrack) -> None:
        before = self._done
        while not self._try_draw_track(track):
            self._done = before
            free_memory()

    def _try_draw_track(self, track: FaceTrack) -> bool:
        """Draw what is missing of a track; return False where a shot of it has to be restarted."""
        artist, there = self._artist, self._drawings[track.id]
        if artist is None:
            raise RuntimeError("the networks are gone")
        total = sum(len(drawing.keys) for drawings in self._drawings.values() for drawing in drawings)
        for drawing in there:
            drawing.begin(ShotState(self._batch, self._attempts.get(drawing.shot.identity, 0)))
            self._attempts[drawing.shot.identity] = drawing.state.attempt
        for face, shot in self._faces(track, [drawing.shot for drawing in there]):
            drawing = next(generation for generation in there if generation.shot is shot)
            if drawing.state.refused or face.frame not in drawing.keys:
                continue
            view = self._view(shot, face.frame)
            drawing.sources[face.frame] = self._grey(shot, face)
            seen = KeyframeCrop(view.crop(face.image, self._size), map_box_to_crop(face.box, view, self._size))
            try:
                self._done += drawing.add_keyframe(face.frame, seen, artist)
            except TooClose:
                self._retry_with_new_seed(drawing)
                return False
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                self._halve(drawing)
                return False
            self._progress.progress(self._done, total, "Drawing faces")
        return True

    def _retry_with_new_seed(self, drawing: ShotGeneration) -> None:
        state = drawing.state
        attempt = state.attempt + 1
        drawing.restart(ShotState(state.batch, min(attempt, MAX_ATTEMPTS - 1), refused=attempt >= MAX_ATTEMPTS))
        self._attempts[drawing.shot.identity] = drawing.state.attempt

    def _halve(self, drawing: ShotGeneration) -> None:
        """Draw fewer key frames at a time."""
        now = min(drawing.state.batch, len(drawing.current_batch.frames))
        if now == 1:
            raise UserError(
                f"There is not enough memory to draw a face at {self._size[0]} x {self._size[1]} pixels.",
                "Choose a smaller size or the preset “fast”, or allow more memory.",
            )
        self._batch = now // 2
        drawing.restart(ShotState(self._batch, drawing.state.attempt))
        self._progress.progress(self._done, 0, f"Not enough memory: now {self._batch} key frames at a time")

    def _picture(self, drawing: ShotGeneration, face: Face) -> Image | None:
        """Return the crop of a frame as it was drawn, or as it follows from the keys around it."""
        place = bisect_right(drawing.keys, face.frame)
        around = sorted({drawing.keys[max(0, place - 1)], drawing.keys[min(place, len(drawing.keys) - 1)]})
        if face.frame in around:
            around = [face.frame]
        keys = [drawing.read_keyframe(frame) for frame in around]
        found = [key for key in keys if key is not None]
        if len(found) < len(keys):
            return None
        if len(found) == 1:
            return found[0].drawn
        return interpolate_frame(face.frame, self._grey(drawing.shot, face), found, self._flow)
