"""Making utterances of words, splitting, merging and moving them loses no word and no text."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from annotate.study.recording_edits import MIN_SPAN_US
from annotate.transcript import utterance_text as edits
from annotate.transcript.utterance_drafts import CuttingOptions, cut_utterances
from models.speech.speech_recognizers import RecognizedWord
from project.entities.study_records import Utterance
from project.entities.transcript import Word, split_words
from project.timebase import SECOND_US

_WORD = st.text("abcÄß漢,.'-7", min_size=1, max_size=6)


@st.composite
def utterances(draw: st.DrawFn, timed: bool | None = None) -> Utterance:
    parts = draw(st.lists(_WORD, min_size=2, max_size=8))
    start = draw(st.integers(0, 10_000_000))
    length = draw(st.integers(MIN_SPAN_US, 5_000_000))
    words: tuple[Word, ...] = ()
    if draw(st.booleans()) if timed is None else timed:
        count = 2 * len(parts)
        at = sorted(draw(st.lists(st.integers(start, start + length), min_size=count, max_size=count)))
        words = tuple(Word(part, at[2 * i], at[2 * i + 1], 0.5) for i, part in enumerate(parts))
    return Utterance("a", "r", start, start + length, " ".join(parts), "p", words)


def _whole(utterance: Utterance) -> None:
    """What every utterance keeps to (`project.entities.transcript.Words`)."""
    assert utterance.start_us < utterance.end_us
    if utterance.words:
        assert [word.text for word in utterance.words] == split_words(utterance.text)
        times = [time for word in utterance.words for time in (word.start_us, word.end_us)]
        assert times == sorted(times)
        assert utterance.start_us <= times[0]
        assert times[-1] <= utterance.end_us


@given(utterances(), st.data())
def test_a_split_taken_back_by_a_merge_gives_the_utterance_again(utterance: Utterance, data: st.DataObject) -> None:
    index = data.draw(st.integers(1, len(split_words(utterance.text)) - 1))
    first, second = edits.split_at_word(utterance, index, "b")
    _whole(first)
    _whole(second)
    assert len(split_words(first.text)) == index
    assert first.words + second.words == utterance.words
    assert edits.join_utterances([second, first]) == utterance


@given(utterances(timed=True), st.integers(0, 15_000_000))
def test_a_cut_at_a_time_leaves_each_word_where_its_middle_is(utterance: Utterance, at_us: int) -> None:
    index = edits.cut_index(utterance, at_us)
    middles = [(word.start_us + word.end_us) // 2 for word in utterance.words]
    assert all(middle < at_us for middle in middles[:index])
    assert all(middle >= at_us for middle in middles[index:])


@given(utterances(), utterances())
def test_a_merge_keeps_every_word_and_covers_both(utterance: Utterance, other: Utterance) -> None:
    other = replace(other, id="b")
    made = edits.join_utterances([utterance, other])
    _whole(made)
    assert sorted(split_words(made.text)) == sorted(split_words(utterance.text) + split_words(other.text))
    assert (made.start_us, made.end_us) == (
        min(utterance.start_us, other.start_us),
        max(utterance.end_us, other.end_us),
    )
    assert bool(made.words) == bool(utterance.words or other.words)


@given(utterances(), st.integers(0, 15_000_000), st.integers(MIN_SPAN_US, 5_000_000))
def test_another_span_keeps_every_word_inside(utterance: Utterance, start: int, length: int) -> None:
    made = edits.with_span(utterance, start, start + length)
    _whole(made)
    assert made.text == utterance.text
    assert len(made.words) == len(utterance.words)
    for old, new in zip(utterance.words, made.words, strict=True):
        if start <= old.start_us and old.end_us <= start + length and length != utterance.end_us - utterance.start_us:
            assert new.confidence == old.confidence
            assert start <= new.start_us <= new.end_us <= start + length
    moved = edits.with_span(utterance, utterance.start_us + start, utterance.end_us + start)
    if utterance.words:
        assert [word.start_us - start for word in moved.words] == [word.start_us for word in utterance.words]


@given(utterances(), st.lists(_WORD, max_size=8))
def test_an_edited_text_has_the_times_of_the_words_that_stay(utterance: Utterance, parts: list[str]) -> None:
    made = edits.with_text(utterance, " ".join(parts))
    _whole(made)
    assert made.text == " ".join(parts)


def test_a_guess_stays_one_only_where_nobody_said_so() -> None:
    guess = Utterance("a", "r", 0, 1_000_000, "a", "p", (), False, True)
    said = Utterance("b", "r", 1_000_000, 2_000_000, "b", "p", (), True, False)
    assert edits.join_utterances([guess, replace(said, suggested=True)]).suggested
    made = edits.join_utterances([guess, said])
    assert not made.suggested
    assert not made.checked
    assert edits.join_utterances([replace(guess, participant_id=None), said]).participant_id == "p"


TEXTS = st.sampled_from([" one", " two,", " three.", " four?", "-five", " Mr.", "'s", " …"])
PIECES = st.lists(st.tuples(TEXTS, st.integers(0, 2_000_000), st.integers(0, 1_500_000)), max_size=40)
END_US = 200 * SECOND_US


def pieces_of(rows: list[tuple[str, int, int]]) -> list[RecognizedWord]:
    found, at = [], 0
    for text, gap, length in rows:
        found.append(RecognizedWord(text, at + gap, at + gap + length, 0.5))
        at += gap + length
    return found


def said(text: str, seconds: float = 0.3, pause: float = 0.05) -> list[RecognizedWord]:
    """Make words that last as long each, with a pause after each; `|` is a pause of a second."""
    found, at = [], 0.0
    for word in text.split():
        if word == "|":
            at += 1
            continue
        found.append(RecognizedWord(f" {word}", round(at * SECOND_US), round((at + seconds) * SECOND_US), 0.9))
        at += seconds + pause
    return found


@given(PIECES, st.sampled_from(["en", "ja"]), st.floats(1, 12))
def test_no_word_is_lost_and_utterances_are_in_order(
    rows: list[tuple[str, int, int]], language: str, longest: float
) -> None:
    pieces = pieces_of(rows)
    found = cut_utterances(pieces, language, END_US, CuttingOptions(longest_s=longest))
    text = "".join(piece.text for piece in pieces)
    assert "".join(segment.text for segment in found).replace(" ", "") == text.replace(" ", "")
    for before, after in pairwise(found):
        assert before.end_us <= after.start_us
    for segment in found:
        assert 0 <= segment.start_us < segment.end_us <= END_US
        assert [word.text for word in segment.words] == split_words(segment.text)
        assert all(segment.start_us <= word.start_us <= word.end_us <= segment.end_us for word in segment.words)
        assert all(before.end_us <= after.start_us for before, after in pairwise(segment.words))
        if language == "en":
            assert segment.end_us - segment.start_us <= longest * SECOND_US + 1 or len(segment.words) == 1


def test_a_pause_ends_an_utterance_and_so_does_a_sentence_that_is_long_enough() -> None:
    first = said("so what did you | think of it")
    assert [utterance.text for utterance in cut_utterances(first, "en", END_US)] == ["so what did you", "think of it"]
    second = said("It was a long and tiring day for us. Then we went home.")
    assert [utterance.text for utterance in cut_utterances(second, "en", END_US)] == [
        "It was a long and tiring day for us.",
        "Then we went home.",
    ]
    for whole in ("Yes. Yes. I know.", "Good morning and a very warm welcome to Dr. Brown from us all"):
        assert [utterance.text for utterance in cut_utterances(said(whole), "en", END_US)] == [whole]


def test_a_long_utterance_is_cut_at_a_comma_near_its_middle() -> None:
    words = said("we went down to the river in the morning and sat there, then the rain came and we all ran back home")
    found = cut_utterances(words, "en", END_US, CuttingOptions(longest_s=5))
    assert [segment.text.split()[-1] for segment in found] == ["there,", "home"]


def test_languages_without_blanks_are_cut_between_any_two_words() -> None:
    pieces = [
        RecognizedWord(text, at * SECOND_US, at * SECOND_US + 900_000, 0.8)
        for at, text in enumerate("私は元気です今日は")
    ]
    found = cut_utterances(pieces, "ja", END_US, CuttingOptions(longest_s=4))
    assert "".join(segment.text for segment in found) == "私は元気です今日は"
    assert len(found) >= 3
    assert all(len(segment.words) == 1 for segment in found)


def test_words_of_several_pieces_are_as_sure_as_the_least_sure() -> None:
    (found,) = cut_utterances(
        [RecognizedWord(" twenty", 0, 10, 0.9), RecognizedWord("-five", 10, 200_000, 0.4)], "en", END_US
    )
    assert [(word.text, word.end_us, word.confidence) for word in found.words] == [("twenty-five", 200_000, 0.4)]


def test_words_after_the_end_of_the_recording_are_cut_there_or_left_out() -> None:
    pieces = [
        RecognizedWord(" in", 0, 900_000, 1.0),
        RecognizedWord(" time", 900_000, 3_000_000, 1.0),
        RecognizedWord(" late", 9_000_000, 9_500_000, 1.0),
    ]
    (found,) = cut_utterances(pieces, "en", 2 * SECOND_US)
    assert (found.text, found.end_us) == ("in time", 2 * SECOND_US)
