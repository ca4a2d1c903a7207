"""Brings the media of a copy into an unfinished folder, which gets its name when it is whole."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.core.trusted import folders_of
from project.errors import UserError
from project.names import shown
from project.progress import Progress
from project.sizes import size_text

_PIECE = 4 << 20
_MB = 1_000_000


class MediaBeside:
    """The media of one copy.

    Attributes:
        paths: id of each medium -> where it will be, seen from the copy.
        sources: the folders that links lead to.
    """

    def __init__(self, scratch: Path, copy: Path, *, linked: bool) -> None:
        """Bring nothing yet.

        Args:
            scratch: a folder on the disk of the copy, which is removed with what is left in it.
            copy: what the copy will be called.
            linked: whether files are linked instead of copied.
        """
        self._folder, self._final = scratch / "media", copy.with_name(f"{copy.stem} media")
        self._linked = linked
        self._known: dict[str, Path] = {}
        self._count = 0
        self.paths: dict[str, str] = {}
        self.sources: list[str] = []

    def bring(self, files: Sequence[tuple[str, Path]], progress: Progress) -> None:
        """Copy or link the files of media that are not there yet, and drop those that are not named any more.

        Progress counts megabytes.

        Raises:
            Cancelled: nobody wants it any more.
            UserError: the name of the folder is taken, or the disk has no room.
        """
        self._require_free()
        wanted = dict(files)
        try:
            self._folder.mkdir(exist_ok=True)
            for gone in self._known.keys() - wanted.keys():
                self._known.pop(gone).unlink()
            missing = [one for one in wanted if one not in self._known]
            total = 0 if self._linked else self._room_for([wanted[one] for one in missing])
            done = 0
            for one in missing:
                progress.check_cancelled()
                self._count += 1
                target = self._folder / f"{self._count:04} {wanted[one].name}"
                if self._linked:
                    _link(wanted[one], target)
                else:
                    done = _copied(wanted[one], target, done, total, progress)
                self._known[one] = target
        except OSError as error:
            raise UserError(
                f"The media cannot be put beside “{shown(self._final.name)}”: {error.strerror}.",
                "Choose another folder.",
            ) from None
        self.paths = {one: f"{self._final.name}/{path.name}" for one, path in self._known.items()}
        self.sources = [folder for path in wanted.values() for folder in folders_of(path)]

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Give the folder its name, and take it back where the block fails.

        Raises:
            UserError: the name is taken.
        """
        self._require_free()
        try:
            self._final.mkdir()
        except FileExistsError:
            self._require_free()
        try:
            # Onto the empty one that was just made, so that it takes nobody else's name.
            self._folder.replace(self._final)
            yield
        except BaseException:
            shutil.rmtree(self._final, ignore_errors=True)
            raise

    def _require_free(self) -> None:
        if os.path.lexists(self._final):
            raise UserError(f"“{shown(self._final.name)}” is there already.", "Choose another name for the copy.")

    def _room_for(self, files: Sequence[Path]) -> int:
        """Return how many bytes they take."""
        need, free = sum(one.stat().st_size for one in files), shutil.disk_usage(self._folder).free
        if need > free:
            raise UserError(
                f"The media take {size_text(need)}, and {size_text(free)} are left on that disk.",
                "Make room, choose another folder, or leave the media behind.",
            )
        return need


def _copied(source: Path, target: Path, done: int, total: int, progress: Progress) -> int:
    """Copy a file, on disk when this returns; return how many bytes of all are done."""
    with source.open("rb") as read, target.open("xb") as written:
        while piece := read.read(_PIECE):
            progress.check_cancelled()
            written.write(piece)
            done += len(piece)
            progress.progress(done // _MB, max(total // _MB, 1), "Megabytes copied")
        written.flush()
        os.fsync(written.fileno())
    return done


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        target.symlink_to(source.resolve())
