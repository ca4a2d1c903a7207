"""Which clips were exported from a study, what was measured about each, and where they lie."""

from collections.abc import Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from anonymize.measures.report import PrivacyReport
from app.core.lookup import recording_called
from app.core.session import Session
from project.errors import UserError
from project.queries.recordings import all_recordings
from project.queries.runs import runs_of
from project.types import Recording, Run

KIND = "privacy"


@dataclass(frozen=True, slots=True, eq=False)
class Export:
    """One clip that was exported.

    Attributes:
        recording: what it shows.
        run: that made it.
        report: what was measured about it last; None where nothing was.
        measured_at: when; "" where it was not.
    """

    recording: Recording
    run: Run
    report: PrivacyReport | None
    measured_at: str = ""

    @property
    def clip(self) -> str:
        """The name of the clip's file."""
        return str(self.run.result["output"])


def exports(session: Session) -> list[Export]:
    """Return every export of the study, the newest first."""
    found = [export for recording in all_recordings(session.study) for export in exports_of(session, recording)]
    return sorted(found, key=lambda one: one.run.finished_at, reverse=True)


def exports_of(session: Session, recording: Recording) -> list[Export]:
    """Return every export of a recording, the newest first."""
    measured: dict[str, tuple[PrivacyReport, str]] = {}
    for run in runs_of(session.study, recording.id, KIND):
        report = _report(run)
        if report is not None:
            measured.setdefault(str(run.parameters.get("export")), (report, run.finished_at))
    made: Sequence[Run] = runs_of(session.study, recording.id, "anonymize")
    return [
        Export(recording, run, *measured.get(run.id, (None, "")))
        for run in made
        if isinstance(run.result.get("output"), str)
    ]


def export_called(session: Session, text: str | None) -> tuple[Export, Path | None]:
    """Return the export that a person means, and the clip's path where they gave one.

    Args:
        session: holds the study.
        text: the path of a clip, the id of an export's run, a recording (number, id, name), or RECORDING:METHOD; the
            newest export when None.

    Raises:
        UserError: there is none.
    """
    every = exports(session)
    if not every:
        raise UserError("Nothing was exported from this study yet.", "Export a clip: greenroom anonymize --help")
    if text is None:
        return every[0], None
    path = Path(text)
    if path.suffix and path.is_file():
        named = [one for one in every if one.clip == path.name]
        if not named:
            raise UserError(f"{path.name} was not exported from this study.", "Choose a clip that was.")
        return named[0], path.absolute()
    fits = [one for one in every if text in (one.run.id, one.clip)]
    if not fits:
        name, _, method = text.partition(":")
        wanted = recording_called(session, name).id
        fits = [one for one in every if one.recording.id == wanted and method in ("", one.run.backend)]
    if not fits:
        raise UserError(f"There is no export “{text}”.", "Give a clip, RECORDING:METHOD, or the id of its run.")
    return fits[0], None


def place_of(session: Session, export: Export) -> Path:
    """Return where a clip lies: beside the study, or in a folder beside it.

    Raises:
        UserError: it lies elsewhere.
    """
    for place in places_of(session, export.clip):
        return place
    raise UserError(
        f"The clip {export.clip} is not beside the study.", "Give its path: greenroom privacy STUDY --export CLIP"
    )


def places_of(session: Session, clip: str) -> list[Path]:
    """Return the files of a clip's name beside the study, then those in folders beside it."""
    folder, clip = session.study.folder, Path(clip).name
    try:
        there = (folder / clip, *sorted(folder.glob(f"*/{escape(clip)}")))
        return [place for place in there if session.reaches(place) and place.is_file()]
    except OSError:
        # No file can have such a name.
        return []


def _report(run: Run) -> PrivacyReport | None:
    try:
        return PrivacyReport.from_json(run.result)
    except UserError:
        return None
