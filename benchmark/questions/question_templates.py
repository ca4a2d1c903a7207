"""Makes questions from chains by rules and templates, without a model (R3-VQA, section 3.1).

Wrong options are other nodes of the study: similar enough to be plausible, and never true as well.
"""

import itertools
import random
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark.questions.question_validity import (
    BETWEEN,
    END,
    OPTION_COUNT,
    START,
    Names,
    QuestionDraft,
    QuestionSpec,
    Statement,
    StatementFingerprint,
    balance_positions,
    capitalize_first,
    draft_problem,
    gist,
    normalize_option,
    required_questions,
)
from project.entities.causal_chains import ChainGraph, ChainNode, NodeKind
from project.entities.questions import QuestionKind, WrongOption

Floats = NDArray[np.float32]


_GRAM_SIZES = (3, 4)


class Similarity:
    """Cosine similarity of TF-IDF vectors over character 3- and 4-grams, which works for any language.

    Grams lie within words, each with a space on both sides. A gram that occurs c times in a text weighs 1 + ln c, times
    1 + ln((1 + n) / (1 + d)) where d of n texts have it.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Fit the weights to texts; an empty text is similar to no other."""
        frequencies = Counter(gram for text in texts for gram in {*_grams(text)})
        self._places = {gram: place for place, gram in enumerate(sorted(frequencies))}
        counts = np.array([frequencies[gram] for gram in self._places], np.float32)
        self._weights: Floats = 1 + np.log(np.float32(1 + len(texts)) / (1 + counts))

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return the texts as rows of a sparse matrix, each of length 1 or 0."""
        from scipy.sparse import csr_matrix

        counted = [Counter(filter(self._places.__contains__, _grams(text))) for text in texts]
        cells = [(self._places[gram], count) for row in counted for gram, count in sorted(row.items())]
        places, counts = np.array(cells, np.int64).reshape(-1, 2).T
        rows = np.repeat(np.arange(len(texts)), [len(row) for row in counted])
        values = (1 + np.log(counts.astype(np.float32))) * self._weights[places]
        lengths = np.sqrt(np.bincount(rows, values**2, len(texts)))
        shape = (len(texts), max(1, len(self._places)))
        return csr_matrix((values / lengths[rows], (rows, places)), shape, dtype=np.float32)

    @staticmethod
    def cosines(one: Any, others: Any) -> Floats:
        """Return (rows of `one`, rows of `others`) cosines from 0 to 1."""
        found: Floats = np.asarray((one @ others.T).todense(), np.float32)
        return found


def _grams(text: str) -> list[str]:
    words = [f" {word} " for word in text.lower().split()]
    return [word[at : at + size] for word in words for size in _GRAM_SIZES for at in range(len(word) - size + 1)]


MAX_SIMILARITY = 0.8
"""Cosine from which a text counts as a paraphrase of the answer."""
_LENGTH_WEIGHT = 0.5
"""Weight of the difference of log lengths against the cosine."""
_TOP_COUNT = 48
_BATCH_ROWS = 256
_NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True)
class DistractorRequest:
    """A question for which wrong options are chosen.

    Attributes:
        answer: the right option.
        true_node_ids: nodes that are or may be true as well; equivalent options are excluded.
        excluded_node_ids: nodes that no wrong option may contain.
        excluded_span: options from the same recording must not overlap this span, on the recording's axis.
        people: pseudonyms in its recording, in the order in which they replace others.
        category: preferred category of wrong options.
        asks_about_person: the question asks about the people of the answer, so that an option that names somebody else
            would be recognizable as wrong.
    """

    answer: Statement
    true_node_ids: Collection[str]
    excluded_node_ids: Collection[str]
    excluded_span: tuple[int, int]
    people: Sequence[str]
    category: str
    asks_about_person: bool = False


@dataclass(frozen=True, slots=True)
class _LengthLimits:
    """How many wrong options may be shorter than the answer, longer, and as long."""

    length: int
    shorter: int
    longer: int
    equal: int = 0


@dataclass
class StatementPool:
    """Statements of one kind, each of which can be a wrong option for another one.

    Attributes:
        categories: of each statement, compared with `DistractorRequest.category`.
        fingerprints: node id -> fingerprint of its text.
        names: of the people in the study.
        similarity: fitted to the texts of the study.
        reach: recording id -> uses that its texts are permitted for; options need at least the uses of the question.
    """

    statements: Sequence[Statement]
    categories: Sequence[str]
    fingerprints: Mapping[str, StatementFingerprint]
    names: Names
    similarity: Similarity
    reach: Mapping[str, frozenset[str]] = field(default_factory=dict)
    seed: int = 0

    def choose_options(self, asked: Sequence[DistractorRequest], count: int) -> Iterator[tuple[WrongOption, ...]]:
        """Yield the wrong options of each request: `count`, or fewer if no more are suitable.

        The first is similar to the answer. The others are similar to the first one, or with a probability of
        1 / (`count` + 1) to the answer: if they were always similar to the answer, it would be the most similar to all
        others, and recognizable without the question. For the same reason, all have about the length of the answer, and
        how many of them are shorter is balanced, so that the answer is as often the longest as any other.
        """
        there = self.similarity.vectors([self.names.without_names(statement.text) for statement in self.statements])
        places = {statement.text: at for at, statement in enumerate(self.statements)}
        labels = np.array([*self.categories], dtype=str)
        lengths = np.log([1 + len(statement.text) for statement in self.statements], dtype=np.float32)
        ties = np.array([random.Random(f"{self.seed} {at}").random() for at in range(len(labels))], np.float32)
        shorter = balance_positions(len(asked), count + 1, f"lengths {self.seed}")
        for first in range(0, len(asked), _BATCH_ROWS):
            part = asked[first : first + _BATCH_ROWS]
            known = [places.get(request.answer.text) for request in part]
            if None in known:
                here = self.similarity.vectors([self.names.without_names(request.answer.text) for request in part])
            else:
                here = there[known]
            near = self.similarity.cosines(here, there)
            rank = [
                row
                + 1e-5 * ties
                + (labels == request.category)
                - _LENGTH_WEIGHT * np.abs(lengths - np.log(1 + len(request.answer.text)))
                for request, row in zip(part, near, strict=True)
            ]
            chance = [random.Random(f"{self.seed} {request.answer.text}").randrange(count + 1) for request in part]
            limits = [
                _LengthLimits(len(request.answer.text), few, count - few)
                for request, few in zip(part, shorter[first : first + _BATCH_ROWS], strict=True)
            ]
            nearest = [
                self._pick_options(request, row, by, 1, limit)
                for request, row, by, limit in zip(part, near, rank, limits, strict=True)
            ]
            moved = [at for at, found in enumerate(nearest) if found and chance[at]]
            if moved:
                others = self.similarity.cosines(there[[nearest[at][0][0] for at in moved]], there)
                for at, row in zip(moved, others, strict=True):
                    rank[at] += row - near[at]
            for request, row, by, limit, found in zip(part, near, rank, limits, nearest, strict=True):
                first_ones = [at for at, _ in found]
                picked = self._pick_options(request, row, by, count, limit, first_ones)
                if len(picked) < count:
                    # Too few texts are longer, or shorter: then any length will do.
                    anything = _LengthLimits(limit.length, count, count, count)
                    picked = self._pick_options(request, row, by, count, anything, [at for at, _ in picked])
                yield tuple(option for _, option in picked)

    def _pick_options(
        self,
        asked: DistractorRequest,
        near: Floats,
        rank: Floats,
        count: int,
        limits: "_LengthLimits",
        first: Sequence[int] = (),
    ) -> list[tuple[int, WrongOption]]:
        """Return positions and options within limits: suitable ones of `first`, then those with the highest ranks."""
        true = [self.fingerprints[node_id] for node_id in {*asked.true_node_ids, *asked.answer.node_ids}]
        taken = {gist(asked.answer.text)}
        taken_words: list[StatementFingerprint] = []
        found: list[tuple[int, WrongOption]] = []
        room = {-1: limits.shorter, 0: limits.equal, 1: limits.longer}
        for at in itertools.chain(first, _by_falling_rank(rank)):
            if len(found) == count:
                break
            if near[at] >= MAX_SIMILARITY:
                continue
            statement = self.statements[at]
            if not self._is_allowed(asked, statement):
                continue
            words = [self.fingerprints[node.id] for node in statement.nodes]
            if any(mine.is_equivalent(other) for mine in words for other in (*true, *taken_words)):
                continue
            text = self._with_local_names(asked, statement)
            side = (len(text) > limits.length) - (len(text) < limits.length)
            if not gist(text) or gist(text) in taken or not room[side]:
                continue
            room[side] -= 1
            taken.add(gist(text))
            taken_words += words
            found.append((at, WrongOption(text, None, statement.nodes[-1].id)))
        return found

    def _is_allowed(self, asked: DistractorRequest, statement: Statement) -> bool:
        if not statement.node_ids.isdisjoint(asked.excluded_node_ids) or not statement.node_ids.isdisjoint(
            asked.answer.node_ids
        ):
            return False
        home = asked.answer.recording_id
        if not self.reach.get(statement.recording_id, _NOBODY) >= self.reach.get(home, _NOBODY):
            return False
        start_us, end_us = statement.span
        return statement.recording_id != home or end_us <= asked.excluded_span[0] or asked.excluded_span[1] <= start_us

    def _with_local_names(self, asked: DistractorRequest, statement: Statement) -> str:
        """Return the text of a statement with the names of the question's recording, those of the answer first."""
        asked_of = asked.answer.people if asked.asks_about_person else ()
        if statement.recording_id == asked.answer.recording_id and (
            not asked_of or not {*statement.people}.isdisjoint(asked_of)
        ):
            return statement.text
        first = self.names.names_in(asked.answer.text)
        return capitalize_first(self.names.with_names(statement.text, [*dict.fromkeys([*first, *asked.people])]))


def _by_falling_rank(rank: Floats) -> Iterator[int]:
    """Yield positions by falling rank; sorts all of them only if the first ones do not suffice."""
    if len(rank) > 2 * _TOP_COUNT:
        first = np.argpartition(-rank, _TOP_COUNT)[:_TOP_COUNT]
        yield from (int(at) for at in first[np.argsort(-rank[first])])
        rest = np.argsort(-rank)[_TOP_COUNT:]
        yield from (int(at) for at in rest)
    else:
        yield from (int(at) for at in np.argsort(-rank))


EVENT_TEMPLATES = (
    "What happens {when}?",
    "Which of these takes place {when}?",
    "Look at what goes on {when}. Which option says what it is?",
)
EVENT_TEMPLATES_WITH_PEOPLE = (
    "What happens {when}, with {who} taking part?",
    "Which of these, with {who} in it, takes place {when}?",
    "Look at {who} {when}. What goes on there?",
)
STATE_TEMPLATES = {
    NodeKind.BELIEF: (
        "What {do} {who} take to be true {when}?",
        "Which belief of {who} shows {when}?",
        "Going by what is seen and heard {when}, what {do} {who} believe?",
    ),
    NodeKind.INTENT: (
        "What {do} {who} mean to do, as can be told {when}?",
        "Which intention of {who} shows {when}?",
        "Going by what is seen and heard {when}, what {do} {who} intend?",
    ),
    NodeKind.DESIRE: (
        "What {do} {who} long for {when}?",
        "Which wish of {who} shows {when}?",
        "Going by what is seen and heard {when}, what {do} {who} want?",
    ),
    NodeKind.EMOTION: (
        "How {do} {who} feel {when}?",
        "Which feeling of {who} shows {when}?",
        "Going by what is seen and heard {when}, what {do} {who} feel?",
    ),
}
WHY_TEMPLATES = (
    "{When}: “{result}”. Why?",
    "What brings this about, {when}: “{result}”?",
    "Which option gives the reasons for this, {when}: “{result}”?",
)
HOW_TEMPLATES = (
    "{When}: “{reasons}”. What comes of it?",
    "What follows from this, {when}: “{reasons}”?",
    "Where does this lead, {when}: “{reasons}”?",
)
PATH_TEMPLATES = {
    START: (
        "{When}: “{end}”. What set this off, {steps} steps before?",
        "Go {steps} steps back from this, {when}: “{end}”. What did it begin with?",
    ),
    END: (
        "{When}: “{start}”. What does this lead to, {steps} steps later?",
        "Follow what comes of this, {when}: “{start}”. Where has it led after {steps} steps?",
    ),
    BETWEEN: (
        "How does “{start}” ({start_at}) lead to “{end}” ({end_at})?",
        "Which steps lie between “{start}” ({start_at}) and “{end}” ({end_at})?",
    ),
}
_SOMEBODY = "somebody"


@dataclass(frozen=True, slots=True)
class TemplateContext:
    """Times and names for the text of a question.

    Attributes:
        zero_us: start of the span that is shown, on the recording's axis; the zero of times in the text.
        names: pseudonyms of the people of the event or state; () for nobody in particular.
    """

    zero_us: int
    names: Sequence[str] = ()

    def format_span(self, span: tuple[int, int]) -> str:
        """Return a span in seconds, such as `between 3.0 s and 7.5 s`."""
        start, end = ((number - self.zero_us) / 1e6 for number in span)
        return f"between {start:.1f} s and {end:.1f} s" if f"{start:.1f}" != f"{end:.1f}" else f"at {start:.1f} s"


def word_question(
    wanted: QuestionSpec, answer: Statement, about: Sequence[Statement], telling: TemplateContext, seed: str
) -> str:
    """Return the text of a question.

    Args:
        wanted: what it asks.
        answer: the right option.
        about: what the text mentions: for CW the result, for CH/W the reasons, for a path its start and end.
        telling: times and names.
        seed: of the choice among templates.
    """
    chance = random.Random(seed)
    match wanted.kind:
        case QuestionKind.EVENT:
            form = chance.choice(EVENT_TEMPLATES_WITH_PEOPLE if telling.names else EVENT_TEMPLATES)
            return form.format(when=telling.format_span(answer.span), who=join_names(telling.names))
        case QuestionKind.STATE:
            who, do = join_names(telling.names) or _SOMEBODY, "do" if len(telling.names) > 1 else "does"
            form = chance.choice(STATE_TEMPLATES[NodeKind(wanted.aspect)])
            return form.format(when=telling.format_span(answer.span), who=who, do=do)
        case QuestionKind.WHY:
            return _fill_template(chance.choice(WHY_TEMPLATES), telling, about[0], result=about[0].text)
        case QuestionKind.HOW:
            return _fill_template(chance.choice(HOW_TEMPLATES), telling, about[0], reasons=about[0].text)
    start, end = about
    first = end if wanted.aspect == START else start
    return _fill_template(
        chance.choice(PATH_TEMPLATES[wanted.aspect]),
        telling,
        first,
        start=start.text,
        end=end.text,
        start_at=telling.format_span(start.span),
        end_at=telling.format_span(end.span),
        steps=str(len(wanted.covers) - 1),
    )


def join_names(names: Sequence[str]) -> str:
    """Return names as a list in a sentence, such as `Ada, Ben and Cleo`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def _fill_template(form: str, telling: TemplateContext, about: Statement, **texts: str) -> str:
    when = telling.format_span(about.span)
    return form.format(when=when, When=when[:1].upper() + when[1:], **texts)


TOO_FEW_OPTIONS = "Fewer than four other texts of the study would do as wrong options."
EMPTY_NODE = "A node that it covers has no text yet."
_THEN = ", then "


@dataclass(frozen=True, slots=True)
class RecordingContext:
    """What the generator has to know of a recording.

    Attributes:
        zero_us: chain id -> start of the span that is shown, on the recording's axis.
        people: participant id -> pseudonym.
        reach: uses that its texts are permitted for, as any keys; wrong options come only from recordings that permit
            at least the same uses.
    """

    zero_us: Mapping[str, int]
    people: Mapping[str, str]
    reach: frozenset[str] = frozenset()


@dataclass
class RuleQuestionGenerator:
    """Makes drafts of questions from the chains of a study.

    Attributes:
        chains: their nodes may become wrong options.
        all_chains: all chains with other versions of the same, whose statements about a moment may be true as well.
        contexts: recording id -> context.
        names: pseudonyms of everybody in the study.
    """

    chains: Sequence[ChainGraph]
    all_chains: Sequence[ChainGraph]
    contexts: Mapping[str, RecordingContext]
    names: Collection[str]
    seed: int = 0
    _nodes: dict[str, list[ChainNode]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._finder = Names(self.names)
        everything = {chain.chain.id: chain for chain in (*self.all_chains, *self.chains)}
        self._words: dict[str, StatementFingerprint] = {}
        for graph in everything.values():
            self._nodes.setdefault(graph.chain.recording_id, []).extend(graph.nodes)
            self._words |= {
                node.id: StatementFingerprint.from_text(self._finder.without_names(node.text)) for node in graph.nodes
            }
        texts = [self._finder.without_names(node.text) for nodes in self._nodes.values() for node in nodes]
        self._similarity = Similarity(texts)
        self._reach = {recording: context.reach for recording, context in self.contexts.items()}

    def drafts(
        self, wanted: Sequence[tuple[ChainGraph, QuestionSpec]]
    ) -> Iterator[tuple[ChainGraph, QuestionSpec, QuestionDraft | str]]:
        """Yield for each the draft, or why there is none, in one sentence; grouped by kind and aspect."""
        sorts: dict[tuple[QuestionKind, str], list[tuple[ChainGraph, QuestionSpec]]] = {}
        for graph, question_spec in wanted:
            sorts.setdefault((question_spec.kind, question_spec.aspect), []).append((graph, question_spec))
        for (kind, aspect), asked in sorts.items():
            pool = self._statement_pool(kind, aspect)
            for (graph, question_spec), wrong in zip(
                asked,
                pool.choose_options(
                    [self._distractor_request(graph, question_spec) for graph, question_spec in asked], OPTION_COUNT - 1
                ),
                strict=True,
            ):
                answer, about = _answer_and_context(graph, question_spec)
                text = word_question(
                    question_spec,
                    answer,
                    about,
                    self._template_context(graph, answer),
                    f"{self.seed} {question_spec.part}",
                )
                draft = QuestionDraft(
                    question_spec.kind, question_spec.aspect, question_spec.covers, text, answer.text, wrong
                )
                blank = any(not normalize_option(graph.nodes_by_id[node].text) for node in question_spec.covers)
                reason = (
                    EMPTY_NODE if blank else TOO_FEW_OPTIONS if len(wrong) < OPTION_COUNT - 1 else draft_problem(draft)
                )
                yield graph, question_spec, reason or draft

    def _statement_pool(self, kind: QuestionKind, aspect: str) -> StatementPool:
        found = {
            answer.node_ids: answer
            for graph in self.chains
            for required_question in required_questions(graph, (kind,))
            if required_question.aspect == aspect
            for answer in (_answer_and_context(graph, required_question)[0],)
            if all(normalize_option(node.text) for node in answer.nodes)
        }
        statements = [*found.values()]
        labels = [_category(kind, statement) for statement in statements]
        return StatementPool(statements, labels, self._words, self._finder, self._similarity, self._reach, self.seed)

    def _distractor_request(self, graph: ChainGraph, wanted: QuestionSpec) -> DistractorRequest:
        answer, about = _answer_and_context(graph, wanted)
        recording_id = graph.chain.recording_id
        # Nodes of the same chain may be partly right for questions about reasons and results.
        chain: Collection[str] = () if wanted.kind in _SINGLE_NODE_KINDS else [node.id for node in graph.nodes]
        spans = [answer.span, *(statement.span for statement in about)]
        covered_span = min(start for start, _ in spans), max(end for _, end in spans)
        overlapping = [
            node.id
            for node in self._nodes[recording_id]
            if node.start_us < covered_span[1] and covered_span[0] < node.end_us
        ]
        people, category = self._ordered_names(graph, answer), _category(wanted.kind, answer)
        return DistractorRequest(
            answer, {*overlapping, *chain}, chain, covered_span, people, category, wanted.kind in _SINGLE_NODE_KINDS
        )

    def _template_context(self, graph: ChainGraph, answer: Statement) -> TemplateContext:
        context = self.contexts[graph.chain.recording_id]
        who = [context.people[person] for person in answer.people if context.people.get(person)]
        return TemplateContext(context.zero_us[graph.chain.id], who)

    def _ordered_names(self, graph: ChainGraph, answer: Statement) -> list[str]:
        people = self.contexts[graph.chain.recording_id].people
        first = [people[person] for person in answer.people if person in people]
        return [*dict.fromkeys([*first, *people.values()])]


_SINGLE_NODE_KINDS = (QuestionKind.EVENT, QuestionKind.STATE)


def _category(kind: QuestionKind, statement: Statement) -> str:
    """Return the category of a statement: its number of nodes, or its kind."""
    return str(len(statement.nodes)) if kind is QuestionKind.WHY or len(statement.nodes) > 1 else statement.kind


def _answer_and_context(graph: ChainGraph, wanted: QuestionSpec) -> tuple[Statement, tuple[Statement, ...]]:
    """Return the right option, and what the question mentions."""

    def of(*nodes: str, joined_by: str = "; ") -> Statement:
        return Statement(tuple(graph.nodes_by_id[node] for node in nodes), graph.chain.recording_id, joined_by)

    first, *rest = wanted.covers
    match wanted.kind:
        case QuestionKind.WHY:
            return of(*rest), (of(first),)
        case QuestionKind.HOW:
            return of(first), (of(*rest),)
        case QuestionKind.STEPS:
            ends = of(first), of(rest[-1])
            if wanted.aspect == BETWEEN:
                return of(*rest[:-1], joined_by=_THEN), ends
            return ends[0 if wanted.aspect == START else 1], ends
    return of(first), ()
