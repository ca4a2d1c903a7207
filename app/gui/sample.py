"""The sample that the welcome page offers: a study of its own in the user's data folder."""

from pathlib import Path

import platformdirs

from app.core.commands.recordings import add_recordings, probe_file
from app.core.sample import sample_video
from app.core.session import Session
from project.errors import UserError
from project.store import Study
from resources.translation import tr


def sample_study(folder: Path | None = None) -> Path:
    """Return the sample study, made if it is not there yet.

    Raises:
        UserError: the folder cannot be written.
    """
    home = folder or platformdirs.user_data_path("greenroom", appauthor=False) / "sample"
    study = home / "sample.greenroom"
    if study.exists():
        return study
    try:
        video = sample_video(home)
    except UserError as error:
        raise UserError(error.message, tr("Make a new study instead.")) from None
    Study.create(study, "Sample").close()
    with Session.open(study) as session:
        add_recordings(session, [probe_file(video)])
    return study
