"""The certificate of a withdrawal, as Markdown and JSON: what was removed, and where more of it may be.

It names people only by pseudonyms that are codes, such as P01, and footage only by number, role and checksum: file
names often are people's names. A pseudonym that may be a name is replaced by the beginning of a checksum.
"""

import glob
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from anonymize.withdrawal.withdrawal import ErasureResult
from anonymize.withdrawal.withdrawal_preview import KIND_NAMES
from project.encryption.encrypted_files import remove_unfinished, write_plaintext
from project.entities.study_records import Json
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.files.temporary_files import sweep_scratch
from project.schema.tables import TABLES
from project.store.study import Study
from project.text_format import escape_unprintable, pluralize
from project.version import __version__

_MADE_FILE_NAMES = {"release": "Release", "questions": "Data set of questions"}
BEYOND_REACH = (
    "Copies of the study that others have: each is cleaned when it is merged, but the file itself is not. "
    "Ask for it to be deleted, or run the same command on it.",
    "What was written out of the study to files of other kinds and lies elsewhere than beside it: transcripts, tables, "
    "chains, reports, pictures, keys of replacements. The study keeps no list of them.",
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


def certificate_to_json(done: ErasureResult) -> dict[str, Json]:
    """Return a certificate as a JSON object."""
    seen, facts = done.plan, done.plan.facts
    found: dict[str, object] = {
        "withdrawn": seen.names.person,
        "at": done.at,
        "program": f"Greenroom {__version__}",
        "study": {"id": facts.study_id, "sha256": done.sha256},
        "recordings": {
            "numbers": [*facts.recordings],
            "kept": not seen.request.drop_recordings,
        },
        "removed": {table: {"rows": gone, "blanked": blanked} for table, (gone, blanked) in seen.removed.rows.items()},
        "history": {
            "removed": seen.removed.history,
            "renamed_steps": seen.removed.renamed,
        },
        "left": dict(seen.removed.left),
        "lists": {**seen.removed.lists},
        "words_left": len(seen.lookalikes.remaining),
        "words_kept": len(seen.lookalikes.kept),
        "searched": _search_json(done),
        "backups": [
            {"file": seen.names.file_name(name), "what": what, "sha256": sha}
            for name, (what, sha) in done.older.items()
        ],
        "cached_files": done.caches,
        "forgotten_paths": done.forgotten,
        "deleted_beside": done.deleted_beside,
        "clips": [{"recording": number, "sha256": sha} for number, sha in done.clips],
        "footage": [
            {"recording": number, "role": role, "sha256": sha, "deleted": gone}
            for number, role, sha, gone in done.footage
        ],
        "elsewhere": {
            "releases": [
                {"kind": made_file.kind, "recording": made_file.recording, "at": made_file.at}
                for made_file in facts.made_files
                if made_file.kind != "anonymize"
            ],
            "clips_made": sum(made_file.kind == "anonymize" for made_file in facts.made_files),
            "copies": [*facts.copies],
            "shared": [{"at": shared_copy.at, "name": shared_copy.name} for shared_copy in facts.shared_copies],
            "footage_copies_on_this_machine": len(seen.footage_copies),
            "copies_on_this_machine": len(seen.copies),
            "closed_copies_on_this_machine": len(seen.closed_copies),
            "named_by_path": seen.named_by_path,
            "sent": [
                {
                    "at": sent_request.at,
                    "host": sent_request.host,
                    "bytes": sent_request.size,
                    "sha256": sent_request.sha256,
                }
                for sent_request in facts.sent_requests
            ],
        },
        "by_hand": len(done.problems),
        "beyond": [*BEYOND_REACH],
    }
    return cast(dict[str, Json], found)


def _search_json(done: ErasureResult) -> dict[str, object]:
    seen = done.plan
    return {
        "kinds": {**seen.strings},
        "spellings": [*SPELLINGS],
        "model": seen.model or None,
        "files": [
            {
                "file": "the study" if not name else seen.names.file_name(name),
                "tables": verification.tables,
                "texts": verification.texts,
                "free_pages": verification.free_pages,
                "bytes": verification.bytes_searched,
                "found": sum(verification.found.values()),
                "kept_names": sum(verification.kept.values()),
            }
            for name, verification in done.verified.items()
        ],
        "beside": {
            "files": done.beside.files,
            "found": len(done.beside.matches),
            "name_only": len(done.beside.unread),
        },
        "program": {
            "files": done.machine.files,
            "found": len(done.machine.matches),
            "name_only": len(done.machine.unread),
        },
        "not_readable": len(seen.closed_copies),
    }


def _search_lines(done: ErasureResult) -> Iterator[str]:
    seen = done.plan
    yield "## What was searched"
    yield ""
    yield "After the removal, every file below was searched for what the recordings of this person held:"
    yield ""
    yield from (f"- {KIND_NAMES.get(kind, kind)}: {count}" for kind, count in seen.strings.items() if count)
    yield ""
    found_by = f"the rules and the model {seen.model}" if seen.model else "the rules, without a model of names"
    yield f"These were found in their texts by {found_by}, by private words and by what people hid. Removed:"
    yield ""
    yield from (f"- {text}" for text in SPELLINGS)
    yield ""
    yield "The study and its backups were searched by another search, which compares letters and digits alone."
    yield ""
    yield from _table(
        ("File", "Tables, the history among them", "Texts", "Free pages", "Bytes", "Found", "Names of others kept"),
        [
            (
                "the study" if not name else f"`{seen.names.file_name(name)}`",
                str(verification.tables),
                str(verification.texts),
                str(verification.free_pages),
                "searched" if verification.bytes_searched else "encrypted",
                str(sum(verification.found.values())),
                str(sum(verification.kept.values())),
            )
            for name, verification in done.verified.items()
        ],
    )
    for title, folder_search in (
        ("Other files in the study's folder", done.beside),
        ("Settings, caches, logs", done.machine),
    ):
        yield (
            f"- {title}: {pluralize(folder_search.files, 'file')} searched; "
            f"{len(folder_search.matches)} of them hold something; "
            f"of {len(folder_search.unread)} the name alone was looked at "
            "(media, arrays, packed or encrypted, too large)."
        )
    if seen.closed_copies:
        count = len(seen.closed_copies)
        yield f"- **Not searched: {pluralize(count, 'file')} that may be a copy of the study, encrypted or damaged.**"
        yield "  Decrypt each and run the same command on it, or delete it."
    if seen.lookalikes.kept:
        kept = pluralize(len(seen.lookalikes.kept), "look-alike")
        yield f"- Kept, because a person decided it is not theirs: {kept}."
    yield ""


def certificate_to_markdown(done: ErasureResult) -> str:
    """Return a certificate as Markdown."""
    return "\n".join(_lines(done)) + "\n"


def _lines(done: ErasureResult) -> Iterator[str]:
    seen, facts, removed = done.plan, done.plan.facts, done.plan.removed
    yield f"# Certificate of the withdrawal of {seen.names.person}"
    yield ""
    yield f"On {done.at}, with Greenroom {__version__}."
    yield ""
    yield f"- Study `{facts.study_id}`; the file now has the SHA-256 `{done.sha256}`."
    numbers = ", ".join(map(str, facts.recordings)) or "none"
    what = "removed as a whole" if seen.request.drop_recordings else "kept without footage, for others' annotations"
    yield f"- Recordings in which they were: {numbers} ({what})."
    yield ""
    yield "## Removed from the study"
    yield ""
    yield from _table(
        ("What", "Removed", "Blanked in part"),
        [(TABLES[table].label, str(gone), str(blanked)) for table, (gone, blanked) in removed.rows.items()],
    )
    yield f"From the history: {pluralize(removed.history, 'change')} removed, {removed.renamed} steps renamed."
    yield "The file was written anew, its old content overwritten. Nothing before this can be undone."
    if removed.left:
        yield ""
        yield "Names of other people and things that are spelled alike were left:"
        yield from (f"- `{where}`: {count}" for where, count in removed.left.items())
    if seen.lookalikes.remaining:
        yield ""
        count = len(seen.lookalikes.remaining)
        yield (
            f"{pluralize(count, 'look-alike')} {'was' if count == 1 else 'were'} kept with all the rest, "
            "as shown before."
        )
    if removed.lists:
        yield ""
        yield "From lists of words, because they came from their recordings:"
        yield from (
            f"- `{name}`: {count} {'entry' if count == 1 else 'entries'}" for name, count in removed.lists.items()
        )
    yield ""
    yield from _search_lines(done)
    yield "## Removed from this machine"
    yield ""
    yield from _table(
        ("Older state of the study", "What was done", "SHA-256 now"),
        [
            (f"`{seen.names.file_name(name)}`", what, f"`{sha}`" if sha else "")
            for name, (what, sha) in done.older.items()
        ],
    )
    unread = sum(what == "erased unread" for what, _ in done.older.values())
    if unread:
        verb = "was" if unread == 1 else "were"
        yield f"**{pluralize(unread, 'backup')} could not be read and {verb} erased unread:**"
        yield "whatever else was in it, such as others' work, is gone from there too."
        yield ""
    yield f"- Files of caches: {done.caches}"
    if done.deleted_beside:
        yield f"- Other files beside the study that held something of theirs: {done.deleted_beside}"
    if done.forgotten:
        yield f"- Paths in the settings of the program that named them: {done.forgotten}"
    yield from (f"- Clip or report of recording {number}, SHA-256 `{sha}`" for number, sha in done.clips)
    yield ""
    yield "## Footage"
    yield ""
    yield from _table(
        ("Recording", "Role", "SHA-256", "State"),
        [
            (
                str(number),
                role,
                f"`{sha}`" if sha else "",
                "deleted" if gone else "**must be deleted**" if sha else "not found here, or not to be reached",
            )
            for number, role, sha, gone in done.footage
        ],
    )
    if done.problems:
        yield f"**{pluralize(len(done.problems), 'file')} could not be removed, or must be looked at by hand.**"
        yield ""
    yield "## Where more of it may be"
    yield ""
    for made_file in facts.made_files:
        if made_file.kind != "anonymize":
            yield f"- {_MADE_FILE_NAMES[made_file.kind]} of recording {made_file.recording}, made {made_file.at}"
    clips = sum(made_file.kind == "anonymize" for made_file in facts.made_files) - len(done.clips)
    if clips > 0:
        yield f"- {pluralize(clips, 'clip')} that were made and are not beside the study any more"
    if seen.footage_copies:
        files = pluralize(len(seen.footage_copies), "further file")
        yield f"- {files} beside the study with the same pictures or sound at the beginning"
    if seen.copies:
        count = len(seen.copies)
        yield f"- {pluralize(count, 'file')} on this machine that {_copies_verb(count)} of the study"
    if seen.closed_copies:
        count = len(seen.closed_copies)
        yield f"- {pluralize(count, 'file')} on this machine, encrypted or damaged, that may hold them"
    if seen.named_by_path:
        yield "- The name of the study's file, or of a folder that it lies in, which names them"
    yield from (f"- Copy of the study, split off or merged {at}" for at in facts.copies)
    for copy in facts.shared_copies:
        name = f" `{copy.name}`" if copy.name else ""
        yield f"- Copy{name} with annotations alone, shared {copy.at}: times, labels, and who was there, under codes"
    yield from (
        f"- Sent to {sent_request.host}, {sent_request.at}, {sent_request.size} bytes, SHA-256 `{sent_request.sha256}`"
        for sent_request in facts.sent_requests
    )
    yield from (f"- {text}" for text in BEYOND_REACH)


def _copies_verb(count: int) -> str:
    return "is a copy" if count == 1 else "are copies"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        yield "Nothing."
        yield ""
        return
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


@dataclass(frozen=True, slots=True)
class PendingCertificate:
    """A certificate that waits, in a hidden file beside the study, for the study to take its place.

    So it is there when the process is killed at that moment, and says nothing as long as the study holds somebody. It
    names nobody, as the certificate itself.

    Attributes:
        file: where it waits.
        person: what it calls who withdrew.
        at: when, as in the study's list of withdrawals.
        name: of the certificate beside the study, without an ending.
        markdown: its text.
        fields: its JSON.
    """

    file: Path
    person: str
    at: str
    name: str
    markdown: str
    fields: dict[str, Json]

    @classmethod
    def from_result(cls, done: ErasureResult) -> "PendingCertificate":
        """Return the certificate of a withdrawal."""
        seen = done.plan
        plain = re.sub(r"[^\w-]+", "-", seen.names.person).strip("-") or "participant"
        study = seen.study.absolute()
        return cls(
            free_pending_path(study),
            seen.names.person,
            done.at,
            f"{seen.names.study_stem()}, withdrawal of {plain}",
            certificate_to_markdown(done),
            certificate_to_json(done),
        )

    def free_path(self) -> Path:
        """Return where it goes: beside the study, never in the place of another file."""
        place, number = self.file.with_name(f"{self.name}.md"), 1
        while self._is_taken(place):
            number += 1
            place = self.file.with_name(f"{self.name} ({number}).md")
        return place

    def _is_taken(self, place: Path) -> bool:
        """Tell whether other content lies there; its own may, where its process was killed between two files."""
        content = {place: self.markdown, place.with_suffix(".json"): self._json()}
        return any(os.path.lexists(file) and not _has_content(file, text) for file, text in content.items())

    def _json(self) -> str:
        return json.dumps(self.fields, indent=1, ensure_ascii=False) + "\n"

    def store(self) -> None:
        """Write it beside the study, to wait."""
        content = {
            "person": self.person,
            "at": self.at,
            "name": self.name,
            "markdown": self.markdown,
            "fields": self.fields,
        }
        _write(self.file, json.dumps(content), "Nothing was removed from the study.")

    def publish(self, chosen: Path | None = None) -> tuple[Path, Path]:
        """Write it as Markdown and, beside it, as JSON; return both places.

        Args:
            chosen: where it goes, in place of an existing file; None for beside the study.
        """
        place = self.free_path() if chosen is None else chosen.absolute().with_suffix(".md")
        written = place, place.with_suffix(".json")
        hint = "The withdrawal itself is done. The certificate is written by the next: greenroom withdraw STUDY"
        _write(written[1], self._json(), hint)
        _write(written[0], self.markdown, hint)
        with suppress(OSError):
            self.file.unlink()
        return written


def _write(path: Path, text: str, hint: str) -> None:
    try:
        remove_unfinished(path)
        write_plaintext([text.encode()], path, path)
    except OSError as error:
        raise UserError(
            f"The certificate “{escape_unprintable(path.name)}” cannot be written: {error.strerror}.", hint
        ) from None


def _pending_name(study: Path) -> str:
    return f".{study.stem}.withdrawal."


def free_pending_path(study: Path) -> Path:
    """Return where the next certificate waits, not in the place of another that waits still."""
    number = 1
    while os.path.lexists(place := study.with_name(f"{_pending_name(study)}{number}")):
        number += 1
    return place


def list_pending(study: Path) -> list[PendingCertificate]:
    """Return the certificates that wait beside a study; files that make no sense are none."""
    found = []
    for file in sorted(study.parent.glob(f"{glob.escape(_pending_name(study))}*")):
        if not file.is_file() or file.is_symlink() or not file.name.removeprefix(_pending_name(study)).isdecimal():
            continue
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            read = json.loads(file.read_text("utf-8"))
            person, at, name, markdown = (str(read[key]) for key in ("person", "at", "name", "markdown"))
            # The folder may come from a stranger: no name leads out of it.
            if _NAME.fullmatch(name):
                found.append(PendingCertificate(file, person, at, name, markdown, dict(read["fields"])))
    return found


_NAME = re.compile(r"[^/.][^/]*")


def _has_content(file: Path, text: str) -> bool:
    try:
        return not file.is_symlink() and file.read_bytes() == text.encode()
    except OSError:
        return False


def store_pending(done: ErasureResult) -> None:
    """Write the certificate of a withdrawal beside the study, to wait until the study has taken its place."""
    PendingCertificate.from_result(done).store()


def write_certificate(done: ErasureResult) -> tuple[Path, Path]:
    """Write the certificate of a withdrawal that is done; return both places, Markdown and JSON."""
    waiting = [certificate for certificate in list_pending(done.plan.study) if certificate.at == done.at]
    return (waiting[0] if waiting else PendingCertificate.from_result(done)).publish(done.plan.request.certificate)


def publish_pending(study: Path) -> list[tuple[str, Path]]:
    """Write the certificates of withdrawals whose process was killed after it had replaced the study's file.

    Deletes the certificate of a withdrawal that was killed earlier, because the study still holds the person, and the
    scratch folders that such a process left beside the study.

    Returns:
        What each calls the person, and where it is.
    """
    study = resolve_path(study)
    sweep_scratch(study.parent, study.name)
    waiting = list_pending(study)
    if not waiting:
        return []
    with Study.open(study, read_only=True) as opened:
        done = {str(row[0]) for row in opened.rows("SELECT DISTINCT at FROM withdrawal")}
    written = []
    for certificate in waiting:
        if certificate.at in done:
            written.append((certificate.person, certificate.publish()[0]))
        else:
            # In a folder that cannot be written to it waits on; it says nothing as long as the study holds them.
            with suppress(OSError):
                certificate.file.unlink()
    return written
