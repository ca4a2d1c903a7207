"""What a set of questions is like, as judges see it (ESI-Bench, section 4 and table 3)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmark.agreement.figure import Figure
from benchmark.questions.scoring import mean_of, share_of

BIAS, ACCURACY = "inherent_bias", "accuracy"
SCORES = {"relevance": "relevance", "separability": "separability", "difficulty": "difficulty", "correctness": "truth"}
"""Figure -> the task whose mean score it is."""
TASKS = {BIAS: "options_only", **SCORES, ACCURACY: "answer"}
"""Figure -> the task that it rests on, in the order of the paper."""
NAMES = {
    BIAS: "Inherent bias: right by the options alone",
    "relevance": "Relevance of question and answer, 1 to 3",
    "separability": "Separability of the options, 1 to 3",
    "difficulty": "Difficulty, 0 to 3",
    "correctness": "Correctness of the right option, 0 to 2",
    ACCURACY: "Accuracy",
}
_NOBODY = "No judge was asked this."


@dataclass(frozen=True, slots=True)
class Said:
    """What one judge said about one question in one task.

    Attributes:
        value: 1 or 0 for a right or a wrong answer, else the score.
    """

    recording_id: str
    value: float


def diagnostics(said: Mapping[str, Iterable[Said]], samples: int = 1000, seed: int = 0) -> dict[str, Figure]:
    """Return the six figures of a set of questions; each judge's word about each question counts once.

    Args:
        said: task -> what was said.
        samples: of the bootstrap over recordings.
        seed: of the bootstrap.
    """
    found = {}
    for name, task in TASKS.items():
        values = [*said.get(task, ())]
        if name in SCORES:
            found[name] = mean_of(((one.recording_id, one.value) for one in values), _NOBODY, samples, seed)
        else:
            found[name] = share_of(((one.recording_id, one.value, 1.0) for one in values), _NOBODY, samples, seed)
    return found
