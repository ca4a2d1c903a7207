"""What a released recording can be seen in: clips and pictures of a release of the same study, never the recording."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.interchange.limits import damaged, read_text
from app.core.release.codes import release_key, sealed
from app.core.release.manifest import NAME
from app.core.session import Session
from project.errors import UserError
from project.queries.face_reviews import mask_state
from project.queries.recordings import all_recordings
from project.timebase import SECOND

MOST_PICTURES = 16
"""Pictures of a question; R3-VQA and ESI-Bench show so many."""
_LARGEST = 64_000_000
_CLIP = re.compile(r"video-(?:source|15hz)/([a-z0-9_-]+)/(recording-\d{4,})\.mp4")
_PICTURE = re.compile(r"frames-1hz/([a-z0-9_-]+)/(recording-\d{4,})/(\d{5})\.jpg")


@dataclass(slots=True)
class Shown:
    """What a recording can be seen in, as paths in the folder of the release.

    Attributes:
        method: how faces are hidden in it.
        clip: path of the clip; "" for none.
        pictures: second -> path of the picture on screen then.
    """

    method: str = ""
    clip: str = ""
    pictures: dict[int, str] = field(default_factory=dict)

    def during(self, start_us: int, end_us: int) -> list[str]:
        """Return up to `MOST_PICTURES` pictures of a span, evenly over it; the one before it where it has none."""
        inside = [at for at in sorted(self.pictures) if start_us <= at * SECOND < end_us]
        if not inside:
            inside = [at for at in sorted(self.pictures) if at * SECOND <= start_us][-1:]
        count = min(MOST_PICTURES, len(inside))
        return [self.pictures[inside[(2 * at + 1) * len(inside) // (2 * count)]] for at in range(count)]


def shown_in(session: Session, release: Path, recordings: Sequence[str]) -> dict[str, Shown]:
    """Return code of a recording -> what of a release shows it, for those of some recordings that the release holds.

    Of several methods the first by name is taken, of clips the one at the source's rate.

    Args:
        session: of the study that the release was made of.
        release: its folder.
        recordings: codes.

    Raises:
        UserError: the folder is no release, is one of another study, or was made before faces of it were edited.
    """
    manifest = _manifest(release)
    key = release_key(session)
    states = {f"recording-{one.number:04}": mask_state(session.study, one.id) for one in all_recordings(session.study)}
    found: dict[str, Shown] = {}
    for entry in manifest["files"]:
        path = str(entry.get("path", ""))
        match = _CLIP.fullmatch(path) or _PICTURE.fullmatch(path)
        if match is None or match[2] not in recordings:
            continue
        method, code = match[1], match[2]
        source = manifest["sources"].get(code)
        if not isinstance(source, dict) or source.get("faces") != sealed(key, states.get(code, "")):
            raise UserError(
                f"{release.name} is a release of another study, or {code} was edited since.", "Make the release again."
            )
        one = found.setdefault(code, Shown(method))
        if method != one.method:
            continue
        if match.re is _PICTURE:
            one.pictures[int(match[3])] = path
        elif not one.clip or path.startswith("video-source/"):
            one.clip = path
    for path in (path for one in found.values() for path in (one.clip, *one.pictures.values()) if path):
        if not (release / path).is_file():
            raise UserError(f"{path} is missing in {release.name}.", "Take a release that is whole.")
    return found


def _manifest(release: Path) -> dict[str, Any]:
    path = release / NAME
    if not path.is_file():
        raise UserError(f"{release.name} is no release.", "Give the folder that greenroom release made.")
    try:
        found = json.loads(read_text(path, _LARGEST))
    except (ValueError, RecursionError):
        raise damaged(path, "it is no JSON") from None
    if (
        not isinstance(found, dict)
        or found.get("format") != "greenroom-release"
        or not isinstance(found.get("sources"), dict)
        or not isinstance(found.get("files"), list)
        or not all(isinstance(one, dict) for one in found["files"])
    ):
        raise damaged(path, "it is no manifest of a release")
    # In the order of their names, so that of several methods the same one is always taken.
    found["files"].sort(key=lambda one: str(one.get("path", "")))
    return found
