"""What holds for every annotation scheme that the program ships."""

from pathlib import Path

import pytest

from app.core.commands.recordings import add_recordings, probe_file
from app.core.commands.segments import add_segment
from app.core.session import Session
from project.queries.segments import segment, values_of
from project.schemes.loader import load_scheme
from project.schemes.scheme import Field, FieldKind, Scheme
from project.store import Study
from project.types import Json
from resources import resource
from tests.contract.documentation import page
from tests.fakes.clips import make_clip

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
        for choice in field.choices:
            assert choice.definition.endswith("."), choice.key
            assert choice.examples, choice.key


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
            assert scheme.missing(label, values, track) == ()
            start = place * 100_000 % 1_400_000
            new, _ = add_segment(session, recording, start, start + 500_000, label, values, track=track)
            made[new] = values
    with Session.open(path, "Ada") as session:
        for key, values in made.items():
            found = segment(session.study, key)
            assert found is not None
            assert found.scheme == name
            read = values_of(session.study, key, name)
            assert {field: value.value for field, value in read.items()} == values
            assert {value.version for value in read.values()} == {scheme.version}


@pytest.mark.parametrize("name", SCHEMES)
def test_the_documentation_mentions_it_and_every_key(name: str) -> None:
    scheme = load_scheme(name)
    text = page("annotating")
    choices = [choice for field in scheme.fields for choice in field.choices]
    for key in (name, *labels(scheme), *(field.key for field in scheme.fields), *(choice.key for choice in choices)):
        assert f"`{key}`" in text, key
    shortcuts = [label.shortcut for track in scheme.tracks for label in track.labels]
    shortcuts += [field.shortcut for field in scheme.fields] + [choice.shortcut for choice in choices]
    for shortcut in filter(None, shortcuts):
        assert f"`{shortcut}`" in text, shortcut
