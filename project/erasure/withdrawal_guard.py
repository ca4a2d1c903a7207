"""Prevents withdrawn participants from returning through an import or a merged copy.

What they were known by is recalled from the texts that come: the study holds checksums of it (`word_tombstone`). What
is recalled goes through the same removal and the same search for look-alikes as in the withdrawal.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from project.erasure.erased_file import copy_to_memory
from project.erasure.lookalikes import find_look_alikes, names_of_others, study_texts
from project.erasure.personal_strings import ACCOUNT, BIRTH, PHONE, PersonalString
from project.erasure.plain_search import (
    WordRows,
    core_letters,
    count_clusters,
    holds_word,
    is_unspaced,
    plain_words,
    split_words,
    written_words,
)
from project.erasure.raw_rows import TombstoneKind, cell_texts, find_withdrawn, parse_row, text_columns, word_tombstone
from project.erasure.removal import erase_subject
from project.erasure.subject_scope import (
    FOOTAGE_TABLES,
    PersonalFinder,
    build_scope,
    day_letters,
    find_contact_strings,
)
from project.errors import UserError
from project.queries.pii_rows import private_words
from project.queries.recording_rows import all_participants
from project.schema.tables import TABLES
from project.store.study import Study
from project.text_format import escape_unprintable
from project.text_matching.normalization import is_ambiguous_name
from project.text_matching.spellings import alternative_readings, find_dates, squeeze_letters

_MOST_NAME_WORDS, _MOST_STRING_WORDS = 3, 8
"""Words in a row that may be one name, or one number or address."""
_STRUCTURED = re.compile(r"[@\d]|//")
"""What a text has that holds a number or an address."""
_INSIDE, _INSIDE_UNSPACED = 4, 2
"""Signs of a name that is recalled inside a longer word."""
_LONGEST = 24
"""Signs of a word in which a name is looked for, and of a name in a script without spaces."""
_MAX_LISTED = 12


def read_tombstones(study: Study) -> frozenset[tuple[str, str]]:
    """Return the tombstones of a study as checksum and kind."""
    return frozenset((row[0], row[1]) for row in study.rows("SELECT id, kind FROM withdrawal"))


def pseudonym_tombstone(study_id: str, pseudonym: str) -> str:
    """Return the checksum by which a study finds the certificates of a pseudonym."""
    return word_tombstone(study_id, "".join(plain_words(pseudonym)) or pseudonym)


def require_not_withdrawn(study: Study, people: Mapping[str, str], recordings: Mapping[str, int]) -> None:
    """Raise where somebody of a file (id -> pseudonym) or a recording (id -> number) was withdrawn from the study."""
    stones = read_tombstones(study)
    hint = "Withdraw them from the study that the file was exported from, and export it again."
    for identifier in find_withdrawn(people, TombstoneKind.PARTICIPANT, stones):
        name = escape_unprintable(people[identifier])
        raise UserError(f"{name} withdrew from this study, but is in the file.", hint)
    for identifier in find_withdrawn(recordings, TombstoneKind.RECORDING, stones):
        number = recordings[identifier]
        raise UserError(
            f"Recording {number} of the file was removed from this study when a participant withdrew.", hint
        )


def require_no_withdrawals_in_copy(study: Study, copy: Study) -> None:
    """Raise where somebody is in the study who withdrew from a copy of it."""
    here = {person.id: escape_unprintable(person.pseudonym) for person in all_participants(study)}
    for identifier in find_withdrawn(here, TombstoneKind.PARTICIPANT, read_tombstones(copy)):
        raise UserError(
            f"{here[identifier]} withdrew from “{escape_unprintable(copy.path.name)}” and is still in this study.",
            f"Withdraw them here too, then merge: greenroom participant withdraw STUDY {here[identifier]}",
        )


@dataclass(slots=True)
class RecalledTerms:
    """What withdrawn people were known by and stands in texts that come.

    Attributes:
        names: as they stand there, or the part of a longer word.
        strings: numbers, addresses and days.
        shown: all of it as it stands there.
    """

    names: set[str] = field(default_factory=set)
    strings: set[PersonalString] = field(default_factory=set)
    shown: dict[str, None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.shown)


class TermMemory:
    """Recalls names and strings of withdrawn people in texts, by their checksums; what the study knows is left out."""

    def __init__(self, study: Study) -> None:
        stones = read_tombstones(study)
        self._names = {stone for stone, kind in stones if kind == TombstoneKind.NAME}
        self._strings = {stone for stone, kind in stones if kind == TombstoneKind.STRING}
        self._study_id = study.id
        present = [person.pseudonym for person in all_participants(study)] if stones else []
        present += [private_word.word for private_word in private_words(study)] if stones else []
        self._known_here = {"".join(plain_words(name)) for name in present}
        self._masks = WordRows(words for words in map(plain_words, present) if len(words) > 1)
        self._recalled: dict[tuple[str, str], str] = {}

    def __bool__(self) -> bool:
        return bool(self._names or self._strings)

    def recall(self, texts: Iterable[str]) -> RecalledTerms:
        """Return what stands in some texts."""
        found = RecalledTerms()
        for text in dict.fromkeys(texts):
            words, written = split_words(text)
            self._masks.mask(words, written)
            for word, shown in zip(words, written, strict=True):
                if (word, shown) not in self._recalled:
                    self._recalled[word, shown] = self._name_in(word, shown)
                if name := self._recalled[word, shown]:
                    found.names.add(name)
                    found.shown[shown] = None
            for letters, shown in _rows(words, written, 2, _MOST_NAME_WORDS):
                if self._is_name(letters):
                    found.names.add(shown)
                    found.shown[shown] = None
            self._recall_strings(text, words, written, found)
        return found

    def _recall_strings(self, text: str, words: Sequence[str], written: Sequence[str], found: RecalledTerms) -> None:
        if _STRUCTURED.search(text):
            for letters, shown in _rows(words, written, 1, _MOST_STRING_WORDS):
                if self._is_string(letters) or self._is_string(core_letters(letters)):
                    found.strings.add(PersonalString(PHONE if letters.isdigit() else ACCOUNT, shown))
                    found.shown[shown] = None
        for reading in alternative_readings(text):
            for year, month, day in find_dates(reading):
                letters = day_letters((year, month, day))
                if self._is_string(letters):
                    found.strings.add(PersonalString(BIRTH, letters))
                    found.shown[f"{day}.{month}.{year:02}"] = None

    def _is_name(self, letters: str) -> bool:
        return letters not in self._known_here and word_tombstone(self._study_id, letters) in self._names

    def _is_string(self, letters: str) -> bool:
        return word_tombstone(self._study_id, letters) in self._strings

    def _name_in(self, word: str, shown: str) -> str:
        """Return the name that a word is or holds; "" for none."""
        if self._is_name(word):
            is_short = count_clusters(word) < 3
            if is_ambiguous_name(word) and is_short:
                return ""
            return shown if shown[0].isupper() or not (is_short or is_ambiguous_name(word)) else ""
        unspaced = is_unspaced(word)
        if len(word) > _LONGEST and not unspaced:
            return ""
        least = _INSIDE_UNSPACED if unspaced else _INSIDE
        for start in range(len(word) - least + 1):
            for end in range(start + least, min(start + _LONGEST, len(word)) + 1):
                part = word[start:end]
                if part != word and self._is_name(part) and holds_word(word, part):
                    return part
        return ""


def _rows(words: Sequence[str], written: Sequence[str], least: int, most: int) -> Iterator[tuple[str, str]]:
    """Yield the letters of so many words in a row, and the words as they stand."""
    for at in range(len(words)):
        for end in range(at + least, min(at + most, len(words)) + 1):
            yield "".join(words[at:end]), " ".join(written[at:end])


def copy_without_withdrawn(
    study: Study, copy: Study, finder: PersonalFinder = find_contact_strings, *, keep_rest: bool = False
) -> Study:
    """Return a copy as it is once everybody has left it who withdrew from the study; nothing is written anywhere.

    The copy that is given is closed where another one is returned.

    With `keep_rest`, what looks like theirs in the copy stays in it; else it is refused.
    """
    stones = read_tombstones(study)
    if not stones:
        return copy
    people = find_withdrawn(_ids(copy, "participant"), TombstoneKind.PARTICIPANT, stones)
    path, memory = copy.path, copy_to_memory(copy)
    try:
        recalled = TermMemory(study).recall(text for _, text in study_texts(memory))
        if not people and not recalled and not _has_withdrawn_recording(copy, stones):
            memory.close()
            return copy
        reach = build_scope(memory, people, words=recalled.names, strings=recalled.strings, known=stones, finder=finder)
        erase_subject(memory, reach)
        if not keep_rest:
            _require_no_look_alikes(study, path.name, [*find_look_alikes(memory, reach).remaining])
        copy.close()
        return Study.from_memory(path, memory)
    except BaseException:
        memory.close()
        raise


def _require_no_look_alikes(study: Study, name: str, alike: Sequence[str]) -> None:
    """Raise where something in a copy looks like theirs and does not stand in the study, where somebody kept it."""
    if not alike:
        return
    present = copy_to_memory(study)
    try:
        texts = {*(text for _, text in study_texts(present)), *(name for name, _ in names_of_others(present))}
    finally:
        present.close()
    words = {word for text in texts for word in map(squeeze_letters, written_words(text))}
    whole = "\n".join(map(squeeze_letters, texts))
    letters = {text: squeeze_letters(text) for text in alike}
    several = {text for text in alike if len(written_words(text)) > 1}
    new = [text for text in alike if letters[text] not in words and not (text in several and letters[text] in whole)]
    if new:
        raise UserError(
            f"“{escape_unprintable(name)}” may contain personal information of a withdrawn participant: "
            f"{_listed(new)}. Nothing was merged.",
            "Remove their information from the copy first (greenroom participant withdraw COPY, with --word), or merge "
            "it on the command line with --keep-rest, which keeps all of it.",
        )


def _listed(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _MAX_LISTED} more" if len(texts) > _MAX_LISTED else ""
    return ", ".join(f"“{escape_unprintable(text)}”" for text in texts[:_MAX_LISTED]) + more


@contextmanager
def guard_import(study: Study, *, keep_rest: bool = False) -> Iterator[None]:
    """Guard the part of a step that writes what a file holds: nobody who withdrew comes back in its texts.

    With `keep_rest`, what looks like theirs comes in all the same.
    """
    memory = TermMemory(study)
    newest = study.rows("SELECT coalesce(max(id), 0) FROM journal_change")[0][0]
    yield
    if keep_rest or not memory:
        return
    written = study.rows("SELECT table_name, after FROM journal_change WHERE id > ? AND after IS NOT NULL", (newest,))
    recalled = memory.recall(
        text
        for table, state in written
        for row in [parse_row(str(state))]
        for column, kind in text_columns(str(table)).items()
        if isinstance(row.get(column), str)
        for text in cell_texts(row[column], kind)
    )
    if recalled:
        raise UserError(
            "The file may contain personal information of a withdrawn participant: "
            f"{_listed([*recalled.shown])}. Nothing was imported.",
            "Remove it from the file. If it is about somebody else, import the file on the command line with "
            "--keep-rest.",
        )


def _has_withdrawn_recording(copy: Study, stones: frozenset[tuple[str, str]]) -> bool:
    """Tell whether a copy holds a recording that went, or footage of one, also in its history."""
    ids = _ids(copy, "recording")
    if find_withdrawn(ids, TombstoneKind.RECORDING, stones):
        return True
    bare = find_withdrawn(ids, TombstoneKind.FOOTAGE, stones)
    listed = (json.dumps(bare),)
    return any(
        copy.row(f"SELECT 1 FROM {table} WHERE recording_id IN (SELECT value FROM json_each(?)) LIMIT 1", listed)
        for table in FOOTAGE_TABLES
        if "recording_id" in TABLES[table].names
    )


def _ids(copy: Study, table: str) -> set[str]:
    rows = copy.rows(f"SELECT id FROM {table} UNION SELECT row_id FROM journal_change WHERE table_name = ?", (table,))
    return {str(row[0]) for row in rows}
