"""How likely a statement is if nothing but one explanation is known."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.nli import EXPLANATION_TOLD, STATEMENT_TOLD, OfStatements, statement_of
from project.after import plain_part
from project.judging import Modality
from project.schemes.scheme import Field, FieldKind
from project.types import Json

KEY = "nli_likelihood"
SCORE = "score"
MOST = 10
BEFORE = "answer before"
"""Key of the material: the explanation."""
_AGAINST = "nli_oppose"
_FALSE = "The statement is false: "
_LEVELS = (
    "cannot be",
    "hardly, yet it happens",
    "less than one in four",
    "about one in three",
    "slightly less than even",
    "even: for and against weigh the same",
    "slightly more than even",
    "rather yes",
    "five in six",
    "one would bet much on it",
    "no way is seen in which it is not so",
)


class Likelihood(OfStatements):
    """A score from 0 to 10 for what an explanation argues for, by that explanation alone (SocialNLI, appendix C.8).

    Of an explanation against a statement it says how likely it is that the statement is false (section 4.1). The judge
    is shown nothing of the dialogue.
    """

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Likelihood by an explanation"
    description: ClassVar[str] = "How likely a claim is by an explanation alone, from 0 to 10."
    prompt: ClassVar[str] = KEY
    shows: ClassVar[Modality] = Modality.NOTHING
    material: ClassVar[tuple[str, ...]] = (BEFORE,)

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: there is no statement, or no explanation."""
        return super().why_not(item) or ("" if item.material.get(BEFORE) else "There is no explanation to go by.")

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return the score, with what each can mean."""
        meanings = " ".join(f"{number}: {_LEVELS[number]}." for number in range(MOST, -1, -1))
        return FormSpec(
            KEY, (Asked(Field(SCORE, FieldKind.SCALE, "Likelihood", meanings, minimum=0, maximum=MOST), True),)
        )

    def given(self, item: Item) -> Mapping[str, str]:
        """Return explanation and claim: the statement, or that it is false."""
        against = plain_part(item.part) == _AGAINST
        claim = (_FALSE if against else "") + statement_of(item)
        return {EXPLANATION_TOLD: item.material[BEFORE], "The claim" if against else STATEMENT_TOLD: claim}

    def truth(self, item: Item) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: what people say is frozen with the item, part by part."""
        return {}
