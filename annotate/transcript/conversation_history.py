"""Utterances with their cues as lines of text, and the conversation history that people and judges see.

The lines follow the captions of ESI-Bench (appendix A.6).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotate.cues.cue_marks import CueMark, cues_by_utterance
from project.entities.study_records import Json, Participant, Utterance
from project.entities.transcript import split_words
from project.queries.recording_rows import all_participants, pseudonyms
from project.queries.transcript_rows import utterances_before, utterances_between, utterances_of
from project.session.session import Session
from project.timebase import SECOND_US

SEEN, EMOTION, TONE = "seen", "emotion", "tone"
CUE_KINDS = (SEEN, EMOTION, TONE)
"""Kinds of a speaker's cues, in the order of a line; `SEEN` are actions and expressions."""
_UNKNOWN = "?"
_SPECIAL_CHARS = r"\[],;:()"
_KIND_AT_END = re.compile(r"[ ](?=(?:tone|emotion)$)")


@dataclass(frozen=True, slots=True)
class LineCue:
    """A cue of the speaker.

    Attributes:
        kind: of `CUE_KINDS`.
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
    """

    after: int
    who: str | None
    text: str


@dataclass(frozen=True, slots=True)
class CaptionLine:
    """One utterance with its cues.

    Attributes:
        speaker: pseudonym; None while nobody knows.
        start_cs: in hundredths of a second.
        end_cs: likewise.
        cues: the speaker's, in the order of `CUE_KINDS`.
        responses: of listeners, by place.
    """

    speaker: str | None
    start_cs: int
    end_cs: int
    words: tuple[str, ...]
    cues: tuple[LineCue, ...] = ()
    responses: tuple[LineResponse, ...] = ()


def read_caption_lines(session: Session, recording_id: str) -> list[CaptionLine]:
    """Return a recording's utterances with the cues that people marked, by start; pre-labels are left out."""
    names = pseudonyms(session.study)
    marks = cues_by_utterance(session, recording_id, prelabels=False)
    return [
        _line(utterance, marks.get(utterance.id, ()), names) for utterance in utterances_of(session.study, recording_id)
    ]


def export_lines(session: Session, recording_id: str) -> str:
    """Return a recording's utterances and cues in the line form, one a line."""
    return "".join(f"{format_line(line)}\n" for line in read_caption_lines(session, recording_id))


def transcript_to_json(session: Session, recording_id: str) -> dict[str, Json]:
    """Return a recording's utterances and cues as JSON.

    Returns:
        `utterances`: each with `speaker`, `start` and `end` in seconds, `text`, `words` with measured times, `cues` and
        `responses`. A cue has its `track`, `label`, `description`, `start`, `end`, the `word` at which it begins (from
        0, -1 before the first), and `who`, null where nobody said.
    """
    names = pseudonyms(session.study)
    marks = cues_by_utterance(session, recording_id, prelabels=False)
    listed: list[Json] = []
    for utterance in utterances_of(session.study, recording_id):
        listed.append(
            {
                "speaker": names.get(utterance.participant_id or ""),
                "start": utterance.start_us / SECOND_US,
                "end": utterance.end_us / SECOND_US,
                "text": utterance.text,
                "words": [
                    {
                        "text": word.text,
                        "start": word.start_us / SECOND_US,
                        "end": word.end_us / SECOND_US,
                        "confidence": word.confidence,
                    }
                    for word in utterance.words
                ],
                **cues_to_json(marks.get(utterance.id, ()), names),
            }
        )
    return {"utterances": listed}


def format_with_cues(text: str, cues: Sequence[CueMark], names: Mapping[str, str]) -> str:
    """Return the words of an utterance with its cues in brackets, as in a line, for people: without backslashes."""
    return _unescape(
        _format_words(
            CaptionLine(None, 0, 0, tuple(split_words(text)), _speaker_cues(cues), _listener_responses(cues, names))
        )
    )


def format_line(line: CaptionLine) -> str:
    """Return the text of a line."""
    head = f"{_name(line.speaker)} [{_format_seconds(line.start_cs)}-{_format_seconds(line.end_cs)}]:"
    return f"{head} {_format_words(line)}".rstrip(" ")


def _format_words(line: CaptionLine) -> str:
    parts = [_escape(word, r"\[]") for word in line.words]
    said = [*parts]
    for response in reversed(line.responses):
        said.insert(response.after, f"[{_name(response.who)}: {_escape(response.text, _SPECIAL_CHARS)}]")
    if line.cues:
        groups = ([_cue_text(cue) for cue in line.cues if cue.kind == kind] for kind in CUE_KINDS)
        said.append(f"[{'; '.join(', '.join(group) for group in groups if group)}]")
    return " ".join(said)


def _line(utterance: Utterance, cues: Sequence[CueMark], names: Mapping[str, str]) -> CaptionLine:
    return CaptionLine(
        names.get(utterance.participant_id or ""),
        round(utterance.start_us * 100 / SECOND_US),
        round(utterance.end_us * 100 / SECOND_US),
        tuple(split_words(utterance.text)),
        _speaker_cues(cues),
        _listener_responses(cues, names),
    )


def _speaker_cues(cues: Iterable[CueMark]) -> tuple[LineCue, ...]:
    told = [_speaker_cue(cue) for cue in cues if not cue.is_response]
    return tuple(dict.fromkeys(cue for kind in CUE_KINDS for cue in told if cue.kind == kind))


def _listener_responses(cues: Iterable[CueMark], names: Mapping[str, str]) -> tuple[LineResponse, ...]:
    found = [
        LineResponse(cue.word + 1, names.get(cue.participant_id or ""), _words(cue.display_text))
        for cue in cues
        if cue.is_response
    ]
    return tuple(dict.fromkeys(sorted(found, key=lambda response: response.after)))


def _speaker_cue(cue: CueMark) -> LineCue:
    if cue.track in (EMOTION, TONE):
        return LineCue(cue.track, cue.name.lower(), _words(cue.description))
    return LineCue(SEEN, _words(cue.display_text))


def _words(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def cues_to_json(cues: Iterable[CueMark], names: Mapping[str, str]) -> dict[str, Json]:
    """Return the `cues` of a speaker and the `responses` of listeners as JSON; see `transcript_to_json`."""
    told: dict[str, list[Json]] = {"cues": [], "responses": []}
    for cue in cues:
        told["responses" if cue.is_response else "cues"].append(_cue_to_json(cue, names))
    return {**told}


def _cue_to_json(cue: CueMark, names: Mapping[str, str]) -> Json:
    return {
        "track": cue.track,
        "label": cue.label,
        "description": cue.description,
        "who": names.get(cue.participant_id or ""),
        "start": cue.start_us / SECOND_US,
        "end": cue.end_us / SECOND_US,
        "word": cue.word,
    }


def _cue_text(cue: LineCue) -> str:
    if cue.kind == SEEN:
        return _KIND_AT_END.sub(r"\\ ", _escape(cue.text, _SPECIAL_CHARS))
    note = f" ({_escape(cue.note, _SPECIAL_CHARS)})" if cue.note else ""
    return f"{_escape(cue.text, _SPECIAL_CHARS)} {cue.kind}{note}"


def _name(name: str | None) -> str:
    if name is None:
        return _UNKNOWN
    return rf"\{name}" if name == _UNKNOWN else _escape(name, _SPECIAL_CHARS)


def _format_seconds(hundredths: int) -> str:
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def _escape(text: str, marks: str) -> str:
    return "".join(f"\\{char}" if char in marks else char for char in text)


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


DEFAULT_TURNS_BEFORE = 6
"""Turns before a stretch that are shown where nobody asks for another number."""


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """One utterance of a conversation.

    Attributes:
        speaker: None while nobody knows.
        inside: it shares time with the stretch; else it is over before it.
        cues: what people marked inside it, where they were asked for; pre-labels are never among them.
    """

    utterance: Utterance
    speaker: Participant | None
    inside: bool
    cues: Sequence[CueMark] = ()


def read_conversation(
    session: Session,
    recording_id: str,
    start_us: int,
    end_us: int,
    before: int = DEFAULT_TURNS_BEFORE,
    cues: bool = False,
) -> list[DialogueTurn]:
    """Return the utterances that share time with a stretch and those that led up to it, by start.

    At most `before` utterances lead up to it.
    """
    study = session.study
    inside = utterances_between(study, recording_id, start_us, end_us)
    earlier = utterances_before(study, recording_id, start_us, before) if before > 0 else []
    if not (inside or earlier):
        return []
    people = {participant.id: participant for participant in all_participants(study)}
    marks = cues_by_utterance(session, recording_id, prelabels=False) if cues else {}
    chosen = {utterance.id for utterance in inside}
    return [
        DialogueTurn(
            utterance, people.get(utterance.participant_id or ""), utterance.id in chosen, marks.get(utterance.id, ())
        )
        for utterance in sorted(
            (*earlier, *inside), key=lambda utterance: (utterance.start_us, utterance.end_us, utterance.id)
        )
    ]
