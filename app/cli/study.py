"""Commands about a study as a whole.

They create and check studies, undo edits, find moved recordings again, save what can be read of a damaged study,
encrypt files under a passphrase and make invented studies.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from app.cli.command import SOUND_TRACK, STUDY, json_option, print_result, progress_bar
from project.entities.study_records import Json
from project.errors import UserError
from project.progress import SubtaskProgress
from project.recovery.recovery_report import RecoveryResult, report_lines
from project.session.session import MediaState, Session
from project.text_format import escape_unprintable, format_size, pluralize
from project.timebase import format_time, parse_time


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
    from app.cli.launch import open_window

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
    from project.store.study import Study

    path = with_study_suffix(study)
    Study.create(path, name or path.stem).close()
    print_result(as_json, {"study": str(path)}, f"Made {path}")


@click.command()
@STUDY
@click.argument("videos", metavar="VIDEO...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--collection", help="Name of the collection they belong to; made when it is new.")
@SOUND_TRACK
@json_option
def add(study: Path, videos: tuple[Path, ...], collection: str | None, sound: int | None, as_json: bool) -> None:
    """Add recordings to a study. The files stay where they are.

    Of a file with several sound tracks, the one that is marked as default is used, or the first;
    greenroom sound chooses another later.

    \b
    Example:
      greenroom add my-study.greenroom footage/*.mp4
      greenroom add my-study.greenroom --sound 2 interview.mkv
    """
    from annotate.study.recording_edits import add_recordings, probe_file, sound_track_note, truncation_warning

    with Session.open(study) as session:
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
    print_result(
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
                    "sound_track": file.facts.audio.track if file.facts.audio else None,
                    "sound_tracks": file.facts.audio.tracks if file.facts.audio else 0,
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
    from annotate.review.study_progress import build_overview

    with Session.open(study, read_only=True) as session:
        found = build_overview(session)
    print_result(as_json, found.as_json(), found.as_text())


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
    from annotate.study import recording_edits

    with Session.open(study) as session:
        done = recording_edits.undo(session)
    print_result(as_json, {"undone": done.name}, f"Undone: {done.name}")


@click.command()
@STUDY
@json_option
def redo(study: Path, as_json: bool) -> None:
    """Do again what was undone last.

    \b
    Example:
      greenroom redo my-study.greenroom
    """
    from annotate.study import recording_edits

    with Session.open(study) as session:
        done = recording_edits.redo(session)
    print_result(as_json, {"redone": done.name}, f"Done again: {done.name}")


@click.command()
@STUDY
@json_option
def check(study: Path, as_json: bool) -> int:
    """Say whether a study file is sound, without changing it. Exits with 2 when it is not.

    \b
    Example:
      greenroom check my-study.greenroom
    """
    from project.integrity.integrity_check import check_study

    problems = check_study(study)
    missing: list[str] = []
    if not problems:
        with Session.open(study, read_only=True) as session:
            from project.queries.recording_rows import all_media

            found = [session.locate(medium) for medium in all_media(session.study)]
        missing = [f"{f.state.value}: {f.path}" for f in found if f.state is not MediaState.PRESENT]
    lines = [f"{study}: {'sound' if not problems else pluralize(len(problems), 'problem')}", *problems]
    if missing:
        lines += ["Files to relink:", *missing]
    print_result(as_json, {"ok": not problems, "problems": [*problems], "media": [*missing]}, "\n".join(lines))
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
    from annotate.study.recording_edits import relink as run_relink

    with Session.open(study) as session, progress_bar("Searching") as bar:
        done = run_relink(session, folder, bar)
    text = [f"Relinked {pluralize(len(done.found), 'file')}." if done.found else "No missing file was found there."]
    text += [f"Still missing: {name}" for name in done.missing]
    print_result(as_json, {"relinked": [*done.found], "missing": [*done.missing]}, "\n".join(text))


@click.command(hidden=True)
@click.option("--stay", is_flag=True, help="Do one job after the other until the input closes.")
def worker(stay: bool) -> int:
    """Do one job for a window, told on standard input."""
    from app.worker import run

    return run(stay=stay)


def with_study_suffix(study: Path) -> Path:
    """Return the path of a new study with the suffix of studies."""
    if not study.name:
        raise UserError("A study needs a name.", "Give one that ends in .greenroom.")
    if study.suffix == ".greenroom":
        return study
    if study.suffix and study.suffix.lower() in {".mp4", ".mov", ".mkv", ".avi", ".webm"}:
        raise UserError(f"{study.name} is the name of a video.", "A study's name ends in .greenroom.")
    return study.with_name(study.name + ".greenroom")


@click.command()
@STUDY
@click.option("--out", type=click.Path(path_type=Path), help="The new study; an existing file is never overwritten.")
@click.option("--backup", type=click.IntRange(min=1), help="Take this backup, by its number, instead of what is left.")
@json_option
def recover(study: Path, out: Path | None, backup: int | None, as_json: bool) -> None:
    """Save what is left of a damaged study into a new one.

    Or copy a backup of it: a study has up to five beside it.

    Without --out, the backups are listed. The damaged file is only read, and the footage stays where it is: put the new
    study into the folder of the old one, so that its recordings are found.

    \b
    Example:
      greenroom recover my-study.greenroom
      greenroom recover my-study.greenroom --out saved.greenroom
      greenroom recover my-study.greenroom --backup 2 --out saved.greenroom
    """
    from project.recovery.recovery import copy_backup
    from project.recovery.recovery import recover as run_recover

    if out is None:
        if backup is not None:
            raise UserError("Say where the copy goes.", "Add --out NEW.greenroom.")
        _list_backups(study, as_json)
        return
    if backup is not None:
        place = copy_backup(study, backup, out)
        print_result(as_json, {"study": str(place), "backup": backup}, f"Copied backup {backup} to {place}")
        return
    found = run_recover(study, out)
    print_result(as_json, _recovery_json(found), "\n".join(report_lines(found)))


def _list_backups(study: Path, as_json: bool) -> None:
    from project.store.backups import list_backups

    found = list_backups(study)
    if not found and not study.exists():
        raise UserError(
            f"There is neither a study “{escape_unprintable(study)}” nor a backup of it.", "See where it lies."
        )
    lines = [
        f"{backup.number}  {backup.made.astimezone():%Y-%m-%d %H:%M}  {format_size(backup.size):>9}  {backup.path}"
        for backup in found
    ]
    total = sum(backup.size for backup in found)
    head = (
        f"{pluralize(len(found), 'backup')}, {format_size(total)}, the newest first:"
        if found
        else "There is no backup."
    )
    hint = "Add --out NEW.greenroom to save what can be read" + (
        ", or --backup N to take one of these." if found else "."
    )
    print_result(
        as_json,
        {
            "backups": [
                {
                    "number": backup.number,
                    "path": str(backup.path),
                    "made": backup.made.isoformat(),
                    "bytes": backup.size,
                }
                for backup in found
            ]
        },
        "\n".join([head, *lines, hint]),
    )


def _recovery_json(found: RecoveryResult) -> dict[str, Json]:
    return {
        "study": str(found.path),
        "history_whole": found.whole_history,
        "foreign": list(found.foreign),
        "unlike_history": found.history_mismatches,
        "log_damage": found.log_damage,
        "backup": str(found.backup[0]) if found.backup else None,
        "problems": [*found.problems],
        "tables": {
            table.name: {
                "saved": table.saved,
                "from_history": table.from_history,
                "from_backup": table.from_backup,
                "made_up": table.placeholders,
                "incomplete": table.incomplete,
                "rows_unreadable": table.unreadable_rows,
                "left_out": table.left_out,
                "only_in_backup": table.only_in_backup,
            }
            for table in found.tables
        },
    }


_PASSPHRASE_OPTION = click.option(
    "--passphrase-file",
    type=click.Path(path_type=Path),
    help="File whose first line is the passphrase; it is asked for without.",
)


@click.command()
@STUDY
@click.option("--change", is_flag=True, help="Give a sealed study another passphrase.")
@_PASSPHRASE_OPTION
@json_option
def seal(study: Path, change: bool, passphrase_file: Path | None, as_json: bool) -> None:
    """Encrypt a study and its backups, or another file.

    A study stays where it is and is opened as before, with its passphrase. Another file, such as a rendering, becomes
    FILE.sealed. What was in the clear is overwritten; an SSD may keep a copy all the same. Nobody can open a file whose
    passphrase is forgotten. Scripts name a file with the passphrase in GREENROOM_PASSPHRASE_FILE.

    \b
    Example:
      greenroom seal my-study.greenroom
      greenroom seal my-study.greenroom --change
      greenroom seal clip.mp4 --passphrase-file ~/passphrase.txt
    """
    from anonymize.local_files.study_encryption import change_passphrase, seal_file, seal_study
    from project.encryption.container import is_sealed

    _require_file(study)
    if study.suffix != ".greenroom" and not change:
        place = seal_file(study, _new_passphrase(passphrase_file))
        print_result(as_json, {"sealed": [str(place)]}, f"Sealed {place}")
        return
    if change:
        if not is_sealed(study):
            raise UserError(f"“{escape_unprintable(study.name)}” is not sealed.", "Leave out --change.")
        done = change_passphrase(study, lambda: _new_passphrase(passphrase_file))
    else:
        done = seal_study(study, lambda: _new_passphrase(passphrase_file))
    lines = [f"{'Changed the passphrase of' if change else 'Sealed'} {pluralize(len(done.files), 'file')}:"]
    lines += [f"  {file}" for file in done.files]
    lines += [f"Left as it was, for its passphrase is another: {path}" for path in done.skipped_backups]
    if done.caches:
        lines.append(f"Removed {pluralize(done.caches, 'file')} in the clear from the cache.")
    lines.append("Keep the passphrase safe: without it nobody can open this, and there is no other way in.")
    print_result(as_json, _files_json(done.files, done.skipped_backups), "\n".join(lines))


@click.command()
@STUDY
@_PASSPHRASE_OPTION
@json_option
def unseal(study: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Decrypt a study and its backups, or another file.

    \b
    Example:
      greenroom unseal my-study.greenroom
      greenroom unseal clip.mp4.sealed
    """
    from anonymize.local_files.study_encryption import unseal_study
    from project.encryption.encrypted_files import SUFFIX, unseal_file
    from project.encryption.passphrases import read_file_header, read_passphrase, unlock_key

    _require_file(study)
    header = read_file_header(study)
    if passphrase_file is not None:
        unlock_key(header, read_passphrase(passphrase_file), study)
    if study.suffix == SUFFIX:
        place = unseal_file(study)
        print_result(as_json, {"unsealed": [str(place)]}, f"Unsealed {place}")
        return
    done = unseal_study(study)
    lines = ["Unsealed, and readable by whoever can read the files:", *(f"  {file}" for file in done.files)]
    lines += [f"Still sealed, for its passphrase is another: {path}" for path in done.skipped_backups]
    print_result(
        as_json,
        {**_files_json(done.files, done.skipped_backups), "unsealed": [*map(str, done.files)]},
        "\n".join(lines),
    )


def _new_passphrase(file: Path | None) -> str:
    from project.encryption.passphrases import read_passphrase

    if file is not None:
        return read_passphrase(file)
    if not sys.stdin.isatty():
        raise UserError("A passphrase is needed, and there is no terminal to ask on.", "Add --passphrase-file FILE.")
    return str(click.prompt("New passphrase", hide_input=True, confirmation_prompt="Once more", err=True))


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise UserError(f"There is no file “{escape_unprintable(path)}”.", "See where it lies.")


def _files_json(files: tuple[Path, ...], left: tuple[Path, ...]) -> dict[str, Json]:
    return {"files": [*map(str, files)], "left": [*map(str, left)]}


@click.command()
@STUDY
@click.option("--recordings", default=403, show_default=True, type=click.IntRange(1), help="How many recordings.")
@click.option("--segments", default=10353, show_default=True, type=click.IntRange(0), help="How many segments.")
@click.option("--annotators", default=2, show_default=True, type=click.IntRange(1), help="How many annotators.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same study.")
@click.option("--chains", is_flag=True, help="Causal chains in the place of segments, as many as R3-VQA has.")
@click.option("--bare", is_flag=True, help="Recordings and segments, and nothing else.")
@json_option
def synthetic(
    study: Path, recordings: int, segments: int, annotators: int, seed: int, chains: bool, bare: bool, as_json: bool
) -> None:
    """Make an invented study of any size, to try the program.

    It has no footage. There are segments by several annotators with reviews and a transcript, causal chains with
    verified questions, statements with plausibilities, and role-played episodes with ratings, as many as in the papers.

    \b
    Example:
      greenroom synthetic big.greenroom
      greenroom synthetic large.greenroom --segments 100000 --bare
      greenroom synthetic chains.greenroom --chains
    """
    path = with_study_suffix(study)
    if chains:
        counts = _fill_chains(path, seed)
    elif bare:
        counts = _fill_bare(path, recordings, segments, annotators, seed)
    else:
        counts = _fill_whole(path, recordings, segments, annotators, seed)
    told = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    print_result(as_json, {"study": str(path), **counts}, f"Made {path}: {told}")


def _fill_whole(path: Path, recordings: int, segments: int, annotators: int, seed: int) -> Mapping[str, int]:
    from dataclasses import asdict

    from benchmark.authoring.synthetic_questions import add_synthetic_questions
    from project.session.session import Session
    from project.store.study import Study
    from project.synthetic.synthetic_study import fill_whole_study

    with Study.create(path, path.stem) as made, progress_bar("Inventing") as bar:
        counts = asdict(fill_whole_study(made, recordings, segments, annotators, seed, bar))
        questions = add_synthetic_questions(Session(made, "Annotator 1"), seed, bar)
    return {**counts, "questions": questions}


def _fill_bare(path: Path, recordings: int, segments: int, annotators: int, seed: int) -> Mapping[str, int]:
    from project.store.study import Study
    from project.synthetic.synthetic_segments import fill_study

    with Study.create(path, path.stem) as made, progress_bar("Inventing") as bar:
        fill_study(made, recordings, segments, annotators, seed, bar)
    return {"recordings": recordings, "segments": segments, "annotators": annotators}


def _fill_chains(path: Path, seed: int) -> Mapping[str, int]:
    from project.store.study import Study
    from project.synthetic.synthetic_chains import CHAINS, NODES, RECORDINGS, SUBCHAINS, fill_with_chains

    with Study.create(path, path.stem) as made, progress_bar("Inventing") as bar:
        fill_with_chains(made, seed, bar)
    return {"recordings": RECORDINGS, "chains": CHAINS, "nodes": sum(NODES.values()), "subchains": SUBCHAINS}
