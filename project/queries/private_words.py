"""Words that say who somebody is, and those that a person said do not."""

from dataclasses import dataclass

from project.store import Study

WORD = "word"
"""Kind of a word of which nobody said what it is."""


@dataclass(frozen=True, slots=True)
class PrivateWord:
    """A word or phrase that must not leave.

    Attributes:
        replacement: what is written in its place.
        kind: what it is: `person`, `place`, ...; `word` where nobody said.
        participant_id: whose name it is, where it is a participant's.
    """

    word: str
    replacement: str
    kind: str = WORD
    participant_id: str | None = None


def private_words(study: Study) -> list[PrivateWord]:
    """Return every private word, longest first."""
    rows = study.rows(
        "SELECT word, replacement, kind, participant_id FROM private_word ORDER BY length(word) DESC, word"
    )
    return [PrivateWord(*row) for row in rows]


def replacements(study: Study) -> dict[str, str]:
    """Return private word -> what is written in its place, longest first."""
    return {one.word: one.replacement for one in private_words(study)}


def put_private_word(study: Study, new: PrivateWord) -> None:
    """Add a private word, or change the one of the same letters; inside a step."""
    study.write(
        "INSERT INTO private_word (word, replacement, kind, participant_id) VALUES (?, ?, ?, ?) ON CONFLICT (word) "
        "DO UPDATE SET replacement = excluded.replacement, kind = excluded.kind, "
        "participant_id = excluded.participant_id",
        (new.word, new.replacement, new.kind, new.participant_id),
    )


def delete_private_word(study: Study, word: str) -> None:
    """Take a private word back; inside a step."""
    study.write("DELETE FROM private_word WHERE word = ?", (word,))


def public_words(study: Study) -> set[str]:
    """Return the words of which a person said that they are personal nowhere in this study."""
    return {row[0] for row in study.rows("SELECT word FROM public_word")}


def put_public_word(study: Study, word: str) -> None:
    """Say that a word is personal nowhere; inside a step."""
    study.write("INSERT INTO public_word (word) VALUES (?) ON CONFLICT DO NOTHING", (word,))


def delete_public_word(study: Study, word: str) -> None:
    """Take back that a word is personal nowhere; inside a step."""
    study.write("DELETE FROM public_word WHERE word = ?", (word,))
