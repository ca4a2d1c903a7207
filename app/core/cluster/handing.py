"""What a work is when it is handed to a worker: permitted, written down, and with the small files that go with it."""

import hashlib
import json

from app.core.cluster.carrying import WITH_WORK, packed
from app.core.cluster.needs import condition_of, needs, recordings_of
from app.core.jobs import Work
from app.core.leaving.authority import authority_of
from app.core.session import Session
from models.connection.addresses import loopback
from models.connection.cluster import Scheduler, Seat
from project.errors import UserError
from project.policy import Departure, Purpose
from project.types import Json


def permit_work(session: Session, scheduler: Scheduler, addresses: tuple[str, ...], seat: Seat, work: Work) -> None:
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
        Departure(
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


def request_of(session: Session, work: Work) -> dict[str, Json]:
    """Return what a worker is told.

    Raises:
        UserError: a file that goes with it is gone.
    """
    try:
        files = packed(work.parameters, WITH_WORK.get(work.kind, ()))
    except OSError as error:
        raise UserError(f"What {work.title[:1].lower()}{work.title[1:]} needs is gone.", "Run it again.") from error
    return {"job": work.kind, "parameters": dict(work.parameters), "needs": needs(session, work), "files": files}
