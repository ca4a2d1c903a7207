"""Text, spans and word times of an utterance under an edit, and searching its words; nothing is written here."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from annotate.study.recording_edits import MIN_SPAN_US
from project.entities.study_records import Utterance
from project.entities.transcript import Word, Words, clamp_words, estimate_word_times, realign_words, split_words
from project.errors import UserError

_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)|[+*]|\{\d*,\}")
"""Groups and repeats of a pattern; escaped characters and sets are skipped."""


@dataclass(frozen=True, slots=True)
class WordSearch:
    """A text or pattern to look for.

    Attributes:
        text: what to look for; nothing is found where it is empty.
        match_case: whether capital letters matter.
        whole_words: whether letters around a place keep it from being found.
        regex: whether `text` is a regular expression, as Python's module `re` reads it.
    """

    text: str
    match_case: bool = False
    whole_words: bool = False
    regex: bool = False
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.regex and _may_backtrack(self.text):
            raise UserError(
                f"“{self.text}” repeats a group that contains a repetition, which can take too long.",
                "Write one of the two repetitions out.",
            )
        source = self.text if self.regex else re.escape(self.text)
        if self.whole_words:
            source = rf"(?<!\w)(?:{source})(?!\w)"
        try:
            pattern = re.compile(source, 0 if self.match_case else re.IGNORECASE)
        except re.error as error:
            raise UserError(
                f"“{self.text}” is not a regular expression: {error}.", "Correct it, or search for plain text."
            ) from None
        object.__setattr__(self, "_pattern", pattern)

    def find_spans(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each place in a text; empty ones count as none."""
        if not self.text:
            return []
        return [found.span() for found in self._pattern.finditer(text) if found.group()]

    def replace_all(self, text: str, replacement: str) -> tuple[str, int]:
        r"""Return a text with each place replaced, and how many there were.

        In a regular expression's replacement, `\1` stands for its first group.
        """
        made, at, count = [], 0, 0
        for found in self._pattern.finditer(text) if self.text else ():
            if not found.group():
                continue
            made += [text[at : found.start()], self._expand_replacement(found, replacement)]
            at = found.end()
            count += 1
        return "".join([*made, text[at:]]), count

    def replace_at(self, text: str, replacement: str, start: int) -> str:
        """Return a text with only the place replaced that begins at a character; as it is where there is none."""
        found = next(
            (match for match in self._pattern.finditer(text) if match.group() and match.start() == start),
            None,
        )
        if found is None:
            return text
        return text[:start] + self._expand_replacement(found, replacement) + text[found.end() :]

    def _expand_replacement(self, found: re.Match[str], replacement: str) -> str:
        if not self.regex:
            return replacement
        try:
            return found.expand(replacement)
        except (re.error, IndexError) as error:
            raise UserError(
                f"The replacement does not fit the pattern: {error}.", "Refer only to groups of the pattern."
            ) from None


def _may_backtrack(pattern: str) -> bool:
    """Return whether a group that repeats has a repeat in it: `re` may try more ways to fit it than anybody awaits."""
    inside, closed_at = [False], -1
    for found in _PART.finditer(pattern):
        part = found.group()
        if part == "(":
            inside.append(False)
        elif part == ")" and len(inside) > 1:
            repeats = inside.pop()
            inside[-1] |= repeats
            closed_at = found.end() if repeats else -1
        elif part[0] in "+*{":
            if found.start() == closed_at:
                return True
            inside[-1] = True
    return False


_BLANK_RUNS = re.compile(r"[ \t\u00a0]{2,}")


def with_text(old: Utterance, text: str) -> Utterance:
    """Return an utterance with another text, one blank between words; words that stay keep their times."""
    text = _BLANK_RUNS.sub(" ", text.strip())
    return replace(old, text=text, words=realign_words(old.words, text, old.start_us, old.end_us))


def cut_index(utterance: Utterance, at_us: int) -> int:
    """Return how many words of an utterance lie before a time, by their middles."""
    timed = utterance.words or estimate_word_times(utterance.text, utterance.start_us, utterance.end_us)
    return sum((word.start_us + word.end_us) // 2 < at_us for word in timed)


def split_at_word(
    utterance: Utterance, index: int, new_id: str, at_us: int | None = None
) -> tuple[Utterance, Utterance]:
    """Return an utterance cut before its word `index`, which is neither the first nor past the last.

    Each half reaches to its own words where these were measured, so that joining the halves gives the utterance back.
    Else the cut is at `at_us`, or where the length of the text puts it.
    """
    parts = split_words(utterance.text)
    first, second = utterance.words[:index], utterance.words[index:]
    if utterance.words:
        end, start = first[-1].end_us, second[0].start_us
    else:
        timed = estimate_word_times(utterance.text, utterance.start_us, utterance.end_us)
        end = start = timed[index].start_us if at_us is None else at_us
    end = min(max(end, utterance.start_us + MIN_SPAN_US), utterance.end_us)
    start = max(min(start, utterance.end_us - MIN_SPAN_US), utterance.start_us)
    head, tail = _cut_text(utterance.text, parts, index)
    return (
        replace(utterance, end_us=end, text=head, words=first),
        replace(utterance, id=new_id, start_us=start, text=tail, words=second),
    )


def join_utterances(those: Sequence[Utterance]) -> Utterance:
    """Return one utterance in place of several of a recording, under the id of the one that begins first.

    Words keep their times; those of an utterance without are spread over it where another has them. The speaker is the
    first that is known; it stays a guess only where all that name the same speaker are guesses.
    """
    ordered = sorted(those, key=lambda utterance: (utterance.start_us, utterance.end_us, utterance.id))
    start, end = ordered[0].start_us, max(utterance.end_us for utterance in ordered)
    text = " ".join(utterance.text for utterance in ordered if utterance.text)
    words: list[Word] = []
    if any(utterance.words for utterance in ordered):
        for utterance in ordered:
            words += utterance.words or estimate_word_times(utterance.text, utterance.start_us, utterance.end_us)
    speaker = next((utterance.participant_id for utterance in ordered if utterance.participant_id is not None), None)
    guesses = [utterance.suggested for utterance in ordered if utterance.participant_id == speaker]
    return replace(
        ordered[0],
        end_us=end,
        text=text,
        participant_id=speaker,
        words=clamp_words(words, text, start, end),
        checked=all(utterance.checked for utterance in ordered),
        suggested=speaker is not None and all(guesses),
    )


def with_span(old: Utterance, start_us: int, end_us: int) -> Utterance:
    """Return an utterance with another start and end.

    Moved as a whole, it takes its words along. Otherwise words stay where they are, and those that would be left
    outside share the room up to the nearest word that is not.
    """
    shift = start_us - old.start_us
    if shift == end_us - old.end_us:
        words = tuple(replace(word, start_us=word.start_us + shift, end_us=word.end_us + shift) for word in old.words)
    else:
        words = _words_within(old.words, start_us, end_us)
    return replace(old, start_us=start_us, end_us=end_us, words=clamp_words(words, old.text, start_us, end_us))


def _cut_text(text: str, parts: Sequence[str], index: int) -> tuple[str, str]:
    """Cut a text before its word `index`; what blanks stand inside the halves stays."""
    at = 0
    for part in parts[:index]:
        at = text.index(part, at) + len(part)
    return text[:at].strip(), text[at:].strip()


def _words_within(words: Words, start_us: int, end_us: int) -> Words:
    kept = [i for i, word in enumerate(words) if word.end_us > start_us and word.start_us < end_us]
    if not kept:
        return _distribute_words(words, start_us, end_us)
    first, last = kept[0], kept[-1] + 1
    made = words
    if first:
        made = (*_distribute_words(made[: first + 1], start_us, min(made[first].end_us, end_us)), *made[first + 1 :])
    if last < len(words):
        made = (*made[: last - 1], *_distribute_words(made[last - 1 :], max(made[last - 1].start_us, start_us), end_us))
    return made


def _distribute_words(words: Words, start_us: int, end_us: int) -> Words:
    spread = estimate_word_times(" ".join(word.text for word in words), start_us, end_us)
    return tuple(replace(word, start_us=at.start_us, end_us=at.end_us) for word, at in zip(words, spread, strict=True))
