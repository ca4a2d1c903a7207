"""What only looks like somebody's, and what comes of the lists of words of a study."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from project.erasure.erased_file import verify_erasure
from project.erasure.erasure import ErasedStudy, prepare_erasure
from project.erasure.lookalikes import LookAlikeReason, LookAlikeWords
from project.queries.pii_rows import private_words
from project.store.study import Study
from tests.builders.withdrawn_study import study_with


def prepared(path: Path, *words: str, keep: tuple[str, ...] = ()) -> ErasedStudy:
    return prepare_erasure(path, "P01", words, keep=keep)


def left(path: Path, *words: str, keep: tuple[str, ...] = ()) -> LookAlikeWords:
    with closing(prepared(path, *words, keep=keep)) as made:
        return made.look_alikes


def said(path: Path, *words: str, keep: tuple[str, ...] = ()) -> set[str]:
    """Return what P02 says once P01 is gone."""
    with closing(prepared(path, *words, keep=keep)) as made:
        return {text for (text,) in made.memory.execute("SELECT text FROM utterance WHERE participant_id = 'P02'")}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        *((f"{word} laughs", word) for word in ("Zebbie", "Zebedaih", "Zebediahlein")),
        *(("the myquuxes are there", "myquuxes"), ("then Z. Q. came", "Z. Q.")),
    ],
)
def test_what_looks_like_a_name_is_listed_until_somebody_decides(tmp_path: Path, text: str, word: str) -> None:
    path = study_with(tmp_path, ["hello"], [text])
    found = left(path)
    assert (found.remaining, found.reasons) == ({word: 1}, {word: LookAlikeReason.NAME})
    kept = left(path, keep=(word.upper(),))
    assert (kept.remaining, kept.kept) == ({}, {word: 1})
    assert left(path, word).remaining == {}
    with Study.open(path, read_only=True) as study:
        assert (text,) in study.rows("SELECT text FROM utterance")


@pytest.mark.parametrize(
    ("name", "looks"),
    [
        ("Владислав Елкин", ("Влад", "\u0412.\u0415.", "Елкину")),
        ("राम शर्मा", ("Ram", "Sarma")),
        ("李娜", ("Li Na", "Lina")),
        ("Anna Petrova", ("Петрова",)),
        ("Anne-Marie D'Arcy Smith-Jones", ("AMSJ", "A.-M.")),
    ],
)
def test_a_name_in_another_form_or_script_or_as_initials_is_listed(
    tmp_path: Path, name: str, looks: tuple[str, ...]
) -> None:
    path = study_with(tmp_path, ["hello"], [f"then {text} came" for text in looks], (name,))
    assert {*left(path).remaining} == {*looks}


def test_names_of_others_and_common_words_are_not_listed(tmp_path: Path) -> None:
    texts = ["Hannah and Susanna and Savannah", "IT is at the US", "the rest of it, zebra and zeal"]
    path = study_with(tmp_path, ["hello"], texts, ("Anna Thomas", "Ivo Tarr", "Zebediah Quux"))
    assert left(path).remaining == {}


def test_what_others_said_in_their_recording_is_asked_about_where_it_stands(tmp_path: Path) -> None:
    path = study_with(tmp_path, ["hello"], ["call 0170 1234567"])
    with Study.open(path) as study, study.step("Say"):
        row = ("x", "r1", "P02", 500, 509, "my number is +49 170 1234567")
        study.write("INSERT INTO utterance VALUES (?, ?, ?, ?, ?, ?, '[]', 1, 0)", row)
    found = left(path)
    assert [*found.reasons.values()] == [LookAlikeReason.RECORDINGS]
    (number,) = found.remaining
    assert left(path, keep=(number,)).remaining == {}
    assert said(path, number) == {""}


def test_their_own_number_is_removed_wherever_it_stands(tmp_path: Path) -> None:
    path = study_with(tmp_path, ["my number is +49 170 1234567"], ["call 0170-123 45 67", "call 0170-123 45 68"])
    assert said(path) == {"", "call 0170-123 45 68"}
    assert said(path, keep=("+49 170 1234567",)) == {"call 0170-123 45 67", "call 0170-123 45 68"}


def test_a_file_and_a_participant_who_are_called_like_them_are_asked_about(tmp_path: Path) -> None:
    path = study_with(tmp_path, ["hello"], ["hello"])
    facts = json.dumps({"container": "mp4", "duration_us": 1, "size_bytes": 1, "video": None, "audio": None})
    with Study.open(path) as study, study.step("Add"):
        study.write("INSERT INTO medium VALUES ('m', 'r2', 'main', 0, 0, 'zebediahquux_2.mp4', 'ab', ?)", (facts,))
        study.write("UPDATE participant SET pseudonym = 'zquux-2' WHERE id = 'P02'", ())
        study.write("UPDATE recording SET name = 'ZebediahQuux, second' WHERE id = 'r2'", ())
    made = prepared(path)
    assert made.look_alikes.reasons["zebediahquux_2.mp4"] is LookAlikeReason.FILE
    assert made.look_alikes.reasons["zquux-2"] is LookAlikeReason.PARTICIPANT
    assert made.memory.execute("SELECT name FROM recording WHERE id = 'r2'").fetchone() == ("Recording",)
    made.close()


def test_lists_of_words_lose_what_came_from_their_recordings_alone(tmp_path: Path) -> None:
    path = study_with(tmp_path, ["my aunt Hildegard lives in Trondheim"], ["I was in Trondheim with Bob"])
    with Study.open(path) as study, study.step("Words"):
        for word in ("Hildegard", "Trondheim", "Bob", "Elsewhere"):
            study.write("INSERT INTO private_word VALUES (?, '[PLACE_1]', 'place', NULL)", (word,))
        study.write("INSERT INTO public_word VALUES ('aunt')", ())
        study.set_property("vocabulary", ["Hildegard", "Trondheim"])
        study.set_property("pii-numbers", {"PERSON": {"hildegard": 1, "bob": 2, "P02": 3, "gone": 4, "P01": 5}})
    with Study.open(path) as study, study.step("More"):
        study.set_property("pii-numbers", {"PERSON": {"bob": 2}})
        study.write("DELETE FROM private_word WHERE word = 'Hildegard'", ())
    made = prepared(path, keep=("Trondheim", "Bob"))
    memory = made.memory
    assert sorted(row[0] for row in memory.execute("SELECT word FROM private_word")) == [
        "Bob",
        "Elsewhere",
        "Trondheim",
    ]
    assert memory.execute("SELECT count(*) FROM public_word").fetchone() == (0,)
    values = dict(memory.execute("SELECT key, value FROM property WHERE key IN ('vocabulary', 'pii-numbers')"))
    assert json.loads(values["vocabulary"]) == ["Trondheim"]
    assert json.loads(values["pii-numbers"]) == {"PERSON": {"bob": 2}}
    history = " ".join(str(row) for row in memory.execute("SELECT before, after FROM journal_change"))
    made.close()
    assert "ildegard" not in history
    assert "gone" not in history
    assert "P02" in history


def test_a_finished_file_that_still_holds_something_is_told(tmp_path: Path) -> None:
    path = study_with(tmp_path, ["hello"], ["quux laughs", "zebediahlein", "hello"])
    made = prepared(path)
    found = verify_erasure(path, made.scope).found
    assert (found["utterance.text"], found["private_word.word"], found["history of utterance.text"]) == (2, 1, 2)
    assert verify_erasure(path, made.scope, ["Zebediahlein"]).found["utterance.text"] == 1
    made.close()


def test_a_word_whose_replacement_is_their_pseudonym_is_a_name_of_theirs(tmp_path: Path) -> None:
    path = study_with(tmp_path, ["hello"], ["Zebediah Quux came by", "Bo came by"], ())
    with Study.open(path) as study, study.step("Words"):
        study.write("INSERT INTO private_word VALUES ('Zebediah Quux', '[p 01]', 'person', NULL)", ())
        study.write("INSERT INTO private_word VALUES ('Bo', 'P02', 'person', NULL)", ())
    made = prepared(path)
    assert "Zebediah Quux" in made.scope.terms.names
    assert ("",) in made.memory.execute("SELECT text FROM utterance").fetchall()
    assert made.memory.execute("SELECT word FROM private_word").fetchall() == [("Bo",)]
    assert ("Bo came by",) in made.memory.execute("SELECT text FROM utterance").fetchall()
    made.close()
    with Study.open(path, read_only=True) as study:
        assert {word.word: word.participant_id for word in private_words(study)} == {
            "Zebediah Quux": "P01",
            "Bo": "P02",
        }


def test_an_earlier_name_of_a_file_that_told_who_it_is_is_in_no_history(tmp_path: Path) -> None:
    path = study_with(tmp_path, ["hello"], ["hello"])
    facts = json.dumps({"container": "mp4", "duration_us": 1, "size_bytes": 1, "video": None, "audio": None})
    with Study.open(path) as study:
        with study.step("Add"):
            study.write("INSERT INTO medium VALUES ('m', 'r2', 'main', 0, 0, 'zebediahquux_2.mp4', 'ab', ?)", (facts,))
        with study.step("Relink"):
            study.write("UPDATE medium SET path = 'visit2.mp4'", ())
        with study.step("Add"):
            study.write("UPDATE participant SET pseudonym = 'zquux' WHERE id = 'P02'", ())
        with study.step("Rename"):
            study.write("UPDATE participant SET pseudonym = 'P02' WHERE id = 'P02'", ())
    made = prepared(path)
    made.memory.execute("VACUUM INTO ?", (str(tmp_path / "erased"),))
    content = (tmp_path / "erased").read_bytes()
    assert (made.look_alikes.remaining, b"visit2.mp4" in content) == ({}, True)
    made.close()
    assert b"quux" not in content


def test_an_address_of_everybody_is_not_theirs_for_sure(tmp_path: Path) -> None:
    with closing(prepared(study_with(tmp_path, ["see google.com"], ["I see google.com too"]))) as made:
        assert not any(string.is_exact for string in made.scope.strings)


def test_a_given_name_without_spaces_is_asked_about(tmp_path: Path) -> None:
    path = study_with(tmp_path, [], ["小明今天没来", "明天见"], ("王小明",))
    assert left(path).reasons == {"小明": LookAlikeReason.NAME}
    assert not left(path, keep=("小明",)).remaining
    assert "小明" not in left(path, "小明").remaining


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE participant SET pseudonym = 'Zebediah' WHERE id = 'P02'",
        "INSERT INTO private_word VALUES ('Zebediah', 'P02', 'person', 'P02')",
    ],
)
def test_a_word_that_is_the_whole_name_of_somebody_else_is_decided_by_a_person(tmp_path: Path, statement: str) -> None:
    path = study_with(tmp_path, ["hello"], ["Zebediah laughs", "Quux laughs", "zebediahquux"])
    with Study.open(path) as study, study.step("Name"):
        study.write(statement, ())
    assert "Zebediah" in left(path).remaining
    assert {"Zebediah laughs"} == said(path, keep=("Zebediah",)) - {""}
    assert said(path, "Zebediah") == {""}
