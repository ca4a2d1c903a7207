"""Labels get keys that work, and keep those that they have."""

from dataclasses import replace

from project.schemes.label_keys import WINDOW_KEYS, assign_keys, describe_keys
from project.schemes.scheme import Extent, Field, FieldKind, Label, Scheme, Track


def scheme(*tracks: Track, fields: tuple[Field, ...] = ()) -> Scheme:
    return Scheme("lab", "Lab", 1, tracks, fields)


def track(key: str, **labels: str) -> Track:
    return Track(key, key.title(), tuple(Label(name, name, shortcut=shortcut) for name, shortcut in labels.items()))


def keys(made: Scheme) -> list[list[str]]:
    return [[label.shortcut for label in shown.labels] for shown in made.tracks]


def test_a_label_keeps_a_key_that_works_and_gets_a_free_one_otherwise() -> None:
    about = Field("why", FieldKind.TEXT, "Why", shortcut="2", tracks=("gaze",))
    gaze = track("gaze", face="E", hand="e", sky="S", away="")
    whole = replace(track("visit", all=""), extent=Extent.RECORDING)
    made = assign_keys(scheme(gaze, track("hands", still=""), whole, fields=(about,)), None, WINDOW_KEYS)
    assert keys(made) == [["E", "1", "3", "4"], ["1"], [""]]
    assert [*describe_keys(made, None)] == ["Keys of Gaze: E face, 1 hand, 3 sky, 4 away.", "Keys of Hands: 1 still."]


def test_digits_come_before_letters_and_what_is_left_has_none() -> None:
    made = assign_keys(scheme(track("codes", **{f"c{n}": "" for n in range(25)})), None, WINDOW_KEYS)
    [given] = keys(made)
    assert "".join(given) == "123456789CDEGHNPQTVWY"
    [line] = describe_keys(made, None)
    assert line.endswith("Y c20; no key is left for 4 labels.")
    more = scheme(replace(made.tracks[0], labels=(*made.tracks[0].labels, Label("odd", "Odd"))))
    assert [*describe_keys(assign_keys(more, made, WINDOW_KEYS), made)] == [
        "Keys of Codes: no key is left for 1 label."
    ]


def test_a_further_version_gives_keys_to_its_own_labels_only() -> None:
    base = scheme(track("gaze", face="", hand="S"))
    more = scheme(track("gaze", face="", hand="S", away="", toy="1"))
    made = assign_keys(more, base, WINDOW_KEYS)
    assert keys(made) == [["", "S", "2", "1"]]
    assert [*describe_keys(made, base)] == ["Keys of Gaze: 2 away, 1 toy."]
