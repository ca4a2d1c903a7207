"""Works out the scope of an erasure: the person's recordings, rows, names and personal strings."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath

from project.erasure.personal_strings import PERSON, PersonalString, find_contacts
from project.erasure.plain_search import PlainSearch
from project.erasure.raw_rows import (
    Row,
    State,
    TombstoneKind,
    cell_texts,
    find_withdrawn,
    live_rows,
    past_states,
    text_columns,
    tombstone,
    word_tombstone,
)
from project.erasure.subject_terms import NEAR, IdentifyingTerms
from project.files.sqlcipher import sqlite3
from project.queries.pii_rows import WordOwners
from project.schema.table_declaration import ColumnKind
from project.schema.tables import HUMAN_TABLES, TABLES
from project.text_matching.spellings import Day, squeeze_letters

ERASURE_ORDER = (
    *("medium", "run", "face_track", "region", "segment", "utterance", "chain", "chain_node", "question"),
    *("item", "judgment", "benchmark_run"),
)
"""Tables with ids that others name, what others refer to first."""
_PRESENCE_TABLES = tuple(
    name for name, table in HUMAN_TABLES.items() if {"recording", "participant"} <= {*table.parents.values()}
)
"""Tables whose rows say that somebody is in a recording."""
FOOTAGE_TABLES = frozenset(name for name, table in TABLES.items() if table.from_footage)

EXPORT_RUN_KINDS = frozenset({"release", "questions"})
"""Kinds of runs that made what others have by now: that they did is kept, for whoever withdraws next."""

_DERIVED_TABLES = frozenset({"question", "judgment", "item"})
"""Tables in which programs put together texts of many recordings."""


PersonalFinder = Callable[[Sequence[str]], Sequence[Sequence[PersonalString]]]
"""Given texts, returns what is personal in each of them."""

_TEXT_TABLES = tuple(
    name for name in HUMAN_TABLES if text_columns(name) and name not in ("medium", "private_word", "pii_decision")
)
"""Tables in which people wrote or said something about a recording, where a row is about one."""
_MIN_TEXT_CHARS = 3
"""Signs of a text that can hold something personal."""
_MACHINE_ID = re.compile(r"\b(?:[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|[0-9a-f]{32,})\b")
"""Ids and checksums."""


def day_letters(day: Day) -> str:
    """Return a day as text, with the year of its century alone."""
    return f"20{day[0]:02}-{day[1]:02}-{day[2]:02}"


def find_contact_strings(texts: Sequence[str]) -> list[list[PersonalString]]:
    """Find what is personal by its form alone: addresses of mail, handles, links, long numbers."""
    return [[*find_contacts(text)] for text in texts]


@dataclass(slots=True)
class SubjectScope:
    """The rows, recordings and terms that an erasure covers.

    Attributes:
        people: ids of who withdraws.
        recordings: ids of those in which they are, but for `dropped`: others' annotations stay, footage goes.
        dropped: ids of recordings that go as a whole.
        erased_ids: table -> ids of rows that go.
        recording_by_id: id of a segment, utterance, chain, node or question -> recording.
        mentioning_nodes: ids of the nodes of chains that are about them.
        terms: by which they are found in texts.
        recording_terms: the same, in texts about their recordings and in what programs copied from texts: shorter
            quotations.
        search: the same terms for the check of what was removed.
        owners: tells whose a private word is.
        file_names: names of the files of their recordings, which stand in the names of steps.
        own_texts: what they said, and how they were said to look.
        strings: what is personal in the texts of their recordings; names of theirs are not among them.
        erased_letters: letters and digits of all texts of theirs, which go, one text a line.
        words: further words by which they are known, as they were given.
        drop: recordings in which they are go as a whole.
        kept_letters: letters and digits of what looks like theirs and is to be kept.
        finder: finds what is personal in texts of their recordings.
    """

    people: frozenset[str]
    recordings: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    erased_ids: dict[str, set[str]] = field(default_factory=dict)
    recording_by_id: dict[str, str] = field(default_factory=dict)
    mentioning_nodes: set[str] = field(default_factory=set)
    terms: IdentifyingTerms = field(default_factory=IdentifyingTerms)
    recording_terms: IdentifyingTerms = field(default_factory=IdentifyingTerms)
    search: PlainSearch = field(default_factory=PlainSearch)
    owners: WordOwners = field(default_factory=WordOwners)
    file_names: IdentifyingTerms = field(default_factory=IdentifyingTerms)
    own_texts: frozenset[str] = frozenset()
    strings: tuple[PersonalString, ...] = ()
    erased_letters: str = ""
    words: tuple[str, ...] = ()
    drop: bool = False
    kept_letters: frozenset[str] = frozenset()
    finder: PersonalFinder = field(default=find_contact_strings, repr=False)

    def in_other_state(self, connection: sqlite3.Connection) -> "SubjectScope":
        """Return the scope of the same erasure in another state of the study, with what is known from this one."""
        return build_scope(
            connection,
            self.people,
            words=(*self.terms.names, *self.words),
            drop=self.drop,
            known=self.tombstones(),
            said=self.own_texts,
            strings=self.strings,
            keep=self.kept_letters,
            finder=self.finder,
        )

    def tombstones(self) -> frozenset[tuple[str, str]]:
        """Return the tombstones of people and recordings as checksum and kind."""
        kinds = (
            (self.people, TombstoneKind.PARTICIPANT),
            (self.dropped, TombstoneKind.RECORDING),
            (self.recordings, TombstoneKind.FOOTAGE),
        )
        return frozenset((tombstone(text), kind.value) for ids, kind in kinds for text in ids)

    def word_tombstones(self, study_id: str) -> frozenset[tuple[str, str]]:
        """Return the tombstones of names, and of numbers, addresses and days, as checksum and kind."""
        kinds = (
            (self.search.words, TombstoneKind.NAME),
            ((*self.search.strings, *map(day_letters, self.terms.days)), TombstoneKind.STRING),
        )
        return frozenset((word_tombstone(study_id, text), kind.value) for texts, kind in kinds for text in texts)

    def word_owner(self, row: Row) -> str | None:
        """Return the id of the participant whose private word a row is; None for nobody's."""
        return self.owners.owner(row["participant_id"], str(row["replacement"]))

    def is_erased(self, table: str, identifier: object) -> bool:
        """Tell whether a row is erased."""
        return identifier in self.erased_ids.get(table, ())

    def recording_of(self, table: str, row: Row) -> str | None:
        """Return the recording that a row is about, or None."""
        for column in ("recording_id", "segment_id", "chain_id", "node_id", "question_id", "result_id"):
            value = row.get(column)
            if isinstance(value, str) and value:
                return value if column == "recording_id" else self.recording_by_id.get(value)
        return str(row["id"]) if table == "recording" and "id" in row else None

    def terms_for(self, table: str, row: Row) -> IdentifyingTerms:
        """Return the terms by which they are found in the texts of a row."""
        return self.recording_terms if table in _DERIVED_TABLES or self.is_in_scope(table, row) else self.terms

    def is_in_scope(self, table: str, row: Row) -> bool:
        """Tell whether a row is about a recording in which they are."""
        home = self.recording_of(table, row)
        return home in self.recordings or home in self.dropped


def build_scope(
    connection: sqlite3.Connection,
    people: Collection[str],
    *,
    words: Iterable[str] = (),
    drop: bool = False,
    known: frozenset[tuple[str, str]] = frozenset(),
    said: frozenset[str] = frozenset(),
    strings: Iterable[PersonalString] = (),
    keep: Iterable[str] = (),
    finder: PersonalFinder = find_contact_strings,
) -> SubjectScope:
    """Build the scope of an erasure.

    Args:
        connection: on the study.
        people: ids of who withdraws.
        words: further words by which they are known.
        drop: recordings in which they are go as a whole.
        known: tombstones, as checksum and kind, of recordings that are to go again, or that another state of the
            study knows to be theirs.
        said: what they said, of which another state of the study knows that it was them.
        strings: what is personal in their recordings, as another state of the study knows.
        keep: personal strings that somebody decided to keep.
        finder: finds what is personal in texts of their recordings.
    """
    kept = frozenset(map(squeeze_letters, keep))
    found = SubjectScope(frozenset(people), words=tuple(words), drop=drop, kept_letters=kept, finder=finder)
    there = _recordings(connection, found.people)
    every = {str(row["id"]) for row in live_rows(connection, "recording")}
    every |= {str(state["id"]) for _, state in past_states(connection, ("recording",))}
    again = find_withdrawn(every, TombstoneKind.RECORDING, known)
    bare = find_withdrawn(every, TombstoneKind.FOOTAGE, known)
    found.dropped = frozenset([*again, *(there if drop else ())])
    found.recordings = frozenset([*there, *bare]) - found.dropped
    found.erased_ids = {"participant": {*people}, "recording": {*found.dropped}}
    earlier = (row for _, row in past_states(connection, ("participant",)))
    everybody = [*earlier, *live_rows(connection, "participant")]
    found.owners = WordOwners((str(row["id"]), str(row["pseudonym"])) for row in everybody)
    _map_recordings(connection, found)
    names, ids = [*_subject_names(connection, found), *found.words], [*people, *found.dropped]
    found.own_texts = said | _subject_texts(connection, found.people)
    others = _read_names_of_others(connection, found)
    theirs = {squeeze_letters(text) for text in found.words}
    shared = others.single - theirs
    terms = partial(IdentifyingTerms, names, ids, found.own_texts, others=others.whole, shared=shared)
    # Their texts are told by their names first; the strings that stand in them are then terms too.
    found.recording_terms = terms(quoted=NEAR)
    given = (contact for word in found.words for contact in find_contacts(word))
    every_string = dict.fromkeys((*strings, *given, *_find_strings(connection, found, others.letters)))
    found.strings = tuple(
        personal_string for personal_string in every_string if squeeze_letters(personal_string.text) not in kept
    )
    exact = [string for string in found.strings if string.is_exact or squeeze_letters(string.text) in theirs]
    found.terms, found.recording_terms = terms(strings=exact), terms(quoted=NEAR, strings=exact)
    found.search = PlainSearch(names, ids, found.own_texts, exact, others.whole, shared)
    found.file_names = IdentifyingTerms(_file_names(connection, found))
    _map_mentioning_nodes(connection, found)
    _collect_erased(connection, found)
    return found


def _states(connection: sqlite3.Connection, wanted: Collection[str]) -> Iterable[State]:
    for table in wanted:
        for row in live_rows(connection, table):
            yield table, row
    yield from past_states(connection, wanted)


def _recordings(connection: sqlite3.Connection, people: frozenset[str]) -> set[str]:
    found: set[str] = set()
    for table in _PRESENCE_TABLES:
        found |= {row["recording_id"] for row in live_rows(connection, table) if row["participant_id"] in people}
    found |= {
        row[0]
        for row in connection.execute(
            "SELECT r.recording_id FROM track_correction c JOIN face_track t ON t.id = c.track_id "
            "JOIN run r ON r.id = t.run_id WHERE c.participant_id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(people)),),
        )
    }
    for row in live_rows(connection, "run"):
        if any(person in row["result"] or person in row["parameters"] for person in people):
            found.add(row["recording_id"])
    # Of a recording that was deleted, only the history can say who was in it.
    alive = {row["id"] for row in live_rows(connection, "recording")}
    for _, state in past_states(connection, _PRESENCE_TABLES):
        if state["participant_id"] in people and state["recording_id"] not in alive:
            found.add(state["recording_id"])
    return found


def _map_recordings(connection: sqlite3.Connection, found: SubjectScope) -> None:
    for _, row in _states(connection, ("segment", "utterance", "chain", "question", "region")):
        found.recording_by_id[row["id"]] = row["recording_id"]
    for _, row in _states(connection, ("chain_node",)):
        if row["chain_id"] in found.recording_by_id:
            found.recording_by_id[row["id"]] = found.recording_by_id[row["chain_id"]]


def _subject_names(connection: sqlite3.Connection, found: SubjectScope) -> set[str]:
    names: set[str] = set()
    for table, row in _states(connection, ("participant", "private_word")):
        if table == "participant" and row["id"] in found.people:
            names.add(str(row["pseudonym"]))
        elif table == "private_word" and found.word_owner(row) in found.people:
            names.add(str(row["word"]))
    return names


def _subject_texts(connection: sqlite3.Connection, people: frozenset[str]) -> set[str]:
    return {
        str(row["text"]) for _, row in _states(connection, ("utterance", "look")) if row["participant_id"] in people
    }


def _file_names(connection: sqlite3.Connection, found: SubjectScope) -> set[str]:
    names: set[str] = set()
    for table, row in _states(connection, ("medium", "recording")):
        if found.is_in_scope(table, row):
            names.add(PurePosixPath(str(row["path"] if table == "medium" else row["name"]).replace("\\", "/")).stem)
    return names


def _find_strings(
    connection: sqlite3.Connection, found: SubjectScope, known: Collection[str]
) -> Iterator[PersonalString]:
    """Yield what is personal in texts of their recordings: in theirs, which go, and in those of others."""
    theirs: dict[str, None] = {}
    others: dict[str, None] = {}
    settled = {
        row["id"]: row["participant_id"]
        for row in live_rows(connection, "utterance")
        if row["participant_id"] is not None and not row["suggested"]
    }
    for table, row in _states(connection, _TEXT_TABLES):
        if not found.is_in_scope(table, row) and row.get("participant_id") not in found.people:
            continue
        for column, kind in text_columns(table).items():
            if kind is ColumnKind.PATH or column == "words" or not isinstance(row[column], str):
                continue
            for text in _texts_in(row[column], kind):
                (theirs if _is_theirs(found, table, row, text, settled) else others).setdefault(text)
    for table, row in _states(connection, ("pii_decision",)):
        if found.is_in_scope(table, row) and row["decision"] == "hide":
            theirs.setdefault(row["text"])
            yield PersonalString(row["kind"], row["text"])
    heard = dict.fromkeys(_recognized_texts(connection, found))
    found.erased_letters = "\n".join(map(squeeze_letters, (*theirs, *heard)))
    seen: set[str] = set()
    for text in theirs:
        others.pop(text, None)
        heard.pop(text, None)
    for texts, of_others in ((others, True), (theirs, False), (heard, False)):
        for string in (string for strings in found.finder([*texts]) for string in strings):
            letters = squeeze_letters(string.text)
            if not letters or letters in known:
                continue
            if of_others:
                seen.add(letters)
            # What a recogniser heard may be what somebody else said, who stays.
            theirs_too = not of_others and (texts is theirs or letters not in seen)
            yield PersonalString(string.kind, string.text, theirs_too)
    yield from (string for string in _private_strings(connection, found) if squeeze_letters(string.text) not in known)


def _texts_in(cell: str, kind: ColumnKind) -> list[str]:
    """Return the texts of a cell in which people wrote something: no ids, no checksums."""
    texts = (_MACHINE_ID.sub(" ", text) for text in cell_texts(cell, kind))
    return [text for text in texts if len(text.strip()) >= _MIN_TEXT_CHARS]


@dataclass(frozen=True, slots=True)
class NamesOfOthers:
    """What participants who stay and annotators are called.

    Attributes:
        whole: names of people, as the study knows them.
        single: names of one word, squeezed: alone, such a word is not surely theirs.
        letters: all of these and each word of them, squeezed.
    """

    whole: tuple[str, ...]
    single: frozenset[str]
    letters: frozenset[str]


def _read_names_of_others(connection: sqlite3.Connection, found: SubjectScope) -> NamesOfOthers:
    theirs = {None, *found.people}
    words = [row for row in live_rows(connection, "private_word") if found.word_owner(row) not in theirs]
    people = [str(row["pseudonym"]) for row in live_rows(connection, "participant") if row["id"] not in found.people]
    names = [*people, *(str(row["word"]) for row in words)]
    every = [*names, *(str(row["name"]) for row in live_rows(connection, "annotator"))]
    return NamesOfOthers(
        tuple(str(row["word"]) for row in words if row["kind"] == PERSON),
        frozenset(squeeze_letters(name) for name in names if len(name.split()) == 1),
        frozenset(squeeze_letters(part) for name in every for part in (name, *name.split())),
    )


def _private_strings(connection: sqlite3.Connection, found: SubjectScope) -> Iterator[PersonalString]:
    """Yield private words of nobody that stand in texts of theirs."""
    for _, row in _states(connection, ("private_word",)):
        letters = squeeze_letters(row["word"])
        if found.word_owner(row) is None and letters and letters in found.erased_letters:
            yield PersonalString(row["kind"], row["word"])


def _recognized_texts(connection: sqlite3.Connection, found: SubjectScope) -> Iterator[str]:
    """Yield what recognisers heard in their recordings."""
    homes = {str(row["id"]): row["recording_id"] for row in live_rows(connection, "run")}
    for row in live_rows(connection, "heard"):
        home = homes.get(row["run_id"])
        if home in found.recordings or home in found.dropped:
            yield row["text"]


def _is_theirs(found: SubjectScope, table: str, row: Row, text: str, settled: Mapping[str, str]) -> bool:
    """Tell whether a text goes: it is theirs, may be, or names them, or goes with the recording or its footage."""
    if found.recording_of(table, row) in found.dropped or table in FOOTAGE_TABLES:
        return True
    who = settled.get(row["id"]) if table == "utterance" else None
    if who is None and table == "utterance" and (row["participant_id"] is None or row["suggested"]):
        return True
    if (row.get("participant_id") if who is None else who) in found.people:
        return True
    return found.recording_terms.matches_text(text)


def _map_mentioning_nodes(connection: sqlite3.Connection, found: SubjectScope) -> None:
    found.mentioning_nodes = {
        row["node_id"] for _, row in _states(connection, ("chain_person",)) if row["participant_id"] in found.people
    }


def _collect_erased(connection: sqlite3.Connection, found: SubjectScope) -> None:
    alive = {row["id"]: row["participant_id"] for row in live_rows(connection, "utterance")}
    for table in ERASURE_ORDER:
        gone = found.erased_ids.setdefault(table, set())
        refers = TABLES[table].parents
        for _, row in _states(connection, (table,)):
            if any(found.is_erased(parent, row[column]) for column, parent in refers.items()) or _theirs(
                table, row, found
            ):
                gone.add(row["id"])
        if table == "question":
            gone |= {
                row["id"]
                for row in live_rows(connection, table)
                if _names_subject(found, table, row, text_columns(table))
            }
        if table == "utterance":
            # Somebody else's by now is not theirs; one that is gone was, if it ever was.
            gone -= {utterance for utterance, who in alive.items() if who not in found.people}
            gone |= {utterance for utterance, who in alive.items() if who in found.people}
            gone |= {
                utterance
                for utterance, who in alive.items()
                if found.is_erased("recording", found.recording_by_id.get(utterance))
            }


def _theirs(table: str, row: Row, found: SubjectScope) -> bool:
    """Tell whether a row goes for what it is, not for what it belongs to."""
    if is_export_note(found, table, row):
        return False
    if table in FOOTAGE_TABLES and found.is_in_scope(table, row):
        return True
    if table == "question":
        return any(node in row["covers"] or node in row["wrong"] for node in found.mentioning_nodes)
    return table in _MENTION_COLUMNS and _mentions_subject(table, row, found)


def is_export_note(found: SubjectScope, table: str, row: Row) -> bool:
    """Tell whether a row says that something was given away of a recording that stays; it stays, in short."""
    return table == "run" and row["kind"] in EXPORT_RUN_KINDS and found.recording_of(table, row) not in found.dropped


def concerns_subject(found: SubjectScope, table: str, row: Row) -> bool:
    """Tell whether a row is about a recording in which they are, or names them."""
    return found.is_in_scope(table, row) or _mentions_subject(table, row, found)


_MENTION_COLUMNS = {
    "run": ("parameters", "result"),
    "item": ("content",),
    "judgment": ("raw", "thinking", "error", "part", "sight", "answer"),
}
"""Columns of what happened, and is never changed, in which somebody may be named or quoted."""


def _mentions_subject(table: str, row: Row, found: SubjectScope) -> bool:
    """Tell whether a row names them or repeats them; of what was put together of texts, also their recordings."""
    homes = () if table == "run" else (*found.recordings, *found.dropped)
    return _names_subject(found, table, row, _MENTION_COLUMNS[table]) or any(
        home in row[column] for column in _MENTION_COLUMNS[table] for home in homes
    )


def _names_subject(found: SubjectScope, table: str, row: Row, columns: Iterable[str]) -> bool:
    """Tell whether a row names them in one of some columns."""
    wording, kinds = found.terms_for(table, row), TABLES[table].kinds
    return any(
        (wording.matches_json_text if kinds[column] is ColumnKind.JSON else wording.matches_text)(row[column])
        for column in columns
    )
