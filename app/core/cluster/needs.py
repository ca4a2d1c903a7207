"""What a work needs on the machine that does it, and whose footage and words it holds."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from app.core.jobs import Work
from app.core.judging.runs import asking
from app.core.judging.runs.payload import payload_from
from app.core.session import Session
from project.names import shown
from project.types import Json


def needs(session: Session, work: Work) -> list[Json]:
    """Return every file and folder that has to be reached: path, what it is, and its size in bytes (None: any)."""
    found = dict(_named(session, work))
    return [[str(path), what, path.stat().st_size if path.is_file() else None] for path, what in found.items()]


def recordings_of(work: Work) -> tuple[str, ...]:
    """Return the ids of the recordings whose footage or words a work holds."""
    if work.kind != asking.KIND:
        return (work.recording_id,) if work.recording_id else ()
    payload = payload_from(work.parameters)
    found = [one.recording_id for one in payload.items]
    found += [str(other) for plan in payload.plans for other in cast(list[Json], plan["others"])]
    return tuple(dict.fromkeys(found))


def condition_of(work: Work) -> str:
    """Return the condition under which a work shows its recordings; `raw` where any of them is shown as it is."""
    if work.kind != asking.KIND:
        return "raw"
    conditions = {one.condition for one in payload_from(work.parameters).items}
    return conditions.pop() if len(conditions) == 1 else "raw"


def _named(session: Session, work: Work) -> Iterator[tuple[Path, str]]:
    if work.kind == asking.KIND:
        yield from _of_judges(session, work)
        return
    if isinstance(path := work.parameters.get("path"), str):
        yield Path(path), f"the file of {_called(session, work.recording_id)}"
    if isinstance(output := work.parameters.get("output"), str):
        yield Path(output).parent, "the folder for the clips"


def _of_judges(session: Session, work: Work) -> Iterator[tuple[Path, str]]:
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
