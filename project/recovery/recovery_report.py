"""Reports what a recovery saved and what was lost."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from project.schema.columns import TABLE_LABELS
from project.text_format import pluralize


@dataclass(frozen=True, slots=True)
class TableSaved:
    """The recovery result of one table.

    Attributes:
        saved: rows that are in the new study.
        from_history: how many of them came from the history, because their own page was lost.
        orphaned: how many of them lay on pages that nothing led to any more.
        from_backup: how many were lost, and taken from the newest backup because other rows refer to them.
        placeholders: how many stand for rows that are lost and that other rows refer to.
        bad_pages: pages with rows that could not be read.
        bad_rows: rows that could not be read, on pages that could.
        left_out: rows that were read and left out, because what they belong to is lost.
        only_in_backup: rows of the newest backup that are not in the new study and were not deleted.
    """

    name: str
    saved: int
    from_history: int
    orphaned: int
    from_backup: int
    placeholders: int
    bad_pages: int
    bad_rows: int
    left_out: int
    only_in_backup: int | None


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
        log_damage: what was changed in the log of edits of a sealed study, as a clause; "" for nothing.
    """

    path: Path
    tables: tuple[TableSaved, ...]
    whole_history: bool
    history_mismatches: int
    backup: tuple[Path, datetime] | None
    problems: tuple[str, ...]
    foreign: tuple[str, ...] = ()
    log_damage: str = ""

    @property
    def has_losses(self) -> bool:
        """Whether anything is known to be lost."""
        return bool(self.log_damage) or any(
            table.bad_pages or table.bad_rows or table.placeholders or table.left_out or table.only_in_backup
            for table in self.tables
        )


def report_lines(found: RecoveryResult) -> list[str]:
    """Return what was saved and what was not, for people."""
    saved = sum(table.saved for table in found.tables if not table.name.startswith("journal_"))
    lines = [f"Saved {pluralize(saved, 'row')} into {found.path}"]
    lines += [f"  {TABLE_LABELS[table.name]}: {_describe_table(table)}" for table in found.tables if _is_lossy(table)]
    if found.foreign:
        lines.append(f"Not Greenroom's, so left out with all rows: {'; '.join(found.foreign)}.")
    if found.log_damage:
        lines.append(
            f"The log of edits is damaged: {found.log_damage}. What could not be read of it is lost; intact edits "
            "after the damage are in place as far as they fit."
        )
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


def _is_lossy(table: TableSaved) -> bool:
    elsewhere = table.from_history or table.orphaned or table.from_backup or table.placeholders
    return bool(elsewhere or table.bad_pages or table.bad_rows or table.left_out or table.only_in_backup)


def _describe_table(table: TableSaved) -> str:
    parts = [f"{table.saved} saved"]
    parts += [f"{table.from_history} of them from the history"] if table.from_history else []
    parts += [f"{table.orphaned} of them from loose pages"] if table.orphaned else []
    parts += [f"{table.from_backup} of them from the newest backup"] if table.from_backup else []
    parts += [f"{table.placeholders} made up to stand for what is lost"] if table.placeholders else []
    parts += [f"{pluralize(table.bad_pages, 'page')} lost"] if table.bad_pages else []
    parts += [f"{pluralize(table.bad_rows, 'row')} unreadable"] if table.bad_rows else []
    parts += (
        [f"{table.left_out} left out, for what they belong to is lost or they make no sense"] if table.left_out else []
    )
    parts += [f"{table.only_in_backup} more in the newest backup"] if table.only_in_backup else []
    return ", ".join(parts)
