"""Packs a job for a cluster worker, lists the files it needs there, and checks that the policy permits it."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from anonymize.egress.egress_authority import StudyAuthority
from benchmark.cluster.worker_proxy import pack_files
from benchmark.judging.ask_run import AskParameters
from models.connection.addresses import is_loopback
from models.connection.dask_connection import ClusterWorker, Scheduler
from project.codec import dump
from project.entities.egress_policy import EgressRequest, Purpose
from project.entities.study_records import Json
from project.errors import UserError
from project.session.jobs import JobSpec, load_kind
from project.session.session import Session
from project.text_format import escape_unprintable


def required_files(session: Session, work: JobSpec) -> list[Json]:
    """Return every file and folder that the job needs: path, what it is, and its size in bytes (None: any)."""
    found = dict(_named_files(session, work))
    return [[str(path), what, path.stat().st_size if path.is_file() else None] for path, what in found.items()]


def job_recordings(work: JobSpec) -> tuple[str, ...]:
    """Return the ids of the recordings whose footage or words a job holds."""
    if not isinstance(work.parameters, AskParameters):
        return (work.recording_id,) if work.recording_id else ()
    found = [plan.recording_id for plan in work.parameters.plans]
    found += [other for plan in work.parameters.plans for other in plan.other_recordings]
    return tuple(dict.fromkeys(found))


def job_condition(work: JobSpec) -> str:
    """Return the condition in which a job shows its recordings; `raw` if any of them is shown unchanged."""
    if not isinstance(work.parameters, AskParameters):
        return "raw"
    conditions = {plan.condition for plan in work.parameters.plans}
    return conditions.pop() if len(conditions) == 1 else "raw"


def _named_files(session: Session, work: JobSpec) -> Iterator[tuple[Path, str]]:
    if isinstance(work.parameters, AskParameters):
        yield from _judge_files(session, work.parameters)
        return
    if (path := getattr(work.parameters, "path", None)) is not None:
        yield path, f"the file of {_recording_label(session, work.recording_id)}"
    if (output := getattr(work.parameters, "output", None)) is not None:
        yield output.parent, "the folder for the clips"


def _judge_files(session: Session, payload: AskParameters) -> Iterator[tuple[Path, str]]:
    for plan in payload.plans:
        for media in plan.all_media:
            yield media.path, f"a file for {_recording_label(session, plan.recording_id)}"
    for judge in sorted({item.judge for item in payload.items}):
        entry = payload.entries[judge]
        for named in (entry.model, entry.settings.get("projector")):
            if isinstance(named, str) and named.endswith(".gguf"):
                yield Path(named), f"a model of the judge {escape_unprintable(entry.name)}"


def _recording_label(session: Session, recording_id: str) -> str:
    recording = session.recording(recording_id)
    return f"recording {recording.number} ({escape_unprintable(recording.name)})"


def permit_job(
    session: Session, scheduler: Scheduler, addresses: tuple[str, ...], seat: ClusterWorker, work: JobSpec
) -> None:
    """Check that a job may be sent to a worker, and log it.

    A scheduler on this machine may have workers on others; then the policy has to name their machine.
    """
    content = json.dumps(dump(work.parameters), sort_keys=True).encode()
    first, *others = job_recordings(work) or ("",)
    host, port, scheme = scheduler.host, scheduler.port, scheduler.scheme
    here, at_seat = all(map(is_loopback, addresses)), not is_loopback(seat.machine)
    if here and at_seat:
        host, port, addresses = seat.machine, 0, (seat.machine,)
    # A job goes to the scheduler and from there to the worker; the less protected of the two connections counts.
    if at_seat and (here or seat.scheme != "tls"):
        scheme = seat.scheme
    StudyAuthority(session).permit(
        EgressRequest(
            Purpose.CLUSTER,
            host,
            port,
            addresses,
            all(map(is_loopback, addresses)),
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            texts=len(content),
            condition=job_condition(work),
            recording_id=first,
            others=tuple(others),
            scheme=scheme,
        )
    )


def worker_request(session: Session, work: JobSpec) -> dict[str, Json]:
    """Return the request that a worker gets."""
    kind, parameters = load_kind(work.kind), dump(work.parameters)
    try:
        files = pack_files(parameters, kind.sent_files)
    except OSError as error:
        raise UserError(
            f"A file for {work.title[:1].lower()}{work.title[1:]} was deleted.", "Start the run again."
        ) from error
    return {
        "job": work.kind,
        "parameters": parameters,
        "needs": required_files(session, work),
        "files": files,
        "returned": [*kind.returned_files],
    }
