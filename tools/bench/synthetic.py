"""The drawn face: who is recognised in it over many pseudonyms, and how fast a whole export is."""

import dataclasses
import tempfile
import time
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.measures.reidentification import match_threshold
from anonymize.methods.face_methods import Face, create_method
from anonymize.methods.synthetic.synthetic_face import SyntheticFace
from anonymize.rendering.face_renderer import Painter, RenderPlan, render
from media.encoding import EncodeOptions
from media.frame_index import load_index
from models.faces.face_detectors import create_detector
from models.faces.face_tracking import track_faces
from models.faces.identity.face_embeddings import Embedder, create_face_embedder
from models.faces.landmarks.face_signals import five_points
from models.faces.landmarks.landmark_finders import LandmarkFinder, create_landmark_finder
from project.entities.study_records import FaceTrack
from project.progress import Silent
from tools.bench.measuring import MEDIA, MODELS, SHARED, missing_row, weights_in
from tools.bench.privacy import FAR, embed, stills
from tools.bench.row import Row

CLIPS = ("expressive_talker.mp4", "expressions_hand_occl.mp4", "talk_vfr_tags.mp4")
NAMES = tuple(f"P{number:02}" for number in range(1, 13))
LOOKS = 20
MOST = 0.02
TRACKED_BY = "yunet"
WORK = "synthetic face"


def run() -> list[Row]:
    """Measure with the developers' models and footage."""
    if rows := missing_row(WORK, MODELS):
        return rows
    with weights_in(MODELS):
        tracks = {clip: track_faces(MEDIA / clip, create_detector(TRACKED_BY)).tracks for clip in CLIPS}
        return [*_recognized(tracks), _speed(max(tracks[CLIPS[0]], key=lambda face_track: len(face_track.frames)))]


def _recognized(tracks: dict[str, list[FaceTrack]]) -> list[Row]:
    """Draw the person of each clip under many pseudonyms and compare with the mean of the other raw frames."""
    model, finder = create_face_embedder("mobilefacenet"), create_landmark_finder()
    found = stills(SHARED / "data" / "stills" / "bbt", create_detector(TRACKED_BY))
    vectors = embed(found, [still.image for still in found], model)
    others = [
        float(a @ b)
        for i, a in enumerate(vectors)
        for j, b in enumerate(vectors[:i])
        if found[i].person != found[j].person
    ]
    least = match_threshold(np.array(others), FAR).value
    assert least is not None
    rows = []
    for clip, having in tracks.items():
        raw, drawn = _similarities(clip, max(having, key=lambda face_track: len(face_track.frames)), model, finder)
        share = float((drawn > least).mean())
        worst = max(float((own > least).mean()) for own in drawn)
        rows.append(
            Row(
                f"{WORK}, re-identified, {clip}, {len(NAMES)} pseudonyms, {drawn.size} faces, FAR 1e-2",
                f"{share:.1%}, worst pseudonym {worst:.1%}; mean cosine {drawn.mean():.2f}, largest {drawn.max():.2f}",
                f"source {(raw > least).mean():.1%}; threshold {least:.3f} from {len(others)} pairs of two people",
                target=f"<= {MOST:.0%}",
                ok=share <= MOST,
            )
        )
    return rows


def _similarities(
    clip: str, track: FaceTrack, model: Embedder, finder: LandmarkFinder
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (frames,) of the raw faces and (names, frames) of the drawn ones to the mean of the other raw faces."""
    index = load_index(MEDIA / clip)
    how = SyntheticFace()
    source = Painter(RenderPlan(MEDIA / clip, Path("unused.mp4"), [track], len(index), how), index)
    how.begin(source, Silent())
    every = max(1, len(track.frames) // LOOKS)
    looked = [face for face in source.faces(track.id) if face.frame % every == 0]
    seen = [(face, vector) for face in looked if (vector := _vector(face.image, face, model, finder)) is not None]
    raw = np.array([vector for _, vector in seen])
    mean = (raw.sum(0) - raw) / (len(raw) - 1)
    gallery = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    drawn = []
    for name in NAMES:
        own = []
        for (face, _), known in zip(seen, gallery, strict=True):
            picture = how.draw(dataclasses.replace(face, identity=name))
            found = None if picture is None else _vector(_shown(face, picture), face, model, finder)
            own.append(-1.0 if found is None else float(found @ known))
        drawn.append(own)
    how.end()
    return (raw * gallery).sum(1), np.array(drawn)


def _vector(
    image: NDArray[np.uint8], face: Face, model: Embedder, finder: LandmarkFinder
) -> NDArray[np.float32] | None:
    found = finder.find(image, face.box[None].astype(np.float32))[0]
    return None if found is None else model.embed(image, five_points(found)[None])[0]


def _shown(face: Face, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the picture with a face's rectangle drawn, as the mask has it."""
    x, y, width, height = face.rect
    shown = face.image.copy()
    part = shown[y : y + height, x : x + width]
    share = face.alpha[..., None].astype(np.uint16)
    part[:] = (part * (255 - share) + picture * share + 127) // 255
    return shown


def _speed(track: FaceTrack) -> Row:
    """Export one face at 720p, decoding and encoding included."""
    with tempfile.TemporaryDirectory() as folder:
        clip, known = _enlarged(MEDIA / CLIPS[0], Path(folder) / "large.mp4", track)
        started = time.perf_counter()
        done = render(
            RenderPlan(clip, Path(folder) / "out.mp4", [known], len(known.frames), create_method("synthetic"))
        )
        rate = done.frames / (time.perf_counter() - started)
    work = f"{WORK}, whole export, 1280x720, one face {track.boxes[:, 2].max() * 1.5:.0f} pixels wide"
    return Row.judged(work, f"{rate:.1f} frames/s", rate, ">= 15 frames/s")


def _enlarged(source: Path, target: Path, track: FaceTrack) -> tuple[Path, FaceTrack]:
    """Write the first frames of a clip of 512x480 at one and a half times its size, in the middle of 1280x720."""
    frames = min(300, len(track.frames))
    left, scale = (1280 - 768) // 2, 1.5
    with av.open(str(source)) as reading, av.open(str(target), "w") as writing:
        stream = writing.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        stream.options = {"preset": EncodeOptions().preset, "crf": str(EncodeOptions().crf), "bf": "0"}
        for number, frame in enumerate(reading.decode(video=0)):
            if number == frames:
                break
            canvas = np.full((720, 1280, 3), 90, np.uint8)
            canvas[:, left : left + 768] = cv2.resize(frame.to_ndarray(format="rgb24"), (768, 720))
            writing.mux(stream.encode(av.VideoFrame.from_ndarray(canvas, format="rgb24")))
        writing.mux(stream.encode(None))
    boxes = track.boxes[:frames] * np.float32(scale) + np.array([left, 0, 0, 0], np.float32)
    times = load_index(target).times.times_us
    numbers = np.arange(frames, dtype=np.int32)
    return target, dataclasses.replace(
        track,
        frames=numbers,
        times_us=times,
        boxes=boxes,
        scores=track.scores[:frames],
        origins=track.origins[:frames],
    )
