"""What a release is searched for, and what its files are called."""

from pathlib import Path

import pytest

from annotate.interchange.annotation_files import FORMATS, get_format
from anonymize.release.private_content import build_scrubber, collect_private
from anonymize.release.release_edits import set_private_words
from anonymize.release.release_plan import assign_annotator_codes, derive_released_id, get_release_key, keyed_checksum
from anonymize.release.release_texts import AnnotationScrubber, list_released_texts, texts_checksum
from project.entities.study_records import Annotator
from project.ids import is_id, new_id
from project.queries.recording_rows import all_participants, all_recordings, update_participant, update_recording
from project.session.session import Session


def test_names_of_everything_are_searched_for(session: Session) -> None:
    set_private_words(session, {"the Millers": "[family]"})
    found = collect_private(session)
    assert {"Ada Byron", "Anna at home", "the Millers"} <= set(found.words)
    assert {"Anna at home.mp4", str(session.study.folder)} <= set(found.texts)


def test_a_participants_note_is_searched_for_and_scrubbed(session: Session) -> None:
    from dataclasses import replace

    (person,) = all_participants(session.study)
    with session.step("Note"):
        update_participant(session.study, replace(person, note="limps since May\nhas a twin"))
    assert {"limps since May", "has a twin"} <= set(collect_private(session).texts)
    assert "twin" not in build_scrubber(session).scrub("She has a twin.").text


def test_a_recording_with_an_everyday_name_is_searched_for_by_its_file_only(session: Session) -> None:
    from dataclasses import replace

    (recording,) = all_recordings(session.study)
    with session.step("Rename"):
        update_recording(session.study, replace(recording, name="video.mp4"))
    assert "video" not in collect_private(session).words
    assert "video.mp4" in collect_private(session).words
    assert build_scrubber(session).scrub("the video").text == "the recording 1"


def test_a_private_word_is_searched_for_even_where_it_is_one_of_ours(session: Session) -> None:
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
    assert {released_text.place for released_text in before} == {
        "rationale",
        "correction",
        "comments",
        "utterance",
        "speaker",
    }
    assert all("Ada Byron" not in released_text.after and "555" not in released_text.after for released_text in before)
    state = texts_checksum(before)
    assert texts_checksum(list_released_texts(session)) == state
    set_private_words(session, {"Greet": "[word]"})
    assert texts_checksum(list_released_texts(session)) != state
    session.study.undo()
    assert texts_checksum(list_released_texts(session)) == state


@pytest.mark.parametrize("key", [key for key in FORMATS if not get_format(key).lossless])
@pytest.mark.parametrize("keep", [True, False])
def test_no_format_holds_a_name_an_id_or_a_file(session: Session, tmp_path: Path, key: str, keep: bool) -> None:
    set_private_words(session, {"Anna": "P01"})
    document = AnnotationScrubber(session, keep_texts=keep, key=get_release_key(session)).scrub_recordings(
        all_recordings(session.study), {}, lambda number: f"../video/recording-{number:04}.mp4"
    )
    to = get_format(key)
    target = tmp_path / f"written{to.suffixes[0]}"
    to.write(document, target)
    data = target.read_bytes()
    own = [
        row[0]
        for table in ("segment", "recording", "annotator")
        for row in session.study.rows(f"SELECT id FROM {table}")
    ]
    for secret in ("Ada Byron", "Anna", "kitchen", "555-867", "lab.example", *own):
        assert secret.encode() not in data
    assert keep or b"looked away" not in data
