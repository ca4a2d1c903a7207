"""Suggests who speaks in each stretch, and flags the places that a person should check."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from models.speakers.active_speaker import (
    FaceMovement,
    FaceSpeakingScores,
    Mouth,
    SpeakerAssignment,
    SpeakerEvidence,
    guess_speakers,
    match_voices,
    resample_mouth,
    score_faces,
    smooth,
)
from models.speakers.voice_clustering import (
    BIN_US,
    MIN_RELIABLE_S,
    Sound,
    SpeakerTurn,
    Voices,
    cluster_windows,
    find_turns,
    group_voices,
    voice_probabilities,
)
from project.timebase import SECOND_US

MAX_SHORT_US = 2 * SECOND_US // 5
SURE_CONFIDENCE = 0.6
_LEAST_TURN_US = SECOND_US
_SHARED = 0.3


class FlagKind(StrEnum):
    """Why."""

    DISAGREE = "disagree"
    TWO_VOICES = "two-voices"
    OVERLAP = "overlap"
    SHORT = "short"
    DOUBTFUL = "doubtful"


@dataclass(frozen=True, slots=True)
class Flag:
    """One place to look at.

    Attributes:
        utterance: its id; "" for a stretch without one.
        other: key of who else it may be.
        at_us: where another voice begins, for `TWO_VOICES`.
    """

    kind: FlagKind
    utterance: str
    start_us: int
    end_us: int
    person: str | None = None
    other: str | None = None
    at_us: int | None = None


_LEAST_PART_US = 200_000
_LEAST_TEMPER = 0.25


@dataclass(frozen=True, slots=True)
class UtteranceSpan:
    """Something that one speaker says.

    Attributes:
        id: of an utterance; "" for a stretch of which only the times are known.
        known_speaker: key of the person who speaks, where somebody said so.
    """

    id: str
    start_us: int
    end_us: int
    known_speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Cast:
    """Who may speak.

    Attributes:
        faces: id of a track -> key of whose face it is.
        robot: key of one who is a robot, or None.
        expected: number of speakers that is likely.
    """

    people: tuple[str, ...]
    faces: Mapping[str, str]
    robot: str | None = None
    number: int | None = None
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class SpeakerSuggestion:
    """Who speaks in a stretch.

    Attributes:
        speaker: number from 1, the same wherever the same one speaks; None where nothing tells.
        confidence: 0 to 1.
        faces: id of a track -> how probable it is that this face speaks.
        nobody: how probable it is that nobody visible speaks.
    """

    stretch: UtteranceSpan
    speaker: int | None
    person: str | None
    confidence: float
    faces: Mapping[str, float]
    nobody: float


@dataclass(frozen=True, slots=True)
class DiarizationResult:
    """All suggestions, in order of time, and where somebody should look.

    Attributes:
        voices: how many were told apart; 0 without embedding.
    """

    suggestions: tuple[SpeakerSuggestion, ...]
    flags: tuple[Flag, ...]
    voices: int


def diarize(
    stretches: Sequence[UtteranceSpan],
    sound: Sound,
    looks: Mapping[str, FaceMovement],
    cuts_us: Sequence[int],
    cast: Cast,
) -> DiarizationResult:
    """Say who speaks in each stretch.

    Stretches come in order of time; where none has an id, they are cut into turns of one voice first. Shots begin at
    the ascending `cuts_us`.
    """
    spans = [(stretch.start_us, stretch.end_us) for stretch in stretches]
    turns: list[SpeakerTurn] = []
    if any(stretch.id for stretch in stretches):
        shared = _overlap_shares(spans)
        vectors = _mean_vectors(stretches, sound, shared)
        seconds = np.array([end - start for start, end in spans], np.float64) / SECOND_US
        voices = group_voices(vectors, seconds, cast.number, cast.expected)
        turns = find_turns(spans, sound, voices.centres)
    else:
        found, voices = _cut_turns(spans, sound, cast)
        if found:
            sound = _assign_windows(found, sound)
            stretches = [UtteranceSpan("", turn.start_us, turn.end_us) for turn in found]
        shared = [0.0] * len(stretches)
        vectors = sound.mean_vectors(len(stretches))
    mouths = {track: resample_mouth(seen) for track, seen in looks.items()}
    faces = _score_faces(stretches, mouths, sound, cuts_us)
    evidence = _evidence(stretches, vectors, voices, faces, cast)
    guesses = guess_speakers(evidence, match_voices(evidence))
    suggestions = _suggestions(stretches, guesses, faces, cast)
    others = [None if guess.other is None else cast.people[guess.other] for guess in guesses]
    flags = _find_flags(suggestions, others, shared, turns)
    return DiarizationResult(tuple(suggestions), tuple(flags), len(voices.centres))


def shift_to_axis(sound: Sound, offset_us: int) -> Sound:
    """Return what was heard in a file that begins `offset_us` after the recording, on the recording's axis."""
    bins = round(offset_us / BIN_US)
    silent = float(sound.loudness.min(initial=0))
    loudness = sound.loudness[max(0, -bins) :]
    if bins > 0:
        loudness = np.concatenate([np.full(bins, silent, np.float32), loudness])
    return Sound(loudness, sound.vectors, sound.times_us + offset_us, sound.owners)


def _find_flags(
    suggestions: Sequence[SpeakerSuggestion],
    others: Sequence[str | None],
    shared: Sequence[float],
    turns: Sequence[SpeakerTurn],
) -> list[Flag]:
    """Return the places to look at, in order of time; those where a person said who speaks are none.

    `others` are whom a sure face or voice names beside the person suggested; `shared` is how much of each stretch
    others share; turns of one voice lie inside the stretches.
    """
    changes, flags = _changes(turns), []
    for suggestion, other, common in zip(suggestions, others, shared, strict=True):
        stretch = suggestion.stretch
        start, end = stretch.start_us, stretch.end_us
        if stretch.known_speaker is not None:
            continue
        kinds: list[tuple[FlagKind, int | None]] = []
        if other is not None:
            kinds.append((FlagKind.DISAGREE, None))
        change = next((at for at in changes if start < at < end), None) if stretch.id else None
        if change is not None:
            kinds.append((FlagKind.TWO_VOICES, change))
        if common >= _SHARED:
            kinds.append((FlagKind.OVERLAP, None))
        if end - start < MAX_SHORT_US:
            kinds.append((FlagKind.SHORT, None))
        if not kinds and 0 < suggestion.confidence < SURE_CONFIDENCE:
            kinds.append((FlagKind.DOUBTFUL, None))
        flags += [Flag(kind, stretch.id, start, end, suggestion.person, other, at) for kind, at in kinds]
    return flags


def _changes(turns: Sequence[SpeakerTurn]) -> list[int]:
    """Return where one voice follows another without a break, both long enough to be told."""
    return [
        second.start_us
        for first, second in pairwise(turns)
        if first.end_us == second.start_us
        and min(first.end_us - first.start_us, second.end_us - second.start_us) >= _LEAST_TURN_US
    ]


def _cut_turns(spans: Sequence[tuple[int, int]], sound: Sound, cast: Cast) -> tuple[list[SpeakerTurn], Voices]:
    """Return the turns inside stretches, and their voices.

    Windows that lie over a change of speakers look like voices of their own, so the voices of windows show where to
    cut first; then those of whole turns are told apart, and where to cut is decided again. There are no more voices
    than both ways found.
    """
    voices = cluster_windows(sound, cast.number, cast.expected)
    found = find_turns(spans, sound, voices.centres)
    if not found:
        return [], voices
    vectors = _assign_windows(found, sound).mean_vectors(len(found))
    seconds = np.array([turn.end_us - turn.start_us for turn in found], np.float64) / SECOND_US
    again = group_voices(vectors, seconds, cast.number, cast.expected)
    if len(again.centres) > len(voices.centres):
        again = group_voices(vectors, seconds, len(voices.centres))
    return find_turns(spans, sound, again.centres), again


def _overlap_shares(spans: Sequence[tuple[int, int]]) -> list[float]:
    """Return how much of each stretch others share, 0 to 1 or more; stretches in order of their starts."""
    found = [0] * len(spans)
    open_: list[int] = []
    for row, (start, end) in enumerate(spans):
        open_ = [number for number in open_ if spans[number][1] > start]
        for other in open_:
            common = min(end, spans[other][1]) - start
            found[row] += common
            found[other] += common
        open_.append(row)
    return [number / max(end - start, 1) for number, (start, end) in zip(found, spans, strict=True)]


def _mean_vectors(stretches: Sequence[UtteranceSpan], sound: Sound, shared: Sequence[float]) -> NDArray[np.float32]:
    """Return a vector of each stretch; windows that somebody else speaks in too count only where all are such."""
    alone = np.ones(len(sound.owners), np.bool_)
    edges = np.array([(stretch.start_us, stretch.end_us) for stretch in stretches], np.int64).reshape(-1, 2)
    for row in np.flatnonzero(np.array(shared) > 0):
        beside = np.delete(edges, row, axis=0)
        mine = np.flatnonzero(sound.owners == row)
        first, last = sound.times_us[mine, :1], sound.times_us[mine, 1:]
        common = np.minimum(last, beside[None, :, 1]) - np.maximum(first, beside[None, :, 0])
        alone[mine] = np.maximum(common, 0).sum(1) < (last - first)[:, 0] / 2
    kept = Sound(sound.loudness, sound.vectors[alone], sound.times_us[alone], sound.owners[alone])
    found, every = kept.mean_vectors(len(stretches)), sound.mean_vectors(len(stretches))
    missing = ~found.any(axis=1)
    found[missing] = every[missing]
    return found


def _assign_windows(turns: Sequence[SpeakerTurn], sound: Sound) -> Sound:
    """Return what was heard, with each window belonging to the turn that its middle lies in."""
    starts = np.array([turn.start_us for turn in turns])
    owners = np.searchsorted(starts, sound.times_us.mean(1), side="right") - 1
    return Sound(sound.loudness, sound.vectors, sound.times_us, np.maximum(owners, 0).astype(np.int64))


def _score_faces(
    stretches: Sequence[UtteranceSpan], mouths: Mapping[str, Mouth], sound: Sound, cuts_us: Sequence[int]
) -> list[FaceSpeakingScores]:
    """Judge the faces of each stretch, shot by shot, and weigh the shots by their length."""
    heard = smooth(np.asarray(sound.loudness, np.float64))
    last_us = max(len(heard) * BIN_US, *(stretch.end_us for stretch in stretches), 1)
    shots, found = [0, *(cut for cut in cuts_us if cut > 0), last_us], []
    for stretch in stretches:
        parts = [
            (max(stretch.start_us, begin), min(stretch.end_us, stop), (begin, stop))
            for begin, stop in pairwise(shots)
            if begin < stretch.end_us and stop > stretch.start_us
        ]
        long = [part for part in parts if part[1] - part[0] >= _LEAST_PART_US] or parts[:1]
        judged = [(end - start, score_faces(mouths, heard, start, end, shot)) for start, end, shot in long]
        found.append(_join_scores(judged))
    return found


def _join_scores(parts: Sequence[tuple[int, FaceSpeakingScores]]) -> FaceSpeakingScores:
    total = sum(length for length, _ in parts) or 1
    scores: defaultdict[str, float] = defaultdict(float)
    for length, faces in parts:
        for track, score in faces.scores.items():
            scores[track] += score * length / total
    return FaceSpeakingScores(scores, 1 - sum(scores.values()))


def _evidence(
    stretches: Sequence[UtteranceSpan],
    vectors: NDArray[np.float32],
    voices: Voices,
    faces: Sequence[FaceSpeakingScores],
    cast: Cast,
) -> SpeakerEvidence:
    numbers = {key: number for number, key in enumerate(cast.people)}
    scores = np.zeros((len(stretches), len(cast.people)))
    visible = np.zeros(scores.shape, np.bool_)
    for row, face in enumerate(faces):
        for track, score in face.scores.items():
            if track in cast.faces:
                scores[row, numbers[cast.faces[track]]] += score
                visible[row, numbers[cast.faces[track]]] = True
    seconds = np.array([stretch.end_us - stretch.start_us for stretch in stretches], np.float64) / SECOND_US
    heard = _temper(voice_probabilities(vectors, voices.centres), seconds)
    heard[~vectors.any(axis=1)] = 1 / max(len(voices.centres), 1)
    said = [-1 if stretch.known_speaker is None else numbers.get(stretch.known_speaker, -1) for stretch in stretches]
    return SpeakerEvidence(
        seconds,
        heard,
        scores,
        np.clip(1 - scores.sum(1), 0, 1),
        np.array(said, np.int64),
        visible,
        None if cast.robot is None else numbers[cast.robot],
    )


def _temper(found: NDArray[np.float64], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities drawn together where a stretch is too short to tell a voice well."""
    power = np.clip(seconds / MIN_RELIABLE_S, _LEAST_TEMPER, 1)[:, None]
    drawn = np.maximum(found, 1e-12) ** power
    return np.asarray(drawn / np.maximum(drawn.sum(1, keepdims=True), 1e-12))


def _suggestions(
    stretches: Sequence[UtteranceSpan],
    guesses: Sequence[SpeakerAssignment],
    faces: Sequence[FaceSpeakingScores],
    cast: Cast,
) -> list[SpeakerSuggestion]:
    numbers: dict[tuple[str, int], int] = {}
    made = []
    for stretch, guess, seen in zip(stretches, guesses, faces, strict=True):
        who = ("person", guess.person) if guess.person is not None else None
        if who is None and guess.voice is not None:
            who = ("voice", guess.voice)
        speaker = None if who is None else numbers.setdefault(who, len(numbers) + 1)
        person = None if guess.person is None else cast.people[guess.person]
        confidence = guess.confidence if who is not None else 0.0
        made.append(SpeakerSuggestion(stretch, speaker, person, confidence, seen.scores, seen.nobody))
    return made
