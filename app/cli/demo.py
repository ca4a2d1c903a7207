"""The command that shows everything on the sample recording."""

from pathlib import Path

import click

from app.cli.output import Bar, json_option, progress_bar, tell
from project.percent import percent

_LANDMARKS = "face-landmarks"


@click.command()
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("greenroom-demo"),
    show_default=True,
    help="Where the demo study and its clips are kept.",
)
@click.option("--fetch", is_flag=True, help="First get the landmark model, which the recommended method needs.")
@click.option("--only-video", is_flag=True, help="Only put the sample recording there, for a study of your own.")
@click.option("--no-window", is_flag=True, help="Do not open the window at the end.")
@json_option
def demo(folder: Path, fetch: bool, only_video: bool, no_window: bool, as_json: bool) -> int:
    """Make a study from the sample recording and open the window.

    The face in it is tracked, and an anonymized clip exported.

    \b
    Example:
      greenroom demo --dir /tmp/demo --no-window
      greenroom demo --dir tutorial --only-video
    """
    from app.core.demo import ANNOTATOR, make_demo
    from app.core.sample import sample_video

    if only_video:
        video = sample_video(folder)
        tell(as_json, {"video": str(video)}, f"Sample recording: {video}")
        return 0
    if fetch:
        _fetch_landmarks()
    made = make_demo(folder, lambda work: Bar(work.title))
    text = [
        f"Study: {made.study}",
        f"Recording {made.recording}: a face in {percent(made.face_coverage)} of the frames",
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
    from app.cli.window import open_window

    return open_window([made.study], ANNOTATOR)


def _fetch_landmarks() -> None:
    """Get the landmark model, saying what and from where; the demo goes on without it where it cannot be had."""
    from app.core.fetching import question
    from models import weights
    from models.weights.fetching import fetch
    from project.errors import UserError

    if weights.installed(_LANDMARKS):
        return
    try:
        click.echo(question(_LANDMARKS), err=True)
        with progress_bar("Fetching") as bar:
            fetch(_LANDMARKS, bar)
    except UserError as error:
        click.echo(f"The demo goes on without it. {error.message}", err=True)
