"""Splitting, merging and moving utterances loses no word and no text."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from annotate.transcript import utterance_text as edits
from project.entities.study_records import Utterance
from project.entities.transcript import Word, split_words

_WORD = st.text("abcÄß漢,.'-7", min_size=1, max_size=6)


@st.composite
def utterances(draw: st.DrawFn, timed: bool | None = None) -> Utterance:
    parts = draw(st.lists(_WORD, min_size=2, max_size=8))
    start = draw(st.integers(0, 10_000_000))
    length = draw(st.integers(edits.MIN_DURATION_US, 5_000_000))
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


@given(utterances(), st.integers(0, 15_000_000))
def test_a_cut_at_a_time_leaves_each_word_where_its_middle_is(utterance: Utterance, at_us: int) -> None:
    assume(utterance.words)
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


@given(utterances(), st.integers(0, 15_000_000), st.integers(edits.MIN_DURATION_US, 5_000_000))
def test_another_span_keeps_every_word_inside(utterance: Utterance, start: int, length: int) -> None:
    made = edits.with_span(utterance, start, start + length)
    _whole(made)
    assert made.text == utterance.text
    assert len(made.words) == len(utterance.words)
    for old, new in zip(utterance.words, made.words, strict=True):
        if start <= old.start_us and old.end_us <= start + length and length != utterance.end_us - utterance.start_us:
            assert new.confidence == old.confidence
            assert start <= new.start_us <= new.end_us <= start + length


@given(utterances(timed=True), st.integers(0, 1_000_000))
def test_moved_as_a_whole_the_words_go_along(utterance: Utterance, by: int) -> None:
    made = edits.with_span(utterance, utterance.start_us + by, utterance.end_us + by)
    assert [word.start_us - by for word in made.words] == [word.start_us for word in utterance.words]


def test_words_left_outside_share_the_room_up_to_the_next_word() -> None:
    words = (Word("a", 0, 100_000, 0.9), Word("b", 100_000, 200_000, 0.9), Word("c", 200_000, 400_000, 0.9))
    utterance = Utterance("a", "r", 0, 400_000, "a b c", None, words)
    made = edits.with_span(utterance, 200_000, 400_000)
    assert all(word.end_us - word.start_us > 60_000 for word in made.words)
    assert made.words[2].end_us == 400_000


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


def test_a_cut_text_keeps_its_lines() -> None:
    utterance = Utterance("a", "r", 0, 4_000_000, "one\ntwo  three four")
    first, second = edits.split_at_word(utterance, 3, "b", 3_000_000)
    assert (first.text, second.text) == ("one\ntwo  three", "four")
    assert (first.end_us, second.start_us) == (3_000_000, 3_000_000)
