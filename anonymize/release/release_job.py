"""The job that makes a release: the rules first, then renderings, checks, measures, files, and a look at every file."""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from anonymize.faces.masking_plan import discard, gather
from anonymize.pii_review.pii_decisions import keep_numbers
from anonymize.pii_review.review_hits import hits
from anonymize.privacy.privacy_job import strangers_for
from anonymize.privacy.privacy_limits import PrivacyLimits, privacy_limits
from anonymize.release.data_card import card_facts, card_from, manifest_facts, write_cards
from anonymize.release.private_content import Private, private_of
from anonymize.release.release_files import write_annotations, write_media, write_tables
from anonymize.release.release_gate import ReleaseCandidate, Selection, reasons_before, select
from anonymize.release.release_plan import (
    SCRUB,
    ReleasePlan,
    plan_from,
    recording_code,
    release_key,
    require_possible,
    sealed,
)
from anonymize.release.release_recheck import numbered_waivers, reasons_again, signature
from anonymize.release.release_rendering import (
    ReleaseRendering,
    forget,
    measured,
    rendering_of,
    require_source_unchanged,
    require_unchanged,
)
from anonymize.release.release_rules import (
    ReleaseBlocker,
    RenderingCheck,
    outcome_from,
    reason_from,
    reasons_after,
    standing,
)
from anonymize.release.release_sound import AudioTreatment, seeds_of, sounding_from, treatment_of, wrong_in_sound
from anonymize.release.release_verification import Leak, leaks_in
from models.faces.face_detectors import ALWAYS, independent_of, joined
from project.entities.study_records import Changes, Json, Run
from project.errors import Cancelled, UserError
from project.files.fingerprints import sha256_of
from project.files.publication import (
    NAME,
    files_in,
    manifest,
    new_prepared,
    prepared,
    require_as_written,
    require_free,
    set_times,
    staged,
)
from project.ids import new_id
from project.progress import Progress
from project.queries.history_rows import insert_run, latest_run, steps
from project.queries.recording_rows import all_recordings
from project.queries.transcript_rows import SPEECH
from project.session.jobs import JobSpec
from project.session.session import Session
from project.text_format import counted
from project.timebase import utc_now
from project.version import __version__

KIND = "release"
PRIVATE = "private"
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
    def standing(self) -> list[ReleaseBlocker]:
        """What was not waived."""
        return standing(self.reasons, self.waived)


def checklist(session: Session, plan: ReleasePlan) -> ReleaseChecklist:
    """Judge a release as far as the study tells.

    Raises:
        UserError: the plan asks for what can never be released, or not on this machine.
    """
    require_possible(plan)
    selection = select(session, plan)
    waived = tuple((one.rule, number) for one, number in numbered_waivers(session))
    return ReleaseChecklist(plan, selection, tuple(reasons_before(session, plan, selection)), waived)


def prepare(session: Session, folder: Path, plan: ReleasePlan) -> JobSpec:
    """Make the job; where rules stand in the way that need no rendering, it ends at once and says so.

    Raises:
        UserError: the plan asks for what can never be released, or the folder cannot be used.
    """
    require_free(folder)
    if plan.texts == SCRUB:
        keep_numbers(session, hits(session))
    found = checklist(session, plan)
    refused = bool(found.standing)
    texts = new_prepared()
    made: dict[str, list[str]] = {}
    recordings: list[Json] = []
    if not refused:
        key = release_key(session)
        made = write_annotations(texts, session, plan, found.selection)
        made |= {name: [] for name in write_tables(texts, plan, found.selection)}
        recordings = [_gathered(session, plan, one, name) for one, name in _renderings(plan, found.selection)]
        secret: dict[str, Json] = {
            "key": key,
            "private": cast(Json, private_of(session).as_json()),
            "signed": signature(session, plan, found.selection, key),
            "sounds": {str(one.number): _sounding(one.sounding, key) for one in found.selection.candidates},
        }
        (texts / PRIVATE).write_text(json.dumps(secret), "utf-8")
    candidates = found.selection.candidates
    return JobSpec(
        KIND,
        f"Release {counted(len(candidates), 'recording')}",
        candidates[0].recording.id if candidates else all_ids(session)[0],
        {
            "folder": str(folder.absolute()),
            "study": str(session.study.path.absolute()),
            "seen": _seen(session),
            "texts": str(texts),
            "prepared": {name: sha256_of(texts / name) for name in files_in(texts)},
            "plan": plan.as_json(),
            "reasons": [one.as_json() for one in found.reasons],
            "waived": [[rule, number] for rule, number in found.waived],
            "made_of": cast(Json, made),
            "recordings": recordings,
            "limits": cast(Json, asdict(privacy_limits(session.study))),
            "card": cast(Json, card_facts(session, found.selection, found.plan.texts)) if not refused else {},
            "facts": cast(Json, manifest_facts(session, found.plan, found.selection)) if not refused else {},
        },
    )


def renew(session: Session, work: JobSpec) -> JobSpec:
    """Return the job as it has to be now, when its turn comes: faces, texts or consent may have changed meanwhile.

    Raises:
        UserError: it cannot be done any more; see `prepare`.
    """
    if work.parameters["seen"] == _seen(session):
        return work
    shutil.rmtree(str(work.parameters["texts"]), ignore_errors=True)
    for one in cast(list[dict[str, Json]], work.parameters["recordings"]):
        discard(one)
    plan = plan_from(cast(dict[str, Json], work.parameters["plan"]))
    fresh = prepare(session, Path(str(work.parameters["folder"])), plan)
    return replace(work, parameters=fresh.parameters)


def _seen(session: Session) -> list[Json]:
    """Return what changes with every edit and every run: what a job was prepared from."""
    newest = [f"{step.id} {step.at}" for step in steps(session.study, 1)]
    kinds = ("faces", SPEECH)
    found = (latest_run(session.study, one, kind) for one in all_ids(session) for kind in kinds)
    runs = [run.id for run in found if run is not None]
    return [*newest, *runs]


def all_ids(session: Session) -> list[str]:
    """Return the ids of all recordings.

    Raises:
        UserError: there are none.
    """
    found = [one.id for one in all_recordings(session.study)]
    if not found:
        raise UserError("The study has no recordings yet.", "Add one: greenroom add STUDY VIDEO")
    return found


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Make the release, or say why not. Nothing is left of one that is refused, or that something was found in."""
    plan = plan_from(cast(dict[str, Json], parameters["plan"]))
    waived = [(str(rule), number) for rule, number in cast(list[tuple[str, int | None]], parameters["waived"])]
    reasons = [reason_from(one) for one in cast(list[dict[str, Json]], parameters["reasons"])]
    progress.progress(0, 1, "Looking at the rules")
    with prepared(Path(str(parameters["texts"]))) as texts:
        if standing(reasons, waived):
            return _refusal(standing(reasons, waived), [])
        secret = _secret_in(texts, parameters)
        renderings, outcomes = _rendered(parameters, str(secret["key"]), progress)
        left = standing(reasons_after(outcomes), waived)
        if left:
            return _refusal(left, outcomes) | {"states": _states(parameters)}
        private = Private(*(tuple(secret["private"][key]) for key in ("words", "texts")))
        folder = Path(str(parameters["folder"]))
        with _unless_refused() as refused, staged(folder) as staging:
            written = _write(staging, texts, parameters, plan, renderings, outcomes, secret, progress)
            progress.progress(0, 1, "Reading back every file")
            leaks = leaks_in(staging, private, sound=plan.sounds)
            leaks += _heard(staging, renderings, secret["sounds"], progress)
            if leaks:
                shown = "; ".join(f"{one.path}: {one.what}" for one in leaks[:_SHOWN_LEAKS])
                raise UserError(
                    f"The finished release held what must not leave, so it was removed. {shown}.",
                    "Change the private word, the names or the text that is named, then release again.",
                )
            for one in {each.source.path: each for each in renderings}.values():
                require_source_unchanged(one, progress)
            count = sum(1 for one in staging.rglob("*") if one.is_file())
            now = reasons_again(Path(str(parameters["study"])), plan, str(secret["signed"]), str(secret["key"]))
            if now:
                raise _RefusedError(now)
            require_as_written(staging, written)
        if refused:
            return _refusal(refused, outcomes) | {"states": _states(parameters)}
        forget(renderings)
    return {
        "released": True,
        "reasons": [],
        "output": str(folder),
        "files": count,
        "recordings": [one.as_json() for one in outcomes],
        "states": _states(parameters),
    }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Record that a release was made or refused, as a run of each of its recordings."""
    numbers = {one.number: one.id for one in all_recordings(session.study)}
    outcomes = [outcome_from(one) for one in cast(list[dict[str, Any]], result["recordings"])]
    plan = cast(dict[str, Json], work.parameters["plan"])
    states = cast(dict[str, str], result["states"])
    about = {numbers[one.number] for one in outcomes if one.number in numbers} or {work.recording_id}
    made = []
    with session.study.recording_run():
        for recording_id in sorted(about):
            parameters: dict[str, Json] = {
                "plan": plan,
                "waived": work.parameters["waived"],
                "mask_state": states.get(recording_id, ""),
            }
            kept: dict[str, Json] = {
                "released": result["released"],
                "output": Path(str(work.parameters["folder"])).name,
                "rules": [*sorted({str(one["rule"]) for one in cast(list[dict[str, Json]], result["reasons"])})],
                "outcomes": [one.as_json() for one in outcomes if numbers.get(one.number) == recording_id],
            }
            methods = "+".join(cast(list[str], plan["methods"])) or KIND
            run = Run(new_id(), recording_id, KIND, methods, parameters, kept, utc_now(), __version__)
            insert_run(session.study, run)
            made.append(("run", run.id))
    return Changes.of(made)


class _RefusedError(Exception):
    """The release may not take its place."""

    def __init__(self, reasons: Sequence[ReleaseBlocker]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


@contextmanager
def _unless_refused() -> Iterator[list[ReleaseBlocker]]:
    """Lend a list that holds, after the block, the reasons for which it was left."""
    reasons: list[ReleaseBlocker] = []
    try:
        yield reasons
    except _RefusedError as refused:
        reasons += refused.reasons


def _refusal(reasons: Sequence[ReleaseBlocker], outcomes: Sequence[RenderingCheck]) -> dict[str, Json]:
    return {
        "released": False,
        "reasons": [one.as_json() for one in reasons],
        "output": "",
        "files": 0,
        "recordings": [one.as_json() for one in outcomes],
        "states": {},
    }


def _sounding(one: AudioTreatment | None, key: str) -> Json:
    """Return what is done to the sound of a recording, with what its voices follow from: for the job's eyes alone."""
    return None if one is None else {**one.as_json(), "seeds": {**seeds_of(one, key)}}


def _sound_facts(found: Mapping[str, Any] | None) -> Json:
    return None if found is None else sounding_from(found).facts()


def _heard(
    staging: Path, renderings: Sequence[ReleaseRendering], sounds: Mapping[str, Any], progress: Progress
) -> list[Leak]:
    """Return what is wrong with the sound of the clips in a finished release."""
    found: list[Leak] = []
    for one in renderings:
        planned = sounds[str(one.outcome.number)]
        if planned is None:
            continue
        for clip in sorted(staging.glob(f"video-*/{one.outcome.method}/{recording_code(one.outcome.number)}.mp4")):
            wrong = wrong_in_sound(clip, one.plan.source, sounding_from(planned), progress)
            found += [Leak(clip.relative_to(staging).as_posix(), what) for what in wrong]
    return found


def _states(parameters: Mapping[str, Json]) -> dict[str, Json]:
    """Return recording id -> the state of the masks that was rendered."""
    return {str(one["id"]): one["mask_state"] for one in cast(list[dict[str, Json]], parameters["recordings"])}


def _renderings(plan: ReleasePlan, selection: Selection) -> list[tuple[ReleaseCandidate, str]]:
    return [(one, name) for one in selection.candidates if one.has_picture for name in plan.methods_for(one.number)]


def _gathered(session: Session, plan: ReleasePlan, one: ReleaseCandidate, method: str) -> Json:
    """Return all that rendering, check and measures of a recording need."""
    found = gather(session, one.recording.id, method, keep_robots=plan.keep_robots)
    witness = independent_of(str(found["tracked_by"]))
    return {
        **found,
        "id": one.recording.id,
        "number": one.number,
        "painted": [*one.painted],
        "detector": joined((ALWAYS, witness)) if witness else ALWAYS,
        "witness": witness or "",
        "strangers": strangers_for(session, one.recording.id),
    }


def _rendered(
    parameters: Mapping[str, Json], key: str, progress: Progress
) -> tuple[list[ReleaseRendering], list[RenderingCheck]]:
    limits = PrivacyLimits(**cast(dict[str, Any], parameters["limits"]))
    renderings, outcomes = [], []
    for one in cast(list[dict[str, Json]], parameters["recordings"]):
        progress.check_cancelled()
        number = cast(int, one["number"])
        try:
            rendering = rendering_of(number, one, key, progress)
            outcome = measured(rendering, one, limits, progress)
        except Cancelled:
            raise
        except UserError as error:
            outcomes.append(RenderingCheck(number, str(one["method"]), failure=f"{error.message} {error.hint}"))
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
        UserError: a file cannot be written, or what it is made of was changed meanwhile.
        Cancelled: the user stopped it.
    """
    key = str(secret["key"])
    treatments = {
        one.outcome.number: treatment_of(sounding_from(found), one.plan.source, found["seeds"], progress)
        for one in renderings
        if (found := secret["sounds"][str(one.outcome.number)]) is not None
    }
    made_of = {name: list(codes) for name, codes in cast(dict[str, list[str]], parameters["made_of"]).items()}
    written: dict[str, str] = {}
    for name in made_of:
        target = staging / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(texts / name, target)
        if sha256_of(target) != _prepared(parameters, name):
            raise _changed_texts()
        written[name] = str(_prepared(parameters, name))
    media = write_media(staging, plan, renderings, treatments, progress)
    made_of |= {name: [file.source] for name, file in media.items()}
    written |= {name: file.sha256 for name, file in media.items()}
    for one in renderings:
        require_unchanged(one)
    facts = cast(dict[str, Json], parameters["facts"])
    written |= write_cards(staging, plan, outcomes, card_from(cast(dict[str, Any], parameters["card"])))
    sources = cast(dict[str, Json], facts["sources"])
    for one in renderings:
        code = recording_code(one.outcome.number)
        sources[f"{code} {one.outcome.method}"] = {
            "recording": code,
            "method": one.outcome.method,
            "options": cast(Json, asdict(one.plan.method.options)),
            "weights": cast(Json, dict(one.weights)),
            "checked_by": one.outcome.checked_by,
            "raw": sealed(key, one.source.sha256),
            "sound": _sound_facts(secret["sounds"][str(one.outcome.number)]),
        }
    text = manifest(staging, written, made_of, {**facts, "sources": sources})
    (staging / NAME).write_text(text, "utf-8", newline="\n")
    set_times(staging)
    return text


def _secret_in(texts: Path, parameters: Mapping[str, Json]) -> dict[str, Any]:
    """Return what must not leave, as it was prepared.

    Raises:
        UserError: somebody changed it.
    """
    try:
        content = (texts / PRIVATE).read_bytes()
    except OSError:
        raise _changed_texts() from None
    if hashlib.sha256(content).hexdigest() != _prepared(parameters, PRIVATE):
        raise _changed_texts()
    secret: dict[str, Any] = json.loads(content)
    return secret


def _prepared(parameters: Mapping[str, Json], name: str) -> Json:
    """Return the checksum of a prepared text as the study gave it."""
    return cast(dict[str, Json], parameters["prepared"]).get(name)


def _changed_texts() -> UserError:
    return UserError("The texts of the release were changed in the cache while it waited.", "Release again.")
