"""Media as a stranger may send them: lists in a disguise, files beside a clip, addresses inside one. All name loopback.

`NAMING` are files that name others and pass for a recording, `SIDECARS` lie beside a harmless clip, `INSIDE` are real
media that carry an address.
"""

import gzip
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.clips import make_clip

_HOST = "http://127.0.0.1:{port}"
HLS = (
    "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:9\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:9.0,\n"
    f"{_HOST}/beacon.ts\n#EXT-X-ENDLIST\n"
)
DASH = (
    '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S" '
    'minBufferTime="PT1S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType='
    '"video/mp4"><Representation id="1" bandwidth="1000" codecs="avc1.42c00d" width="64" height="48"><BaseURL>'
    f'{_HOST}/beacon.mp4</BaseURL><SegmentBase indexRange="0-99"/></Representation></AdaptationSet></Period></MPD>'
)
SDP = (
    "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\na=control:rtsp://127.0.0.1:{port}/x\n"
    "m=video {port} RTP/AVP 96\na=rtpmap:96 H264/90000\n"
)
SMOOTH = (
    '<?xml version="1.0"?>\n<SmoothStreamingMedia MajorVersion="2" MinorVersion="0" Duration="90000000"><StreamIndex '
    f'Type="video" Chunks="1" Url="{_HOST}/Q({{{{bitrate}}}})/F({{{{start time}}}})"><QualityLevel Index="0" '
    'Bitrate="1000" FourCC="H264" MaxWidth="64" MaxHeight="48" CodecPrivateData="0000000167"/><c d="90000000"/>'
    "</StreamIndex></SmoothStreamingMedia>"
)
_ASX = f'<ASX version="3.0"><Entry><Ref href="{_HOST}/beacon.asf"/></Entry></ASX>'
_XSPF = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track>'
    f"<location>{_HOST}/beacon.mp4</location><image>{_HOST}/cover.jpg</image></track></trackList></playlist>"
)
_SMIL = f'<smil><body><seq><video src="{_HOST}/beacon.mp4"/><textstream src="{_HOST}/a.rt"/></seq></body></smil>'
_TTML = (
    '<?xml version="1.0"?>\n<tt xmlns="http://www.w3.org/ns/ttml" xmlns:smpte="http://www.smpte-ra.org/schemas/2052-1/2010/'
    f'smpte-tt"><body><div smpte:backgroundImage="{_HOST}/a.png"><p begin="0s" end="9s">a</p></div></body></tt>'
)


@dataclass(frozen=True, slots=True)
class HostileKind:
    """One way to send an address in a file.

    Attributes:
        name: for the test and for the file.
        suffix: of the file that is played, with its dot.
        write: writes it, and what lies beside it, with the port of a listener.
    """

    name: str
    suffix: str
    write: Callable[[Path, int], None]


def make_hostile(folder: Path, name: str, port: int) -> Path:
    """Write one kind into a folder and return the file that is played."""
    kind = next(kind for kind in KINDS if kind.name == name)
    path = folder / f"{kind.name}{kind.suffix}"
    kind.write(path, port)
    return path


def _text(name: str, text: str, suffix: str = ".mp4", encoding: str = "utf-8", before: bytes = b"") -> HostileKind:
    def write(path: Path, port: int) -> None:
        path.write_bytes(
            before + text.replace("{port}", str(port)).replace("{{", "{").replace("}}", "}").encode(encoding)
        )

    return HostileKind(name, suffix, write)


def _beside(ending: str, text: str, encoding: str = "utf-8", name: str = "") -> HostileKind:
    def write(path: Path, port: int) -> None:
        clip(path)
        place = path.parent / name if name else path.with_suffix(f".{ending}")
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(text.replace("{port}", str(port)).encode(encoding))

    return HostileKind(f"beside-{(name or ending).replace('/', '-').replace('.', '-')}", ".mp4", write)


def clip(path: Path) -> None:
    """Write a harmless clip of two seconds, which no other has the content of; an MPEG-4 file under any name."""
    made = make_clip(path.with_name(f"{path.name}.mp4"), size=(64, 48), frames=20, fps=10, sound=True)
    made.write_bytes(made.read_bytes() + _box(b"free", path.name.encode()))
    made.replace(path)


def _box(kind: bytes, *content: bytes) -> bytes:
    inside = b"".join(content)
    return struct.pack(">I4s", 8 + len(inside), kind) + inside


def _alternatives(path: Path, port: int) -> None:
    """A QuickTime reference movie with nothing but an address (QuickTime File Format, Reference Movies)."""
    address = f"http://127.0.0.1:{port}/beacon.mov".encode() + b"\0"
    reference = _box(b"rdrf", bytes(4), b"url ", struct.pack(">I", len(address)), address)
    path.write_bytes(_box(b"ftyp", b"qt  ", bytes(4), b"qt  ") + _box(b"moov", _box(b"rmra", _box(b"rmda", reference))))


def _data_elsewhere(path: Path, port: int) -> None:
    """A real MPEG-4 file whose tracks say that their data is at an address."""
    clip(path)
    address = f"http://127.0.0.1:{port}/beacon.mp4".encode() + b"\0"
    path.write_bytes(_replaced(path.read_bytes(), b"dref", bytes(4) + b"\0\0\0\1" + _box(b"url ", bytes(4), address)))


def _data_elsewhere_behind_another_table(path: Path, port: int) -> None:
    """The same with a first table that few files begin with."""
    _data_elsewhere(path, port)
    path.write_bytes(_box(b"junk") + path.read_bytes())


def _data_elsewhere_compressed(path: Path, port: int) -> None:
    """The same with compressed tables (QuickTime File Format, Compressed Movie Resources)."""
    _data_elsewhere(path, port)
    content, made = path.read_bytes(), b""
    while content:
        size, name = struct.unpack_from(">I4s", content)
        part, content = content[:size], content[size:]
        if name == b"moov":
            packed = _box(b"cmvd", struct.pack(">I", size), zlib.compress(part))
            part = _box(b"moov", _box(b"cmov", _box(b"dcom", b"zlib"), packed))
        made += part
    path.write_bytes(made)


def _replaced(content: bytes, kind: bytes, inside: bytes) -> bytes:
    """Return tables of an MPEG-4 file with other content in those of a kind; the sizes of those around them follow."""
    made = b""
    while content:
        size, name = struct.unpack_from(">I4s", content)
        part, content = content[8:size], content[size:]
        nested = name in (b"moov", b"trak", b"mdia", b"minf", b"dinf")
        made += _box(name, inside if name == kind else _replaced(part, kind, inside) if nested else part)
    return made


def _tagged(path: Path, port: int) -> None:
    address = f"http://127.0.0.1:{port}/cover.jpg"
    make_clip(
        path,
        size=(64, 48),
        frames=20,
        fps=10,
        sound=True,
        metadata={
            "title": address,
            "comment": address,
            "artwork_url": address,
            "network": address,
            "episode_id": address,
        },
    )


def _frame(name: bytes, content: bytes) -> bytes:
    return name + struct.pack(">I", len(content)) + b"\0\0" + content


def _id3(frames: bytes) -> bytes:
    size = len(frames)
    return b"ID3\x03\0\0" + bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0)) + frames


def _linked_cover(path: Path, port: int) -> None:
    """An MP3 file whose cover is an address (ID3v2.3, 4.15: the MIME type `-->`)."""
    make_clip(path, picture=False, sound=True, sound_codec="mp3", sound_seconds=2)
    address = f"http://127.0.0.1:{port}/cover.jpg".encode()
    tag = _id3(
        _frame(b"APIC", b"\0-->\0\x03\0" + address) + _frame(b"WXXX", b"\0\0" + address) + _frame(b"WOAF", address)
    )
    path.write_bytes(tag + path.read_bytes())


def _tag_before_list(path: Path, port: int) -> None:
    path.write_bytes(_id3(_frame(b"TIT2", b"\0a")) + HLS.replace("{port}", str(port)).encode())


def _element(number: str, *content: bytes) -> bytes:
    inside = b"".join(content)
    return bytes.fromhex(number) + struct.pack(">Q", 1 << 56 | len(inside)) + inside


def _linked_segments(path: Path, port: int) -> None:
    """Matroska with a next segment and ordered chapters of another one, which lies beside it (RFC 9559, 17)."""
    make_clip(path, size=(64, 48), frames=20, fps=10)
    content = path.read_bytes()
    other = bytes(range(16))
    edition = _element("45BD", b"\1") + _element("45DB", b"\1") + _element("45DD", b"\1")
    chapter = _element("73C4", b"\1") + _element("91", b"\0") + _element("92", struct.pack(">Q", 10**9))
    chapters = _element("1043A770", _element("45B9", edition, _element("B6", chapter, _element("6E67", other))))
    linked = _element("3EB923", other) + _element("4444", other) + _element("3E83BB", HLS.encode("utf-8")[:64])
    segment = content.index(bytes.fromhex("18538067"))
    start = segment + 4 + 8
    info = content.index(bytes.fromhex("1549A966"))
    begin, size = _size(content, info + 4)
    body = content[begin : begin + size] + linked
    rest = content[begin + size :]
    path.write_bytes(content[: segment + 4] + b"\x01" + b"\xff" * 7 + _element("1549A966", body) + rest + chapters)
    assert start <= info
    path.with_name("next.mkv").write_bytes(HLS.replace("{port}", str(port)).encode())


def _size(content: bytes, at: int) -> tuple[int, int]:
    """Return where the content of an element begins and how long it is."""
    length = 9 - content[at].bit_length()
    value = int.from_bytes(content[at : at + length], "big") & (1 << 7 * length) - 1
    return at + length, value


def _subtitles_inside(path: Path, port: int) -> None:
    """An AVI file with a chunk of subtitles (GAB2), as FFmpeg opens them by a reader of their own; they are a list."""
    make_clip(path, size=(64, 48), frames=20, fps=10, codec="mpeg4")
    content = path.read_bytes()
    listed = HLS.replace("{port}", str(port)).encode()
    chunk = b"GAB2\0\2\0" + struct.pack("<I", 4) + b"a\0\0\0" + struct.pack("<HI", 4, len(listed)) + listed
    at = content.index(b"movi") + 4
    path.write_bytes(content[:at] + b"01tx" + struct.pack("<I", len(chunk)) + chunk + content[at:])


def _packed(path: Path, port: int) -> None:
    path.write_bytes(gzip.compress(HLS.replace("{port}", str(port)).encode()))


def _zipped(path: Path, port: int) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("list.m3u8", HLS.replace("{port}", str(port)))


def _in_transport_stream(path: Path, port: int) -> None:
    """A transport stream behind which a list lies."""
    make_clip(path, size=(64, 48), frames=20, fps=10)
    path.write_bytes(path.read_bytes() + HLS.replace("{port}", str(port)).encode())


NAMING = (
    _text("hls", HLS),
    _text("hls-marked", HLS, encoding="utf-8-sig"),
    _text("hls-m3u8", HLS, ".m3u8"),
    _text("hls-16", HLS, encoding="utf-16"),
    _text("hls-16be", HLS, encoding="utf-16-be"),
    _text("hls-16le", HLS, encoding="utf-16-le"),
    _text("hls-zero", HLS, before=b"\0"),
    _text("hls-lines", HLS, before=b"\r\n \t\n"),
    HostileKind("hls-behind-a-tag", ".mp3", _tag_before_list),
    HostileKind("hls-packed", ".mp4", _packed),
    HostileKind("hls-zipped", ".mp4", _zipped),
    _text("hls-keyed", HLS.replace("#EXTINF", f'#EXT-X-KEY:METHOD=AES-128,URI="{_HOST}/key"\n#EXTINF'), ".ts"),
    _text("m3u", f"{_HOST}/beacon.mp4\n", ".m3u"),
    _text("m3u-options", f"#EXTM3U\n#EXTVLCOPT:input-slave={_HOST}/a.mp4\n{_HOST}/beacon.mp4\n", ".m3u"),
    _text("dash", DASH),
    _text("dash-mpd", DASH, ".mpd"),
    _text("dash-16be", DASH, encoding="utf-16-be"),
    _text("dash-16le", DASH, encoding="utf-16-le"),
    _text("dash-32", DASH, encoding="utf-32"),
    _text("dash-named-16", DASH.replace("?>", ' encoding="UTF-16"?>', 1), encoding="utf-16-be"),
    _text("sdp", SDP),
    _text("sdp-sdp", SDP, ".sdp"),
    _text("sdp-session-first", "s=x\n" + SDP),
    _text("rtsp-text", "RTSPtext\nrtsp://127.0.0.1:{port}/beacon\n"),
    _text("rtsp-ram", "rtsp://127.0.0.1:{port}/beacon.rm\n", ".ram"),
    _text(
        "mms-reference",
        f"[Reference]\nRef1=mms://127.0.0.1:{{port}}/beacon\nRef2={_HOST}/beacon?MSWMExt=.asf\n",
        ".asf",
    ),
    _text("mms-asf", "ASF http://127.0.0.1:{port}/beacon\n", ".asf"),
    _text("nsc", "[Address]\nName=02\nMulticast Adapter=\nIP Address=127.0.0.1\nIP Port={port}\n", ".nsc"),
    _text("asx", _ASX, ".asx"),
    _text("asx-16", _ASX, ".wmv", "utf-16"),
    _text("pls", f"[playlist]\nFile1={_HOST}/beacon.mp4\nNumberOfEntries=1\n", ".pls"),
    _text("xspf", _XSPF, ".xspf"),
    _text("smil", _SMIL, ".smil"),
    _text("smil-text", f"SMILtext{_SMIL}", ".mov"),
    _text("cue", f'FILE "{_HOST}/beacon.wav" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n', ".cue"),
    _text("wpl", f'<?wpl version="1.0"?><smil><body><seq><media src="{_HOST}/b.mp4"/></seq></body></smil>', ".wpl"),
    _text(
        "rss",
        f'<?xml version="1.0"?><rss><channel><item><enclosure url="{_HOST}/b"/></item></channel></rss>',
        ".rss",
    ),
    _text(
        "qtl",
        f'<?xml version="1.0"?><?quicktime type="application/x-quicktime-media-link"?><embed src="{_HOST}/b"/>',
    ),
    _text("f4m", f'<manifest xmlns="http://ns.adobe.com/f4m/1.0"><media url="{_HOST}/b"/></manifest>', ".f4m"),
    _text("smooth", SMOOTH, ".ism"),
    _text("smooth-16", SMOOTH, ".mp4", "utf-16-be"),
    _text("concat", f"ffconcat version 1.0\nfile {_HOST}/beacon.mp4\n"),
    _text("shortcut", f"[InternetShortcut]\nURL={_HOST}/beacon.mp4\n", ".url"),
    _text("vobsub", f"# VobSub index file, v7\nid: en, index: 0\ntimestamp: 00:00:00:000\n{_HOST}\n", ".idx"),
    _text("avisynth", f'DirectShowSource("{_HOST}/beacon.mp4")\n', ".avs"),
    _text("metadata", f";FFMETADATA1\ntitle={_HOST}\n"),
    _text("subtitles", "1\n00:00:00,000 --> 00:00:09,000\n{{\\i1}}" + _HOST + "\n", ".srt"),
    _text("vtt", f"WEBVTT\n\nSTYLE\n::cue {{{{ background: url({_HOST}/a) }}}}\n\n00:00.0 --> 00:09.0\na\n", ".vtt"),
    _text("ttml", _TTML, ".ttml"),
    _text("realtext", f'<window type="generic"><a href="{_HOST}/a">a</a></window>', ".rt"),
    _text("svg", f'<svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="{_HOST}/a.png"/></svg>', ".svg"),
    HostileKind("quicktime-alternatives", ".mov", _alternatives),
    HostileKind("quicktime-data-elsewhere", ".mov", _data_elsewhere),
    HostileKind("quicktime-data-elsewhere-behind", ".mov", _data_elsewhere_behind_another_table),
    HostileKind("quicktime-data-elsewhere-compressed", ".mov", _data_elsewhere_compressed),
)
_OF_SUBTITLES = (
    *("srt", "sub", "ass", "ssa", "vtt", "ttml", "smi", "sami", "txt", "utf", "rt", "aqt", "jss", "psb", "stl", "usf"),
    *("mpl", "mks", "sup", "scc", "lrc", "cdg", "idx"),
)
SIDECARS = (
    *(_beside(ending, HLS) for ending in _OF_SUBTITLES),
    *(_beside(ending, DASH, "utf-16-be") for ending in ("utf8", "utf-8", "dks")),
    *(_beside(ending, SDP) for ending in ("pjs", "sdp", "mpsub")),
    _beside("xml", _TTML),
    _beside("m3u8", HLS),
    _beside("cue", f'FILE "{_HOST}/beacon.wav" WAVE\n'),
    _beside("xspf", _XSPF),
    _beside("jpg", HLS, name="cover.jpg"),
    _beside("jpg", HLS, name="folder.jpg"),
    _beside("png", HLS, name="AlbumArt.png"),
    _beside("srt", HLS, name="Subtitles/beside-Subtitles-beside-srt.srt"),
)
INSIDE = (
    HostileKind("tags", ".mp4", _tagged),
    HostileKind("tags-matroska", ".mkv", _tagged),
    HostileKind("linked-cover", ".mp3", _linked_cover),
    HostileKind("linked-segments", ".mkv", _linked_segments),
    HostileKind("subtitles-inside", ".avi", _subtitles_inside),
    HostileKind("list-behind", ".ts", _in_transport_stream),
)
KINDS = (*NAMING, *SIDECARS, *INSIDE)
