"""What a release is searched for, what its files are called, and what is read of choices that another program wrote."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotate.interchange.annotation_files import FORMATS, apply_import, get_format, plan_import
from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, RecordingPart
from annotate.interchange.lane_mapping import choose_target, guess_mapping
from anonymize.release.private_content import build_scrubber, collect_private, set_private_words
from anonymize.release.release_plan import (
    PLAN_PROPERTY,
    SCRUB,
    ReleasePlan,
    assign_annotator_codes,
    derive_released_id,
    get_release_key,
    keyed_checksum,
    read_plan,
    store_plan,
)
from anonymize.release.release_texts import AnnotationScrubber, list_released_texts, texts_checksum
from project.entities.study_records import Annotator, Recording
from project.ids import is_id, new_id
from project.queries.recording_rows import all_participants, update_participant, update_recording
from project.session.session import Session


def test_names_files_and_notes_are_searched_for_and_scrubbed(session: Session) -> None:
    set_private_words(session, {"the Millers": "[family]"})
    (person,) = all_participants(session.study)
    with session.step("Note"):
        update_participant(session.study, replace(person, note="limps since May\nhas a twin"))
    private = collect_private(session)
    assert {"Ada Byron", "Anna at home", "the Millers"} <= set(private.words)
    assert {"Anna at home.mp4", str(session.study.folder), "limps since May", "has a twin"} <= set(private.texts)
    assert "twin" not in build_scrubber(session).scrub("She has a twin.").text


def test_an_everyday_name_is_searched_for_as_a_file_or_private_word(session: Session, recording: Recording) -> None:
    with session.step("Rename"):
        update_recording(session.study, replace(recording, name="video.mp4"))
    assert "video" not in collect_private(session).words
    assert "video.mp4" in collect_private(session).words
    assert build_scrubber(session).scrub("the video").text == "the recording 1"
    set_private_words(session, {"video": "[film]"})
    assert "video" in collect_private(session).words


def test_nobody_is_given_a_code_that_is_somebodys_name() -> None:
    people = [Annotator("1", "A02"), Annotator("2", "Ada"), Annotator("3", "gpt", "model"), Annotator("4", "a03")]
    codes = assign_annotator_codes(people, ["A01"])
    assert codes == {"A02": "A04", "Ada": "A05", "gpt": "M01", "a03": "A06"}


def test_a_released_id_tells_neither_the_row_nor_when_it_was_made(session: Session) -> None:
    key, own = get_release_key(session), new_id()
    assert get_release_key(session) == key
    other = derive_released_id(key, own)
    assert is_id(other)
    assert other == derive_released_id(key, own) != derive_released_id(keyed_checksum(key, "another"), own)
    assert other[:8] != own[:8]


def test_texts_are_listed_with_their_place_and_a_state_that_follows_them(session: Session) -> None:
    before = list_released_texts(session)
    assert {text.place for text in before} == {"rationale", "correction", "comments", "utterance", "speaker"}
    assert all("Ada Byron" not in text.after and "555" not in text.after for text in before)
    state = texts_checksum(before)
    assert texts_checksum(list_released_texts(session)) == state
    set_private_words(session, {"Greet": "[word]"})
    assert texts_checksum(list_released_texts(session)) != state
    session.study.undo()
    assert texts_checksum(list_released_texts(session)) == state


@pytest.mark.parametrize("keep", [True, False])
def test_no_format_holds_names_ids_or_files(session: Session, recording: Recording, tmp_path: Path, keep: bool) -> None:
    set_private_words(session, {"Anna": "P01"})
    scrubber = AnnotationScrubber(session, keep_texts=keep, key=get_release_key(session))
    document = Document((scrubber.scrub_recording(recording, clip="../video/recording-0001.mp4"),))
    tables = ("segment", "recording", "annotator")
    own = [row[0] for table in tables for row in session.study.rows(f"SELECT id FROM {table}")]
    formats = [get_format(key) for key in FORMATS if not get_format(key).lossless]
    assert len(formats) > 5
    for number, annotation_format in enumerate(formats):
        target = tmp_path / f"written{number}{annotation_format.suffixes[0]}"
        annotation_format.write(document, target)
        data = target.read_bytes()
        for secret in ("Ada Byron", "Anna", "kitchen", "555-867", "lab.example", *own):
            assert secret.encode() not in data, target
        assert keep or b"looked away" not in data, target


@pytest.mark.parametrize("keep", [True, False])
def test_free_texts_of_imported_tiers_are_scrubbed_and_meanings_of_codes_stay(
    session: Session, recording: Recording, tmp_path: Path, keep: bool
) -> None:
    set_private_words(session, {"Anna": "P01"})
    notes = InterchangeEntry(0, 900_000, "Anna looked away.\nShe waits.")
    codes = InterchangeEntry(0, 900_000, "nod", {"remark": "to Anna"})
    lanes = (
        InterchangeLane("notes", (notes,)),
        InterchangeLane("head", (codes,), vocabulary=("nod",), definitions={"nod": "as Anna does it"}),
    )
    document = Document((RecordingPart("x", lanes),), name="walk", source="eaf")
    mapping = guess_mapping(session, document)
    mapping = replace(mapping, lanes={**mapping.lanes, "notes": choose_target(session, document, "notes", "text")})
    apply_import(session, plan_import(session, document, mapping, [recording.id]), "walk.eaf")
    scrubber = AnnotationScrubber(session, keep_texts=keep)
    get_format("eaf").write(Document((scrubber.scrub_recording(recording),)), tmp_path / "out.eaf")
    data = (tmp_path / "out.eaf").read_text("utf-8")
    assert "walk.head" in data
    assert "Anna" not in data
    assert ("looked away" in data) is keep


def stored(session: Session, key: str, value: Any) -> None:
    with session.step("Written by another program"):
        session.study.set_property(key, value)


def test_choices_are_read_as_they_were_kept_and_those_of_an_odd_kind_are_the_usual_ones(session: Session) -> None:
    only = {1: ("blur", "pixelate"), 3: ("solid",)}
    chosen = ReleasePlan(("solid", "blur"), only=only, formats=("srt",), keep_robots=True, title="Visits", texts=SCRUB)
    store_plan(session, chosen)
    assert read_plan(session) == chosen
    for wrong in (*([1], {"methods": 5}, {"only": {"x": ["solid"]}}, {"keep_robots": "no"}, {"formats": [None]}),):
        stored(session, PLAN_PROPERTY, wrong)
        assert read_plan(session) == ReleasePlan(), wrong
