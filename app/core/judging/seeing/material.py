"""What is told about a question, chain or recording beside footage and words: key -> what gathers it."""

from collections.abc import Callable, Mapping, Sequence

from app.core.judging.seeing import episode_material as episode
from app.core.judging.seeing.lines import seconds
from app.core.judging.seeing.subjects import Place
from app.core.judging.seeing.told import Told
from app.core.meta.scenes import happenings, marked_once
from app.core.session import Session
from benchmark.quoting import on_one_line
from project.after import judgment_in
from project.chains import ChainGraph
from project.queries.judgments import judgments_called
from project.queries.meta import contradictions_in, looks_in, summaries_of
from project.questions import SummarySource

Names = Mapping[str, str]
"""Participant id -> what they are called in this request."""
LONGEST = 12_000
"""Characters of one piece of material; whole lines beyond are left out."""


def gathered(session: Session, place: Place, names: Names, told: Told, wanted: Sequence[str]) -> dict[str, str]:
    """Return the wanted material, several lines each; what there is none of is left out.

    Args:
        session: of the study.
        place: what is asked about, with its chain in the words in which it is told.
        names: what the people are called.
        told: how a text of the study is told.
        wanted: keys of `MATERIAL`.
    """
    found = {key: MATERIAL[key](session, place, names, told) for key in wanted}
    return {key: _bounded(text) for key, text in found.items() if text.strip()}


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
        lines.append(
            f"{number[one.id]}. {one.kind.value}{f' of {who}' if who else ''}, {span}: {on_one_line(one.text)}{reasons}"
        )
    return "\n".join(lines)


def _bounded(text: str) -> str:
    """Return a text without the lines that make it longer than `LONGEST`, and a line that says how many these are."""
    if len(text) <= LONGEST:
        return text
    lines, kept, size = text.splitlines(), 0, 0
    while kept < len(lines) and size + len(lines[kept]) < LONGEST:
        size += len(lines[kept]) + 1
        kept += 1
    first = lines[:kept] or [lines[0][:LONGEST]]
    left = len(lines) - len(first)
    return "\n".join([*first, f"({left} more lines left out here)"] if left else first)


def _chain(_session: Session, place: Place, names: Names, _told: Told) -> str:
    return chain_lines(place.chain, names, place.start_us) if place.chain is not None else ""


def _words_summary(session: Session, place: Place, _names: Names, told: Told) -> str:
    return _summary(session, place, SummarySource.WORDS, told)


def _frames_summary(session: Session, place: Place, _names: Names, told: Told) -> str:
    return _summary(session, place, SummarySource.FRAMES, told)


def _summary(session: Session, place: Place, source: SummarySource, told: Told) -> str:
    found = summaries_of(session.study, place.recording_id).get(source)
    return "\n".join(map(told, found.text.splitlines())) if found else ""


def _looks(session: Session, place: Place, names: Names, told: Told) -> str:
    found: dict[str, list[str]] = {}
    for one in looks_in(session.study, place.recording_id):
        found.setdefault(one.participant_id, []).append(on_one_line(told(one.text)))
    return "\n".join(f"{names[who]}: {', '.join(texts)}" for who, texts in found.items() if who in names)


def _contradictions(session: Session, place: Place, _names: Names, told: Told) -> str:
    return "\n".join(
        on_one_line(told(f"{one.text} {one.resolution}"))
        for one in contradictions_in(session.study, place.recording_id)
    )


def _answer_before(field: str) -> Callable[[Session, Place, Names, Told], str]:
    """Return what tells the text of an earlier answer, that of the judgment which the part names."""

    def before(session: Session, place: Place, _names: Names, told: Told) -> str:
        found = judgments_called(session.study, [one]) if (one := judgment_in(place.about.part)) else []
        said = found[0].answer.get(field) if found and found[0].recording_id == place.recording_id else None
        return told(said) if isinstance(said, str) else ""

    return before


def _of_episode(
    gather: Callable[[Session, str, str, Names, Told], str],
) -> Callable[[Session, Place, Names, Told], str]:
    def gathered_of(session: Session, place: Place, names: Names, told: Told) -> str:
        return gather(session, place.recording_id, place.about.part, names, told)

    return gathered_of


def _scenes(session: Session, place: Place, _names: Names, told: Told) -> str:
    lines = []
    for one in marked_once(happenings(session, place.recording_id)):
        here = one.segment
        if here.start_us < place.end_us and here.end_us > place.start_us:
            span = f"{seconds(here.start_us - place.start_us)} to {seconds(here.end_us - place.start_us)}"
            what = ": ".join(part for part in (one.name, told(one.who), told(one.description)) if part)
            lines.append(on_one_line(f"{span}: {what}"))
    return "\n".join(lines)


MATERIAL: Mapping[str, Callable[[Session, Place, Names, Told], str]] = {
    "chain": _chain,
    "words summary": _words_summary,
    "frames summary": _frames_summary,
    "looks": _looks,
    "contradictions": _contradictions,
    "scenes": _scenes,
    "answer before": _answer_before("explanation"),
    "nli question": _answer_before("question"),
    "episode scene": _of_episode(episode.scene),
    "episode self": _of_episode(episode.own_profile),
    "episode goal": _of_episode(episode.own_goal),
    "episode others": _of_episode(episode.others_seen),
    "episode turn": _of_episode(episode.standing),
    "episode everybody": _of_episode(episode.everybody),
}
"""Everything that a task can ask for."""
