"""Which questions the rules ask for, whether a draft is valid, and when two texts say the same.

Every maker and every import of questions uses these checks.
"""

import random
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from project.entities.causal_chains import ChainGraph, ChainNode, topological_order
from project.entities.questions import CHAIN_QUESTION_KINDS, Question, QuestionKind, WrongOption
from project.errors import UserError, require_utf8

MAX_PATHS = 45
"""Paths of one chain: those of a line of ten steps, the longest chain of R3-VQA (section 3.3)."""
MIN_PATH_EDGES = 2


def find_paths(graph: ChainGraph, most: int = MAX_PATHS) -> list[tuple[str, ...]]:
    """Return paths over two or more subchains, the longest first, then by time.

    There is one for each pair of nodes that are connected by two or more edges: the longest path between them; in a tie
    the one whose last reason is the earliest, and so on back to its start. Each edge of a path lies in the subchain of
    its result. A line of n nodes has (n - 1)(n - 2) / 2 paths.

    Returns:
        Ids of the nodes from the start to the end, three or more.

    Raises:
        graphlib.CycleError: the chain has a cycle.
    """
    best: dict[str, dict[str, tuple[str, ...]]] = {}
    for end in topological_order(graph.reasons):
        reached: dict[str, tuple[str, ...]] = {}
        for reason in graph.reasons.get(end, ()):
            for start, path in {**best[reason], reason: (reason,)}.items():
                if len(path) + 1 > len(reached.get(start, ())):
                    reached[start] = (*path, end)
        best[end] = reached
    place = {chain_node.id: at for at, chain_node in enumerate(graph.nodes)}
    found = [path for reached in best.values() for path in reached.values() if len(path) > MIN_PATH_EDGES]
    return sorted(found, key=lambda path: (-len(path), place[path[0]], place[path[-1]]))[:most]


OPTION_COUNT = 5
"""Options of a question from a chain, one of them right (R3-VQA, section 3.1)."""
SINGLE_STEP = tuple(kind for kind in CHAIN_QUESTION_KINDS if kind is not QuestionKind.STEPS)
START, END, BETWEEN = "start", "end", "between"
PATH_ASPECTS = (START, END, BETWEEN)
"""Aspects of a path that are asked about: its start, its end, or what lies between."""


@dataclass(frozen=True, slots=True)
class QuestionSpec:
    """One question that the rules ask for."""

    kind: QuestionKind
    aspect: str
    covers: tuple[str, ...]

    @property
    def part(self) -> str:
        """Its key within the chain, such as `EU:ID` or `multi-step:start:ID>ID>ID`."""
        if self.kind is QuestionKind.STEPS:
            return f"{self.kind.value}:{self.aspect}:{'>'.join(self.covers)}"
        return f"{self.kind.value}:{self.covers[0]}"


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """A question before it is part of a study.

    Attributes:
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


def required_questions(graph: ChainGraph, kinds: Sequence[QuestionKind] = SINGLE_STEP) -> list[QuestionSpec]:
    """Return the questions that the rules ask for about a chain, by kind and time (R3-VQA, section 3.1).

    One EU question for each event, one MSE question for each mental state, one CW and one CH/W question for each
    subchain, and three multi-step questions for each of `find_paths`, which R3-VQA (section 5) leaves to future work.
    """
    found: list[QuestionSpec] = []
    for kind in dict.fromkeys(kinds):
        match kind:
            case QuestionKind.EVENT:
                found += [QuestionSpec(kind, "", (node.id,)) for node in graph.nodes if not node.kind.is_mental]
            case QuestionKind.STATE:
                found += [
                    QuestionSpec(kind, node.kind.value, (node.id,)) for node in graph.nodes if node.kind.is_mental
                ]
            case QuestionKind.WHY | QuestionKind.HOW:
                found += [QuestionSpec(kind, "", subchain.node_ids) for subchain in graph.subchains]
            case QuestionKind.STEPS:
                found += [QuestionSpec(kind, aspect, path) for path in find_paths(graph) for aspect in PATH_ASPECTS]
    return found


def find_required_question(graph: ChainGraph, part: str) -> QuestionSpec | None:
    """Return the question with a `QuestionSpec.part`; None if the rules do not ask for it any more."""
    kinds = [kind for kind in CHAIN_QUESTION_KINDS if part.startswith(f"{kind.value}:")]
    return next((spec for spec in required_questions(graph, kinds[:1]) if spec.part == part), None)


def balance_positions(count: int, options: int, seed: int | str) -> list[int]:
    """Return the position of the right option of each question, from 0, balanced over all positions.

    Counts of positions differ by one at most; the order is shuffled by the seed.
    """
    chance = random.Random(f"places {seed}")
    # Random, so that the positions that are used once more are not always the first ones.
    order = chance.sample(range(options), options)
    found = [order[at % options] for at in range(count)]
    chance.shuffle(found)
    return found


MAX_TEXT_CHARS = 1_000
MAX_OPTION_CHARS = 600
MAX_EXPLANATION_CHARS = 4_000
_ARTICLES = frozenset({"a", "an", "the"})
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_ACCENTS = ("\u0300", "\u036f")
_WORD = re.compile(r"[^\W_]+")
_MIN_STEM_CHARS = 3
_CACHE_SIZE = 1 << 14


def draft_problem(draft: QuestionDraft | Question, options: int = OPTION_COUNT) -> str:
    """Return why a draft or a question is not valid, in one sentence; "" if it is."""
    texts = [draft.answer, *(option.text for option in draft.wrong)]
    if reason := _text_problem("question", draft.text, MAX_TEXT_CHARS):
        return reason
    for text in texts:
        if reason := _text_problem("option", text, MAX_OPTION_CHARS):
            return reason
    if len(draft.explanation) > MAX_EXPLANATION_CHARS:
        return f"The explanation is longer than {MAX_EXPLANATION_CHARS:,} characters."
    if len(texts) != options:
        return f"It has {len(texts)} options, and needs {options}."
    right, *wrong = map(normalize_option, texts)
    if right in wrong:
        return "The answer is among the wrong options."
    if len({*wrong}) < len(wrong):
        return "Two wrong options are the same."
    right, *wrong = map(gist, texts)
    if right in wrong:
        return "A wrong option says what the answer says."
    if len({*wrong}) < len(wrong):
        return "Two wrong options say the same."
    return ""


@lru_cache(_CACHE_SIZE)
def normalize_option(text: str) -> str:
    """Return a text without case, accents, punctuation, spaces and invisible characters.

    Texts of symbols alone, such as `?` or an emoji, stay different.
    """
    if text.isascii() and text.isprintable():
        seen = letters = text.lower()
    else:
        folded = " ".join(unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold()).split())
        seen = "".join(char for char in folded if unicodedata.category(char) not in _INVISIBLE_CATEGORIES)
        letters = "".join(char for char in seen if not _ACCENTS[0] <= char <= _ACCENTS[1])
    words = " ".join(_WORD.findall(letters.replace("'", "").replace("\u2019", "")))
    # Accents that were on spaces have to be reordered once they are adjacent.
    return unicodedata.normalize("NFKD", words or "".join(seen.split()))


@lru_cache(_CACHE_SIZE)
def gist(text: str) -> str:
    """Return the words of a text without articles and the final `s` of English words, in their order.

    Two texts with the same gist say the same. Paraphrases have different ones; people and judges have to find those.
    Order, names, numbers and negations are kept, because they change the meaning.
    """
    words = normalize_option(text).split()
    return " ".join(_strip_plural(word) for word in words if word not in _ARTICLES) or " ".join(words)


def _strip_plural(word: str) -> str:
    if word.endswith("s") and not word.endswith("ss") and len(word) > _MIN_STEM_CHARS:
        return word[:-1]
    return word


def _text_problem(what: str, text: str, longest: int) -> str:
    try:
        require_utf8(text)
    except UserError:
        return f"The {what} holds what is no text."
    if not any(map(str.isalnum, text)) and not normalize_option(text):
        return f"The {what} is empty."
    if len(text) > longest:
        return f"The {what} is longer than {longest:,} characters."
    return ""


_MIN_OVERLAP = 0.75
_MIN_RATIO = 95.0
_STEM_CHARS = 6
_STOP_WORD_LIST = (
    "a about after again all also an and any are as at be because been before being believe believes but by can could "
    "did do does doing during each feel feeling feels felt for from get gets had has have having he her hers him his "
    "how i if in intend intends into is it its just may me mean means might more most my no nor not of off on once "
    "only or other our out over own she should so some somebody someone such than that the their them then there these "
    "they think thinks this those through to too under up us very want wants was we were what when where which while "
    "who whom why will wish wishes with would you your"
)
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())


@dataclass(frozen=True)
class StatementFingerprint:
    """The parts of a text, without names, by which equivalent statements are found.

    Attributes:
        line: the normalized text.
        content: stems of its content words; never empty.
    """

    line: str
    content: frozenset[str]

    @classmethod
    def from_text(cls, text: str) -> "StatementFingerprint":
        """Compute the fingerprint of a text without names."""
        words = gist(text).split()
        content = frozenset(word[:_STEM_CHARS] for word in words if word not in _STOP_WORDS)
        return cls(" ".join(words), content or frozenset({normalize_option(text)}))

    def is_equivalent(self, other: "StatementFingerprint") -> bool:
        """Tell whether one may stand for the other or follow from it, so that both may be right."""
        shared = len(self.content & other.content)
        if not shared:
            return False
        if shared >= _MIN_OVERLAP * min(len(self.content), len(other.content)):
            return True
        return _nearly_equal(self.line, other.line)


def _nearly_equal(text: str, other: str) -> bool:
    from rapidfuzz import fuzz

    return fuzz.ratio(text, other, score_cutoff=_MIN_RATIO) > 0


@dataclass(frozen=True)
class Statement:
    """One node, or several together, as the text of an option.

    Attributes:
        recording_id: their recording.
        separator: between their texts.
    """

    nodes: tuple[ChainNode, ...]
    recording_id: str
    separator: str = "; "

    @cached_property
    def text(self) -> str:
        """The text of the option: capitalized, without a full stop."""
        return capitalize_first(self.separator.join(trim_line(node.text) for node in self.nodes))

    @cached_property
    def node_ids(self) -> frozenset[str]:
        return frozenset(node.id for node in self.nodes)

    @property
    def kind(self) -> str:
        return self.nodes[-1].kind.value

    @cached_property
    def span(self) -> tuple[int, int]:
        """From the start of its first node to the end of its last one, on the recording's axis."""
        return min(node.start_us for node in self.nodes), max(node.end_us for node in self.nodes)

    @property
    def people(self) -> tuple[str, ...]:
        """Ids of the participants of its nodes, in the order of the nodes."""
        return tuple(dict.fromkeys(who for node in self.nodes for who in node.people))


def trim_line(text: str) -> str:
    """Return a text on one line without a final full stop."""
    return " ".join(text.split()).removesuffix(".").rstrip()


def capitalize_first(text: str) -> str:
    """Return a text with its first letter capitalized."""
    return text[:1].upper() + text[1:]


class Names:
    """Finds and replaces the pseudonyms of a study in texts."""

    def __init__(self, names: Iterable[str]) -> None:
        known = sorted({name for name in names if name.strip()}, key=lambda name: (-len(name), name))
        parts = "|".join(map(re.escape, known))
        self._pattern = re.compile(rf"(?<!\w)(?:{parts})(?!\w)") if known else None

    def names_in(self, text: str) -> list[str]:
        """Return the names in a text, in the order of their first mention."""
        return [] if self._pattern is None else [*dict.fromkeys(self._pattern.findall(text))]

    def without_names(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(" ", text)

    def with_names(self, text: str, into: Sequence[str]) -> str:
        """Return a text with other names: the first name becomes the first of `into`, and so on.

        Names beyond the length of `into` become `somebody`.
        """
        if self._pattern is None:
            return text
        found = self.names_in(text)
        new = {name: into[at] if at < len(into) else _SOMEBODY for at, name in enumerate(found)}
        return self._pattern.sub(lambda match: new[match.group()], text)


_SOMEBODY = "somebody"
