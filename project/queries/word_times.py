"""How the times of words are kept in a column."""

import json

from project.json_text import to_json
from project.transcript import Word, Words


def words_json(words: Words) -> str:
    """Write words as a study keeps them: a list of [text, start, end, confidence]."""
    return to_json([[one.text, one.start_us, one.end_us, one.confidence] for one in words])


def words_from_json(text: str) -> Words:
    """Read what `words_json` wrote; none where it is not understood, since other programs may write to a study too."""
    if text == "[]":
        return ()
    try:
        return tuple(Word(str(word), int(start), int(end), sure) for word, start, end, sure in json.loads(text))
    except (ValueError, TypeError):
        return ()
