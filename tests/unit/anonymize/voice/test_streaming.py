"""Voices changed as the sound goes by."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from anonymize.sound.voice_methods import VOICES, create_voice
from anonymize.sound.voice_stream import UNKNOWN_SPEAKER, VoiceFilter, VoiceSpan
from tests.builders.speaking import vowels

SEEDS = {UNKNOWN_SPEAKER: "nobody", "ada": "one", "bo": "two"}
NAMES = list(VOICES)


def cut(sound: NDArray[np.float32], size: int) -> Iterator[NDArray[np.float32]]:
    return (sound[:, at : at + size] for at in range(0, sound.shape[1], size))


def changed(
    sound: NDArray[np.float32], rate: int, name: str = "mcadams", size: int = 4096, start_us: int = 0, **more: object
) -> NDArray[np.float32]:
    made = VoiceFilter(create_voice(name), SEEDS, **more)
    blocks = list(made.treat(cut(sound, size), rate, start_us))
    return np.concatenate(blocks, axis=1) if blocks else np.zeros((len(sound), 0), np.float32)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rate", [11_025, 48_000])
def test_it_is_as_long_as_it_was_and_about_as_loud_and_all_of_it_is_changed(name: str, rate: int) -> None:
    sound = vowels(1.3, rate)
    made = changed(sound, rate, name)
    assert made.shape == sound.shape
    assert np.isfinite(made).all()
    assert made.std() == pytest.approx(sound.std(), rel=0.35)
    assert abs(np.corrcoef(made[0], sound[0])[0, 1]) < 0.95


@pytest.mark.parametrize("name", NAMES)
def test_how_sound_is_cut_into_blocks_makes_no_difference(name: str) -> None:
    sound = vowels(2.3, 8000)
    once = VoiceFilter(create_voice(name), SEEDS, block_s=1)
    whole = np.concatenate(list(once.treat(iter([sound]), 8000, 0)), axis=1)
    assert np.array_equal(changed(sound, 8000, name, 777, block_s=1), whole)


@pytest.mark.parametrize("name", NAMES)
def test_every_channel_is_changed_by_itself_and_a_silent_one_stays_silent(name: str) -> None:
    array = vowels(1.5, 16_000)
    six = np.zeros((6, array.shape[1]), np.float32)
    six[0], six[2], six[4] = array, 0.5 * array, array
    made = changed(six, 16_000, name)
    assert np.array_equal(made[0], made[4])
    assert not made[[1, 3, 5]].any()
    alone = changed(array, 16_000, name)
    assert np.allclose(made[0], alone[0], atol=1e-6)
    assert made[2].std() == pytest.approx(0.5 * made[0].std(), rel=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_odd_sound_keeps_its_length_and_stays_finite(name: str) -> None:
    for sound in (
        *(np.zeros((1, 0), np.float32), np.zeros((2, 1), np.float32), np.full((1, 1), 0.5, np.float32)),
        *(np.full((1, 7), -1, np.float32), np.zeros((1, 40_000), np.float32), np.sign(vowels(1.0, 16_000))),
        np.eye(1, 3000, 1500, dtype=np.float32),
    ):
        made = changed(sound, 16_000, name)
        assert made.shape == sound.shape
        assert np.isfinite(made).all()
        assert np.abs(made).max(initial=0) < 4


def test_a_speaker_sounds_the_same_in_all_stretches_and_different_speakers_differ() -> None:
    sound = vowels(1.0, 16_000)
    thrice = np.concatenate([sound, sound, sound], axis=1)
    speakers = [VoiceSpan(0, 1_000_000, "ada"), VoiceSpan(1_000_000, 2_000_000, "bo")]
    made = changed(thrice, 16_000, speakers=speakers)
    parts = [made[0, second * 16_000 + 1000 : second * 16_000 + 15_000] for second in range(3)]
    alone = [changed(sound, 16_000, speakers=[VoiceSpan(0, 1_000_000, who)])[0, 1000:15_000] for who in ("ada", "bo")]
    assert np.allclose(parts[0], alone[0], atol=1e-4)
    assert np.allclose(parts[1], alone[1], atol=1e-4)
    assert np.abs(parts[0] - parts[1]).max() > 0.02
    assert np.allclose(parts[2], changed(sound, 16_000)[0, 1000:15_000], atol=1e-4), "nobody has an alias of their own"
    assert np.abs(parts[2] - sound[0, 1000:15_000]).max() > 0.02, "nobody passes unchanged"


def test_who_begins_last_has_the_say_and_a_long_turn_goes_on_behind_a_short_one() -> None:
    sound = vowels(3.0, 16_000)
    speakers = [VoiceSpan(0, 3_000_000, "ada"), VoiceSpan(1_000_000, 2_000_000, "bo")]
    made = changed(sound, 16_000, speakers=speakers)
    ada, bo = (changed(sound, 16_000, speakers=[VoiceSpan(0, 3_000_000, who)]) for who in ("ada", "bo"))
    assert np.allclose(made[:, 17_000:31_000], bo[:, 17_000:31_000], atol=1e-4)
    assert np.allclose(made[:, 33_000:47_000], ada[:, 33_000:47_000], atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_moved_in_time(name: str) -> None:
    sound = vowels(3.0, 44_100)
    made = changed(sound, 44_100, name)
    hop = 441
    one, two = (np.sqrt((part[0, : 300 * hop].reshape(-1, hop) ** 2).mean(axis=1)) for part in (sound, made))
    one, two = one - one.mean(), two - two.mean()
    lags = np.correlate(two, one, "full")
    assert abs(int(lags.argmax()) - (len(one) - 1)) <= 1
