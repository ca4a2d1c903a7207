"""The commands with which work begins: `open`, `demo`, `new`, `add` and `info`.

Before Qt starts, the system libraries that it needs are checked, because Qt would end the process with an abort. Files
that are named to the program or dropped on its window are sorted into a study to open or recordings for a new one.
"""

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from app.cli.command import EDIT, FOLDER, SOUND_TRACK, Time, argument, command, option
from app.cli.console import Output, print_output, progress_bar, record, run_job
from app.diagnostics import desktop_entry, system_facts
from media.file_suffixes import RECORDING_SUFFIXES
from project.encryption.encryption_key import starts_encrypted
from project.errors import UserError, path_not_found
from project.progress import SubtaskProgress
from project.schema import format_versions
from project.session.gc_control import disable_automatic_collection
from project.session.session import Session
from project.store.opening import SUFFIX
from project.text_format import escape_unprintable, format_percent
from project.timebase import format_time


@command()
def demo(
    as_json: bool,
    folder: Path = option(
        "Where the demo study and its clips are kept.", "--dir", type=FOLDER, default=Path("greenroom-demo")
    ),
    fetch: bool = option("Get the landmark model too, which the recommended method needs."),
    only_video: bool = option("Only put the sample recording there, for a study of your own."),
    no_window: bool = option("Do everything here, without the window."),
) -> Output | int:
    """Make a study from the sample recording and open the window.

    The face in it is tracked, and an anonymized clip exported and checked: as jobs of the window, or here without one.
    What the study holds already is not done again.

    \b
    Example:
      greenroom demo --dir /tmp/demo --no-window
      greenroom demo --dir tutorial --only-video
    """
    from app.demo_study import ANNOTATOR, make_demo_study, sample_video

    if only_video:
        video = sample_video(folder)
        return Output({"video": video}, f"Sample recording: {video}")
    study = make_demo_study(folder, fetch=fetch)
    if no_window or not _has_screen():
        return _run_demo(study)
    print_output(Output({"study": study}, f"Study: {study}"), as_json)
    return open_window([study], ANNOTATOR, demo=True)


@command()
def open_study(
    files: tuple[Path, ...] = argument(metavar="[FILE]..."),
    recording: str | None = option("Number, file name or id of the one to show."),
    at: Time | None = option("Seconds or h:mm:ss.mmm to show."),
    from_desktop: bool = option("Say what is wrong in a window: for starts without a terminal."),
) -> int:
    """Open the window, on a study where one is named.

    The word `open` can be left out. Where recordings are named, the window offers to make a study of them.

    \b
    Example:
      greenroom open my-study.greenroom
      greenroom my-study.greenroom
      greenroom open my-study.greenroom --recording 3 --at 0:01:02.5
    """
    from app.cli.launch import open_window

    return open_window(files, None, recording, at, from_desktop)


@command()
def new(
    study: Path = argument(),
    name: str = option("What the study is called; by default its file name.", default=""),
    scheme: str = option(
        "What is annotated: a scheme that is shipped, or a file of ELAN or BORIS, a table of labels, or a scheme file.",
        default="",
    ),
) -> Output:
    """Make an empty study.

    \b
    Example:
      greenroom new my-study.greenroom
      greenroom new my-study.greenroom --scheme coded.eaf
    """
    from annotate.interchange.code_book_files import code_book_text
    from annotate.study.scheme_versions import use_only
    from project.schemes.scheme_file import parse_scheme, shipped_names, shipped_text
    from project.store.study import Study

    path = with_study_suffix(study)
    if not scheme:
        Study.create(path, name or path.stem).close()
        return Output({"study": path}, f"Made {path}")
    text = shipped_text(scheme) if scheme in shipped_names() else code_book_text(Path(scheme))
    used = parse_scheme(text, scheme)
    Study.create(path, name or path.stem).close()
    with Session.open(path) as session:
        use_only(session, text, scheme)
    return Output({"study": path, "scheme": used.key}, f"Made {path}, with the scheme {used.name} ({used.key}).")


@command(study=EDIT)
def add(
    session: Session,
    videos: tuple[Path, ...] = argument(metavar="VIDEO...", required=True),
    collection: str | None = option("Name of the collection they belong to; made when it is new."),
    sound: int | None = SOUND_TRACK,
) -> Output:
    """Add recordings to a study. The files stay where they are.

    Of a file with several sound tracks, the one that is marked as default is used, or the first;
    greenroom recording sound chooses another later.

    \b
    Example:
      greenroom add my-study.greenroom footage/*.mp4
      greenroom add my-study.greenroom --sound 2 interview.mkv
    """
    from annotate.study.recording_edits import add_recordings, probe_file, sound_track_note, truncation_warning

    with progress_bar("Reading") as bar:
        files = []
        for done, video in enumerate(videos):
            step = SubtaskProgress(bar, 100 * done, 100, 100 * len(videos))
            files.append(probe_file(video, step, sound_track=sound or 0))
    ids, _ = add_recordings(session, files, collection)
    made = [session.recording(recording_id) for recording_id in ids]
    lines = []
    for recording, file in zip(made, files, strict=True):
        facts = [format_time(recording.duration_us)]
        facts += [note] if (note := sound_track_note(file.facts)) else []
        lines.append(f"Added recording {recording.number}: {escape_unprintable(recording.name)} ({', '.join(facts)})")
    lines += [line for file in files if (line := truncation_warning(file))]
    return Output(
        {
            "study": session.study.path,
            "recordings": [
                {
                    "id": recording.id,
                    "number": recording.number,
                    "name": recording.name,
                    "seconds": recording.duration_us / 1e6,
                    "ends_early_s": file.facts.missing_us / 1e6,
                    "sound_track": file.facts.audio.track if file.facts.audio else None,
                    "sound_tracks": file.facts.audio.tracks if file.facts.audio else 0,
                }
                for recording, file in zip(made, files, strict=True)
            ],
        },
        lines,
    )


@command()
def info(session: Session) -> Output:
    """Say what is in a study.

    \b
    Example:
      greenroom info my-study.greenroom
    """
    from annotate.review.study_progress import build_overview

    found = build_overview(session)
    listed = [
        {
            **record(overview.recording),
            **record(overview, "recording", "state", "faces"),
            "media": overview.state or "none",
            "face_tracks": overview.faces.result.get("tracks") if overview.faces else None,
        }
        for overview in found.recordings
    ]
    counts = {"recordings": len(listed), "segments": found.segments, "annotators": len(found.annotators)}
    answer = record(found, **counts, annotator_names=found.annotators, recording_list=listed)
    return Output(answer, found.as_text())


@command()
def worker(stay: bool = option("Do one job after the other until the input closes.")) -> int:
    """Do one job for a window, told on standard input."""
    from app.worker import run

    return run(stay=stay)


def with_study_suffix(study: Path) -> Path:
    """Return the path of a new study with the suffix of studies."""
    if not study.name:
        raise UserError("A study needs a name.", "Give a name that ends in .greenroom.")
    if study.suffix == ".greenroom":
        return study
    if study.suffix and study.suffix.lower() in {".mp4", ".mov", ".mkv", ".avi", ".webm"}:
        raise UserError(f"{study.name} is the name of a video.", "Give a name that ends in .greenroom.")
    return study.with_name(study.name + ".greenroom")


def _has_screen() -> bool:
    from app.gui.startup import has_screen

    found = has_screen()
    if not found:
        click.echo("There is no screen here, so the window is left out.", err=True)
    return found


def _run_demo(study: Path) -> Output:
    """Do the steps that the demo study lacks in this process, and say what it holds then."""
    from app.demo_study import ANNOTATOR, WITHOUT_LANDMARKS, pending_steps, read_result

    fetch = True
    with Session.open(study, ANNOTATOR) as session:
        session.study.require_writable()
        while steps := pending_steps(session, fetch=fetch):
            step = steps[0]
            click.echo(step.text, err=True)
            try:
                work = step.prepare()
                run_job(session, work)
            except UserError as error:
                if not step.is_optional:
                    raise
                click.echo(f"{WITHOUT_LANDMARKS} {error.message}", err=True)
            fetch = fetch and not step.is_optional
        made = read_result(session)
    assert made is not None
    text = [
        f"Study: {made.study}",
        f"Recording {made.recording}: a face in {format_percent(made.face_coverage)} of the frames",
        f"Anonymized clip: {made.clip}",
        f"Faces left in it: {len(made.faces_left)}",
    ]
    return Output(made.as_json(), text)


_SQLITE_MAGIC = b"SQLite format 3\0"


_APPLICATION_ID_OFFSET = 68


_HEADER_BYTES = 100


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """Given files, sorted: one study, or recordings that are in no study yet."""

    study: Path | None = None
    recordings: tuple[Path, ...] = ()


def sort_given_files(paths: Sequence[Path]) -> GivenFiles:
    """Sort files into a study or recordings, by their names and first bytes."""
    studies = [path for path in paths if is_study(path)]
    if len(studies) > 1:
        raise UserError(
            "A window can open only one study.", f"Open the first one: greenroom {escape_unprintable(studies[0])}"
        )
    if studies and len(paths) > 1:
        raise UserError(
            "A study cannot be opened together with other files.",
            f"Add recordings to it: greenroom add {escape_unprintable(studies[0])} RECORDING...",
        )
    return GivenFiles(study=studies[0]) if studies else GivenFiles(recordings=tuple(paths))


def is_study(path: Path) -> bool:
    """Return whether a file is a study and not a recording.

    A file that ends in `.greenroom` counts as a study whatever it contains: opening it says what is wrong.
    """
    name = escape_unprintable(path.name or str(path))
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UserError(f"“{name}” is a folder, not a study.", _folder_hint(path))
        if not stat.S_ISREG(mode):
            raise UserError(f"“{name}” is not a file.", f"Choose a file whose name ends in {SUFFIX}.")
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        if path.suffix == SUFFIX:
            raise path_not_found("study", path, f"Make it: greenroom new {escape_unprintable(path)}") from None
        raise path_not_found("file", path) from None
    except OSError as error:
        raise UserError(
            f"“{escape_unprintable(path)}” cannot be read: {error.strerror}.", "Check the permissions of the file."
        ) from None
    if path.suffix == SUFFIX or _has_study_header(head):
        return True
    if path.suffix.lower() in RECORDING_SUFFIXES:
        return False
    raise UserError(
        f"“{name}” is neither a study nor a recording.",
        f"A study ends in {SUFFIX}, a recording in .mp4, .wav or the like.",
    )


def _has_study_header(head: bytes) -> bool:
    ours = format_versions.APPLICATION_ID.to_bytes(4)
    return starts_encrypted(head) or (
        head.startswith(_SQLITE_MAGIC) and head[_APPLICATION_ID_OFFSET : _APPLICATION_ID_OFFSET + 4] == ours
    )


def _folder_hint(folder: Path) -> str:
    """Return what to choose in a folder that was named in place of a study."""
    try:
        studies = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file())
    except OSError:
        studies = []
    if not studies:
        return f"Choose a file whose name ends in {SUFFIX}."
    more = f" (or one of {len(studies) - 1} more)" if len(studies) > 1 else ""
    return f"Choose the study in it: {escape_unprintable(studies[0])}{more}"


def open_window(
    files: Sequence[Path] = (),
    annotator: str | None = None,
    recording: str | None = None,
    at_us: int | None = None,
    from_desktop: bool = False,
    demo: bool = False,
) -> int:
    """Open the window and return when it is closed; see `app.gui.window.application.run`.

    Args:
        files: a study to open, or recordings that the window offers to make a study of.
        annotator: the name under which edits are recorded.
        recording: number, file name or id of the recording to show.
        at_us: the time to show.
        from_desktop: whether nobody sees what is printed: then the window says what is wrong with the study, or another
            program of the desktop says why there is no window.
        demo: whether the study is the demo's, whose steps are done as jobs of the window.
    """
    try:
        check_libraries()
        given = _sort_files(files, from_desktop)
        disable_automatic_collection()
        from app.gui.startup import leave_sources_unread

        leave_sources_unread()
        from app.gui.window.application import run

        return run(
            *(given.study, annotator, recording, at_us), stay=from_desktop, recordings=given.recordings, demo=demo
        )
    except UserError as error:
        if from_desktop:
            desktop_entry.show_message(f"{error.message} {error.hint}")
        raise


def _sort_files(files: Sequence[Path], from_desktop: bool) -> GivenFiles:
    try:
        return sort_given_files(files)
    except UserError:
        if from_desktop and len(files) == 1:
            # The window tries to open it and says what is wrong.
            return GivenFiles(study=files[0])
        raise


def check_libraries() -> None:
    """Check that Qt finds the system libraries that it needs; print a line for each missing one."""
    gone = system_facts.missing_libraries(system_facts.window_uses())
    if not gone:
        return
    for library in gone:
        click.echo(system_facts.missing_library_text(library), err=True)
    command = system_facts.install_command([library.package for library in gone])
    raise UserError("The window cannot open: system libraries are missing.", f"Install them: {command}")
