"""Swaps identities by the lab's own network: every face becomes that of a generated or consenting person.

Source faces are pictures in one folder, each with a statement of its origin.
"""

import hashlib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from anonymize.methods.blur import Blur
from anonymize.methods.face_methods import Face, FaceSource, Image
from models.faces.landmarks.face_signals import five_points
from models.faces.landmarks.landmark_finders import LandmarkFinder, create_landmark_finder
from models.weights import installed_weights
from project.errors import UserError
from project.plugins.option_limits import check_limits, limited_field
from project.progress import Progress

if TYPE_CHECKING:
    from anonymize.methods.face_network import PictureNetwork


FOLDER = "source-faces"
"""Beside the weights."""
MANIFEST = "faces.toml"
ORIGINS = ("generated", "consented")
_PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".bmp"}
_MIN_STATEMENT_CHARS = 20


@dataclass(frozen=True, slots=True)
class SourceFace:
    """A face that may be shown.

    Attributes:
        origin: one of `ORIGINS`.
        statement: how it was made or who consented to what, in the lab's words.
    """

    file: Path
    origin: str
    statement: str


def source_faces_folder() -> Path:
    """Return where the pictures and their manifest are expected."""
    return installed_weights.weights_folder() / FOLDER


def load_source_faces() -> tuple[SourceFace, ...]:
    """Return the faces that may be shown, in the order of the manifest."""
    place = source_faces_folder()
    try:
        told = tomllib.loads((place / MANIFEST).read_text("utf-8")).get("face", [])
    except OSError:
        raise UserError(
            f"The list of source faces is missing: {place / MANIFEST}.",
            "Put pictures of generated or consenting faces there and list the origin of each.",
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{place / MANIFEST} cannot be read: {error}.", "Correct the file.") from None
    if not isinstance(told, list) or not told:
        raise UserError(f"{place / MANIFEST} lists no face.", "Add a [[face]] with file, origin and statement.")
    faces = tuple(_face(place, entry) for entry in told)
    listed = {face.file.name for face in faces}
    for file in sorted(place.iterdir()):
        if file.suffix.lower() in _PICTURES and file.name not in listed:
            raise UserError(
                f"The source face {file.name} is not listed.", f"Add it to {MANIFEST}, or remove the picture."
            )
    return faces


def choose_source_faces(identities: Iterable[str], faces: Sequence[SourceFace]) -> dict[str, SourceFace]:
    """Return a face for each identity: the first of its own order of the faces that no identity before it has.

    An identity's order follows from its name alone. There are two of one face only where there are more identities.
    """
    taken: dict[str, SourceFace] = {}
    free: list[SourceFace] = []
    for identity in sorted(set(identities)):
        free = free or list(faces)
        best = min(free, key=lambda face: hashlib.sha256(f"{identity}\0{face.file.name}".encode()).digest())
        free.remove(best)
        taken[identity] = best
    return taken


def _face(place: Path, told: object) -> SourceFace:
    if not isinstance(told, dict):
        raise UserError(f"{place / MANIFEST} is not valid.", "Each [[face]] needs file, origin and statement.")
    name, origin, statement = (str(told.get(key, "")).strip() for key in ("file", "origin", "statement"))
    if not name or Path(name).name != name or not (place / name).is_file():
        raise UserError(
            f"The source face “{name}” is missing in {place}.", f"Put the picture there, or remove it from {MANIFEST}."
        )
    if origin not in ORIGINS:
        raise UserError(
            f"The origin of the source face {name} is missing.", f"Set origin to one of {', '.join(ORIGINS)}."
        )
    if len(statement) < _MIN_STATEMENT_CHARS:
        raise UserError(
            f"The statement on the source face {name} is missing.",
            "Write how it was generated, or who consented to what and when.",
        )
    return SourceFace(place / name, origin, statement)


Points = NDArray[np.float32]

_DEFAULT_SIDE = 128
_APART_US = 250_000
_MAX_STILL_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class DeepfakeOptions:
    """How the swapped face is put back."""

    edge: float = limited_field(0.1, 0.02, 0.3, "Edge", "Share of its width over which the swapped face fades out.")

    def __post_init__(self) -> None:
        check_limits(self)


class Deepfake:
    """Swaps the identity of a face. What lies under the mask around the swapped face is blurred as by the blur."""

    kind: ClassVar[Literal["face"]] = "face"
    name: ClassVar[str] = "deepfake"
    title: ClassVar[str] = "Deepfake"
    description: ClassVar[str] = (
        "Gives the face another identity by a network that you bring, from faces that were generated or whose owners "
        "consented. Shape and texture may shine through: measure every export."
    )
    reversible: ClassVar[bool] = True
    from_source: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("face-swap", "face-swap-identity", "face-landmarks")
    options_type: ClassVar[type[DeepfakeOptions]] = DeepfakeOptions

    def __init__(self, options: DeepfakeOptions | None = None, finder: LandmarkFinder | None = None) -> None:
        self.options = options or DeepfakeOptions()
        self._given, self._finder = finder, finder
        self._network: PictureNetwork | None = None
        self._vectors: Mapping[str, NDArray[np.float32]] = {}
        self._before: dict[str, tuple[int, Points]] = {}
        self._cuts: frozenset[int] = frozenset()
        self._side = _DEFAULT_SIDE

    def begin(self, source: FaceSource, progress: Progress) -> None:
        """Load the networks and give every identity its face."""
        from anonymize.methods.face_network import PictureNetwork

        faces = load_source_faces()
        self._network = PictureNetwork("face-swap")
        self._side = self._network.input_side("target", _DEFAULT_SIDE)
        self._finder = self._given or create_landmark_finder()
        self._cuts = frozenset(source.cuts)
        identity = PictureNetwork("face-swap-identity")
        who = {source.identities.get(track.id, track.id) for track in source.tracks}
        given = choose_source_faces(who, faces)
        vectors: dict[SourceFace, NDArray[np.float32]] = {}
        for face in dict.fromkeys(given.values()):
            progress.check_cancelled()
            vectors[face] = _vector(face, identity, self._finder)
        self._vectors = {name: vectors[face] for name, face in given.items()}

    def draw(self, face: Face) -> Image | None:
        """Return the swapped face on its blurred surroundings; None without landmarks, or where nothing was swapped."""
        import cv2

        from anonymize.methods.face_network import is_unchanged

        assert self._network is not None
        points = self._points(face)
        vector = self._vectors.get(face.identity)
        if points is None or vector is None:
            return None
        move = _move(points, self._side)
        size = (self._side, self._side)
        seen = cv2.warpAffine(face.image, move, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
        crop = np.asarray(seen, np.uint8)
        found = self._network.run({"target": self._network.to_input("target", crop), "source": vector})
        swapped = self._network.to_image("swapped", found)
        if swapped is None or swapped.shape != crop.shape or is_unchanged(crop, swapped):
            return None
        x, y, width, height = face.rect
        back = cv2.invertAffineTransform(move)
        back[:, 2] -= x, y
        drawn = cv2.warpAffine(swapped, back, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        share = cv2.warpAffine(self._window(), back, (width, height), flags=cv2.INTER_LINEAR)
        rest = Blur().cover(np.ascontiguousarray(face.crop), face.face_width, (1, 1))
        return np.asarray(cv2.blendLinear(drawn, rest, share, 1 - share), np.uint8)

    def end(self) -> None:
        """Let the networks go."""
        if self._finder is not None and self._given is None:
            self._finder.close()
        self._finder, self._network = self._given, None
        self._vectors, self._before = {}, {}

    def _points(self, face: Face) -> Points | None:
        """Return (5, 2) points of the face, calmed while it is still."""
        assert self._finder is not None
        found = self._finder.find(face.image, face.box[None].astype(np.float32))[0]
        if found is None:
            self._before.pop(face.track_id, None)
            return None
        points = five_points(found)
        before = self._before.get(face.track_id)
        if before is not None and face.frame not in self._cuts and 0 < face.time_us - before[0] < _APART_US:
            moved = float(np.abs(points - before[1]).max()) / max(float(face.box[2]), 1.0) / _MAX_STILL_SHARE
            points = np.asarray(points + 0.6 * np.exp(-moved * moved) * (before[1] - points), np.float32)
        self._before[face.track_id] = face.time_us, points
        return points

    def _window(self) -> NDArray[np.float32]:
        """Return (side, side), 1 inside and falling to 0 at the edge of the swapped face."""
        wide = max(1.0, self.options.edge * self._side)
        near = np.minimum(np.arange(self._side), np.arange(self._side)[::-1]).astype(np.float32)
        ramp = np.clip(near / wide, 0, 1)
        return np.asarray(np.minimum.outer(ramp, ramp), np.float32)


def _move(points: Points, side: int) -> NDArray[np.float64]:
    """Return the (2, 3) similarity from the picture to an aligned face of a side.

    As insightface's `face_align` has it: sides that are no multiple of 112 are those of a face of 128 pixels, which
    shows 8 more on the left and on the right.
    """
    from models.faces.face_cropping import ALIGNED_SIDE, FACE_TEMPLATE, similarity_transform

    ratio, aside = (side / ALIGNED_SIDE, 0.0) if side % ALIGNED_SIDE == 0 else (side / 128, 8.0)
    return similarity_transform(points, np.asarray((FACE_TEMPLATE + np.array([aside, 0])) * ratio, np.float32))


def _vector(source: SourceFace, network: "PictureNetwork", finder: LandmarkFinder) -> NDArray[np.float32]:
    """Return (1, 512) of length 1: whose face it is."""
    import cv2

    from models.faces.face_cropping import align_faces

    read = cv2.imread(str(source.file), cv2.IMREAD_COLOR)
    if read is None:
        raise UserError(f"The source face {source.file.name} cannot be read.", "Save it again as PNG or JPEG.")
    image = np.ascontiguousarray(read[..., ::-1], np.uint8)
    height, width = image.shape[:2]
    inner = np.array([[0.15 * width, 0.15 * height, 0.7 * width, 0.7 * height], [0, 0, width, height]], np.float32)
    found = next((landmarks for landmarks in finder.find(image, inner) if landmarks is not None), None)
    if found is None:
        raise UserError(f"There is no face in {source.file.name}.", "Use a picture in which the face fills the middle.")
    face = align_faces(image, five_points(found)[None])[0]
    vector = network.run({"face": network.to_input("face", face)}).reshape(1, -1)
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), np.float32)
