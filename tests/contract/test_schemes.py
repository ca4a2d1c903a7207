"""What holds for every annotation scheme that the program ships."""

import re
from html import unescape
from pathlib import Path

import pytest

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from app.gui.settings.schemes_window import taken_shortcuts
from app.gui.window.action_table import ACTIONS
from app.gui.window.shortcuts import DEFAULT_KEYS, keys_in_use
from app.shortcut_table import KeyTable
from docs.site.parts import PARTS
from project.entities.study_records import Json
from project.queries.segment_rows import find_segment, values_of
from project.schemes.scheme import NUMERIC_KINDS, Field, FieldKind, Scheme
from project.schemes.scheme_file import load_scheme, parse_scheme
from project.session.session import Session
from project.store.study import Study
from resources import resource
from tests.builders.clips import make_clip
from tests.contract.documentation import page
from widgets.inspector.scheme_browser import scheme_html

SCHEMES = sorted(path.stem for path in resource("schemes").glob("*.toml"))


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "two seconds.mp4", size=(160, 120), frames=20, fps=10)


def filled_in(field: Field) -> Json:
    match field.kind:
        case FieldKind.TEXT:
            return "Because “so”."
        case FieldKind.CHOICE:
            return field.choices[-1].key
        case FieldKind.CHOICES:
            return [choice.key for choice in field.choices]
        case FieldKind.SCALE | FieldKind.SLIDER:
            return int(field.maximum)
        case FieldKind.PARTICIPANT:
            return "somebody"


def labels(scheme: Scheme) -> list[str]:
    return [label.key for track in scheme.tracks for label in track.labels]


@pytest.mark.parametrize("name", SCHEMES)
def test_it_explains_itself(name: str) -> None:
    scheme = load_scheme(name)
    assert scheme.key == name
    assert scheme.name
    for label in (label for track in scheme.tracks for label in track.labels):
        assert label.definition.endswith("."), label.key
        assert label.colour, label.key
    for field in scheme.fields:
        assert field.definition.endswith("."), field.key
        if field.kind in NUMERIC_KINDS:
            assert len(field.ends) == 2, field.key
        for choice in field.choices:
            assert choice.definition.endswith("."), choice.key
            assert choice.examples, choice.key


@pytest.mark.parametrize("name", SCHEMES)
def test_its_labels_have_examples_and_keys_and_it_has_a_worked_example(name: str) -> None:
    scheme = load_scheme(name)
    for track in scheme.tracks:
        assert track.definition.endswith("."), track.key
        for label in track.labels:
            assert label.examples, label.key
            assert label.shortcut, label.key
    assert scheme.definition.endswith(".")
    for example in scheme.examples:
        assert example.situation
        assert example.why
    assert scheme.examples


@pytest.mark.parametrize("name", SCHEMES)
def test_its_shortcuts_are_free_in_the_window(name: str) -> None:
    taken = {key.upper() for spec in ACTIONS if not spec.mode for key in spec.keys}
    scheme = load_scheme(name)
    named = [label for track in scheme.tracks for label in track.labels]
    keys = [
        each_field.shortcut
        for each_field in [*named, *scheme.fields, *(c for field in scheme.fields for c in field.choices)]
    ]
    assert taken.isdisjoint(key.upper() for key in keys if key)


@pytest.mark.parametrize("name", SCHEMES)
def test_the_guidelines_name_every_definition_and_example(name: str) -> None:
    scheme = load_scheme(name)
    told = unescape(scheme_html(scheme))
    for track in scheme.tracks:
        for label in track.labels:
            assert label.definition in told, label.key
    for field in scheme.fields:
        assert field.definition in told, field.key
    for example in scheme.examples:
        assert example.situation in told, example.title


def test_the_example_in_the_documentation_is_a_scheme() -> None:
    found = re.search(r"```toml\n(.*?)```", page("schemes"), re.DOTALL)
    scheme = parse_scheme(found.group(1), "greetings.toml")
    assert {field.kind for field in scheme.fields} >= {FieldKind.PARTICIPANT, FieldKind.SCALE, FieldKind.CHOICES}


def test_the_ratings_have_the_ranges_of_the_paper() -> None:
    scheme = load_scheme("sotopia-eval")
    ranges = {field.key: (field.minimum, field.maximum) for field in scheme.fields if field.kind is FieldKind.SCALE}
    assert ranges == {
        "goal": (0, 10),
        "believability": (0, 10),
        "knowledge": (0, 10),
        "secret": (-10, 0),
        "relationship": (-5, 5),
        "social_rules": (-10, 0),
        "financial": (-5, 5),
    }
    assert set(scheme.missing_fields("rating", {})) == {field.key for field in scheme.fields}


def test_cues_lie_inside_utterances() -> None:
    tracks = load_scheme("cues").tracks
    assert [track.key for track in tracks] == ["action", "expression", "emotion", "tone", "response"]
    assert {track.inside for track in tracks} == {"utterance"}


@pytest.mark.parametrize("name", SCHEMES)
def test_a_whole_form_about_a_clip_of_two_seconds_comes_back_after_reopening(
    name: str, clip: Path, tmp_path: Path
) -> None:
    scheme = load_scheme(name)
    path = tmp_path / "lab.greenroom"
    with Study.create(path) as study, study.step("Choose scheme"):
        study.set_property("schemes", [name])
    made: dict[str, dict[str, Json]] = {}
    with Session.open(path, "Ada") as session:
        assert session.scheme.key == name
        (recording,), _ = add_recordings(session, [probe_file(clip)])
        lanes = [(track.key, label.key) for track in scheme.tracks for label in track.labels]
        for place, (track, label) in enumerate(lanes):
            values = {field.key: filled_in(field) for field in scheme.fields if field.applies_to(label, track)}
            assert scheme.missing_fields(label, values, track) == ()
            start = place * 100_000 % 1_400_000
            new, _ = add_segment(session, recording, start, start + 500_000, label, values, track=track)
            made[new] = values
    with Session.open(path, "Ada") as session:
        for key, values in made.items():
            found = find_segment(session.study, key)
            assert found.scheme == name
            read = values_of(session.study, key, name)
            assert {field: value.value for field, value in read.items()} == values
            assert {value.version for value in read.values()} == {scheme.version}


@pytest.mark.parametrize("name", SCHEMES)
def test_the_documentation_mentions_it_and_every_key(name: str) -> None:
    scheme = load_scheme(name)
    assert f"`{name}`" in page("schemes")
    text = PARTS["schemes"]()
    choices = [choice for field in scheme.fields for choice in field.choices]
    for key in (name, *labels(scheme), *(field.key for field in scheme.fields), *(choice.key for choice in choices)):
        assert f"`{key}`" in text, key
    shortcuts = [label.shortcut for track in scheme.tracks for label in track.labels]
    shortcuts += [field.shortcut for field in scheme.fields] + [choice.shortcut for choice in choices]
    for shortcut in filter(None, shortcuts):
        assert f"`{shortcut}`" in text, shortcut


@pytest.mark.parametrize("name", SCHEMES)
def test_the_window_warns_of_no_key_in_it(name: str) -> None:
    assert taken_shortcuts(load_scheme(name), keys_in_use(KeyTable.from_settings(DEFAULT_KEYS, {}))) == (), (
        "keys of a single mode are not in the way"
    )


def test_the_window_warns_of_a_key_that_somebody_gave_an_action_instead() -> None:
    assert taken_shortcuts(
        load_scheme("shrec"), keys_in_use(KeyTable.from_settings(DEFAULT_KEYS, {"boxes": ["E"]}))
    ) == ("E",)
