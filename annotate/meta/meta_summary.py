"""The meta information of a recording as one object and as prose: the input of question generation.

The object follows the raw form of ESI-Bench (appendix A.6, figure 6), with field names of our own.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from annotate.cues.cue_marks import CueMark
from annotate.meta.recording_cast import CuedUtterance, RecordingPerson, find_pauses, list_people, read_cued_utterances
from annotate.meta.scenes import SceneEvent, deduplicate_marks, read_scene_events
from annotate.transcript.conversation_history import cues_to_json, format_with_cues
from project.entities.questions import SummarySource
from project.entities.study_records import Json
from project.queries.question_rows import contradictions_in, summaries_of
from project.queries.recording_rows import all_participants
from project.session.session import Session
from project.timebase import SECOND_US

VERSION = 1
UNKNOWN = "?"
TextTransform = Callable[[str], str]
"""How a text of the study may be written."""
Names = Mapping[str, str]
"""Participant id -> what they are called."""


def build_meta_information(session: Session, recording_id: str, written: TextTransform = str) -> dict[str, Json]:
    """Return the meta information of a recording, without pre-labels that nobody accepted.

    `written` says how a text may be written.

    Returns:
        `meta` (version of this form), `recording` (its number), `duration`, `frame_rate`, `frames`, `people`, `speech`,
        `voice_over`, `without_speech`, `scenes`, `summaries` (`words`, `frames`), `contradictions`. Times are seconds,
        frames are positions from 0 (of speech: by the average frame rate), boxes are x, y, width, height in pixels.
    """
    recording = session.recording(recording_id)
    medium = session.main_medium(recording_id)
    video = None if medium is None else medium.facts.video
    rate, zero_us = (0.0, 0) if video is None else (video.frame_rate, video.start_us)
    names = {participant.id: written(participant.pseudonym) for participant in all_participants(session.study)}
    said = read_cued_utterances(session, recording_id)
    summaries = summaries_of(session.study, recording_id)
    found: dict[str, Json] = {
        "meta": VERSION,
        "recording": recording.number,
        "duration": recording.duration_us / SECOND_US,
        "frame_rate": round(rate, 3),
        "frames": 0 if video is None else video.frames,
        "people": [_person_json(person, names, written) for person in list_people(session, recording_id)],
        "speech": [_utterance_json(cued, names, written, (rate, zero_us)) for cued in said if not cued.is_voice_over],
        "voice_over": [_utterance_json(cued, names, written, (rate, zero_us)) for cued in said if cued.is_voice_over],
        "without_speech": [_span_json(*pause) for pause in find_pauses(said, recording.duration_us)],
        "scenes": [
            _scene_json(scene, written) for scene in read_scene_events(session, recording_id) if not scene.prelabel
        ],
        "summaries": {
            source.value: written(summaries[source].text) if source in summaries else "" for source in SummarySource
        },
        "contradictions": [
            {
                "text": written(contradiction.text),
                "resolution": written(contradiction.resolution),
                "settled": contradiction.settled,
            }
            for contradiction in contradictions_in(session.study, recording_id)
        ],
    }
    return found


def format_meta_json(found: Mapping[str, Json]) -> str:
    """Return meta information as the text of a JSON file."""
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def format_prose(session: Session, recording_id: str, names: Names) -> str:
    """Return the meta information of a recording as lines: people, then everything that happens, by time.

    `names` has what each participant is called, by id; anybody else is called `?`.
    """
    people = [person for person in list_people(session, recording_id) if person.participant is not None]
    lines = [_person_line(person, names) for person in people]
    happens = [
        (cued.utterance.start_us, _utterance_line(cued, names))
        for cued in read_cued_utterances(session, recording_id)
        if not cued.is_voice_over
    ]
    happens += [
        (mark.segment.start_us, _scene_line(mark))
        for mark in deduplicate_marks(read_scene_events(session, recording_id))
    ]
    return "\n".join([*(line for line in lines if line), *(line for _, line in sorted(happens))])


def _person_json(person: RecordingPerson, names: Names, written: TextTransform) -> dict[str, Json]:
    who = person.participant
    tracks: list[Json] = []
    for track in person.tracks:
        face, best = track.face, int(track.face.scores.argmax())
        tracks.append(
            {
                "id": face.id,
                **_span_json(int(face.times_us[0]), int(face.times_us[-1])),
                "first_frame": int(face.frames[0]),
                "last_frame": int(face.frames[-1]),
                "best_frame": int(face.frames[best]),
                "face": [round(float(side), 1) for side in face.boxes[best]],
                "person": [round(float(side), 1) for side in track.boxes[best]],
            }
        )
    return {
        "name": None if who is None else names[who.id],
        "role": None if who is None else who.role.value,
        "looks": {kind.value: written(text) for kind, text in person.descriptions.items()},
        "seen": [_span_json(*span) for span in person.visible_spans],
        "speaks": person.spoken_us / SECOND_US,
        "tracks": tracks,
    }


def _utterance_json(
    cued: CuedUtterance, names: Names, written: TextTransform, clock: tuple[float, int]
) -> dict[str, Json]:
    said, (rate, zero_us) = cued.utterance, clock
    frames = [max(0, round((time_us - zero_us) * rate / SECOND_US)) for time_us in (said.start_us, said.end_us)]
    return {
        "speaker": names.get(said.participant_id or ""),
        **_span_json(said.start_us, said.end_us),
        "first_frame": frames[0],
        "last_frame": frames[1],
        "text": written(said.text),
        "with_cues": _with_cues(cued, names, written),
        **cues_to_json(_written_cues(cued, written), names),
    }


def _scene_json(scene: SceneEvent, written: TextTransform) -> dict[str, Json]:
    return {
        "track": scene.segment.track,
        "label": scene.segment.label,
        "description": written(scene.description),
        "who": written(scene.who) or None,
        **_span_json(scene.segment.start_us, scene.segment.end_us),
    }


def _span_json(start_us: int, end_us: int) -> dict[str, Json]:
    return {"start": start_us / SECOND_US, "end": end_us / SECOND_US}


def _person_line(person: RecordingPerson, names: Names) -> str:
    assert person.participant is not None
    if not person.descriptions:
        return ""
    name = names.get(person.participant.id, UNKNOWN)
    descriptions = map(_collapse_whitespace, person.descriptions.values())
    return f"{name}: {'; '.join(descriptions)}"


def _utterance_line(cued: CuedUtterance, names: Names) -> str:
    said = cued.utterance
    who = names.get(said.participant_id or "", UNKNOWN)
    words = _collapse_whitespace(format_with_cues(said.text, cued.cues, names))
    return f"{_format_span(said.start_us, said.end_us)} {who}: {words}"


def _with_cues(cued: CuedUtterance, names: Names, written: TextTransform) -> str:
    """Return the words of an utterance with its cues, each part written by itself: decisions are about parts."""
    cues = _written_cues(cued, written)
    return written(format_with_cues(written(cued.utterance.text), cues, names))


def _written_cues(cued: CuedUtterance, written: TextTransform) -> list[CueMark]:
    return [replace(cue, description=written(cue.description)) for cue in cued.cues]


def _scene_line(scene: SceneEvent) -> str:
    told = f": {_collapse_whitespace(scene.description)}" if scene.description else ""
    return f"{_format_span(scene.segment.start_us, scene.segment.end_us)} ({scene.name}{told})"


def _format_span(start_us: int, end_us: int) -> str:
    return f"{start_us / SECOND_US:.2f}-{end_us / SECOND_US:.2f} s"


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())
