"""Encrypting a study and its backups, or another file, under a passphrase."""

import sys
from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from project.counted import counted
from project.errors import UserError
from project.names import shown
from project.types import Json

_FROM_FILE = click.option(
    "--passphrase-file",
    type=click.Path(path_type=Path),
    help="File whose first line is the passphrase; it is asked for without.",
)


@click.command()
@STUDY
@click.option("--change", is_flag=True, help="Give a sealed study another passphrase.")
@_FROM_FILE
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
    from app.core.sealing import change_passphrase, seal_file, seal_study
    from project.sealing.container import is_sealed

    _require(study)
    if study.suffix != ".greenroom" and not change:
        place = seal_file(study, _new(passphrase_file))
        tell(as_json, {"sealed": [str(place)]}, f"Sealed {place}")
        return
    if change:
        if not is_sealed(study):
            raise UserError(f"“{shown(study.name)}” is not sealed.", "Leave out --change.")
        done = change_passphrase(study, lambda: _new(passphrase_file))
    else:
        done = seal_study(study, lambda: _new(passphrase_file))
    lines = [f"{'Changed the passphrase of' if change else 'Sealed'} {counted(len(done.files), 'file')}:"]
    lines += [f"  {one}" for one in done.files]
    lines += [f"Left as it was, for its passphrase is another: {one}" for one in done.left]
    if done.caches:
        lines.append(f"Removed {counted(done.caches, 'file')} in the clear from the cache.")
    lines.append("Keep the passphrase safe: without it nobody can open this, and there is no other way in.")
    tell(as_json, _result(done.files, done.left), "\n".join(lines))


@click.command()
@STUDY
@_FROM_FILE
@json_option
def unseal(study: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Decrypt a study and its backups, or another file.

    \b
    Example:
      greenroom unseal my-study.greenroom
      greenroom unseal clip.mp4.sealed
    """
    from app.core.sealing import unseal_study
    from project.sealing.others import SUFFIX, unseal_file
    from project.sealing.passphrases import header_of, read_passphrase, remember

    _require(study)
    header = header_of(study)
    if passphrase_file is not None:
        remember(header, read_passphrase(passphrase_file), study)
    if study.suffix == SUFFIX:
        place = unseal_file(study)
        tell(as_json, {"unsealed": [str(place)]}, f"Unsealed {place}")
        return
    done = unseal_study(study)
    lines = ["Unsealed, and readable by whoever can read the files:", *(f"  {one}" for one in done.files)]
    lines += [f"Still sealed, for its passphrase is another: {one}" for one in done.left]
    tell(as_json, {**_result(done.files, done.left), "unsealed": [*map(str, done.files)]}, "\n".join(lines))


def ask(path: Path, why: str) -> str | None:
    """Ask on the terminal for the passphrase of a file; None where there is no terminal."""
    if not sys.stdin.isatty():
        return None
    if why:
        click.echo(why, err=True)
    return str(click.prompt(f"Passphrase of {shown(path.name)}", hide_input=True, err=True))


def _new(file: Path | None) -> str:
    from project.sealing.passphrases import read_passphrase

    if file is not None:
        return read_passphrase(file)
    if not sys.stdin.isatty():
        raise UserError("A passphrase is needed, and there is no terminal to ask on.", "Add --passphrase-file FILE.")
    return str(click.prompt("New passphrase", hide_input=True, confirmation_prompt="Once more", err=True))


def _require(path: Path) -> None:
    if not path.is_file():
        raise UserError(f"There is no file “{shown(path)}”.", "See where it lies.")


def _result(files: tuple[Path, ...], left: tuple[Path, ...]) -> dict[str, Json]:
    return {"files": [*map(str, files)], "left": [*map(str, left)]}
