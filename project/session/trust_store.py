"""The permissions that a person on this machine gave a study, which may come from a stranger and claim anything.

It is kept beside the settings and never in a study: folders outside the study's own that its media may be read from,
files of models that its judges may load, and the newest policy that was set for it. What a study says counts for
nothing here until a person on this machine did it: added or relinked a file, set up a judge, set the policy.
"""

import fcntl
import hashlib
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import platformdirs

from project.entities.study_records import Json
from project.session.settings import read_object, rewrite_object, store_object, write_object
from project.store.column_values import to_json
from project.timebase import utc_now

_MAX_ENTRIES = 200
"""How many entries of one kind are kept for a study; the oldest go."""


class TrustKind(StrEnum):
    """The kind of an allowed object."""

    FOLDER = "folders"
    MODEL = "models"


_POLICY = "policy"


@dataclass(frozen=True, slots=True)
class PolicyRecord:
    """Which policy was set last for a study on this machine.

    Attributes:
        number: counts the policies that were set for the study here.
        digest: of the policy as it stands in the study.
        at: UTC, ISO 8601.
    """

    number: int
    digest: str
    at: str


def read_trusted(study_id: str, kind: TrustKind) -> tuple[str, ...]:
    """Return what was allowed to a study on this machine, the oldest first."""
    found = read_object(_trust_file()).get(study_id)
    listed = found.get(kind.value) if isinstance(found, dict) else None
    return tuple(item for item in listed if isinstance(item, str)) if isinstance(listed, list) else ()


def add_trusted(study_id: str, kind: TrustKind, what: Iterable[str]) -> None:
    """Remember that a person allowed something to a study; a folder that cannot be written is no reason to stop."""
    with suppress(OSError), _locked():
        before = read_trusted(study_id, kind)
        now = [*dict.fromkeys((*before, *what))][-_MAX_ENTRIES:]
        if (*now,) == before or not study_id:
            return
        every = read_object(_trust_file())
        write_object(_trust_file(), {**every, study_id: {**_study_entry(every, study_id), kind.value: [*now]}})


def newest_policy(study_id: str) -> PolicyRecord | None:
    """Return which policy was set last for a study on this machine; None where that is not known for sure.

    It is noted in two folders. Where they differ, one of them was put back to an earlier state, and neither counts.
    """
    noted, again = _noted_policies(study_id)
    return noted if noted is not None and noted == again else None


def note_policy(study_id: str, digest_of_policy: str) -> None:
    """Note that a policy was set for a study; from now on every earlier one counts for nothing.

    Raises:
        OSError: it cannot be noted, and what was noted before may or may not count any more.
    """
    if not study_id:
        raise OSError("the study has no id")
    with _locked():
        number = max((record.number for record in _noted_policies(study_id) if record is not None), default=0)
        record = asdict(PolicyRecord(number + 1, digest_of_policy, utc_now()))
        every, again = read_object(_trust_file()), read_object(_policies_file())
        entry = {**_study_entry(every, study_id), _POLICY: record}
        store_object(_trust_file(), {**every, study_id: entry}, durable=True)
        store_object(_policies_file(), {**again, study_id: record}, durable=True)


def _noted_policies(study_id: str) -> tuple[PolicyRecord | None, PolicyRecord | None]:
    noted = _study_entry(read_object(_trust_file()), study_id).get(_POLICY)
    return _policy_record(noted), _policy_record(read_object(_policies_file()).get(study_id))


def _policy_record(found: Json) -> PolicyRecord | None:
    if not isinstance(found, dict):
        return None
    number, digest_of_policy, at = found.get("number"), found.get("digest"), found.get("at")
    if not isinstance(number, int) or not isinstance(digest_of_policy, str) or not isinstance(at, str):
        return None
    return PolicyRecord(number, digest_of_policy, at) if number > 0 and digest_of_policy else None


def _study_entry(every: dict[str, Json], study_id: str) -> dict[str, Json]:
    found = every.get(study_id)
    return dict(found) if isinstance(found, dict) else {}


@contextmanager
def _locked() -> Iterator[None]:
    """Keep other processes from writing what is trusted, so that none brings back what another one has revoked.

    Raises:
        OSError: there is no folder that can be written to.
    """
    place = _trust_file()
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(place.with_name(f"{place.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def trusted_paths(study_id: str) -> tuple[str, ...]:
    """Return the folders and files that were allowed to a study on this machine."""
    return *read_trusted(study_id, TrustKind.FOLDER), *read_trusted(study_id, TrustKind.MODEL)


def forget_paths(study_id: str, paths: Collection[str]) -> None:
    """Allow a study some folders and files no more; what stood there is overwritten.

    Raises:
        OSError: it cannot be written.
    """
    if study_id not in read_object(_trust_file()):
        return
    with _locked():
        every = read_object(_trust_file())
        found = every.get(study_id)
        if not isinstance(found, dict):
            return
        kept: dict[str, Json] = {
            kind: [item for item in listed if item not in paths] if isinstance(listed, list) else listed
            for kind, listed in found.items()
        }
        if kept != found:
            rewrite_object(_trust_file(), {**every, study_id: kept})


def object_digest(found: Json) -> str:
    """Return what stands for an object that was allowed."""
    return hashlib.sha256(to_json(found).encode()).hexdigest()


def containing_folders(file: Path) -> list[str]:
    """Return the folders by which a file that a person pointed to may be reached: as it was named, and as it is."""
    return [*dict.fromkeys((os.path.normpath(file.absolute().parent), str(file.resolve().parent)))]


def is_inside_allowed(folder: Path, others: Iterable[str], place: Path) -> bool:
    """Tell whether a place lies in a study's folder or in one that was allowed, links followed.

    What leads out by its letters alone is not even looked at, since looking can mount a folder of another machine.
    """
    roots = [str(folder), *others]
    try:
        return _is_inside(os.path.normpath(place), roots) and _is_inside(os.path.realpath(place), roots)
    except (OSError, ValueError):
        return False


def _is_inside(place: str, roots: Iterable[str]) -> bool:
    return any(place == root or place.startswith(root.rstrip(os.sep) + os.sep) for root in roots)


def _trust_file() -> Path:
    return platformdirs.user_config_path("greenroom", appauthor=False) / "trusted.json"


def _policies_file() -> Path:
    return platformdirs.user_data_path("greenroom", appauthor=False) / "policies.json"
