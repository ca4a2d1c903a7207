"""What a case may touch: everything else that the process opens, changes, starts or calls is noted."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ASKS_NET = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.gethostbyname", "socket.getnameinfo"}
_FORBIDDEN = {
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.startfile"),
    *("pickle.find_class", "sqlite3.enable_load_extension", "sqlite3.load_extension"),
}
_CHANGES = {
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.mkdir": (0,),
    "os.symlink": (1,),
    "os.link": (1,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "shutil.rmtree": (0,),
    "shutil.move": (0, 1),
    "shutil.copyfile": (1,),
}
"""Which arguments of an event are changed."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_IN_OPEN, _IN_ACCESS, _IN_MODIFY, _IN_CREATE, _IN_DELETE, _IN_MOVED = 0x20, 0x1, 0x2, 0x100, 0x200, 0xC0
_NOT_EVEN_FOR_READING = ("/etc/passwd", "/etc/shadow", "/dev/zero", "/dev/random", "/dev/full", "/home", "/root/.ssh")


class Watch:
    """Notes what a case did outside the folder that it was given.

    Args:
        inside: the only folders that may be written to.
        outside: a folder that nobody may touch; what C libraries do there is seen as well.
    """

    def __init__(self, inside: tuple[Path, ...], outside: Path) -> None:
        self._inside = tuple(os.path.realpath(path) for path in inside)
        self._outside = os.path.realpath(outside)
        self._on = False
        self.seen: list[str] = []
        self._notes = _Notes(outside)
        sys.addaudithook(self._heard)

    @contextmanager
    def case(self) -> Iterator[None]:
        """Watch what happens inside the block."""
        self.seen.clear()
        self._notes.read()
        self._on = True
        try:
            yield
        finally:
            self._on = False
            self.seen += [f"outside: {what}" for what in self._notes.read()]

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._on:
            return
        if event == "open":
            self._opened(*arguments[:3])
        elif event in _CHANGES:
            for place in _CHANGES[event]:
                self._changed(event, arguments[place])
        elif event in _ASKS_NET and (event.startswith("socket.get") or isinstance(arguments[1], tuple)):
            self.seen.append(f"{event} {arguments[1:]}")
        elif event == "socket.getaddrinfo" and arguments[0] is not None:
            self.seen.append(f"{event} {arguments[0]!r}")
        elif event in _FORBIDDEN:
            self.seen.append(f"{event} {arguments!r}"[:300])

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        place = self._place(path, itself=isinstance(flags, int) and bool(flags & os.O_NOFOLLOW))
        if place is None:
            return
        if (
            isinstance(flags, int)
            and flags & _WRITING
            and not self._is_inside(place)
            and not place.startswith("/dev/null")
        ):
            self.seen.append(f"opened for writing: {place}")
        elif place.startswith((self._outside, *_NOT_EVEN_FOR_READING)):
            self.seen.append(f"opened for reading: {place}")

    def _changed(self, event: str, path: Any) -> None:
        place = self._place(path, itself=True)
        if place is not None and not self._is_inside(place):
            self.seen.append(f"{event}: {place}")

    def _is_inside(self, place: str) -> bool:
        return any(place == text or place.startswith(text + os.sep) for text in self._inside)

    @staticmethod
    def _place(path: Any, *, itself: bool = False) -> str | None:
        """Return where a path leads; `itself` for a link that is made or removed, which is not what it points to."""
        if not isinstance(path, str | bytes | os.PathLike):
            return None
        try:
            whole = Path(os.fsdecode(path)).absolute()
            return str(whole.parent.resolve() / whole.name) if itself else os.path.realpath(whole)
        except (ValueError, OSError, RuntimeError):
            return None


class _Notes:
    """inotify on a folder and what it holds: also C libraries cannot open a file there unseen."""

    def __init__(self, folder: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        mask = _IN_OPEN | _IN_ACCESS | _IN_MODIFY | _IN_CREATE | _IN_DELETE | _IN_MOVED
        for each in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
            libc.inotify_add_watch(self._descriptor, os.fsencode(each), mask)

    def read(self) -> list[str]:
        """Return what happened since it was asked last."""
        found: list[str] = []
        while True:
            try:
                content = os.read(self._descriptor, 65536)
            except OSError:
                return found
            at = 0
            while at < len(content):
                _, mask, _, length = struct.unpack_from("iIII", content, at)
                name = content[at + 16 : at + 16 + length].rstrip(b"\0").decode(errors="replace")
                at += 16 + length
                # Looking at a folder's names is what finding a way through it takes.
                if name and not mask & 0x40000000:
                    found.append(f"{name} ({mask:#x})")
