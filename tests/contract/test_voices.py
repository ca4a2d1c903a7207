"""What holds for every voice embedding of the registry, also for those that are yet to come."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models import weights
from models.voices.base import RATE, VoiceEmbedder
from models.voices.registry import EMBEDDERS, NEEDS_WEIGHTS, embedder, usual
from project.errors import UserError
from tests.contract.documentation import page

INSTALLED = weights.folder()
pytestmark = pytest.mark.weights


@cache
def _made(name: str) -> VoiceEmbedder:
    """Make an embedder with the weights of whoever runs the tests; skips where there are none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(weights.FOLDER_VARIABLE, str(INSTALLED))
        if not weights.installed(NEEDS_WEIGHTS[name]):
            pytest.skip(f"needs weights; get them with: greenroom models fetch {NEEDS_WEIGHTS[name]}")
        return embedder(name)


def _hum(hertz: float, seconds: float) -> NDArray[np.float32]:
    """Return a sound with overtones that goes up and down."""
    t = np.arange(round(seconds * RATE)) / RATE
    phase = 2 * np.pi * (hertz * t + 3 * np.sin(2 * np.pi * 2.5 * t))
    waves = sum(np.sin(k * phase) / k for k in range(1, 12))
    return np.asarray(0.1 * waves * (1.2 + np.sin(2 * np.pi * 4 * t)), np.float32)


@pytest.mark.parametrize("name", EMBEDDERS)
def test_it_says_what_it_is_and_how_to_repeat_its_answers(name: str) -> None:
    assert _made(name).key == name
    assert json.loads(json.dumps(dict(_made(name).parameters))) == _made(name).parameters


@pytest.mark.parametrize("name", EMBEDDERS)
@pytest.mark.parametrize("seconds", [0.02, 0.3, 1.6, 2.0, 7.3])
def test_sound_of_any_length_is_a_vector_of_length_one(name: str, seconds: float) -> None:
    found = _made(name).embed(_hum(140, seconds))
    assert found.shape == (_made(name).dimensions,)
    assert found.dtype == np.float32
    assert np.linalg.norm(found) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("name", EMBEDDERS)
def test_silence_is_all_zeros(name: str) -> None:
    assert not _made(name).embed(np.zeros(RATE, np.float32)).any()
    assert not _made(name).embed(np.zeros(0, np.float32)).any()
    assert not _made(name).embed_windows(np.zeros(2 * RATE, np.float32), [0, 100]).any()


@pytest.mark.parametrize("name", EMBEDDERS)
def test_a_voice_is_more_like_itself_than_like_another_also_when_it_is_quieter(name: str) -> None:
    low, same, high = _hum(110, 3), _hum(112, 4), _hum(230, 3)
    voices = [_made(name).embed(one) for one in (low, 0.02 * same, high)]
    assert voices[0] @ voices[1] > voices[0] @ voices[2]


@pytest.mark.parametrize("name", EMBEDDERS)
def test_windows_stay_in_order_and_one_past_the_end_is_moved_back(name: str) -> None:
    sound = np.concatenate([_hum(110, 3), _hum(230, 3)])
    found = _made(name).embed_windows(sound, [0, 4 * RATE, 99 * RATE])
    assert found.shape == (3, _made(name).dimensions)
    assert found[1] @ found[2] > found[0] @ found[2]
    assert _made(name).embed_windows(sound, []).shape == (0, _made(name).dimensions)


@pytest.mark.parametrize("name", EMBEDDERS)
def test_it_gives_the_same_answers_to_several_threads(name: str) -> None:
    alone = _made(name).embed(_hum(140, 3))
    with ThreadPoolExecutor(3) as pool:
        for found in pool.map(lambda _: _made(name).embed(_hum(140, 3)), range(6)):
            assert (found == alone).all()


@pytest.mark.parametrize("name", EMBEDDERS)
def test_the_documentation_mentions_it(name: str) -> None:
    assert f"`{name}`" in page("transcripts")


def test_what_is_not_installed_is_refused_with_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    assert usual() is None
    for name in EMBEDDERS:
        with pytest.raises(UserError, match="not installed") as raised:
            embedder(name)
        assert f"greenroom models fetch {NEEDS_WEIGHTS[name]}" in raised.value.hint


def test_an_unknown_one_is_refused_with_what_there_is() -> None:
    with pytest.raises(UserError) as error:
        embedder("magic")
    for name in EMBEDDERS:
        assert name in error.value.hint
