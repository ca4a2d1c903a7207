"""Footage that is damaged or hostile: every way in which the program reads a media file."""

import contextlib
from pathlib import Path
from random import Random

from media.exact_frames import FrameReader
from media.excerpts import read_thumbnail
from media.frame_index import load_index
from media.probe import probe
from media.synchronization import sound_shape
from media.waveform import load_peaks
from project.errors import UserError
from tests.builders.clips import make_clip
from tests.fuzz.mutate import spoil_bytes

_MADE: tuple[tuple[str, dict[str, object]], ...] = (
    ("a.mp4", {"sound": True}),
    ("b.mp4", {"codec": "mpeg4", "rotation": 90}),
    ("c.mov", {"bframes": 2, "sound": True}),
    ("d.mkv", {"codec": "ffv1", "sound": True, "sound_codec": "flac"}),
    ("e.webm", {"codec": "libvpx-vp9", "sound": True, "sound_codec": "libopus"}),
    ("f.avi", {"codec": "mpeg4", "sound": True, "sound_codec": "mp3"}),
    ("g.ts", {"sound": True, "container": "mpegts"}),
    ("h.wav", {"picture": False, "sound": True, "sound_codec": "pcm_s16le"}),
    ("i.mp3", {"picture": False, "sound": True, "sound_codec": "mp3"}),
    ("j.flac", {"picture": False, "sound": True, "sound_codec": "flac"}),
    ("k.m4a", {"picture": False, "sound": True}),
    ("l.ogg", {"picture": False, "sound": True, "sound_codec": "libopus"}),
)
_TEXTS = (
    "#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n",
    "#EXTM3U\n#EXTINF:1,\n../../outside/known.mp4\n",
    "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\nconcat:http://127.0.0.1:9/|file:../../outside/known.mp4\n",
    "ffconcat version 1.0\nfile ../../outside/known.mp4\n",
    "ffconcat version 1.0\nfile http://127.0.0.1:9/a.mp4\n",
    "<?xml version='1.0'?><MPD><BaseURL>http://127.0.0.1:9/</BaseURL></MPD>",
    "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n",
    "[playlist]\nFile1=http://127.0.0.1:9/a.mp3\n",
    "<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
)


class Media:
    apart = False

    def prepare(self, folder: Path) -> None:
        outside = Path.cwd().parent / "outside"
        make_clip(outside / "known.mp4", size=(48, 32), frames=4)
        self._clips = []
        for name, wanted in _MADE:
            if not (folder / name).exists():
                given = {"size": (48, 32), "frames": 6, "fps": 12, "sound_rate": 48_000, **wanted}
                make_clip(folder / name, **given)
            self._clips.append((name, (folder / name).read_bytes()))
            _read(folder / name, Random(0))

    def spoil(self, chance: Random, folder: Path) -> None:
        name, content = chance.choice(self._clips)
        if chance.random() < 0.03:
            content = chance.choice(_TEXTS).encode()
            name = chance.choice((name, "list.m3u8", "list.ffconcat", "a.mpd", "a.sdp", "a.pls"))
            (folder / name).write_bytes(content)
            return
        others = [other for other_name, other in self._clips if other_name[-3:] == name[-3:] or chance.random() < 0.1]
        (folder / name).write_bytes(spoil_bytes(chance, content, others))

    def use(self, chance: Random, folder: Path) -> None:
        (file,) = folder.iterdir()
        _read(file, chance)


def _read(file: Path, chance: Random) -> None:
    facts = probe(file)
    if facts.video is not None:
        with contextlib.suppress(UserError):
            read_thumbnail(file, facts.duration_us // 3, 32)
        with contextlib.suppress(UserError):
            index = load_index(file)
            with FrameReader(file, index, memory=0) as reader:
                for position in {0, len(index) - 1, chance.randrange(len(index))}:
                    _ = reader.frame_at(position).image
    if facts.audio is not None:
        with contextlib.suppress(UserError):
            load_peaks(file)
        if chance.random() < 0.2:
            with contextlib.suppress(UserError):
                sound_shape(file)
