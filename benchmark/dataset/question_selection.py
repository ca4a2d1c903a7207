"""Selects and scrubs the questions that may leave in a data set, and says why others may not."""

import hashlib
import json
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotate.chains.chain_checks import is_sound
from annotate.chains.chain_edits import is_consensus
from annotate.study.leave_permission import LeaveUse, may_leave
from anonymize.pii_detection.text_scrubber import ScrubResult, TextScrubber
from anonymize.pii_review.pii_decisions import store_hit_numbers
from anonymize.pii_review.review_hits import find_hits
from anonymize.release.private_content import build_scrubber, collect_private
from anonymize.release.release_plan import derive_released_id, get_release_key, recording_code
from anonymize.release.release_texts import ReleasedText
from benchmark.questions.verification import VerificationItem, VerificationState, read_items
from project.codec import dump
from project.entities.causal_chains import ChainGraph
from project.entities.questions import LETTERS, Question
from project.entities.study_records import Json, Recording
from project.progress import Progress, Silent
from project.queries.chain_rows import recordings_of_nodes
from project.queries.pii_rows import pii_decisions, public_words
from project.queries.recording_rows import all_recordings, pseudonyms
from project.session.session import Session
from project.timebase import SECOND_US

HELD_OUT = "its recording is held out"
NO_CONSENT = "somebody in its recording did not consent to release"
NO_PARTICIPANTS = "nobody is said to appear in its recording, so nobody was asked"
UNVERIFIED = "two people did not approve of it yet"
STALE = "what it was made from was edited since"
CYCLIC_CHAIN = "the reasons of its chain go round in a circle"
OPTION_NOT_RELEASABLE = "an option was taken from a recording that may not leave"
OPTION_SOURCE_MISSING = "an option was taken from something that is gone, so nobody knows who was asked"
DUPLICATE_OPTIONS = "two of its options are alike once names are taken out"


def recording_exclusions(session: Session, recordings: Mapping[str, Recording]) -> dict[str, str]:
    """Return recording id -> why nothing about it may leave; recordings that may are left out."""
    found = {}
    for recording_id in recordings:
        permission = may_leave(session, recording_id, LeaveUse.QUESTION_RELEASE)
        if not permission:
            why = NO_PARTICIPANTS if permission.unasked else NO_CONSENT
            found[recording_id] = HELD_OUT if permission.held_out else why
    return found


def question_exclusion(item: VerificationItem, *, everything: bool) -> str:
    """Return why a question may not leave, apart from its recording; "" if it may."""
    if item.graph is not None and not is_sound(item.graph):
        return CYCLIC_CHAIN
    if everything:
        return ""
    if item.state is not VerificationState.VERIFIED or not item.ready:
        return UNVERIFIED
    return STALE if item.stale else ""


def option_exclusions(session: Session, questions: Iterable[Question], against: Mapping[str, str]) -> dict[str, str]:
    """Return question id -> why its wrong options may not leave; questions whose options may are left out."""
    sources = {question.id: {option.source for option in question.wrong if option.source} for question in questions}
    homes = recordings_of_nodes(session.study, {node_id for node_ids in sources.values() for node_id in node_ids})
    found = {}
    for question_id, node_ids in sources.items():
        if any(node_id not in homes for node_id in node_ids):
            found[question_id] = OPTION_SOURCE_MISSING
        elif any(homes[node_id] in against for node_id in node_ids):
            found[question_id] = OPTION_NOT_RELEASABLE
    return found


def release_checksum(session: Session, recordings: Mapping[str, Recording]) -> str:
    """Return a checksum over what may leave and what is private; a selection is valid while it does not change."""
    places = sorted(
        [at.table, at.row, at.field, at.text, at.ordinal, pii_decision.kind, pii_decision.verdict.value]
        for at, pii_decision in pii_decisions(session.study).items()
    )
    words = [dump(collect_private(session)), sorted(public_words(session.study))]
    about = [recording_exclusions(session, recordings), places, words]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


_CHECK_INTERVAL = 20
"""Questions between two reports of progress."""


@dataclass(frozen=True, slots=True)
class DatasetQuestion:
    """One question of a data set, in the form that is exported.

    Attributes:
        recording: code of its recording.
        start_us: start of the span that is shown, on the recording's axis.
        options: in the order in which they are shown.
        letter: of the right one.
        chain: released id of its chain; None for none.
        covers: released ids of the nodes that it covers.
        verified: two people approve of its present form.
        texts: its texts before and after scrubbing.
    """

    id: str
    recording: str
    kind: str
    aspect: str
    start_us: int
    end_us: int
    text: str
    options: tuple[str, ...]
    letter: str
    explanation: str
    chain: str | None
    covers: tuple[str, ...]
    maker: str
    difficulty: str
    verified: bool
    stale: bool
    texts: tuple[ReleasedText, ...]

    @property
    def answer(self) -> str:
        return self.options[LETTERS.index(self.letter)]


@dataclass(frozen=True, slots=True)
class ItemChain:
    """One chain of a data set, in the form that is exported.

    Attributes:
        as_json: its line in the file.
        texts: its texts before and after scrubbing.
        people: pseudonyms of the people in it.
    """

    id: str
    recording: str
    as_json: Mapping[str, Json]
    texts: tuple[ReleasedText, ...]
    people: tuple[str, ...]


@dataclass(frozen=True)
class DatasetContents:
    """The questions and chains of a data set.

    Attributes:
        items: by recording and time.
        chains: those that a question of the set was made from.
        verified_only: unverified and stale questions were left out.
        question_ids: ids that the questions have in the study, in the order of `items`.
        checksum: over consents, hold-outs and private words at the time of the selection.
    """

    items: tuple[DatasetQuestion, ...]
    chains: tuple[ItemChain, ...]
    left_out: Mapping[str, int]
    verified_only: bool
    question_ids: tuple[str, ...]
    checksum: str

    @property
    def replacement_count(self) -> int:
        return sum(len(text.replacements) for text in self.texts)

    @cached_property
    def texts(self) -> tuple[ReleasedText, ...]:
        found = [text for item in self.items for text in item.texts]
        found += [text for chain in self.chains for text in chain.texts]
        return tuple(sorted(found, key=lambda released_text: (released_text.recording, released_text.time_us)))

    @property
    def recordings(self) -> list[str]:
        return sorted({item.recording for item in self.items})


def select_questions(
    session: Session, *, everything: bool = False, progress: Progress | None = None
) -> DatasetContents:
    """Run all of `selection_steps` at once."""
    told = progress or Silent()
    pieces = selection_steps(session, everything=everything)
    while True:
        told.check_cancelled()
        try:
            told.progress(*next(pieces), "Scrubbing texts")
        except StopIteration as done:
            found: DatasetContents = done.value
            return found


def selection_steps(session: Session, *, everything: bool = False) -> Generator[tuple[int, int], None, DatasetContents]:
    """Select the questions that may leave, scrubbed like the texts of a release: undecided hits are replaced.

    Recordings that are held out, or in which somebody did not consent to release, are left out with everything that is
    about them or was taken from them. Ids are derived with the key of releases, so they reveal neither row nor time.

    Yields:
        how many questions and chains are done, and of how many; returns the contents.
    """
    key = get_release_key(session)
    recordings = {recording.id: recording for recording in all_recordings(session.study)}
    excluded_recordings, checksum = recording_exclusions(session, recordings), release_checksum(session, recordings)
    yield 0, 0
    store_hit_numbers(session, find_hits(session))
    yield 0, 0
    scrub = _TextScrubs(build_scrubber(session, quoting=True))
    left_out: Counter[str] = Counter()
    items: list[DatasetQuestion] = []
    ids: list[str] = []
    graphs: dict[str, ChainGraph] = {}
    yield 0, 0
    verification_items = read_items(session)
    excluded_options = option_exclusions(session, (item.question for item in verification_items), excluded_recordings)
    for at, item in enumerate(verification_items):
        if at % _CHECK_INTERVAL == 0:
            yield at, len(verification_items)
        why = excluded_recordings.get(item.question.recording_id, "") or question_exclusion(item, everything=everything)
        why = why or excluded_options.get(item.question.id, "")
        made = None if why else _dataset_question(item, recordings[item.question.recording_id], key, scrub)
        if made is None:
            left_out[why or DUPLICATE_OPTIONS] += 1
            continue
        items.append(made)
        ids.append(item.question.id)
        if item.graph is not None:
            graphs[item.graph.chain.id] = item.graph
    chains: list[ItemChain] = []
    for graph in graphs.values():
        yield len(verification_items) + len(chains), len(verification_items) + len(graphs)
        chains.append(_dataset_chain(session, graph, recordings[graph.chain.recording_id], key, scrub))
    return DatasetContents(tuple(items), tuple(chains), dict(left_out), not everything, tuple(ids), checksum)


class _TextScrubs:
    """Scrubs texts, and caches the results."""

    def __init__(self, scrubber: TextScrubber) -> None:
        self._scrubber = scrubber
        self._known: dict[str, ScrubResult] = {}

    def __call__(self, owner: Recording, texts: Sequence[tuple[int, str, str]]) -> Iterator[ReleasedText]:
        """Yield texts of a recording, given as (time, place, text), in scrubbed form."""
        for time_us, place, text in texts:
            if text not in self._known:
                self._known[text] = self._scrubber.scrub(text)
            made = self._known[text]
            yield ReleasedText(owner.number, owner.id, time_us, place, text, made.text, made.replacements)


def _dataset_question(item: VerificationItem, owner: Recording, key: str, scrub: _TextScrubs) -> DatasetQuestion | None:
    question = item.question
    said = [("question", question.text), ("explanation", question.explanation)]
    said += [("aspect", question.aspect)]
    said += [(f"option {letter}", text) for letter, text in zip(LETTERS, question.options, strict=False)]
    texts = (*scrub(owner, [(question.start_us, place, text) for place, text in said]),)
    text, explanation, aspect, *shown = (released_text.after for released_text in texts)
    if len({" ".join(option.casefold().split()) for option in shown}) < len(shown):
        return None
    labels = [word.difficulty for word in item.verifications if word.difficulty]
    return DatasetQuestion(
        derive_released_id(key, question.id),
        recording_code(owner.number),
        question.kind.value,
        aspect,
        question.start_us,
        question.end_us,
        text,
        tuple(shown),
        question.correct_letter,
        explanation,
        None if question.chain_id is None else derive_released_id(key, question.chain_id),
        tuple(derive_released_id(key, covered_id) for covered_id in question.covers),
        question.maker.value,
        max(sorted(set(labels)), key=labels.count, default=""),
        item.state is VerificationState.VERIFIED and item.ready,
        item.stale,
        tuple(released_text for released_text in texts if released_text.before.strip()),
    )


def _dataset_chain(session: Session, graph: ChainGraph, owner: Recording, key: str, scrub: _TextScrubs) -> ItemChain:
    people = pseudonyms(session.study)
    said = [(0, "chain", graph.chain.name), *((node.start_us, node.kind.value, node.text) for node in graph.nodes)]
    name, *texts = scrub(owner, said)
    nodes: list[Json] = [
        {
            "id": derive_released_id(key, chain_node.id),
            "kind": chain_node.kind.value,
            "text": text.after,
            "start": chain_node.start_us / SECOND_US,
            "end": chain_node.end_us / SECOND_US,
            "people": [*sorted(people[who] for who in chain_node.people)],
        }
        for chain_node, text in zip(graph.nodes, texts, strict=True)
    ]
    edges: list[Json] = [
        {"reason": derive_released_id(key, edge.reason_id), "result": derive_released_id(key, edge.result_id)}
        for edge in graph.edges
    ]
    code, chain_id = recording_code(owner.number), derive_released_id(key, graph.chain.id)
    line: dict[str, Json] = {
        "id": chain_id,
        "recording": code,
        "name": name.after,
        "agreed": is_consensus(session, graph.chain),
        "nodes": nodes,
        "edges": edges,
    }
    said_there = tuple(released_text for released_text in (name, *texts) if released_text.before.strip())
    names = tuple(sorted({people[who] for node in graph.nodes for who in node.people}))
    return ItemChain(chain_id, code, line, said_there, names)
