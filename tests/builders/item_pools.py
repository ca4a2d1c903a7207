"""Invented pools of segments, and strategies for them."""

from collections.abc import Sequence

from hypothesis import strategies as st

from benchmark.items.candidates import CandidatePool, ItemCandidate
from project.entities.study_records import Json
from project.schemes.scheme_file import load_scheme

SCHEME = load_scheme("shrec")
ATTRIBUTES = [choice.key for choice in SCHEME.field("attributes").choices]
SECOND = 1_000_000


def segment(
    number: int,
    label: str = "error",
    attributes: Sequence[str] = ("norms",),
    text: str = "",
    home: int = 0,
    length_us: int = SECOND,
) -> ItemCandidate:
    """Return the segment of a number; `text` is its rationale, correction and words, or else its own."""
    text = text or f"Text {number}."
    values: dict[str, Json] = {"attributes": [*attributes], "rationale": f"Why: {text}"}
    if label == "error":
        values["correction"] = f"Instead: {text}"
    content: dict[str, Json] = {
        "label": label,
        "values": {} if label == "none" else values,
        "words": [f"User: {text}", f"Agent: {text}"],
        "traits": {"agreed": True, "same_attributes": True, "attributes": [*attributes]},
    }
    start = number * 10 * SECOND
    content["word_spans"] = [[start, start + length_us // 2], [start + length_us // 2, start + length_us]]
    recording = f"r{number % 7}"
    return ItemCandidate(f"s{number:05}", recording, f"c{home}", start, start + length_us, f"made {number}", content)


def gap(number: int, home: int = 0, length_us: int = 60 * SECOND) -> ItemCandidate:
    """Return a stretch that nobody marked."""
    start = number * 100 * SECOND
    return ItemCandidate(
        "", f"g{number}", f"c{home}", start, start + length_us, "", {"traits": {"negative": "unmarked", "agreed": True}}
    )


def pool(candidates: Sequence[ItemCandidate], gaps: Sequence[ItemCandidate] = ()) -> CandidatePool:
    """Return a pool of the scheme of social errors."""
    return CandidatePool(tuple(candidates), {}, SCHEME, "segments", tuple(gaps))


@st.composite
def pools(draw: st.DrawFn, fewest: int = 1) -> CandidatePool:
    """Return pools that have every label, with a few stretches that nobody marked."""
    extra = draw(st.lists(st.sampled_from(["error", "competence", "none"]), max_size=40))
    labels = ["error", "competence"] * fewest + extra
    candidates = [
        segment(
            number,
            label,
            draw(st.lists(st.sampled_from(ATTRIBUTES), min_size=1, max_size=3, unique=True)),
            draw(st.sampled_from(["", "", "", "The same words."])),
            draw(st.integers(0, 2)),
            draw(st.integers(1, 5 * SECOND)),
        )
        for number, label in enumerate(labels)
    ]
    gaps = [gap(number, draw(st.integers(0, 2))) for number in range(draw(st.integers(1, 4)))]
    return pool(candidates, gaps)
