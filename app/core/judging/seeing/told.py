"""How texts about a recording are told: people by what they are called in the request, scrubbed where they must be."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from app.core.session import Session
from project.chains import ChainGraph
from project.queries.participants import participants_there
from project.questions import Question
from project.types import Participant

Told = Callable[[str], str]


def cast_told(session: Session, recording_id: str) -> list[Participant]:
    """Return who appears or speaks in a recording, in the order in which they were added to the study.

    Whatever of it is shown, they are called the same in every request about its questions and chains.
    """
    return participants_there(session.study, recording_id)


def telling(people: Iterable[Participant], names: Mapping[str, str], written: Told) -> Told:
    """Return how a text of somebody who knows the pseudonyms is told.

    Pseudonyms give way to what their people are called, between word borders and in their own case; what people are
    called stays as it is, so that `User P07` does not become `User User P07`.

    Args:
        people: everybody who takes part.
        names: participant id -> what they are called.
        written: how a text of the study may be written.
    """
    called = {one.pseudonym: names[one.id] for one in people if one.pseudonym.strip()}
    called |= {name: name for name in names.values()}
    if not called:
        return written
    longest_first = sorted(called, key=lambda one: (-len(one), one))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

    def told(text: str) -> str:
        return written(pattern.sub(lambda found: called[found[0]], text))

    return told


def told_question(question: Question, told: Told) -> Question:
    """Return a question in the words in which it is told; the order of its options stays."""
    return replace(
        question,
        text=told(question.text),
        answer=told(question.answer),
        wrong=tuple(replace(one, text=told(one.text)) for one in question.wrong),
        explanation=told(question.explanation),
    )


def told_chain(graph: ChainGraph, told: Told) -> ChainGraph:
    """Return a chain in the words in which it is told."""
    nodes = tuple(replace(one, text=told(one.text)) for one in graph.nodes)
    return ChainGraph(replace(graph.chain, name=told(graph.chain.name)), nodes, graph.edges)
