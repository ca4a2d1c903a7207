"""Erases a participant from a study and from the files beside it on this machine, by a plan."""

from collections.abc import Collection
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from anonymize.local_files.file_traces import (
    forget_paths,
    list_outputs_in_progress,
    log_files,
    program_files,
)
from anonymize.local_files.folder_search import FolderSearch, list_files, search_files
from anonymize.withdrawal.withdrawal_certificate import (
    FootageState,
    OlderState,
    SearchedFile,
    SearchedFolder,
    WithdrawalCertificate,
    write_certificate,
)
from anonymize.withdrawal.withdrawal_plan import (
    ErasurePlan,
    ErasureRequest,
    PersonalStringFinder,
    build_plan,
    prepare_study,
    require_decided,
    require_readable_backups,
)
from project import codec
from project.encryption.encrypted_files import shred_file, write_plaintext
from project.erasure.erased_file import exclusive_access, verify_erasure
from project.erasure.erasure import (
    ErasedStudy,
    Unreadable,
    erase_from_older_state,
    is_unfinished,
)
from project.erasure.subject_terms import IdentifyingTerms
from project.erasure.withdrawal_guard import pseudonym_tombstone
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.files.fingerprints import file_sha256
from project.progress import Progress, Silent
from project.text_format import escape_unprintable
from project.timebase import utc_now


@dataclass(slots=True)
class ErasureResult:
    """What was removed.

    Attributes:
        certificate: as the study keeps it.
        problems: what could not be deleted, one line each; it has to be done by hand.
    """

    plan: ErasurePlan
    certificate: WithdrawalCertificate
    problems: list[str] = field(default_factory=list)

    @classmethod
    def begin(cls, plan: ErasurePlan, at: str) -> "ErasureResult":
        """Return what is known of a withdrawal before anything is removed; `at` is when, UTC, ISO 8601."""
        facts, removed = plan.facts, plan.removed
        certificate = WithdrawalCertificate(
            withdrawn=plan.names.person,
            at=at,
            study=plan.names.study_stem(),
            study_id=facts.study_id,
            recordings=[*facts.recordings],
            recordings_kept=not plan.request.drop_recordings,
            removed=removed.rows,
            history=removed.history,
            renamed_steps=removed.renamed,
            left=removed.left,
            lists=removed.lists,
            words_left=len(plan.lookalikes.remaining),
            words_kept=len(plan.lookalikes.kept),
            kinds=dict(plan.strings),
            model=plan.model,
            made=[replace(made, name="", sha256="") for made in facts.made_files],
            copies=[*facts.copies],
            shared=[*facts.shared_copies],
            sent=[*facts.sent_requests],
            footage_copies=len(plan.footage_copies),
            study_copies=len(plan.copies),
            closed_copies=len(plan.closed_copies),
            named_by_path=plan.named_by_path,
        )
        return cls(plan, certificate)


def run_withdrawal(
    path: Path,
    wanted: ErasureRequest,
    annotator: str,
    progress: Progress | None = None,
    finder: PersonalStringFinder | None = None,
) -> tuple[ErasureResult, Path]:
    """Remove a participant. The study comes last: as long as it holds them, the same can be asked again.

    The finished file is searched before anything else is removed, and all else before it takes the study's place with
    the certificate in it. So a process that is killed leaves the state before, or the withdrawal done.

    Args:
        path: of the study, which nobody has open.
        wanted: who, and how far.
        annotator: name of who does it.
        progress: told of each step.
        finder: finds what is personal in texts of their recordings; else the rules alone do.

    Returns:
        What was removed, and where the certificate was written.
    """
    path, progress, finder = resolve_path(path), progress or Silent(), finder or PersonalStringFinder()
    with exclusive_access(path):
        progress.progress(0, 5, "reading the study")
        with closing(prepare_study(path, wanted, finder)) as prepared:
            foreseen = build_plan(prepared, wanted, finder)
            require_readable_backups(foreseen)
            require_decided(foreseen)
            foreseen.names.require_nameless(wanted.certificate)
            done = ErasureResult.begin(foreseen, utc_now())
            with prepared.prepare_rewrite(annotator, done.certificate.at) as rewritten:
                _verify_study(rewritten.path, path.name, prepared, done)
                progress.progress(1, 5, "backups")
                cleaned = _erase_older_states(prepared, done)
                progress.progress(2, 5, "clips and caches")
                _delete_files(prepared, done)
                progress.progress(3, 5, "searching what is left")
                _search_folders(prepared, done, {*cleaned, *rewritten.path.parent.iterdir()})
                progress.progress(4, 5, "the study")
                if path.stat().st_nlink > 1:
                    done.problems.append(
                        f"{escape_unprintable(path)} had another name on this disk (a hard link), "
                        "under which its old content is left: find it and delete it."
                    )
                done.certificate.by_hand = len(done.problems)
                person = pseudonym_tombstone(prepared.facts.study_id, wanted.pseudonym)
                content = codec.dump(replace(done.certificate, withdrawn=""))
                rewritten.add_certificate(done.certificate.at, person, done.certificate.withdrawn, content)
                rewritten.publish()
    return done, write_certificate(path, done.certificate, wanted.certificate)


def _verify_study(file: Path, name: str, prepared: ErasedStudy, done: ErasureResult) -> None:
    """Search a state of the study that was written, called `name`."""
    alike = done.plan.lookalikes
    try:
        verified = verify_erasure(file, prepared.scope, (*alike.kept, *alike.remaining))
    except OSError as error:
        raise UserError(
            f"“{escape_unprintable(name)}” could not be searched: {error.strerror}. The study was not changed.",
            "Make the file readable, and try again.",
        ) from None
    if verified.found:
        listed = ", ".join(f"{count} in {where}" for where, count in verified.found.items())
        raise UserError(
            f"“{escape_unprintable(name)}” would still contain the participant: {listed}. The study was not "
            "changed, and no certificate was written.",
            "A spelling was missed: look for it in this file, give it with --word TEXT, and report this.",
        )
    done.certificate.searched.append(
        SearchedFile(
            "the study" if name == prepared.path.name else done.plan.names.file_name(name),
            verified.tables,
            verified.texts,
            verified.free_pages,
            verified.bytes_searched,
            sum(verified.found.values()),
            sum(verified.kept.values()),
        )
    )


def _search_folders(prepared: ErasedStudy, done: ErasureResult, verified: Collection[Path]) -> None:
    """Search what lies beside the study and in the program's folders; `verified` are files that were searched."""
    path, reach = prepared.path, prepared.scope
    seen, known = done.plan, {path, *verified}
    known |= {
        *seen.copies,
        *seen.closed_copies,
        *(footage_file.path for footage_file in seen.footage if footage_file.exists),
    }
    beside = search_files(list_files(path.parent), reach.terms, path.parent, known)
    done.certificate.beside = _counted(beside)
    for file_match in beside.matches:
        if file_match.path in seen.older:
            continue  # It could not be erased, and is listed already.
        what = (
            "is called like them" if file_match.by_name and not file_match.by_content else "holds something of theirs"
        )
        done.problems.append(f"{escape_unprintable(file_match.path)} {what}: delete it, or make it anew without them.")
    machine = _search_program_files(reach.terms, done)
    done.certificate.machine = _counted(machine)
    for file_match in machine.matches:
        done.problems.append(f"{escape_unprintable(file_match.path)} holds something of theirs: delete it by hand.")
    for file in (*beside.undecoded, *machine.undecoded):
        done.problems.append(
            f"{escape_unprintable(file)} is text in another encoding than UTF-8 and UTF-16, in which names may not "
            "have been found: look into it, and delete it where it holds something of theirs."
        )
    for copy in seen.closed_copies:
        done.problems.append(
            f"{escape_unprintable(copy)} may be a copy of the study and cannot be read (encrypted or damaged): "
            "decrypt it and run the same command on it, or delete it."
        )


def _counted(search: FolderSearch) -> SearchedFolder:
    return SearchedFolder(search.files, len(search.matches), len(search.unread), len(search.undecoded))


def _search_program_files(wording: IdentifyingTerms, done: ErasureResult) -> FolderSearch:
    """Search settings, caches and logs; what a process left that was killed while it wrote one is erased."""
    searches = [search_files(files, wording, base) for base, files in program_files().items()]
    found = [finding for search in searches for finding in search.matches]
    erased = {
        file_match.path
        for file_match in found
        if file_match.path.name.startswith(".") and _erase_file(file_match.path, done)
    }
    done.certificate.cached_files += len(erased)
    return FolderSearch(
        sum(search.files for search in searches),
        tuple(file_match for file_match in found if file_match.path not in erased),
        tuple(file for search in searches for file in search.unread),
        tuple(file for search in searches for file in search.undecoded),
    )


def _erase_older_states(prepared: ErasedStudy, done: ErasureResult) -> list[Path]:
    """Erase the person from backups; return those that were rewritten or clean, which were searched."""
    erase = done.plan.request.erase_unreadable
    cleaned = []
    for file in done.plan.older:
        try:
            if is_unfinished(file, prepared.path):
                shred_file(file)
                what = "erased"
            else:
                what = erase_from_older_state(file, prepared.scope, done.certificate.at, erase=erase)
            name, digest = done.plan.names.file_name(file.name), file_sha256(file) if file.exists() else ""
            done.certificate.backups.append(OlderState(name, what, digest))
        except Unreadable:
            # It is damaged in a way that only shows now; the study still holds them, so the same can be asked again.
            raise
        except (OSError, UserError) as error:
            done.problems.append(_removal_problem(file, error))
        else:
            if what in ("rewritten", "clean"):
                _verify_study(file, file.name, prepared, done)
                cleaned.append(file)
    for copy in done.plan.copies:
        done.problems.append(
            f"{escape_unprintable(copy)} is a copy of the study: run the same command on it, or delete it."
        )
    return cleaned


def _delete_files(prepared: ErasedStudy, done: ErasureResult) -> None:
    done.certificate.cached_files = sum(_erase_file(file, done) for file in done.plan.caches)
    _forget_in_logs(prepared, done)
    for place in list_outputs_in_progress(prepared.path.parent):
        done.problems.append(
            f"{escape_unprintable(place)} is being written by another process: end it, or delete what it made."
        )
    for clip in done.plan.clips:
        digest = _sha256(clip.path)
        if not clip.sure:
            done.problems.append(
                f"{escape_unprintable(clip.path)}: it is called like a clip of the study and is another file."
            )
        elif _erase_file(clip.path, done):
            done.certificate.clips.append((clip.recording, digest))
    for footage_file in done.plan.footage:
        digest = _sha256(footage_file.path) if footage_file.exists else ""
        gone = footage_file.exists and done.plan.request.delete_footage and _erase_file(footage_file.path, done)
        about = footage_file.about
        done.certificate.footage.append(FootageState(about.recording, about.role, digest, gone))
    for copy in done.plan.footage_copies:
        done.problems.append(
            f"{escape_unprintable(copy)} begins with the same pictures or sound: delete it where it is theirs."
        )
    if done.plan.request.delete_beside:
        matches = done.plan.beside.deletable
        done.certificate.deleted_beside = sum(_erase_file(file_match.path, done) for file_match in matches)
    try:
        forget_paths(prepared.facts.study_id, done.plan.remembered)
        done.certificate.forgotten_paths = len(done.plan.remembered)
    except OSError as error:
        done.problems.append(f"Paths in the settings that name them could not be forgotten: {error.strerror}.")


def _forget_in_logs(prepared: ErasedStudy, done: ErasureResult) -> None:
    """Take out of the log of errors and of the journal of requests each line that names them."""
    for log in log_files():
        with suppress(FileNotFoundError):
            try:
                lines = log.read_text("utf-8", "replace").splitlines(keepends=True)
                kept = [text for text in lines if not prepared.scope.terms.matches_text(text)]
                if len(kept) < len(lines):
                    write_plaintext([line.encode() for line in kept], log, log, wipe_old=True)
            except OSError as error:
                if not isinstance(error, FileNotFoundError):
                    done.problems.append(_removal_problem(log, error))


def _erase_file(path: Path, done: ErasureResult) -> bool:
    try:
        shred_file(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        done.problems.append(_removal_problem(path, error))
        return False
    return True


def _removal_problem(path: Path, error: OSError | UserError) -> str:
    return f"{escape_unprintable(path)} could not be removed: {_error_text(error)}"


def _error_text(error: OSError | UserError) -> str:
    return error.message if isinstance(error, UserError) else f"{error.strerror}."


def _sha256(path: Path) -> str:
    try:
        return file_sha256(path)
    except OSError:
        return ""
