"""The group `study`, commands about the file: recover, encrypt, decrypt, scrub and invent it."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.command import OPEN, argument, command, option
from app.cli.console import Output, progress_bar, record, table_lines
from app.cli.launch import with_study_suffix
from project.errors import UserError, path_not_found
from project.recovery.recovery_report import report_lines
from project.session.session import Session
from project.text_format import escape_unprintable, format_size, pluralize
from project.text_tables import Column, NumberFormat, TableCell, table

if TYPE_CHECKING:
    from project.store.backups import Backup


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
      greenroom study recover my-study.greenroom
      greenroom study recover my-study.greenroom --out saved.greenroom
      greenroom study recover my-study.greenroom --backup 2 --out saved.greenroom
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
    lines = table_lines(table(found, _BACKUP_COLUMNS)) if found else []
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
      greenroom study encrypt my-study.greenroom
      greenroom study encrypt my-study.greenroom --change
      greenroom study encrypt clip.mp4 --passphrase-file ~/passphrase.txt
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
      greenroom study decrypt my-study.greenroom
      greenroom study decrypt clip.mp4.encrypted
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
      greenroom study synthetic big.greenroom
      greenroom study synthetic large.greenroom --segments 100000 --bare
      greenroom study synthetic chains.greenroom --chains
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


@command(study=OPEN)
def scrub(session: Session, out: Path = option("Where the copy goes.")) -> Output:
    """Make a copy that holds annotations alone, to be shared.

    Segments, labels, choices, numbers and the structure of chains go along, under codes. Words, names, paths,
    footage and the history do not.

    \b
    Example:
      greenroom study scrub my-study.greenroom --out annotations.greenroom
    """
    from anonymize.release.annotations_only import export_annotations_copy

    made, changes = export_annotations_copy(session, out)
    rows = ", ".join(
        pluralize(made.rows.get(table, 0), thing)
        for table, thing in (
            ("recording", "recording"),
            ("segment", "segment"),
            ("segment_value", "value"),
            ("chain", "chain"),
        )
    )
    lines = [f"Made {escape_unprintable(made.path)} ({format_size(made.path.stat().st_size)}): {rows}"]
    if made.held_out:
        lines.append(f"{pluralize(made.held_out, 'recording')} held out: not in it")
    if left := made.left_out.get("segment_value"):
        lines.append(f"{pluralize(left, 'value')} in words: not in it")
    if changes is None:
        lines.append("The study can only be read now, so it does not note that there is this copy.")
    return Output(record(made, "path", copy=str(made.path), noted=changes is not None), lines)
