"""Commands about a study as a whole."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.core.session import MediaState, Session
from project.counted import counted
from project.errors import UserError
from project.names import shown
from project.timebase import format_time, parse_time

STUDY = click.argument("study", type=click.Path(path_type=Path))


@click.command("open")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--recording", help="Number, file name or id of the one to show.")
@click.option("--at", help="Seconds or h:mm:ss.mmm to show.")
@click.option("--from-desktop", is_flag=True, help="Say what is wrong in a window: for starts without a terminal.")
def open_study(files: tuple[Path, ...], recording: str | None, at: str | None, from_desktop: bool) -> int:
    """Open the window, on a study where one is named.

    The word `open` can be left out. Where recordings are named, the window offers to make a study of them.

    \b
    Example:
      greenroom open my-study.greenroom
      greenroom my-study.greenroom
      greenroom open my-study.greenroom --recording 3 --at 0:01:02.5
    """
    from app.cli.window import open_window

    return open_window(files, None, recording, None if at is None else parse_time(at), from_desktop)


@click.command()
@STUDY
@click.option("--name", default="", help="What the study is called; its file name when not given.")
@json_option
def new(study: Path, name: str, as_json: bool) -> None:
    """Make an empty study.

    \b
    Example:
      greenroom new my-study.greenroom
    """
    from project.store import Study

    path = with_suffix(study)
    Study.create(path, name or path.stem).close()
    tell(as_json, {"study": str(path)}, f"Made {path}")


@click.command()
@STUDY
@click.argument("videos", metavar="VIDEO...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--collection", help="Name of the collection they belong to; made when it is new.")
@json_option
def add(study: Path, videos: tuple[Path, ...], collection: str | None, as_json: bool) -> None:
    """Add recordings to a study. The files stay where they are.

    \b
    Example:
      greenroom add my-study.greenroom footage/*.mp4
    """
    from app.core.commands.recordings import add_recordings, ends_early, probe_file

    with Session.open(study) as session:
        with progress_bar("Reading") as bar:
            files = []
            for done, video in enumerate(videos):
                bar.progress(done, len(videos), video.name)
                files.append(probe_file(video))
        ids, _ = add_recordings(session, files, collection)
        made = [session.recording(recording_id) for recording_id in ids]
    lines = [f"Added recording {r.number}: {shown(r.name)} ({format_time(r.duration_us)})" for r in made]
    lines += [line for file in files if (line := ends_early(file))]
    tell(
        as_json,
        {
            "study": str(study),
            "recordings": [
                {
                    "id": r.id,
                    "number": r.number,
                    "name": r.name,
                    "seconds": r.duration_us / 1e6,
                    "ends_early_s": file.facts.missing_us / 1e6,
                }
                for r, file in zip(made, files, strict=True)
            ],
        },
        "\n".join(lines),
    )


@click.command()
@STUDY
@json_option
def info(study: Path, as_json: bool) -> None:
    """Say what is in a study.

    \b
    Example:
      greenroom info my-study.greenroom
    """
    from app.core.overview import overview

    with Session.open(study, read_only=True) as session:
        found = overview(session)
    tell(as_json, found.as_json(), found.as_text())


@click.command()
@STUDY
@json_option
def undo(study: Path, as_json: bool) -> None:
    """Take back the newest edit that still stands.

    It may have been made long ago.

    \b
    Example:
      greenroom undo my-study.greenroom
    """
    from app.core.commands import history

    with Session.open(study) as session:
        done = history.undo(session)
    tell(as_json, {"undone": done.name}, f"Undone: {done.name}")


@click.command()
@STUDY
@json_option
def redo(study: Path, as_json: bool) -> None:
    """Do again what was undone last.

    \b
    Example:
      greenroom redo my-study.greenroom
    """
    from app.core.commands import history

    with Session.open(study) as session:
        done = history.redo(session)
    tell(as_json, {"redone": done.name}, f"Done again: {done.name}")


@click.command()
@STUDY
@json_option
def check(study: Path, as_json: bool) -> int:
    """Say whether a study file is sound, without changing it. Exits with 2 when it is not.

    \b
    Example:
      greenroom check my-study.greenroom
    """
    from project.check import check as problems_of

    problems = problems_of(study)
    missing: list[str] = []
    if not problems:
        with Session.open(study, read_only=True) as session:
            from project.queries.media import all_media

            found = [session.locate(medium) for medium in all_media(session.study)]
        missing = [f"{f.state.value}: {f.path}" for f in found if f.state is not MediaState.PRESENT]
    lines = [f"{study}: {'sound' if not problems else counted(len(problems), 'problem')}", *problems]
    if missing:
        lines += ["Files to relink:", *missing]
    tell(as_json, {"ok": not problems, "problems": [*problems], "media": [*missing]}, "\n".join(lines))
    return 2 if problems else 0


@click.command()
@STUDY
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
def relink(study: Path, folder: Path, as_json: bool) -> None:
    """Find missing files of a study in a folder, by their content.

    \b
    Example:
      greenroom relink my-study.greenroom /media/footage
    """
    from app.core.commands.recordings import relink as run_relink

    with Session.open(study) as session, progress_bar("Searching") as bar:
        done = run_relink(session, folder, bar)
    text = [f"Relinked {counted(len(done.found), 'file')}." if done.found else "No missing file was found there."]
    text += [f"Still missing: {name}" for name in done.missing]
    tell(as_json, {"relinked": [*done.found], "missing": [*done.missing]}, "\n".join(text))


@click.command(hidden=True)
@click.option("--stay", is_flag=True, help="Do one job after the other until the input closes.")
def worker(stay: bool) -> int:
    """Do one job for a window, told on standard input."""
    from app.worker import run

    return run(stay=stay)


def with_suffix(study: Path) -> Path:
    """Return the path of a new study, with the suffix that studies have.

    Raises:
        UserError: the path has another suffix, so it is likely a slip.
    """
    if not study.name:
        raise UserError("A study needs a name.", "Give one that ends in .greenroom.")
    if study.suffix == ".greenroom":
        return study
    if study.suffix and study.suffix.lower() in {".mp4", ".mov", ".mkv", ".avi", ".webm"}:
        raise UserError(f"{study.name} is the name of a video.", "A study's name ends in .greenroom.")
    return study.with_name(study.name + ".greenroom")
