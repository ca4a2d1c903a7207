"""The window of schemes joined to the study."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.core.commands import schemes as commands
from app.core.scheme_report import Orphan, kept_schemes, orphans_of
from app.core.session import Session
from app.core.shortcuts import KeyTable
from app.gui.actions.table import ACTIONS
from app.gui.context import Context
from app.gui.dialogs import Questions
from app.gui.shortcuts import USUAL
from app.gui.studio import Studio
from project.errors import UserError
from project.schemes.loader import load_scheme, parse_scheme, scheme_text, shipped_names
from project.schemes.scheme import Scheme
from project.timebase import format_time
from project.types import Changes, Json
from resources.translation import tr
from widgets.scheme_text import value_text
from widgets.schemes.entry import Group, SchemeEntry
from widgets.schemes.view import SchemesView

_MOST_ORPHANS = 500
"""How many are listed."""
_SCHEMES = "schemes"
_PAUSE_MS = 700
"""How long edits must pause before what the study has is counted anew."""


def make(context: Context) -> QWidget:
    """Return the window."""
    return SchemesWindow(context.studio, context.questions)


class SchemesWindow(SchemesView):
    """Lists the schemes of the study, those that are shipped and files that were checked; changes what is in use."""

    def __init__(self, studio: Studio, questions: Questions) -> None:
        super().__init__()
        self._studio = studio
        self._questions = questions
        self._checked: dict[str, tuple[Path, str]] = {}
        self._refused: list[UserError] = []
        self._later = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._later.timeout.connect(self.refresh)
        studio.bridge.changed.connect(self._apply)
        studio.failed.connect(self._refused.append)
        self.check_requested.connect(self._check)
        self.use_requested.connect(self._use)
        self.drop_requested.connect(lambda key: self._change(lambda session: commands.drop_scheme(session, key)))
        self.default_requested.connect(lambda key: self._change(lambda session: commands.make_default(session, key)))
        self.reload_requested.connect(self._reload)
        self.orphans_requested.connect(self._list_orphans)
        self.refresh()

    def refresh(self) -> None:
        """Read anew what the study has."""
        session = self._studio.session
        if session is not None:
            self.show_entries(self._read(session), self._studio.writable)

    def _read(self, session: Session) -> list[SchemeEntry]:
        found = []
        keys = self._studio.settings.shortcuts
        for one in kept_schemes(session):
            group = Group.USED if one.used else Group.KEPT
            found.append(
                SchemeEntry(
                    group,
                    one.key,
                    one.name,
                    one.scheme,
                    one.default,
                    one.versions,
                    one.segments,
                    one.values,
                    one.orphans,
                    self._file_of(session, one.key),
                    taken_shortcuts(one.scheme, keys),
                )
            )
        known = {entry.key for entry in found}
        for name in shipped_names():
            if name not in known:
                scheme = load_scheme(name)
                taken = taken_shortcuts(scheme, keys)
                found.append(SchemeEntry(Group.SHIPPED, name, scheme.name, scheme, taken=taken))
        for key, (path, text) in self._checked.items():
            scheme = parse_scheme(text, path.name)
            name = tr("{name}, version {version}").format(name=scheme.name, version=scheme.version)
            found.append(
                SchemeEntry(Group.FILE, key, name, scheme, file=str(path), taken=taken_shortcuts(scheme, keys))
            )
        return found

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _SCHEMES in changes.ids("property") or changes.ids("scheme_version"):
            self.refresh()
        elif changes.ids("segment") or changes.ids("segment_value"):
            # What is counted grows with the study: not at every key that is pressed elsewhere.
            self._later.start()

    def _check(self) -> None:
        path = self._questions.scheme()
        if path is not None:
            self._show_file(path)

    def _show_file(self, path: Path) -> None:
        try:
            text = scheme_text(path)
            scheme = parse_scheme(text, path.name)
        except UserError as error:
            self.show_problem(error.message, error.hint)
            return
        self._checked[scheme.key] = (path.absolute(), text)
        self.refresh()
        self.choose(f"{Group.FILE.name} {scheme.key}")

    def _use(self, entry: SchemeEntry) -> None:
        if entry.group is Group.FILE:
            path, text = self._checked[entry.key]
            if self._change(lambda session: commands.use_scheme(session, text, path.name)[1]):
                self._remember(entry.key, path)
                del self._checked[entry.key]
                self.refresh()
        elif entry.group is Group.KEPT:
            self._change(lambda session: commands.use_kept_scheme(session, entry.key)[1])
        else:
            self._change(lambda session: commands.use_shipped_scheme(session, entry.key)[1])

    def _reload(self, key: str) -> None:
        entry, session = self.current(), self._studio.session
        if entry is None or session is None:
            return
        path = Path(entry.file)
        if entry.group is Group.FILE:
            self._show_file(path)
            return
        before = session.schemes.get(key)
        if not self._change(lambda session: _read_again(session, path, key)):
            return
        after = session.schemes.get(key)
        told = tr("is in use now") if after != before else tr("says what the study has already")
        self._studio.told.emit(
            tr("{file}: version {version} of {scheme} {fate}.").format(
                file=path.name, version=after.version, scheme=after.name, fate=told
            )
        )

    def _change(self, do: Callable[[Session], Changes]) -> bool:
        self._refused.clear()
        done = self._studio.edit(do)
        self.refresh()
        for error in self._refused:
            self.show_problem(error.message, error.hint)
        return done

    def _list_orphans(self, key: str) -> None:
        session = self._studio.session
        if session is None:
            return
        found = orphans_of(session, key)
        lines = [_line(session, one) for one in found[:_MOST_ORPHANS]]
        if len(found) > _MOST_ORPHANS:
            lines.append(
                tr("and {value:,} more; greenroom scheme list STUDY --json has all").format(
                    value=len(found) - _MOST_ORPHANS
                )
            )
        self.show_orphans(lines)

    def _file_of(self, session: Session, key: str) -> str:
        found = self._studio.settings.scheme_files.get(f"{session.study.id}/{key}")
        return found if isinstance(found, str) else ""

    def _remember(self, key: str, path: Path) -> None:
        session = self._studio.session
        if session is not None:
            file: dict[str, Json] = {f"{session.study.id}/{key}": str(path)}
            self._studio.change_settings(lambda kept: replace(kept, scheme_files=kept.scheme_files | file))


def taken_shortcuts(scheme: Scheme | None, kept: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the shortcuts of a scheme that do not work, because the window uses them itself.

    Args:
        scheme: which one.
        kept: the user's own keys, as the settings keep them. Keys of a single mode are not in the way.
    """
    table = KeyTable.of(USUAL, kept)
    window = {key.upper() for spec in ACTIONS if not spec.mode for key in table.keys(spec.key)}
    return () if scheme is None else tuple(key for key in scheme.shortcuts() if key.upper() in window)


def _read_again(session: Session, path: Path, key: str) -> Changes:
    text = scheme_text(path)
    found = parse_scheme(text, path.name).key
    if found != key:
        raise UserError(
            tr("{name} holds the scheme “{found}” now.").format(name=path.name, found=found),
            tr("Check it as a file of its own."),
        )
    return commands.use_scheme(session, text, path.name)[1]


def _line(session: Session, orphan: Orphan) -> str:
    segment = orphan.segment
    number = session.recording(segment.recording_id).number
    where = tr("Recording {number}, {start_us}").format(number=number, start_us=format_time(segment.start_us))
    if orphan.value is None:
        return tr("{where}: label {label}, track {track}").format(where=where, label=segment.label, track=segment.track)
    return tr("{where}: {field} (version {version}): {entry}").format(
        where=where, field=orphan.value.field, version=orphan.value.version, entry=value_text(orphan.value.value)
    )
