"""What a merge brought, for people and as JSON."""

from collections.abc import Sequence

from app.core.commands.team import MergedCopy
from project.types import Json

_NAMES = {
    "segment": "segments",
    "segment_value": "filled-in fields",
    "recording": "recordings",
    "medium": "media files",
    "participant": "participants",
    "appearance": "appearances",
    "consent": "consents",
    "completion": "recordings done",
    "assignment": "assignments",
    "review": "reviews",
    "comment": "comments",
    "utterance": "utterances",
    "property": "facts about the study",
    "collection": "collections",
    "scheme_version": "scheme versions",
    "hold_out": "hold-outs",
    "track_correction": "corrections of face tracks",
    "track_box": "boxes moved by hand",
    "region": "regions drawn by hand",
    "region_box": "boxes of regions",
    "face_review": "reviews of faces",
    "seen_span": "uncertain stretches looked at",
    "waiver": "waivers",
    "private_word": "private words",
    "public_word": "words that are not private",
    "pii_decision": "decisions on personal information",
    "conflict": "conflicts",
    "merged_copy": "notes on merged copies",
    "run": "runs",
    "face_track": "face tracks",
    "heard": "stretches of speech",
    "judge": "judges",
    "prompt_version": "prompts",
    "adoption": "texts taken over from judges",
    "judgment": "judgments",
    "reveal": "judgments shown",
    "egress": "requests",
    "chain": "chains",
    "chain_node": "nodes of chains",
    "chain_person": "people of nodes",
    "chain_edge": "edges of chains",
    "chain_review": "reviews of chains",
    "question": "questions",
    "verification": "verifications of questions",
    "look": "looks of people",
    "summary": "summaries",
    "contradiction": "contradictions",
}


def named(table: str) -> str:
    """Return what the rows of a table are called."""
    return _NAMES.get(table, table)


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
            lines.append(f"  {named(table)}: {', '.join(f'{count} {what}' for count, what in counts if count)}")
        lines += [f"  {name} is recording {number} here" for name, number in one.merged.renumbered.items()]
        lines += [f"  the judge {name} is called {own} here" for name, own in one.merged.renamed.items()]
        if one.merged.conflicts:
            lines.append(f"  conflicts: {one.merged.conflicts}")
    if unresolved:
        lines.append(f"{unresolved} conflicts wait for you: greenroom conflicts STUDY")
    return "\n".join(lines)
