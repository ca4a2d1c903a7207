"""Cuts recognised speech into draft utterances, replaces drafts that nobody edited, and keeps the vocabulary.

Drafts end at pauses and sentence ends and are never too long. The vocabulary lists words that recognition should spell
correctly.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from models.speech.speech_recognizers import RecognizedWord
from project.entities.study_records import Changes, Utterance
from project.entities.transcript import AsrSegment, Word, clamp_words
from project.errors import UserError
from project.ids import new_id
from project.plugins.option_limits import check_limits, limited_field
from project.queries.history_rows import runs_of
from project.queries.pii_rows import pii_decisions
from project.queries.transcript_rows import TRANSCRIBE, asr_segments, delete_utterance, insert_utterances, utterances_of
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import SECOND_US, merge_spans


def require_empty_transcript(session: Session, recording_id: str, replace: bool) -> None:
    """Refuse to recognise a recording that has a transcript, unless its drafts are to be replaced."""
    present = utterances_of(session.study, recording_id)
    if present and not replace:
        number = session.recording(recording_id).number
        kept = len(list_kept_utterances(session, recording_id))
        drafts = pluralize(len(present) - kept, "draft")
        raise UserError(
            f"Recording {number} already has a transcript of {pluralize(len(present), 'utterance')}.",
            f"Replace the {drafts} that nobody edited with --replace; {kept} edited or checked utterances stay."
            if kept < len(present)
            else "All of it was edited or checked: --replace keeps it and adds new utterances.",
        )


def list_kept_utterances(session: Session, recording_id: str) -> list[Utterance]:
    """Return the utterances of a recording that a new draft leaves as they are, by start.

    That is all but those which are just as a model wrote them: not checked, cut, joined, moved or typed by anybody,
    without a speaker that somebody chose, and without a decision on personal information in them.
    """
    decided = {place.row for place in pii_decisions(session.study) if place.table == "utterance"}
    drafted = {
        (segment.start_us, segment.end_us, segment.text, segment.words)
        for run in runs_of(session.study, recording_id, TRANSCRIBE)
        for segment in asr_segments(session.study, run.id)
    }
    return [
        utterance
        for utterance in utterances_of(session.study, recording_id)
        if utterance.checked
        or (utterance.participant_id is not None and not utterance.suggested)
        or utterance.id in decided
        or (utterance.start_us, utterance.end_us, utterance.text, utterance.words) not in drafted
    ]


def pieces_outside(pieces: Sequence[RecognizedWord], kept: Sequence[Utterance]) -> list[RecognizedWord]:
    """Return the pieces whose middle lies in no utterance that is kept."""
    spans = merge_spans((utterance.start_us, utterance.end_us) for utterance in kept)
    starts = [start for start, _ in spans]

    def free(piece: RecognizedWord) -> bool:
        middle = (piece.start_us + piece.end_us) // 2
        at = bisect_right(starts, middle) - 1
        return at < 0 or middle >= spans[at][1]

    return [piece for piece in pieces if free(piece)]


def store_drafts(
    session: Session, recording_id: str, drafts: Sequence[AsrSegment], kept: Sequence[Utterance]
) -> Changes:
    """Put drafts into the transcript as one step; all that is there but what is kept makes room for them."""
    stays = {utterance.id for utterance in kept}
    with session.step(f"Transcribe recording {session.recording(recording_id).number}") as step:
        for utterance in utterances_of(session.study, recording_id):
            if utterance.id not in stays:
                delete_utterance(session.study, utterance.id)
        insert_utterances(
            session.study,
            [
                Utterance(
                    new_id(), recording_id, draft.start_us, draft.end_us, draft.text, words=draft.words, checked=False
                )
                for draft in drafts
            ],
        )
    return step.changes


UNSPACED_LANGUAGES = frozenset({"zh", "ja", "th", "lo", "my", "yue", "km", "bo"})
"""Languages that are written without blanks between words."""
_MIN_DURATION_US = 100_000
_SENTENCE_MARKS = tuple(".?!…\u3002\uff1f\uff01")
_CLAUSE_MARKS = tuple(",;:—\u3001\uff0c\uff1b\uff1a")
_CLOSING_MARKS = "\"'”\u2019»)]』」"
_ABBREVIATIONS = frozenset({"mr.", "mrs.", "ms.", "dr.", "prof.", "st."})
_CLAUSE_US = 400_000
"""Pause that a comma counts as where a long utterance is cut."""


@dataclass(frozen=True, slots=True)
class CuttingOptions:
    """Where an utterance ends.

    Attributes:
        pause_ms: at a longer pause, always.
        sentence_pause_ms: at the end of a sentence, after this pause.
        sentence_s: at the end of a sentence without a pause, once the utterance is this long.
        longest_s: a longer one is cut at its longest pause or at a comma.
    """

    pause_ms: int = limited_field(700, 100, 10_000, "Pause", "A longer pause ends an utterance.")
    sentence_pause_ms: int = limited_field(200, 0, 10_000, "Sentence pause", "Ends an utterance after a sentence.")
    sentence_s: float = limited_field(3.0, 0.0, 60.0, "Sentence", "A sentence's end ends an utterance of this length.")
    longest_s: float = limited_field(12.0, 1.0, 60.0, "Longest", "Longer utterances are cut.")

    def __post_init__(self) -> None:
        check_limits(self)


def cut_utterances(
    pieces: Sequence[RecognizedWord], language: str, end_us: int, options: CuttingOptions | None = None
) -> list[AsrSegment]:
    """Return utterances with the times of their words, by start.

    Times of pieces that run backwards are put in order; in some languages there may be a cut between any two. Nothing
    lies after `end_us`, the end of the recording.
    """
    options = options or CuttingOptions()
    free = language in UNSPACED_LANGUAGES
    groups: list[list[RecognizedWord]] = []
    for piece in pieces:
        if not piece.text.strip() and not (groups and free):
            continue
        if groups and not ((free or piece.text[:1].isspace()) and _ends_utterance(groups[-1], piece, options)):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    short = [part for group in groups for part in _split_long_group(group, free, round(options.longest_s * SECOND_US))]
    found: list[AsrSegment] = []
    for group in short:
        made = _utterance(group, found[-1].end_us if found else 0, end_us)
        if made is not None:
            found.append(made)
    return found


def _ends_utterance(group: Sequence[RecognizedWord], following: RecognizedWord, options: CuttingOptions) -> bool:
    pause = following.start_us - group[-1].end_us
    if pause >= options.pause_ms * 1000:
        return True
    long = group[-1].end_us - group[0].start_us >= options.sentence_s * SECOND_US
    return _ends_sentence(group[-1].text) and (pause >= options.sentence_pause_ms * 1000 or long)


def _ends_sentence(text: str) -> bool:
    word = text.strip().rstrip(_CLOSING_MARKS)
    return word.endswith(_SENTENCE_MARKS) and word.casefold() not in _ABBREVIATIONS


def _split_long_group(group: list[RecognizedWord], free: bool, longest_us: int) -> list[list[RecognizedWord]]:
    """Cut a group in two, at the best place away from its ends, until no part is too long or none can be cut."""
    begin, end = group[0].start_us, group[-1].end_us
    if end - begin <= longest_us:
        return [group]
    places = [
        (_cut_score(before, after, begin, end), at)
        for at, (before, after) in enumerate(pairwise(group), 1)
        if free or after.text[:1].isspace()
    ]
    if not places:
        return [group]
    _, at = max(places, key=lambda pair: (pair[0], -abs(len(group) - 2 * pair[1])))
    return [part for half in (group[:at], group[at:]) for part in _split_long_group(half, free, longest_us)]


def _cut_score(before: RecognizedWord, after: RecognizedWord, begin_us: int, end_us: int) -> int:
    """Return how good a cut is: the pause there, more after a comma, and none near the ends of the group."""
    pause = max(0, after.start_us - before.end_us)
    word = before.text.rstrip(_CLOSING_MARKS)
    pause += 2 * _CLAUSE_US * word.endswith(_SENTENCE_MARKS) or _CLAUSE_US * word.endswith(_CLAUSE_MARKS)
    share = (before.end_us - begin_us) / (end_us - begin_us)
    return pause if 0.15 <= share <= 0.85 else pause - SECOND_US


def _utterance(group: Sequence[RecognizedWord], after_us: int, end_us: int) -> AsrSegment | None:
    words: list[Word] = []
    for piece in group:
        joins = bool(words) and not piece.text[:1].isspace()
        for at, token in enumerate(piece.text.split()):
            if at == 0 and joins:
                last = words[-1]
                sure = min(last.confidence or 0.0, piece.confidence)
                words[-1] = Word(last.text + token, last.start_us, max(last.end_us, piece.end_us), sure)
            else:
                words.append(Word(token, piece.start_us, piece.end_us, piece.confidence))
    start = max(after_us, group[0].start_us)
    end = min(end_us, max(start + _MIN_DURATION_US, group[-1].end_us))
    text = " ".join(word.text for word in words)
    return AsrSegment(start, end, text, clamp_words(words, text, start, end)) if words and end > start else None


VOCABULARY_PROPERTY = "vocabulary"
MAX_VOCABULARY_CHARS = 600
"""Characters; a model is told no more than about 220 pieces of words."""


def read_vocabulary(session: Session) -> str:
    """Return the study's vocabulary as it was typed, in one line; "" where there is none."""
    found = session.study.get_property(VOCABULARY_PROPERTY)
    return " ".join(found.split())[:MAX_VOCABULARY_CHARS] if isinstance(found, str) else ""


def set_vocabulary(session: Session, text: str) -> Changes:
    """Keep words for recognition, such as `Greenroom, Ada Lovelace Centre`; "" forgets them."""
    words = " ".join(text.split())
    if len(words) > MAX_VOCABULARY_CHARS:
        raise UserError(
            f"The vocabulary has {len(words)} characters; the limit is {MAX_VOCABULARY_CHARS}.",
            "Leave out common words.",
        )
    if words == read_vocabulary(session):
        return Changes()
    with session.step("Set vocabulary") as step:
        session.study.set_property(VOCABULARY_PROPERTY, words)
    return step.changes
