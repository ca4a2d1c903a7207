"""The files of a model: what they must be, and the checksum by which a judgment names them."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from media.cache import cache_folder
from project.checksums import sha256_of
from project.errors import UserError
from project.names import shown

_MAGIC = b"GGUF"


def gguf_file(path: str, what: str) -> Path:
    """Return where a file lies, once it is seen to be a GGUF file.

    Args:
        path: as a person wrote it; `~` is the home folder.
        what: it is to be, for messages: `model`, `projector`.

    Raises:
        UserError: it is not there, cannot be read, or is something else.
    """
    where = f"Say where the {what} lies on this machine."
    try:
        found = Path(path).expanduser().absolute()
    except RuntimeError:
        raise UserError(f"Nobody here has the home folder of {shown(path)}.", where) from None
    if "\0" in path:
        raise UserError(f"This is no path of a {what}: {shown(path)}.", where)
    try:
        # A pipe, which a study from elsewhere may name, would never end to be opened.
        if found.exists() and not found.is_file():
            reason = "it is a folder" if found.is_dir() else "it is no file"
            raise UserError(f"{found} cannot be read: {reason}.", f"Name the {what}'s GGUF file.")
        with found.open("rb") as file:
            begins = file.read(len(_MAGIC))
    except FileNotFoundError:
        raise UserError(f"There is no file {found}.", where) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(f"{found} cannot be read: {reason}.", f"Name the {what}'s GGUF file.") from None
    if begins != _MAGIC:
        hint = "Choose a file whose name ends in .gguf; nothing else is loaded."
        raise UserError(f"{found.name} is not a GGUF file.", hint)
    return found


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file; it is worked out once, until the file has another size or time.

    Raises:
        OSError: it cannot be read.
    """
    at = path.stat()
    what = json.dumps([str(path.resolve()), at.st_size, at.st_mtime_ns])
    kept = cache_folder() / "checksums" / hashlib.sha256(what.encode()).hexdigest()
    with suppress(OSError, ValueError):
        known, found = json.loads(kept.read_text("utf-8"))
        if known == what:
            return str(found)
    found = sha256_of(path)
    # A cache that cannot be written is done without.
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=kept.parent, prefix=".", suffix=".part", delete=False) as file:
            json.dump([what, found], file)
        Path(file.name).replace(kept)
    return found
