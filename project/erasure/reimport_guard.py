"""Prevents withdrawn participants from returning through an import or a merged copy."""

import json
from collections.abc import Mapping

from project.erasure.erased_file import copy_to_memory
from project.erasure.raw_rows import TombstoneKind, tombstone
from project.erasure.removal import erase_subject
from project.erasure.subject_scope import build_scope
from project.errors import UserError
from project.store.study import Study
from project.text_format import escape_unprintable


def read_tombstones(study: Study) -> frozenset[tuple[str, str]]:
    """Return the tombstones of a study as checksum and kind."""
    return frozenset((row[0], row[1]) for row in study.rows("SELECT id, kind FROM withdrawal"))


def require_not_withdrawn(study: Study, people: Mapping[str, str], recordings: Mapping[str, int]) -> None:
    """Raise where something that comes in by a file was withdrawn from the study.

    Args:
        study: that it comes to.
        people: id -> pseudonym, of those who come.
        recordings: id -> number, of those that come.

    Raises:
        UserError: somebody withdrew, or a recording was removed with somebody.
    """
    stones = read_tombstones(study)
    hint = "Withdraw them from the study that the file was exported from, and export it again."
    for text, pseudonym in people.items():
        if (tombstone(text), TombstoneKind.PARTICIPANT.value) in stones:
            raise UserError(f"{escape_unprintable(pseudonym)} withdrew from this study, and is in the file.", hint)
    for text, number in recordings.items():
        if (tombstone(text), TombstoneKind.RECORDING.value) in stones:
            raise UserError(
                f"Recording {number} of the file was removed from this study when a participant withdrew.", hint
            )


def require_no_withdrawals_in_copy(study: Study, copy: Study) -> None:
    """Raise where somebody is in the study who withdrew from a copy of it.

    Raises:
        UserError: somebody is: they have to be taken out of the study first.
    """
    stones = read_tombstones(copy)
    here = study.rows("SELECT id, pseudonym FROM participant ORDER BY pseudonym") if stones else []
    for identifier, pseudonym in here:
        if (tombstone(identifier), TombstoneKind.PARTICIPANT.value) in stones:
            raise UserError(
                f"{escape_unprintable(pseudonym)} withdrew from “{escape_unprintable(copy.path.name)}” "
                "and is still in this study.",
                f"Withdraw them here too, then merge: greenroom withdraw STUDY {escape_unprintable(pseudonym)}",
            )


def copy_without_withdrawn(study: Study, copy: Study) -> Study:
    """Return a copy as it is once everybody has left it who withdrew from the study; nothing is written anywhere.

    The copy that is given is closed where another one is returned.

    Raises:
        UserError: the copy cannot be read.
    """
    stones = read_tombstones(study)
    people = _withdrawn_people(copy, stones)
    if not people and not _has_withdrawn_recording(copy, stones):
        return copy
    path, memory = copy.path, copy_to_memory(copy)
    copy.close()
    try:
        erase_subject(memory, build_scope(memory, people, known=stones))
        return Study.from_memory(path, memory)
    except BaseException:
        memory.close()
        raise


def _withdrawn_people(copy: Study, stones: frozenset[tuple[str, str]]) -> list[str]:
    """Return ids of people in a copy, or in its history, who withdrew."""
    if not stones:
        return []
    return [text for text in _ids(copy, "participant") if (tombstone(text), TombstoneKind.PARTICIPANT.value) in stones]


def _has_withdrawn_recording(copy: Study, stones: frozenset[tuple[str, str]]) -> bool:
    """Tell whether a copy holds a recording that went, or footage of one, also in its history."""
    if not stones:
        return False
    ids = _ids(copy, "recording")
    if any((tombstone(text), TombstoneKind.RECORDING.value) in stones for text in ids):
        return True
    bare = [text for text in ids if (tombstone(text), TombstoneKind.FOOTAGE.value) in stones]
    listed = (json.dumps(bare),)
    return any(
        copy.row(f"SELECT 1 FROM {table} WHERE recording_id IN (SELECT value FROM json_each(?)) LIMIT 1", listed)
        for table in ("medium", "run", "region", "judgment", "item", "question", "summary")
    )


def _ids(copy: Study, table: str) -> set[str]:
    rows = copy.rows(f"SELECT id FROM {table} UNION SELECT row_id FROM journal_change WHERE table_name = ?", (table,))
    return {str(row[0]) for row in rows}
