"""Erases a participant from a study and from the files beside it on this machine.

Its certificate names no person and no file in a way that tells who withdrew.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from anonymize.local_files.file_traces import (
    ClipFile,
    FootageFile,
    find_clips,
    find_footage,
    find_footage_copies,
    find_remembered_paths,
    forget_paths,
    list_cache_files,
    list_outputs_in_progress,
    list_program_notes,
    list_unfinished_outputs,
    log_files,
    names_person,
    program_files,
)
from anonymize.local_files.folder_search import FolderSearch, list_files, search_files
from anonymize.pii_detection.pii_finder import PersonalFinder
from anonymize.pii_detection.pii_hit import LIKELY
from anonymize.withdrawal.withdrawal_certificate import (
    FootageState,
    OlderState,
    SearchedFile,
    SearchedFolder,
    WithdrawalCertificate,
    write_certificate,
)
from models.names import name_finders
from project import codec
from project.encryption.encrypted_files import shred_file, write_plaintext
from project.erasure.erased_file import exclusive_access, verify_erasure
from project.erasure.erasure import (
    ErasedStudy,
    Unreadable,
    WithdrawalFacts,
    erase_from_older_state,
    find_copies,
    find_older_states,
    is_unfinished,
    prepare_erasure,
    prepare_older_state,
    unreadable_reason,
)
from project.erasure.lookalikes import LookAlikeWords
from project.erasure.mentions import IdentifyingTerms
from project.erasure.personal_strings import PersonalSearch, PersonalString, find_contacts, given_names
from project.erasure.raw_rows import tombstone
from project.erasure.removal import ErasureCounts
from project.erasure.subject_scope import SubjectScope
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.files.fingerprints import file_sha256
from project.progress import Progress, Silent
from project.session.settings import load_settings
from project.store.locking import lock_path
from project.store.opening import sibling_path
from project.text_format import escape_unprintable, pluralize
from project.text_matching.spellings import squeeze_letters
from project.timebase import utc_now

_CODE = re.compile(r"[A-Za-z]{0,12}[ _.-]?\d{1,6}[A-Za-z]?|[A-Z]{1,2}")


def public_name(pseudonym: str, people: Iterable[str]) -> str:
    """Return what a certificate calls somebody: the pseudonym where it is a code, else a part of a checksum.

    Args:
        pseudonym: of who withdraws.
        people: their ids.
    """
    letters = re.sub(r"[^A-Za-z]", "", pseudonym).lower()
    if _CODE.fullmatch(pseudonym.strip()) and letters not in given_names():
        return pseudonym
    return f"participant {tombstone(min(people))[:8]}"


@dataclass(frozen=True)
class CertificateNames:
    """Names that a certificate may hold.

    Attributes:
        person: what it calls who withdraws.
        study: name of the study's file.
        secret: by which it is known whether a name tells who that is.
    """

    person: str
    study: str
    secret: IdentifyingTerms

    def file_name(self, name: str) -> str:
        """Return the name of a file beside the study, without what tells who withdraws."""
        if not self.secret.matches_text(name):
            return name
        without = name.removeprefix(self.study)
        return f"study{without}" if without != name and not self.secret.matches_text(without) else "a file"

    def study_stem(self) -> str:
        """Return what the study is called in the name of the certificate."""
        stem = Path(self.study).stem
        return "study" if self.secret.matches_text(stem) else stem

    def require_nameless(self, place: Path | None) -> None:
        """Return quietly where the name of a certificate does not tell who withdraws."""
        if place is not None and self.secret.matches_text(place.name):
            raise UserError("The name of the certificate tells who withdraws.", "Choose another: --certificate FILE")


def certificate_names(pseudonym: str, reach: SubjectScope, study: Path) -> CertificateNames:
    """Return the names that a certificate may hold."""
    person = public_name(pseudonym, reach.people)
    names = [name for name in reach.terms.names if name != person]
    return CertificateNames(person, study.name, IdentifyingTerms(names, search=PersonalSearch(names)))


class PersonalStringFinder:
    """Finds personal strings, each text once: what would be removed is worked out several times before it is done.

    Attributes:
        model: key of the model of names that is used beside the rules; "" for none.
    """

    def __init__(self, *, with_model: bool = False) -> None:
        """Get ready; at the first text, a model of names is loaded into this process, so the window goes without."""
        self.model = (name_finders.default_finders() or "") if with_model else ""
        self._known: dict[str, list[PersonalString]] = {}

    @cached_property
    def _finder(self) -> PersonalFinder:
        return PersonalFinder(names=name_finders.create_name_finder(self.model) if self.model else None)

    def __call__(self, texts: Sequence[str]) -> list[list[PersonalString]]:
        """Return what is personal in each text, but for what the rules are unsure of."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for text, hits in zip(new, self._finder.find_all(new), strict=True):
            found = [PersonalString(hit.kind, hit.text) for hit in hits if hit.score >= LIKELY]
            self._known[text] = [*dict.fromkeys((*found, *find_contacts(text)))]
        return [self._known[text] for text in texts]


@dataclass(frozen=True, slots=True)
class ErasureRequest:
    """What is asked for.

    Attributes:
        pseudonym: of who withdraws.
        words: further words by which they are known, such as a name that is no private word of the study.
        drop_recordings: recordings in which they are go as a whole; else others' annotations of them stay.
        delete_footage: the files of these recordings are deleted too.
        erase_unreadable: backups that cannot be read are erased, whatever is in them; else nothing is done.
        keep: what looks like theirs and is not, as it was shown.
        keep_rest: so is all that looks like theirs and is not among the words.
        delete_beside: files beside the study that name them or hold something of theirs are deleted, such as exports.
        certificate: where the certificate goes; None for beside the study.
    """

    pseudonym: str
    words: tuple[str, ...] = ()
    drop_recordings: bool = False
    delete_footage: bool = False
    erase_unreadable: bool = False
    keep: tuple[str, ...] = ()
    keep_rest: bool = False
    delete_beside: bool = False
    certificate: Path | None = None


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """What a withdrawal would remove, on this machine and in the file.

    Attributes:
        study: path of the study.
        names: what the certificate calls people and files.
        lookalikes: words that are taken for a name of theirs, and what looks like theirs and is left.
        exact: numbers, addresses and dates of theirs, which are removed wherever they stand.
        strings: kind of personal string -> how many their recordings held, which are searched everywhere.
        model: key of the model of names that searched their texts beside the rules; "" for none.
        older: backups, and what a killed process left beside the study.
        unreadable: those of them that cannot be read -> why.
        caches: what can be worked out again, and what the program keeps for itself.
        footage_copies: further files beside the study that begin as the footage does, under any name; they are left.
        copies: of the study, under names that a person gave them; they are left.
        closed_copies: files that may be copies of the study: encrypted under another passphrase, or damaged.
        beside: what a search of the files beside the study came to.
        remembered: paths in the program's own settings that name them.
        named_by_path: whether the study's own path does; it is left.
    """

    request: ErasureRequest
    study: Path
    names: CertificateNames
    facts: WithdrawalFacts
    removed: ErasureCounts
    lookalikes: LookAlikeWords
    older: tuple[Path, ...]
    unreadable: Mapping[Path, str]
    caches: tuple[Path, ...]
    clips: tuple[ClipFile, ...]
    footage: tuple[FootageFile, ...]
    footage_copies: tuple[Path, ...]
    copies: tuple[Path, ...]
    closed_copies: tuple[Path, ...]
    beside: FolderSearch
    exact: tuple[str, ...]
    strings: Mapping[str, int]
    model: str
    remembered: tuple[str, ...]
    named_by_path: bool

    def footage_left(self) -> list[Path]:
        """Return the files of footage that lie there still."""
        return [file.path for file in self.footage if file.exists and file.path.exists()]

    @property
    def undecided(self) -> tuple[str, ...]:
        """What looks like theirs and nobody decided about."""
        return () if self.request.keep_rest else (*self.lookalikes.remaining,)


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


def plan_erasure(path: Path, wanted: ErasureRequest, finder: PersonalStringFinder | None = None) -> ErasurePlan:
    """Work out what a withdrawal would remove; nothing is changed."""
    finder = finder or PersonalStringFinder()
    with closing(_prepare_study(resolve_path(path), wanted, finder)) as prepared:
        return _build_plan(prepared, wanted, finder)


def _prepare_study(path: Path, wanted: ErasureRequest, finder: PersonalStringFinder) -> ErasedStudy:
    return prepare_erasure(
        path, wanted.pseudonym, wanted.words, drop=wanted.drop_recordings, keep=wanted.keep, finder=finder
    )


def _build_plan(prepared: ErasedStudy, wanted: ErasureRequest, finder: PersonalStringFinder) -> ErasurePlan:
    facts, study, wording = prepared.facts, prepared.path, prepared.scope.terms
    older = tuple(find_older_states(study))
    why = {path: unreadable_reason(path, study) for path in older}
    copies = find_copies(study, facts.study_id, map(Path, load_settings().recent))
    lying_about = tuple(find_clips(facts, study.parent))
    footed = tuple(find_footage(facts, study.parent))
    known = {
        study,
        *older,
        *(copy.path for copy in copies),
        *(clip_file.path for clip_file in lying_about if clip_file.sure),
    }
    known |= {footage_file.path for footage_file in footed if footage_file.exists}
    # Of a study that is open they are a part of it: they go when it is closed, and must not be deleted by hand.
    known |= {
        *(sibling_path(study, ending) for ending in ("-wal", "-shm", "-journal")),
        lock_path(study),
    }
    return ErasurePlan(
        request=wanted,
        study=study,
        names=certificate_names(wanted.pseudonym, prepared.scope, study),
        facts=facts,
        removed=prepared.removed,
        lookalikes=_find_lookalikes(prepared, [path for path in older if not why[path]]),
        exact=tuple(dict.fromkeys(string.text for string in prepared.scope.strings if string.is_exact)),
        strings=_count_kinds(prepared),
        model=finder.model,
        older=older,
        unreadable={path: reason for path, reason in why.items() if reason},
        caches=(
            *list_cache_files(facts, study),
            *list_program_notes(facts, study),
            *list_unfinished_outputs(study.parent),
        ),
        clips=lying_about,
        footage=footed,
        footage_copies=tuple(find_footage_copies(footed, study.parent, known, facts.others)),
        copies=tuple(copy.path for copy in copies if copy.is_certain),
        closed_copies=tuple(copy.path for copy in copies if not copy.is_certain),
        beside=search_files(list_files(study.parent), wording, study.parent, known),
        remembered=tuple(find_remembered_paths(facts.study_id, wording)),
        named_by_path=names_person(str(study), wording),
    )


def _find_lookalikes(prepared: ErasedStudy, older: Collection[Path]) -> LookAlikeWords:
    """Return what looks like theirs in the study and in older states of it, but for those that are erased anyhow."""
    alike = prepared.look_alikes
    for file in older:
        if not is_unfinished(file, prepared.path):
            with suppress(Unreadable), closing(prepare_older_state(file, prepared.scope)) as state:
                alike = alike.merged_with(state.look_alikes)
    return alike


def _count_kinds(prepared: ErasedStudy) -> dict[str, int]:
    """Return kind -> how many different personal strings are searched for; the names they are known by are `name`."""
    letters = {(string.kind, squeeze_letters(string.text)) for string in prepared.scope.strings}
    found = {"name": len(prepared.scope.terms.names)}
    for kind, _ in sorted(letters):
        found[kind] = found.get(kind, 0) + 1
    return found


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
        with closing(_prepare_study(path, wanted, finder)) as prepared:
            foreseen = _build_plan(prepared, wanted, finder)
            _require_readable(foreseen)
            require_decided(foreseen)
            foreseen.names.require_nameless(wanted.certificate)
            done = ErasureResult.begin(foreseen, utc_now())
            with prepared.prepare_rewrite(annotator, done.certificate.at) as rewritten:
                _verify_study(rewritten.path, path.name, prepared, done)
                progress.progress(1, 5, "backups")
                _erase_older_states(prepared, done)
                progress.progress(2, 5, "clips and caches")
                _delete_files(prepared, done)
                progress.progress(3, 5, "searching what is left")
                _search_folders(prepared, done, rewritten.path)
                progress.progress(4, 5, "the study")
                if path.stat().st_nlink > 1:
                    done.problems.append(
                        f"{escape_unprintable(path)} had another name on this disk (a hard link), "
                        "under which its old content is left: find it and delete it."
                    )
                done.certificate.by_hand = len(done.problems)
                rewritten.add_certificate(done.certificate.at, codec.dump(done.certificate))
                rewritten.publish()
    return done, write_certificate(path, done.certificate, wanted.certificate)


def require_decided(foreseen: ErasurePlan) -> None:
    """Return quietly where nothing looks like theirs about which nobody decided."""
    if not foreseen.undecided:
        return
    listed = ", ".join(f"“{escape_unprintable(text)}”" for text in foreseen.undecided[:_MAX_LISTED])
    more = f" and {len(foreseen.undecided) - _MAX_LISTED} more" if len(foreseen.undecided) > _MAX_LISTED else ""
    raise UserError(
        f"Nobody has decided yet whether these are theirs: {listed}{more}. Nothing was removed.",
        "Remove what is theirs with --word TEXT, keep what is not with --keep TEXT, or all the rest with --keep-rest.",
    )


_MAX_LISTED = 40


def _verify_study(file: Path, name: str, prepared: ErasedStudy, done: ErasureResult) -> None:
    """Search a state of the study that was written, called `name`."""
    alike = done.plan.lookalikes
    try:
        verified = verify_erasure(file, prepared.scope, (*alike.kept, *alike.remaining))
    except OSError as error:
        raise UserError(
            f"“{escape_unprintable(name)}” could not be searched: {error.strerror}. The study is as it was.",
            "See that it can be read, and ask again.",
        ) from None
    if verified.found:
        listed = ", ".join(f"{count} in {where}" for where, count in verified.found.items())
        raise UserError(
            f"“{escape_unprintable(name)}” would still hold something of theirs: {listed}. The study is as it was, and "
            "nothing is certified.",
            "The removal missed a spelling: look for it there, give it with --word TEXT, and report this.",
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


def _search_folders(prepared: ErasedStudy, done: ErasureResult, finished: Path) -> None:
    """Search what lies beside the study and in the program's folders.

    Args:
        prepared: what was worked out.
        done: takes what is found.
        finished: the study as it will be.
    """
    path, reach = prepared.path, prepared.scope
    seen, known = done.plan, {path, *done.plan.older, *finished.parent.iterdir()}
    known |= {
        *seen.copies,
        *seen.closed_copies,
        *(footage_file.path for footage_file in seen.footage if footage_file.exists),
    }
    beside = search_files(list_files(path.parent), reach.terms, path.parent, known)
    done.certificate.beside = _counted(beside)
    for file_match in beside.matches:
        what = (
            "is called like them" if file_match.by_name and not file_match.by_content else "holds something of theirs"
        )
        done.problems.append(f"{escape_unprintable(file_match.path)} {what}: delete it, or make it anew without them.")
    machine = _search_program_files(reach.terms, done)
    done.certificate.machine = _counted(machine)
    for file_match in machine.matches:
        done.problems.append(f"{escape_unprintable(file_match.path)} holds something of theirs: delete it by hand.")
    for copy in seen.closed_copies:
        done.problems.append(
            f"{escape_unprintable(copy)} may be a copy of the study and cannot be read (encrypted or damaged): "
            "decrypt it and run the same command on it, or delete it."
        )


def _counted(search: FolderSearch) -> SearchedFolder:
    return SearchedFolder(search.files, len(search.matches), len(search.unread))


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
    )


def _require_readable(foreseen: ErasurePlan) -> None:
    if not foreseen.unreadable or foreseen.request.erase_unreadable:
        return
    count, names = (
        len(foreseen.unreadable),
        ", ".join(f"“{escape_unprintable(backup.name)}”" for backup in foreseen.unreadable),
    )
    raise UserError(
        f"{pluralize(count, 'backup')} cannot be read and may hold them: {names}. Nothing was removed.",
        "Save what is left of it (`greenroom recover`), then have it erased with the rest: --erase-unreadable.",
    )


def _erase_older_states(prepared: ErasedStudy, done: ErasureResult) -> None:
    erase = done.plan.request.erase_unreadable
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
    for copy in done.plan.copies:
        done.problems.append(
            f"{escape_unprintable(copy)} is a copy of the study: run the same command on it, or delete it."
        )


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
