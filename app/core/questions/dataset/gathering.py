"""Which questions go into a data set, scrubbed and under codes, and why others do not."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anonymize.text import Scrubber
from app.core.chains.checks import sound
from app.core.chains.versions import is_consensus
from app.core.questions.verifying import Standing, Verified, gathered
from app.core.release.codes import recording_code, release_key, released_id
from app.core.release.people import people_there, refusing
from app.core.release.private import scrubber_of
from app.core.session import Session
from project.chains import ChainGraph
from project.queries.chains import all_chains, graphs_of
from project.queries.hold_outs import hold_outs
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.questions import LETTERS
from project.timebase import SECOND
from project.types import ConsentUse, Json, Recording

HELD_OUT = "its recording is held out"
NO_CONSENT = "somebody in its recording did not consent to release"
NOBODY = "nobody is said to appear in its recording, so nobody was asked"
UNVERIFIED = "two people did not approve of it yet"
STALE = "what it was made from was edited since"
UNSOUND = "the reasons of its chain go round in a circle"
ALIKE = "two of its options are alike once names are taken out"


@dataclass(frozen=True, slots=True)
class Item:
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
        replaced: how many places of its texts were taken out.
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
    replaced: int

    @property
    def answer(self) -> str:
        """The text of the right option."""
        return self.options[LETTERS.index(self.letter)]


@dataclass(frozen=True, slots=True)
class ItemChain:
    """One chain as it leaves; `as_json` is what its line says."""

    id: str
    recording: str
    as_json: Mapping[str, Json]
    texts: tuple[str, ...]
    replaced: int


@dataclass(frozen=True, slots=True)
class Gathering:
    """What a data set holds.

    Attributes:
        items: by recording and time.
        chains: those that a question of the set was made from.
        left_out: why -> how many questions.
        verified_only: unverified questions and those that are out of date were left out.
        question_ids: ids that the questions have in the study, in the order of `items`.
    """

    items: tuple[Item, ...]
    chains: tuple[ItemChain, ...]
    left_out: Mapping[str, int]
    verified_only: bool
    question_ids: tuple[str, ...]

    @property
    def replaced(self) -> int:
        """How many places of texts were taken out."""
        return sum(one.replaced for one in self.items) + sum(one.replaced for one in self.chains)

    @property
    def recordings(self) -> list[str]:
        """Codes of the recordings that questions are about, in order."""
        return sorted({one.recording for one in self.items})


def gather(session: Session, *, everything: bool = False) -> Gathering:
    """Return the questions that may leave, scrubbed as the texts of a release are: what is undecided is taken out.

    Recordings that are held out, and those in which anybody did not consent to release, are left out with all that is
    about them. Ids are sealed as those of a release, so that they tell neither row nor time.

    Args:
        session: of the study.
        everything: also questions that nobody approved of, and those that are out of date; each says so.

    Raises:
        UserError: a question is damaged, or the study is read-only and has no key of releases yet.
    """
    key = release_key(session)
    recordings = {one.id: one for one in all_recordings(session.study)}
    against = _against(session, recordings)
    scrub = _Texts(scrubber_of(session))
    left_out: Counter[str] = Counter()
    items: list[Item] = []
    ids: list[str] = []
    graphs: dict[str, ChainGraph] = {}
    for one in gathered(session):
        why = against.get(one.question.recording_id, "") or _why_not(one, everything=everything)
        made = None if why else _item(one, recordings[one.question.recording_id], key, scrub)
        if made is None:
            left_out[why or ALIKE] += 1
            continue
        items.append(made)
        ids.append(one.question.id)
        if one.graph is not None:
            graphs[one.graph.chain.id] = one.graph
    chains = [_chain(session, one, recordings[one.chain.recording_id], key, scrub) for one in graphs.values()]
    return Gathering(tuple(items), tuple(chains), dict(left_out), not everything, tuple(ids))


def _against(session: Session, recordings: Mapping[str, Recording]) -> dict[str, str]:
    kept_back = hold_outs(session.study)
    there = {one: {who.id: who for who in people} for one, people in people_there(session, heard=True).items()}
    # Whom a chain is about was there, whatever else is said about the recording.
    known = {one.id: one for one in all_participants(session.study)}
    for graph in graphs_of(session.study, all_chains(session.study)):
        for who in {who for node in graph.nodes for who in node.people}:
            there[graph.chain.recording_id][who] = known[who]
    found = {}
    for one in recordings:
        if one in kept_back:
            found[one] = HELD_OUT
        elif not there[one]:
            found[one] = NOBODY
        elif refusing(session, there[one].values(), ConsentUse.RELEASE):
            found[one] = NO_CONSENT
    return found


def _why_not(one: Verified, *, everything: bool) -> str:
    if one.graph is not None and not sound(one.graph):
        return UNSOUND
    if everything:
        return ""
    if one.standing is not Standing.VERIFIED or not one.ready:
        return UNVERIFIED
    return STALE if one.stale else ""


class _Texts:
    """Scrubs texts, each of them once."""

    def __init__(self, scrubber: Scrubber) -> None:
        self._scrubber = scrubber
        self._known: dict[str, tuple[str, int]] = {}

    def __call__(self, text: str) -> tuple[str, int]:
        """Return a text as it may leave, and in how many places it was changed."""
        if text not in self._known:
            made = self._scrubber.scrub(text)
            self._known[text] = made.text, len(made.replacements)
        return self._known[text]


def _item(one: Verified, owner: Recording, key: str, scrub: Callable[[str], tuple[str, int]]) -> Item | None:
    question = one.question
    text, *others = (scrub(each) for each in (question.text, question.explanation, *question.options))
    explanation, *options = others
    shown = tuple(each[0] for each in options)
    if len({" ".join(each.casefold().split()) for each in shown}) < len(shown):
        return None
    labels = [said.difficulty for said in one.said if said.difficulty]
    return Item(
        released_id(key, question.id),
        recording_code(owner.number),
        question.kind.value,
        question.aspect,
        question.start_us,
        question.end_us,
        text[0],
        shown,
        question.letter,
        explanation[0],
        None if question.chain_id is None else released_id(key, question.chain_id),
        tuple(released_id(key, each) for each in question.covers),
        question.maker.value,
        max(sorted(set(labels)), key=labels.count, default=""),
        one.standing is Standing.VERIFIED and one.ready,
        one.stale,
        text[1] + sum(each[1] for each in others),
    )


def _chain(
    session: Session, graph: ChainGraph, owner: Recording, key: str, scrub: Callable[[str], tuple[str, int]]
) -> ItemChain:
    people = {one.id: one.pseudonym for one in all_participants(session.study)}
    name = scrub(graph.chain.name)
    texts = [scrub(one.text) for one in graph.nodes]
    nodes: list[Json] = [
        {
            "id": released_id(key, one.id),
            "kind": one.kind.value,
            "text": text,
            "start": one.start_us / SECOND,
            "end": one.end_us / SECOND,
            "people": [*sorted(people[who] for who in one.people)],
        }
        for one, (text, _) in zip(graph.nodes, texts, strict=True)
    ]
    edges: list[Json] = [
        {"reason": released_id(key, one.reason_id), "result": released_id(key, one.result_id)} for one in graph.edges
    ]
    code, chain_id = recording_code(owner.number), released_id(key, graph.chain.id)
    said: dict[str, Json] = {
        "id": chain_id,
        "recording": code,
        "name": name[0],
        "agreed": is_consensus(session, graph.chain),
        "nodes": nodes,
        "edges": edges,
    }
    replaced = name[1] + sum(number for _, number in texts)
    return ItemChain(chain_id, code, said, (name[0], *(text for text, _ in texts)), replaced)
