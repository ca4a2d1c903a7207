"""What a release is searched for, and what its files are called."""

from pathlib import Path

import pytest

from annotate.interchange.annotation_files import FORMATS, format_called
from anonymize.release.private_content import private_of, scrubber_of
from anonymize.release.release_edits import set_words
from anonymize.release.release_plan import annotator_codes, release_key, released_id, sealed
from anonymize.release.release_texts import AnnotationScrubber, released_texts, text_state
from project.entities.study_records import Annotator
from project.ids import is_id, new_id
from project.queries.recording_rows import all_participants, all_recordings, update_participant, update_recording
from project.session.session import Session


def test_names_of_everything_are_searched_for(session: Session) -> None:
    set_words(session, {"the Millers": "[family]"})
    found = private_of(session)
    assert {"Ada Byron", "Anna at home", "the Millers"} <= set(found.words)
    assert {"Anna at home.mp4", str(session.study.folder)} <= set(found.texts)


def test_a_participants_note_is_searched_for_and_scrubbed(session: Session) -> None:
    from dataclasses import replace

    (person,) = all_participants(session.study)
    with session.step("Note"):
        update_participant(session.study, replace(person, note="limps since May\nhas a twin"))
    assert {"limps since May", "has a twin"} <= set(private_of(session).texts)
    assert "twin" not in scrubber_of(session).scrub("She has a twin.").text


def test_a_recording_with_an_everyday_name_is_searched_for_by_its_file_only(session: Session) -> None:
    from dataclasses import replace

    (one,) = all_recordings(session.study)
    with session.step("Rename"):
        update_recording(session.study, replace(one, name="video.mp4"))
    assert "video" not in private_of(session).words
    assert "video.mp4" in private_of(session).words
    assert scrubber_of(session).scrub("the video").text == "the recording 1"


def test_a_private_word_is_searched_for_even_where_it_is_one_of_ours(session: Session) -> None:
    set_words(session, {"video": "[film]"})
    assert "video" in private_of(session).words


def test_nobody_is_given_a_code_that_is_somebodys_name() -> None:
    people = [Annotator("1", "A02"), Annotator("2", "Ada"), Annotator("3", "gpt", "model"), Annotator("4", "a03")]
    codes = annotator_codes(people, ["A01"])
    assert codes == {"A02": "A04", "Ada": "A05", "gpt": "M01", "a03": "A06"}


def test_a_released_id_tells_neither_the_row_nor_when_it_was_made(session: Session) -> None:
    key, own = release_key(session), new_id()
    assert release_key(session) == key
    other = released_id(key, own)
    assert is_id(other)
    assert other == released_id(key, own) != released_id(sealed(key, "another"), own)
    assert other[:8] != own[:8]


def test_texts_are_listed_with_their_place_and_a_state_that_follows_them(session: Session) -> None:
    before = released_texts(session)
    assert {one.place for one in before} == {"rationale", "correction", "comments", "utterance", "speaker"}
    assert all("Ada Byron" not in one.after and "555" not in one.after for one in before)
    state = text_state(before)
    assert text_state(released_texts(session)) == state
    set_words(session, {"Greet": "[word]"})
    assert text_state(released_texts(session)) != state
    session.study.undo()
    assert text_state(released_texts(session)) == state


@pytest.mark.parametrize("key", [key for key in FORMATS if not format_called(key).whole])
@pytest.mark.parametrize("keep", [True, False])
def test_no_format_holds_a_name_an_id_or_a_file(session: Session, tmp_path: Path, key: str, keep: bool) -> None:
    set_words(session, {"Anna": "P01"})
    document = AnnotationScrubber(session, keep_texts=keep, key=release_key(session)).document(
        all_recordings(session.study), {}, lambda number: f"../video/recording-{number:04}.mp4"
    )
    to = format_called(key)
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
