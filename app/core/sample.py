"""The sample recording, put where a study can use it."""

import shutil
from pathlib import Path

from project.errors import UserError
from resources import resource


def sample_video(folder: Path) -> Path:
    """Put the sample recording into `folder`, where it is not there yet, and return its path.

    Raises:
        UserError: the folder cannot be written.
    """
    video = folder / "sample.mp4"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not video.exists():
            part = folder / "sample.part"
            try:
                shutil.copyfile(resource("sample", "sample.mp4"), part)
                part.replace(video)
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"The folder {folder} cannot be written: {error.strerror}.", "Choose another: --dir") from None
    return video
