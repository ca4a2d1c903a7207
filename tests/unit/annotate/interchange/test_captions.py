"""Captions of other tools: times in all spellings, speakers, lines that roll, and words that are no caption's."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from annotate.interchange.annotation_files import guess_format
from annotate.interchange.document import Document
from annotate.interchange.formats.captions import BACKWARDS, STRAY, TIMELESS, UNREADABLE, is_time_line, read_times

Said = list[tuple[str, str]]


def read(tmp_path: Path, name: str, text: str) -> Document:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return guess_format(path).read(path)


def said(document: Document) -> Said:
    """Return speaker and words, by time."""
    [part] = document.recordings
    entries = [(entry.start_us, lane.participant, entry.text) for lane in part.lanes for entry in lane.entries]
    return [(who, text) for _, who, text in sorted(entries, key=lambda entry: entry[0])]


@pytest.mark.parametrize(
    ("line", "milliseconds"),
    [
        ("00: 00: 01, 500 --> 00: 00: 03, 000", (1500, 3000)),
        ("00:00:01 --> 00:00:03.5", (1000, 3500)),
        ("00:00:01,2490999999-->00:00:03,", (1249, 3000)),
        ("01.5 --> 3", None),
        ("00:01.5 -> 00:03.000 align:start", (1500, 3000)),
        ("0:00:01,000 -- > 0:00:03,000 X1:5", (1000, 3000)),
        ("-00:00:01,000 \u2014> 00:00:03,000", (-1000, 3000)),
        ("\uff10\uff10\uff1a00\uff1a01\uff0c500 --\uff1e 00:00:03,000", (1500, 3000)),
        ("00:00:0x,500 --> 00:00:03,000", None),
        ("00:00:01,500 -->", None),
        ("00:00:01,500 00:00:03,000", None),
        ("1 --> 2", None),
    ],
)
def test_times_are_read_in_all_spellings_or_seen_to_be_meant(line: str, milliseconds: tuple[int, int] | None) -> None:
    assert is_time_line(line)
    assert read_times(line) == (milliseconds and tuple(time * 1000 for time in milliseconds))


def test_words_are_no_times() -> None:
    assert not any(map(is_time_line, ["go --> there", "at 10:30", "it is 3 -> 4", "42", "x" * 10_000 + "-->"]))


SRT: tuple[tuple[str, Sequence[str], dict[str, int]], ...] = (
    (
        "1\n00:00:01,0 --> 00:00:02,0\none\n\n2\ntwo\n\n3\n00:00:05,0 --> 00:00:06,0\nthree",
        ["one", "three"],
        {TIMELESS: 1},
    ),
    ("1\n00:00:01,0 --> 00:00:02,0\none\n\n2\n00:00:0x,0 --> 00:00:04,0\ntwo\n", ["one"], {UNREADABLE: 1}),
    ("1\n00:00:01,0 --> 00:00:02,0\none\n\n2\n00:00:04,0 --> 00:00:03,0\ntwo\n", ["one"], {BACKWARDS: 1}),
    ("1\n\n00:00:01,0 --> 00:00:02,0\none\n\n2\n\n00:00:03,0 --> 00:00:04,0\ntwo\n", ["one", "two"], {}),
    ("1\n00:00:01,0 --> 00:00:02,0\none\n2\n00:00:03,0 --> 00:00:04,0\ntwo\n", ["one", "two"], {}),
    ("00:00:01,0 --> 00:00:02,0\n42\n\n00:00:03,0 --> 00:00:04,0\ntwo\n\nmore\n", ["42", "two\nmore"], {}),
    ("made by me\n\n00:00:01,0 --> 00:00:02,0\n<i>one</i>\n\n2", ["one"], {STRAY: 1, TIMELESS: 1}),
)


@pytest.mark.parametrize(("text", "words", "unread"), SRT)
def test_no_words_are_those_of_the_caption_before(
    text: str, words: Sequence[str], unread: dict[str, int], tmp_path: Path
) -> None:
    found = read(tmp_path, "a.srt", text)
    assert said(found) == [("", text) for text in words]
    assert found.unread == unread


def test_what_stands_in_no_cue_of_a_webvtt_is_told_and_notes_are_not(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "a.vtt",
        "WEBVTT 5 --> 6\nKind: captions\n\nNOTE not 1 --> 2\n\nNOTE\n3 --> 4\n\nSTYLE\n::cue { color: red }\n\n"
        "first\n00:01,000 --> 00:02.000 align:start\nNOTE well\n\nmore words\n\nbroken --> 00:03.000\nlost\n\n"
        "00:04.000 --> 00:03.000\nback\n",
    )
    assert said(found) == [("", "NOTE well")]
    assert found.unread == {UNREADABLE: 1, BACKWARDS: 1, STRAY: 1}


def test_several_voices_in_a_cue(tmp_path: Path) -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v.loud Ann>Yes</v> <v Bob &amp; Co>No: &lt;3\n"
    assert said(read(tmp_path, "a.vtt", text)) == [("Ann", "Yes "), ("Bob & Co", "No: <3")]


@pytest.mark.parametrize(
    ("texts", "speakers"),
    [
        (["Ada Field: first", "Bob Stone: second", "Ada Field: third"], ["Ada Field", "Bob Stone", "Ada Field"]),
        (["Ann: Hello", "Ann: Late", "Oh", "Bob: Yes", "Bob: Bye"], ["Ann", "Ann", "", "Bob", "Bob"]),
        (["Note: it is late", "Well", "Yes", "No"], [""] * 4),
    ],
)
def test_names_are_taken_only_where_they_are_plainly_meant(
    texts: list[str], speakers: list[str], tmp_path: Path
) -> None:
    cues = (f"00:00:0{number}.000 --> 00:00:0{number}.500\n{text}" for number, text in enumerate(texts))
    found = said(read(tmp_path, "a.srt", "\n\n".join(cues)))
    assert [who for who, _ in found] == speakers
    assert [f"{who}: {text}" if who else text for who, text in found] == texts


def cues(*shown: str) -> str:
    return "WEBVTT\n\n" + "\n\n".join(
        f"00:{number:02}.000 --> 00:{number + 1:02}.000\n{text}" for number, text in enumerate(shown) if text
    )


@pytest.mark.parametrize(
    ("shown", "once"),
    [
        (
            [
                " \nwell<00:00:00.719><c> this</c>",
                "well this\n ",
                "well this\nand<00:00:02.719><c> then</c>",
                "and then\n ",
            ],
            ["well this", "and then"],
        ),
        (["one", "one\ntwo", "two\nthree", "", "three", "", "three\nfour"], ["one", "two", "three", "three", "four"]),
        (["well", "well this", "well this is\nit", "well this is\nit again"], ["well", "this", "is\nit", "again"]),
        (["yes", "yes", "yes", "no"], ["yes", "yes", "yes", "no"]),
        (["yes", "yes\nindeed", "no", "so", "well"], ["yes", "yes\nindeed", "no", "so", "well"]),
    ],
)
def test_words_that_roll_come_once(shown: list[str], once: list[str], tmp_path: Path) -> None:
    assert said(read(tmp_path, "a.vtt", cues(*shown))) == [("", text) for text in once]
