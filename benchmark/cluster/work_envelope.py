"""What a work is when it is handed to a worker: permitted, written down, and with the small files that go with it.

What a work needs on the machine that does it, and whose footage and words it holds.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from anonymize.egress.egress_authority import authority_of
from benchmark.cluster.worker_proxy import WITH_WORK, packed
from benchmark.judging import ask_job as asking
from benchmark.judging.run_config import payload_from
from models.connection.addresses import loopback
from models.connection.dask_connection import ClusterWorker, Scheduler
from project.entities.egress_policy import EgressRequest, Purpose
from project.entities.study_records import Json
from project.errors import UserError
from project.session.jobs import JobSpec
from project.session.session import Session
from project.text_format import shown


def needs(session: Session, work: JobSpec) -> list[Json]:
    """Return every file and folder that has to be reached: path, what it is, and its size in bytes (None: any)."""
    found = dict(_named(session, work))
    return [[str(path), what, path.stat().st_size if path.is_file() else None] for path, what in found.items()]


def recordings_of(work: JobSpec) -> tuple[str, ...]:
    """Return the ids of the recordings whose footage or words a work holds."""
    if work.kind != asking.KIND:
        return (work.recording_id,) if work.recording_id else ()
    payload = payload_from(work.parameters)
    found = [one.recording_id for one in payload.items]
    found += [str(other) for plan in payload.plans for other in cast(list[Json], plan["others"])]
    return tuple(dict.fromkeys(found))


def condition_of(work: JobSpec) -> str:
    """Return the condition under which a work shows its recordings; `raw` where any of them is shown as it is."""
    if work.kind != asking.KIND:
        return "raw"
    conditions = {one.condition for one in payload_from(work.parameters).items}
    return conditions.pop() if len(conditions) == 1 else "raw"


def _named(session: Session, work: JobSpec) -> Iterator[tuple[Path, str]]:
    if work.kind == asking.KIND:
        yield from _of_judges(session, work)
        return
    if isinstance(path := work.parameters.get("path"), str):
        yield Path(path), f"the file of {_called(session, work.recording_id)}"
    if isinstance(output := work.parameters.get("output"), str):
        yield Path(output).parent, "the folder for the clips"


def _of_judges(session: Session, work: JobSpec) -> Iterator[tuple[Path, str]]:
    payload = payload_from(work.parameters)
    for plan in payload.plans:
        media = cast(Mapping[str, Any] | None, plan["media"])
        if media is not None:
            yield Path(str(media["path"])), f"the file of {_called(session, str(plan['recording_id']))}"
    for judge in sorted({one.judge for one in payload.items}):
        entry = payload.entries[judge]
        for named in (entry.model, entry.settings.get("projector")):
            if isinstance(named, str) and named.endswith(".gguf"):
                yield Path(named), f"a model of the judge {shown(entry.name)}"


def _called(session: Session, recording_id: str) -> str:
    one = session.recording(recording_id)
    return f"recording {one.number} ({shown(one.name)})"


def permit_work(
    session: Session, scheduler: Scheduler, addresses: tuple[str, ...], seat: ClusterWorker, work: JobSpec
) -> None:
    """Return when a work may be handed to a worker and that is on disk.

    A scheduler on this machine may have workers on others: then it is their machine that has to be named by the policy.

    Raises:
        Forbidden: it may not.
    """
    content = json.dumps(dict(work.parameters), sort_keys=True).encode()
    first, *others = recordings_of(work) or ("",)
    host, port, scheme = scheduler.host, scheduler.port, scheduler.scheme
    here, at_seat = all(map(loopback, addresses)), not loopback(seat.machine)
    if here and at_seat:
        host, port, addresses = seat.machine, 0, (seat.machine,)
    # A work goes to the scheduler and from there to the worker: the way that anybody can read counts.
    if at_seat and (here or seat.scheme != "tls"):
        scheme = seat.scheme
    authority_of(session).permit(
        EgressRequest(
            Purpose.CLUSTER,
            host,
            port,
            addresses,
            all(map(loopback, addresses)),
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            texts=len(content),
            condition=condition_of(work),
            recording_id=first,
            others=tuple(others),
            scheme=scheme,
        ),
        0,
    )


def request_of(session: Session, work: JobSpec) -> dict[str, Json]:
    """Return what a worker is told.

    Raises:
        UserError: a file that goes with it is gone.
    """
    try:
        files = packed(work.parameters, WITH_WORK.get(work.kind, ()))
    except OSError as error:
        raise UserError(f"What {work.title[:1].lower()}{work.title[1:]} needs is gone.", "Run it again.") from error
    return {"job": work.kind, "parameters": dict(work.parameters), "needs": needs(session, work), "files": files}
