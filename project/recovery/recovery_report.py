"""What a recovery saved and what it did not. What a recovery saved and what it did not, in words."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from project.schema.columns import TABLE_LABELS
from project.text_format import pluralize


@dataclass(frozen=True, slots=True)
class TableSaved:
    """What became of one table.

    Attributes:
        saved: rows that are in the new study.
        from_history: how many of them came from the history, because their own page was lost.
        loose: how many of them lay on pages that nothing led to any more.
        from_backup: how many were lost, and taken from the newest backup because other rows refer to them.
        made_up: how many stand for rows that are lost and that other rows refer to.
        bad_pages: pages with rows that could not be read.
        bad_rows: rows that could not be read, on pages that could.
        left_out: rows that were read and left out, because what they belong to is lost.
        only_in_backup: rows of the newest backup that are not in the new study and were not deleted.
    """

    name: str
    saved: int
    from_history: int
    loose: int
    from_backup: int
    made_up: int
    bad_pages: int
    bad_rows: int
    left_out: int
    only_in_backup: int | None


@dataclass(frozen=True, slots=True)
class Recovered:
    """What `recover` did.

    Attributes:
        path: the new study.
        tables: those that have or had rows.
        whole_history: whether what was done can still be undone.
        unlike_history: how many rows are not what the history says; the step "Recover" lists them.
        backup: the newest backup, and when it was made; None without one.
        problems: what `check` still finds in the new study.
        foreign: what others declared in the file, such as a table, and that is not in the new study.
        log_damage: what was changed in the log of edits of a sealed study, as a clause; "" for nothing.
    """

    path: Path
    tables: tuple[TableSaved, ...]
    whole_history: bool
    unlike_history: int
    backup: tuple[Path, datetime] | None
    problems: tuple[str, ...]
    foreign: tuple[str, ...] = ()
    log_damage: str = ""

    @property
    def losses(self) -> bool:
        """Whether anything is known to be lost."""
        return bool(self.log_damage) or any(
            one.bad_pages or one.bad_rows or one.made_up or one.left_out or one.only_in_backup for one in self.tables
        )


def report_lines(found: Recovered) -> list[str]:
    """Return what was saved and what was not, for people."""
    saved = sum(one.saved for one in found.tables if not one.name.startswith("journal_"))
    lines = [f"Saved {pluralize(saved, 'row')} into {found.path}"]
    lines += [f"  {TABLE_LABELS[one.name]}: {_describe_table(one)}" for one in found.tables if _is_lossy(one)]
    if found.foreign:
        lines.append(f"Not Greenroom's, so left out with all rows: {'; '.join(found.foreign)}.")
    if found.log_damage:
        lines.append(
            f"The log of edits is damaged: {found.log_damage}. What could not be read of it is lost; intact edits "
            "after the damage are in place as far as they fit."
        )
    if not found.losses:
        lines.append(f"Nothing{' else' if found.foreign else ''} is known to be lost.")
    if found.unlike_history:
        lines.append(
            f"{pluralize(found.unlike_history, 'row')} differed from what the history says; "
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


def _is_lossy(one: TableSaved) -> bool:
    elsewhere = one.from_history or one.loose or one.from_backup or one.made_up
    return bool(elsewhere or one.bad_pages or one.bad_rows or one.left_out or one.only_in_backup)


def _describe_table(one: TableSaved) -> str:
    parts = [f"{one.saved} saved"]
    parts += [f"{one.from_history} of them from the history"] if one.from_history else []
    parts += [f"{one.loose} of them from loose pages"] if one.loose else []
    parts += [f"{one.from_backup} of them from the newest backup"] if one.from_backup else []
    parts += [f"{one.made_up} made up to stand for what is lost"] if one.made_up else []
    parts += [f"{pluralize(one.bad_pages, 'page')} lost"] if one.bad_pages else []
    parts += [f"{pluralize(one.bad_rows, 'row')} unreadable"] if one.bad_rows else []
    parts += [f"{one.left_out} left out, for what they belong to is lost or they make no sense"] if one.left_out else []
    parts += [f"{one.only_in_backup} more in the newest backup"] if one.only_in_backup else []
    return ", ".join(parts)
