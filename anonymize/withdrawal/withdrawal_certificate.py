"""The certificate of a withdrawal, as Markdown and JSON: what was removed, and where more of it may be.

The study keeps it in a table, so that it can be written again at any time. It names people only by pseudonyms that are
codes, such as P01, and footage only by number, role and checksum: file names often are people's names.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any

from project import codec
from project.encryption.encrypted_files import remove_unfinished, write_plaintext
from project.erasure.erasure import MadeFile, SentRequest
from project.erasure.withdrawal_guard import pseudonym_tombstone
from project.files.atomic_files import explain_os_errors
from project.files.filesystem import resolve_path
from project.files.fingerprints import file_sha256
from project.files.temporary_files import sweep_scratch
from project.queries.history_rows import SharedCopy
from project.schema.tables import TABLES
from project.store.study import Study
from project.text_format import escape_unprintable, pluralize
from project.text_tables import Column, NumberFormat, table
from project.version import __version__

BEYOND_REACH = (
    "Copies of the study that others have: each is cleaned when it is merged, but the file itself is not. "
    "Ask for it to be deleted, or run the same command on it.",
    "What was written out of the study to files of other kinds and lies elsewhere than beside it: transcripts, tables, "
    "chains, reports, pictures, keys of replacements. The study keeps no list of them.",
    "Names in texts of other encodings than UTF-8 and UTF-16, such as those of older programs, and in files of which "
    "the name alone was looked at.",
    "Paths that the desktop and other programs remember, such as lists of files opened lately.",
    "Backups of the machine, snapshots of the file system, and what a solid-state disk keeps of overwritten blocks.",
    "What was sent elsewhere before, and what people downloaded, printed or remember.",
)
"""Places that a program on one machine cannot reach."""

SPELLINGS = (
    "as they stand, in any case and width, with accents or without, with signs that show nothing between the letters",
    "run together, with other separators, in names of files, addresses and handles",
    "as an initial with a surname, and spelled letter by letter or in words of a spelling alphabet",
    "numbers without their separators and their country's prefix, and spoken; days in every usual format",
)
"""The ways of spelling in which personal strings are removed."""

KIND_NAMES = {
    "name": "names they are known by",
    "person": "names",
    "place": "places",
    "organisation": "organisations",
    "date-of-birth": "dates of birth",
    "date": "dates",
    "phone": "telephone numbers",
    "e-mail": "e-mail addresses",
    "address": "addresses",
    "account": "accounts and cards",
    "licence": "licences and number plates",
    "id": "identity numbers",
    "link": "links and handles",
    "word": "private words",
    "other": "other private words",
}
"""Kinds of personal strings, for people."""


@dataclass(frozen=True, slots=True)
class SearchedFile:
    """The study or a backup, searched once it was finished.

    Attributes:
        tables: how many, the history among them.
        bytes: whether the bytes of the file were searched too; those of an encrypted one say nothing.
        kept_names: names of others that are spelled alike.
    """

    file: str = ""
    tables: int = 0
    texts: int = 0
    free_pages: int = 0
    bytes: bool = False
    found: int = 0
    kept_names: int = 0


@dataclass(frozen=True, slots=True)
class SearchedFolder:
    """What a search of a folder came to.

    Attributes:
        files: how many were searched.
        found: how many hold something.
        name_only: of how many the content was not searched, or not reliably.
        undecoded: how many of these are text that is neither UTF-8 nor UTF-16.
    """

    files: int = 0
    found: int = 0
    name_only: int = 0
    undecoded: int = 0


@dataclass(frozen=True, slots=True)
class OlderState:
    """A file that held an older state: `what` is `rewritten`, `erased`, `erased unread` or `clean`."""

    file: str = ""
    what: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class FootageState:
    """A file of footage, and whether it was deleted; without a checksum where it was not found."""

    recording: int = 0
    role: str = ""
    sha256: str = ""
    deleted: bool = False


@dataclass(slots=True)
class WithdrawalCertificate:
    """What the study keeps of a withdrawal. Nothing in it names somebody, or a file that names somebody.

    Attributes:
        withdrawn: the pseudonym where it is a code, else the beginning of a checksum.
        at: when, UTC, ISO 8601.
        study: what the file is called in the name of the certificate.
        recordings: numbers of those in which they were; `recordings_kept` for others' annotations.
        removed: table -> how many rows went, and how many were blanked in part.
        history: how many changes of the history went.
        left: `TABLE.COLUMN` -> how many names of other people and things are the same as theirs.
        lists: list of words -> how many entries went.
        words_left: look-alikes that were kept with all the rest.
        words_kept: look-alikes that a person decided to keep.
        kinds: kind of personal string -> how many were searched for.
        model: of names, that searched their texts beside the rules; "" for none.
        searched: the study and its backups.
        beside: other files in the study's folder.
        machine: settings, caches, logs.
        clips: recording and SHA-256 of each clip and report that was deleted.
        made: releases, data sets of questions and clips that were made.
        copies: when copies were split off or merged.
        footage_copies: further files beside the study that begin as the footage does.
        study_copies: files on this machine that are copies of the study.
        closed_copies: files that may be such copies, encrypted or damaged.
        by_hand: how many files have to be looked at.
    """

    withdrawn: str = ""
    at: str = ""
    program: str = f"Greenroom {__version__}"
    study: str = "study"
    study_id: str = ""
    recordings: list[int] = field(default_factory=list)
    recordings_kept: bool = True
    removed: dict[str, tuple[int, int]] = field(default_factory=dict)
    history: int = 0
    renamed_steps: int = 0
    left: dict[str, int] = field(default_factory=dict)
    lists: dict[str, int] = field(default_factory=dict)
    words_left: int = 0
    words_kept: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    model: str = ""
    searched: list[SearchedFile] = field(default_factory=list)
    beside: SearchedFolder = field(default_factory=SearchedFolder)
    machine: SearchedFolder = field(default_factory=SearchedFolder)
    backups: list[OlderState] = field(default_factory=list)
    cached_files: int = 0
    forgotten_paths: int = 0
    deleted_beside: int = 0
    clips: list[tuple[int, str]] = field(default_factory=list)
    footage: list[FootageState] = field(default_factory=list)
    made: list[MadeFile] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    shared: list[SharedCopy] = field(default_factory=list)
    sent: list[SentRequest] = field(default_factory=list)
    footage_copies: int = 0
    study_copies: int = 0
    closed_copies: int = 0
    named_by_path: bool = False
    by_hand: int = 0


def read_certificates(study: Path, pseudonym: str | None = None) -> list[WithdrawalCertificate]:
    """Return the certificates that a study keeps, the oldest first; those of a pseudonym where one is given."""
    with Study.open(study, read_only=True) as opened:
        person = None if pseudonym is None else pseudonym_tombstone(opened.id, pseudonym)
        rows = opened.rows(
            "SELECT withdrawn, content FROM withdrawal_certificate WHERE person = coalesce(?, person) ORDER BY at, id",
            (person,),
        )
    return [
        replace(
            codec.load(WithdrawalCertificate, json.loads(str(content)), "A certificate in the study"),
            withdrawn=str(withdrawn),
        )
        for withdrawn, content in rows
    ]


def write_certificate(study: Path, certificate: WithdrawalCertificate, chosen: Path | None = None) -> Path:
    """Write a certificate as Markdown and, beside it, as JSON, with the checksum that the study has by now.

    It goes where it was chosen, in place of an existing file; else beside the study, in the place of no other file.

    Returns:
        The place of the Markdown.
    """
    study = resolve_path(study)
    sweep_scratch(study.parent, study.name)
    if chosen is None:
        plain = re.sub(r"[^\w-]+", "-", certificate.withdrawn).strip("-") or "participant"
        stem = f"{certificate.study}, withdrawal of {plain}"
        names = (stem if number == 0 else f"{stem} ({number})" for number in count())
        chosen = next(place for name in names if _is_free(place := study.with_name(f"{name}.md"), certificate))
    place = chosen.absolute().with_suffix(".md")
    for file, text in _files(place, certificate, file_sha256(study)).items():
        _write(file, text)
    return place


def _files(place: Path, certificate: WithdrawalCertificate, sha256: str) -> dict[Path, str]:
    """Return the JSON and the Markdown as they are written where the study has a checksum."""
    fields = {**codec.dump(certificate), "sha256": sha256, "spellings": SPELLINGS, "beyond": BEYOND_REACH}
    return {
        place.with_suffix(".json"): json.dumps(fields, indent=1, ensure_ascii=False) + "\n",
        place: certificate_to_markdown(certificate, sha256),
    }


def _is_free(place: Path, certificate: WithdrawalCertificate) -> bool:
    """Tell whether nothing lies there but the same certificate as it was written, by a killed process in part."""
    try:
        sha256 = str(json.loads(place.with_suffix(".json").read_bytes())["sha256"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        sha256 = ""
    files = _files(place, certificate, sha256)
    return not any(os.path.lexists(file) and not _has_content(file, text) for file, text in files.items())


def _has_content(file: Path, text: str) -> bool:
    try:
        return not file.is_symlink() and file.read_bytes() == text.encode()
    except OSError:
        return False


def _write(path: Path, text: str) -> None:
    with explain_os_errors(
        f"The certificate “{escape_unprintable(path.name)}” cannot be written",
        "The withdrawal is complete, and the study has the certificate. Repeat the command to write it.",
    ):
        remove_unfinished(path)
        write_plaintext([text.encode()], path, path)


def _table(records: Sequence[dict[str, Any]], titles: Mapping[str, str]) -> list[str]:
    columns = [Column(key, title, NumberFormat.TEXT, itemgetter(key)) for key, title in titles.items()]
    return [*(table(records, columns).markdown(escape=str) if records else ["Nothing."]), ""]


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def certificate_to_markdown(certificate: WithdrawalCertificate, sha256: str) -> str:
    """Return a certificate as Markdown; `sha256` is that of the study as it is written."""
    parts = (
        _removed_lines(certificate, sha256),
        _searched_lines(certificate),
        _machine_lines(certificate),
        _elsewhere_lines(certificate),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def _removed_lines(certificate: WithdrawalCertificate, sha256: str) -> Iterator[str]:
    yield f"# Certificate of the withdrawal of {certificate.withdrawn}"
    yield ""
    yield f"On {certificate.at}, with {certificate.program}."
    yield ""
    yield f"- Study `{certificate.study_id}`; the file had the SHA-256 `{sha256}` when this was written."
    numbers = ", ".join(map(str, certificate.recordings)) or "none"
    what = "kept without footage, for others' annotations" if certificate.recordings_kept else "removed as a whole"
    yield f"- Recordings in which they were: {numbers} ({what})."
    yield ""
    yield "## Removed from the study"
    yield ""
    rows = [
        {"what": TABLES[name].label, "rows": gone, "blanked": blanked}
        for name, (gone, blanked) in certificate.removed.items()
    ]
    yield from _table(rows, {"what": "What", "rows": "Removed", "blanked": "Blanked in part"})
    changes = pluralize(certificate.history, "change")
    yield f"From the history: {changes} removed, {certificate.renamed_steps} steps renamed."
    yield "The file was written anew, its old content overwritten. Nothing before this can be undone."
    if certificate.left:
        yield ""
        yield "Names of other people and things that are spelled alike were left:"
        yield from (f"- `{where}`: {number}" for where, number in certificate.left.items())
    if certificate.words_left:
        yield ""
        verb = "was" if certificate.words_left == 1 else "were"
        yield f"{pluralize(certificate.words_left, 'look-alike')} {verb} kept with all the rest, as shown before."
    if certificate.lists:
        yield ""
        yield "From lists of words, because they came from their recordings:"
        yield from (f"- `{name}`: {pluralize(number, 'word')}" for name, number in certificate.lists.items())
    yield ""


def _searched_lines(certificate: WithdrawalCertificate) -> Iterator[str]:
    yield "## What was searched"
    yield ""
    yield "After the removal, every file below was searched for what the recordings of this person held:"
    yield ""
    yield from (f"- {KIND_NAMES.get(kind, kind)}: {number}" for kind, number in certificate.kinds.items() if number)
    yield ""
    model = (
        f"the rules and the model {certificate.model}" if certificate.model else "the rules, without a model of names"
    )
    yield f"These were found in their texts by {model}, by private words and by what people hid. Removed:"
    yield ""
    yield from (f"- {text}" for text in SPELLINGS)
    yield ""
    yield "The study and its backups were searched by another search, which compares letters and digits alone."
    yield ""
    searched = [
        {**asdict(file), "bytes": "searched" if file.bytes else "encrypted", "file": _code(file.file)}
        for file in certificate.searched
    ]
    titles = {
        "file": "File",
        "tables": "Tables, the history among them",
        "texts": "Texts",
        "free_pages": "Free pages",
        "bytes": "Bytes",
        "found": "Found",
        "kept_names": "Names of others kept",
    }
    yield from _table(searched, titles)
    folders = (
        ("Other files in the study's folder", certificate.beside),
        ("Settings, caches, logs", certificate.machine),
    )
    for title, folder in folders:
        unread = folder.name_only - folder.undecoded
        yield (
            f"- {title}: {pluralize(folder.files, 'file')} searched; {folder.found} of them hold something; "
            f"of {unread} the name alone was looked at (media, arrays, packed or encrypted, too large)."
        )
        if folder.undecoded:
            files = pluralize(folder.undecoded, "file")
            yield f"- **Not searched reliably: {files} of these with text that is neither UTF-8 nor UTF-16.**"
            yield "  Look into each, and delete it where it holds something of theirs."
    if certificate.closed_copies:
        files = pluralize(certificate.closed_copies, "file")
        yield f"- **Not searched: {files} that may be a copy of the study, encrypted or damaged.**"
        yield "  Decrypt each and run the same command on it, or delete it."
    if certificate.words_kept:
        kept = pluralize(certificate.words_kept, "look-alike")
        yield f"- Kept, because a person decided it is not theirs: {kept}."
    yield ""


def _machine_lines(certificate: WithdrawalCertificate) -> Iterator[str]:
    yield "## Removed from this machine"
    yield ""
    older = [
        {"file": _code(state.file), "what": state.what, "sha256": _code(state.sha256)} for state in certificate.backups
    ]
    yield from _table(older, {"file": "Older state of the study", "what": "What was done", "sha256": "SHA-256 now"})
    if unread := sum(state.what == "erased unread" for state in certificate.backups):
        verb = "was" if unread == 1 else "were"
        yield f"**{pluralize(unread, 'backup')} could not be read and {verb} erased unread:**"
        yield "whatever else was in it, such as others' work, is gone from there too."
        yield ""
    yield f"- Files of caches: {certificate.cached_files}"
    if certificate.deleted_beside:
        yield f"- Other files beside the study that held something of theirs: {certificate.deleted_beside}"
    if certificate.forgotten_paths:
        yield f"- Paths in the settings of the program that named them: {certificate.forgotten_paths}"
    yield from (f"- Clip or report of recording {number}, SHA-256 `{sha}`" for number, sha in certificate.clips)
    yield ""
    yield "## Footage"
    yield ""
    footage = [{**asdict(file), "sha256": _code(file.sha256), "state": _state(file)} for file in certificate.footage]
    yield from _table(footage, {"recording": "Recording", "role": "Role", "sha256": "SHA-256", "state": "State"})
    if certificate.by_hand:
        files = pluralize(certificate.by_hand, "file")
        yield f"**{files} could not be removed, or must be looked at by hand.**"
        yield ""


def _state(file: FootageState) -> str:
    if file.deleted:
        return "deleted"
    return "**must be deleted**" if file.sha256 else "not found here, or not to be reached"


def _elsewhere_lines(certificate: WithdrawalCertificate) -> Iterator[str]:
    yield "## Where more of it may be"
    yield ""
    titles = {"release": "Release", "questions": "Data set of questions"}
    for made in certificate.made:
        if made.kind in titles:
            yield f"- {titles[made.kind]} of recording {made.recording}, made {made.at}"
    clips = sum(made.kind not in titles for made in certificate.made) - len(certificate.clips)
    if clips > 0:
        yield f"- {pluralize(clips, 'clip')} that were made and are not beside the study any more"
    if certificate.footage_copies:
        files = pluralize(certificate.footage_copies, "further file")
        yield f"- {files} beside the study with the same pictures or sound at the beginning"
    if certificate.study_copies:
        verb = "is a copy" if certificate.study_copies == 1 else "are copies"
        yield f"- {pluralize(certificate.study_copies, 'file')} on this machine that {verb} of the study"
    if certificate.closed_copies:
        files = pluralize(certificate.closed_copies, "file")
        yield f"- {files} on this machine, encrypted or damaged, that may hold them"
    if certificate.named_by_path:
        yield "- The name of the study's file, or of a folder that it lies in, which names them"
    yield from (f"- Copy of the study, split off or merged {at}" for at in certificate.copies)
    for copy in certificate.shared:
        name = f" `{copy.name}`" if copy.name else ""
        yield f"- Copy{name} with annotations alone, shared {copy.at}: times, labels, and who was there, under codes"
    yield from (
        f"- Sent to {request.host}, {request.at}, {request.size} bytes, SHA-256 `{request.sha256}`"
        for request in certificate.sent
    )
    yield from (f"- {text}" for text in BEYOND_REACH)
