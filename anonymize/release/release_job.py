"""The job that makes a release: the rules first, then renderings, checks, measures, files, and a look at every file."""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from anonymize.faces.masking_plan import delete_tracks_file, gather_parameters
from anonymize.pii_review.pii_decisions import store_hit_numbers
from anonymize.pii_review.review_hits import find_hits
from anonymize.privacy.privacy_job import choose_strangers
from anonymize.privacy.privacy_limits import PrivacyLimits, read_privacy_limits
from anonymize.release.data_card import CardFacts, collect_card_facts, collect_manifest_facts, write_cards
from anonymize.release.private_content import Private, collect_private
from anonymize.release.release_files import write_annotations, write_media, write_tables
from anonymize.release.release_gate import ReleaseCandidate, Selection, blockers_before_rendering, select_candidates
from anonymize.release.release_plan import (
    SCRUB,
    ReleasePlan,
    get_release_key,
    keyed_checksum,
    recording_code,
    require_possible,
)
from anonymize.release.release_recheck import compute_signature, numbered_waivers, recheck_blockers
from anonymize.release.release_rendering import (
    ReleaseRendering,
    delete_renderings,
    measure_outcome,
    render_and_check,
    require_source_unchanged,
    require_unchanged,
)
from anonymize.release.release_rules import (
    ReleaseBlocker,
    RenderingCheck,
    outcome_blockers,
    remaining_blockers,
)
from anonymize.release.release_sound import (
    AudioTreatment,
    build_sound_filter,
    derive_voice_seeds,
    find_sound_problems,
)
from anonymize.release.release_verification import Leak, find_leaks
from models.faces.face_detectors import DEFAULT_DETECTOR, find_independent, join_names
from project.codec import dump, load
from project.entities.study_records import Changes, Json, Run
from project.errors import Cancelled, UserError
from project.files.fingerprints import file_sha256
from project.files.publication import (
    MANIFEST_NAME,
    build_manifest,
    create_texts_folder,
    lend_texts_folder,
    list_files,
    require_free,
    require_unchanged_release,
    set_fixed_times,
    staging_folder,
)
from project.ids import new_id
from project.progress import Progress
from project.queries.history_rows import insert_run, latest_run, read_steps
from project.queries.recording_rows import all_recordings
from project.queries.transcript_rows import SPEECH
from project.session.jobs import JobSpec
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import utc_now
from project.version import __version__

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
        waived: rule and number of a recording, or None for all.
    """

    plan: ReleasePlan
    selection: Selection
    reasons: tuple[ReleaseBlocker, ...]
    waived: tuple[tuple[str, int | None], ...]

    @property
    def remaining(self) -> list[ReleaseBlocker]:
        """What was not waived."""
        return remaining_blockers(self.reasons, self.waived)


def build_checklist(session: Session, plan: ReleasePlan) -> ReleaseChecklist:
    """Judge a release as far as the study tells."""
    require_possible(plan)
    selection = select_candidates(session, plan)
    waived = tuple((waiver.rule, number) for waiver, number in numbered_waivers(session))
    return ReleaseChecklist(plan, selection, tuple(blockers_before_rendering(session, plan, selection)), waived)


def prepare(session: Session, folder: Path, plan: ReleasePlan) -> JobSpec:
    """Make the job; where rules stand in the way that need no rendering, it ends at once and says so."""
    require_free(folder)
    if plan.texts == SCRUB:
        store_hit_numbers(session, find_hits(session))
    found = build_checklist(session, plan)
    refused = bool(found.remaining)
    texts = create_texts_folder()
    made: dict[str, list[str]] = {}
    recordings: list[Json] = []
    if not refused:
        key = get_release_key(session)
        made = write_annotations(texts, session, plan, found.selection)
        made |= {name: [] for name in write_tables(texts, plan, found.selection)}
        recordings = [
            _gather_recording(session, plan, candidate, name) for candidate, name in _renderings(plan, found.selection)
        ]
        secret: dict[str, Json] = {
            "key": key,
            "private": dump(collect_private(session)),
            "signed": compute_signature(session, plan, found.selection, key),
            "sounds": {
                str(candidate.number): _treatment_json(candidate.audio_treatment, key)
                for candidate in found.selection.candidates
            },
        }
        (texts / PRIVATE_FILE_NAME).write_text(json.dumps(secret), "utf-8")
    candidates = found.selection.candidates
    return JobSpec(
        KIND,
        f"Release {pluralize(len(candidates), 'recording')}",
        candidates[0].recording.id if candidates else all_recording_ids(session)[0],
        {
            "folder": str(folder.absolute()),
            "study": str(session.study.path.absolute()),
            "seen": _study_version(session),
            "texts": str(texts),
            "prepared": {name: file_sha256(texts / name) for name in list_files(texts)},
            "plan": dump(plan),
            "reasons": [dump(reason) for reason in found.reasons],
            "waived": [[rule, number] for rule, number in found.waived],
            "made_of": cast(Json, made),
            "recordings": recordings,
            "limits": dump(read_privacy_limits(session.study)),
            "card": dump(collect_card_facts(session, found.selection, found.plan.texts)) if not refused else {},
            "facts": cast(Json, collect_manifest_facts(session, found.plan, found.selection)) if not refused else {},
        },
    )


def renew(session: Session, work: JobSpec) -> JobSpec:
    """Return the job as it has to be now, when its turn comes: faces, texts or consent may have changed meanwhile."""
    if work.parameters["seen"] == _study_version(session):
        return work
    shutil.rmtree(str(work.parameters["texts"]), ignore_errors=True)
    for recording in cast(list[dict[str, Json]], work.parameters["recordings"]):
        delete_tracks_file(recording)
    plan = load(ReleasePlan, work.parameters["plan"], KIND)
    fresh = prepare(session, Path(str(work.parameters["folder"])), plan)
    return replace(work, parameters=fresh.parameters)


def _study_version(session: Session) -> list[Json]:
    """Return what changes with every edit and every run: what a job was prepared from."""
    newest = [f"{step.id} {step.at}" for step in read_steps(session.study, 1)]
    kinds = ("faces", SPEECH)
    found = (
        latest_run(session.study, recording_id, kind) for recording_id in all_recording_ids(session) for kind in kinds
    )
    runs = [run.id for run in found if run is not None]
    return [*newest, *runs]


def all_recording_ids(session: Session) -> list[str]:
    """Return the ids of all recordings."""
    found = [recording.id for recording in all_recordings(session.study)]
    if not found:
        raise UserError("The study has no recordings yet.", "Add one: greenroom add STUDY VIDEO")
    return found


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Make the release, or say why not. Nothing is left of one that is refused, or that something was found in."""
    plan = load(ReleasePlan, parameters["plan"], KIND)
    waived = [(str(rule), number) for rule, number in cast(list[tuple[str, int | None]], parameters["waived"])]
    reasons = [load(ReleaseBlocker, reason, KIND) for reason in cast(list[Json], parameters["reasons"])]
    progress.progress(0, 1, "Looking at the rules")
    with lend_texts_folder(Path(str(parameters["texts"]))) as texts:
        if remaining_blockers(reasons, waived):
            return _refusal(remaining_blockers(reasons, waived), [])
        secret = _read_private(texts, parameters)
        renderings, outcomes = _render_all(parameters, str(secret["key"]), progress)
        left = remaining_blockers(outcome_blockers(outcomes), waived)
        if left:
            return _refusal(left, outcomes) | {"states": _states(parameters)}
        private = load(Private, secret["private"], KIND)
        folder = Path(str(parameters["folder"]))
        with _collect_refusal() as refused, staging_folder(folder) as staging:
            written = _write(staging, texts, parameters, plan, renderings, outcomes, secret, progress)
            progress.progress(0, 1, "Reading back every file")
            leaks = find_leaks(staging, private, sound=plan.includes_sound)
            leaks += _verify_sounds(staging, renderings, secret["sounds"], progress)
            if leaks:
                shown = "; ".join(f"{leak.path}: {leak.what}" for leak in leaks[:_SHOWN_LEAKS])
                raise UserError(
                    f"The finished release held what must not leave, so it was removed. {shown}.",
                    "Change the private word, the names or the text that is named, then release again.",
                )
            for rendering in {rendering.source.path: rendering for rendering in renderings}.values():
                require_source_unchanged(rendering, progress)
            count = sum(1 for path in staging.rglob("*") if path.is_file())
            now = recheck_blockers(Path(str(parameters["study"])), plan, str(secret["signed"]), str(secret["key"]))
            if now:
                raise _RefusedError(now)
            require_unchanged_release(staging, written)
        if refused:
            return _refusal(refused, outcomes) | {"states": _states(parameters)}
        delete_renderings(renderings)
    return {
        "released": True,
        "reasons": [],
        "output": str(folder),
        "files": count,
        "recordings": [dump(outcome) for outcome in outcomes],
        "states": _states(parameters),
    }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Record that a release was made or refused, as a run of each of its recordings."""
    numbers = {recording.number: recording.id for recording in all_recordings(session.study)}
    outcomes = [load(RenderingCheck, outcome, KIND) for outcome in cast(list[Json], result["recordings"])]
    plan = cast(dict[str, Json], work.parameters["plan"])
    states = cast(dict[str, str], result["states"])
    about = {numbers[outcome.number] for outcome in outcomes if outcome.number in numbers} or {work.recording_id}
    made = []
    with session.study.run_transaction():
        for recording_id in sorted(about):
            parameters: dict[str, Json] = {
                "plan": plan,
                "waived": work.parameters["waived"],
                "mask_state": states.get(recording_id, ""),
            }
            kept: dict[str, Json] = {
                "released": result["released"],
                "output": Path(str(work.parameters["folder"])).name,
                "rules": [*sorted({str(reason["rule"]) for reason in cast(list[dict[str, Json]], result["reasons"])})],
                "outcomes": [dump(outcome) for outcome in outcomes if numbers.get(outcome.number) == recording_id],
            }
            methods = "+".join(cast(list[str], plan["methods"])) or KIND
            run = Run(new_id(), recording_id, KIND, methods, parameters, kept, utc_now(), __version__)
            insert_run(session.study, run)
            made.append(("run", run.id))
    return Changes.from_pairs(made)


class _RefusedError(Exception):
    """The release may not take its place."""

    def __init__(self, reasons: Sequence[ReleaseBlocker]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


@contextmanager
def _collect_refusal() -> Iterator[list[ReleaseBlocker]]:
    """Lend a list that holds, after the block, the reasons for which it was left."""
    reasons: list[ReleaseBlocker] = []
    try:
        yield reasons
    except _RefusedError as refused:
        reasons += refused.reasons


def _refusal(reasons: Sequence[ReleaseBlocker], outcomes: Sequence[RenderingCheck]) -> dict[str, Json]:
    return {
        "released": False,
        "reasons": [dump(reason) for reason in reasons],
        "output": "",
        "files": 0,
        "recordings": [dump(outcome) for outcome in outcomes],
        "states": {},
    }


def _treatment_json(audio_treatment: AudioTreatment | None, key: str) -> Json:
    """Return what is done to the sound of a recording, with what its voices follow from: for the job's eyes alone."""
    return (
        None
        if audio_treatment is None
        else {**dump(audio_treatment), "seeds": {**derive_voice_seeds(audio_treatment, key)}}
    )


def _sound_facts(found: Mapping[str, Any] | None) -> Json:
    return None if found is None else load(AudioTreatment, found, KIND).facts()


def _verify_sounds(
    staging: Path, renderings: Sequence[ReleaseRendering], sounds: Mapping[str, Any], progress: Progress
) -> list[Leak]:
    """Return what is wrong with the sound of the clips in a finished release."""
    found: list[Leak] = []
    for rendering in renderings:
        planned = sounds[str(rendering.outcome.number)]
        if planned is None:
            continue
        for clip in sorted(
            staging.glob(f"video-*/{rendering.outcome.method}/{recording_code(rendering.outcome.number)}.mp4")
        ):
            source, track = rendering.plan.source, rendering.plan.track
            wrong = find_sound_problems(clip, source, load(AudioTreatment, planned, KIND), progress, track=track)
            found += [Leak(clip.relative_to(staging).as_posix(), what) for what in wrong]
    return found


def _states(parameters: Mapping[str, Json]) -> dict[str, Json]:
    """Return recording id -> the state of the masks that was rendered."""
    return {
        str(recording["id"]): recording["mask_state"]
        for recording in cast(list[dict[str, Json]], parameters["recordings"])
    }


def _renderings(plan: ReleasePlan, selection: Selection) -> list[tuple[ReleaseCandidate, str]]:
    return [
        (candidate, name)
        for candidate in selection.candidates
        if candidate.has_picture
        for name in plan.methods_for(candidate.number)
    ]


def _gather_recording(session: Session, plan: ReleasePlan, candidate: ReleaseCandidate, method: str) -> Json:
    """Return all that rendering, check and measures of a recording need."""
    found = gather_parameters(session, candidate.recording.id, method, keep_robots=plan.keep_robots)
    witness = find_independent(str(found["tracked_by"]))
    return {
        **found,
        "id": candidate.recording.id,
        "number": candidate.number,
        "painted": [*candidate.solid_face_ids],
        "detector": join_names((DEFAULT_DETECTOR, witness)) if witness else DEFAULT_DETECTOR,
        "witness": witness or "",
        "strangers": [dump(stranger) for stranger in choose_strangers(session, candidate.recording.id)],
    }


def _render_all(
    parameters: Mapping[str, Json], key: str, progress: Progress
) -> tuple[list[ReleaseRendering], list[RenderingCheck]]:
    limits = load(PrivacyLimits, parameters["limits"], KIND)
    renderings, outcomes = [], []
    for recording in cast(list[dict[str, Json]], parameters["recordings"]):
        progress.check_cancelled()
        number = cast(int, recording["number"])
        try:
            rendering = render_and_check(number, recording, key, progress)
            outcome = measure_outcome(rendering, recording, limits, progress)
        except Cancelled:
            raise
        except UserError as error:
            outcomes.append(RenderingCheck(number, str(recording["method"]), failure=f"{error.message} {error.hint}"))
            continue
        renderings.append(rendering)
        outcomes.append(outcome)
    return renderings, outcomes


def _write(
    staging: Path,
    texts: Path,
    parameters: Mapping[str, Json],
    plan: ReleasePlan,
    renderings: Sequence[ReleaseRendering],
    outcomes: Sequence[RenderingCheck],
    secret: Mapping[str, Any],
    progress: Progress,
) -> str:
    """Write every file of a release; returns the text of its manifest.

    Raises:
        Cancelled: the user stopped it.
    """
    key = str(secret["key"])
    treatments = {
        rendering.outcome.number: build_sound_filter(
            load(AudioTreatment, found, KIND),
            rendering.plan.source,
            found["seeds"],
            progress,
            track=rendering.plan.track,
        )
        for rendering in renderings
        if (found := secret["sounds"][str(rendering.outcome.number)]) is not None
    }
    made_of = {name: list(codes) for name, codes in cast(dict[str, list[str]], parameters["made_of"]).items()}
    written: dict[str, str] = {}
    for name in made_of:
        target = staging / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(texts / name, target)
        if file_sha256(target) != _prepared_sha256(parameters, name):
            raise _changed_texts_error()
        written[name] = str(_prepared_sha256(parameters, name))
    media = write_media(staging, plan, renderings, treatments, progress)
    made_of |= {name: [file.source] for name, file in media.items()}
    written |= {name: file.sha256 for name, file in media.items()}
    for rendering in renderings:
        require_unchanged(rendering)
    facts = cast(dict[str, Json], parameters["facts"])
    written |= write_cards(staging, plan, outcomes, load(CardFacts, parameters["card"], KIND))
    sources = cast(dict[str, Json], facts["sources"])
    for rendering in renderings:
        code = recording_code(rendering.outcome.number)
        sources[f"{code} {rendering.outcome.method}"] = {
            "recording": code,
            "method": rendering.outcome.method,
            "options": cast(Json, asdict(rendering.plan.method.options)),
            "weights": cast(Json, dict(rendering.weights)),
            "checked_by": rendering.outcome.checked_by,
            "raw": keyed_checksum(key, rendering.source.sha256),
            "sound": _sound_facts(secret["sounds"][str(rendering.outcome.number)]),
        }
    text = build_manifest(staging, written, made_of, {**facts, "sources": sources})
    (staging / MANIFEST_NAME).write_text(text, "utf-8", newline="\n")
    set_fixed_times(staging)
    return text


def _read_private(texts: Path, parameters: Mapping[str, Json]) -> dict[str, Any]:
    """Return what must not leave, as it was prepared."""
    try:
        content = (texts / PRIVATE_FILE_NAME).read_bytes()
    except OSError:
        raise _changed_texts_error() from None
    if hashlib.sha256(content).hexdigest() != _prepared_sha256(parameters, PRIVATE_FILE_NAME):
        raise _changed_texts_error()
    secret: dict[str, Any] = json.loads(content)
    return secret


def _prepared_sha256(parameters: Mapping[str, Json], name: str) -> Json:
    """Return the checksum of a prepared text as the study gave it."""
    return cast(dict[str, Json], parameters["prepared"]).get(name)


def _changed_texts_error() -> UserError:
    return UserError("The texts of the release were changed in the cache while it waited.", "Release again.")
