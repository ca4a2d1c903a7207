"""The schemes window: a list of schemes, and the chosen one in words with the ways to use, drop or reload it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QListWidgetItem, QMenu, QPushButton, QWidget

from annotate.interchange.code_book_files import read_code_book
from annotate.study import scheme_versions
from annotate.study.scheme_changes import apply_plan, plan_draft, plan_text
from annotate.study.scheme_draft import SchemeDraft
from annotate.study.scheme_versions import Orphan, find_orphans, list_study_schemes
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.settings.scheme_editor import SchemeEditor
from app.gui.study.dialogs import code_book_filter
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.files.atomic_files import explain_unwritable, write_atomically
from project.queries.study_schemes import all_versions, label_counts, version_text
from project.schemes.scheme import Scheme
from project.schemes.scheme_file import load_scheme, parse_scheme, scheme_text, shipped_names, write_scheme
from project.session.session import Session
from project.timebase import format_time
from resources.translation import later, tr
from widgets import theme
from widgets.form.controls import Do, push_button
from widgets.form.layouts import make_column, make_panel, make_row, make_splitter
from widgets.inspector.scheme_browser import SchemeBrowser, value_text
from widgets.table.lists import ShortList
from widgets.text_labels import PlainLabel, RichLabel, plain_tip
from widgets.theme import pixmap


class Group(StrEnum):
    """Where a scheme stands; the value is the heading."""

    USED = later("In use")
    KEPT = later("Kept from before")
    SHIPPED = later("Comes with Greenroom")
    FILE = later("From a file")


class CodeBookSource(StrEnum):
    """What a new code book begins with; the value is the entry of the menu."""

    EMPTY = later("Empty")
    SHOWN = later("From “{name}”")
    FILE = later("From a file of ELAN or BORIS, or a table…")


@dataclass(frozen=True, slots=True)
class SchemeEntry:
    """A scheme, and what the study has of it.

    Attributes:
        scheme: what to show; None where its text cannot be read.
        default: new segments are made under it at first.
        versions: that the study keeps.
        segments: made with it.
        values: filled in under it.
        orphans: what its newest version has no place for.
        file: the path of the file that it was read from, where one is known.
        taken_shortcuts: its shortcuts that do not work, because the window uses these keys itself.
    """

    group: Group
    key: str
    name: str
    scheme: Scheme | None
    default: bool = False
    versions: tuple[int, ...] = ()
    segments: int = 0
    values: int = 0
    orphans: int = 0
    file: str = ""
    taken_shortcuts: tuple[str, ...] = ()

    @property
    def list_key(self) -> str:
        """Tell the entry from every other."""
        return f"{self.group.name} {self.key}"


_MARGIN = theme.GRID * 3 // 2
_KEY_ROLE = Qt.ItemDataRole.UserRole


class SchemesView(StudyView):
    """Shows schemes; changes nothing by itself.

    Signals:
        use_requested (SchemeEntry): use it in the study, in the version shown.
        drop_requested (str), default_requested (str): key of a scheme in use.
        reload_requested (str): key of a scheme whose file is known.
        check_requested: read another file and show it.
        orphans_requested (str): list what the newest version of a scheme has no place for.
        new_requested (str): make a scheme from a `CodeBookSource`.
        edit_requested (str): change a scheme in use.
        save_requested (SchemeEntry): write it to a file.
    """

    use_requested = Signal(object)
    drop_requested = Signal(str)
    default_requested = Signal(str)
    reload_requested = Signal(str)
    check_requested = Signal()
    orphans_requested = Signal(str)
    new_requested = Signal(str)
    edit_requested = Signal(str)
    save_requested = Signal(object)
    title = tr("Schemes")
    preferred_size = (880, 720)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._entries: dict[str, SchemeEntry] = {}
        self._writable = True
        self.list = ShortList()
        self.list.setAccessibleName(tr("List of schemes"))
        self.list.setMinimumWidth(232)
        self.list.setWordWrap(True)
        self.list.setSpacing(3)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(lambda *_: self._show_current())
        self.words = SchemeBrowser(tr("The scheme in words"))
        self.facts = RichLabel(
            look="quiet",
            wordWrap=True,
            accessibleName=tr("What the study has of the scheme"),
            textInteractionFlags=Qt.TextInteractionFlag.TextBrowserInteraction,
        )
        self.facts.linkActivated.connect(lambda _link: self._emit_key(self.orphans_requested))
        parts = (self._make_list_part(), self._make_detail_part(), 1)
        self.setLayout(make_column(make_splitter(Qt.Orientation.Horizontal, *parts, sizes=(240, 640))))
        self._show_current()

    def show_entries(self, entries: Sequence[SchemeEntry], writable: bool, reason: str = "") -> None:
        """Show these; the one that was looked at stays, where it is still there under any heading."""
        before = self.current()
        self._writable, self._reason = writable, reason
        self._entries = {entry.list_key: entry for entry in entries}
        self.list.blockSignals(True)
        self.list.clear()
        chosen: QListWidgetItem | None = None
        for group in Group:
            listed = [entry for entry in entries if entry.group is group]
            if listed:
                self._add_heading(tr(group.value))
            for entry in listed:
                item = QListWidgetItem(entry.name)
                item.setData(_KEY_ROLE, entry.list_key)
                if entry.default:
                    item.setText(tr("{name} (default)").format(name=entry.name))
                item.setToolTip(plain_tip(entry.key))
                self.list.addItem(item)
                same = before is not None and entry.key == before.key
                if same and (chosen is None or entry.list_key == (before.list_key if before else "")):
                    chosen = item
        first = chosen or self._first_entry()
        if first is not None:
            self.list.setCurrentItem(first)
        self.list.blockSignals(False)
        self._show_current()

    def select_entry(self, place: str) -> None:
        """Show one entry."""
        for row in range(self.list.count()):
            if self.list.item(row).data(_KEY_ROLE) == place:
                self.list.setCurrentRow(row)

    def current(self) -> SchemeEntry | None:
        """Return the entry that is shown."""
        item = self.list.currentItem()
        return None if item is None else self._entries.get(item.data(_KEY_ROLE))

    def tell(self, said: str | UserError) -> None:
        """Say what went wrong, until something else is done."""
        super().tell(said)
        self._problem_row.setVisible(bool(str(said)))

    def show_orphans(self, lines: Sequence[str]) -> None:
        """List what the newest version has no place for, a line each, in place of the scheme's words."""
        listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
        self.words.show_html(
            tr(
                "<h3>No place in the newest version</h3><p>These labels and values are kept and exported. "
                "The form shows them under “Kept from an earlier version”.</p><ul>{listed}</ul>"
            ).format(listed=listed)
        )

    def _make_list_part(self) -> QWidget:
        self.new = _make_button(
            tr("&New code book…"), tr("Make a scheme of your own: tracks, labels with keys and colours, and a form")
        )
        self._new_menu = QMenu(self.new)
        self._new_menu.aboutToShow.connect(self._fill_new)
        self.new.setMenu(self._new_menu)
        self.check = _make_button(
            tr("&Check a file…"), tr("Read a scheme file and show it here; nothing is changed"), self.check_requested
        )
        return make_panel(make_column(self.list, 1, self.new, self.check, margin=(_MARGIN, _MARGIN, 0, _MARGIN)))

    def _make_detail_part(self) -> QWidget:
        self._mark = PlainLabel()
        self.status = PlainLabel(
            wordWrap=True,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            accessibleName=tr("Problem"),
        )
        self._problem_row = make_panel(make_row((self._mark, Qt.AlignmentFlag.AlignTop), self.status, 1))
        self._problem_row.hide()
        self.change = _make_button(
            tr("&Edit…"),
            tr("Change its labels, fields and keys; says what happens to segments before it does"),
            lambda: self._emit_key(self.edit_requested),
        )
        self.save_file = _make_button(
            tr("&Save as file…"),
            tr("Write it as TOML, for another study or another lab"),
            lambda: self.save_requested.emit(self.current()),
        )
        self.use = _make_button(
            tr("&Use in this study"),
            tr("Add it to the schemes of the study"),
            lambda: self.use_requested.emit(self.current()),
            look="primary",
        )
        self.read_again = _make_button(
            tr("&Reload from file"),
            tr("Read the file again, and use it as the newest version"),
            lambda: self._emit_key(self.reload_requested),
        )
        self.default = _make_button(
            tr("Make &default"),
            tr("New segments are made under it at first"),
            lambda: self._emit_key(self.default_requested),
        )
        self.drop = _make_button(
            tr("&Stop using"),
            tr("Its segments and values stay; it can be used again at any time"),
            lambda: self._emit_key(self.drop_requested),
        )
        self._foot = make_row(self.use, self.change, self.save_file, self.read_again, None, self.default, self.drop)
        theme.notifier.changed.connect(self._tint)
        self._tint()
        margin = (theme.GRID, _MARGIN, _MARGIN, _MARGIN)
        return make_panel(make_column(self._problem_row, self.words, 1, self.facts, self._foot, margin=margin))

    def _fill_new(self) -> None:
        self._new_menu.clear()
        entry = self.current()
        for source in CodeBookSource:
            text = tr(source.value)
            if source is CodeBookSource.SHOWN:
                if entry is None or entry.scheme is None:
                    continue
                text = text.format(name=entry.scheme.name.replace("&", "&&"))
            action = self._new_menu.addAction(text)
            action.triggered.connect(lambda _=False, source=source: self.new_requested.emit(source))

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(theme.font(theme.POINTS - 1, semibold=True))
        self.list.addItem(item)

    def _first_entry(self) -> QListWidgetItem | None:
        items = (self.list.item(row) for row in range(self.list.count()))
        return next((item for item in items if item.data(_KEY_ROLE)), None)

    def _show_current(self) -> None:
        entry = self.current()
        if entry is None:
            self.words.show_html("")
        elif entry.scheme is None:
            self.words.show_html(
                tr("<h2>{name}</h2><p>Its text is kept nowhere or cannot be read.</p>").format(name=escape(entry.name))
            )
        else:
            self.words.show_scheme(entry.scheme)
        self.tell("")
        self.facts.setText("" if entry is None else _facts_text(entry))
        self.facts.setVisible(bool(self.facts.text()))
        self._enable(entry)

    def _enable(self, entry: SchemeEntry | None) -> None:
        used = entry is not None and entry.group is Group.USED
        many = sum(other.group is Group.USED for other in self._entries.values()) > 1
        self.use.setVisible(entry is not None and not used and entry.scheme is not None)
        self.read_again.setVisible(entry is not None and bool(entry.file) and entry.group in (Group.USED, Group.FILE))
        self.default.setVisible(used and many)
        self.default.setEnabled(self._writable and entry is not None and not entry.default)
        self.drop.setVisible(used)
        self.drop.setEnabled(self._writable and many)
        self.change.setVisible(used and entry is not None and entry.scheme is not None)
        self.change.setEnabled(self._writable)
        self.save_file.setVisible(entry is not None and entry.scheme is not None)
        self.new.setEnabled(self._writable)
        self.use.setEnabled(self._writable)
        self.read_again.setEnabled(self._writable or (entry is not None and entry.group is Group.FILE))

    def _emit_key(self, signal: SignalInstance) -> None:
        entry = self.current()
        if entry is not None:
            signal.emit(entry.key)

    def _tint(self) -> None:
        colour = theme.palette().error
        self._mark.setPixmap(pixmap("circle-alert", 16, colour, self.devicePixelRatioF()))
        self.status.setStyleSheet(f"color: {colour.name()};")


def _make_button(text: str, tip: str, do: Do = None, *, look: str = "") -> QPushButton:
    return push_button(text, tip, do, name=text.replace("&", "").rstrip("…"), look=look)


def _facts_text(entry: SchemeEntry) -> str:
    lines = []
    if entry.versions:
        word = "version" if len(entry.versions) == 1 else "versions"
        lines.append(tr("The study keeps {word} {list}.").format(word=word, list=", ".join(map(str, entry.versions))))
    if entry.group in (Group.USED, Group.KEPT):
        lines.append(f"{_format_count(entry.segments, 'segment')}, {_format_count(entry.values, 'value')}.")
    if entry.orphans:
        lines.append(
            tr('<a href="orphans">{orphans:,} without a place in the newest version</a>.').format(orphans=entry.orphans)
        )
    if entry.taken_shortcuts:
        keys = escape(", ".join(entry.taken_shortcuts))
        lines.append(
            tr("The window uses {keys} itself (Ctrl+F1 lists its keys): choose another shortcut.").format(keys=keys)
        )
    if entry.file:
        lines.append(tr("File: {file}").format(file=escape(entry.file)))
    return " ".join(lines)


def _format_count(number: int, word: str) -> str:
    return f"1 {word}" if number == 1 else f"{number:,} {word}s"


_MAX_ORPHANS = 500
"""How many are listed."""
_COUNT_PAUSE_MS = 700
"""How long edits must pause before what the study has is counted again."""


class SchemesWindow(SchemesView):
    """Lists the schemes of the study, those that are shipped and files that were checked; changes what is in use."""

    tables = frozenset({"property", "scheme_version"})

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._checked: dict[str, tuple[Path, str]] = {}
        self._later = QTimer(self, singleShot=True, interval=_COUNT_PAUSE_MS)
        self._later.timeout.connect(self.refresh)
        self.check_requested.connect(self._choose_file)
        self.use_requested.connect(self._use)
        self.drop_requested.connect(lambda key: self.edit(lambda session: scheme_versions.drop_scheme(session, key)))
        self.default_requested.connect(
            lambda key: self.edit(lambda session: scheme_versions.make_default(session, key))
        )
        self.reload_requested.connect(self._reload)
        self.orphans_requested.connect(self._list_orphans)
        self.new_requested.connect(self._make_new)
        self.edit_requested.connect(self._edit_scheme)
        self.save_requested.connect(self._save_file)

    def reload(self, session: Session) -> None:
        self.show_entries(self._read(session), self._studio.writable)

    def _read(self, session: Session) -> list[SchemeEntry]:
        found = []
        keys = self._context.keys_in_use()
        for study_scheme in list_study_schemes(session):
            group = Group.USED if study_scheme.used else Group.KEPT
            found.append(
                SchemeEntry(
                    group,
                    study_scheme.key,
                    study_scheme.name,
                    study_scheme.scheme,
                    study_scheme.default,
                    study_scheme.versions,
                    study_scheme.segments,
                    study_scheme.values,
                    study_scheme.orphans,
                    self._remembered_file(session, study_scheme.key),
                    taken_shortcuts(study_scheme.scheme, keys),
                )
            )
        known = {entry.key for entry in found}
        for name in shipped_names():
            if name not in known:
                scheme = load_scheme(name)
                taken = taken_shortcuts(scheme, keys)
                found.append(SchemeEntry(Group.SHIPPED, name, scheme.name, scheme, taken_shortcuts=taken))
        for key, (path, text) in self._checked.items():
            scheme = parse_scheme(text, path.name)
            name = tr("{name}, version {version}").format(name=scheme.name, version=scheme.version)
            found.append(
                SchemeEntry(
                    Group.FILE, key, name, scheme, file=str(path), taken_shortcuts=taken_shortcuts(scheme, keys)
                )
            )
        return found

    def needs_reload(self, changes: Changes, initiator: object) -> bool:
        if changes.ids("segment") or changes.ids("segment_value"):
            # What is counted grows with the study: not at every key that is pressed elsewhere.
            self._later.start()
        return super().needs_reload(changes, initiator)

    def _make_new(self, source: str) -> None:
        entry, session = self.current(), self._studio.session
        if session is None:
            return
        taken = {*all_versions(session.study), *shipped_names()}
        if source == CodeBookSource.SHOWN and entry is not None and entry.scheme is not None:
            name = tr("{name} (copy)").format(name=entry.scheme.name)
            draft = SchemeDraft.copy_of(entry.scheme, name, taken)
        elif source == CodeBookSource.FILE:
            path = self._context.questions.file(tr("New code book"), code_book_filter())
            if path is None:
                return
            try:
                draft = SchemeDraft(read_code_book(path, taken, self._context.keys_in_use()))
            except UserError as error:
                self.tell(error)
                return
        else:
            draft = SchemeDraft.empty(tr("My code book"), tr("Behaviour"), taken)
        self._run_editor(session, draft)

    def _edit_scheme(self, key: str) -> None:
        session = self._studio.session
        if session is not None:
            self._run_editor(session, SchemeDraft.of(session.schemes.get(key)))

    def _run_editor(self, session: Session, draft: SchemeDraft) -> None:
        questions = self._context.questions
        editor = questions.ask(
            lambda: SchemeEditor(
                draft,
                lambda changed: plan_draft(session, changed),
                questions.agree,
                label_counts(session.study, draft.scheme.key) if draft.base is not None else {},
                self._context.keys_in_use(),
                self,
            )
        )
        plan = None if editor is None else editor.plan
        if plan is None:
            return
        default = draft.base is None
        if self.edit(lambda session: apply_plan(session, plan, default=default)[1]):
            self.refresh()
            self.select_entry(f"{Group.USED.name} {plan.scheme.key}")

    def _save_file(self, entry: SchemeEntry) -> None:
        session = self._studio.session
        if session is None or entry.scheme is None:
            return
        scheme = entry.scheme
        path = self._context.questions.save(tr("Save code book"), Path(f"{scheme.key}.toml"), tr("Scheme"))
        if path is None:
            return
        text = version_text(session.study, scheme.key, scheme.version) or write_scheme(scheme)
        try:
            with explain_unwritable(path), write_atomically(path, private=False) as file:
                file.write(text.encode())
        except UserError as error:
            self.tell(error)
            return
        self._studio.message.emit(tr("{scheme} is saved as {file}.").format(scheme=scheme.name, file=path.name))

    def _choose_file(self) -> None:
        path = self._context.questions.scheme()
        if path is not None:
            self._show_file(path)

    def _show_file(self, path: Path) -> None:
        try:
            text = scheme_text(path)
            scheme = parse_scheme(text, path.name)
        except UserError as error:
            self.tell(error)
            return
        self._checked[scheme.key] = (path.absolute(), text)
        self.refresh()
        self.select_entry(f"{Group.FILE.name} {scheme.key}")

    def _use(self, entry: SchemeEntry) -> None:
        if entry.group is Group.FILE:
            path, text = self._checked[entry.key]
            if self.edit(lambda session: apply_plan(session, plan_text(session, text, path.name))[1]):
                self._remember_file(entry.key, path)
                del self._checked[entry.key]
                self.refresh()
        elif entry.group is Group.KEPT:
            self.edit(lambda session: scheme_versions.use_kept_scheme(session, entry.key)[1])
        else:
            self.edit(lambda session: scheme_versions.use_shipped_scheme(session, entry.key)[1])

    def _reload(self, key: str) -> None:
        entry, session = self.current(), self._studio.session
        if entry is None or session is None:
            return
        path = Path(entry.file)
        if entry.group is Group.FILE:
            self._show_file(path)
            return
        before = session.schemes.get(key)
        if not self.edit(lambda session: _reload_scheme(session, path, key)):
            return
        after = session.schemes.get(key)
        told = tr("is in use now") if after != before else tr("says what the study has already")
        self._studio.message.emit(
            tr("{file}: version {version} of {scheme} {fate}.").format(
                file=path.name, version=after.version, scheme=after.name, fate=told
            )
        )

    def _list_orphans(self, key: str) -> None:
        session = self._studio.session
        if session is None:
            return
        found = find_orphans(session, key)
        lines = [_orphan_text(session, orphan) for orphan in found[:_MAX_ORPHANS]]
        if len(found) > _MAX_ORPHANS:
            lines.append(tr("and {count:,} more").format(count=len(found) - _MAX_ORPHANS))
        self.show_orphans(lines)

    def _remembered_file(self, session: Session, key: str) -> str:
        found = self._studio.settings.scheme_files.get(f"{session.study.id}/{key}")
        return found if isinstance(found, str) else ""

    def _remember_file(self, key: str, path: Path) -> None:
        session = self._studio.session
        if session is not None:
            file: dict[str, Json] = {f"{session.study.id}/{key}": str(path)}
            self._studio.change_settings(lambda kept: replace(kept, scheme_files=kept.scheme_files | file))


def taken_shortcuts(scheme: Scheme | None, keys_in_use: frozenset[str]) -> tuple[str, ...]:
    """Return the shortcuts of a scheme that do not work, because the window uses them itself.

    Args:
        scheme: which one.
        keys_in_use: of the window's own actions, in upper case. Keys of a single mode are not in the way.
    """
    return () if scheme is None else tuple(key for key in scheme.shortcuts() if key.upper() in keys_in_use)


def _reload_scheme(session: Session, path: Path, key: str) -> Changes:
    text = scheme_text(path)
    found = parse_scheme(text, path.name).key
    if found != key:
        raise UserError(
            tr("{name} now contains the scheme “{found}”.").format(name=path.name, found=found),
            tr("Check it as a separate file."),
        )
    return apply_plan(session, plan_text(session, text, path.name))[1]


def _orphan_text(session: Session, orphan: Orphan) -> str:
    segment = orphan.segment
    number = session.recording(segment.recording_id).number
    where = tr("Recording {number}, {start_us}").format(number=number, start_us=format_time(segment.start_us))
    if orphan.value is None:
        return tr("{where}: label {label}, track {track}").format(where=where, label=segment.label, track=segment.track)
    return tr("{where}: {field} (version {version}): {entry}").format(
        where=where, field=orphan.value.field, version=orphan.value.version, entry=value_text(orphan.value.value)
    )
