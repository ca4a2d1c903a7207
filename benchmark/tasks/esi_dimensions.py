"""The five dimensions of ESI-Bench in words of our own, and ways to ask about each."""

from dataclasses import dataclass

PASSES, EACH = 2, 10
"""Rounds of questions about a recording, and questions of a round at most (ESI-Bench, appendix A.1.3)."""
OPTIONS = 4


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension.

    Attributes:
        meaning: what a question of it is about.
        ways: how such a question can be put, in general terms; each is asked for once in every four questions.
    """

    key: str
    name: str
    meaning: str
    ways: tuple[str, ...]


DIMENSIONS = {
    one.key: one
    for one in (
        Dimension(
            "IFA",
            "Intention and function of an action",
            "What a movement is for when people deal with each other: to stress something, hand over the word, show a "
            "feeling or make things clear; and the aim or situation behind it.",
            (
                "What does somebody want to reach with something they do at a stated time?",
                "What purpose does a gesture, a glance or an object serve in what is going on?",
                "What moves somebody to do a thing just then, and not earlier or later?",
                "What would somebody's action have changed for the others, had it been noticed or answered?",
            ),
        ),
        Dimension(
            "BRI",
            "Behaviour, reaction and intention",
            "Why somebody behaves or reacts in a certain way: what set it off, and what they mean by it.",
            (
                "Why does somebody react to what another has just said or done in the way they do?",
                "What has to have happened before for this reaction to make sense?",
                "What does somebody's reaction show about what they expected?",
                "How do two people react differently to the same thing, and why?",
            ),
        ),
        Dimension(
            "EBR",
            "Emotion and behavioural response",
            "What somebody feels or thinks of something, and how that comes out in what they do or how they speak.",
            (
                "How does somebody feel when a certain thing happens, and by what is it seen?",
                "How does somebody's mood change between two stated moments, and what changes it?",
                "Which attitude towards a person or a topic shows in how somebody speaks?",
                "How does somebody act on a feeling that they do not put into words?",
            ),
        ),
        Dimension(
            "EBA",
            "Analysis of emotion and behaviour",
            "What faces, posture, voices and words say together, also where they contradict each other, and what goes "
            "on in and between the people meanwhile.",
            (
                "What do face and posture of somebody say at a stated time that their words do not?",
                "Which feeling is to be read from several small signs together?",
                "How does somebody's voice or way of moving fit, or not fit, what they say?",
                "Which sign shows that somebody only pretends, hides or plays down a feeling?",
            ),
        ),
        Dimension(
            "IDC",
            "Dynamics and context of an interaction",
            "How people deal with each other over time: closeness, roles, who leads, and what setting and history do.",
            (
                "What does the way in which two people deal with each other say about how they stand to each other?",
                "How does the balance between the people change in the course of the recording?",
                "Which unspoken rule of the setting does somebody follow or break?",
                "What would most likely come next between them, judging by all that came before?",
            ),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class EsiPart:
    """One question of the series about a recording.

    Attributes:
        number: in its round, from 1.
        dimension: key of `DIMENSIONS`.
    """

    round: int
    number: int
    dimension: str

    @property
    def part(self) -> str:
        """Write it as the part of a recording that is asked about, `PASS:NUMBER:DIMENSION`."""
        return f"{self.round}:{self.number}:{self.dimension}"

    @property
    def way(self) -> str:
        """Return how this question is to be put: another way for every question of a dimension in two rounds of ten."""
        ways = DIMENSIONS[self.dimension].ways
        asked = (self.round - 1) * (EACH // len(DIMENSIONS)) + (self.number - 1) // len(DIMENSIONS)
        return ways[asked % len(ways)]


def esi_parts(rounds: int = PASSES, each: int = EACH) -> list[EsiPart]:
    """Return the questions of some rounds, the dimensions in turn."""
    keys = [*DIMENSIONS]
    return [
        EsiPart(one, number, keys[(number - 1) % len(keys)])
        for one in range(1, rounds + 1)
        for number in range(1, each + 1)
    ]


def esi_part_from(text: str) -> EsiPart | None:
    """Read what `EsiPart.part` wrote; None for anything else."""
    one, _, rest = text.partition(":")
    number, _, dimension = rest.partition(":")
    if not (one.isascii() and one.isdigit() and number.isascii() and number.isdigit()) or dimension not in DIMENSIONS:
        return None
    found = EsiPart(int(one), int(number), dimension)
    return found if found.round >= 1 and found.number >= 1 and found.part == text else None
