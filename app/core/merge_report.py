"""What a merge brought, for people and as JSON."""

from collections.abc import Sequence

from app.core.commands.team import MergedCopy
from app.core.table_words import WORDS
from project.types import Json


def as_json(done: Sequence[MergedCopy]) -> dict[str, Json]:
    """Return one object for each copy."""
    return {
        "copies": [
            {
                "copy": str(one.path),
                "source": one.merged.source,
                "nothing_new": one.merged.nothing_new,
                "tables": {
                    table: {"added": came.added, "changed": came.changed, "removed": came.removed}
                    for table, came in one.merged.tables.items()
                },
                "conflicts": one.merged.conflicts,
                "introduced": [*one.merged.introduced],
                "renumbered": dict(one.merged.renumbered),
                "renamed": dict(one.merged.renamed),
            }
            for one in done
        ]
    }


def as_text(done: Sequence[MergedCopy], unresolved: int, *, dry_run: bool = False) -> str:
    """Return lines for people."""
    lines: list[str] = []
    for one in done:
        if one.merged.nothing_new:
            lines.append(f"{one.path.name}: nothing new")
            continue
        lines.append(f"{one.path.name}: {'would bring' if dry_run else 'brought'} the work of {one.merged.source}")
        for table, came in one.merged.tables.items():
            counts = ((came.added, "added"), (came.changed, "changed"), (came.removed, "removed"))
            lines.append(
                f"  {WORDS.get(table, table)}: {', '.join(f'{count} {what}' for count, what in counts if count)}"
            )
        lines += [f"  {name} is recording {number} here" for name, number in one.merged.renumbered.items()]
        lines += [f"  the judge {name} is called {own} here" for name, own in one.merged.renamed.items()]
        if one.merged.conflicts:
            lines.append(f"  conflicts: {one.merged.conflicts}")
    if unresolved:
        lines.append(f"{unresolved} conflicts wait for you: greenroom conflicts STUDY")
    return "\n".join(lines)
