"""Previews what a withdrawal would remove, for the person who decides. Files are named by their paths here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anonymize.withdrawal.withdrawal import ErasureResult
from anonymize.withdrawal.withdrawal_certificate import KIND_NAMES
from anonymize.withdrawal.withdrawal_plan import ErasurePlan
from project.entities.study_records import Json
from project.erasure.lookalikes import LookAlikeReason
from project.schema.tables import TABLES
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
"""Reason of a look-alike -> title."""


@dataclass(frozen=True, slots=True)
class PathFinding:
    """Files of one kind that a withdrawal deletes or names; `key` is its name in JSON."""

    key: str
    title: str
    paths: Sequence[Path | str]


def path_findings(seen: ErasurePlan) -> list[PathFinding]:
    """Return the files on this machine that matter to a withdrawal."""
    wanted = seen.request
    deleted = seen.beside.deletable if wanted.delete_beside else ()
    left = [match.path for match in seen.beside.matches if match not in deleted]
    footage = "Footage, deleted" if wanted.delete_footage else "Footage, left, must be deleted, too"
    findings = (
        (
            "older",
            "Older states of the study, rewritten or erased",
            [path for path in seen.older if path not in seen.unreadable],
        ),
        ("copies", "Copies of the study, left: run the same command on them, or delete them", seen.copies),
        (
            "closed_copies",
            "May be copies of the study, encrypted or damaged: decrypt them and run the same command again, or delete "
            "them",
            seen.closed_copies,
        ),
        (
            "deleted_beside",
            "Files beside the study that hold something of theirs, deleted",
            [match.path for match in deleted],
        ),
        (
            "beside",
            "Files beside the study that name them or hold something of theirs, left: delete them, or make them anew",
            left,
        ),
        (
            "undecoded",
            "Text beside the study that is neither UTF-8 nor UTF-16, left: names in it may not be found, look yourself",
            seen.beside.undecoded,
        ),
        ("clips", "Clips and reports, deleted", [clip.path for clip in seen.clips if clip.sure]),
        (
            "like_clips",
            "Called like a clip of theirs, look yourself",
            [clip.path for clip in seen.clips if not clip.sure],
        ),
        ("footage", footage, [file.path for file in seen.footage if file.exists]),
        (
            "missing_footage",
            "Footage that is not there, is another file, or lies outside the study's folder",
            [file.path for file in seen.footage if not file.exists],
        ),
        (
            "footage_copies",
            "Files that begin as the footage does, left: delete those that are theirs",
            seen.footage_copies,
        ),
        ("remembered_paths", "Paths in the settings of the program that name them, forgotten", seen.remembered),
    )
    return [PathFinding(*finding) for finding in findings]


def preview_lines(seen: ErasurePlan, *, deciding: bool = True) -> list[str]:
    """Return what would be removed, a line each; what has to be decided too, where that is not shown elsewhere."""
    facts, removed = seen.facts, seen.removed
    lines = [f"{escape_unprintable(seen.request.pseudonym)} is in {_recordings(facts.recordings)}."]
    if facts.recordings:
        lines.append(
            "These recordings would be removed as a whole, with everybody's annotations."
            if seen.request.drop_recordings
            else "Others' annotations of them stay; their footage is unlinked and must be deleted."
        )
    lines.append("Removed, or blanked in part:")
    lines += [f"  {TABLES[table].label}: {_counts_text(*counts)}" for table, counts in removed.rows.items()]
    lines.append(f"  changes of the history: {removed.history} removed. Undo ends here.")
    lines += _words("Words that were taken for a name of theirs", seen.lookalikes.found)
    lines += _words("Removed wherever they stand, because they stood in texts of theirs", dict.fromkeys(seen.exact, 0))
    lines += lookalike_lines(seen) if deciding else []
    lines += _words("Kept, as you said", seen.lookalikes.kept)
    counts = ", ".join(f"{KIND_NAMES.get(kind, kind)}: {count}" for kind, count in seen.strings.items() if count)
    lines.append(f"Searched for in every file of the study ({counts}).")
    for finding in path_findings(seen):
        lines += _path_lines(finding)
        lines += _unreadable_lines(seen) if finding.key == "older" else []
    if seen.caches:
        lines.append(f"Files of caches, deleted: {len(seen.caches)}")
    if seen.named_by_path:
        lines.append("The study's own name or folder names them: rename it afterwards.")
    for where, count in removed.left.items():
        lines.append(f"Spelled alike and left: {count} in {where}")
    copies = len(facts.copies) + len(facts.shared_copies)
    releases = sum(made_file.kind != "anonymize" for made_file in facts.made_files)
    if len(facts.sent_requests) + copies + releases:
        lines.append(
            f"Out of reach: {pluralize(len(facts.sent_requests), 'request')} that carried something of theirs, "
            f"{copies} {'copy' if copies == 1 else 'copies'}, "
            f"{pluralize(releases, 'release')}. The certificate lists them."
        )
    return lines


def preview_json(seen: ErasurePlan) -> dict[str, Json]:
    """Return the same as a JSON object."""
    rows: dict[str, Json] = {
        table: {"rows": gone, "blanked": blanked} for table, (gone, blanked) in seen.removed.rows.items()
    }
    return {
        "participant": seen.request.pseudonym,
        "recordings": [*seen.facts.recordings],
        "removed": rows,
        "history": seen.removed.history,
        "left": {**seen.removed.left},
        "words": {
            "found": {**seen.lookalikes.found},
            "left": {**seen.lookalikes.remaining},
            "why": {word: why.value for word, why in seen.lookalikes.reasons.items()},
            "kept": {**seen.lookalikes.kept},
            "exact": [*seen.exact],
            "undecided": [*seen.undecided],
        },
        "searched": {**seen.strings},
        **{finding.key: [*map(str, finding.paths)] for finding in path_findings(seen)},
        "unreadable": {str(path): why for path, why in seen.unreadable.items()},
        "cached_files": len(seen.caches),
        "named_by_path": seen.named_by_path,
    }


def remaining_steps(done: ErasureResult) -> list[str]:
    """Return what must be done by hand now, a line each, with the paths that a certificate never names."""
    left = done.plan.footage_left()
    return [*done.problems, *(f"{escape_unprintable(path)}: footage, which must still be deleted." for path in left)]


def lookalike_lines(seen: ErasurePlan) -> list[str]:
    """Return what looks like theirs and stays, with why; a person has to decide about each."""
    lines = []
    for likeness, title in LIKENESS_TITLES.items():
        listed = {
            word: count
            for word, count in seen.lookalikes.remaining.items()
            if seen.lookalikes.reasons.get(word) is likeness
        }
        lines += _words(title, listed, len(listed))
    if lines and seen.request.keep_rest:
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
    what = "erased unread" if seen.request.erase_unreadable else "nothing is removed as long as they are there"
    return [
        f"Backups that cannot be read, {what}:",
        *(f"  {escape_unprintable(path)}: {why}" for path, why in seen.unreadable.items()),
    ]


def _counts_text(gone: int, blanked: int) -> str:
    if gone and blanked:
        return f"{gone} removed, {blanked} blanked"
    return f"{blanked} blanked" if blanked else f"{gone} removed"


def _recordings(numbers: tuple[int, ...]) -> str:
    if not numbers:
        return "no recording"
    return f"{'recording' if len(numbers) == 1 else 'recordings'} {', '.join(map(str, numbers))}"


def _path_lines(finding: PathFinding) -> list[str]:
    paths = finding.paths
    if not paths:
        return []
    more = [f"  and {len(paths) - _MAX_LISTED} more"] if len(paths) > _MAX_LISTED else []
    return [f"{finding.title}:", *(f"  {escape_unprintable(path)}" for path in paths[:_MAX_LISTED]), *more]
