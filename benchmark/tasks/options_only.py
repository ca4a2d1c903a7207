"""The options of a question without all else: whoever finds the right one did not need the recording."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.answer import KEY as ANSWER
from benchmark.tasks.answer import Answer
from benchmark.tasks.base import Item
from benchmark.tasks.form import FormSpec
from benchmark.tasks.options import asked_letter
from project.judging import Modality

KEY = "options_only"


class OptionsOnly(Answer):
    """Which option is right, told from the options alone (ESI-Bench, appendix A.1.5, inherent bias).

    No pictures, no words, not even the question: what is answered right like this gives itself away.
    """

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Options alone"
    description: ClassVar[str] = "Which option is right, from the options alone."
    prompt: ClassVar[str] = KEY
    shows: ClassVar[Modality] = Modality.NOTHING

    def spec(self, item: Item) -> FormSpec:
        """Return one letter."""
        return FormSpec(KEY, (asked_letter(item, ANSWER),))

    def given(self, item: Item) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing."""
        return {}
