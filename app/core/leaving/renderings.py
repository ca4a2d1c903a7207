"""Whether a rendering passed review, as things stand now: by the rules of a release."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from anonymize.methods.registry import method_type
from app.core.leaving.clip import clip_of
from app.core.privacy.exports import Export, exports_of
from app.core.privacy.limits import privacy_limits
from app.core.release.again import numbered_waivers
from app.core.release.gate import Candidate, faces_reviewed, faces_tracked, file_there, uncovered
from app.core.release.measuring import with_measures
from app.core.release.outcome import Outcome, reasons_after
from app.core.release.rules import Reason, standing
from project.errors import UserError
from project.queries.face_reviews import mask_state
from project.timebase import SECOND
from project.types import Json

_SOURCE: tuple[Callable[[Candidate], Iterator[Reason]], ...] = (file_there, faces_tracked, faces_reviewed, uncovered)
"""What the gate of a release asks of a recording before it is rendered."""
_AGAIN = "Export it again: greenroom anonymize STUDY --recording N --out FOLDER"


def reasons_against_rendering(one: Candidate, run_id: str) -> list[Reason]:
    """Return what stands in the way of a rendering that wants to leave, but for what was waived.

    Args:
        one: the recording.
        run_id: of the run that made the rendering.

    Raises:
        UserError: a run of the study is damaged.
    """
    export = next((each for each in exports_of(one.session, one.recording) if each.run.id == run_id), None)
    if export is None:
        return [one.reason("rendered", f"Recording {one.number} has no such rendering.", _AGAIN)]
    found = [reason for rule in _SOURCE for reason in rule(one)]
    found += _still_that(one, export)
    if not found:
        found += reasons_after([_outcome(one, export)])
    waived = [(each.rule, number) for each, number in numbered_waivers(one.session)]
    return standing(found, waived)


def _still_that(one: Candidate, export: Export) -> Iterator[Reason]:
    """Rule `rendered`: the file is what was rendered and checked, of the faces as they are now."""
    run, medium = export.run, one.session.main_medium(one.recording.id)
    state = mask_state(one.session.study, one.recording.id)
    if run.result.get("outdated") or not state or run.parameters.get("mask_state") != state:
        yield one.reason(
            "rendered", f"The faces of recording {one.number} were changed after {export.clip} was made.", _AGAIN
        )
    elif medium is None or run.parameters.get("fingerprint") != medium.fingerprint:
        yield one.reason("rendered", f"{export.clip} was made of another file of recording {one.number}.", _AGAIN)
    if clip_of(one.session, run) is None:
        yield one.reason(
            "rendered",
            f"{export.clip} is not beside the study, or is not the file that was made and checked.",
            f"Put it back beside the study, or: {_AGAIN}",
        )


def _outcome(one: Candidate, export: Export) -> Outcome:
    """Return what came of rendering and checking an export, as a release judges it."""
    run = export.run
    made = Outcome(
        one.number,
        run.backend,
        frames=int(cast(int, run.result.get("frames", 0))),
        faces_left_us=_times(run.result, "faces_left"),
        doubtful_us=_times(run.result, "doubtful"),
        bare_us=_times(run.result, "bare"),
        checked_by=str(run.result.get("checked_by", "")),
        witness=str(run.parameters.get("witness") or ""),
    )
    exempt = cast(Sequence[str], run.parameters.get("exempt", ()))
    if one.faces is not None and all(face.dismissed or face.id in exempt for face in one.faces.faces):
        return replace(made, measured=True)
    if export.report is None:
        return replace(made, why_not="Measure it: greenroom privacy STUDY.")
    drawn = method_type(run.backend).kind == "face"
    return with_measures(made, export.report, privacy_limits(one.session.study), drawn=drawn)


def _times(result: Mapping[str, Json], key: str) -> tuple[int, ...]:
    """Return times of a result, in microseconds.

    Raises:
        UserError: the run that gave it did not look, or is damaged.
    """
    found = result.get(key)
    if not isinstance(found, list) or not all(isinstance(each, int | float) for each in found):
        raise UserError("This rendering was not checked for all that a review asks.", _AGAIN)
    return tuple(round(cast(float, each) * SECOND) for each in found)
