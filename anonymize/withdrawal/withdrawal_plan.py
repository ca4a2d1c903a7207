"""Plans a withdrawal: what would be removed from a study and from the files beside it; nothing is changed."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from anonymize.local_files.file_traces import (
    ClipFile,
    FootageFile,
    find_clips,
    find_footage,
    find_footage_copies,
    find_remembered_paths,
    list_cache_files,
    list_program_notes,
    list_unfinished_outputs,
    names_person,
)
from anonymize.local_files.folder_search import FolderSearch, list_files, search_files
from anonymize.pii_detection.pii_finder import PersonalFinder
from anonymize.pii_detection.pii_hit import LIKELY
from models.names import name_finders
from project.erasure.erasure import (
    ErasedStudy,
    Unreadable,
    WithdrawalFacts,
    find_copies,
    find_older_states,
    is_unfinished,
    prepare_erasure,
    prepare_older_state,
    unreadable_reason,
)
from project.erasure.lookalikes import LookAlikeWords
from project.erasure.personal_strings import PersonalString, find_contacts, given_names
from project.erasure.raw_rows import tombstone
from project.erasure.removal import ErasureCounts
from project.erasure.subject_scope import SubjectScope
from project.erasure.subject_terms import IdentifyingTerms
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.session.settings import load_settings
from project.store.locking import lock_path
from project.store.opening import sibling_path
from project.text_format import escape_unprintable, pluralize
from project.text_matching.spellings import squeeze_letters

_CODE = re.compile(r"[A-Za-z]{0,12}[ _.-]?\d{1,6}[A-Za-z]?|[A-Z]{1,2}")


def public_name(pseudonym: str, people: Iterable[str]) -> str:
    """Return what a certificate calls somebody: the pseudonym where it is a code, else a part of a checksum."""
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
            raise UserError(
                "The file name of the certificate would reveal the participant.",
                "Choose another name: --certificate FILE",
            )


def certificate_names(pseudonym: str, reach: SubjectScope, study: Path) -> CertificateNames:
    """Return the names that a certificate may hold."""
    person = public_name(pseudonym, reach.people)
    names = [name for name in reach.terms.names if name != person]
    return CertificateNames(person, study.name, IdentifyingTerms(names))


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


def plan_erasure(path: Path, wanted: ErasureRequest, finder: PersonalStringFinder | None = None) -> ErasurePlan:
    """Work out what a withdrawal would remove; nothing is changed."""
    finder = finder or PersonalStringFinder()
    with closing(prepare_study(resolve_path(path), wanted, finder)) as prepared:
        return build_plan(prepared, wanted, finder)


def prepare_study(path: Path, wanted: ErasureRequest, finder: PersonalStringFinder) -> ErasedStudy:
    """Prepare the study without them, in memory."""
    return prepare_erasure(
        path, wanted.pseudonym, wanted.words, drop=wanted.drop_recordings, keep=wanted.keep, finder=finder
    )


def build_plan(prepared: ErasedStudy, wanted: ErasureRequest, finder: PersonalStringFinder) -> ErasurePlan:
    """Work out what a withdrawal would remove from the machine, beside the study that was prepared."""
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
            *list_cache_files(facts.study_id, (footage.fingerprint for footage in facts.footage), study),
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


def require_decided(foreseen: ErasurePlan) -> None:
    """Return quietly where nothing looks like theirs about which nobody decided."""
    if not foreseen.undecided:
        return
    listed = ", ".join(f"“{escape_unprintable(text)}”" for text in foreseen.undecided[:_MAX_LISTED])
    more = f" and {len(foreseen.undecided) - _MAX_LISTED} more" if len(foreseen.undecided) > _MAX_LISTED else ""
    raise UserError(
        f"These words may or may not refer to the participant: {listed}{more}. Nothing was removed.",
        "Remove words with --word TEXT, keep words with --keep TEXT, or keep all others with --keep-rest.",
    )


_MAX_LISTED = 40


def require_readable_backups(foreseen: ErasurePlan) -> None:
    """Return quietly where every backup can be read, or is to be erased unread."""
    if not foreseen.unreadable or foreseen.request.erase_unreadable:
        return
    count, names = (
        len(foreseen.unreadable),
        ", ".join(f"“{escape_unprintable(backup.name)}”" for backup in foreseen.unreadable),
    )
    raise UserError(
        f"{pluralize(count, 'backup')} cannot be read and may contain the participant: {names}. Nothing was removed.",
        "Save what can be read (`greenroom study recover`), then erase the rest with --erase-unreadable.",
    )
