"""What a recovery saved and what it did not."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


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
