"""The player with real libVLC, its clock, and the service of exact frames."""

import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.gui.player.player import PlayClock, Player
from media.probe import probe
from project.errors import UserError
from project.timebase import SECOND_US
from tests.builders.clips import make_clip, make_sound_tracks, numbered, tone
from tests.builders.clips import number_of as number_drawn
from tests.builders.edited_clips import with_edits

WIDTH, HEIGHT, RATE, FRAMES = 160, 96, 30, 900
"""Long, so that playing goes on while a busy machine does something else."""
BITS = 10


@pytest.fixture(autouse=True)
def no_sound_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENROOM_AOUT", "dummy")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a minute whose frames carry their own number as black and white bars; a key frame every two seconds."""
    return numbered_clip(tmp_path_factory.mktemp("clip") / "numbered.mp4")


def numbered_clip(path: Path) -> Path:
    with av.open(str(path), "w") as out:
        video = out.add_stream("libx264", rate=RATE, options={"g": "60", "bf": "2", "crf": "20", "preset": "ultrafast"})
        video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        sound = out.add_stream("aac", rate=16000, layout="mono")
        packets: list[av.Packet] = []
        for number in range(FRAMES):
            frame = av.VideoFrame.from_ndarray(bars(number), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            packets += video.encode(frame)
        packets += video.encode(None)
        for start in range(0, 16000 * FRAMES // RATE, 1024):
            samples = np.sin(np.arange(start, start + 1024) / 20).astype(np.float32)[None]
            block = av.AudioFrame.from_ndarray(samples, format="fltp", layout="mono")
            block.sample_rate, block.pts, block.time_base = 16000, start, Fraction(1, 16000)
            packets += sound.encode(block)
        packets += sound.encode(None)
        out.mux(sorted(packets, key=lambda packet: packet.dts * packet.time_base))
    return path


def bars(number: int) -> np.ndarray:
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for bit in range(BITS):
        if number >> bit & 1:
            image[:, bit * WIDTH // BITS : (bit + 1) * WIDTH // BITS] = 235
    return image


def number_of(image: QImage) -> int:
    row = [image.pixelColor((2 * bit + 1) * WIDTH // (2 * BITS), HEIGHT // 2).green() > 127 for bit in range(BITS)]
    return sum(1 << bit for bit, on in enumerate(row) if on)


class Watched:
    """A player and what it showed."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.numbers: list[int] = []
        self.positions: list[int] = []
        player.picture_changed.connect(self._see)
        player.position_changed.connect(self.positions.append)

    def _see(self, image: QImage) -> None:
        if not image.isNull():
            self.numbers.append(number_of(image))


@pytest.fixture
def watched(qtbot: QtBot, clip: Path) -> Iterator[Watched]:
    player = Player()
    watched = Watched(player)
    facts = probe(clip)
    with qtbot.waitSignal(player.opened):
        player.open(clip, facts, facts.duration_us)
    qtbot.waitUntil(lambda: watched.numbers[-1:] == [0])
    yield watched
    player.close()


def frame_time(number: int) -> int:
    return round(number * SECOND_US / RATE)


def test_clock_interpolates_and_never_runs_backward() -> None:
    now = 10.0
    clock = PlayClock(lambda: now)
    clock.set_range(0, 60 * SECOND_US)
    clock.start(2 * SECOND_US, 2.0)
    clock.observe(40 * SECOND_US, 9.9)
    assert clock.now_us() == 2 * SECOND_US, "what was seen before it started is ignored"
    now = 10.5
    assert clock.now_us() == 3 * SECOND_US
    clock.observe(2_900_000, 10.5)
    assert clock.now_us() == 3 * SECOND_US
    now = 10.6
    assert clock.now_us() == 3_100_000
    clock.observe(4 * SECOND_US, 10.6)
    assert clock.now_us() == 4 * SECOND_US
    now = 20.0
    assert clock.now_us() < 8 * SECOND_US, "a player that fell silent is not assumed to run on"


def test_a_step_and_a_seek_show_the_exact_frame(qtbot: QtBot, watched: Watched) -> None:
    player = watched.player
    for number in (1, 2, 3):
        player.step(1)
        qtbot.waitUntil(lambda number=number: watched.numbers[-1] == number)
        assert player.position_us == pytest.approx(frame_time(number), abs=1)
    player.step(-1)
    qtbot.waitUntil(lambda: watched.numbers[-1] == 2)
    player.seek(1_010_000)
    qtbot.waitUntil(lambda: watched.numbers[-1] == 30)
    assert player.position_us == SECOND_US


def test_plays_from_the_playhead_and_pauses_on_the_exact_frame(qtbot: QtBot, watched: Watched) -> None:
    player = watched.player
    player.seek(frame_time(45))
    qtbot.waitUntil(lambda: watched.numbers[-1] == 45)
    watched.numbers.clear()
    watched.positions.clear()
    player.play()
    qtbot.waitUntil(lambda: player.position_us > frame_time(75) and len(watched.numbers) > 10)
    # What libVLC showed last is close to where the clock is; a busy machine shows some pictures late.
    qtbot.waitUntil(lambda: abs(watched.numbers[-1] - player.position_us * RATE / SECOND_US) <= 4)
    before = player.position_us
    began = time.monotonic()
    player.pause()
    latest = before + (time.monotonic() - began) * SECOND_US
    assert not player.playing
    exact = round(player.position_us * RATE / SECOND_US)
    assert player.position_us == pytest.approx(frame_time(exact), abs=1)
    assert before * RATE / SECOND_US - 1 <= exact <= latest * RATE / SECOND_US + 1
    qtbot.waitUntil(lambda: watched.numbers[-1] == exact)
    assert min(watched.numbers) >= 42, "what was shown begins at the playhead, up to a frame or two of libVLC's"
    assert watched.positions[:-1] == sorted(watched.positions[:-1]), "only pausing goes back, to the frame shown"


def test_a_file_without_an_index_plays_whole_pictures_from_any_place(qtbot: QtBot, tmp_path: Path) -> None:
    path = numbered_clip(tmp_path / "numbered.ts")
    facts = probe(path)
    player = Player()
    watched = Watched(player)
    with qtbot.waitSignal(player.opened):
        player.open(path, facts, facts.duration_us)
    begin_us = player.times.time_of(0)
    player.seek(begin_us + frame_time(385) + 1000)
    qtbot.waitUntil(lambda: watched.numbers[-1:] == [385])
    watched.numbers.clear()
    player.play()
    # The next key frame is the 420th.
    qtbot.waitUntil(lambda: player.position_us > begin_us + frame_time(450) and watched.numbers[-1] > 430)
    player.close()
    assert watched.numbers == sorted(watched.numbers)
    assert 385 <= watched.numbers[0] < 415
    assert watched.numbers[-1] <= player.position_us * RATE / SECOND_US + 1


def test_the_chosen_sound_track_is_played(qtbot: QtBot, tmp_path: Path) -> None:
    path = make_sound_tracks(tmp_path / "a.mp4", [tone(0.1, 20), tone(0.3, 20), tone(0.6, 20)], picture=True)
    player = Player()
    facts = probe(path, track=3)
    player.open(path, facts, facts.duration_us)
    player.play()
    libvlc = player._engine._player
    qtbot.waitUntil(lambda: libvlc.audio_get_track() >= 0)
    offered = [number for number, _ in libvlc.audio_get_track_description() if number >= 0]
    assert offered.index(libvlc.audio_get_track()) + 1 == 3
    player.close()


def test_end_is_reached_and_play_starts_over(qtbot: QtBot, watched: Watched) -> None:
    player = watched.player
    player.seek(frame_time(FRAMES - 15))
    with qtbot.waitSignal(player.playing_changed, check_params_cb=lambda playing: not playing):
        player.play()
    qtbot.waitUntil(lambda: watched.numbers[-1] == FRAMES - 1)
    player.play()
    qtbot.waitUntil(lambda: frame_time(5) < player.position_us < frame_time(FRAMES - 60))


def test_shuttle_runs_faster_at_each_press_and_back(qtbot: QtBot, watched: Watched) -> None:
    player = watched.player
    player.seek(frame_time(60))
    player.shuttle(1)
    assert player.rate == 1
    player.shuttle(1)
    assert player.rate == 2
    player.shuttle(0)
    assert not player.playing
    player.seek(frame_time(700))
    watched.positions.clear()
    player.shuttle(-1)
    player.shuttle(-1)
    assert player.rate == -2
    qtbot.waitUntil(lambda: player.position_us < frame_time(670))
    player.shuttle(0)
    assert watched.positions == sorted(watched.positions, reverse=True)
    qtbot.waitUntil(lambda: watched.numbers[-1] == round(player.position_us * RATE / SECOND_US))


def test_without_libvlc_it_says_what_to_install_and_plays_silently(qtbot: QtBot, clip: Path) -> None:
    def missing(_parent: object) -> object:
        raise UserError("libVLC is missing.", "Install it.")

    player = Player(engine=missing)
    watched = Watched(player)
    facts = probe(clip)
    with qtbot.waitSignal(player.opened):
        player.open(clip, facts, facts.duration_us)
    with qtbot.waitSignal(player.problem) as told:
        player.load_engine()
    assert "libVLC" in told.args[0].message
    player.play()
    qtbot.waitUntil(lambda: len(set(watched.numbers)) > 5)
    player.pause()
    player.close()


@pytest.mark.e2e
def test_playing_follows_an_edit_list_and_a_mirror_as_the_stills_do(qtbot: QtBot, tmp_path: Path) -> None:
    size = (WIDTH, HEIGHT)
    source = make_clip(
        tmp_path / "a.mp4",
        size=size[::-1],
        frames=250,
        fps=25,
        gop=25,
        bframes=2,
        sound=True,
        rotation=90,
        mirrored=True,
    )
    path = with_edits(source, tmp_path / "b.mp4", [(3.4, 6.0)])
    facts = probe(path)
    shown: list[tuple[bool, int, float]] = []
    player = Player()

    def compare(image: QImage) -> None:
        if not image.isNull():
            flat = image.convertToFormat(QImage.Format.Format_RGB888)
            seen = (
                np.frombuffer(flat.constBits(), np.uint8).reshape(HEIGHT, -1)[:, : 3 * WIDTH].reshape(HEIGHT, WIDTH, 3)
            )
            number = number_drawn(seen)
            off = np.abs(seen.astype(int) - numbered(number, *size)).mean()
            shown.append((player.playing, number, float(off)))

    player.picture_changed.connect(compare)
    with qtbot.waitSignal(player.opened):
        player.open(path, facts, facts.duration_us)
    qtbot.waitUntil(lambda: bool(shown))
    assert shown[-1][1] == 85
    player.play()
    qtbot.waitUntil(lambda: sum(playing for playing, *_ in shown) > 10)
    player.close()
    assert {number for _, number, _ in shown} <= set(range(85, 235))
    assert max(off for *_, off in shown) < 8
