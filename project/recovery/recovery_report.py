"""Reports what a recovery saved and what was lost."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from project.schema.tables import TABLES
from project.text_format import pluralize


@dataclass(frozen=True, slots=True)
class TableSaved:
    """The recovery result of one table.

    Attributes:
        saved: rows that are in the new study.
        from_history: how many of them were lost, and taken from the history.
        from_backup: how many were lost, and taken from the newest backup.
        placeholders: how many stand for rows that are lost and that other rows refer to.
        incomplete: whether a part of the table could not be read; nobody knows how many rows were in it.
        unreadable_rows: rows that are known to be there and could not be read.
        left_out: rows that were read and left out, because they make no sense, or what they belong to is lost.
        only_in_backup: rows of the newest backup that are not in the new study and were not deleted.
    """

    name: str
    saved: int
    from_history: int
    from_backup: int
    placeholders: int
    incomplete: bool
    unreadable_rows: int
    left_out: int
    only_in_backup: int | None

    @property
    def has_losses(self) -> bool:
        """Whether anything of it is known to be lost."""
        return bool(
            self.incomplete or self.unreadable_rows or self.placeholders or self.left_out or self.only_in_backup
        )


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """The result of `recover`.

    Attributes:
        path: the new study.
        tables: those that have or had rows.
        whole_history: whether what was done can still be undone.
        history_mismatches: how many rows are not what the history says; the step "Recover" lists them.
        backup: the newest backup, and when it was made; None without one.
        problems: what `check` still finds in the new study.
        foreign: what others declared in the file, such as a table, and that is not in the new study.
        log_damaged: whether edits that were saved cannot be read from the log that a killed process left.
    """

    path: Path
    tables: tuple[TableSaved, ...]
    whole_history: bool
    history_mismatches: int
    backup: tuple[Path, datetime] | None
    problems: tuple[str, ...]
    foreign: tuple[str, ...] = ()
    log_damaged: bool = False

    @property
    def has_losses(self) -> bool:
        """Whether anything is known to be lost."""
        return self.log_damaged or any(table.has_losses for table in self.tables)


def report_lines(found: RecoveryResult) -> list[str]:
    """Return what was saved and what was not, for people."""
    saved = sum(table.saved for table in found.tables if not table.name.startswith("journal_"))
    lines = [f"Saved {pluralize(saved, 'row')} into {found.path}"]
    lines += [
        f"  {TABLES[table.name].label}: {_describe_table(table)}"
        for table in found.tables
        if table.has_losses or table.from_history or table.from_backup
    ]
    if found.foreign:
        lines.append(f"Not Greenroom's, so left out with all rows: {'; '.join(found.foreign)}.")
    if found.log_damaged:
        lines.append("The write-ahead log is damaged: saved edits at the damage and after it are lost.")
    if not found.has_losses:
        lines.append(f"Nothing{' else' if found.foreign else ''} is known to be lost.")
    if found.history_mismatches:
        lines.append(
            f"{pluralize(found.history_mismatches, 'row')} differed from what the history says; "
            "the newest step, “Recover”, lists them."
        )
    if not found.whole_history:
        lines.append("What was done before cannot be undone any more.")
    if found.backup is None:
        lines.append("There is no backup to compare with.")
    else:
        lines.append(f"Compared with the backup of {found.backup[1].astimezone():%Y-%m-%d %H:%M}: {found.backup[0]}")
    lines += [f"Still wrong: {problem}" for problem in found.problems]
    return lines


def _describe_table(table: TableSaved) -> str:
    parts = [f"{table.saved} saved"]
    parts += [f"{table.from_history} of them from the history"] if table.from_history else []
    parts += [f"{table.from_backup} of them from the newest backup"] if table.from_backup else []
    parts += [f"{table.placeholders} made up to stand for what is lost"] if table.placeholders else []
    parts += ["the table cannot be read whole"] if table.incomplete else []
    parts += [f"{pluralize(table.unreadable_rows, 'row')} unreadable"] if table.unreadable_rows else []
    parts += (
        [f"{table.left_out} left out, for what they belong to is lost or they make no sense"] if table.left_out else []
    )
    parts += [f"{table.only_in_backup} more in the newest backup"] if table.only_in_backup else []
    return ", ".join(parts)
