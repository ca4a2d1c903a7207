"""Which questions go into a data set, scrubbed and under codes, and why others do not.

Why a question does not go into a data set.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotate.chains.chain_checks import is_sound
from annotate.chains.chain_versions import is_consensus
from anonymize.pii_detection.text_scrubber import Scrubbed, TextScrubber
from anonymize.pii_review.pii_decisions import store_hit_numbers
from anonymize.pii_review.review_hits import find_hits
from anonymize.release.participant_consent import all_people_in_recordings, list_refusing
from anonymize.release.private_content import build_scrubber, collect_private
from anonymize.release.release_plan import derive_released_id, get_release_key, recording_code
from anonymize.release.release_texts import ReleasedText
from benchmark.questions.verification import VerificationItem, VerificationState, read_items
from project.entities.causal_chains import ChainGraph
from project.entities.questions import LETTERS, Question
from project.entities.study_records import ConsentUse, Json, Recording
from project.progress import Progress, Silent
from project.queries.chain_rows import recordings_of_nodes
from project.queries.pii_rows import pii_decisions, public_words
from project.queries.recording_rows import all_participants, all_recordings, hold_outs
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
    """Return id of a recording -> why nothing about it may leave; those that may are not in it."""
    kept_back = hold_outs(session.study)
    there = all_people_in_recordings(session)
    found = {}
    for recording in recordings:
        if recording in kept_back:
            found[recording] = HELD_OUT
        elif not there[recording]:
            found[recording] = NO_PARTICIPANTS
        elif list_refusing(session, there[recording], ConsentUse.RELEASE):
            found[recording] = NO_CONSENT
    return found


def question_exclusion(item: VerificationItem, *, everything: bool) -> str:
    """Return why a question does not leave, whatever its recording; "" where it may.

    Args:
        item: the question.
        everything: also questions that nobody approved of, and those that are out of date.
    """
    if item.graph is not None and not is_sound(item.graph):
        return CYCLIC_CHAIN
    if everything:
        return ""
    if item.state is not VerificationState.VERIFIED or not item.ready:
        return UNVERIFIED
    return STALE if item.stale else ""


def option_exclusions(session: Session, questions: Iterable[Question], against: Mapping[str, str]) -> dict[str, str]:
    """Return id of a question -> why its wrong options may not leave; those whose options may are not in it.

    Args:
        session: of the study.
        questions: all that may leave otherwise.
        against: what `against_recordings` returned.
    """
    sources = {question.id: {each.source for each in question.wrong if each.source} for question in questions}
    homes = recordings_of_nodes(session.study, {each for some in sources.values() for each in some})
    found = {}
    for text, some in sources.items():
        if any(each not in homes for each in some):
            found[text] = OPTION_SOURCE_MISSING
        elif any(homes[each] in against for each in some):
            found[text] = OPTION_NOT_RELEASABLE
    return found


def release_checksum(session: Session, recordings: Mapping[str, Recording]) -> str:
    """Return a checksum over what may leave and what is private: what was gathered before it changed does not leave."""
    places = sorted(
        [at.table, at.row, at.field, at.text, at.ordinal, pii_decision.kind, pii_decision.verdict.value]
        for at, pii_decision in pii_decisions(session.study).items()
    )
    words = [collect_private(session).as_json(), sorted(public_words(session.study))]
    about = [recording_exclusions(session, recordings), places, words]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


_CHECK_INTERVAL = 20
"""Questions between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class DatasetQuestion:
    """One question as it leaves.

    Attributes:
        recording: code of its recording.
        start_us: of what is shown with it, on the recording's axis.
        end_us: of what is shown with it, on the recording's axis.
        options: as they are shown.
        letter: of the right one.
        chain: id of its chain as it leaves; None for none.
        covers: ids of the nodes that it covers, as they leave.
        verified: two people approve of it as it is.
        texts: its texts as they leave, beside what they were.
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
        """The text of the right option."""
        return self.options[LETTERS.index(self.letter)]


@dataclass(frozen=True, slots=True)
class ItemChain:
    """One chain as it leaves.

    Attributes:
        as_json: what its line says.
        texts: its texts beside what they were.
        people: pseudonyms of whom it is about.
    """

    id: str
    recording: str
    as_json: Mapping[str, Json]
    texts: tuple[ReleasedText, ...]
    people: tuple[str, ...]


@dataclass(frozen=True)
class DatasetContents:
    """What a data set holds.

    Attributes:
        items: by recording and time.
        chains: those that a question of the set was made from.
        left_out: why -> how many questions.
        verified_only: unverified questions and those that are out of date were left out.
        question_ids: ids that the questions have in the study, in the order of `items`.
        checksum: of who agreed, what is held out and what is private, when it was begun.
    """

    items: tuple[DatasetQuestion, ...]
    chains: tuple[ItemChain, ...]
    left_out: Mapping[str, int]
    verified_only: bool
    question_ids: tuple[str, ...]
    checksum: str

    @property
    def replacement_count(self) -> int:
        """How many places of texts were taken out."""
        return sum(len(text.replacements) for text in self.texts)

    @cached_property
    def texts(self) -> tuple[ReleasedText, ...]:
        """Every text that leaves, by recording and time."""
        found = [text for item in self.items for text in item.texts]
        found += [text for each in self.chains for text in each.texts]
        return tuple(sorted(found, key=lambda released_text: (released_text.recording, released_text.time_us)))

    @property
    def recordings(self) -> list[str]:
        """Codes of the recordings that questions are about, in order."""
        return sorted({item.recording for item in self.items})


def select_questions(
    session: Session, *, everything: bool = False, progress: Progress | None = None
) -> DatasetContents:
    """Do all of `gathering` at once.

    Raises:
        UserError: see `gathering`.
        Cancelled: the user stopped it.
    """
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
    """Find the questions that may leave, scrubbed as the texts of a release are: what is undecided is taken out.

    Recordings that are held out, and those in which anybody did not consent to release, are left out with all that is
    about them, or was taken from them. Ids are sealed as those of a release, so that they tell neither row nor time.

    Args:
        session: of the study.
        everything: also questions that nobody approved of, and those that are out of date; each says so.

    Yields:
        how many questions and chains were looked at, and of how many; it returns what was found.

    Raises:
        UserError: a question is damaged, or the study is read-only and has no key of releases yet.
    """
    key = get_release_key(session)
    recordings = {recording.id: recording for recording in all_recordings(session.study)}
    against, now = recording_exclusions(session, recordings), release_checksum(session, recordings)
    yield 0, 0
    store_hit_numbers(session, find_hits(session))
    yield 0, 0
    scrub = _TextScrubs(build_scrubber(session, quoting=True))
    left_out: Counter[str] = Counter()
    items: list[DatasetQuestion] = []
    ids: list[str] = []
    graphs: dict[str, ChainGraph] = {}
    yield 0, 0
    every = read_items(session)
    borrowed = option_exclusions(session, (item.question for item in every), against)
    for at, item in enumerate(every):
        if at % _CHECK_INTERVAL == 0:
            yield at, len(every)
        why = against.get(item.question.recording_id, "") or question_exclusion(item, everything=everything)
        why = why or borrowed.get(item.question.id, "")
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
        yield len(every) + len(chains), len(every) + len(graphs)
        chains.append(_dataset_chain(session, graph, recordings[graph.chain.recording_id], key, scrub))
    return DatasetContents(tuple(items), tuple(chains), dict(left_out), not everything, tuple(ids), now)


class _TextScrubs:
    """Scrubs texts, each of them once."""

    def __init__(self, scrubber: TextScrubber) -> None:
        self._scrubber = scrubber
        self._known: dict[str, Scrubbed] = {}

    def __call__(self, owner: Recording, texts: Sequence[tuple[int, str, str]]) -> Iterator[ReleasedText]:
        """Yield texts of a recording, each given with its time and place, as they may leave."""
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
    text, explanation, aspect, *shown = (each.after for each in texts)
    if len({" ".join(each.casefold().split()) for each in shown}) < len(shown):
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
        tuple(derive_released_id(key, each) for each in question.covers),
        question.maker.value,
        max(sorted(set(labels)), key=labels.count, default=""),
        item.state is VerificationState.VERIFIED and item.ready,
        item.stale,
        tuple(each for each in texts if each.before.strip()),
    )


def _dataset_chain(session: Session, graph: ChainGraph, owner: Recording, key: str, scrub: _TextScrubs) -> ItemChain:
    people = {participant.id: participant.pseudonym for participant in all_participants(session.study)}
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
    said_there = tuple(each for each in (name, *texts) if each.before.strip())
    names = tuple(sorted({people[who] for node in graph.nodes for who in node.people}))
    return ItemChain(chain_id, code, line, said_there, names)
