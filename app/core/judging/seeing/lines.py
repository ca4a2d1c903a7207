"""A conversation in lines, as a judge reads it."""

from collections.abc import Iterable, Mapping, Sequence

from app.core.cues.marks import CueMark, cues_at
from app.core.judging.seeing.people import UNKNOWN
from app.core.judging.seeing.shortening import Line
from app.core.judging.seeing.words import Written
from app.core.session import Session
from app.core.speech.conversation import Turn
from benchmark.quoting import on_one_line
from project.judging import RAW
from project.timebase import SECOND


def lines_of(
    turns: Iterable[Turn],
    start_us: int,
    names: Mapping[str, str],
    written: Written,
    condition: str = RAW,
    loose: Sequence[CueMark] = (),
) -> list[Line]:
    """Return a line for each turn: seconds from the segment's start, speaker, words, and cues where they were noticed.

    Args:
        turns: by start.
        start_us: of the segment.
        names: participant id -> what they are called.
        written: how a text of the study may be written.
        condition: under a rendering, a cue is told by its label; its description was never reviewed.
        loose: cues outside all turns.
    """
    found = []
    for one in turns:
        speaker = names.get(one.participant_id or "", UNKNOWN)
        text = _with_cues(on_one_line(written(one.text)), one, names, written, condition)
        head = _head(one.start_us - start_us, speaker, before=not one.inside)
        found.append((one.start_us, one.end_us, Line(head, text, not one.inside)))
    for cue in loose:
        head = _head(cue.start_us - start_us, "", before=False)
        found.append((cue.start_us, cue.end_us, Line(head, _told(cue, None, names, written, condition), False)))
    return [line for *_, line in sorted(found, key=lambda one: one[:2])]


def loose_cues(session: Session, recording_id: str, start_us: int, end_us: int) -> list[CueMark]:
    """Return the cues of people that lie in a stretch and in no utterance."""
    return [
        cue
        for cue in cues_at(session, recording_id).get("", ())
        if not cue.prelabel and cue.start_us < end_us and cue.end_us > start_us
    ]


def seconds(time_us: int, *, fine: bool = False) -> str:
    """Return a time in seconds as a judge is told it."""
    text = f"{time_us / SECOND:.{2 if fine else 1}f}"
    return f"{'0.00' if fine else '0.0'} s" if text in ("-0.0", "-0.00") else f"{text} s"


def _head(time_us: int, speaker: str, *, before: bool) -> str:
    head = f"{'(before) ' if before else ''}{seconds(time_us)}  "
    return f"{head}{speaker}: " if speaker else head


def _with_cues(text: str, turn: Turn, names: Mapping[str, str], written: Written, condition: str) -> str:
    if not turn.cues:
        return text
    words = text.split()
    after: dict[int, list[str]] = {}
    for cue in turn.cues:
        place = min(max(cue.word, -1), len(words) - 1)
        after.setdefault(place, []).append(_told(cue, turn.participant_id, names, written, condition))
    told = [*after.get(-1, ())]
    for place, word in enumerate(words):
        told += [word, *after.get(place, ())]
    return " ".join(told)


def _told(cue: CueMark, speaker_id: str | None, names: Mapping[str, str], written: Written, condition: str) -> str:
    what = on_one_line(written(cue.shown if condition == RAW else cue.name.lower()))
    who = names.get(cue.participant_id or "", "") if cue.participant_id != speaker_id else ""
    return f"({who}: {what})" if who else f"({what})"
