"""The meta information of a recording: all that questions are made from, as one object and as lines of prose.

The object follows the raw form of ESI-Bench (appendix A.6, figure 6) in names of our own: facts about the recording,
its people with looks and tracks, speech by person with cues in place, scenes, two summaries, and what these say
differently.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from annotate.cues.cue_marks import CueMark
from annotate.meta.recording_cast import CuedUtterance, RecordingPerson, people_of, speech_of, without_speech
from annotate.meta.scenes import SceneEvent, happenings, marked_once
from annotate.transcript.conversation_history import said_with_cues
from project.entities.questions import SummarySource
from project.entities.study_records import Json
from project.queries.question_rows import contradictions_in, summaries_of
from project.queries.recording_rows import all_participants
from project.session.session import Session
from project.timebase import SECOND

VERSION = 1
UNKNOWN = "?"
Written = Callable[[str], str]
"""How a text of the study may be written."""
Names = Mapping[str, str]
"""Participant id -> what they are called."""


def meta_information(session: Session, recording_id: str, written: Written = str) -> dict[str, Json]:
    """Return the meta information of a recording, without pre-labels that nobody accepted.

    Args:
        session: of the study.
        recording_id: of the recording.
        written: how a text may be written; as it is by default.

    Returns:
        `meta` (version of this form), `recording` (its number), `duration`, `frame_rate`, `frames`, `people`, `speech`,
        `voice_over`, `without_speech`, `scenes`, `summaries` (`words`, `frames`), `contradictions`. Times are seconds,
        frames are positions from 0 (of speech: by the average frame rate), boxes are x, y, width, height in pixels.
    """
    recording = session.recording(recording_id)
    medium = session.main_medium(recording_id)
    video = None if medium is None else medium.facts.video
    rate, zero_us = (0.0, 0) if video is None else (video.frame_rate, video.start_us)
    names = {one.id: written(one.pseudonym) for one in all_participants(session.study)}
    said = speech_of(session, recording_id)
    summaries = summaries_of(session.study, recording_id)
    found: dict[str, Json] = {
        "meta": VERSION,
        "recording": recording.number,
        "duration": recording.duration_us / SECOND,
        "frame_rate": round(rate, 3),
        "frames": 0 if video is None else video.frames,
        "people": [_person(one, names, written) for one in people_of(session, recording_id)],
        "speech": [_said(one, names, written, (rate, zero_us)) for one in said if not one.left_out],
        "voice_over": [_said(one, names, written, (rate, zero_us)) for one in said if one.left_out],
        "without_speech": [_span(*one) for one in without_speech(said, recording.duration_us)],
        "scenes": [_scene(one, written) for one in happenings(session, recording_id) if not one.prelabel],
        "summaries": {
            source.value: written(summaries[source].text) if source in summaries else "" for source in SummarySource
        },
        "contradictions": [
            {"text": written(one.text), "resolution": written(one.resolution), "settled": one.settled}
            for one in contradictions_in(session.study, recording_id)
        ],
    }
    return found


def as_text(found: Mapping[str, Json]) -> str:
    """Return meta information as the text of a JSON file."""
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def prose(session: Session, recording_id: str, names: Names, written: Written = str) -> str:
    """Return the meta information of a recording as lines: people, then everything that happens, by time.

    Args:
        session: of the study.
        recording_id: of the recording.
        names: participant id -> what they are called; who is not among them is called `?`.
        written: how a text may be written.
    """
    people = [one for one in people_of(session, recording_id) if one.participant is not None]
    lines = [_introduced(one, names, written) for one in people]
    happens = [
        (one.utterance.start_us, _spoken(one, names, written))
        for one in speech_of(session, recording_id)
        if not one.left_out
    ]
    happens += [
        (one.segment.start_us, _happened(one, written)) for one in marked_once(happenings(session, recording_id))
    ]
    return "\n".join([*(line for line in lines if line), *(line for _, line in sorted(happens))])


def _person(one: RecordingPerson, names: Names, written: Written) -> dict[str, Json]:
    who = one.participant
    tracks: list[Json] = []
    for each in one.tracks:
        face, best = each.face, int(each.face.scores.argmax())
        tracks.append(
            {
                "id": face.id,
                **_span(int(face.times_us[0]), int(face.times_us[-1])),
                "first_frame": int(face.frames[0]),
                "last_frame": int(face.frames[-1]),
                "best_frame": int(face.frames[best]),
                "face": [round(float(side), 1) for side in face.boxes[best]],
                "person": [round(float(side), 1) for side in each.boxes[best]],
            }
        )
    return {
        "name": None if who is None else names[who.id],
        "role": None if who is None else who.role.value,
        "looks": {kind.value: written(text) for kind, text in one.looks.items()},
        "seen": [_span(*each) for each in one.shown],
        "speaks": one.spoken_us / SECOND,
        "tracks": tracks,
    }


def _said(one: CuedUtterance, names: Names, written: Written, clock: tuple[float, int]) -> dict[str, Json]:
    said, (rate, zero_us) = one.utterance, clock
    frames = [max(0, round((time_us - zero_us) * rate / SECOND)) for time_us in (said.start_us, said.end_us)]
    text = written(said.text)
    return {
        "speaker": names.get(said.participant_id or ""),
        **_span(said.start_us, said.end_us),
        "first_frame": frames[0],
        "last_frame": frames[1],
        "text": text,
        "with_cues": _with_cues(one, names, written),
        "cues": [_cue(cue, names, written) for cue in one.cues if not cue.response],
        "responses": [_cue(cue, names, written) for cue in one.cues if cue.response],
    }


def _cue(one: CueMark, names: Names, written: Written) -> dict[str, Json]:
    return {
        "track": one.track,
        "label": one.label,
        "description": written(one.description),
        "who": names.get(one.participant_id or ""),
        **_span(one.start_us, one.end_us),
        "word": one.word,
    }


def _scene(one: SceneEvent, written: Written) -> dict[str, Json]:
    return {
        "track": one.segment.track,
        "label": one.segment.label,
        "description": written(one.description),
        "who": written(one.who) or None,
        **_span(one.segment.start_us, one.segment.end_us),
    }


def _span(start_us: int, end_us: int) -> dict[str, Json]:
    return {"start": start_us / SECOND, "end": end_us / SECOND}


def _introduced(one: RecordingPerson, names: Names, written: Written) -> str:
    assert one.participant is not None
    if not one.looks:
        return ""
    return f"{names.get(one.participant.id, UNKNOWN)}: {'; '.join(_flat(written(text)) for text in one.looks.values())}"


def _spoken(one: CuedUtterance, names: Names, written: Written) -> str:
    said = one.utterance
    who = names.get(said.participant_id or "", UNKNOWN)
    return f"{_times(said.start_us, said.end_us)} {who}: {_flat(_with_cues(one, names, written))}"


def _with_cues(one: CuedUtterance, names: Names, written: Written) -> str:
    """Return the words of an utterance with its cues, each part written by itself: decisions are about parts."""
    cues = [replace(cue, description=written(cue.description)) for cue in one.cues]
    return written(said_with_cues(written(one.utterance.text), cues, names))


def _happened(one: SceneEvent, written: Written) -> str:
    told = f": {_flat(written(one.description))}" if one.description else ""
    return f"{_times(one.segment.start_us, one.segment.end_us)} ({one.name}{told})"


def _times(start_us: int, end_us: int) -> str:
    return f"{start_us / SECOND:.2f}-{end_us / SECOND:.2f} s"


def _flat(text: str) -> str:
    return " ".join(text.split())
