r"""Utterances with their cues as lines of text, after the captions of ESI-Bench (appendix A.6).

    speaker_1 [4.43-5.57]: Hi, everybody [smiling, waving; calm tone]
    speaker_2 [6.10-8.00]: So [speaker_1: nodding] what do you think?

The last bracket holds the speaker's cues: actions and expressions, then emotions, then tones. A bracket with a name is
what a listener shows, and stands after the word during which it begins. `?` is a speaker whom nobody knows. A character
that would mean something where it stands has a backslash before it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.cues.marks import CueMark, cues_at
from app.core.session import Session
from project.queries.participants import all_participants
from project.queries.utterances import utterances_of
from project.timebase import SECOND
from project.transcript import tokens
from project.types import Json, Utterance

SEEN, EMOTION, TONE = "seen", "emotion", "tone"
KINDS = (SEEN, EMOTION, TONE)
"""What the cues of a speaker are told as, in the order of a line; `SEEN` are actions and expressions."""
_UNKNOWN = "?"
_MARKS = r"\[],;:()"
_KIND_AT_END = re.compile(r"[ ](?=(?:tone|emotion)$)")


@dataclass(frozen=True, slots=True)
class LineCue:
    """A cue of the speaker.

    Attributes:
        kind: of `KINDS`.
        text: what it says.
        note: more about an emotion or a tone; "" for none.
    """

    kind: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class LineResponse:
    """What a listener shows.

    Attributes:
        after: words of the utterance before it.
        who: the listener's pseudonym; None where nobody knows.
        text: what it says.
    """

    after: int
    who: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One utterance with its cues.

    Attributes:
        speaker: pseudonym; None while nobody knows.
        start_cs: in hundredths of a second.
        end_cs: likewise.
        words: of its text.
        cues: the speaker's, in the order of `KINDS`.
        responses: of listeners, by place.
    """

    speaker: str | None
    start_cs: int
    end_cs: int
    words: tuple[str, ...]
    cues: tuple[LineCue, ...] = ()
    responses: tuple[LineResponse, ...] = ()


def lines_of(session: Session, recording_id: str) -> list[Line]:
    """Return a recording's utterances with the cues that people marked, by start; pre-labels are left out."""
    names = {one.id: one.pseudonym for one in all_participants(session.study)}
    marks = cues_at(session, recording_id)
    return [_line(one, _kept(marks.get(one.id, ())), names) for one in utterances_of(session.study, recording_id)]


def export_lines(session: Session, recording_id: str) -> str:
    """Return a recording's utterances and cues in the line form, one a line."""
    return "".join(f"{write_line(line)}\n" for line in lines_of(session, recording_id))


def as_json(session: Session, recording_id: str) -> dict[str, Json]:
    """Return a recording's utterances and cues as JSON.

    Returns:
        `utterances`: each with `speaker`, `start` and `end` in seconds, `text`, `cues` and `responses`. A cue has its
        `track`, `label`, `description`, `start`, `end`, the `word` at which it begins (from 0, -1 before the first),
        and `who`, null where nobody said.
    """
    names = {one.id: one.pseudonym for one in all_participants(session.study)}
    marks = cues_at(session, recording_id)
    listed: list[Json] = []
    for one in utterances_of(session.study, recording_id):
        kept = _kept(marks.get(one.id, ()))
        listed.append(
            {
                "speaker": names.get(one.participant_id or ""),
                "start": one.start_us / SECOND,
                "end": one.end_us / SECOND,
                "text": one.text,
                "cues": [_cue_json(cue, names) for cue in kept if not cue.response],
                "responses": [_cue_json(cue, names) for cue in kept if cue.response],
            }
        )
    return {"utterances": listed}


def said_with_cues(text: str, cues: Sequence[CueMark], names: Mapping[str, str]) -> str:
    """Return the words of an utterance with its cues in brackets, as in a line, for people: without backslashes.

    Args:
        text: of the utterance.
        cues: inside it.
        names: participant id -> pseudonym.
    """
    return _plain(_said(Line(None, 0, 0, tuple(tokens(text)), _told(cues), _shown(cues, names))))


def write_line(line: Line) -> str:
    """Return the text of a line."""
    head = f"{_name(line.speaker)} [{_seconds(line.start_cs)}-{_seconds(line.end_cs)}]:"
    return f"{head} {_said(line)}".rstrip(" ")


def _said(line: Line) -> str:
    parts = [_escaped(word, r"\[]") for word in line.words]
    said = [*parts]
    for response in reversed(line.responses):
        said.insert(response.after, f"[{_name(response.who)}: {_escaped(response.text, _MARKS)}]")
    if line.cues:
        groups = ([_cue_text(cue) for cue in line.cues if cue.kind == kind] for kind in KINDS)
        said.append(f"[{'; '.join(', '.join(group) for group in groups if group)}]")
    return " ".join(said)


def _line(one: Utterance, cues: Sequence[CueMark], names: Mapping[str, str]) -> Line:
    return Line(
        names.get(one.participant_id or ""),
        round(one.start_us * 100 / SECOND),
        round(one.end_us * 100 / SECOND),
        tuple(tokens(one.text)),
        _told(cues),
        _shown(cues, names),
    )


def _told(cues: Iterable[CueMark]) -> tuple[LineCue, ...]:
    told = [_speakers(cue) for cue in cues if not cue.response]
    return tuple(dict.fromkeys(cue for kind in KINDS for cue in told if cue.kind == kind))


def _shown(cues: Iterable[CueMark], names: Mapping[str, str]) -> tuple[LineResponse, ...]:
    found = [
        LineResponse(cue.word + 1, names.get(cue.participant_id or ""), _words(cue.shown))
        for cue in cues
        if cue.response
    ]
    return tuple(dict.fromkeys(sorted(found, key=lambda each: each.after)))


def _kept(cues: Iterable[CueMark]) -> list[CueMark]:
    return [cue for cue in cues if not cue.prelabel]


def _speakers(cue: CueMark) -> LineCue:
    if cue.track in (EMOTION, TONE):
        return LineCue(cue.track, cue.name.lower(), _words(cue.description))
    return LineCue(SEEN, _words(cue.shown))


def _words(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def _cue_json(cue: CueMark, names: Mapping[str, str]) -> dict[str, Json]:
    return {
        "track": cue.track,
        "label": cue.label,
        "description": cue.description,
        "who": names.get(cue.participant_id or ""),
        "start": cue.start_us / SECOND,
        "end": cue.end_us / SECOND,
        "word": cue.word,
    }


def _cue_text(cue: LineCue) -> str:
    if cue.kind == SEEN:
        return _KIND_AT_END.sub(r"\\ ", _escaped(cue.text, _MARKS))
    note = f" ({_escaped(cue.note, _MARKS)})" if cue.note else ""
    return f"{_escaped(cue.text, _MARKS)} {cue.kind}{note}"


def _name(name: str | None) -> str:
    if name is None:
        return _UNKNOWN
    return rf"\{name}" if name == _UNKNOWN else _escaped(name, _MARKS)


def _seconds(hundredths: int) -> str:
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def _escaped(text: str, marks: str) -> str:
    return "".join(f"\\{one}" if one in marks else one for one in text)


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
