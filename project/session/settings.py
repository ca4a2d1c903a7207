"""The settings of a user on this machine, kept as JSON in their own folders and never in a study."""

import getpass
import json
import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import platformdirs

from project.entities.study_records import Json
from project.files.atomic_files import write_atomically
from project.store.backups import DEFAULT_BACKUPS

_APP = "greenroom"
RECENT_LIMIT = 10
_LONGEST_LOG = 1_000_000
"""Bytes; of a longer log the newest half stays."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Choices that hold for every study.

    Attributes:
        theme: `system`, `light` or `dark`.
        text_size: of the window, in per cent of the usual one.
        annotator: the name that edits are recorded under.
        recent: paths of the studies opened last, newest first.
        volume: of playback, 0 to 100.
        window: geometry and splitter states as the window wrote them.
        shortcuts: keys that the user changed: action -> its keys.
        subtitles: size of what is said in the picture, against the usual one.
        activity: whether active minutes are counted.
        turns_before: how many turns before a segment are shown beside it.
        backups: how many backups of a study are kept beside it; 0 for none.
        click_seeks: whether a click on a segment of the timeline goes to its start.
        welcomed: whether the name of the annotator was asked, or the dialog that asks was skipped.
        scheme_files: where a study's scheme was read from, by `STUDY/SCHEME` (id and key).
    """

    theme: str = "system"
    text_size: int = 100
    annotator: str = ""
    recent: tuple[str, ...] = ()
    volume: int = 80
    window: dict[str, Json] = field(default_factory=dict)
    scheme_files: dict[str, Json] = field(default_factory=dict)
    shortcuts: dict[str, Json] = field(default_factory=dict)
    activity: bool = True
    subtitles: float = 1.0
    turns_before: int = 6
    backups: int = DEFAULT_BACKUPS
    click_seeks: bool = False
    welcomed: bool = False

    def with_recent(self, study: Path) -> "Settings":
        """Return settings in which `study` is the newest of the recent ones."""
        path = str(study.absolute())
        return replace(self, recent=(path, *(p for p in self.recent if p != path))[:RECENT_LIMIT])


def remembered_paths(study_id: str) -> list[str]:
    """Return the paths of studies opened lately, and of the files that a study's schemes were read from."""
    kept = load_settings()
    return [*kept.recent, *(str(file) for key, file in kept.scheme_files.items() if key.startswith(f"{study_id}/"))]


def forget_paths(study_id: str, paths: Collection[str]) -> None:
    """Forget some of these paths; what the settings held before is overwritten.

    Raises:
        OSError: they cannot be written.
    """
    raw, kept = read_object(_settings_path()), load_settings()
    recent: list[Json] = [text for text in kept.recent if text not in paths]
    files = {
        key: file for key, file in kept.scheme_files.items() if file not in paths or not key.startswith(f"{study_id}/")
    }
    if len(recent) < len(kept.recent) or len(files) < len(kept.scheme_files):
        rewrite_object(_settings_path(), {**raw, "recent": recent, "scheme_files": files})


def login_name() -> str:
    """Return the name of the user on this machine, or `annotator` where there is none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "annotator"


def load_settings() -> Settings:
    """Read the settings; a missing or damaged file gives the defaults."""
    raw = read_object(_settings_path())
    usual = asdict(Settings())
    kept = {key: value for key, value in raw.items() if key in usual and type(value) is type(usual[key])}
    listed = raw.get("recent")
    recent = tuple(path for path in listed if isinstance(path, str)) if isinstance(listed, list) else ()
    settings = Settings(**{**kept, "recent": recent})  # type: ignore[arg-type]
    return settings if settings.annotator else replace(settings, annotator=login_name())


def save_settings(settings: Settings) -> None:
    """Write the settings in one step; a folder that cannot be written is no reason to stop working."""
    write_object(_settings_path(), asdict(settings))


def load_view(study_id: str) -> dict[str, Json]:
    """Read how the window looked when this study was closed."""
    return read_object(view_path(study_id))


def save_view(study_id: str, view: dict[str, Json]) -> None:
    """Remember how the window looks for this study."""
    write_object(view_path(study_id), view)


def log_path() -> Path:
    """Return the file that unexpected errors are written to, not longer than it may be."""
    folder = platformdirs.user_log_path(_APP)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    log = folder / "greenroom.log"
    # It may quote what was worked on, so nobody else may read it.
    with suppress(OSError):
        log.touch(0o600)
        log.chmod(0o600)
        if log.stat().st_size > _LONGEST_LOG:
            _forget_older_half(log)
    return log


def _forget_older_half(log: Path) -> None:
    """Rewrite it in place: whoever has it open goes on writing at its end."""
    with log.open("r+b") as file:
        file.seek(-_LONGEST_LOG // 2, os.SEEK_END)
        file.readline()
        newest = file.read()
        file.seek(0)
        file.write(newest)
        file.truncate()


def _settings_path() -> Path:
    return platformdirs.user_config_path(_APP) / "settings.json"


def view_path(study_id: str) -> Path:
    """Return the file that keeps how the window looked for a study; it may not be there."""
    return platformdirs.user_state_path(_APP) / "views" / f"{study_id}.json"


def read_object(path: Path) -> dict[str, Json]:
    """Return the JSON object that a file of the program holds; {} where it is missing or damaged."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_object(path: Path, content: dict[str, Json]) -> None:
    """Write a JSON object in one step; a folder that cannot be written is no reason to stop working."""
    with suppress(OSError):
        store_object(path, content)


def store_object(path: Path, content: dict[str, Json], *, durable: bool = False) -> None:
    """Write a JSON object in one step; a durable one is there after a power cut too.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path, durable=durable) as file:
        file.write(json.dumps(content, indent=1).encode())


def rewrite_object(path: Path, content: dict[str, Json]) -> None:
    """Write a JSON object in the place of one, whose content is overwritten.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    from project.encryption.encrypted_files import write_plaintext

    write_plaintext([json.dumps(content, indent=1).encode()], path, path, wipe_old=True)
