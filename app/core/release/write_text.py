"""Writes the annotations of a release, in formats of other tools, and its tables of recordings and participants."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from app.core.clock import stopped_clock
from app.core.csv_cells import write_csv
from app.core.interchange.document import Document
from app.core.interchange.registry import format_called
from app.core.release.codes import recording_code
from app.core.release.gate import Candidate, Selection
from app.core.release.plan import ReleasePlan
from app.core.release.texts import documents
from app.core.session import Session
from project.types import Participant

AT = "2000-01-01T00:00:00.000Z"
"""The time that formats which must hold one are told."""


def write_annotations(folder: Path, session: Session, plan: ReleasePlan, selection: Selection) -> dict[str, list[str]]:
    """Write the annotations of the selected recordings; returns path in the folder -> codes of its recordings.

    Raises:
        UserError: they do not fit a format.
        OSError: a file cannot be written.
    """
    wanted = [one.recording for one in selection.candidates]
    silent = {one.recording.id: silent_people(one) for one in selection.candidates}
    parts = dict(documents(session, plan, wanted, silent))
    made: dict[str, list[str]] = {}
    with stopped_clock(AT):
        for key in plan.formats:
            to = format_called(key)
            place = folder / "annotations" / key
            place.mkdir(parents=True, exist_ok=True)
            if to.many:
                together = Document(tuple(one for part in parts.values() for one in part.recordings))
                files = [(place / f"annotations{to.suffixes[0]}", together, [*parts])]
            else:
                files = [(place / f"{recording_code(n)}{to.suffixes[0]}", part, [n]) for n, part in parts.items()]
            for target, part, numbers in files:
                to.write(part, target)
                made[target.relative_to(folder).as_posix()] = [recording_code(n) for n in numbers]
    return made


def silent_people(one: Candidate) -> list[str]:
    """Return the pseudonyms of those whose words are left out; "" for words of nobody known."""
    if not one.refusing:
        return []
    return [*(who.pseudonym for who in one.refusing), ""]


def write_tables(folder: Path, plan: ReleasePlan, selection: Selection) -> list[str]:
    """Write one table of recordings and one of participants; returns their paths in the folder."""
    _table(
        folder / "recordings.csv",
        ("recording", "duration_s", "methods", "participants"),
        (
            (
                recording_code(one.number),
                f"{one.recording.duration_us / 1e6:.3f}",
                " ".join(plan.methods_for(one.number)) if one.has_picture else "",
                " ".join(who.pseudonym for who in one.people),
            )
            for one in selection.candidates
        ),
    )
    people: dict[str, tuple[Participant, list[str]]] = {}
    for one in selection.candidates:
        for who in one.people:
            people.setdefault(who.id, (who, []))[1].append(recording_code(one.number))
    _table(
        folder / "participants.csv",
        ("participant", "role", "recordings"),
        ((who.pseudonym, who.role.value, " ".join(codes)) for who, codes in people.values()),
    )
    return ["recordings.csv", "participants.csv"]


def _table(path: Path, columns: Sequence[str], rows: Iterable[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_csv(file, columns, sorted(rows))
