"""The meta information has all parts, in one form, and leaves out what nobody accepted."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.cues.cue_marks import CuePrelabel
from annotate.cues.prelabels import add_cue, replace_prelabels
from annotate.meta import meta_edits as commands
from annotate.meta.meta_summary import build_meta_information, format_meta_json, format_prose
from annotate.meta.recording_cast import list_people, merge_spans, person_boxes
from anonymize.pii_review.pii_decisions import mark_text
from anonymize.release.release_files import collect_meta_information
from project.entities.questions import LookKind, SummarySource
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.scene_study import ANN, BO, HELLO, SECOND, TOLD, R, open_room, seen


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_room(tmp_path) as opened:
        seen(opened, (ANN, 2.0, (300, 100, 60, 80)), (ANN, 2.5, (310, 100, 60, 80)), (None, 30.0, (0, 0, 30, 40)))
        commands.set_person_description(opened, R, ANN, LookKind.CLOTHING, "red coat")
        commands.set_voice_over(opened, TOLD, True)
        opened_cue = add_cue(opened, HELLO, "action", "gesture", ANN, "Waves.")
        assert opened_cue
        add_cue(opened, HELLO, "response", "nod", BO, "Nods.")
        commands.mark_scene_at(opened, R, 20 * SECOND, "change", "elsewhere")
        replace_prelabels(opened, R, [CuePrelabel("change", "cut", 40 * SECOND, 41 * SECOND, None, "")], "scenes")
        commands.write_summary(opened, R, SummarySource.FRAMES, "Two people meet.")
        commands.add_contradiction(opened, R, "Who waves?")
        yield opened


def test_it_has_every_part(session: Session) -> None:
    found = json.loads(format_meta_json(build_meta_information(session, R)))
    ann, bo, unknown = found["people"]
    assert (ann["name"], ann["looks"], ann["seen"]) == ("Ann", {"clothing": "red coat"}, [{"start": 2.0, "end": 3.46}])
    assert [one["id"] for one in ann["tracks"]] == ["track-1", "track-2"]
    assert ann["tracks"][0]["person"] == [210.0, 52.0, 240.0, 308.0]
    assert (bo["name"], bo["speaks"], bo["tracks"]) == ("Bo", 3.0, [])
    assert (unknown["name"], len(unknown["tracks"])) == (None, 1)
    hello, well = found["speech"]
    assert (hello["speaker"], hello["first_frame"], hello["last_frame"]) == ("Ann", 0, 50)
    assert hello["with_cues"] == "Hello [Bo: Nods] there [Waves]"
    assert [cue["who"] for cue in hello["cues"] + hello["responses"]] == ["Ann", "Bo"]
    assert well["speaker"] == "Bo"
    assert [one["text"] for one in found["voice_over"]] == ["Years later they met again"]
    assert found["without_speech"] == [
        {"start": 0.0, "end": 2.0},
        {"start": 4.0, "end": 15.0},
        {"start": 18.0, "end": 60.0},
    ]
    assert [(one["track"], one["label"]) for one in found["scenes"]] == [
        ("sound", "voice_over"),
        ("change", "elsewhere"),
    ]
    assert found["summaries"] == {"words": "", "frames": "Two people meet."}
    assert found["contradictions"] == [{"text": "Who waves?", "resolution": "", "settled": False}]


def test_every_text_passes_through_what_scrubs_it(session: Session) -> None:
    def written(text: str) -> str:
        return text.replace("Hello", "[...]").replace("Ann", "P01").replace("red", "[...]").replace("people", "[...]")

    told = format_meta_json(build_meta_information(session, R, written))
    assert not any(word in told for word in ("Hello", "Ann", "red coat", "Two people"))


def test_prose_tells_people_then_what_happens_by_time(session: Session) -> None:
    assert format_prose(session, R, {ANN: "User A", BO: "User B"}).splitlines() == [
        "User A: red coat",
        "2.00-4.00 s User A: Hello [User B: Nods] there [Waves]",
        "10.00-14.00 s (Voice-over)",
        "15.00-18.00 s User B: Well well",
        "20.00-20.50 s (Other place or time)",
    ]


def test_what_two_people_marked_is_told_once(session: Session) -> None:
    session.annotator_name = "Bo"
    commands.mark_scene_at(session, R, 20 * SECOND + 100_000, "change", "elsewhere")
    assert format_prose(session, R, {}).count("Other place or time") == 1


def test_the_unnamed_faces_come_last(session: Session) -> None:
    assert [person.participant and person.participant.pseudonym for person in list_people(session, R)] == [
        "Ann",
        "Bo",
        None,
    ]


SIDE = st.floats(1, 400, allow_nan=False, width=32)
PLACE = st.floats(-200, 800, allow_nan=False, width=32)


@given(st.lists(st.tuples(PLACE, PLACE, SIDE, SIDE), min_size=1, max_size=8))
def test_a_person_region_lies_in_the_picture_and_holds_what_of_the_face_does(boxes: list[tuple[float, ...]]) -> None:
    faces = np.array(boxes, np.float32)
    found = person_boxes(faces, 640, 360)
    assert (found[:, :2] >= 0).all()
    assert (found[:, 2:] >= 0).all()
    assert (found[:, 0] + found[:, 2] <= 640.001).all()
    assert (found[:, 1] + found[:, 3] <= 360.001).all()
    for face, region in zip(faces, found, strict=True):
        left, right = np.clip([face[0], face[0] + face[2]], 0, 640)
        top, bottom = np.clip([face[1], face[1] + face[3]], 0, 360)
        assert region[0] <= left + 0.01
        assert region[0] + region[2] >= right - 0.01
        assert region[1] <= top + 0.01
        assert region[1] + region[3] >= bottom - 0.01


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 20)), max_size=12))
def test_joined_spans_cover_the_same_moments_and_do_not_touch(parts: list[tuple[int, int]]) -> None:
    spans = [(start, start + length) for start, length in parts]
    found = merge_spans(spans)
    assert {t for start, end in spans for t in range(start, end)} == {
        t for start, end in found for t in range(start, end)
    }
    assert all(before[1] < after[0] for before, after in pairwise(found))


def test_what_was_marked_by_hand_is_in_no_part_of_the_scrubbed_file(session: Session) -> None:
    marked = ("there", "Waves", "coat", "people meet", "Who")
    for text in [*free_texts(session.study)]:
        for word in marked:
            if word in text.text:
                mark_text(session, text, text.text.index(word), text.text.index(word) + len(word), "other")
    raw, scrubbed = (json.dumps(collect_meta_information(session, scrubbed=on)) for on in (False, True))
    for word in marked:
        assert word in raw
        assert word not in scrubbed, word
