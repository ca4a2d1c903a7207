"""What a recovery saved and what it did not, in words."""

from app.core.table_words import WORDS
from project.counted import counted
from project.recovering.report import Recovered, TableSaved


def report_lines(found: Recovered) -> list[str]:
    """Return what was saved and what was not, for people."""
    saved = sum(one.saved for one in found.tables if not one.name.startswith("journal_"))
    lines = [f"Saved {counted(saved, 'row')} into {found.path}"]
    lines += [f"  {WORDS[one.name]}: {_of(one)}" for one in found.tables if _lossy(one)]
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
            f"{counted(found.unlike_history, 'row')} differed from what the history says; "
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


def _lossy(one: TableSaved) -> bool:
    elsewhere = one.from_history or one.loose or one.from_backup or one.made_up
    return bool(elsewhere or one.bad_pages or one.bad_rows or one.left_out or one.only_in_backup)


def _of(one: TableSaved) -> str:
    parts = [f"{one.saved} saved"]
    parts += [f"{one.from_history} of them from the history"] if one.from_history else []
    parts += [f"{one.loose} of them from loose pages"] if one.loose else []
    parts += [f"{one.from_backup} of them from the newest backup"] if one.from_backup else []
    parts += [f"{one.made_up} made up to stand for what is lost"] if one.made_up else []
    parts += [f"{counted(one.bad_pages, 'page')} lost"] if one.bad_pages else []
    parts += [f"{counted(one.bad_rows, 'row')} unreadable"] if one.bad_rows else []
    parts += [f"{one.left_out} left out, for what they belong to is lost or they make no sense"] if one.left_out else []
    parts += [f"{one.only_in_backup} more in the newest backup"] if one.only_in_backup else []
    return ", ".join(parts)
