"""Utterances from words: readable, in order, and not a word lost."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from annotate.transcript.utterance_drafts import CuttingOptions, cut_utterances
from models.speech.speech_recognizers import RecognizedWord
from project.entities.transcript import split_words
from project.timebase import SECOND_US

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
    assert "".join(asr_segment.text for asr_segment in found).replace(" ", "") == text.replace(" ", "")
    for before, after in pairwise(found):
        assert before.end_us <= after.start_us
    for asr_segment in found:
        assert 0 <= asr_segment.start_us < asr_segment.end_us <= END_US
        assert [word.text for word in asr_segment.words] == split_words(asr_segment.text)
        assert all(
            asr_segment.start_us <= word.start_us <= word.end_us <= asr_segment.end_us for word in asr_segment.words
        )
        assert all(before.end_us <= after.start_us for before, after in pairwise(asr_segment.words))


@given(PIECES, st.floats(1, 12))
def test_no_utterance_is_too_long_unless_a_single_word_is(rows: list[tuple[str, int, int]], longest: float) -> None:
    words = [RecognizedWord(f" {piece.text.strip()}", piece.start_us, piece.end_us, 0.5) for piece in pieces_of(rows)]
    for utterance in cut_utterances(words, "en", END_US, CuttingOptions(longest_s=longest)):
        assert utterance.end_us - utterance.start_us <= longest * SECOND_US + 1 or len(utterance.words) == 1


def test_a_pause_ends_an_utterance_and_so_does_a_sentence_that_is_long_enough() -> None:
    first = said("so what did you | think of it")
    assert [utterance.text for utterance in cut_utterances(first, "en", END_US)] == ["so what did you", "think of it"]
    second = said("It was a long and tiring day for us. Then we went home.")
    assert [utterance.text for utterance in cut_utterances(second, "en", END_US)] == [
        "It was a long and tiring day for us.",
        "Then we went home.",
    ]
    short = said("Yes. Yes. I know.")
    assert [utterance.text for utterance in cut_utterances(short, "en", END_US)] == ["Yes. Yes. I know."]


def test_an_abbreviation_ends_no_sentence() -> None:
    spoken = said("Good morning and a very warm welcome to Dr. Brown from us all")
    assert len(cut_utterances(spoken, "en", END_US)) == 1


def test_a_long_utterance_is_cut_at_a_comma_near_its_middle() -> None:
    words = said("we went down to the river in the morning and sat there, then the rain came and we all ran back home")
    found = cut_utterances(words, "en", END_US, CuttingOptions(longest_s=5))
    assert [asr_segment.text.split()[-1] for asr_segment in found] == ["there,", "home"]


def test_languages_without_blanks_are_cut_between_any_two_words() -> None:
    pieces = [
        RecognizedWord(text, at * SECOND_US, at * SECOND_US + 900_000, 0.8)
        for at, text in enumerate("私は元気です今日は")
    ]
    found = cut_utterances(pieces, "ja", END_US, CuttingOptions(longest_s=4))
    assert "".join(asr_segment.text for asr_segment in found) == "私は元気です今日は"
    assert len(found) >= 3
    assert all(len(asr_segment.words) == 1 for asr_segment in found)


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
