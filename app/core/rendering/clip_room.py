"""How much room clips will take, and whether the disk has it."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from app.core.session import Session
from project.errors import UserError
from project.filesystem import is_folder
from project.timebase import SECOND

BITS_PER_PIXEL = 0.2
"""What the encoder took at most on six recordings of people, from 0.074 (700 x 700) to 0.189 (640 x 360)."""
_SOUND_BITS_A_SECOND = 320_000
_LOSSLESS_BITS = 16
_GIGABYTE = 1 << 30


def room_for(
    session: Session,
    recording_id: str,
    start_us: int | None = None,
    end_us: int | None = None,
    *,
    lossless: bool = False,
) -> int:
    """Return how many bytes a clip of a recording, or of a part of it, will take at most; 0 where it has no picture.

    Args:
        session: where the recording is.
        recording_id: which one.
        start_us: of the part.
        end_us: of the part.
        lossless: whether the sound is stored without loss.
    """
    medium = session.main_medium(recording_id)
    if medium is None or medium.facts.video is None:
        return 0
    video = medium.facts.video
    whole = session.recording(recording_id).duration_us
    seconds = (min(whole, whole if end_us is None else end_us) - (start_us or 0)) / SECOND
    picture = video.width * video.height * video.frame_rate * BITS_PER_PIXEL
    audio = medium.facts.audio
    sound = 0
    if audio is not None:
        sound = audio.sample_rate * audio.channels * _LOSSLESS_BITS if lossless else _SOUND_BITS_A_SECOND
    return max(0, round(seconds * (picture + sound) / 8))


def require_room(folder: Path, sizes: Iterable[int]) -> None:
    """Refuse clips that the disk has no room for.

    Args:
        folder: of the clips; it need not exist yet.
        sizes: of the clips, in bytes.

    Raises:
        UserError: the disk has less than they take together.
    """
    place = next((one for one in (folder.absolute(), *folder.absolute().parents) if is_folder(one)), Path("/"))
    try:
        free = shutil.disk_usage(place).free
    except OSError:
        return
    needed = sum(sizes)
    if needed > free:
        raise UserError(
            f"The clips will take {as_text(needed)}, and the disk of {folder} has {as_text(free)} left.",
            "Make room, choose another folder, or export fewer recordings at once.",
        )


def as_text(size: int) -> str:
    """Return a number of bytes for people."""
    if size < 1 << 20:
        return "less than 1 MB"
    return f"{size / _GIGABYTE:.1f} GB" if size >= _GIGABYTE / 10 else f"{size >> 20} MB"
