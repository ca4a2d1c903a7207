"""From what a model wrote to an answer: read, mended by itself, coerced by a second model, or said to be no answer."""

from models.judges.ladder.climbing import climb
from models.judges.ladder.completion import Completer, Completion, Shape, Unanswered

__all__ = ["Completer", "Completion", "Shape", "Unanswered", "climb"]
