"""Comments on segments, on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.commands import comments as commands
from app.core.commands.segments import find
from app.core.session import Session
from project.errors import UserError
from project.queries.annotators import all_annotators
from project.queries.comments import comments_of
from project.types import Comment, Json


@click.command()
@STUDY
@click.argument("segment_id", metavar="SEGMENT")
@click.option("--text", help="What the comment says.")
@click.option("--resolve", is_flag=True, help="Say that what was remarked on the segment is dealt with.")
@click.option("--annotator", help="Who comments or resolves; not needed to read.")
@json_option
def comment(
    study: Path, segment_id: str, text: str | None, resolve: bool, annotator: str | None, as_json: bool
) -> None:
    """Read the comments on a segment, add one, or resolve them. Anybody may comment on any segment.

    \b
    Example:
      greenroom comment my-study.greenroom SEGMENT --text "Is this not a pause?" --annotator Ada
      greenroom comment my-study.greenroom SEGMENT --resolve --annotator Bo
    """
    writes = text is not None or resolve
    if writes and not annotator:
        raise UserError("Nobody is named who comments.", "Add --annotator NAME.")
    with Session.open(study, annotator, read_only=not writes) as session:
        find(session, segment_id)
        if resolve:
            unresolved = [one.id for one in comments_of(session.study, segment_id) if not one.resolved]
            commands.resolve_comments(session, unresolved)
        if text is not None:
            commands.add_comment(session, segment_id, text)
        names = {one.id: one.name for one in all_annotators(session.study)}
        found = [_described(one, names) for one in comments_of(session.study, segment_id)]
    lines = [
        f"{one['at']}  {one['annotator']}{' (resolved)' if one['resolved'] else ''}: {one['text']}" for one in found
    ]
    tell(as_json, {"segment": segment_id, "comments": [*found]}, "\n".join(lines) or "No comments.")


def _described(one: Comment, names: dict[str, str]) -> dict[str, Json]:
    return {
        "id": one.id,
        "annotator": names[one.annotator_id],
        "text": one.text,
        "at": one.at,
        "resolved": one.resolved,
    }
