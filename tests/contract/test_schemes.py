"""What holds for every annotation scheme that the program ships."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from app.gui.settings.schemes_window import taken_shortcuts
from app.gui.window.action_table import ACTIONS
from app.gui.window.shortcuts import DEFAULT_KEYS, keys_in_use
from app.shortcut_table import KeyTable
from project.entities.study_records import Json
from project.queries.segment_rows import find_segment, value_history, values_of
from project.schemes.label_keys import WINDOW_KEYS
from project.schemes.scheme import NUMERIC_KINDS, Field, FieldKind
from project.schemes.scheme_file import load_scheme, parse_scheme, write_scheme
from project.session.session import Session
from project.store.study import Study
from resources import resource
from tests.builders.clips import make_clip
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


@pytest.mark.parametrize("name", SCHEMES)
def test_it_explains_itself_with_examples_and_keys_and_the_guidelines_show_that(name: str) -> None:
    scheme = load_scheme(name)
    assert scheme.key == name
    assert scheme.name
    labels = [label for track in scheme.tracks for label in track.labels]
    choices = [choice for field in scheme.fields for choice in field.choices]
    everything: list[Any] = [scheme, *scheme.tracks, *labels, *scheme.fields, *choices]
    for defined in everything:
        assert defined.definition.endswith("."), defined.key
    for label in labels:
        assert label.colour, label.key
        assert label.shortcut, label.key
    assert [label.key for label in labels if not label.examples] == []
    assert [choice.key for choice in choices if not choice.examples] == []
    for field in scheme.fields:
        assert field.kind not in NUMERIC_KINDS or len(field.ends) == 2, field.key
    told = unescape(scheme_html(scheme))
    for definition in (*(label.definition for label in labels), *(field.definition for field in scheme.fields)):
        assert definition in told
    assert scheme.examples
    for example in scheme.examples:
        assert example.why
        assert example.situation
        assert example.situation in told, example.title


@pytest.mark.parametrize("name", SCHEMES)
def test_it_is_written_as_it_is_read(name: str) -> None:
    scheme = load_scheme(name)
    text = write_scheme(scheme)
    assert parse_scheme(text, name) == scheme
    assert "[[tracks.labels]]" in text


@pytest.mark.parametrize("name", SCHEMES)
def test_its_keys_are_free_in_the_window(name: str) -> None:
    """Keys of a single mode are not in the way."""
    scheme = load_scheme(name)
    assert taken_shortcuts(scheme, keys_in_use(KeyTable.from_settings(DEFAULT_KEYS, {}))) == ()
    taken = {key.upper() for spec in ACTIONS if not spec.mode for key in spec.keys}
    labels = [label for track in scheme.tracks for label in track.labels]
    choices = [choice for field in scheme.fields for choice in field.choices]
    keys = [entry.shortcut for entries in (labels, scheme.fields, choices) for entry in entries if entry.shortcut]
    assert taken.isdisjoint(map(str.upper, keys))
    for track in scheme.tracks:
        own = [label.shortcut for label in track.labels]
        assert len(own) == len({*own}), track.key


def test_labels_of_an_import_get_the_keys_that_the_window_leaves() -> None:
    keys = keys_in_use(KeyTable.from_settings(DEFAULT_KEYS, {}))
    assert {key for key in keys if len(key) == 1 and key.isalnum()} == WINDOW_KEYS


def test_the_window_warns_of_a_key_that_somebody_gave_an_action_instead() -> None:
    keys = keys_in_use(KeyTable.from_settings(DEFAULT_KEYS, {"boxes": ["E"]}))
    assert taken_shortcuts(load_scheme("shrec"), keys) == ("E",)


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
            assert values_of(session.study, key, name) == values
            assert {value.version for value in value_history(session.study, key)} == {scheme.version}
