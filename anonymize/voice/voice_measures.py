"""Measures what changing a voice costs and gains: word error rate, intonation, and speaker recognition.

Only figures whose models are installed are computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anonymize.sound.voice_methods import Samples, Voice
from media.sound import stream_sound
from project.entities.study_records import Json
from project.progress import Progress
from project.timebase import SECOND_US

RATE = 16_000
MAX_COMPARED_S = 600
"""Only so much from the beginning is compared: recognising words takes long."""
MIN_SPOKEN_S = 1.5
NOBODY, EVERYBODY = "nobody assigned", "everybody together"

SpokenUtterance = tuple[int, int, str, str]
"""Start, end, text and pseudonym of an utterance."""


def measure_voices(
    source: Path,
    treated: Path,
    said: Sequence[SpokenUtterance],
    covered: Sequence[tuple[int, int]],
    progress: Progress,
    *,
    track: int = 0,
) -> dict[str, Json]:
    """Return figures of the first minutes of a recording, before and after.

    Args:
        source: the media file.
        treated: the sound that was made of it.
        said: what is said in it, on the file's own axis; may be empty.
        covered: stretches that were covered, on the same axis: words in them are not compared.
        progress: asked whether to stop.
        track: which sound track of the media file, from 1.
    """
    progress.progress(0, 0, "Comparing before and after")
    before, after = _read_samples(source, track), _read_samples(treated)
    first, second = before.astype(np.float64), after.astype(np.float64)
    for start, end in covered:
        first[max(0, start * RATE // SECOND_US) : max(0, end * RATE // SECOND_US)] = 0
        second[max(0, start * RATE // SECOND_US) : max(0, end * RATE // SECOND_US)] = 0
    pitch = compare_intonation(first, second, RATE)
    progress.check_cancelled()
    rates = [count_syllables(part, RATE) for part in (first, second)]
    inside = [row for row in said if row[1] <= MAX_COMPARED_S * SECOND_US and not _overlaps_any(row[:2], covered)]
    left_out = [*covered, *(row[:2] for row in said if _overlaps_any(row[:2], covered))]
    return {
        "compared_s": round(len(before) / RATE, 3),
        "intonation": _round_figure(pitch.correlation),
        "pitch_ratio": _round_figure(pitch.ratio),
        "speaking_rate_ratio": _round_figure(rates[1] / rates[0]) if rates[0] else None,
        **_words(before, after, inside, left_out, progress),
        **_voices(before, after, inside, progress),
    }


def _read_samples(path: Path, track: int = 0) -> Samples:
    blocks = [block[0] for block in stream_sound(path, RATE, "mono", 0, MAX_COMPARED_S * SECOND_US, track=track)]
    return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)


def _words(
    before: Samples,
    after: Samples,
    said: Sequence[SpokenUtterance],
    left_out: Sequence[tuple[int, int]],
    progress: Progress,
) -> dict[str, Json]:
    """Compare what is recognised with the transcript, or where there is none with what was recognised before.

    Utterances of which a part was covered are left out of both.
    """
    from models.speech.speech_recognizers import TranscriptionHints, Window, create_recognizer, create_speech_detector
    from models.speech.speech_windows import plan_windows
    from models.speech.whisper_models import default_model, resolve_model

    name = default_model("en")
    if name is None or not len(before):
        return {"words": None}
    progress.progress(0, 0, "Recognising words before and after")
    speech = create_speech_detector().detect(iter([before]), progress)
    listener = create_recognizer(resolve_model(name)[1])
    heard: list[list[str]] = []
    for samples in (before, after):
        words: list[str] = []
        for parts in plan_windows(speech, len(before) * SECOND_US // RATE):
            progress.check_cancelled()
            cut = [samples[a * RATE // SECOND_US : b * RATE // SECOND_US] for a, b in parts]
            found = listener.recognize([Window(parts, np.concatenate(cut))], TranscriptionHints("en")).words
            kept = [
                recognized_word.text
                for recognized_word in found
                if not _overlaps_any((recognized_word.start_us, recognized_word.end_us), left_out)
            ]
            words += normalize_words("".join(kept))
        heard.append(words)
    told = normalize_words(" ".join(text for _, _, text, _ in said))
    reference = told or heard[0]
    return {
        "words": {
            "model": name,
            "reference": "transcript" if told else "recognised before",
            "count": len(reference),
            "errors_before": _round_figure(word_error_rate(reference, heard[0])) if told else None,
            "errors_after": _round_figure(word_error_rate(reference, heard[1])),
        }
    }


def _voices(before: Samples, after: Samples, said: Sequence[SpokenUtterance], progress: Progress) -> dict[str, Json]:
    """Compare how alike the voices of each speaker are before and after, and those of different people before."""
    from models.voices.voice_embeddings import create_voice_embedder, default_voice_embedder

    name = default_voice_embedder()
    if name is None:
        return {"voices": None}
    progress.progress(0, 0, "Comparing the voices")
    model = create_voice_embedder(name)
    whole: list[SpokenUtterance] = [(0, len(before) * SECOND_US // RATE, "", "")]
    spoken = {who: [row for row in (said or whole) if row[3] == who] for who in {row[3] for row in (said or whole)}}
    own, vectors = {}, {}
    for who, parts in sorted(spoken.items()):
        cut = [slice(max(0, part[0] * RATE // SECOND_US), max(0, part[1] * RATE // SECOND_US)) for part in parts]
        first, second = (np.concatenate([samples[part] for part in cut]) for samples in (before, after))
        progress.check_cancelled()
        if len(first) >= MIN_SPOKEN_S * RATE:
            vectors[who] = model.embed(first)
            own[who or (NOBODY if said else EVERYBODY)] = _round_figure(float(vectors[who] @ model.embed(second)))
    between = [float(vectors[a] @ vectors[b]) for a in vectors for b in vectors if a < b]
    return {
        "voices": {
            "model": name,
            "before_and_after": {**own},
            "two_people_before": _round_figure(float(np.mean(between))) if between else None,
        }
    }


def _overlaps_any(span: tuple[int, int], covered: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in covered)


def _round_figure(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


_FRAME_MS = 10.0
_MIN_VOICED_FRAMES = 20
_SYLLABLE_HZ = 12.0
_MIN_RISE = 0.1


def word_error_rate(reference: Sequence[str], heard: Sequence[str]) -> float | None:
    """Return the word error rate: words changed, left out or added, over those of the reference; None without any."""
    from rapidfuzz.distance import Levenshtein

    if not reference:
        return None
    return Levenshtein.distance(list(reference), list(heard)) / len(reference)


def normalize_words(text: str) -> list[str]:
    """Return the words of a text without capitals and punctuation, as they are compared."""
    kept = "".join(char if char.isalnum() or char == "'" else " " for char in text.lower().replace("\u2019", "'"))
    return kept.split()


@dataclass(frozen=True, slots=True)
class Intonation:
    """How the course of the pitch was kept.

    Attributes:
        correlation: Pearson's r of the two log pitches where both voices sound, 1 for the same course; None where there
            is too little voice, or its pitch does not move.
        ratio: median pitch after over before; None likewise.
    """

    correlation: float | None
    ratio: float | None


def compare_intonation(before: Voice, after: Voice, rate: int) -> Intonation:
    """Compare the pitch of two versions of the same sound: the pitch correlation of VoicePrivacy 2022.

    Args:
        before: (n,) samples.
        after: (n,) samples.
        rate: samples a second.
    """
    array, two = (_pitch(part, rate) for part in (before, after))
    length = min(len(array), len(two))
    both = (array[:length] > 0) & (two[:length] > 0)
    if both.sum() < _MIN_VOICED_FRAMES:
        return Intonation(None, None)
    first, second = np.log(array[:length][both]), np.log(two[:length][both])
    ratio = float(np.exp(np.median(second - first)))
    if first.std() < 1e-6 or second.std() < 1e-6:
        return Intonation(None, ratio)
    return Intonation(float(np.corrcoef(first, second)[0, 1]), ratio)


def count_syllables(samples: Voice, rate: int) -> int:
    """Return about how many syllables are heard: rises of the loudness, smoothed to what a mouth can do.

    Args:
        samples: (n,).
        rate: samples a second.
    """
    from scipy.signal import butter, find_peaks, sosfiltfilt

    hop = max(1, rate // 100)
    count = len(samples) // hop
    if count < _MIN_VOICED_FRAMES:
        return 0
    loud = np.sqrt((samples[: count * hop].reshape(count, hop) ** 2).mean(axis=1))
    smooth = sosfiltfilt(butter(2, _SYLLABLE_HZ, fs=rate / hop, output="sos"), loud)
    peak = float(np.percentile(smooth, 95))
    if peak <= 0:
        return 0
    return len(find_peaks(smooth, prominence=_MIN_RISE * peak)[0])


def _pitch(samples: Voice, rate: int) -> NDArray[np.float64]:
    import pyworld

    whole = np.ascontiguousarray(samples, np.float64)
    if len(whole) < rate // 10:
        return np.zeros(0)
    rough, times = pyworld.dio(whole, rate, f0_floor=60.0, f0_ceil=600.0, frame_period=_FRAME_MS)
    found: NDArray[np.float64] = pyworld.stonemask(whole, rough, times, rate)
    return found
