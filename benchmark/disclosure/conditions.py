"""The conditions in which a recording can be shown to a judge: as it was recorded, or in one of its renderings.

Also decides whether words of a recording may be used as examples in prompts about others.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from anonymize.privacy.exported_clips import find_unchanged_clip, list_unread_renderings
from project.entities.egress_policy import EgressRequest, Purpose
from project.entities.judgments import RAW_CONDITION
from project.entities.questions import Question
from project.errors import UserError
from project.files.fingerprints import fingerprint
from project.queries.chain_rows import recordings_of_nodes
from project.queries.history_rows import find_run, runs_of
from project.session.session import PerState, Session

RENDERING_KIND = "anonymize"
_PLACEHOLDER_SHA256 = "0" * 64


@dataclass(frozen=True, slots=True)
class Condition:
    """One way to show a recording.

    Attributes:
        id: `RAW_CONDITION`, or the id of the run that made the rendering.
        name: for people: `raw`, or the rendering's method, with its time where there are several of that method.
        reviewed: it passed review in its present form, so it may leave where the policy permits anonymized footage.
        unreviewed_reason: why it does not count as reviewed, as a clause; "" if it does.
    """

    id: str
    name: str
    reviewed: bool
    unreviewed_reason: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The file that shows a recording under a condition.

    Attributes:
        zero_us: its zero on the recording's axis.
        start_us: start of the span that it shows.
        end_us: end of that span; None for the end of the recording.
        sha256: of a rendering; "" for the recorded file.
    """

    path: Path
    fingerprint: str
    zero_us: int = 0
    start_us: int = 0
    end_us: int | None = None
    sha256: str = ""


def condition_names(session: Session, recording_id: str) -> dict[str, str]:
    """Return id -> name of each condition of a recording: raw, then renderings whose file exists, newest first."""
    renderings = [
        run
        for run in runs_of(session.study, recording_id, RENDERING_KIND)
        if find_unchanged_clip(session, run) is not None
    ]
    methods = [run.backend for run in renderings]
    told = {
        run.id: run.backend if methods.count(run.backend) == 1 else f"{run.backend} {run.finished_at[:16]}"
        for run in renderings
    }
    return {RAW_CONDITION: RAW_CONDITION, **told}


def unread_renderings(session: Session, recording_id: str) -> list[Path]:
    """Return the renderings of a recording whose checksums are not known yet; see `exported_clips.read_checksums`."""
    return list_unread_renderings(session, runs_of(session.study, recording_id, RENDERING_KIND))


def conditions(session: Session, recording_id: str) -> list[Condition]:
    """Return the conditions of a recording, in the order of `condition_names`."""
    # Imported here because it loads all release checks, which the window does not need until somebody asks.
    from anonymize.egress.egress_evidence import gather_evidence

    found = [Condition(RAW_CONDITION, RAW_CONDITION, False, "it is not anonymized")]
    for run_id, name in condition_names(session, recording_id).items():
        if run_id == RAW_CONDITION:
            continue
        request = EgressRequest(
            *(Purpose.JUDGE, "", 0, (), False),
            texts=1,
            frames=(_PLACEHOLDER_SHA256,),
            condition=run_id,
            recording_id=recording_id,
        )
        why_not = gather_evidence(session, request).unreviewed
        found.append(Condition(run_id, name, not why_not, why_not))
    return found


def resolve_condition(session: Session, recording_id: str, text: str) -> str:
    """Return the id of a condition of a recording that a person typed.

    It is `raw`, the id of a run, the name of a clip, or a method: the newest rendering by it.
    """
    if text == RAW_CONDITION:
        return RAW_CONDITION
    runs = runs_of(session.study, recording_id, RENDERING_KIND)
    for run in runs:
        if text in (run.id, run.backend, str(run.result.get("output"))):
            return run.id
    known = ", ".join([RAW_CONDITION, *dict.fromkeys(run.backend for run in runs)])
    number = session.recording(recording_id).number
    raise UserError(f"Recording {number} has no rendering “{text}”.", f"Choose one of {known}, or export one first.")


def equal_condition(session: Session, condition: str, recording_id: str) -> str:
    """Return the condition in which another recording looks alike: raw, or its newest rendering by the same method."""
    run = None if condition == RAW_CONDITION else find_run(session.study, condition)
    if run is None or run.recording_id == recording_id:
        return condition
    return resolve_condition(session, recording_id, run.backend)


def find_source(session: Session, recording_id: str, condition: str) -> Source | None:
    """Return the file that shows a recording under a condition; None for a recording without a picture."""
    if condition == RAW_CONDITION:
        if not session.has_picture(recording_id):
            return None
        located = session.require_picture(recording_id)
        return Source(located.path, located.medium.fingerprint)
    run = find_run(session.study, condition)
    if run is None or run.recording_id != recording_id or run.kind != RENDERING_KIND:
        raise UserError(
            "This recording is not rendered in this condition.",
            "Choose another condition, or export the rendering first.",
        )
    path = find_unchanged_clip(session, run)
    if path is None:
        raise UserError(
            f"The rendering {run.result.get('output')} is missing or was changed.",
            "Put the original file back beside the study, or export it again.",
        )
    start, end = (cast(int | None, run.parameters.get(key)) for key in ("start_us", "end_us"))
    zero = cast(int, run.result.get("zero_us", 0))
    return Source(path, fingerprint(path), zero, start or 0, end, str(run.result["sha256"]))


def may_send_words(session: Session, recording_id: str) -> bool:
    """Tell whether words of a recording may be sent to a model, by the rules for its own segments."""
    return _MAY_SEND.get(session, recording_id)


def _are_all_willing(session: Session, recording_id: str) -> bool:
    # Imported here because it loads all release checks, which the window does not need until somebody asks.
    from anonymize.egress.egress_evidence import gather_evidence

    words = EgressRequest(
        *(Purpose.JUDGE, "", 0, (), False), texts=1, condition=RAW_CONDITION, recording_id=recording_id
    )
    return not gather_evidence(session, words).unwilling


_MAY_SEND = PerState(_are_all_willing)
MISSING_RECORDING = "?"
"""Stands for the recording of a node that is no longer in the study, so whose consent it needs is unknown."""


def option_recordings(session: Session, question: Question) -> list[str]:
    """Return ids of the other recordings that wrong options were taken from, `MISSING_RECORDING` among them."""
    sources = dict.fromkeys(wrong_option.source for wrong_option in question.wrong if wrong_option.source)
    if not sources:
        return []
    known = recordings_of_nodes(session.study, sources)
    homes = dict.fromkeys(known.get(source, MISSING_RECORDING) for source in sources)
    return [home for home in homes if home != question.recording_id]
