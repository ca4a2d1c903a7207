"""Commands that find: words, and what is still to be done."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.checklist import checklist as make_checklist
from app.core.commands.people import annotator_called
from app.core.search import StudySearch
from app.core.segment_table import SegmentTable
from app.core.session import Session
from project.counted import counted


@click.command()
@STUDY
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many at most.")
@json_option
def search(study: Path, words: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Search all texts of a study, the best fit first.

    They are rationales, corrections, comments, reviews, utterances, recordings and participants. A word is
    found where one begins with it, whatever its accents; words between quotes are found as they stand.

    \b
    Example:
      greenroom search my-study.greenroom interrupt "the robot"
    """
    typed = " ".join(f'"{word}"' if " " in word and '"' not in word else word for word in words)
    with Session.open(study, read_only=True) as session:
        searched = StudySearch(session)
        hits = searched.hits(typed, limit)
        total = len(searched.index.places(typed))
        searched.close()
    more = [f"{counted(total - len(hits), 'more text')}; --limit shows them."] if total > len(hits) else []
    lines = [hit.as_text() for hit in hits]
    tell(
        as_json, {"found": total, "hits": [hit.as_json() for hit in hits]}, "\n".join(lines + more) or "Nothing found."
    )


@click.command()
@STUDY
@click.option("--annotator", help="Whose; everybody's when not given.")
@json_option
def checklist(study: Path, annotator: str | None, as_json: bool) -> None:
    """List what is still to be done.

    That is incomplete segments, comments, reviews, and recordings that were given.

    \b
    Example:
      greenroom checklist my-study.greenroom --annotator Ada
    """
    with Session.open(study, read_only=True) as session:
        people = [annotator_called(session, annotator)] if annotator else []
        found = make_checklist(session, SegmentTable(session), people)
    tell(as_json, found.as_json(), found.as_text())
