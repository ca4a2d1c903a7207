"""Writing down ten minutes of speech against faster-whisper called directly: the same model, beam and batches.

Both use the same loaded model. Ours reads the file, finds the speech, cuts windows, recognises them, puts the words in
order, writes the log and cuts utterances; the peer is given the sound in memory, and is `BatchedInferencePipeline` with
its own voice activity filter. They take turns. Beside the clock, which other programs disturb, the time of the
processors is taken; the claim is about the clock.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np

from models.weights import installed_weights as weights
from project.errors import UserError
from tests.builders.voices import RATE, Sound, spoken, write_sound
from tools.bench.measuring import MEDIA
from tools.bench.row import Row

MODEL = "whisper-tiny.en"
LEAST_S = 610
TURNS = 3
TARGET = "<= 1.05x"
CLIPS = ("conv_multi_friends_720p.mp4", "talk_vfr_tags.mp4")
WORK = "recognition of ten minutes of speech, whisper-tiny.en, words with times"


def run() -> list[Row]:
    """Measure where the model is installed."""
    try:
        folder = weights.verified_path(MODEL)
    except UserError:
        return [Row(WORK, f"needs {MODEL}: greenroom model fetch {MODEL}", target=TARGET)]
    return compare(folder, ten_minutes())


def ten_minutes() -> Sound:
    """Return the developers' clips with speech, or the sample's where there are none, over and over."""
    from media.sound import read_mono

    clips = [MEDIA / name for name in CLIPS]
    once = np.concatenate([read_mono(clip) for clip in clips if clip.is_file()] or [spoken()])
    return np.tile(once, -(-LEAST_S * RATE // len(once)))


def compare(folder: Path, sound: Sound, turns: int = TURNS) -> list[Row]:
    """Measure both on one sound, in turns."""
    from faster_whisper import BatchedInferencePipeline

    from models.speech.whisper import Whisper

    listener = Whisper(folder, "cpu")
    with tempfile.TemporaryDirectory() as place:
        path = write_sound(Path(place) / "talk.wav", sound)
        mine = _ours(path, listener, Path(place))
        theirs = _peers(sound, BatchedInferencePipeline(listener._model), listener.batch)
        theirs()
        ours, peers = [], []
        for _ in range(turns):
            ours.append(_timed(mine))
            peers.append(_timed(theirs))
    (wall, worked, words), (peer_wall, peer_worked, peer_words) = (_middle(each) for each in (ours, peers))
    minutes = len(sound) / RATE / 60
    return [
        Row.judged(
            f"{WORK} ({minutes:.1f} min, batches of {listener.batch})",
            f"{wall:.1f} s, {words:.0f} words",
            wall / peer_wall,
            TARGET,
            f"faster-whisper's batched pipeline, {peer_wall:.1f} s, {peer_words:.0f} words",
            f"{wall / peer_wall:.2f}",
        ),
        Row(
            f"{WORK}: time of the processors",
            f"{worked:.1f} s",
            f"the same, {peer_worked:.1f} s",
            f"{worked / peer_worked:.2f}",
        ),
    ]


def _ours(path: Path, listener: object, place: Path) -> Callable[[], int]:
    """Return the job's own work on a file, without loading the model."""
    from annotate.speech import transcription
    from annotate.speech.recognition_log import read_log
    from annotate.transcript.utterance_drafts import CuttingOptions, cut_utterances
    from project.progress import Silent

    parameters = transcription.TranscriptionParameters(
        path=path,
        fingerprint="bench",
        track=0,
        offset_us=0,
        detector="silero",
        recognizer="whisper",
        model="bench",
        folder=Path(),
        language="en",
        prompt="",
        processor="cpu",
        replace=False,
        options=CuttingOptions(),
    )
    replaced = {"create_recognizer": lambda *_arguments: listener, "cache_folder": lambda: place}

    def work() -> int:
        with patch.multiple(transcription, **replaced):
            result = transcription.compute(parameters, Silent())
        log = result.file
        found = read_log(log)
        log.unlink()
        return sum(len(utterance.words) for utterance in cut_utterances(found.pieces, found.language, found.end_us))

    return work


def _peers(sound: Sound, pipeline: object, batch: int) -> Callable[[], int]:
    def work() -> int:
        segments, _ = pipeline.transcribe(  # type: ignore[attr-defined]
            sound, language="en", word_timestamps=True, batch_size=batch, beam_size=5, temperature=0.0
        )
        return sum(len(segment.words) for segment in segments)

    return work


def _timed(work: Callable[[], int]) -> tuple[float, float, float]:
    wall, worked = time.perf_counter(), time.process_time()
    words = work()
    return time.perf_counter() - wall, time.process_time() - worked, float(words)


def _middle(taken: list[tuple[float, float, float]]) -> tuple[float, float, float]:
    wall, worked, words = (float(np.median(column)) for column in zip(*taken, strict=True))
    return wall, worked, words
