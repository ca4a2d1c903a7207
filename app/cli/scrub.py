"""The command that shares annotations alone."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from project.counted import counted
from project.names import shown
from project.sizes import size_text


@click.command()
@STUDY
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the copy goes.")
@json_option
def scrub(study: Path, out: Path, as_json: bool) -> None:
    """Make a copy that holds annotations alone, to be shared.

    Segments, labels, choices, numbers and the structure of chains go along, under codes. Words, names, paths,
    footage and the history do not.

    \b
    Example:
      greenroom scrub my-study.greenroom --out annotations.greenroom
    """
    from app.core.scrubbing import as_json as told
    from app.core.scrubbing import scrub as run_scrub
    from app.core.session import Session

    with Session.open(study) as session:
        made, changes = run_scrub(session, out)
    rows = ", ".join(
        counted(made.rows.get(table, 0), thing)
        for table, thing in (
            ("recording", "recording"),
            ("segment", "segment"),
            ("segment_value", "value"),
            ("chain", "chain"),
        )
    )
    lines = [f"Made {shown(made.path)} ({size_text(made.path.stat().st_size)}): {rows}"]
    if made.held_out:
        lines.append(f"{counted(made.held_out, 'recording')} held out: not in it")
    if left := made.left_out.get("segment_value"):
        lines.append(f"{counted(left, 'value')} in words: not in it")
    if changes is None:
        lines.append("The study can only be read now, so it does not note that there is this copy.")
    tell(as_json, {**told(made), "noted": changes is not None}, "\n".join(lines))
