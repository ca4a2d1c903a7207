"""Media as a stranger may send them: lists in a disguise, files beside a clip, addresses inside one. All name loopback.

`NAMING` are files that name others and pass for a recording, `SIDECARS` lie beside a harmless clip, `INSIDE` are real
media that carry an address, some of them as the place of their data.
"""

import base64
import gzip
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.builders.clips import make_clip

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


def _alias(path: Path, port: int) -> None:
    """The same with an alias record (QuickTime File Format, Data Reference Atoms), which names a file beside it."""
    clip(path)
    volume, name = b"Stranger".ljust(27, b"\0"), b"next.mp4".ljust(63, b"\0")
    record = bytes(10) + b"\x08" + volume + bytes(12) + b"\x08" + name + bytes(16) + b"\0\1\0\1" + bytes(16)
    place = b"/next.mp4\0"
    record += struct.pack(">HH", 2, len(place)) + place + b"\xff\xff\0\0"
    path.write_bytes(_replaced(path.read_bytes(), b"dref", bytes(4) + b"\0\0\0\1" + _box(b"alis", bytes(4), record)))
    path.with_name("next.mp4").write_bytes(HLS.replace("{port}", str(port)).encode())


def _data_elsewhere_in(kind: bytes, name: bytes) -> Callable[[Path, int], None]:
    """Return what writes the same with another name for a table, one that FFmpeg's reader goes into as well."""

    def write(path: Path, port: int) -> None:
        _data_elsewhere(path, port)
        path.write_bytes(path.read_bytes().replace(kind, name))

    return write


def _data_elsewhere_overlong(path: Path, port: int) -> None:
    """The same with tables that say to be longer than the one that they lie in."""
    _data_elsewhere(path, port)
    content = bytearray(path.read_bytes())
    at = content.index(b"trak")
    while at > 0:
        struct.pack_into(">I", content, at - 4, 0x7FFFFFFF)
        at = content.find(b"trak", at + 4)
    path.write_bytes(content)


def _data_elsewhere_compressed_twice(path: Path, port: int) -> None:
    """The same with compressed tables in compressed tables."""
    _data_elsewhere_compressed(path, port)
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


def _picture_at(address: str) -> bytes:
    """Return a FLAC picture that is an address (RFC 9639, 8.8: the media type `-->`)."""
    place = address.encode()
    head = struct.pack(">I", 3) + struct.pack(">I", 3) + b"-->" + bytes(4) + bytes(16)
    return head + struct.pack(">I", len(place)) + place


def _flac_cover(path: Path, port: int) -> None:
    make_clip(path, picture=False, sound=True, sound_codec="flac", sound_seconds=2)
    content, picture = path.read_bytes(), _picture_at(f"http://127.0.0.1:{port}/cover.jpg")
    end = 4 + 4 + int.from_bytes(content[5:8])
    path.write_bytes(content[:end] + b"\6" + len(picture).to_bytes(3) + picture + content[end:])


def _ogg_cover(path: Path, port: int) -> None:
    address = f"http://127.0.0.1:{port}/cover.jpg"
    picture = base64.b64encode(_picture_at(address)).decode()
    told = {"METADATA_BLOCK_PICTURE": picture, "COVERARTURL": address, "COVERARTMIME": "-->", "COVERART": address}
    make_clip(path, picture=False, sound=True, sound_codec="libopus", sound_seconds=2, metadata=told)


def _ape_cover(path: Path, port: int) -> None:
    """An MP3 file with an APE tag whose cover and lyrics are elsewhere (APEv2: items that are locators)."""
    make_clip(path, picture=False, sound=True, sound_codec="mp3", sound_seconds=2)
    address = f"http://127.0.0.1:{port}/cover.jpg".encode()
    keys = (b"Cover Art (Front)", b"Related", b"File", b"Lyrics")
    items = b"".join(struct.pack("<II", len(address), 2 << 1) + key + b"\0" + address for key in keys)
    foot = b"APETAGEX" + struct.pack("<IIII", 2000, len(items) + 32, len(keys), 0) + bytes(8)
    path.write_bytes(path.read_bytes() + items + foot)


def _large_wave(path: Path, port: int) -> None:
    """A WAVE file in the form for large ones (RF64, EBU Tech 3306), with addresses in its notes."""
    make_clip(path, picture=False, sound=True, sound_codec="pcm_s16le", sound_seconds=2)
    content = path.read_bytes()
    data = content.index(b"data")
    size = int.from_bytes(content[data + 4 : data + 8], "little")
    address = f"http://127.0.0.1:{port}/a".encode().ljust(32, b"\0")
    notes = b"LIST" + struct.pack("<I", 4 + 8 + 32) + b"INFOICMT" + struct.pack("<I", 32) + address
    body = content[12:data] + notes + b"data" + b"\xff" * 4 + content[data + 8 :]
    sizes = b"ds64" + struct.pack("<IQQQI", 28, len(body) + 40, size, size // 2, 0)
    path.write_bytes(b"RF64" + b"\xff" * 4 + b"WAVE" + sizes + body)


def _hinted(path: Path, port: int) -> None:
    """An MPEG-4 file that says how it is streamed, and which chapters and cover it has."""
    clip(path)
    address = f"http://127.0.0.1:{port}/x".encode()
    stream = b"m=video %d RTP/AVP 96\r\na=control:rtsp://127.0.0.1:%d/x\r\n" % (port, port)
    hint = _box(b"hnti", _box(b"rtp ", b"sdp " + stream), _box(b"sdp ", stream))
    chapter = _box(b"chpl", b"\1\0\0\0" + bytes(4) + b"\1" + bytes(8) + bytes([len(address)]) + address)
    told = _box(b"udta", hint, chapter, _box(b"url ", address), _box(b"covr", address))
    content, made = path.read_bytes(), b""
    while content:
        size, name = struct.unpack_from(">I4s", content)
        part, content = content[:size], content[size:]
        made += _box(b"moov", part[8:], told) if name == b"moov" else part
    path.write_bytes(made)


def _attached(path: Path, port: int) -> None:
    """Matroska with a cover, a font and subtitles attached that are lists (RFC 9559, 5.1.6)."""
    make_clip(path, size=(64, 48), frames=20, fps=10)
    kinds = {
        "cover.jpg": "image/jpeg",
        "a.ttf": "application/x-truetype-font",
        "a.ass": "text/x-ssa",
        "a.m3u8": "text/x",
    }
    content = HLS.replace("{port}", str(port)).encode()
    files = [
        _element("61A7", _element("466E", name.encode()), _element("4660", kind.encode()), _element("465C", content))
        for name, kind in kinds.items()
    ]
    whole = path.read_bytes()
    segment = whole.index(bytes.fromhex("18538067"))
    rest = whole[segment + 12 :]
    path.write_bytes(whole[: segment + 4] + b"\x01" + b"\xff" * 7 + rest + _element("1941A469", *files))


def _in_program_stream(path: Path, port: int) -> None:
    """A program stream behind which a list lies."""
    make_clip(path, size=(64, 48), frames=20, fps=10, container="mpeg")
    path.write_bytes(path.read_bytes() + HLS.replace("{port}", str(port)).encode())


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
)
ALIAS = HostileKind("quicktime-alias", ".mov", _alias)
"""Is opened, and shows nothing: FFmpeg leaves out what is in another file."""
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
    HostileKind("quicktime-data-elsewhere", ".mov", _data_elsewhere),
    HostileKind("quicktime-data-elsewhere-compressed", ".mov", _data_elsewhere_compressed),
    HostileKind("quicktime-data-elsewhere-compressed-twice", ".mov", _data_elsewhere_compressed_twice),
    HostileKind("quicktime-data-elsewhere-overlong", ".mov", _data_elsewhere_overlong),
    HostileKind("quicktime-data-elsewhere-hidden", ".mov", _data_elsewhere_in(b"moov", b"hoov")),
    HostileKind("quicktime-data-elsewhere-freed", ".mov", _data_elsewhere_in(b"moov", b"free")),
    HostileKind("quicktime-data-elsewhere-in-user-data", ".mov", _data_elsewhere_in(b"dinf", b"udta")),
    HostileKind("tags", ".mp4", _tagged),
    HostileKind("tags-matroska", ".mkv", _tagged),
    HostileKind("linked-cover", ".mp3", _linked_cover),
    HostileKind("linked-segments", ".mkv", _linked_segments),
    HostileKind("subtitles-inside", ".avi", _subtitles_inside),
    HostileKind("list-behind", ".ts", _in_transport_stream),
    HostileKind("list-behind-a-program", ".mpg", _in_program_stream),
    HostileKind("flac-cover", ".flac", _flac_cover),
    HostileKind("ogg-cover", ".ogg", _ogg_cover),
    HostileKind("ape-cover", ".mp3", _ape_cover),
    HostileKind("large-wave", ".wav", _large_wave),
    HostileKind("hinted", ".mp4", _hinted),
    HostileKind("attached", ".mkv", _attached),
)
KINDS = (*NAMING, ALIAS, *SIDECARS, *INSIDE)
