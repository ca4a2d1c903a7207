"""What changing voices leaves of words, of pitch and of who speaks; how fast it is, and how much memory it takes."""

import itertools
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from anonymize.measures.reidentification import equal_error_rate
from anonymize.sound.voice_methods import VOICES, create_voice
from anonymize.sound.voice_stream import UNKNOWN_SPEAKER, VoiceFilter
from anonymize.voice.voice_measures import (
    compare_intonation,
    count_syllables,
    normalize_words,
    word_error_rate,
)
from media.sound import SoundEncoder, read_mono
from models.speech.speech_recognizers import TranscriptionHints, Window
from models.weights import installed_weights as weights
from tools.bench.measuring import MEDIA, run_script, seconds
from tools.bench.row import Row

RATE = 16_000
SENTENCES = (
    "Could you tell me where the station is, please? I have been walking around for an hour.",
    "She bought three apples and a loaf of bread at the market yesterday morning.",
    "The robot asked him whether he was feeling better, and he said that he was tired.",
    "If the weather stays like this, we should take the children to the lake on Sunday.",
)
SPEAKERS = (
    "en-us+m3",
    "en-gb+m7",
    "en-gb-scotland+m1",
    "en-us+f2",
    "en-gb+f4",
    "en-us+klatt4",
    "en-gb-x-rp+m5",
    "en-029+f3",
)
PEOPLE = (
    ("talk_vfr_tags.mp4", "talker", 0.0, 3.1, "my biggest weaknesses is asking for help when i need it"),
    ("talk_vfr_tags.mp4", "talker", 3.1, 6.1, "i'd like to do better at that"),
    (
        "conv_multi_friends_720p.mp4",
        "woman",
        13.04,
        16.56,
        "now you're sure phoebe just threw away two jacks because they didn't look happy",
    ),
    (
        "conv_multi_friends_720p.mp4",
        "man",
        22.5,
        26.75,
        "i'm ready so just deal okay all right last minute lesson last minute lesson",
    ),
)
"""File, who, start and end in seconds, and what is said."""


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """One sentence of one speaker, as mono sound at 16 kHz."""

    speaker: str
    text: str
    samples: NDArray[np.float32]


def synthetic() -> list[Spoken]:
    """Return every sentence by every synthetic speaker; none where espeak-ng is not installed."""
    if shutil.which("espeak-ng") is None:
        return []
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for speaker in SPEAKERS:
            for text in SENTENCES:
                file = Path(folder) / "said.wav"
                subprocess.run(["espeak-ng", "-v", speaker, "-s", "150", "-w", str(file), text], check=True)
                found.append(Spoken(speaker, text, read_mono(file, RATE)))
    return found


def people() -> list[Spoken]:
    """Return the sentences of people; none without the footage."""
    found = []
    for file, speaker, start, end, text in PEOPLE:
        if (MEDIA / file).exists():
            whole = read_mono(MEDIA / file, RATE)
            found.append(Spoken(speaker, text, whole[round(start * RATE) : round(end * RATE)]))
    return found


WORK = "changed voices"
MODEL = "whisper-tiny.en"
VOICE_MODEL = "voice-embedding"
HOURS = 3
MOST_GB = 2.0
Samples = NDArray[np.float32]


def run() -> list[Row]:
    """Measure every method with its default options, then a long recording."""
    said = [*synthetic(), *people()]
    rows = []
    for name in VOICES:
        rows += method_rows(name, said) if said else [Row(f"{WORK}: {name}", "needs espeak-ng")]
        rows.append(speed_row(name))
    return [*rows, memory_row()]


def method_rows(name: str, said: Sequence[Spoken]) -> list[Row]:
    """Measure words, voices, pitch and rate of one method; each speaker has an alias of their own."""
    changed = [treated(name, spoken, f"study {spoken.speaker}") for spoken in said]
    again = [treated(name, spoken, f"attacker {spoken.speaker}") for spoken in said]
    same = sum(len(a) == len(b.samples) for a, b in zip(changed, said, strict=True))
    title = f"{WORK}: {name}"
    rows = [
        Row(f"{title}, equal length", f"{same} of {len(said)}", target="all", ok=same == len(said)),
        *pitch_rows(title, said, changed),
    ]
    if weights.is_installed(MODEL):
        heard = recogniser()
        rows += [
            word_row(f"{title}, word errors of {MODEL}, {who}", heard, part)
            for who, part in halves(list(zip(said, changed, strict=True)))
            if part
        ]
    if weights.is_installed(VOICE_MODEL):
        rows += voice_rows(title, said, changed, again)
    return rows


def treated(name: str, spoken: Spoken, seed: str) -> Samples:
    """Return a sentence in a changed voice."""
    filtering = VoiceFilter(create_voice(name), {UNKNOWN_SPEAKER: seed})
    return np.concatenate(list(filtering.treat(iter([spoken.samples[None]]), RATE, 0)), axis=1)[0]


def halves(pairs: list[tuple[Spoken, Samples]]) -> Iterator[tuple[str, list[tuple[Spoken, Samples]]]]:
    """Yield the synthetic speakers and the people."""
    yield "synthetic speakers", [pair for pair in pairs if "+" in pair[0].speaker]
    yield "people", [pair for pair in pairs if "+" not in pair[0].speaker]


def pitch_rows(title: str, said: Sequence[Spoken], changed: Sequence[Samples]) -> list[Row]:
    """Say how the course of the pitch and the number of syllables were kept."""
    courses, rates = [], []
    for spoken, after in zip(said, changed, strict=True):
        before = spoken.samples.astype(np.float64)
        found = compare_intonation(before, after.astype(np.float64), RATE).correlation
        courses += [] if found is None else [found]
        rates.append(count_syllables(after.astype(np.float64), RATE) / max(1, count_syllables(before, RATE)))
    return [
        Row(f"{title}, course of the pitch", f"r = {np.median(courses):.3f}, worst {min(courses):.3f}"),
        Row(f"{title}, syllables after over before", f"{np.median(rates):.2f}", "1"),
    ]


def recogniser() -> Callable[[Samples], list[str]]:
    """Return what writes down the words of a sentence."""
    from models.speech.speech_recognizers import create_recognizer

    listener = create_recognizer(weights.verified_path(MODEL))

    def words(samples: Samples) -> list[str]:
        span = (0, len(samples) * 1_000_000 // RATE)
        pieces = listener.recognize([Window((span,), samples)], TranscriptionHints("en")).words
        return normalize_words("".join(piece.text for piece in pieces))

    return words


def word_row(title: str, heard: Callable[[Samples], list[str]], pairs: list[tuple[Spoken, Samples]]) -> Row:
    """Say how many words are recognised wrongly, before and after."""
    rates = []
    for which in (0, 1):
        wrong = total = 0.0
        for spoken, after in pairs:
            reference = normalize_words(spoken.text)
            rate = word_error_rate(reference, heard(spoken.samples if which == 0 else after))
            wrong, total = wrong + (rate or 0.0) * len(reference), total + len(reference)
        rates.append(wrong / total)
    return Row(title, f"{rates[1]:.1%} of {total:.0f} words", f"before: {rates[0]:.1%}")


def voice_rows(title: str, said: Sequence[Spoken], changed: Sequence[Samples], again: Sequence[Samples]) -> list[Row]:
    """Say how alike voices are, and how often three attackers are wrong.

    One compares with voices as they are; one, who knows the method and not the study's secret, with voices that he
    changed himself; one has other recordings of the same study, where everybody has the same alias.
    """
    from models.voices.voice_embeddings import EMBEDDERS, create_voice_embedder

    model = create_voice_embedder(next(iter(EMBEDDERS)))
    before, after, attacked = (
        np.array([model.embed(np.asarray(each, np.float32)) for each in part])
        for part in ([spoken.samples for spoken in said], changed, again)
    )
    who = [spoken.speaker for spoken in said]
    people_only = [k for k, name in enumerate(who) if "+" not in name]
    own = (before * after).sum(axis=1)
    pairs = list(itertools.combinations(range(len(who)), 2))
    two = [float(before[a] @ before[b]) for a, b in pairs if who[a] == who[b]]
    strangers = [float(before[a] @ before[b]) for a, b in pairs if who[a] != who[b]]
    real = [float(before[a] @ before[b]) for a, b in itertools.combinations(people_only, 2) if who[a] != who[b]]
    baseline = f"same voice {np.mean(two):.2f}, two voices {np.mean(strangers):.2f}"
    rows = [Row(f"{title}, likeness to the voice before, all", f"{own.mean():.2f}", baseline)]
    if people_only:
        likeness = f"{own[people_only].mean():.2f} ({', '.join(f'{x:.2f}' for x in own[people_only])})"
        rows.append(Row(f"{title}, likeness to the voice before, people", likeness, f"two people {np.mean(real):.2f}"))
    clean = errors(before, before, who)
    for attacker, left, right in (
        ("one who expects no change", before, after),
        ("one who changes voices alike", attacked, after),
        ("one with other clips of the study", after, after),
    ):
        rows.append(
            Row(f"{title}, equal errors of {attacker}", f"{errors(left, right, who):.1%}", f"before: {clean:.1%}")
        )
    return rows


def errors(left: NDArray[np.float32], right: NDArray[np.float32], who: Sequence[str]) -> float:
    """Return the equal error rate over all pairs of different sentences."""
    genuine, impostor = [], []
    for a, b in itertools.permutations(range(len(who)), 2):
        (genuine if who[a] == who[b] else impostor).append(float(left[a] @ right[b]))
    found = equal_error_rate(np.array(genuine), np.array(impostor)).value
    assert found is not None
    return found


def speed_row(name: str) -> Row:
    """Time a minute of mono sound at 48 kHz, the library loaded."""
    rng = np.random.default_rng(0)
    sound = np.asarray(rng.normal(0, 0.1, (1, 60 * 48_000)), np.float32)
    clip = MEDIA / "talk_vfr_tags.mp4"
    if clip.exists():
        from media.sound import read_mono

        sound = np.resize(read_mono(clip, 48_000), 60 * 48_000)[None]
    filtering = VoiceFilter(create_voice(name), {UNKNOWN_SPEAKER: "a"})
    _, taken = (
        seconds(lambda part=part: [*filtering.treat(iter([part]), 48_000, 0)]) for part in (sound[:, :48_000], sound)
    )
    return Row(f"{WORK}: {name}, speed", f"{60 / taken:.0f}x real time")


def memory_row() -> Row:
    """Treat a recording of three hours in a process of its own, and look at what it took at most."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "long.flac"
        long_recording(source, HOURS * 3600)
        code = (
            "import json, resource, sys, time; from pathlib import Path\n"
            "from anonymize.sound.sound_plan import SoundPlan, sound_filter\n"
            "from media.soundtrack import write_sound\n"
            "source = Path(sys.argv[1]); began = time.perf_counter()\n"
            "spans = tuple((k * 10_000_000, k * 10_000_000 + 500_000) for k in range(1000))\n"
            "plan = SoundPlan(spans, 'silence', 'mcadams', {}, (), {'': 'a'})\n"
            "counts = write_sound(source, source.with_name('made.flac'), sound_filter(plan, source))\n"
            "took = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6\n"
            "print(json.dumps([took, time.perf_counter() - began, counts]))\n"
        )
        took, spent, counts = run_script(Path(folder), "-c", code, source)
    good = took < MOST_GB and counts[0] == counts[1] == HOURS * 3600 * 44_100
    return Row(
        f"{WORK}: {HOURS} hours of stereo by mcadams, 1,000 covers by room tone, memory at most",
        f"{took:.2f} GB, in {spent / 60:.1f} min",
        target=f"< {MOST_GB:.0f} GB, equal length",
        ok=good,
    )


def long_recording(path: Path, seconds: int) -> None:
    """Write stereo sound that differs from channel to channel."""
    rng = np.random.default_rng(1)
    at = np.arange(44_100) / 44_100
    base = (0.1 * np.sin(2 * np.pi * 150 * at) * (1 + np.sin(2 * np.pi * 3 * at))).astype(np.float32)

    def blocks() -> Iterator[Samples]:
        for _ in range(seconds):
            yield base + rng.normal(0, 0.01, (2, 44_100)).astype(np.float32)

    with av.open(str(path), "w", format="flac") as output:
        encoder = SoundEncoder(output, "flac", 44_100, "stereo")
        for packet in encoder.packets(blocks()):
            output.mux(packet)
