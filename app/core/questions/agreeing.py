"""How far two people agree about the questions that both of them looked at."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from project.questions import CHECKS, DIFFICULTIES, Verification, VerificationDecision
from project.types import Json

APPROVING = frozenset({VerificationDecision.KEEP, VerificationDecision.CORRECT})
"""What says that a question is good as it is."""
DECISION, DIFFICULTY = "decision", "difficulty"
_YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """How far pairs of people say the same about one thing.

    Attributes:
        key: `decision` (is it good as it is, or to be dropped), a check, or `difficulty`.
        pairs: of words about the same question in the same state.
        agreeing: pairs that say the same.
        kappa: Cohen's; None where it is undefined, because everybody says the same throughout.
    """

    key: str
    pairs: int
    agreeing: int
    kappa: float | None

    @property
    def raw(self) -> float | None:
        """The share of pairs that say the same, from 0 to 1; None without pairs."""
        return self.agreeing / self.pairs if self.pairs else None

    def as_json(self) -> dict[str, Json]:
        """Return it for a file or a terminal."""
        return {"pairs": self.pairs, "agreeing": self.agreeing, "raw": self.raw, "kappa": self.kappa}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The figures, the decision first; of checks and labels that no pair gave, there is none."""

    figures: tuple[AgreementFigure, ...]

    def of(self, key: str) -> AgreementFigure:
        """Return one figure; one of no pairs where nobody could be compared."""
        return next((one for one in self.figures if one.key == key), AgreementFigure(key, 0, 0, None))

    def as_json(self) -> dict[str, Json]:
        """Return it for a file or a terminal, by key."""
        return {one.key: one.as_json() for one in self.figures}


def agreement_of(said: Iterable[Sequence[Verification]]) -> Agreement:
    """Return how far people agree.

    Args:
        said: for each question, what people said about it in one and the same state. The two who looked first are
            compared. Cohen's kappa knows two sides: over all pairs, whoever comes first by id is the first one.
    """
    pairs = [_pair(one) for one in said if len(one) > 1]
    found = [_figure(DECISION, pairs, lambda one: _YES_NO[one.decision not in APPROVING], _YES_NO)]
    for checklist, checks in CHECKS.items():
        same = [(one, other) for one, other in pairs if one.checklist == other.checklist == checklist]
        found += [_figure(check, same, _holds(check), _YES_NO) for check in checks if check != DIFFICULTY]
    labelled = [(one, other) for one, other in pairs if one.difficulty and other.difficulty]
    found.append(_figure(DIFFICULTY, labelled, lambda one: one.difficulty, DIFFICULTIES))
    return Agreement(tuple(one for one in found if one.pairs or one.key == DECISION))


def _pair(said: Sequence[Verification]) -> tuple[Verification, Verification]:
    first = sorted(said, key=lambda one: (one.at, one.annotator_id))[:2]
    one, other = sorted(first, key=lambda each: each.annotator_id)
    return one, other


def _holds(check: str) -> Callable[[Verification], str]:
    return lambda one: _YES_NO[check not in one.checks]


def _figure(
    key: str,
    pairs: Sequence[tuple[Verification, Verification]],
    category: Callable[[Verification], str],
    categories: Sequence[str],
) -> AgreementFigure:
    given = [(category(one), category(other)) for one, other in pairs]
    return AgreementFigure(key, len(given), sum(one == other for one, other in given), _kappa(given, categories))


def _kappa(given: Sequence[tuple[str, str]], categories: Sequence[str]) -> float | None:
    import numpy as np

    from benchmark.agreement.cohen import kappa, tables

    if not given:
        return None
    places = np.array([[categories.index(one), categories.index(other)] for one, other in given], np.int64)
    ones = np.ones(len(given), np.int64)
    found = float(kappa(tables(places[:, 0], places[:, 1], ones, np.zeros_like(ones), len(categories), 1))[0])
    return found if np.isfinite(found) else None
