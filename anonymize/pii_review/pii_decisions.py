"""Edits of decisions about personal information: hide, keep, everywhere or in one place, kind, person, replacement.

Numbers of replacements are stored, so that none is ever given to somebody else.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from anonymize.pii_detection.pii_hit import KINDS, PERSON, PiiMatch
from anonymize.pii_detection.pii_replacement import Replacements, choose_stand_ins
from anonymize.pii_review.review_hits import (
    NUMBERS_PROPERTY,
    STAND_INS_PROPERTY,
    PlacedHit,
    build_replacements,
    find_hits,
    hit_place,
    read_numbers,
)
from project.entities.study_records import Changes
from project.errors import UserError, no_longer_in_study, unknown_choice
from project.ids import new_id
from project.queries.annotator_rows import all_annotators
from project.queries.pii_rows import (
    PiiDecision,
    PiiPlace,
    PiiVerdict,
    PrivateWord,
    delete_pii_decision,
    delete_private_word,
    delete_public_word,
    private_words,
    public_words,
    put_pii_decision,
    put_private_word,
    put_public_word,
)
from project.queries.recording_rows import all_participants
from project.search.free_texts import FreeText, free_texts
from project.session.session import Session
from project.text_matching.text_views import fold
from project.timebase import utc_now

Numbers = Mapping[str, Mapping[str, int]]
"""Label -> what a number stands for -> the number."""


def store_hit_numbers(session: Session, found: Iterable[PlacedHit]) -> None:
    """Keep the numbers of all hits of a study from now on: call this before they are shown or written.

    It is no step that can be undone, because a number that somebody has seen must not be given to anybody else. Where
    the study cannot be written to, nothing is kept. `found` are all hits of the study.
    """
    if not session.study.read_only:
        store_numbers(session, compute_numbers(session, found))


def compute_numbers(session: Session, found: Iterable[PlacedHit]) -> Numbers:
    """Return the numbers of all hits of a study, which `store_numbers` keeps; this reads every text."""
    return build_replacements(session, (placed_hit.hit for placed_hit in found)).numbers


def store_numbers(session: Session, numbers: Numbers) -> None:
    """Keep numbers from now on, where the study can be written to."""
    if not session.study.read_only and numbers != read_numbers(session):
        with session.study.step("Number personal information", undoable=False):
            session.study.set_property(NUMBERS_PROPERTY, {label: {**numbered} for label, numbered in numbers.items()})


_WITHDRAW_STEP = "Take back decisions on personal information"


@dataclass(frozen=True, slots=True)
class WordToHide:
    """A word that is hidden everywhere from now on.

    Attributes:
        word: name, nickname or phrase.
        kind: key of `KINDS`.
        participant_id: whose name it is; misspellings of it are found too, and all names of one participant have one
            replacement.
        replacement: what is written in its place; the next free number where None.
    """

    word: str
    kind: str = PERSON
    participant_id: str | None = None
    replacement: str | None = None


def decide_places(
    session: Session, places: Sequence[PlacedHit], verdict: PiiVerdict, kind: str | None = None
) -> Changes:
    """Say of places whether they are hidden wherever anything leaves; of the kind that was found, or that is given."""
    _check_kind(kind)
    if verdict is PiiVerdict.KEEP:
        _check_not_private(session, [word for place in places for word in (place.hit.text, place.hit.word)])
    title = "Hide" if verdict is PiiVerdict.HIDE else "Keep"
    with session.step(f"{title} personal information") as step:
        for place in places:
            _store_decision(session, place.place, place.recording_id, kind or place.kind, verdict)
    return step.changes


def set_kind(session: Session, places: Sequence[PlacedHit], kind: str) -> Changes:
    """Say what some places are; those that nobody decided about are hidden from now on."""
    _check_kind(kind)
    with session.step(f"Set kind: {KINDS[kind].title}") as step:
        for place in places:
            _store_decision(session, place.place, place.recording_id, kind, place.verdict or PiiVerdict.HIDE)
    return step.changes


def hide_everywhere(
    session: Session, word: str, kind: str = PERSON, participant_id: str | None = None, replacement: str | None = None
) -> Changes:
    """Make a word or phrase private, see `WordToHide`: it is hidden in every text, whatever its case and endings."""
    return hide_words(session, [WordToHide(word, kind, participant_id, replacement)])


def hide_words(session: Session, words: Sequence[WordToHide]) -> Changes:
    """Make several words private, as one step; see `hide_everywhere`."""
    wanted = [replace(word, word=" ".join(word.word.split())) for word in words]
    for word in wanted:
        if not word.word:
            raise UserError("There is no word to hide.", "Mark a word in the text, or type it.")
        _check_kind(word.kind)
        _check_participant(session, word.participant_id)
    private = _build_private_words(session, wanted)
    keys = {fold(private_word.word) for private_word in private}
    with session.step(f"Hide {_words_text(private[0].word, len(private))} everywhere" if private else "Hide") as step:
        for public in public_words(session.study):
            if fold(public) in keys:
                delete_public_word(session.study, public)
        for private_word in private:
            put_private_word(session.study, private_word)
    return step.changes


def keep_words(session: Session, words: Sequence[str]) -> Changes:
    """Say that words are personal nowhere in this study, as the name of a robot; participants' names stay hidden."""
    public = [" ".join(word.split()) for word in words]
    private = private_words(session.study)
    for word in public:
        if not word:
            raise UserError("There is no word to keep.", "Mark a word in the text, or type it.")
        if any(private_word.participant_id for private_word in private if fold(private_word.word) == fold(word)):
            raise UserError(
                f"“{word}” is the name of a participant, so it cannot be kept everywhere.",
                "Remove it from the participant first, or keep single places.",
            )
    keys = {fold(word) for word in public}
    with session.step(f"Keep {_words_text(public[0], len(public))} everywhere" if public else "Keep") as step:
        for private_word in private:
            if fold(private_word.word) in keys:
                delete_private_word(session.study, private_word.word)
        for word in public:
            put_public_word(session.study, word)
    return step.changes


def withdraw_decisions(session: Session, places: Sequence[PlacedHit] = (), words: Sequence[str] = ()) -> Changes:
    """Take back decisions on places, and on words everywhere, as one step.

    Places that no rule finds are gone from the list, the others are hidden until decided; rules judge the words again.
    """
    keys = {fold(word): word for word in words}
    private = [private_word.word for private_word in private_words(session.study) if fold(private_word.word) in keys]
    public = [public_word for public_word in public_words(session.study) if fold(public_word) in keys]
    for key, word in keys.items():
        if key not in {fold(text) for text in (*private, *public)}:
            raise UserError(
                f"“{word}” is neither hidden nor kept everywhere.", "List the words: greenroom release words STUDY"
            )
    title = f"Judge {_words_text(words[0], len(keys))} by its place again" if words and not places else _WITHDRAW_STEP
    with session.step(title) as step:
        for place in places:
            delete_pii_decision(session.study, place.place)
        for word in private:
            delete_private_word(session.study, word)
        for word in public:
            delete_public_word(session.study, word)
    return step.changes


def mark_text(session: Session, text: FreeText, start: int, end: int, kind: str) -> Changes:
    """Hide a stretch of a text that no rule found."""
    _check_kind(kind)
    start, end = max(start, 0), min(end, len(text.text))
    while start < end and text.text[start].isspace():
        start += 1
    while end > start and text.text[end - 1].isspace():
        end -= 1
    if start >= end:
        raise UserError("No words are marked.", "Mark the words in the text first.")
    place = hit_place(text, PiiMatch(start, end, kind, 1.0, "hand", text=text.text[start:end]))
    with session.step("Mark personal information") as step:
        _store_decision(session, place, text.recording_id, kind, PiiVerdict.HIDE)
    return step.changes


def use_stand_ins(session: Session, on: bool = True) -> Changes:
    """Choose a name for each participant that stands in for theirs, or go back to numbers.

    Names once chosen stay; participants that came later get theirs. No name is chosen that occurs in the study.
    """
    if not on:
        with session.step("Write numbers for names") as step:
            session.study.set_property(STAND_INS_PROPERTY, None)
        return step.changes
    people = [participant.id for participant in all_participants(session.study)]
    kept = session.study.get_property(STAND_INS_PROPERTY)
    known = {str(who): str(name) for who, name in kept.items()} if isinstance(kept, dict) else {}
    words = {word.strip(".,;:!?\"'()[]") for free_text in free_texts(session.study) for word in free_text.text.split()}
    words |= {word.removesuffix("'s") for word in words}
    words |= {part for private_word in private_words(session.study) for part in private_word.word.split()}
    words |= {part for annotator in all_annotators(session.study) for part in annotator.name.split()}
    words |= {participant.pseudonym for participant in all_participants(session.study)} | {*known.values()}
    new = [who for who in people if who not in known]
    chosen = {**known, **choose_stand_ins(new, new_id(), words)}
    with session.step("Write stand-in names") as step:
        session.study.set_property(STAND_INS_PROPERTY, {**chosen})
    return step.changes


def _words_text(first: str, number: int) -> str:
    return f"“{first}”" if number == 1 else f"{number} words"


def _store_decision(
    session: Session, place: PiiPlace, recording_id: str | None, kind: str, verdict: PiiVerdict
) -> None:
    who = session.author()
    put_pii_decision(session.study, PiiDecision(place, recording_id, kind, verdict, who.id, utc_now()))


def _build_private_words(session: Session, words: Iterable[WordToHide]) -> list[PrivateWord]:
    """Return words with what is written now for each: its number stays when it is hidden everywhere."""
    people: dict[str, str] = {}
    for known in private_words(session.study):
        if known.participant_id:
            people.setdefault(known.participant_id, known.replacement)
    made: list[PrivateWord] = []
    numbering: tuple[list[PiiMatch], Replacements] | None = None
    for wanted in words:
        after = " ".join((wanted.replacement or "").split()) or people.get(wanted.participant_id or "", "")
        if not after:
            # One numbering for all of them, so that two words never get the same number.
            numbering = numbering or _number_all_hits(session)
            after = _next_replacement(wanted, *numbering)
        if wanted.participant_id:
            people.setdefault(wanted.participant_id, after)
        made.append(PrivateWord(wanted.word, after, wanted.kind, wanted.participant_id))
    return made


def _number_all_hits(session: Session) -> tuple[list[PiiMatch], Replacements]:
    found = [placed_hit.hit for placed_hit in find_hits(session)]
    numbered = build_replacements(session, found)
    store_numbers(session, numbered.numbers)
    return found, numbered


def _next_replacement(wanted: WordToHide, found: Iterable[PiiMatch], made: Replacements) -> str:
    word, kind = wanted.word, wanted.kind
    mine = next(
        (pii_match for pii_match in found if fold(pii_match.text) == fold(word) and pii_match.kind == kind),
        None,
    )
    hit = mine or PiiMatch(0, len(word), kind, 1.0, "hand", text=word)
    return made.replacement_for(hit if wanted.participant_id is None else replace(hit, participant_id=None))


def _check_kind(kind: str | None) -> None:
    if kind is not None and kind not in KINDS:
        raise unknown_choice("kind of personal information", kind, KINDS)


def _check_participant(session: Session, participant_id: str | None) -> None:
    if participant_id is not None and all(
        participant.id != participant_id for participant in all_participants(session.study)
    ):
        raise no_longer_in_study("participant")


def _check_not_private(session: Session, words: Iterable[str]) -> None:
    private = {fold(private_word.word) for private_word in private_words(session.study)}
    for word in words:
        if fold(word) in private:
            raise UserError(
                f"“{word}” is hidden everywhere, so it cannot be kept in one place.",
                "Withdraw that decision first, so that each place is decided separately.",
            )
