"""Commands about a study as a whole.

They create and check studies, undo edits, find moved recordings again, save what can be read of a damaged study,
encrypt files under a passphrase and make invented studies.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.command import EDIT, SOUND_TRACK, Time, argument, command, option
from app.cli.console import Output, progress_bar, record
from project.errors import UserError, path_not_found
from project.progress import SubtaskProgress
from project.recovery.recovery_report import report_lines
from project.session.session import MediaState, Session
from project.text_format import escape_unprintable, format_size, pluralize
from project.text_tables import Column, NumberFormat, TableCell, table
from project.timebase import format_time

if TYPE_CHECKING:
    from project.store.backups import Backup


@command("open")
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
    study: Path = argument(), name: str = option("What the study is called; by default its file name.", default="")
) -> Output:
    """Make an empty study.

    \b
    Example:
      greenroom new my-study.greenroom
    """
    from project.store.study import Study

    path = with_study_suffix(study)
    Study.create(path, name or path.stem).close()
    return Output({"study": path}, f"Made {path}")


@command(study=EDIT)
def add(
    session: Session,
    videos: tuple[Path, ...] = argument(metavar="VIDEO...", required=True),
    collection: str | None = option("Name of the collection they belong to; made when it is new."),
    sound: int | None = SOUND_TRACK,
) -> Output:
    """Add recordings to a study. The files stay where they are.

    Of a file with several sound tracks, the one that is marked as default is used, or the first;
    greenroom sound chooses another later.

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


@command(study=EDIT)
def undo(session: Session) -> Output:
    """Take back the newest edit that still stands.

    It may have been made long ago.

    \b
    Example:
      greenroom undo my-study.greenroom
    """
    from annotate.study import recording_edits

    done = recording_edits.undo(session)
    return Output({"undone": done.name}, f"Undone: {done.name}")


@command(study=EDIT)
def redo(session: Session) -> Output:
    """Do again what was undone last.

    \b
    Example:
      greenroom redo my-study.greenroom
    """
    from annotate.study import recording_edits

    done = recording_edits.redo(session)
    return Output({"redone": done.name}, f"Done again: {done.name}")


@command()
def check(study: Path = argument()) -> Output:
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
    return Output({"ok": not problems, "problems": problems, "media": missing}, lines, 2 if problems else 0)


@command(study=EDIT)
def relink(session: Session, folder: Path = argument()) -> Output:
    """Find missing files of a study in a folder, by their content.

    \b
    Example:
      greenroom relink my-study.greenroom /media/footage
    """
    from annotate.study.recording_edits import relink as run_relink

    with progress_bar("Searching") as bar:
        done = run_relink(session, folder, bar)
    text = [f"Relinked {pluralize(len(done.found), 'file')}." if done.found else "No missing file was found there."]
    text += [f"Still missing: {name}" for name in done.missing]
    return Output({"relinked": done.found, "missing": done.missing}, text)


@command(hidden=True)
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


@command()
def recover(
    study: Path = argument(),
    out: Path | None = option("The new study; an existing file is never overwritten."),
    backup: int | None = option(
        "Take this backup, by its number, instead of what is left.", type=click.IntRange(min=1)
    ),
) -> Output:
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
            raise UserError("The path of the copy is missing.", "Give it: --out NEW.greenroom")
        return _list_backups(study)
    if backup is not None:
        place = copy_backup(study, backup, out)
        return Output({"study": place, "backup": backup}, f"Copied backup {backup} to {place}")
    found = run_recover(study, out)
    tables = {table.name: record(table, "name") for table in found.tables}
    return Output(record(found, "path", study=found.path, tables=tables), report_lines(found))


_BACKUP_COLUMNS: "tuple[Column[Backup], ...]" = (
    Column("number", "Number", NumberFormat.COUNT, lambda backup: backup.number),
    Column("made", "Made", NumberFormat.TEXT, lambda backup: f"{backup.made.astimezone():%Y-%m-%d %H:%M}"),
    Column("size", "Size", NumberFormat.FIGURE, lambda backup: TableCell(text=format_size(backup.size))),
    Column("path", "Path", NumberFormat.TEXT, lambda backup: str(backup.path)),
)


def _list_backups(study: Path) -> Output:
    from project.store.backups import list_backups

    found = list_backups(study)
    if not found and not study.exists():
        raise UserError(
            f"Neither the study “{escape_unprintable(study)}” nor a backup of it exists.", "Check its path."
        )
    lines = table(found, _BACKUP_COLUMNS).lines() if found else []
    total = sum(backup.size for backup in found)
    head = (
        f"{pluralize(len(found), 'backup')}, {format_size(total)}, the newest first:"
        if found
        else "There is no backup."
    )
    hint = "Add --out NEW.greenroom to save what can be read" + (
        ", or --backup N to take one of these." if found else "."
    )
    return Output(
        {"backups": found},
        [head, *lines, hint],
    )


_PASSPHRASE_OPTION = option("File whose first line is the passphrase; by default it is asked for.", "--passphrase-file")


@command()
def encrypt(
    study: Path = argument(),
    change: bool = option("Give an encrypted study another passphrase."),
    passphrase_file: Path | None = _PASSPHRASE_OPTION,
) -> Output:
    """Encrypt a study and its backups, or another file.

    A study stays where it is and is opened as before, with its passphrase. Another file, such as a rendering, becomes
    FILE.encrypted. What was in the clear is overwritten; an SSD may keep a copy all the same. Nobody can open a file
    whose passphrase is forgotten. Scripts name a file with the passphrase in GREENROOM_PASSPHRASE_FILE.

    \b
    Example:
      greenroom encrypt my-study.greenroom
      greenroom encrypt my-study.greenroom --change
      greenroom encrypt clip.mp4 --passphrase-file ~/passphrase.txt
    """
    from anonymize.local_files.study_encryption import change_passphrase, encrypt_other_file, encrypt_study
    from project.encryption.encryption_key import is_encrypted

    _require_file(study)
    if study.suffix != ".greenroom" and not change:
        place = encrypt_other_file(study, _new_passphrase(passphrase_file))
        return Output({"encrypted": [str(place)]}, f"Encrypted {place}")
    if change:
        if not is_encrypted(study):
            raise UserError(f"“{escape_unprintable(study.name)}” is not encrypted.", "Leave out --change.")
        done = change_passphrase(study, lambda: _new_passphrase(passphrase_file))
    else:
        done = encrypt_study(study, lambda: _new_passphrase(passphrase_file))
    lines = [f"{'Changed the passphrase of' if change else 'Encrypted'} {pluralize(len(done.files), 'file')}:"]
    lines += [f"  {file}" for file in done.files]
    lines += [f"Left as it was, for its passphrase is another: {path}" for path in done.skipped_backups]
    if done.caches:
        lines.append(f"Removed {pluralize(done.caches, 'file')} in the clear from the cache.")
    lines.append("Keep the passphrase safe: without it nobody can open this, and there is no other way in.")
    return Output(_files_json(done.files, done.skipped_backups), lines)


@command()
def decrypt(study: Path = argument(), passphrase_file: Path | None = _PASSPHRASE_OPTION) -> Output:
    """Decrypt a study and its backups, or another file.

    \b
    Example:
      greenroom decrypt my-study.greenroom
      greenroom decrypt clip.mp4.encrypted
    """
    from project.encryption.encrypted_files import SUFFIX, decrypt_file
    from project.encryption.encryption_key import read_salt
    from project.encryption.passphrases import obtain_key, read_passphrase, unlock_key
    from project.store.encryption_change import decrypt_study

    _require_file(study)
    read_salt(study)
    if passphrase_file is not None:
        unlock_key(study, read_passphrase(passphrase_file))
    if study.suffix == SUFFIX:
        place = decrypt_file(study, obtain_key(study))
        return Output({"decrypted": [str(place)]}, f"Decrypted {place}")
    done = decrypt_study(study)
    lines = ["Decrypted, and readable by whoever can read the files:", *(f"  {file}" for file in done.files)]
    lines += [f"Still encrypted, for its passphrase is another: {path}" for path in done.skipped_backups]
    return Output({**_files_json(done.files, done.skipped_backups), "decrypted": [*map(str, done.files)]}, lines)


def _new_passphrase(file: Path | None) -> str:
    from project.encryption.passphrases import read_passphrase

    if file is not None:
        return read_passphrase(file)
    if not sys.stdin.isatty():
        raise UserError(
            "A passphrase is needed, but there is no terminal to ask for it.", "Add --passphrase-file FILE."
        )
    return str(click.prompt("New passphrase", hide_input=True, confirmation_prompt="Once more", err=True))


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise path_not_found("file", path)


def _files_json(files: tuple[Path, ...], left: tuple[Path, ...]) -> dict[str, Any]:
    return {"files": [*map(str, files)], "left": [*map(str, left)]}


@command()
def synthetic(
    study: Path = argument(),
    recordings: int = option("How many recordings.", default=403, type=click.IntRange(1)),
    segments: int = option("How many segments.", default=10353, type=click.IntRange(0)),
    annotators: int = option("How many annotators.", default=2, type=click.IntRange(1)),
    seed: int = option("The same seed gives the same study.", default=0),
    chains: bool = option("Causal chains in the place of segments, as many as R3-VQA has."),
    bare: bool = option("Recordings and segments, and nothing else."),
) -> Output:
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
    return Output({"study": path, **counts}, f"Made {path}: {told}")


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
