"""The job that makes a release: the rules first, then renderings, checks, measures, files, and a look at every file."""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import cast

from anonymize.faces.masking_plan import delete_tracks_file, gather_parameters
from anonymize.pii_review.pii_decisions import store_hit_numbers
from anonymize.pii_review.review_hits import find_hits
from anonymize.privacy.privacy_job import choose_strangers
from anonymize.privacy.privacy_limits import PrivacyLimits, read_privacy_limits
from anonymize.release.data_card import ReleaseFacts, collect_facts, write_cards
from anonymize.release.private_content import Private, collect_private
from anonymize.release.release_files import write_annotations, write_media, write_tables
from anonymize.release.release_gate import blockers_before_rendering, compute_signature, recheck_blockers
from anonymize.release.release_plan import (
    SCRUB,
    ReleasePlan,
    get_release_key,
    keyed_checksum,
    recording_code,
    require_possible,
)
from anonymize.release.release_rendering import (
    ReleaseRendering,
    RenderingCheck,
    RenderingParameters,
    delete_renderings,
    measure_outcome,
    outcome_blockers,
    render_and_check,
    require_source_unchanged,
    require_unchanged,
)
from anonymize.release.release_rules import (
    ReleaseBlocker,
    ReleaseCandidate,
    Selection,
    WaivedRule,
    remaining_blockers,
    select_candidates,
    valid_waivers,
)
from anonymize.release.release_sound import AudioTreatment, find_sound_problems, with_seeds
from anonymize.release.release_verification import Leak, find_leaks
from anonymize.sound.sound_plan import sound_filter
from project.codec import dump, dump_bytes, load
from project.entities.study_records import Changes, Json
from project.errors import Cancelled, UserError
from project.files.fingerprints import file_sha256
from project.files.publication import (
    MANIFEST_NAME,
    ReleasedFile,
    build_manifest,
    create_texts_folder,
    lend_texts_folder,
    list_files,
    require_free,
    require_unchanged_release,
    set_fixed_times,
    staging_folder,
)
from project.progress import Progress
from project.queries.history_rows import revision_key
from project.queries.recording_rows import all_recordings
from project.session.jobs import JobKind, JobOutcome, JobSpec, record_run
from project.session.session import Session
from project.text_format import pluralize
from resources.translation import tr

KIND = "release"
PRIVATE_FILE_NAME = "private"
"""The file among the prepared texts that says what must not leave."""
_SHOWN_LEAKS = 5


@dataclass(frozen=True, slots=True)
class ReleaseChecklist:
    """What can be said about a release before anything is rendered.

    Attributes:
        selection: what goes in, and what does not.
        reasons: everything that stands in the way, also what was waived.
    """

    selection: Selection
    reasons: tuple[ReleaseBlocker, ...]
    waived: tuple[WaivedRule, ...]

    @property
    def remaining(self) -> list[ReleaseBlocker]:
        """What was not waived."""
        return remaining_blockers(self.reasons, self.waived)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseParameters:
    """What a release is made from.

    Attributes:
        study: its file, which is read again before the release takes its place.
        seen: the state of the study that it was prepared from, see `revision_key`.
        texts: a folder of prepared texts, which the job removes.
        prepared: what was written there, by name.
        reasons: everything that stands in the way, also what was waived.
        facts: what card and manifest say about the study; None where the release is refused.
    """

    folder: Path
    study: Path
    seen: tuple[str, ...]
    texts: Path
    prepared: Mapping[str, ReleasedFile]
    plan: ReleasePlan
    reasons: tuple[ReleaseBlocker, ...]
    waived: tuple[WaivedRule, ...]
    recordings: tuple[RenderingParameters, ...]
    limits: PrivacyLimits
    facts: ReleaseFacts | None


@dataclass(frozen=True, slots=True)
class ReleaseResult:
    """What came of a release."""

    released: bool
    reasons: tuple[ReleaseBlocker, ...] = ()
    output: str = ""
    files: int = 0
    recordings: tuple[RenderingCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class ReleaseSecrets:
    """What must not leave, and what the job alone may know; lies among the prepared texts.

    Attributes:
        key: of the study's releases.
        signed: checksum of all that the release is decided by.
        sounds: number of a recording -> what is done to its sound.
    """

    key: str
    private: Private
    signed: str
    sounds: Mapping[int, AudioTreatment]


def build_checklist(session: Session, plan: ReleasePlan) -> ReleaseChecklist:
    """Judge a release as far as the study tells."""
    require_possible(plan)
    selection = select_candidates(session, plan)
    reasons = blockers_before_rendering(session, plan, selection)
    return ReleaseChecklist(selection, tuple(reasons), tuple(valid_waivers(session)))


def prepare(session: Session, folder: Path, plan: ReleasePlan) -> JobSpec[ReleaseParameters]:
    """Make the job; where rules stand in the way that need no rendering, it ends at once and says so."""
    require_free(folder)
    known = all_recordings(session.study)
    if not known:
        raise UserError("This study has no recordings yet.", "Add one: greenroom add STUDY VIDEO")
    if plan.texts == SCRUB:
        store_hit_numbers(session, find_hits(session))
    found = build_checklist(session, plan)
    refused = bool(found.remaining)
    texts = create_texts_folder()
    candidates = found.selection.candidates
    prepared: dict[str, ReleasedFile] = {}
    recordings: list[RenderingParameters] = []
    if not refused:
        key = get_release_key(session)
        prepared = write_annotations(texts, session, plan, found.selection)
        prepared |= write_tables(texts, plan, found.selection)
        recordings = [
            _gather_recording(session, plan, candidate, method)
            for candidate in candidates
            if candidate.has_picture
            for method in plan.methods_for(candidate.number)
        ]
        sounds = {
            candidate.number: with_seeds(candidate.audio_treatment, key)
            for candidate in candidates
            if candidate.audio_treatment is not None
        }
        signed = compute_signature(session, plan, found.selection, key)
        secrets = ReleaseSecrets(key, collect_private(session), signed, sounds)
        (texts / PRIVATE_FILE_NAME).write_bytes(dump_bytes(secrets))
        prepared[PRIVATE_FILE_NAME] = ReleasedFile((), file_sha256(texts / PRIVATE_FILE_NAME))
    return JobSpec(
        KIND,
        f"Release {pluralize(len(candidates), 'recording')}",
        candidates[0].recording.id if candidates else known[0].id,
        ReleaseParameters(
            folder=folder.absolute(),
            study=session.study.path.absolute(),
            seen=tuple(map(str, revision_key(session.study))),
            texts=texts,
            prepared=prepared,
            plan=plan,
            reasons=found.reasons,
            waived=found.waived,
            recordings=tuple(recordings),
            limits=read_privacy_limits(session.study),
            facts=None if refused else collect_facts(session, plan, found.selection),
        ),
    )


def renew(session: Session, work: JobSpec[ReleaseParameters]) -> JobSpec[ReleaseParameters]:
    """Return the job as it has to be now, when its turn comes: faces, texts or consent may have changed meanwhile."""
    if work.parameters.seen == tuple(map(str, revision_key(session.study))):
        return work
    discard(work.parameters)
    fresh = prepare(session, work.parameters.folder, work.parameters.plan)
    return replace(work, parameters=fresh.parameters)


def discard(parameters: ReleaseParameters) -> None:
    """Remove what was prepared for a release that is not made."""
    shutil.rmtree(parameters.texts, ignore_errors=True)
    for recording in parameters.recordings:
        delete_tracks_file(recording)


def compute(parameters: ReleaseParameters, progress: Progress) -> ReleaseResult:
    """Make the release, or say why not. Nothing is left of one that is refused, or that something was found in."""
    plan, waived, folder = parameters.plan, parameters.waived, parameters.folder
    progress.progress(0, 1, "Looking at the rules")
    with lend_texts_folder(parameters.texts) as texts:
        if left := remaining_blockers(parameters.reasons, waived):
            return ReleaseResult(False, tuple(left))
        secrets = _read_secrets(texts, parameters)
        renderings, outcomes = _render_all(parameters, secrets.key, progress)
        if left := remaining_blockers(outcome_blockers(outcomes), waived):
            return ReleaseResult(False, tuple(left), recordings=tuple(outcomes))
        try:
            with staging_folder(folder) as staging:
                written = _write(staging, texts, parameters, renderings, outcomes, secrets, progress)
                _verify(staging, plan, renderings, secrets, progress)
                count = len(list_files(staging))
                if now := recheck_blockers(parameters.study, plan, secrets.signed, secrets.key):
                    raise _RefusedError(now)
                require_unchanged_release(staging, written)
        except _RefusedError as refused:
            return ReleaseResult(False, tuple(refused.reasons), recordings=tuple(outcomes))
        delete_renderings(renderings)
    return ReleaseResult(True, (), str(folder), count, tuple(outcomes))


def store(session: Session, work: JobSpec[ReleaseParameters], result: ReleaseResult) -> Changes:
    """Record that a release was made or refused, as a run of each of its recordings."""
    numbers = {recording.number: recording.id for recording in all_recordings(session.study)}
    outcomes: dict[str, list[RenderingCheck]] = {}
    for outcome in result.recordings:
        if outcome.number in numbers:
            outcomes.setdefault(numbers[outcome.number], []).append(outcome)
    methods = "+".join(work.parameters.plan.methods) or KIND
    made = []
    with session.study.run_transaction():
        for recording_id, own in sorted(outcomes.items()) or [(work.recording_id, [])]:
            facts: dict[str, Json] = {
                "output": work.parameters.folder.name,
                "rules": [*sorted({reason.rule for reason in result.reasons})],
                "outcomes": [dump(outcome) for outcome in own],
            }
            state: dict[str, Json] = {"mask_state": own[0].mask_state if own else ""}
            here = replace(work, recording_id=recording_id)
            made.append(("run", record_run(session, here, methods, result, parameters=state, facts=facts).id))
    return Changes.from_pairs(made)


class _RefusedError(Exception):
    """The release may not take its place."""

    def __init__(self, reasons: Sequence[ReleaseBlocker]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


def _verify(
    staging: Path,
    plan: ReleasePlan,
    renderings: Sequence[ReleaseRendering],
    secrets: ReleaseSecrets,
    progress: Progress,
) -> None:
    """Refuse a finished release that holds what must not leave, and one whose sources were changed meanwhile."""
    progress.progress(0, 1, "Reading back every file")
    leaks = find_leaks(staging, secrets.private, sound=plan.includes_sound)
    for rendering in renderings:
        planned = secrets.sounds.get(rendering.outcome.number)
        if planned is not None:
            source, track = rendering.plan.source, rendering.plan.track
            code = recording_code(rendering.outcome.number)
            for clip in sorted(staging.glob(f"video-*/{rendering.outcome.method}/{code}.mp4")):
                wrong = find_sound_problems(clip, source, planned, progress, track=track)
                leaks += [Leak(clip.relative_to(staging).as_posix(), what) for what in wrong]
    if leaks:
        shown = "; ".join(f"{leak.path}: {leak.what}" for leak in leaks[:_SHOWN_LEAKS])
        raise UserError(
            f"The finished release contained what must not leave, so it was removed: {shown}.",
            "Change the private word, the name or the text, then make the release again.",
        )
    for rendering in {rendering.source.path: rendering for rendering in renderings}.values():
        require_source_unchanged(rendering, progress)


def _gather_recording(
    session: Session, plan: ReleasePlan, candidate: ReleaseCandidate, method: str
) -> RenderingParameters:
    """Return all that rendering, check and measures of a recording need."""
    found = gather_parameters(session, candidate.recording.id, method, keep_robots=plan.keep_robots)
    return RenderingParameters(
        **vars(found),
        id=candidate.recording.id,
        number=candidate.number,
        painted=tuple(candidate.solid_face_ids),
        strangers=choose_strangers(session, candidate.recording.id),
    )


def _render_all(
    parameters: ReleaseParameters, key: str, progress: Progress
) -> tuple[list[ReleaseRendering], list[RenderingCheck]]:
    renderings, outcomes = [], []
    for recording in parameters.recordings:
        progress.check_cancelled()
        try:
            rendering = render_and_check(recording, key, progress)
            outcome = measure_outcome(rendering, recording, parameters.limits, progress)
        except Cancelled:
            raise
        except UserError as error:
            failure = f"{error.message} {error.hint}"
            failed = RenderingCheck(recording.number, recording.method, recording.mask_state, failure=failure)
            outcomes.append(failed)
            continue
        renderings.append(rendering)
        outcomes.append(outcome)
    return renderings, outcomes


def _write(
    staging: Path,
    texts: Path,
    parameters: ReleaseParameters,
    renderings: Sequence[ReleaseRendering],
    outcomes: Sequence[RenderingCheck],
    secrets: ReleaseSecrets,
    progress: Progress,
) -> str:
    """Write every file of a release; returns the text of its manifest."""
    plan = parameters.plan
    treatments = {
        number: sound_filter(treatment, rendering.plan.source, progress, track=rendering.plan.track)
        for rendering in renderings
        if (treatment := secrets.sounds.get(number := rendering.outcome.number)) is not None
    }
    files = {name: file for name, file in parameters.prepared.items() if name != PRIVATE_FILE_NAME}
    for name, file in files.items():
        target = staging / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(texts / name, target)
        if file_sha256(target) != file.sha256:
            raise _changed_texts_error()
    files |= write_media(staging, plan, renderings, treatments, progress)
    for rendering in renderings:
        require_unchanged(rendering)
    facts = parameters.facts
    assert facts is not None
    files |= write_cards(staging, plan, outcomes, secrets.sounds, facts)
    sources = dict(facts.sources)
    for rendering in renderings:
        code = recording_code(rendering.outcome.number)
        treatment = secrets.sounds.get(rendering.outcome.number)
        sources[f"{code} {rendering.outcome.method}"] = {
            "recording": code,
            "method": rendering.outcome.method,
            "options": cast(Json, asdict(rendering.plan.method.options)),
            "weights": cast(Json, dict(rendering.weights)),
            "checked_by": rendering.outcome.checked_by,
            "raw": keyed_checksum(secrets.key, rendering.source.sha256),
            "sound": None if treatment is None else treatment.facts(),
        }
    text = build_manifest(staging, files, {**facts.manifest, "sources": sources})
    (staging / MANIFEST_NAME).write_text(text, "utf-8", newline="\n")
    set_fixed_times(staging)
    return text


def _read_secrets(texts: Path, parameters: ReleaseParameters) -> ReleaseSecrets:
    """Return what must not leave, as it was prepared."""
    try:
        content = (texts / PRIVATE_FILE_NAME).read_bytes()
    except OSError:
        raise _changed_texts_error() from None
    if hashlib.sha256(content).hexdigest() != parameters.prepared[PRIVATE_FILE_NAME].sha256:
        raise _changed_texts_error()
    return load(ReleaseSecrets, json.loads(content), PRIVATE_FILE_NAME)


def _changed_texts_error() -> UserError:
    return UserError(
        "The texts of the release have changed in the cache since the job started.", "Make the release again."
    )


def summarize(_work: JobSpec, result: ReleaseResult) -> str:
    """Say how many files were released, or that they were not."""
    if not result.released:
        return tr("Refused; the Release window says why")
    return tr("{files} files released").format(files=result.files)


_KEPT = ("plan", "waived", "released")

JOB = JobKind(
    key=KIND,
    parameters=ReleaseParameters,
    result=ReleaseResult,
    compute=compute,
    store=store,
    summarize=summarize,
    outcome=lambda result: JobOutcome.DONE if result.released else JobOutcome.REFUSED,
    renew=renew,
    resume=lambda session, _recording_id, folder, plan: prepare(session, folder, plan),
    resume_fields=("folder", "plan"),
    unsaved=tuple(
        each.name for part in (ReleaseParameters, ReleaseResult) for each in fields(part) if each.name not in _KEPT
    ),
    discard=discard,
)
