"""The command that shows everything on the sample recording."""

from pathlib import Path

import click

from app.cli.output import Bar, json_option, tell


@click.command()
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("greenroom-demo"),
    show_default=True,
    help="Where the demo study and its clips are kept.",
)
@click.option("--no-window", is_flag=True, help="Do not open the window at the end.")
@json_option
def demo(folder: Path, no_window: bool, as_json: bool) -> int:
    """Make a study from the sample recording and open the window.

    The face in it is tracked, and an anonymized clip exported.

    \b
    Example:
      greenroom demo --dir /tmp/demo --no-window
    """
    from app.core.demo import ANNOTATOR, make_demo

    made = make_demo(folder, lambda work: Bar(work.title))
    text = [
        f"Study: {made.study}",
        f"Recording {made.recording}: a face in {100 * made.face_coverage:.1f} % of the frames",
        f"Anonymized clip: {made.clip}",
        f"Faces left in it: {len(made.faces_left)}",
    ]
    tell(as_json, made.as_json(), "\n".join(text))
    if no_window:
        return 0
    from app.gui.screen import has_screen

    if not has_screen():
        click.echo("There is no screen here, so the window was left out.", err=True)
        return 0
    from app.gui.application import run

    return run(made.study, ANNOTATOR)
