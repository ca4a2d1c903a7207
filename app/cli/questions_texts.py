"""The texts of a data set of questions on the command line, for who reads them before they leave."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar
from app.cli.scrubbed_texts import tell_texts
from app.cli.study import STUDY
from app.core.session import Session


@click.command("texts")
@STUDY
@click.option("--all", "everything", is_flag=True, help="Also questions that are not verified or out of date.")
@click.option("--changed", is_flag=True, help="List only texts in which something was changed.")
@click.option("--confirm", is_flag=True, help="Say that you have read all of them, scrubbed as they are now.")
@click.option("--annotator", help="Who has read them.")
@json_option
def texts(study: Path, everything: bool, changed: bool, confirm: bool, annotator: str | None, as_json: bool) -> None:
    """List the texts of a data set of questions before and after scrubbing, and confirm them.

    Nothing is exported before somebody has read them. Any later change takes that back. A text that stands in several
    places is listed once.

    \b
    Example:
      greenroom questions texts my-study.greenroom
      greenroom questions texts my-study.greenroom --confirm --annotator Ada
    """
    from app.core.pii.search import search_here
    from app.core.questions.dataset.gathering import gather
    from app.core.questions.dataset.reading import confirm_question_texts, each_once, reader_of

    with Session.open(study, annotator) as session:
        with progress_bar("Texts of questions") as bar:
            search_here(session, bar)
            found = gather(session, everything=everything, progress=bar)
        if confirm:
            confirm_question_texts(session, found)
        reader = reader_of(session, found)
    tell_texts(as_json, each_once(found.texts), reader, changed=changed)
