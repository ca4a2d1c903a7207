"""What a withdrawal would remove, in words for who decides about it. Here, files are named by their paths."""

from collections.abc import Mapping
from pathlib import Path

from anonymize.withdrawal.withdrawal import ErasurePlan, ErasureResult
from project.entities.study_records import Json
from project.erasure.lookalikes import LookAlikeReason
from project.schema.columns import TABLE_LABELS
from project.text_format import escape_unprintable, pluralize

_MAX_LISTED = 12
"""Paths of one kind that are listed; of more, the number is told."""

LIKENESS_TITLES = {
    LookAlikeReason.NAME: "Words like a name of theirs",
    LookAlikeReason.RECORDINGS: "Stood in their recordings, and stands elsewhere",
    LookAlikeReason.FILE: "Files of other recordings that are called like them: rename and relink them, or keep them",
    LookAlikeReason.OTHER: "Annotators and judges who are called like them: rename them, or keep them",
    LookAlikeReason.PARTICIPANT: "Other participants who are called like them: withdraw or rename them, or keep them",
}
"""What looks like theirs, by why it does."""

KIND_NAMES = {
    "name": "names they are known by",
    "person": "names",
    "place": "places",
    "organisation": "organisations",
    "date-of-birth": "dates of birth",
    "date": "dates",
    "phone": "telephone numbers",
    "e-mail": "e-mail addresses",
    "address": "addresses",
    "account": "accounts and cards",
    "licence": "licences and number plates",
    "id": "identity numbers",
    "link": "links and handles",
    "word": "private words",
    "other": "other private words",
}
"""Kinds of personal strings, for people."""


def preview_lines(seen: ErasurePlan, *, deciding: bool = True) -> list[str]:
    """Return what would be removed, a line each; what has to be decided too, where that is not shown elsewhere."""
    facts, removed = seen.facts, seen.removed
    lines = [f"{escape_unprintable(seen.wanted.pseudonym)} is in {_recordings(facts.recordings)}."]
    if facts.recordings:
        lines.append(
            "These recordings would be removed as a whole, with everybody's annotations."
            if seen.wanted.drop_recordings
            else "Others' annotations of them stay; their footage is unlinked and must be deleted."
        )
    lines.append("Removed, or blanked in part:")
    lines += [f"  {TABLE_LABELS[table]}: {_counts_text(*counts)}" for table, counts in removed.rows.items()]
    lines.append(f"  changes of the history: {_counts_text(*removed.history)}. Undo ends here.")
    lines += _words("Words that were taken for a name of theirs", seen.alike.found)
    lines += _words("Removed wherever they stand, because they stood in texts of theirs", dict.fromkeys(seen.exact, 0))
    lines += lookalike_lines(seen) if deciding else []
    lines += _words("Kept, as you said", seen.alike.kept)
    counts = ", ".join(f"{KIND_NAMES.get(kind, kind)}: {count}" for kind, count in seen.strings.items() if count)
    lines.append(f"Searched for in every file of the study ({counts}).")
    readable = [one for one in seen.older if one not in seen.unreadable]
    lines += _path_lines("Older states of the study, rewritten or erased", readable)
    lines += _unreadable_lines(seen)
    lines += _path_lines("Copies of the study, left: run the same command on them, or delete them", [*seen.copies])
    lines += _path_lines(
        "May be copies of the study, sealed or damaged: unseal them and run the same command on them, or delete them",
        [*seen.closed_copies],
    )
    deleted = seen.beside.deletable if seen.wanted.delete_beside else ()
    lines += _path_lines("Files beside the study that hold something of theirs, deleted", [one.path for one in deleted])
    lines += _path_lines(
        "Files beside the study that name them or hold something of theirs, left: delete them, or make them anew",
        [one.path for one in seen.beside.found if one not in deleted],
    )
    lines += _path_lines("Clips and reports, deleted", [one.path for one in seen.clips if one.sure])
    lines += _path_lines(
        "Called like a clip of theirs, look yourself", [one.path for one in seen.clips if not one.sure]
    )
    verb = "deleted" if seen.wanted.delete_footage else "left, must be deleted, too"
    lines += _path_lines(f"Footage, {verb}", [one.path for one in seen.footage if one.there])
    lines += _path_lines(
        "Footage that is not there, is another file, or lies outside the study's folder",
        [one.path for one in seen.footage if not one.there],
    )
    lines += _path_lines(
        "Files that begin as the footage does, left: delete those that are theirs", [*seen.footage_copies]
    )
    if seen.caches:
        lines.append(f"Files of caches, deleted: {len(seen.caches)}")
    lines += _path_lines(
        "Paths in the settings of the program that name them, forgotten", [*map(Path, seen.remembered)]
    )
    if seen.named_by_path:
        lines.append("The study's own name or folder names them: rename it afterwards.")
    for where, count in removed.left.items():
        lines.append(f"Spelled alike and left: {count} in {where}")
    copies = len(facts.copies) + len(facts.shared)
    elsewhere = len(facts.sent) + copies + sum(one.kind != "anonymize" for one in facts.made)
    if elsewhere:
        lines.append(
            f"Out of reach: {pluralize(len(facts.sent), 'request')} that carried something of theirs, "
            f"{copies} {'copy' if copies == 1 else 'copies'}, "
            f"{pluralize(sum(one.kind != 'anonymize' for one in facts.made), 'release')}. The certificate lists them."
        )
    return lines


def preview_json(seen: ErasurePlan) -> dict[str, Json]:
    """Return the same as a JSON object."""
    rows: dict[str, Json] = {
        table: {"rows": gone, "blanked": blanked} for table, (gone, blanked) in seen.removed.rows.items()
    }
    return {
        "participant": seen.wanted.pseudonym,
        "recordings": [*seen.facts.recordings],
        "removed": rows,
        "history": {"removed": seen.removed.history[0], "blanked": seen.removed.history[1]},
        "left": {**seen.removed.left},
        "words": {
            "found": {**seen.alike.found},
            "left": {**seen.alike.left},
            "why": {word: why.value for word, why in seen.alike.why.items()},
            "kept": {**seen.alike.kept},
            "exact": [*seen.exact],
            "undecided": [*seen.undecided],
        },
        "searched": {**seen.strings},
        "older": [*map(str, seen.older)],
        "unreadable": {str(one): why for one, why in seen.unreadable.items()},
        "copies": [*map(str, seen.copies)],
        "closed_copies": [*map(str, seen.closed_copies)],
        "beside": [str(one.path) for one in seen.beside.found],
        "clips": [str(one.path) for one in seen.clips if one.sure],
        "footage": [{"path": str(one.path), "there": one.there} for one in seen.footage],
        "footage_copies": [*map(str, seen.footage_copies)],
        "cached_files": len(seen.caches),
        "remembered_paths": [*seen.remembered],
        "named_by_path": seen.named_by_path,
    }


def remaining_steps(done: ErasureResult) -> list[str]:
    """Return what must be done by hand now, a line each, with the paths that a certificate never names."""
    left = [one.path for one in done.foreseen.footage if one.there and one.path.exists()]
    footage = [f"{escape_unprintable(one)}: footage, which must still be deleted." for one in left]
    return [*done.problems, *footage]


def lookalike_lines(seen: ErasurePlan) -> list[str]:
    """Return what looks like theirs and stays, with why; a person has to decide about each."""
    lines = []
    for likeness, title in LIKENESS_TITLES.items():
        listed = {word: count for word, count in seen.alike.left.items() if seen.alike.why.get(word) is likeness}
        lines += _words(title, listed, len(listed))
    if lines and seen.wanted.keep_rest:
        return ["Left, because all that is not given as theirs is kept:", *lines]
    return ["To decide: --word TEXT removes it as theirs, --keep TEXT leaves it:", *lines] if lines else []


def _words(title: str, found: Mapping[str, int], most: int = _MAX_LISTED) -> list[str]:
    if not found:
        return []
    told = [
        f"“{escape_unprintable(word)}” ({count})" if count else f"“{escape_unprintable(word)}”"
        for word, count in [*found.items()][:most]
    ]
    more = [f"and {len(found) - most} more"] if len(found) > most else []
    return [f"{title}:", f"  {', '.join([*told, *more])}"]


def _unreadable_lines(seen: ErasurePlan) -> list[str]:
    if not seen.unreadable:
        return []
    what = "erased unread" if seen.wanted.erase_unreadable else "nothing is removed as long as they are there"
    return [
        f"Backups that cannot be read, {what}:",
        *(f"  {escape_unprintable(one)}: {why}" for one, why in seen.unreadable.items()),
    ]


def _counts_text(gone: int, blanked: int) -> str:
    if gone and blanked:
        return f"{gone} removed, {blanked} blanked"
    return f"{blanked} blanked" if blanked else f"{gone} removed"


def _recordings(numbers: tuple[int, ...]) -> str:
    if not numbers:
        return "no recording"
    return f"{'recording' if len(numbers) == 1 else 'recordings'} {', '.join(map(str, numbers))}"


def _path_lines(title: str, paths: list[Path]) -> list[str]:
    if not paths:
        return []
    more = [f"  and {len(paths) - _MAX_LISTED} more"] if len(paths) > _MAX_LISTED else []
    return [f"{title}:", *(f"  {escape_unprintable(one)}" for one in paths[:_MAX_LISTED]), *more]
