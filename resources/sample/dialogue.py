"""The fictional dialogue of the sample recording, and its social moments."""

from dataclasses import dataclass
from typing import Literal

Speaker = Literal["user", "robot"]


@dataclass(frozen=True)
class DialogueLine:
    """One thing that is said.

    Attributes:
        key: Name by which shots and moments refer to the line.
        speaker: Who says it.
        text: The words.
        gap_s: Seconds of silence before it; below zero it starts while the previous line is still going.
    """

    key: str
    speaker: Speaker
    text: str
    gap_s: float


@dataclass(frozen=True)
class SampleAnnotation:
    """A stretch of the conversation that an annotator would mark.

    Attributes:
        first: Key of the line it starts with.
        last: Key of the line it ends with.
        verdict: What an annotator would call it.
        attributes: Keys of the SHREC attributes it touches.
        rationale: Why.
        correction: What would have been better; empty for a competence.
    """

    first: str
    last: str
    verdict: Literal["error", "competence"]
    attributes: tuple[str, ...]
    rationale: str
    correction: str


LINES = (
    DialogueLine("greeting", "robot", "Good morning. How was your training today?", 0.5),
    DialogueLine("story", "user", "It was long. And in the last run, I felt a little bit", 0.5),
    DialogueLine("interruption", "robot", "Great! Let us start the next exercise.", -0.55),
    DialogueLine("protest", "user", "Wait. I was not finished.", 0.55),
    DialogueLine("apology", "robot", "Oh. I am sorry.", 0.6),
    DialogueLine("question", "robot", "I interrupted you. How do you feel now?", 0.35),
    DialogueLine("answer", "user", "Tired. But thank you for asking.", 0.6),
    DialogueLine("offer", "robot", "Then let us take a short break first.", 0.5),
)

MOMENTS = (
    SampleAnnotation(
        "interruption",
        "interruption",
        "error",
        ("emotions", "conversation"),
        "The robot speaks over the user while she is telling how she felt, and passes over it.",
        "Let her finish, and answer what she said before moving on.",
    ),
    SampleAnnotation(
        "apology",
        "question",
        "competence",
        ("emotions", "conversation", "norms"),
        "The robot owns up to the interruption, apologises and asks how she feels.",
        "",
    ),
)
