"""Times that ELAN leaves to be worked out."""

from pathlib import Path

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import RecordingPart
from annotate.interchange.formats.elan import TimeSlots, interpolate_slots


def read(tmp_path: Path, header: str, slots: str, tiers: str) -> RecordingPart:
    path = tmp_path / "a.eaf"
    order = f"<HEADER>{header}</HEADER><TIME_ORDER>{slots}</TIME_ORDER>"
    path.write_text(f"<ANNOTATION_DOCUMENT>{order}{tiers}</ANNOTATION_DOCUMENT>", "utf-8")
    [part] = get_format("eaf").read(path).recordings
    return part


def slot(name: str, value: int | None = None) -> str:
    return f'<TIME_SLOT TIME_SLOT_ID="{name}"' + (f' TIME_VALUE="{value}"/>' if value is not None else "/>")


def aligned(name: str, start: str, end: str, text: str) -> str:
    refs = f'ANNOTATION_ID="{name}" TIME_SLOT_REF1="{start}" TIME_SLOT_REF2="{end}"'
    value = f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>"
    return f"<ANNOTATION><ALIGNABLE_ANNOTATION {refs}>{value}</ALIGNABLE_ANNOTATION></ANNOTATION>"


def test_parts_of_a_subdivision_share_its_time_evenly() -> None:
    slots = {"a": 1000, "b": None, "c": None, "d": None, "e": None, "f": 4000}
    parts = [TimeSlots("a", "b"), TimeSlots("c", "d"), TimeSlots("e", "f")]
    assert interpolate_slots(slots, [parts]) == {"a": 1000, "b": 2000, "c": 2000, "d": 3000, "e": 3000, "f": 4000}


def test_slots_of_no_tier_lie_evenly_between_their_neighbours() -> None:
    found = interpolate_slots({"x": None, "a": 0, "b": None, "c": 100, "d": None}, [])
    assert found == {"x": None, "a": 0, "b": 50, "c": 100, "d": None}


def test_annotations_without_any_time_are_left_out(tmp_path: Path) -> None:
    tier = f'<TIER TIER_ID="t">{aligned("a1", "s1", "s2", "x")}{aligned("a2", "s3", "s4", "y")}</TIER>'
    part = read(tmp_path, "", slot("s1", 5) + slot("s2", 10) + slot("s3") + slot("s4"), tier)
    assert [entry.text for entry in part.lanes[0].entries] == ["x"]


def test_where_the_medium_begins_is_honoured(tmp_path: Path) -> None:
    first = '<MEDIA_DESCRIPTOR MEDIA_URL="a.mp4" MIME_TYPE="video/mp4" TIME_ORIGIN="2000"/>'
    second = '<MEDIA_DESCRIPTOR MEDIA_URL="b.mp4" MIME_TYPE="video/mp4" TIME_ORIGIN="500"/>'
    tier = f'<TIER TIER_ID="t">{aligned("a1", "s1", "s2", "x")}</TIER>'
    part = read(tmp_path, first + second, slot("s1", 1000) + slot("s2", 3000), tier)
    [entry] = part.lanes[0].entries
    assert (entry.start_us, entry.end_us) == (3_000_000, 5_000_000)
    assert [link.offset_us for link in part.media] == [0, 1_500_000]


def test_subdivisions_and_associations(tmp_path: Path) -> None:
    def ref(name: str, owner: str, text: str) -> str:
        value = f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>"
        refs = f'ANNOTATION_ID="{name}" ANNOTATION_REF="{owner}"'
        return f"<ANNOTATION><REF_ANNOTATION {refs}>{value}</REF_ANNOTATION></ANNOTATION>"

    tiers = (
        f'<TIER TIER_ID="gloss" PARENT_REF="words" LINGUISTIC_TYPE_REF="one">{ref("a4", "a3", "N")}</TIER>'
        f'<TIER TIER_ID="words" PARENT_REF="t" LINGUISTIC_TYPE_REF="cut">'
        f"{ref('a2', 'a1', 'a')}{ref('a3', 'a1', 'b')}</TIER>"
        f'<TIER TIER_ID="t">{aligned("a1", "s1", "s2", "a b")}</TIER>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="one" CONSTRAINTS="Symbolic_Association"/>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="cut" CONSTRAINTS="Symbolic_Subdivision"/>'
    )
    part = read(tmp_path, "", slot("s1", 0) + slot("s2", 1000), tiers)
    found = {lane.name: [(e.start_us, e.end_us, e.text, dict(e.values)) for e in lane.entries] for lane in part.lanes}
    assert found == {
        "words": [(0, 500_000, "a", {}), (500_000, 1_000_000, "b", {"gloss": "N"})],
        "t": [(0, 1_000_000, "a b", {})],
    }
