"""Scores that a judge gives a question: one number, each with its meaning."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.options import ANSWER, OPTIONS, QUESTION, RIGHT, OfQuestions, told_options, told_right
from project.judging import Modality
from project.schemes.scheme import Field, FieldKind

SCORE = "score"
"""Key of the number in an answer."""


class ScoreTask(OfQuestions):
    """A whole number about a question.

    Attributes:
        levels: number -> what it means, all numbers without a gap.
        tells: parts of the question that are told, keys of `PARTS`.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    levels: ClassVar[Mapping[int, str]]
    tells: ClassVar[tuple[str, ...]]

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return the number, with what each can mean."""
        low, high = min(self.levels), max(self.levels)
        meanings = " ".join(f"{number}: {self.levels[number]}" for number in sorted(self.levels, reverse=True))
        field = Field(SCORE, FieldKind.SCALE, self.name, meanings, minimum=low, maximum=high)
        return FormSpec(self.key, (Asked(field, True),))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the parts of the question that are told."""
        assert item.question is not None
        parts = {
            QUESTION: item.question.text,
            ANSWER: item.question.answer,
            OPTIONS: told_options(item),
            RIGHT: told_right(item),
        }
        return {part: parts[part] for part in self.tells}


class ReviewScore(ScoreTask):
    """How good a question of another judge is (ESI-Bench, appendix A.1.3: scored from 1 to 5, and kept above 3)."""

    key: ClassVar[str] = "review_score"
    name: ClassVar[str] = "Quality"
    description: ClassVar[str] = "How good a question is as a whole, from 1 to 5."
    prompt: ClassVar[str] = "review_score"
    tells: ClassVar[tuple[str, ...]] = (QUESTION, OPTIONS, RIGHT)
    levels: ClassVar[Mapping[int, str]] = {
        5: "Clear, about something that matters here, surely answered by what is shown or said, and only by that; the "
        "other options tempt and are wrong.",
        4: "Good, with one small flaw that misleads nobody.",
        3: "It can be used only after a change: partly vague, partly trivial, or with a weak option.",
        2: "It has a serious flaw: the answer is doubtful, several options hold, or most are absurd.",
        1: "It cannot be used: it is not about this recording, or its answer is wrong.",
    }


class Difficulty(ScoreTask):
    """How much has to be put together to answer a question (ESI-Bench, appendix A.1.5, question difficulty)."""

    key: ClassVar[str] = "difficulty"
    name: ClassVar[str] = "Difficulty"
    description: ClassVar[str] = "How many cues have to be put together to answer a question, from 0 to 3."
    prompt: ClassVar[str] = "difficulty"
    tells: ClassVar[tuple[str, ...]] = (QUESTION,)
    levels: ClassVar[Mapping[int, str]] = {
        3: "It takes everything together: cues of several moments or people, seen and heard, and conclusions.",
        2: "It takes two or three separate cues that have to be combined.",
        1: "One place shows or says the answer outright.",
        0: "It has nothing to do with this recording, or general knowledge answers it without.",
    }


class Truth(ScoreTask):
    """Whether the answer that counts as right is right (ESI-Bench, appendix A.1.5, ground truth correctness)."""

    key: ClassVar[str] = "truth"
    name: ClassVar[str] = "Correctness"
    description: ClassVar[str] = "Whether the answer that counts as right is right, from 0 to 2."
    prompt: ClassVar[str] = "truth"
    tells: ClassVar[tuple[str, ...]] = (QUESTION, ANSWER)
    levels: ClassVar[Mapping[int, str]] = {
        2: "Question and answer are about this recording, and the answer is right, whole and exact.",
        1: "Both are about this recording, but the answer misses the question or is not quite right.",
        0: "Anything else: the answer is wrong, or nothing here bears it out.",
    }


class Separability(ScoreTask):
    """Whether the options say different things (ESI-Bench, appendix A.1.5, semantic separability of options)."""

    key: ClassVar[str] = "separability"
    name: ClassVar[str] = "Separability"
    description: ClassVar[str] = "How well the options can be told apart by what they mean, from 1 to 3."
    prompt: ClassVar[str] = "separability"
    shows: ClassVar[Modality] = Modality.NOTHING
    tells: ClassVar[tuple[str, ...]] = (OPTIONS,)
    levels: ClassVar[Mapping[int, str]] = {
        3: "Every option means something else.",
        2: "At least two options come close to each other in what they mean.",
        1: "At least two options mean the same.",
    }


class Relevance(ScoreTask):
    """Whether all options answer what is asked (ESI-Bench, appendix A.1.5, relevance of options to the question)."""

    key: ClassVar[str] = "relevance"
    name: ClassVar[str] = "Relevance"
    description: ClassVar[str] = "How far all options are answers to what is asked, from 1 to 3."
    prompt: ClassVar[str] = "relevance"
    shows: ClassVar[Modality] = Modality.NOTHING
    tells: ClassVar[tuple[str, ...]] = (QUESTION, OPTIONS)
    levels: ClassVar[Mapping[int, str]] = {
        3: "Every option is an answer to just this question, right or wrong.",
        2: "Most are, but one option answers something else.",
        1: "Two or more options do not answer this question.",
    }
