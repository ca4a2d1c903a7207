"""What a maker of questions is asked for, and what it hands back, whether it is rules, a judge or a person."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.questions.paths import paths_of
from project.chains import ChainGraph
from project.questions import OF_CHAINS, QuestionKind, WrongOption

OPTIONS = 5
"""Of a question from a chain: one is right (R3-VQA, section 3.1)."""
SINGLE_STEP = tuple(one for one in OF_CHAINS if one is not QuestionKind.STEPS)
START, END, BETWEEN = "start", "end", "between"
ASPECTS_OF_PATHS = (START, END, BETWEEN)
"""What is asked about a path: what set it off, what came of it, what lies between."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One question that the rules ask for.

    Attributes:
        aspect: as that of `project.questions.Question`.
        covers: as that of `project.questions.Question`.
    """

    kind: QuestionKind
    aspect: str
    covers: tuple[str, ...]

    @property
    def part(self) -> str:
        """Tell it from all others of its chain in one text, such as `EU:ID` or `multi-step:start:ID>ID>ID`."""
        if self.kind is QuestionKind.STEPS:
            return f"{self.kind.value}:{self.aspect}:{'>'.join(self.covers)}"
        return f"{self.kind.value}:{self.covers[0]}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before it is part of a study.

    Attributes:
        aspect: as that of `project.questions.Question`.
        covers: as that of `project.questions.Question`.
        wrong: in any order.
        explanation: why the answer is right; "" for none.
    """

    kind: QuestionKind
    aspect: str
    covers: tuple[str, ...]
    text: str
    answer: str
    wrong: tuple[WrongOption, ...]
    explanation: str = ""


def wanted_from(graph: ChainGraph, kinds: Sequence[QuestionKind] = SINGLE_STEP) -> list[Wanted]:
    """Return what the rules ask for about a chain, by kind and time (R3-VQA, section 3.1).

    One EU question for each event, one MSE question for each mental state, one CW and one CH/W question for each
    subchain, and three multi-step questions for each of `paths_of`, which R3-VQA (section 5) leaves to future work.
    """
    found: list[Wanted] = []
    for kind in dict.fromkeys(kinds):
        match kind:
            case QuestionKind.EVENT:
                found += [Wanted(kind, "", (one.id,)) for one in graph.nodes if not one.kind.mental]
            case QuestionKind.STATE:
                found += [Wanted(kind, one.kind.value, (one.id,)) for one in graph.nodes if one.kind.mental]
            case QuestionKind.WHY | QuestionKind.HOW:
                found += [Wanted(kind, "", one.node_ids) for one in graph.subchains]
            case QuestionKind.STEPS:
                found += [Wanted(kind, aspect, path) for path in paths_of(graph) for aspect in ASPECTS_OF_PATHS]
    return found


def wanted_called(graph: ChainGraph, part: str) -> Wanted | None:
    """Return what is wanted of a chain under `Wanted.part`; None where the rules no longer ask for it."""
    kind = next((one for one in OF_CHAINS if part.startswith(f"{one.value}:")), None)
    return None if kind is None else next((one for one in wanted_from(graph, (kind,)) if one.part == part), None)


def balanced_places(count: int, options: int, seed: int) -> list[int]:
    """Return where the right option of each of so many questions stands, from 0: each place as often as any other.

    Numbers of questions differ by one at most; the order is shuffled by the seed.
    """
    chance = random.Random(f"places {seed}")
    # Which places are used once more must not always be the first ones.
    order = chance.sample(range(options), options)
    found = [order[at % options] for at in range(count)]
    chance.shuffle(found)
    return found
