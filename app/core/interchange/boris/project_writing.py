"""Writes a BORIS project: an observation for each recording and annotator, as BORIS compares coders by observation."""

from collections.abc import Iterable
from typing import Any

from app.core.clock import utc_now
from app.core.interchange.boris.marks import KEY, SPEECH, Code, Marks, Place, marks_json
from app.core.interchange.boris.values import Held, TrackKey, comment_text, modifier_text, places, track_of
from app.core.interchange.document import Document, Entry, Lane, RecordingPart
from app.core.interchange.tiling import spread
from app.core.interchange.unique import unique

PLAYERS = 8
"""So many media BORIS plays side by side."""
_STATE = "State event"
_SINGLE, _SEVERAL = 0, 1
_NO_FRAME = "NA"
_KEYS = "abcdefghijklmnopqrstuvwxyz0123456789"


def project(document: Document) -> dict[str, Any]:
    """Return a project of format 7.0 as JSON objects."""
    return _Writer(document).project()


def seconds(time_us: int) -> float:
    """Return a time as BORIS counts it: whole milliseconds, in seconds."""
    return time_us // 1000 / 1000


def observation_ids(document: Document) -> list[tuple[str, RecordingPart, str, list[Lane]]]:
    """Return what becomes of each recording: id of an observation, the recording, the annotator, and their lanes.

    What is said belongs to no annotator and is an observation of its own, as is a recording without anything.
    """
    taken: set[str] = set()
    found = []
    for part in document.recordings:
        by: dict[str, list[Lane]] = {}
        for lane in part.lanes:
            by.setdefault(lane.annotator, []).append(lane)
        for annotator, lanes in (by or {"": []}).items():
            name = " ".join(f"{part.name} [{annotator}]".split()) if annotator else " ".join(part.name.split())
            found.append((unique(name or "Recording", taken), part, annotator, lanes))
    return found


class _Writer:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._held = places(document)
        self._codes: dict[tuple[TrackKey, str], str] = {}
        self._stands: dict[str, Code] = {}
        self._behaviors: list[dict[str, Any]] = []
        self._categories: dict[str, None] = {}
        self._subjects: dict[str, str] = {}
        self._rows: dict[tuple[str, int], str] = {}

    def project(self) -> dict[str, Any]:
        about: dict[str, Place] = {}
        observations: dict[str, Any] = {}
        for name, part, annotator, lanes in observation_ids(self._document):
            about[name] = Place(part.id, part.name, annotator)
            observations[name] = self._observation(part, annotator, lanes)
        subjects = {
            str(place): {"key": _KEYS[place] if place < len(_KEYS) else "", "name": name, "description": ""}
            for place, name in enumerate(name for name in self._subjects if name)
        }
        return {
            "time_format": "hh:mm:ss",
            "project_date": utc_now()[:19],
            "project_name": "Greenroom",
            "project_description": "",
            "project_format_version": "7.0",
            "subjects_conf": subjects,
            "behaviors_conf": {str(place): one for place, one in enumerate(self._behaviors)},
            "observations": observations,
            "behavioral_categories": list(self._categories),
            "behavioral_categories_config": {
                str(place): {"name": name, "color": ""} for place, name in enumerate(self._categories)
            },
            "independent_variables": {
                "0": {
                    "label": "annotator",
                    "description": "Who made the observation",
                    "type": "text",
                    "default value": "",
                    "possible values": "",
                }
            },
            "coding_map": {},
            "behaviors_coding_map": [],
            "converters": {},
            KEY: marks_json(Marks(about, self._stands, self._subjects)),
        }

    def _observation(self, part: RecordingPart, annotator: str, lanes: Iterable[Lane]) -> dict[str, Any]:
        media = part.media[:PLAYERS]
        first = media[0].offset_us if media else 0
        names = list(dict.fromkeys(link.path for link in media))
        events = [event for lane in lanes for event in self._events(lane, bool(media))]
        return {
            "file": {str(n): [media[n - 1].path] if n <= len(media) else [] for n in range(1, PLAYERS + 1)},
            "type": "MEDIA" if media else "LIVE",
            "date": utc_now()[:19],
            "description": "",
            "time offset": first / 1_000_000,
            "events": sorted(events, key=lambda event: event[0]),
            "observation time interval": [0, 0],
            "independent_variables": {"annotator": annotator},
            "visualize_spectrogram": False,
            "visualize_waveform": False,
            "close_behaviors_between_videos": False,
            "scan_sampling_time": 0,
            "start_from_current_time": False,
            "start_from_current_epoch_time": False,
            "media_info": {
                "length": dict.fromkeys(names, part.duration_us / 1000000),
                "fps": dict.fromkeys(names, 0),
                "hasVideo": dict.fromkeys(names, True),
                "hasAudio": dict.fromkeys(names, True),
                "offset": {str(n): (link.offset_us - first) / 1_000_000 for n, link in enumerate(media, start=1)},
                "display": dict.fromkeys(names, ""),
            },
        }

    def _events(self, lane: Lane, media: bool) -> Iterable[list[Any]]:
        key = track_of(lane)
        held = self._held[key]
        for text in dict.fromkeys((*lane.vocabulary, *(entry.text for entry in lane.entries))):
            self._code(key, text, held)
        by_code: dict[str, list[Entry]] = {}
        for entry in lane.entries:
            by_code.setdefault(self._code(key, entry.text, held), []).append(entry)
        # BORIS tells a start from an end by counting, so what overlaps needs a subject of its own.
        for code, entries in by_code.items():
            for number, row in enumerate(spread(entries), start=1):
                subject = self._subject(lane.participant, number)
                for entry in row:
                    speech = lane.kind == "utterances"
                    modifiers = "" if speech else modifier_text(held, entry.values)
                    comment = entry.text if speech else comment_text(held, entry.values)
                    rest = [_NO_FRAME] if media else []
                    yield [seconds(entry.start_us), subject, code, modifiers, comment, *rest]
                    yield [seconds(entry.end_us), subject, code, modifiers, "", *rest]

    def _subject(self, participant: str, number: int) -> str:
        if (participant, number) not in self._rows:
            plain = " ".join(participant.split())
            name = unique(plain if number == 1 else f"{plain} #{number}".strip(), set(self._subjects))
            self._subjects[name] = participant
            self._rows[participant, number] = name
        return self._rows[participant, number]

    def _code(self, key: TrackKey, text: str, held: Held) -> str:
        kind, scheme, track = key
        said = "" if kind == "utterances" else text
        if (key, said) in self._codes:
            return self._codes[key, said]
        plain = " ".join(said.replace("|", "/").replace(",", ";").split()) or SPEECH
        category = "" if kind == "utterances" else ".".join(one for one in (scheme, track) if one)
        code = plain if plain not in self._stands else unique(f"{plain} {category}".strip(), set(self._stands))
        self._codes[key, said] = code
        self._stands[code] = Code(kind, scheme, track, said, held.in_comment)
        if category:
            self._categories[category] = None
        self._behaviors.append(
            {
                "type": _STATE,
                "key": _KEYS[len(self._behaviors)] if len(self._behaviors) < len(_KEYS) else "",
                "code": code,
                "description": "",
                "color": "",
                "category": category,
                "modifiers": {
                    str(place): {
                        "name": one.name,
                        "description": "",
                        "type": _SEVERAL if one.several else _SINGLE,
                        "ask at stop": False,
                        "values": [*one.values],
                    }
                    for place, one in enumerate(held.modifiers)
                },
                "excluded": "",
                "coding map": "",
            }
        )
        return code
