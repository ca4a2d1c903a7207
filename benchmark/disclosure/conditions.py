"""In which conditions a recording can be shown to a judge: as it was recorded, or in one of its renderings.

Examples for a prompt: what people of the study agreed on elsewhere, or else what the scheme itself explains. Which
other recordings the words of a question were taken from: their people are asked too before it leaves.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from anonymize.privacy.exported_clips import clip_of, unread
from project.entities.egress_policy import EgressRequest, Purpose
from project.entities.judgments import RAW
from project.entities.questions import Question
from project.errors import UserError
from project.files.fingerprints import fingerprint
from project.queries.chain_rows import homes_of_nodes
from project.queries.history_rows import run_called, runs_of
from project.session.session import PerState, Session

KIND = "anonymize"
_SOMETHING = "0" * 64


@dataclass(frozen=True, slots=True)
class Condition:
    """One way to show a recording.

    Attributes:
        id: `RAW`, or the id of the run that made the rendering.
        name: for people: `raw`, or the rendering's method, with its time where there are several of that method.
        reviewed: it passed review as things stand now, so it may leave where the policy lets anonymized footage leave.
        why_not: why it does not count as reviewed, as a clause; "" where it does.
    """

    id: str
    name: str
    reviewed: bool
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The file that is looked at under a condition.

    Attributes:
        path: of the file.
        fingerprint: of its content.
        zero_us: where its zero lies on the recording's axis.
        start_us: from where it shows the recording.
        end_us: until where; None for its end.
        sha256: of all of a rendering; "" for what was recorded.
    """

    path: Path
    fingerprint: str
    zero_us: int = 0
    start_us: int = 0
    end_us: int | None = None
    sha256: str = ""


def condition_names(session: Session, recording_id: str) -> dict[str, str]:
    """Return id -> name of each condition of a recording: raw, then renderings whose file is there, newest first."""
    renderings = [run for run in runs_of(session.study, recording_id, KIND) if clip_of(session, run) is not None]
    methods = [run.backend for run in renderings]
    told = {
        run.id: run.backend if methods.count(run.backend) == 1 else f"{run.backend} {run.finished_at[:16]}"
        for run in renderings
    }
    return {RAW: RAW, **told}


def unread_renderings(session: Session, recording_id: str) -> list[Path]:
    """Return the renderings of a recording that a window does not know yet; `anonymize.privacy.exported_clips.read` reads them."""
    return unread(session, runs_of(session.study, recording_id, KIND))


def conditions(session: Session, recording_id: str) -> list[Condition]:
    """Return the conditions of a recording, in the order of `condition_names`."""
    # It brings all that a release is judged by, which a window does without until somebody asks.
    from anonymize.egress.egress_evidence import evidences_of

    found = [Condition(RAW, RAW, False, "it is not anonymized")]
    evidences = evidences_of(session)
    for run_id, name in condition_names(session, recording_id).items():
        if run_id == RAW:
            continue
        request = EgressRequest(
            *(Purpose.JUDGE, "", 0, (), False),
            texts=1,
            frames=(_SOMETHING,),
            condition=run_id,
            recording_id=recording_id,
        )
        why_not = evidences.of(request).evidence.unreviewed
        found.append(Condition(run_id, name, not why_not, why_not))
    return found


def condition_called(session: Session, recording_id: str, text: str) -> str:
    """Return the id of the condition that a person means for a recording.

    Args:
        session: holds the study.
        recording_id: of the recording.
        text: `raw`, the id of a run, the name of a clip, or a method: the newest rendering by it.

    Raises:
        UserError: the recording has no such rendering.
    """
    if text == RAW:
        return RAW
    runs = runs_of(session.study, recording_id, KIND)
    for run in runs:
        if text in (run.id, run.backend, str(run.result.get("output"))):
            return run.id
    known = ", ".join([RAW, *dict.fromkeys(run.backend for run in runs)])
    number = session.recording(recording_id).number
    raise UserError(f"Recording {number} has no rendering “{text}”.", f"It has: {known}. Export one first.")


def source_under(session: Session, recording_id: str, condition: str) -> Source | None:
    """Return the file that is looked at under a condition; None for a recording without a picture.

    Raises:
        UserError: it is missing or another one by now, or there is no such rendering of the recording.
    """
    if condition == RAW:
        if not session.has_picture(recording_id):
            return None
        located = session.usable_picture(recording_id)
        return Source(located.path, located.medium.fingerprint)
    run = run_called(session.study, condition)
    if run is None or run.recording_id != recording_id or run.kind != KIND:
        raise UserError("This recording has no such rendering.", "Choose another condition, or export one first.")
    path = clip_of(session, run)
    if path is None:
        raise UserError(
            f"The rendering {run.result.get('output')} is not beside the study, or was changed since it was made.",
            "Put it back beside the study, or export it again.",
        )
    start, end = (cast(int | None, run.parameters.get(key)) for key in ("start_us", "end_us"))
    zero = cast(int, run.result.get("zero_us", 0))
    return Source(path, fingerprint(path), zero, start or 0, end, str(run.result["sha256"]))


_USABLE: PerState[dict[str, bool]] = PerState(lambda _session: {})


def usable(session: Session, recording_id: str) -> bool:
    """Tell whether words of a recording may be sent to a model, by the rules for its own segments."""
    known = _USABLE.of(session)
    if recording_id not in known:
        known[recording_id] = _willing(session, recording_id)
    return known[recording_id]


def _willing(session: Session, recording_id: str) -> bool:
    # It brings all that a release is judged by, which a window does without until somebody asks.
    from anonymize.egress.egress_evidence import evidences_of

    words = EgressRequest(*(Purpose.JUDGE, "", 0, (), False), texts=1, condition=RAW, recording_id=recording_id)
    return not evidences_of(session).of(words).evidence.unwilling


GONE = "?"
"""Stands for the recording of a node that is no longer part of the study: nobody knows who was asked."""


def homes_of_options(session: Session, question: Question) -> list[str]:
    """Return ids of the other recordings that wrong options of a question were taken from, `GONE` among them."""
    sources = dict.fromkeys(one.source for one in question.wrong if one.source)
    if not sources:
        return []
    known = homes_of_nodes(session.study, sources)
    homes = dict.fromkeys(known.get(one, GONE) for one in sources)
    return [one for one in homes if one != question.recording_id]
