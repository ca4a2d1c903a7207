"""Chains from and to files on the command line."""

from pathlib import Path

import click

from app.cli.output import RAW, json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted

FORMAT = click.Choice(["json", "graphml"])


@click.command("import")
@STUDY
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--recording", help="Number, file name or id; by the names in the file when not given.")
@click.option("--format", "key", type=FORMAT, help="Which one; seen from the file's name when not given.")
@click.option("--annotator", required=True, help="Whose chains they become.")
@json_option
def import_file(study: Path, file: Path, recording: str | None, key: str | None, annotator: str, as_json: bool) -> None:
    """Import chains, all of a file or none, as one step that undo takes back.

    \b
    Example:
      greenroom chain import my-study.greenroom chains.json --annotator Ada
      greenroom chain import my-study.greenroom drawn.graphml --recording 1 --annotator Ada
    """
    from app.core.chains.files.importing import import_chains

    with Session.open(study, annotator) as session:
        made, _ = import_chains(session, file, recording=recording, key=key)
    tell(as_json, {"chains": [*made]}, f"Imported {counted(len(made), 'chain')}.")


@click.command("export")
@STUDY
@click.option("--out", required=True, type=click.Path(path_type=Path), help="File, ending in .json or .graphml.")
@click.option("--chain", "chain_ids", multiple=True, help="Id of a chain; all when not given. Repeatable.")
@click.option("--recording", multiple=True, help="Number, file name or id; all when not given. Repeatable.")
@click.option("--format", "key", type=FORMAT, help="Which one; seen from the file's name when not given.")
@click.option("--force", is_flag=True, help="Replace a file of the same name.")
@json_option
def export_file(
    study: Path,
    out: Path,
    chain_ids: tuple[str, ...],
    recording: tuple[str, ...],
    key: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Export chains as JSON or GraphML. Hold-outs are never exported.

    They are raw: names and all else that is personal is in them.

    \b
    Example:
      greenroom chain export my-study.greenroom --out chains.json
      greenroom chain export my-study.greenroom --out one.graphml --chain CHAIN
    """
    from app.core.chains.files.exporting import export_chains, exportable_chains
    from app.core.commands.chains import find_chain
    from app.core.lookup import recording_called

    with Session.open(study, read_only=True) as session:
        ids = [find_chain(session, one).id for one in chain_ids]
        places = [recording_called(session, one).id for one in recording]
        graphs = exportable_chains(session, ids, places)
        export_chains(session, graphs, out, key=key, overwrite=force)
    text = f"Wrote {counted(len(graphs), 'chain')} to {out}\n{RAW}"
    tell(as_json, {"file": str(out), "chains": [one.chain.id for one in graphs]}, text)
