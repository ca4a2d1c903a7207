"""Exporting questions as a data set on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted
from project.types import Json


@click.command("export")
@STUDY
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder that is not there or empty.")
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(["jsonl", "vlmevalkit"]),
    help="vlmevalkit adds a table for VLMEvalKit to the JSON lines, which are always there. Repeatable.",
)
@click.option(
    "--release", type=click.Path(path_type=Path), help="Folder of a release whose clips and pictures to name."
)
@click.option(
    "--all", "everything", is_flag=True, help="Also questions that are not verified or out of date, marked so."
)
@click.option("--seed", default=0, show_default=True, help="Of the splits.")
@json_option
def export(
    study: Path,
    out: Path,
    formats: tuple[str, ...],
    release: Path | None,
    everything: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Export verified questions as a data set: splits, chains, a data card, a loader.

    Texts are scrubbed as those of a release, and nothing leaves before a person has read them: greenroom questions
    texts. Hold-outs, and recordings in which somebody did not consent to release, are left out.

    \b
    Example:
      greenroom questions export my-study.greenroom --out questions
      greenroom questions export my-study.greenroom --out questions --format vlmevalkit --release my-release
    """
    from app.core.pii.search import search_here
    from app.core.questions.dataset.exporting import export_questions

    with Session.open(study) as session, progress_bar("Data set of questions") as bar:
        search_here(session, bar)
        made = export_questions(
            session, out, formats=formats or ("jsonl",), everything=everything, seed=seed, release=release, progress=bar
        )
    by_split = ", ".join(f"{split} {many}" for split, many in made.by_split.items())
    lines = [f"Wrote {counted(made.questions, 'question')} to {out}: {by_split}."]
    lines += [f"Left out: {many}, {why}." for why, many in sorted(made.left_out.items())]
    lines.append(f"{counted(made.replaced, 'place')} of texts taken out. Fill in DATACARD.md before it leaves.")
    result: dict[str, Json] = {
        "folder": str(out),
        "questions": made.questions,
        "by_kind": {**made.by_kind},
        "by_split": {**made.by_split},
        "recordings": {**made.recordings},
        "chains": made.chains,
        "left_out": {**made.left_out},
        "replaced": made.replaced,
        "files": [*made.files],
    }
    tell(as_json, result, "\n".join(lines))
