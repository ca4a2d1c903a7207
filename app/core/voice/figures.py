"""What treating the sound of a recording did to it, as far as models are installed to tell."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.audio import stream_sound
from project.progress import Progress
from project.timebase import SECOND
from project.types import Json

RATE = 16_000
LONGEST_S = 600
"""Only so much from the beginning is compared: recognising words takes long."""
LEAST_SPOKEN_S = 1.5
NOBODY, EVERYBODY = "nobody assigned", "everybody together"

Said = tuple[int, int, str, str]
"""Start, end, text and pseudonym of an utterance."""
Samples = NDArray[np.float32]


def figures(
    source: Path, treated: Path, said: Sequence[Said], covered: Sequence[tuple[int, int]], progress: Progress
) -> dict[str, Json]:
    """Return figures of the first minutes of a recording, before and after.

    Args:
        source: the media file.
        treated: the sound that was made of it.
        said: what is said in it, on the file's own axis; may be empty.
        covered: stretches that were covered, on the same axis: words in them are not compared.
        progress: asked whether to stop.

    Raises:
        UserError: a file cannot be read, or weights are damaged.
        Cancelled: the user stopped it.
    """
    from anonymize.voice.measures import intonation, syllables

    progress.progress(0, 0, "Comparing before and after")
    before, after = (_read(path) for path in (source, treated))
    first, second = before.astype(np.float64), after.astype(np.float64)
    for start, end in covered:
        first[max(0, start * RATE // SECOND) : max(0, end * RATE // SECOND)] = 0
        second[max(0, start * RATE // SECOND) : max(0, end * RATE // SECOND)] = 0
    pitch = intonation(first, second, RATE)
    progress.check_cancelled()
    rates = [syllables(part, RATE) for part in (first, second)]
    inside = [one for one in said if one[1] <= LONGEST_S * SECOND and not _touches(one[:2], covered)]
    left_out = [*covered, *(one[:2] for one in said if _touches(one[:2], covered))]
    return {
        "compared_s": round(len(before) / RATE, 3),
        "intonation": _rounded(pitch.correlation),
        "pitch_ratio": _rounded(pitch.ratio),
        "speaking_rate_ratio": _rounded(rates[1] / rates[0]) if rates[0] else None,
        **_words(before, after, inside, left_out, progress),
        **_voices(before, after, inside, progress),
    }


def _read(path: Path) -> Samples:
    blocks = [block[0] for block in stream_sound(path, RATE, "mono", 0, LONGEST_S * SECOND)]
    return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)


def _words(
    before: Samples, after: Samples, said: Sequence[Said], left_out: Sequence[tuple[int, int]], progress: Progress
) -> dict[str, Json]:
    """Compare what is recognised with the transcript, or where there is none with what was recognised before.

    Utterances of which a part was covered are left out of both.
    """
    from anonymize.voice.measures import plain_words, word_errors
    from models.speech.base import Hearing, Window
    from models.speech.registry import recognizer, speech_detector
    from models.speech.whisper_models import place_of, usual
    from models.speech.windows import plan_windows

    name = usual("en")
    if name is None or not len(before):
        return {"words": None}
    progress.progress(0, 0, "Recognising words before and after")
    speech = speech_detector().speech(iter([before]), progress)
    listener = recognizer(place_of(name)[1])
    heard: list[list[str]] = []
    for samples in (before, after):
        words: list[str] = []
        for parts in plan_windows(speech, len(before) * SECOND // RATE):
            progress.check_cancelled()
            cut = [samples[a * RATE // SECOND : b * RATE // SECOND] for a, b in parts]
            found = listener.recognize([Window(parts, np.concatenate(cut))], Hearing("en")).pieces
            kept = [one.text for one in found if not _touches((one.start_us, one.end_us), left_out)]
            words += plain_words("".join(kept))
        heard.append(words)
    told = plain_words(" ".join(text for _, _, text, _ in said))
    reference = told or heard[0]
    return {
        "words": {
            "model": name,
            "reference": "transcript" if told else "recognised before",
            "count": len(reference),
            "errors_before": _rounded(word_errors(reference, heard[0])) if told else None,
            "errors_after": _rounded(word_errors(reference, heard[1])),
        }
    }


def _voices(before: Samples, after: Samples, said: Sequence[Said], progress: Progress) -> dict[str, Json]:
    """Compare how alike the voices of each speaker are before and after, and those of different people before."""
    from models.voices.registry import embedder, usual

    name = usual()
    if name is None:
        return {"voices": None}
    progress.progress(0, 0, "Comparing the voices")
    model = embedder(name)
    whole: list[Said] = [(0, len(before) * SECOND // RATE, "", "")]
    spoken = {who: [one for one in (said or whole) if one[3] == who] for who in {one[3] for one in (said or whole)}}
    own, vectors = {}, {}
    for who, parts in sorted(spoken.items()):
        cut = [slice(max(0, one[0] * RATE // SECOND), max(0, one[1] * RATE // SECOND)) for one in parts]
        first, second = (np.concatenate([samples[each] for each in cut]) for samples in (before, after))
        progress.check_cancelled()
        if len(first) >= LEAST_SPOKEN_S * RATE:
            vectors[who] = model.embed(first)
            own[who or (NOBODY if said else EVERYBODY)] = _rounded(float(vectors[who] @ model.embed(second)))
    between = [float(vectors[a] @ vectors[b]) for a in vectors for b in vectors if a < b]
    return {
        "voices": {
            "model": name,
            "before_and_after": {**own},
            "two_people_before": _rounded(float(np.mean(between))) if between else None,
        }
    }


def _touches(span: tuple[int, int], covered: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in covered)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
