"""Evidence for egress decisions: review states and consents of the data that a request contains.

Texts and renderings are judged by the rules of a release.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from annotate.study.leave_permission import LeaveUse, may_leave
from anonymize.methods.face_methods import method_type
from anonymize.pii_review.study_finder import current_recognizers, unsearched_texts
from anonymize.privacy.exported_clips import ExportedClip, find_clip_files, find_unchanged_clip, list_recording_exports
from anonymize.privacy.privacy_limits import read_privacy_limits
from anonymize.release.release_gate import (
    check_drafts,
    check_faces_reviewed,
    check_faces_tracked,
    check_file_present,
    check_pii_reviewed,
    check_uncovered,
    rows_past_history,
)
from anonymize.release.release_plan import NONE, SCRUB, SOLID, ReleasePlan
from anonymize.release.release_rendering import RenderingCheck, add_measures, outcome_blockers
from anonymize.release.release_rules import ReleaseBlocker, ReleaseCandidate, remaining_blockers, valid_waivers
from anonymize.release.release_sound import PersonalHits
from anonymize.release.release_texts import is_transcript_confirmed
from anonymize.sound.voice_methods import MUTE
from project.entities.egress_policy import EgressRequest, RequestEvidence
from project.entities.judgments import RAW_CONDITION
from project.entities.study_records import Json, Run
from project.errors import UserError
from project.queries.face_rows import mask_state
from project.queries.history_rows import find_run
from project.queries.recording_rows import find_recording
from project.search.free_texts import free_texts
from project.session.session import PerState, Session
from project.text_format import escape_unprintable, pluralize
from project.timebase import SECOND_US


def text_blockers(candidate: ReleaseCandidate) -> list[ReleaseBlocker]:
    """Return what stands in the way of the scrubbed transcript of a recording that wants to leave, but for waivers."""
    found = [*check_drafts(candidate), *check_pii_reviewed(candidate)]
    if not found and not is_transcript_confirmed(candidate.session, candidate.recording):
        found.append(
            candidate.build_blocker(
                "texts-reviewed",
                f"Nobody read the scrubbed transcript of recording {candidate.number} as it is now.",
                "Read it, then confirm: greenroom release texts STUDY --confirm",
            )
        )
    return remaining_blockers(found, valid_waivers(candidate.session))


def needs_search(session: Session) -> bool:
    """Tell whether texts were not searched yet and must not be now: it takes seconds, and a window stood still."""
    return not session.patient and bool(
        unsearched_texts(session, [free_text.text for free_text in free_texts(session.study)])
    )


_SOURCE_RULES: tuple[Callable[[ReleaseCandidate], Iterator[ReleaseBlocker]], ...] = (
    check_file_present,
    check_faces_tracked,
    check_faces_reviewed,
    check_uncovered,
)
"""Release rules that a recording must keep before its rendering may leave."""
_EXPORT_AGAIN_HINT = "Export it again: greenroom anonymize export STUDY --recording N --out FOLDER"


def rendering_blockers(candidate: ReleaseCandidate, run_id: str) -> list[ReleaseBlocker]:
    """Return what stands in the way of a rendering that wants to leave, but for what was waived."""
    export = next(
        (
            export
            for export in list_recording_exports(candidate.session, candidate.recording)
            if export.run.id == run_id
        ),
        None,
    )
    if export is None:
        return [
            candidate.build_blocker(
                "rendered", f"Recording {candidate.number} has no such rendering.", _EXPORT_AGAIN_HINT
            )
        ]
    found = [reason for rule in _SOURCE_RULES for reason in rule(candidate)]
    found += _check_rendered(candidate, export)
    if not found:
        found += outcome_blockers([_rendering_check(candidate, export)])
    return remaining_blockers(found, valid_waivers(candidate.session))


def _check_rendered(candidate: ReleaseCandidate, export: ExportedClip) -> Iterator[ReleaseBlocker]:
    """Rule `rendered`: the file is what was rendered and checked, of the faces as they are now."""
    run, medium = export.run, candidate.session.main_medium(candidate.recording.id)
    state = mask_state(candidate.session.study, candidate.recording.id)
    if run.result.get("outdated") or not state or run.parameters.get("mask_state") != state:
        yield candidate.build_blocker(
            "rendered",
            f"The faces of recording {candidate.number} were changed after {export.clip} was made.",
            _EXPORT_AGAIN_HINT,
        )
    elif medium is None or run.parameters.get("fingerprint") != medium.fingerprint:
        yield candidate.build_blocker(
            "rendered", f"{export.clip} was made of another file of recording {candidate.number}.", _EXPORT_AGAIN_HINT
        )
    if find_unchanged_clip(candidate.session, run) is None:
        yield candidate.build_blocker(
            "rendered",
            f"{export.clip} is not beside the study, or is not the file that was made and checked.",
            f"Put it back beside the study, or: {_EXPORT_AGAIN_HINT}",
        )


def _rendering_check(candidate: ReleaseCandidate, export: ExportedClip) -> RenderingCheck:
    """Return what came of rendering and checking an export, as a release judges it."""
    run = export.run
    made = RenderingCheck(
        candidate.number,
        run.backend,
        frames=int(cast(int, run.result.get("frames", 0))),
        faces_left_us=_times(run.result, "faces_left"),
        doubtful_us=_times(run.result, "doubtful"),
        bare_us=_times(run.result, "bare"),
        checked_by=str(run.result.get("checked_by", "")),
        witness=str(run.parameters.get("witness") or ""),
    )
    exempt = cast(Sequence[str], run.parameters.get("exempt", ()))
    if candidate.faces is not None and all(face.dismissed or face.id in exempt for face in candidate.faces.faces):
        return replace(made, measured=True)
    if export.report is None:
        return replace(made, why_not="Measure it: greenroom anonymize measure STUDY.")
    drawn = method_type(run.backend).kind == "face"
    return add_measures(made, export.report, read_privacy_limits(candidate.session.study), drawn=drawn)


def _times(result: Mapping[str, Json], key: str) -> tuple[int, ...]:
    """Return times of a result, in microseconds."""
    found = result.get(key)
    if not isinstance(found, list) or not all(isinstance(seconds, int | float) for seconds in found):
        raise UserError("This rendering lacks checks that a review needs.", _EXPORT_AGAIN_HINT)
    return tuple(round(cast(float, seconds) * SECOND_US) for seconds in found)


_CONSENT_TABLES = ("consent", "hold_out", "participant", "appearance", "waiver")
"""Tables whose rows say who agreed, who is asked, and what never leaves."""


def _find_changed_consents(session: Session) -> list[str]:
    unlike, added = rows_past_history(session, _CONSENT_TABLES, ("consent", "waiver"))
    return [*unlike, *(f"the history knows nothing of {row}" for row in added)]


_CHANGED_CONSENTS = PerState(_find_changed_consents)


def history_refusal(session: Session) -> str:
    """Return why nothing is sent: another program changed who agreed, or what is held out; "" where none did."""
    changed = _CHANGED_CONSENTS.get(session)
    if not changed or ("history", None) in valid_waivers(session):
        return ""
    more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
    return f"another program changed who agreed or what is held out: {escape_unprintable(changed[0])}{more}"


def sending_refusal(candidate: ReleaseCandidate, *, hidden: bool) -> str:
    """Return why nothing of a recording is sent to a model, as a clause; "" where everybody agreed.

    `hidden` says that every face that is sent is painted over wholly, so that it is no matter whose it is.
    """
    if changed := history_refusal(candidate.session):
        return changed
    permission = may_leave(candidate.session, candidate.recording.id, LeaveUse.MODEL_REQUEST)
    if not permission:
        return permission.refusal
    unknown = candidate.speech.unattributed
    if unknown:
        return f"it is not confirmed who says {pluralize(len(unknown), 'utterance')} of recording {candidate.number}"
    nobody = [] if hidden or candidate.faces is None else candidate.faces.unassigned_faces
    if nobody:
        verb = "belongs" if len(nobody) == 1 else "belong"
        return f"{pluralize(len(nobody), 'face track')} of recording {candidate.number} {verb} to nobody who was asked"
    return ""


def gather_work_evidence(session: Session, request: EgressRequest) -> RequestEvidence:
    """Return whether recordings may be worked on by other machines.

    Whose faces and voices nobody knows yet is no reason: that is found out by such work.
    """
    about = [recording_id for recording_id in (request.recording_id, *request.others) if recording_id]
    if request.has_study_content and not about:
        return RequestEvidence("", "it is not known which recordings it is about")
    refusals = (may_leave(session, recording_id, LeaveUse.REMOTE_WORK).refusal for recording_id in about)
    return RequestEvidence("", history_refusal(session) or next(filter(None, refusals), ""))


_EXPORT_KIND = "anonymize"
_GONE_REASON = "it holds words of something that is gone, so nobody knows who was asked"
_UNSEARCHED_REASON = "its texts were not searched for personal information since the study was opened"
_SEARCH_HINT = "Open Speech > Personal information, which searches them, then ask again."
_KNOWN: PerState[dict[tuple[object, ...], RequestEvidence]] = PerState(lambda _session: {})


def gather_evidence(session: Session, request: EgressRequest) -> RequestEvidence:
    """Return what the study says about a request that holds something of it; cached until study or files change."""
    if not request.has_study_content:
        return RequestEvidence("", "")
    about = (request.recording_id, request.condition, bool(request.texts), bool(request.frames or request.clips))
    key = (*about, current_recognizers(), *_file_states(session, request))
    known = _KNOWN.get(session)
    found = known.get(key) or _collect(session, *about)
    # A search of texts changes no state of the study.
    if found.unreviewed != _UNSEARCHED_REASON:
        known[key] = found
    found = replace(found, unwilling=found.unwilling or _others_refusal(session, request))
    return found if found.unreviewed else _with_pictured(session, found, request)


def _with_pictured(session: Session, found: RequestEvidence, request: EgressRequest) -> RequestEvidence:
    """Return the evidence, or why a rendering of another recording in the request is not reviewed."""
    for run_id in request.pictured:
        run = find_run(session.study, run_id)
        home = run.recording_id if run is not None else None
        pictures = replace(request, recording_id=home or "", condition=run_id, texts=0, others=(), pictured=())
        other = gather_evidence(session, pictures)
        if other.unreviewed or other.unwilling:
            return replace(other, unwilling=found.unwilling or other.unwilling)
    return found


def _others_refusal(session: Session, request: EgressRequest) -> str:
    """Return why words or pictures of another recording in the request are not sent; "" where they may be."""
    for other in request.others:
        words = replace(request, recording_id=other, condition=RAW_CONDITION, texts=1, frames=(), clips=())
        if against := gather_evidence(session, replace(words, others=(), pictured=())).unwilling:
            return against
    return ""


def _collect(session: Session, recording_id: str, condition: str, texts: bool, media: bool) -> RequestEvidence:
    if find_recording(session.study, recording_id) is None:
        return RequestEvidence("it belongs to no recording of this study", _GONE_REASON)
    try:
        candidate, run = _candidate(session, recording_id), _rendering(session, recording_id, condition)
        unwilling = sending_refusal(candidate, hidden=run is not None and run.backend == SOLID)
        if condition == RAW_CONDITION:
            return RequestEvidence("it is not anonymized", unwilling)
        if run is None:
            return RequestEvidence(f"recording {candidate.number} has no such rendering", unwilling)
        against = rendering_blockers(candidate, condition) if media else []
        if texts and not against and needs_search(session):
            return RequestEvidence(_UNSEARCHED_REASON, unwilling, _SEARCH_HINT)
        against += text_blockers(candidate) if texts else []
    except UserError as error:
        return RequestEvidence(_clause(error.message), _clause(error.message), error.hint)
    return RequestEvidence(_first_reason(against), unwilling, against[0].hint if against else "")


def _candidate(session: Session, recording_id: str) -> ReleaseCandidate:
    """Return the recording as the rules of a release judge it: its transcript leaves scrubbed, its sound never."""
    plan = ReleasePlan(texts=SCRUB, sound=NONE, cover=MUTE)
    people = may_leave(session, recording_id, LeaveUse.MODEL_REQUEST).people
    return ReleaseCandidate(session, plan, session.recording(recording_id), people, (), PersonalHits(session))


def _rendering(session: Session, recording_id: str, condition: str) -> Run | None:
    """Return the run that made a rendering of a recording; None where there is no such one."""
    run = find_run(session.study, condition)
    return run if run is not None and (run.recording_id, run.kind) == (recording_id, _EXPORT_KIND) else None


def _file_states(session: Session, request: EgressRequest) -> Iterator[object]:
    """Yield what changes with the recording's file and with the rendering's."""
    medium = session.main_medium(request.recording_id)
    path = None if medium is None else session.media_path(medium)
    paths = [] if path is None else [path]
    run = find_run(session.study, request.condition)
    if run is not None:
        paths += find_clip_files(session, str(run.result.get("output")))
    for path in paths:
        try:
            stat = path.stat()
            yield str(path), stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
        except OSError:
            yield str(path)


def _first_reason(reasons: list[ReleaseBlocker]) -> str:
    """Return the first reason as a clause, and how many more there are; "" where there is none."""
    if not reasons:
        return ""
    more = f" (and {pluralize(len(reasons) - 1, 'more reason')})" if len(reasons) > 1 else ""
    return f"{_clause(reasons[0].sentence)}{more}"


def _clause(sentence: str) -> str:
    """Return a sentence as the end of another one."""
    return f"{sentence[:1].lower()}{sentence[1:]}".rstrip(".")
