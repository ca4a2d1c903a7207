"""What the transcript shows of one utterance."""

from dataclasses import dataclass

from project.transcript import Words, estimated
from project.types import Utterance


@dataclass(frozen=True, slots=True)
class Chip:
    """A cue as a line shows it: at which word it begins (-1 before the first), and whether nobody accepted it yet."""

    word: int
    text: str
    pale: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """An utterance and who says it.

    Attributes:
        said: the utterance.
        speaker: pseudonym, or what a voice is called that is no participant's yet; "" while nobody knows.
        colour: of the speaker, `#rrggbb`; "" while nobody knows.
        flag: why somebody should look at it, in a few words; "" where there is no reason.
        cues: inside it, by place.
    """

    said: Utterance
    speaker: str = ""
    colour: str = ""
    flag: str = ""
    cues: tuple[Chip, ...] = ()

    @property
    def timed(self) -> Words:
        """The words with their times; guessed from their length where nobody measured them."""
        said = self.said
        return said.words or estimated(said.text, said.start_us, said.end_us)

    def word_at(self, time_us: int) -> int:
        """Return the index of the word that is spoken at a time; -1 before the first and outside the utterance."""
        if not self.said.start_us <= time_us < self.said.end_us:
            return -1
        found = -1
        for index, word in enumerate(self.timed):
            if word.start_us > time_us:
                break
            found = index
        return found

    def doubtful(self, below: float) -> frozenset[int]:
        """Return the indices of words that a model heard with less confidence than `below`, and nobody checked."""
        if self.said.checked:
            return frozenset()
        sure = (one.confidence for one in self.said.words)
        return frozenset(index for index, one in enumerate(sure) if one is not None and one < below)
