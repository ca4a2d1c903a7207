"""Episodes in files of SOTOPIA, on the command line."""

from pathlib import Path

import click

from app.cli.output import RAW, json_option, tell
from app.cli.study import STUDY
from app.core.lookup import recording_called
from app.core.session import Session
from project.counted import counted
from project.types import Json


@click.command(name="import")
@STUDY
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--annotator", metavar="NAME", help="Who does it.")
@json_option
def import_episodes(study: Path, files: tuple[Path, ...], annotator: str | None, as_json: bool) -> None:
    """Import episodes, environment profiles, agent profiles or human scores of SOTOPIA, told apart by their content.

    Scores become segments of the scheme sotopia-eval, by annotators of the raters' names; import the episodes first.
    What is in the study already is not imported again.

    \b
    Example:
      greenroom episode import my-study.greenroom episodes.jsonl scores.csv
    """
    from app.core.episodes.sotopia.importing import import_file

    lines: list[str] = []
    told: list[Json] = []
    with Session.open(study, annotator) as session:
        for path in files:
            found = import_file(session, path)
            told.append(
                {
                    "file": str(path),
                    "what": found.what,
                    "added": found.added,
                    "known": found.known,
                    "of_other_episodes": found.homeless,
                }
            )
            parts = [f"{found.added} {found.what} added"]
            parts += [f"{found.known} here already"] if found.known else []
            parts += [f"{found.homeless} about episodes that are not here"] if found.homeless else []
            lines.append(f"{path.name}: {', '.join(parts)}.")
    tell(as_json, {"files": told}, "\n".join(lines))


@click.command()
@STUDY
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--recording", "recordings", multiple=True, help="Only this episode: number, name or id; again for more.")
@click.option("--ratings", is_flag=True, help="People's ratings as CSV in the place of the episodes.")
@json_option
def export(study: Path, out: Path, recordings: tuple[str, ...], ratings: bool, as_json: bool) -> None:
    """Write episodes as SOTOPIA writes them, a JSON object a line, or people's ratings as CSV. Never hold-outs.

    \b
    Example:
      greenroom episode export my-study.greenroom episodes.jsonl
      greenroom episode export my-study.greenroom scores.csv --ratings
    """
    from app.core.episodes.sotopia.exporting import write_episodes, write_scores

    with Session.open(study, read_only=True) as session:
        ids = [recording_called(session, one).id for one in recordings]
        count = (write_scores if ratings else write_episodes)(session, out, ids)
    what = counted(count, "rating" if ratings else "episode")
    tell(as_json, {"file": str(out), "count": count}, f"Wrote {what} to {out}. {RAW}")
