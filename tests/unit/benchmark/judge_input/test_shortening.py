"""What is left out of a conversation that is too long, and that it is said."""

from hypothesis import given
from hypothesis import strategies as st

from benchmark.judge_input.conversation_lines import MAX_TURN_CHARS, SHORTENING_RULES, PromptTurn, shorten_turns

words = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=60)
long_words = st.integers(900, 4000).map(lambda size: "w" * size)
turns = st.lists(st.tuples(st.booleans(), st.one_of(words, long_words)), max_size=40)


def lines_of(said: list[tuple[bool, str]]) -> list[PromptTurn]:
    """Return turns, those before the segment first."""
    ordered = sorted(said, key=lambda pair: not pair[0])
    return [PromptTurn(f"{at}.0 s  User: ", text, before) for at, (before, text) in enumerate(ordered)]


def size(lines: list[PromptTurn]) -> int:
    return sum(line.size for line in lines)


@given(turns, st.integers(200, 20_000))
def test_what_fits_stays_and_what_does_not_is_told(said: list[tuple[bool, str]], longest: int) -> None:
    lines = lines_of(said)
    kept, done = shorten_turns(lines, longest)
    if size(lines) <= longest:
        assert (kept, done) == (lines, ())
        return
    assert [shortened.rule for shortened in done] == [
        rule for rule in SHORTENING_RULES if rule in {each.rule for each in done}
    ]
    turns_left = [prompt_turn for prompt_turn in kept if prompt_turn.head]
    notes = [prompt_turn for prompt_turn in kept if not prompt_turn.head]
    assert size(turns_left) <= max(longest, MAX_TURN_CHARS + 40)
    gone = sum(shortened.count for shortened in done if shortened.rule != "long")
    assert len(turns_left) + gone == len(lines)
    assert len(notes) == sum(shortened.rule != "long" for shortened in done)
    # Order stays, and the last turn of the segment always does.
    heads = [prompt_turn.head for prompt_turn in turns_left]
    assert heads == [line.head for line in lines if line.head in heads]
    if not lines[-1].precedes_segment:
        assert heads[-1] == lines[-1].head
    if any(shortened.rule in ("long", "middle") for shortened in done):
        assert not any(prompt_turn.precedes_segment for prompt_turn in turns_left)


def test_the_rules_in_order() -> None:
    before = [PromptTurn("-9 s ", "x" * 90, True), PromptTurn("-5 s ", "y" * 90, True)]
    inside = [PromptTurn(f"{at} s ", "z" * 90, False) for at in range(9)]
    kept, done = shorten_turns([*before, *inside], 11 * 96 - 10)
    assert [prompt_turn.text for prompt_turn in kept[:2]] == ["(1 turn left out here)", "y" * 90]
    assert [(shortened.rule, shortened.count, shortened.characters) for shortened in done] == [("before", 1, 96)]
    kept, done = shorten_turns([*before, *inside], 5 * 96)
    assert [prompt_turn.head for prompt_turn in kept] == ["", "0 s ", "1 s ", "", "6 s ", "7 s ", "8 s "]
    assert [(shortened.rule, shortened.count) for shortened in done] == [("before", 2), ("middle", 4)]
    (cut,), done = shorten_turns([PromptTurn("0 s ", "a" * 600 + "b" * 1400, False)], 1500)
    assert cut.text == "a" * 498 + " […] " + "b" * 498
    assert [(shortened.rule, shortened.count) for shortened in done] == [("long", 1)]
