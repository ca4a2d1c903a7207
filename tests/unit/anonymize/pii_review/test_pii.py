"""Personal information in a study: where it stands and is heard, decisions, replacements, the key."""

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.study import people
from annotate.transcript.transcript_edits import edit_text
from anonymize.pii_review import pii_decisions as commands
from anonymize.pii_review import review_hits as pii
from anonymize.pii_review.pii_decisions import store_hit_numbers
from anonymize.pii_review.pii_files import read_decisions, write_hits, write_key
from anonymize.pii_review.review_hits import read_stand_ins
from anonymize.release.private_content import build_scrubber
from anonymize.release.scrubbed_study import count_personal_items, replace_in_study, write_copies
from project.entities.frozen_items import FrozenItem, ItemSet
from project.entities.study_records import Collection, ParticipantRole, Recording, Utterance
from project.entities.transcript import Word
from project.errors import UserError
from project.ids import new_id
from project.queries.item_set_rows import insert_set, items_of
from project.queries.pii_rows import (
    PiiVerdict,
    PrivateWord,
    private_words,
    public_words,
    put_private_word,
    put_public_word,
)
from project.queries.recording_rows import (
    all_participants,
    insert_collection,
    insert_recording,
    set_hold_out,
    update_participant,
)
from project.queries.transcript_rows import insert_utterances, update_utterance, utterances_of
from project.search.free_texts import FreeText, free_texts
from project.session.session import Session
from project.store.study import Study
from tests.builders.subjects import a_chain, a_question

SECOND = 1_000_000
SAID = (
    "Hello Pepper, I'm Anastasia.",
    "Nice to meet you, Bilal.",
    "Ring five five five, oh one two three.",
    "Thanks, Anastazia, and thanks Anastasia.",
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Study.create(tmp_path / "talk.greenroom"):
        pass
    with Session.open(tmp_path / "talk.greenroom", "Ada") as opened:
        yield opened


@pytest.fixture
def recording_id(session: Session) -> str:
    people.add_participant(session, "P01", ParticipantRole.USER)
    with session.step("Talk"):
        insert_collection(session.study, Collection("c", "main"))
        recording = Recording(new_id(), "c", 1, "1", 60 * SECOND)
        insert_recording(session.study, recording)
        insert_utterances(session.study, [_said(recording.id, number, text) for number, text in enumerate(SAID)])
    return recording.id


def _said(recording_id: str, number: int, text: str) -> Utterance:
    start = number * 5 * SECOND
    words = tuple(
        Word(word, start + at * SECOND // 2, start + at * SECOND // 2 + 400_000, 0.9)
        for at, word in enumerate(text.split())
    )
    return Utterance(new_id(), recording_id, start, start + 4 * SECOND, text, None, words if number != 1 else ())


def _participant(session: Session) -> str:
    return all_participants(session.study)[0].id


def _found(session: Session, text: str) -> list[pii.PlacedHit]:
    return [hit for hit in pii.find_hits(session) if hit.hit.text == text]


def _covered(session: Session, recording_id: str) -> set[str]:
    """Return the words that are not heard."""
    return {spoken.hit.text for spoken in pii.find_spoken_spans(session, recording_id)}


def _free_text(session: Session, row: str) -> FreeText:
    return next(free_text for free_text in free_texts(session.study) if free_text.row == row)


def _from_outside(session: Session, *statements: str) -> None:
    """Let another program write."""
    with closing(sqlite3.connect(session.study.path)) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0


def test_every_kind_of_text_is_searched_and_says_where(session: Session, recording_id: str) -> None:
    hits = pii.find_hits(session)
    assert [(hit.hit.text, hit.kind) for hit in hits] == [
        ("Pepper", "person"),
        ("Anastasia", "person"),
        ("Bilal", "person"),
        ("five five five, oh one two three", "phone"),
        ("Anastazia", "person"),
        ("Anastasia", "person"),
    ]
    assert {hit.recording_id for hit in hits} == {recording_id}
    assert all(hit.is_hidden and hit.verdict is None for hit in hits)
    assert hits[5].place.ordinal == 0
    assert pii.find_hits(session, ["other"]) == []
    (participant,) = all_participants(session.study)
    with session.step("Note"):
        update_participant(session.study, replace(participant, note="Her sister is Ekaterina"))
    assert [hit.place.table for hit in _found(session, "Ekaterina")] == ["participant"]


def test_a_word_is_heard_where_it_was_measured_or_all_over_its_utterance(session: Session, recording_id: str) -> None:
    spans = {(span.hit.text, span.start_us): span for span in pii.find_spoken_spans(session, recording_id)}
    word = spans["Anastasia", 3 * SECOND // 2 - pii.MARGIN_US]
    assert word.end_us == 3 * SECOND // 2 + 400_000 + pii.BORDER_US
    assert word.measured
    (whole,) = (span for (text, _), span in spans.items() if text == "Bilal")
    border = pii.BORDER_US
    assert (whole.start_us, whole.end_us, whole.measured) == (5 * SECOND - border, 9 * SECOND + border, False)


def test_a_word_that_was_kept_is_covered_when_it_becomes_private(session: Session, recording_id: str) -> None:
    commands.decide_places(session, _found(session, "Bilal"), PiiVerdict.KEEP)
    commands.hide_everywhere(session, "Bilal")
    assert "Bilal" in _covered(session, recording_id)
    with session.step("Merged from a copy"):
        put_public_word(session.study, "Bilal")
    assert "Bilal" in _covered(session, recording_id)


def test_a_word_marked_inside_what_is_kept_is_hidden(session: Session, recording_id: str) -> None:
    said = utterances_of(session.study, recording_id)[1]
    with session.step("Type"):
        update_utterance(session.study, replace(said, text="Nice to meet you, Robert Miller."))
    commands.decide_places(session, _found(session, "Robert Miller"), PiiVerdict.KEEP)
    where = _free_text(session, said.id)
    at = where.text.index("Miller")
    commands.mark_text(session, where, at, at + 6, "person")
    assert "Miller" not in build_scrubber(session).scrub(where.text).text


def test_a_number_once_shown_stays_whatever_comes_before(session: Session, recording_id: str) -> None:
    before = {hit.hit.text: hit.replacement for hit in pii.find_hits(session)}
    store_hit_numbers(session, pii.find_hits(session))
    new = Utterance(new_id(), recording_id, 0, 1000, "My name is Robert.", None)
    with session.step("Earlier"):
        insert_utterances(session.study, [new])
    commands.hide_everywhere(session, "Robert")
    commands.hide_everywhere(session, "Bilal")
    after = {hit.hit.text: hit.replacement for hit in pii.find_hits(session)}
    assert {text: after[text] for text in before} == before
    assert after["Robert"] not in before.values()
    commands.withdraw_decisions(session, words=["Bilal"])
    assert _found(session, "Bilal")[0].replacement == before["Bilal"]


def test_what_is_kept_is_neither_hidden_nor_covered(session: Session, recording_id: str) -> None:
    commands.decide_places(session, _found(session, "Bilal"), PiiVerdict.KEEP)
    assert not _found(session, "Bilal")[0].is_hidden
    assert "Bilal" not in _covered(session, recording_id)
    assert build_scrubber(session).scrub(SAID[1]).text == SAID[1]
    commands.withdraw_decisions(session, _found(session, "Bilal"))
    assert "Bilal" not in build_scrubber(session).scrub(SAID[1]).text


def test_what_was_kept_is_undecided_where_other_words_stand_around_it(session: Session, recording_id: str) -> None:
    said = utterances_of(session.study, recording_id)[1]
    edit_text(session, said.id, "We named the robot Bilal for fun.")
    commands.decide_places(session, _found(session, "Bilal"), PiiVerdict.KEEP)
    edit_text(session, said.id, "Well, we named the robot Bilal for fun.")
    assert _found(session, "Bilal")[0].verdict is PiiVerdict.KEEP
    (row,) = session.study.rows("SELECT * FROM pii_decision")
    assert not {"named", "robot"} & {word for cell in row for word in str(cell).split()}, (
        "what is around it is not quoted"
    )
    edit_text(session, said.id, "My son Bilal went to school.")
    assert _found(session, "Bilal")[0].verdict is None
    assert "Bilal" in _covered(session, recording_id)
    session.study.undo()
    assert _found(session, "Bilal")[0].verdict is PiiVerdict.KEEP
    _from_outside(session, f"UPDATE utterance SET text = 'My own Bilal is at school.' WHERE id = '{said.id}'")
    assert _found(session, "Bilal")[0].verdict is None
    assert "Bilal" in _covered(session, recording_id)


def test_a_name_hidden_everywhere_is_found_misspelt_with_one_replacement(session: Session, recording_id: str) -> None:
    whose = _participant(session)
    commands.hide_everywhere(session, "Anastasia", "person", whose)
    exact, misspelt = _found(session, "Anastasia"), _found(session, "Anastazia")
    assert [hit.verdict for hit in exact] == [PiiVerdict.HIDE] * 2
    assert {hit.hit.participant_id for hit in misspelt} == {whose}
    names = {hit.replacement for hit in (*exact, *misspelt)}
    assert len(names) == 1
    commands.hide_everywhere(session, "Stasia", participant_id=whose)
    assert {word.replacement for word in private_words(session.study)} == names
    with pytest.raises(UserError, match="hidden everywhere"):
        commands.decide_places(session, exact, PiiVerdict.KEEP)
    with pytest.raises(UserError, match="name of a participant"):
        commands.keep_words(session, ["anastasia"])


def test_a_word_that_is_public_is_gone_from_the_list_and_forgotten_again(session: Session, recording_id: str) -> None:
    commands.keep_words(session, ["Pepper"])
    assert public_words(session.study) == {"Pepper"}
    assert _found(session, "Pepper") == []
    commands.withdraw_decisions(session, words=["pepper"])
    assert len(_found(session, "Pepper")) == 1
    with pytest.raises(UserError, match="neither hidden nor kept"):
        commands.withdraw_decisions(session, words=["pepper"])
    commands.keep_words(session, ["Pepper"])
    commands.hide_everywhere(session, "Pepper", "other", None, "the robot")
    assert public_words(session.study) == set()
    assert [hit.replacement for hit in _found(session, "Pepper")] == ["the robot"]


def test_what_no_rule_finds_is_marked_and_a_kind_sets_the_replacement(session: Session, recording_id: str) -> None:
    text = next(free_text for free_text in free_texts(session.study) if free_text.text == SAID[1])
    commands.mark_text(session, text, 0, 5, "other")
    (hit,) = _found(session, "Nice")
    assert (hit.kind, hit.verdict, hit.hit.source, hit.replacement) == ("other", PiiVerdict.HIDE, "hand", "[PRIVATE_1]")
    assert build_scrubber(session).scrub(SAID[1]).text == "[PRIVATE_1] to meet you, [PERSON_3]."
    with pytest.raises(UserError, match="No words are marked"):
        commands.mark_text(session, text, 4, 5, "other")
    with pytest.raises(UserError, match="no kind"):
        commands.mark_text(session, text, 0, 4, "nonsense")
    commands.set_kind(session, _found(session, "Bilal"), "place")
    assert [(hit.kind, hit.replacement) for hit in _found(session, "Bilal")] == [("place", "[PLACE_1]")]
    with session.step("Words"):
        put_private_word(session.study, PrivateWord("meet", "[x]"))
    assert [(hit.kind, hit.replacement) for hit in _found(session, "meet")] == [("other", "[x]")]
    assert build_scrubber(session).scrub(SAID[1]).text == "[PRIVATE_1] to [x] you, [PLACE_1]."


def test_of_two_texts_alike_what_is_kept_in_one_is_hidden_in_both(session: Session, recording_id: str) -> None:
    with session.step("Again"):
        insert_utterances(session.study, [_said(recording_id, 9, SAID[1])])
    first, second = _found(session, "Bilal")
    commands.decide_places(session, [first], PiiVerdict.KEEP)
    assert "Bilal" not in build_scrubber(session).scrub(SAID[1]).text
    commands.decide_places(session, [second], PiiVerdict.KEEP)
    assert "Bilal" in build_scrubber(session).scrub(SAID[1]).text


def test_stand_in_names_are_fixed_and_not_of_the_study(session: Session, recording_id: str) -> None:
    commands.hide_everywhere(session, "Anastasia", "person", _participant(session))
    commands.use_stand_ins(session)
    name = read_stand_ins(session)[_participant(session)]
    assert {hit.replacement for hit in _found(session, "Anastasia")} == {name}
    assert name not in " ".join(SAID)
    commands.use_stand_ins(session)
    assert read_stand_ins(session)[_participant(session)] == name
    assert name in build_scrubber(session).scrub(SAID[0]).text
    commands.use_stand_ins(session, False)
    assert read_stand_ins(session) == {}


def test_texts_are_replaced_in_the_study_as_one_step(session: Session, recording_id: str) -> None:
    commands.hide_everywhere(session, "Anastasia", "person", _participant(session))
    commands.use_stand_ins(session)
    count, _ = replace_in_study(session)
    assert count == 4
    after = [utterance.text for utterance in utterances_of(session.study, recording_id)]
    assert not any("nasta" in text or "Bilal" in text or "five" in text for text in after)
    assert pii.find_hits(session) == []
    for utterance in utterances_of(session.study, recording_id):
        assert utterance.words == () or len(utterance.words) == len(utterance.text.split())
    session.study.undo()
    assert [utterance.text for utterance in utterances_of(session.study, recording_id)] == list(SAID)


def test_copies_hold_nothing_personal_and_the_key_all(session: Session, recording_id: str, tmp_path: Path) -> None:
    commands.hide_everywhere(session, "Anastasia", "person", _participant(session))
    files = write_copies(session, tmp_path / "copies")
    assert files == ["texts.csv", "recording-0001.vtt"]
    text = "".join((tmp_path / "copies" / name).read_text() for name in files)
    assert "nasta" not in text
    assert "Bilal" not in text
    key = tmp_path / "key.csv"
    write_key(session, key)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert "P01,Anastasia | Anastazia,3" in key.read_text()
    with pytest.raises(UserError, match="already"):
        write_key(session, key)
    with pytest.raises(UserError, match="not empty"):
        write_copies(session, tmp_path / "copies")


def test_copies_hold_nothing_of_a_held_out_recording(session: Session, recording_id: str, tmp_path: Path) -> None:
    a_question(session, recording_id, "Gruffle")
    with session.step("Hold out"):
        set_hold_out(session.study, recording_id, True)
    assert write_copies(session, tmp_path / "copies") == ["texts.csv"]
    assert "Gruffle" not in (tmp_path / "copies" / "texts.csv").read_text()


def test_what_was_marked_in_a_node_is_hidden_in_copies(session: Session, recording_id: str, tmp_path: Path) -> None:
    node = a_chain(session, recording_id, "the gruffle").nodes[0]
    a_question(session, recording_id, "the gruffle")
    commands.mark_text(session, _free_text(session, node.id), 4, 11, "other")
    for free_text in [text for text in free_texts(session.study) if text.table in ("chain", "chain_node")]:
        at = free_text.text.index("gruffle")
        if free_text.row != node.id:
            commands.mark_text(session, free_text, at, at + 7, "other")
    write_copies(session, tmp_path / "copies")
    assert "gruffle" not in (tmp_path / "copies" / "texts.csv").read_text()


def test_a_list_is_read_back_with_decisions(session: Session, recording_id: str, tmp_path: Path) -> None:
    found = pii.find_hits(session)
    for ending, undecided, kept in (("csv", "\n,", "\nkeep,"), ("json", "null", '"keep"')):
        path = tmp_path / f"list.{ending}"
        write_hits(path, found, {recording_id: 1})
        assert read_decisions(path) == []
        path.write_text(path.read_text().replace(undecided, kept))
        choices = read_decisions(path)
        assert [choice.place for choice in choices] == [hit.place for hit in found]
        assert {choice.decision for choice in choices} == {PiiVerdict.KEEP}


def test_a_list_that_is_not_understood_is_named(tmp_path: Path) -> None:
    for name, text in (
        ("a.txt", ""),
        ("a.json", '[{"decision": "maybe"}]'),
        ("a.csv", "decision,kind\nhide,nonsense\n"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(UserError):
            read_decisions(tmp_path / name)


def test_frozen_items_with_a_private_word_are_counted_by_their_set_and_left_as_they_are(session: Session) -> None:
    contents = ({"options": ["Quillerin laughs", "nobody does"]}, {"options": ["it waits"], "facts": {"a": "it rains"}})
    items = [FrozenItem(f"i{at}", "set", 0, at, "", "r", 0, 5, content) for at, content in enumerate(contents)]
    with session.step("Hide"):
        put_private_word(session.study, PrivateWord("Quillerin", "P01"))
    with session.study.run_transaction():
        insert_set(session.study, ItemSet("set", "verdict", "verdict", 0, 1, {}, {}, "ab", "2026", "1"), items)
    assert count_personal_items(session) == {"verdict": 1}
    assert items_of(session.study, "set") == items
