"""Files of ELAN: times and order that links give, tiers that hang on others, and what is left out."""

from pathlib import Path

import pytest

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import Document
from annotate.interchange.formats.elan_content import TimeSlots, interpolate_slots
from project.entities.study_records import Json


def read(tmp_path: Path, header: str, slots: str, tiers: str) -> Document:
    path = tmp_path / "a.eaf"
    order = f"<HEADER>{header}</HEADER><TIME_ORDER>{slots}</TIME_ORDER>"
    path.write_text(f"<ANNOTATION_DOCUMENT>{order}{tiers}</ANNOTATION_DOCUMENT>", "utf-8")
    return get_format("eaf").read(path)


def slot(name: str, value: int | None = None) -> str:
    return f'<TIME_SLOT TIME_SLOT_ID="{name}"' + (f' TIME_VALUE="{value}"/>' if value is not None else "/>")


def aligned(name: str, start: str, end: str, text: str) -> str:
    refs = f'ANNOTATION_ID="{name}" TIME_SLOT_REF1="{start}" TIME_SLOT_REF2="{end}"'
    value = f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>"
    return f"<ANNOTATION><ALIGNABLE_ANNOTATION {refs}>{value}</ALIGNABLE_ANNOTATION></ANNOTATION>"


def test_shared_slots_give_the_order_whatever_stands_where_in_the_file() -> None:
    slots = {"a": 3, "x": 8, "d": None, "c": None, "y": None, "b": 7, "z": 14, "e": None}
    parts = [("y", "z"), ("d", "e"), ("a", "c"), ("x", "y"), ("c", "d"), ("e", "b")]
    found = interpolate_slots(slots, [[TimeSlots(*part) for part in parts]])
    assert found == {"a": 3, "c": 4, "d": 5, "e": 6, "b": 7, "x": 8, "y": 11, "z": 14}


TYPES = "".join(
    f'<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="{name}" CONSTRAINTS="{constraint}"/>'
    for name, constraint in (("one", "Symbolic_Association"), ("cut", "Symbolic_Subdivision"))
)


def ref(name: str, owner: str, text: str, previous: str = "") -> str:
    value = f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>"
    link = f' PREVIOUS_ANNOTATION="{previous}"' if previous else ""
    refs = f'ANNOTATION_ID="{name}" ANNOTATION_REF="{owner}"{link}'
    return f"<ANNOTATION><REF_ANNOTATION {refs}>{value}</REF_ANNOTATION></ANNOTATION>"


def tier(name: str, *annotations: str, parent: str = "", kind: str = "") -> str:
    about = (f' PARENT_REF="{parent}"' if parent else "") + (f' LINGUISTIC_TYPE_REF="{kind}"' if kind else "")
    return f'<TIER TIER_ID="{name}"{about}>{"".join(annotations)}</TIER>'


def lanes(document: Document) -> dict[str, list[tuple[int, int, str, dict[str, Json]]]]:
    [part] = document.recordings
    return {
        lane.name: [(e.start_us // 1000, e.end_us // 1000, e.text, dict(e.values)) for e in lane.entries]
        for lane in part.lanes
    }


UTTERANCES = tier("ref", aligned("a1", "s1", "s2", "r.1"), aligned("a2", "s3", "s4", "r.2"))
WORDS_OF_UTTERANCES = [
    tier("orth", ref("a3", "a1", "we walk"), ref("a4", "a2", "so"), parent="ref", kind="one"),
    tier(
        "words", ref("a5", "a3", "we"), ref("a6", "a3", "walk", "a5"), ref("a7", "a4", "so"), parent="orth", kind="cut"
    ),
    tier("pos", ref("a8", "a6", "VERB"), parent="words", kind="one"),
    tier("gloss", ref("a9", "a4", "also"), parent="orth", kind="one"),
]
FOUR_SLOTS = slot("s1", 0) + slot("s2", 1000) + slot("s3", 2000) + slot("s4", 3000)


@pytest.mark.parametrize("turn", [1, -1])
def test_tiers_hang_on_tiers_without_spans_of_their_own_in_any_order(turn: int, tmp_path: Path) -> None:
    tiers = "".join([UTTERANCES, *WORDS_OF_UTTERANCES][::turn])
    found = read(tmp_path, "", FOUR_SLOTS, tiers + TYPES)
    assert found.unread == {}
    assert lanes(found) == {
        "ref": [(0, 1000, "r.1", {}), (2000, 3000, "r.2", {})],
        "orth": [(0, 1000, "we walk", {}), (2000, 3000, "so", {"gloss": "also"})],
        "words": [(0, 500, "we", {}), (500, 1000, "walk", {"pos": "VERB"}), (2000, 3000, "so", {})],
    }


def test_links_give_the_order_of_parts_and_not_their_place_in_the_file(tmp_path: Path) -> None:
    linked = (ref("w3", "a1", "3", "w2"), ref("w1", "a1", "1"), ref("w4", "a1", "4", "w3"), ref("w2", "a1", "2", "w1"))
    circle = (ref("c1", "a2", "x", "c2"), ref("c2", "a2", "y", "c1"))
    found = read(
        tmp_path, "", FOUR_SLOTS, UTTERANCES + tier("words", *linked, *circle, parent="ref", kind="cut") + TYPES
    )
    assert [(start, text) for start, _, text, _ in lanes(found)["words"]] == [
        *((250 * place, str(place + 1)) for place in range(4)),
        (2000, "x"),
        (2500, "y"),
    ]


def test_an_id_that_occurs_twice_moves_nothing(tmp_path: Path) -> None:
    tiers = (
        tier("t", aligned("a1", "s1", "s2", "first"))
        + tier("u", aligned("a1", "s3", "s4", "second"))
        + tier("words", ref("w1", "a1", "later"), parent="u", kind="cut")
    )
    found = lanes(read(tmp_path, "", FOUR_SLOTS, tiers + TYPES))
    assert {name: [entry[:3] for entry in entries] for name, entries in found.items()} == {
        "t": [(0, 1000, "first")],
        "u": [(2000, 3000, "second")],
        "words": [(2000, 3000, "later")],
    }


def test_what_is_left_out_is_counted_with_its_reason(tmp_path: Path) -> None:
    slots = FOUR_SLOTS + slot("s4", 9000) + slot("s5")
    tiers = (
        tier("t", aligned("a1", "s1", "s2", "x"), aligned("a2", "s3", "s4", "y"), aligned("a3", "s3", "s5", "z"))
        + tier("words", ref("w1", "a2", "late"), ref("w2", "nobody", "lost"), parent="t", kind="cut")
        + tier("pos", ref("p1", "a1", "N"), ref("p2", "a1", "V"), ref("p3", "a3", "V"), parent="t", kind="one")
    )
    found = read(tmp_path, "", slots, tiers + TYPES)
    assert lanes(found) == {"t": [(0, 1000, "x", {"pos": "N"})], "words": []}
    assert found.unread == {
        "an annotation at a time slot that has two times": 1,
        "an annotation without times that make sense": 1,
        "an annotation about one that is not there or has no times": 3,
        "a second annotation of its tier about the same one": 1,
    }


def test_the_media_of_a_file_begin_where_it_says(tmp_path: Path) -> None:
    media = "".join(
        f'<MEDIA_DESCRIPTOR MEDIA_URL="{name}.mp4" MIME_TYPE="video/mp4" TIME_ORIGIN="{origin}"/>'
        for name, origin in (("a", 2000), ("b", 500))
    )
    found = read(tmp_path, media, FOUR_SLOTS, tier("t", aligned("a1", "s2", "s4", "x")))
    [part] = found.recordings
    assert lanes(found) == {"t": [(3000, 5000, "x", {})]}
    assert part.on_media_time
    assert [link.offset_us for link in part.media] == [0, 1_500_000]
