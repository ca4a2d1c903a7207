"""The job that tries a judge, apart from the window: a model may take long to load, and may crash."""

from collections.abc import Mapping
from typing import cast

from app.core.jobs import Holder, Work
from app.core.judging.judges.keys import key_of
from app.core.judging.judges.trial import try_under
from app.core.judging.runs.parts import judge_json
from app.core.leaving.asking import RemoteAuthority, answer_permit
from app.core.session import Session
from project.judging import JudgeEntry
from project.types import Changes, Json

KIND = "try_judge"


def prepare(entry: JudgeEntry, key: str = "") -> Work:
    """Make the job; a key that was typed and is kept nowhere goes to the worker over its standard input."""
    judge: dict[str, Json] = {"id": entry.id, **judge_json(entry)}
    return Work(KIND, f"Try {entry.name}", "", {"judge": judge, "key": key})


def compute(parameters: Mapping[str, Json], holder: Holder) -> dict[str, Json]:
    """Try the judge; returns `Trial.as_json`."""
    found = cast(dict[str, Json], parameters["judge"])
    settings = cast(dict[str, Json], found["settings"])
    entry = JudgeEntry(str(found["id"]), str(found["name"]), str(found["backend"]), str(found["model"]), settings)
    holder.progress(0, 0, "Asking")
    authority = RemoteAuthority(holder, threadsafe=holder.threadsafe)
    return try_under(authority, entry, str(parameters["key"]) or key_of(entry)).as_json()


def store(_session: Session, _work: Work, _result: Mapping[str, Json]) -> Changes:
    """Nothing is kept of it but the line of the journal."""
    return Changes()


def answer(session: Session, _work: Work, question: Mapping[str, Json]) -> dict[str, Json]:
    """Say whether a request may leave.

    Raises:
        project.policy.Forbidden: the policy does not let it leave this machine.
    """
    return answer_permit(session, question)
