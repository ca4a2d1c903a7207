"""What is told about a question, chain or recording beside footage and words: key -> what gathers it."""

from collections.abc import Callable, Mapping, Sequence

from app.core.judging.seeing.lines import seconds
from app.core.judging.seeing.subjects import Place
from app.core.session import Session
from project.chains import ChainGraph
from project.queries.meta import contradictions_in, looks_in, summaries_of
from project.questions import SummarySource

Names = Mapping[str, str]
"""Participant id -> what they are called in this request."""


def gathered(session: Session, place: Place, names: Names, wanted: Sequence[str]) -> dict[str, str]:
    """Return the wanted material, several lines each; what there is none of is left out.

    Args:
        session: of the study.
        place: what is asked about.
        names: what the people are called.
        wanted: keys of `MATERIAL`.
    """
    found = {key: MATERIAL[key](session, place, names) for key in wanted}
    return {key: text for key, text in found.items() if text}


def chain_lines(graph: ChainGraph, names: Names, zero_us: int) -> str:
    """Return a chain in words: a line for each node, numbered by time, with whose it is, its span and its reasons.

    Args:
        graph: the chain.
        names: what the people are called.
        zero_us: the moment that times are told from.
    """
    number = {one.id: at for at, one in enumerate(graph.nodes, 1)}
    lines = []
    for one in graph.nodes:
        who = ", ".join(names[each] for each in one.people if each in names)
        span = f"{seconds(one.start_us - zero_us)} to {seconds(one.end_us - zero_us)}"
        because = ", ".join(str(number[each]) for each in graph.reasons[one.id])
        reasons = f" (because of {because})" if because else ""
        lines.append(f"{number[one.id]}. {one.kind.value}{f' of {who}' if who else ''}, {span}: {one.text}{reasons}")
    return "\n".join(lines)


def _chain(_session: Session, place: Place, names: Names) -> str:
    return chain_lines(place.chain, names, place.start_us) if place.chain is not None else ""


def _words_summary(session: Session, place: Place, _names: Names) -> str:
    found = summaries_of(session.study, place.recording_id).get(SummarySource.WORDS)
    return found.text if found else ""


def _frames_summary(session: Session, place: Place, _names: Names) -> str:
    found = summaries_of(session.study, place.recording_id).get(SummarySource.FRAMES)
    return found.text if found else ""


def _looks(session: Session, place: Place, names: Names) -> str:
    found: dict[str, list[str]] = {}
    for one in looks_in(session.study, place.recording_id):
        found.setdefault(one.participant_id, []).append(one.text)
    return "\n".join(f"{names[who]}: {', '.join(texts)}" for who, texts in found.items() if who in names)


def _contradictions(session: Session, place: Place, _names: Names) -> str:
    return "\n".join(
        f"{one.text} {one.resolution}".strip() for one in contradictions_in(session.study, place.recording_id)
    )


MATERIAL: Mapping[str, Callable[[Session, Place, Names], str]] = {
    "chain": _chain,
    "words summary": _words_summary,
    "frames summary": _frames_summary,
    "looks": _looks,
    "contradictions": _contradictions,
}
"""Everything that a task can ask for."""
