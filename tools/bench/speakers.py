"""Who speaks: synthetic conversations by voice, and two real talkers side by side by their mouths.

The voices are espeak-ng's and no person's: they are steadier than people, and some are nearly the same. One row takes a
real voice and two that the program's own voice change made of it. The talkers are one clip twice, the second later:
both mouths move all the time as in speech, and only the sound tells whose turn it is.
"""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from media.frame_index import load_index
from media.sound import read_mono, stream_mono
from models.faces.face_detectors import create_detector
from models.faces.face_tracking import track_faces
from models.faces.landmarks.landmark_finders import create_landmark_finder
from models.speakers.active_speaker import resample_mouth, score_faces, smooth
from models.speakers.diarization import Cast, UtteranceSpan, diarize
from models.speakers.mouth_pass import watch_mouths
from models.speakers.voice_clustering import analyze_sound
from models.speech.speech_recognizers import create_speech_detector
from models.voices.voice_embeddings import VoiceEmbedder, create_voice_embedder, default_voice_embedder
from project.entities.study_records import FaceTrack
from project.progress import Silent
from project.text_format import pluralize
from project.timebase import SECOND_US
from tests.builders.dialogues import RATE, VOICES, Dialogue, Sound, arranged, diarization_error, side_by_side, synthetic
from tools.bench.measuring import MEDIA, MODELS, missing_row, weights_in
from tools.bench.row import Row

TALKER, STILL = "talk_vfr_tags.mp4", "expressive_talker.mp4"
DIALOGUES = 4
TURNS = 24
COLLAR_S = 0.25
WORK = "who speaks"


def run() -> list[Row]:
    """Measure what can run here."""
    return [*by_voice(), *by_mouth()]


def by_voice() -> list[Row]:
    """Measure the diarization error rate of conversations of one to four voices."""
    name = default_voice_embedder()
    if name is None or shutil.which("espeak-ng") is None:
        needed = "greenroom model fetch voice-embedding" if name is None else "apt install espeak-ng"
        return [Row(f"{WORK}, by voice", f"needs {needed}")]
    model = create_voice_embedder(name)
    rows = []
    for count in (1, 2, 3, 4):
        spoken = [
            synthetic(
                [VOICES[(2 * seed + 3 * k + 1) % len(VOICES)] for k in range(count)], TURNS, 7_000 + 100 * count + seed
            )
            for seed in range(DIALOGUES)
        ]
        rows.append(_row(f"{DIALOGUES} conversations of {pluralize(count, 'synthetic voice')}", spoken, count, model))
    clip = MEDIA / TALKER
    if clip.is_file():
        rows.append(
            _row("three seconds of a real voice and of two made of it, in pieces", [_made_of_one(clip)], 3, model)
        )
    return rows


def _row(what: str, spoken: Sequence[Dialogue], count: int, model: VoiceEmbedder) -> Row:
    """Return one row: the number found and given, in the program's own speech lane and with the turns known."""
    found, given, known, right = [], [], [], 0
    for dialogue in spoken:
        voices, error = heard(dialogue, None, model, None)
        right += voices == count
        found.append(error)
        given.append(heard(dialogue, None, model, count)[1])
        turns = [
            UtteranceSpan(str(k), round(a * SECOND_US), round(b * SECOND_US))
            for k, (a, b, _) in enumerate(dialogue.turns)
        ]
        known.append(heard(dialogue, turns, model, None)[1])
    length = sum(len(dialogue.sound) for dialogue in spoken) / RATE
    return Row(
        f"{WORK}, {what}, {length:.0f} s, collar {COLLAR_S} s",
        f"diarization error {np.mean(found):.1%}; {np.mean(given):.1%} with the number given; "
        f"{np.mean(known):.1%} with a transcript; number right {right} of {len(spoken)}",
    )


def heard(
    dialogue: Dialogue, stretches: Sequence[UtteranceSpan] | None, model: VoiceEmbedder, number: int | None
) -> tuple[int, float]:
    """Return how many voices were told apart, and the error; in the speech lane where no stretches are given."""
    if stretches is None:
        lane = create_speech_detector().detect([dialogue.sound], Silent())
        stretches = [UtteranceSpan("", int(start), int(end)) for start, end in lane]
    spans = [(each.start_us, each.end_us) for each in stretches]
    found = diarize(stretches, analyze_sound([dialogue.sound], spans, model), {}, (), Cast((), {}, number=number))
    turns = [
        (each.stretch.start_us / SECOND_US, each.stretch.end_us / SECOND_US, each.speaker or 0)
        for each in found.suggestions
    ]
    return found.voices, diarization_error(dialogue.turns, turns, COLLAR_S)


def _made_of_one(clip: Path) -> Dialogue:
    """Return a conversation of a real voice and two that were made of it, a third higher and a third lower."""
    sound = read_mono(clip)
    voices = [sound, _changed(sound, 1.3, 1.18), _changed(sound, 0.75, 0.88)]
    starts = range(0, 5 * RATE, 2 * RATE)
    pieces = [(each[start : start + 2 * RATE], who) for who, each in enumerate(voices) for start in starts]
    order = np.random.default_rng(0).permutation(2 * len(pieces)) % len(pieces)
    return arranged([pieces[k] for k in order], 0)


def _changed(sound: Sound, pitch: float, formants: float) -> Sound:
    """Return a voice whose pitch and formants are so many times higher."""
    import pyworld

    samples = sound.astype(np.float64)
    tone, times = pyworld.harvest(samples, RATE)
    envelope = pyworld.cheaptrick(samples, tone, times, RATE)
    breath = pyworld.d4c(samples, tone, times, RATE)
    places = np.arange(envelope.shape[1])
    moved = np.array([np.interp(places / formants, places, one) for one in envelope])
    return np.asarray(pyworld.synthesize(tone * pitch, moved, breath, RATE), np.float32)


def by_mouth() -> list[Row]:
    """Measure how much of the time of speech is given to the right one of two faces."""
    if rows := missing_row(f"{WORK}, by mouth", MEDIA):
        return rows
    with tempfile.TemporaryDirectory() as folder, weights_in(MODELS):
        for what, right, only_left in (
            ("two talkers, one heard at a time", TALKER, False),
            ("a talker and a face that makes faces", STILL, True),
        ):
            path = Path(folder) / "both.mkv"
            turns = side_by_side(
                MEDIA / TALKER, MEDIA / right, path, shift_s=2.05, turn_s=3.05, turns=8, only_left=only_left
            )
            tracks = track_faces(path, create_detector("centerface")).tracks
            for landmarks in (True, False):
                share, none, spoken = given_right(path, turns, landmarks, tracks)
                work = f"{WORK}, {what}, {'landmarks' if landmarks else 'pixels alone'}, {spoken:.1f} s of speech"
                rows.append(Row(work, f"{share:.1%} to the right face, {none:.1%} to nobody visible", "chance 50 %"))
    return rows


def given_right(
    path: Path, turns: Sequence[tuple[float, float, int]], landmarks: bool, tracks: Sequence[FaceTrack]
) -> tuple[float, float, float]:
    """Return the shares of speech that the right face and that nobody gets, and the seconds of speech."""
    index = load_index(path)
    spans = _spoken(path, turns)
    looks = watch_mouths(
        path, index, tracks, [span[:2] for span in spans], create_landmark_finder() if landmarks else None, Silent()
    )
    sides = {face_track.id: int(float(np.median(face_track.boxes[:, 0])) > 300) for face_track in tracks}
    mouths = {track: resample_mouth(seen) for track, seen in looks.items()}
    sound = smooth(np.asarray(analyze_sound(stream_mono(path), (), None).loudness, np.float64))
    right = nobody = total = 0.0
    for start, end, who in spans:
        best = score_faces(mouths, sound, start, end, (0, index.times.end_us)).best_face()
        total += end - start
        nobody += (end - start) * (best is None)
        right += (end - start) * (best is not None and sides[best[0]] == who)
    return right / total, nobody / total, total / SECOND_US


def _spoken(path: Path, turns: Sequence[tuple[float, float, int]]) -> list[tuple[int, int, int]]:
    """Return the stretches of speech inside each turn, as a transcript would have them."""
    lane = create_speech_detector().detect(stream_mono(path), Silent())
    return [
        (max(int(start), round(a * SECOND_US)), min(int(end), round(b * SECOND_US)), who)
        for a, b, who in turns
        for start, end in lane
        if min(end, b * SECOND_US) - max(start, a * SECOND_US) > 0.2 * SECOND_US
    ]
