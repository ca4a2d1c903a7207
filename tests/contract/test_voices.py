"""What holds for every method of changing voices, also for those that are yet to come."""

import dataclasses

import numpy as np
import pytest

from anonymize.sound.voice_methods import ALIASES_PER_SECOND, DEFAULT_VOICE, VOICES, create_voice, voice_type
from project.errors import UserError
from tests.builders.speaking import vowels


@pytest.mark.parametrize("name", VOICES)
def test_it_says_what_it_does_and_who_sees_through_it(name: str) -> None:
    kind = voice_type(name)
    assert kind.name == name
    assert kind.title.strip()
    for text in (kind.description, kind.weakness):
        assert text.strip().endswith(".")
    for spec in dataclasses.fields(kind.options_type):
        assert spec.metadata["title"].strip()
        assert spec.metadata["description"].strip().endswith(".")
        assert spec.metadata["minimum"] <= spec.default <= spec.metadata["maximum"]


@pytest.mark.parametrize("name", VOICES)
def test_the_same_sound_and_alias_give_the_same_and_another_alias_gives_another(name: str) -> None:
    rate, seconds = 8000, 1
    method, sound = create_voice(name), vowels(seconds, rate)[0].astype(np.float64)
    frames = seconds * ALIASES_PER_SECOND + 2
    ada, bo = (np.tile(method.draw_alias(np.random.default_rng(seed)), (frames, 1)) for seed in (1, 2))
    first, again, other = (method.change_voice(sound.copy(), rate, alias) for alias in (ada, ada, bo))
    assert first.shape == sound.shape
    assert np.array_equal(first, again)
    assert np.abs(first - other).max() > 0.01
    assert np.abs(first - sound).max() > 0.01


@pytest.mark.parametrize("name", VOICES)
def test_options_that_it_does_not_have_or_that_protect_nobody_are_refused(name: str) -> None:
    with pytest.raises(UserError, match="has no option"):
        create_voice(name, colour=1)
    for spec in dataclasses.fields(voice_type(name).options_type):
        with pytest.raises(UserError):
            create_voice(name, **{spec.name: spec.metadata["maximum"] * 2})


def test_the_default_is_one_of_them_and_an_unknown_one_is_refused() -> None:
    assert DEFAULT_VOICE in VOICES
    with pytest.raises(UserError, match="no voice method"):
        voice_type("parrot")
