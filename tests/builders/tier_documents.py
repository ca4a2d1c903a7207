"""Documents for the tests of formats, and what two of them have in common."""

from collections.abc import Mapping

from hypothesis import strategies as st

from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, MediaLink, RecordingPart, to_text
from project.entities.study_records import Json
from project.ids import new_id

Said = tuple[object, ...]
_ATTRIBUTES = ("emotions", "norms", "conversation", "knowledge")
_LETTERS = st.characters(exclude_categories=("Cs", "Cc"))
WORDS = st.text(st.one_of(_LETTERS, st.just("\n"), st.sampled_from("\\,;:|()-'\"=+@<>&#/ ")), min_size=1, max_size=30)
NAMES = st.from_regex(r"[A-Za-zÄß][\w.'& <>-]{0,12}\w", fullmatch=True).map(lambda one: " ".join(one.split()))
_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "attributes": st.lists(st.sampled_from(_ATTRIBUTES), min_size=1, unique=True),
        "channel": st.sampled_from(("verbal", "nonverbal")),
        "rationale": WORDS,
        "comments": st.lists(WORDS, min_size=1, max_size=3),
    },
)


@st.composite
def _entries(draw: st.DrawFn, texts: st.SearchStrategy[str], *, values: bool) -> tuple[InterchangeEntry, ...]:
    made = []
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, 7_200_000)) * 1000
        end = start + draw(st.integers(1, 600_000)) * 1000
        held: Mapping[str, Json] = draw(_VALUES) if values else {}
        made.append(InterchangeEntry(start, end, draw(texts), held, new_id()))
    return tuple(made)


@st.composite
def parts(draw: st.DrawFn, *, segments: bool = True, speech: bool = True, spoken: bool = False) -> RecordingPart:
    """A recording with the work of some annotators and what some people say; everybody says something if `spoken`."""
    lanes = []
    for name in draw(st.lists(NAMES, max_size=3, unique=True)) if segments else ():
        for track in draw(st.lists(st.sampled_from(("segments", "cues")), min_size=1, unique=True)):
            marks = draw(_entries(st.sampled_from(("error", "competence")), values=True))
            lanes.append(InterchangeLane(f"{name} shrec.{track}", marks, "segments", name, "", "shrec", track))
    people = st.one_of(NAMES, st.just("")) if not spoken else NAMES
    for who in draw(st.lists(people, max_size=3, unique=True)) if speech else ():
        said = draw(_entries(WORDS.filter(lambda text: bool(text.strip())), values=False))
        lanes.append(InterchangeLane(f"Speech {who}".strip(), said, "utterances", participant=who))
    media = (MediaLink("../films/meeting one.mp4"),)
    return RecordingPart(draw(NAMES), tuple(lanes), media, 10_000_000_000, new_id())


def said_in(part: RecordingPart, *, ids: bool, plain: bool = False) -> list[tuple[Said, ...]]:
    """Return everything that a recording's lanes hold, in an order of its own; `plain` makes texts of all values."""
    found = []
    for lane in part.lanes:
        about = lane.kind, lane.annotator, lane.participant, lane.scheme, lane.track
        for entry in lane.entries:
            held = tuple(sorted((name, _comparable(value, plain)) for name, value in entry.values.items()))
            found.append((about, (entry.start_us, entry.end_us, entry.text, entry.id if ids else ""), held))
    return sorted(found, key=repr)


def one_part(document: Document) -> RecordingPart:
    (found,) = document.recordings
    return found


def _comparable(value: Json, plain: bool) -> str:
    if plain:
        return to_text(value)
    return repr(value[0] if isinstance(value, list) and len(value) == 1 else value)
