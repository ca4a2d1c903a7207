"""What must not leave with a data set of questions, put into every place of a study that has words."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.chains import chain_edits as chains
from annotate.chains.chain_versions import review_chain
from annotate.study.people import add_participant, set_appearance, set_consent
from annotate.team.assignments import hold_out
from anonymize.pii_review.pii_decisions import decide_places, hide_everywhere, mark_text, withdraw_decisions
from anonymize.pii_review.review_hits import find_hits
from benchmark.dataset.dataset_export import confirm_question_texts, prepare_dataset
from benchmark.dataset.question_selection import (
    DUPLICATE_OPTIONS,
    HELD_OUT,
    NO_CONSENT,
    NO_PARTICIPANTS,
    OPTION_NOT_RELEASABLE,
    OPTION_SOURCE_MISSING,
    select_questions,
)
from benchmark.questions.question_edits import QuestionCorrection, correct_question, reword_options
from project.entities.causal_chains import ChainDecision, NodeKind
from project.entities.questions import WrongOption
from project.entities.study_records import ConsentUse, Participant, ParticipantRole
from project.errors import UserError
from project.queries.chain_rows import chains_of
from project.queries.pii_rows import PiiVerdict
from project.queries.question_rows import (
    find_question,
    questions_of,
    set_verification,
    update_question,
    verifications_of,
)
from project.queries.recording_rows import all_participants
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.question_dataset import approve, ask_of_chain, asked_study, export_read, nodes_of, text_of
from tests.builders.subjects import gather

BOTH = ("jsonl", "vlmevalkit")
HOME, OTHER = "walk", "walk 2"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with asked_study(tmp_path, recordings=3) as opened:
        yield opened


def person_called(session: Session, pseudonym: str) -> Participant:
    (person,) = [each for each in all_participants(session.study) if each.pseudonym == pseudonym]
    return person


def ask_with_an_option_of(session: Session, node_id: str) -> str:
    """Ask about the home recording, one wrong option taken from a node; returns the id of the question."""
    made = ask_of_chain(session, HOME, "Who came?", wrong=("Borrowed words.", "B.", "C.", "D."))
    question = find_question(session.study, made)
    with session.step("Take"):
        wrong = (replace(question.wrong[0], source=node_id), *question.wrong[1:])
        update_question(session.study, replace(question, wrong=wrong))
    approve(session)
    return made


def keep_back(session: Session, how: str) -> None:
    person = person_called(session, "P02")
    match how:
        case "held out":
            hold_out(session, OTHER)
        case "consent":
            set_consent(session, person, ConsentUse.RELEASE, False)
        case "nobody":
            set_appearance(session, OTHER, person, False)
            for node in nodes_of(session, OTHER):
                chains.edit_node(session, node, people=())
        case "gone":
            chains.delete_chain(session, chains_of(session.study, OTHER)[0].id)


@pytest.mark.parametrize("how", ["held out", "consent", "nobody", "gone"])
def test_options_taken_from_what_is_kept_back_do_not_leave_with_questions_of_others(
    session: Session, tmp_path: Path, how: str
) -> None:
    ask_with_an_option_of(session, nodes_of(session, OTHER)[0])
    export_read(session, tmp_path / "before")
    assert "Borrowed words." in text_of(tmp_path / "before")
    keep_back(session, how)
    made = export_read(session, tmp_path / "out", formats=BOTH, everything=True)
    assert made.left_out[OPTION_SOURCE_MISSING if how == "gone" else OPTION_NOT_RELEASABLE] == 1
    text = text_of(tmp_path / "out")
    assert "Borrowed words." not in text
    if how == "held out":
        assert made.left_out[HELD_OUT] == 3
        assert not [word for word in ("recording-0002", "Chain of 2", "P02") if word in text]


def test_who_did_not_consent_keeps_their_recordings_out_also_whom_a_chain_is_about(
    session: Session, tmp_path: Path
) -> None:
    add_participant(session, "P77", ParticipantRole.BYSTANDER, OTHER)
    assert export_read(session, tmp_path / "out").left_out == {NO_CONSENT: 3}
    set_consent(session, person_called(session, "P77"), ConsentUse.RELEASE, True)
    assert export_read(session, tmp_path / "again").left_out == {}
    for participant in all_participants(session.study):
        set_appearance(session, OTHER, participant, False)
    assert export_read(session, tmp_path / "nobody").left_out == {NO_PARTICIPANTS: 3}
    who, _ = add_participant(session, "P88", ParticipantRole.BYSTANDER)
    (chain,) = chains_of(session.study, OTHER)
    chains.add_node(session, chain.id, NodeKind.DESIRE, "wants to go", 0, 9_000, [who])
    assert export_read(session, tmp_path / "chain").left_out == {NO_CONSENT: 3}


def test_names_are_taken_out_and_what_is_undecided_too(session: Session, tmp_path: Path) -> None:
    (chain,) = chains_of(session.study, HOME)
    chains.rename_chain(session, chain.id, "Zinnia waits for Ada")
    wrong = ("Zinnia left.", "Write to zinnia@example.org.", "It rains.", "It snows.")
    asked = ask_of_chain(session, HOME, "Why is Zinnia cross?", answer="Zinnia's late.", wrong=wrong)
    with session.step("Let another program write beside the words"):
        update_question(session.study, replace(find_question(session.study, asked), aspect="about Zinnia"))
    hide_everywhere(session, "Zinnia")
    made = export_read(session, tmp_path / "out", formats=BOTH, everything=True)
    text = text_of(tmp_path / "out")
    assert made.replaced >= 5
    assert not [secret for secret in ("innia", "example.org", "Ada", "walk") if secret in text]
    assert re.search(r"Why is \[PERSON_\d\] cross\?", text)


def test_options_that_become_alike_keep_a_question_out(session: Session, tmp_path: Path) -> None:
    wrong = ("Call 0711 5550100.", "Call 0711 5550199.", "It rains.", "It snows.")
    ask_of_chain(session, HOME, "What now?", wrong=wrong)
    hide_everywhere(session, "0711 5550100", replacement="[…]")
    hide_everywhere(session, "0711 5550199", replacement="[…]")
    approve(session)
    assert export_read(session, tmp_path / "out").left_out == {DUPLICATE_OPTIONS: 1}


def test_a_pseudonym_that_is_a_private_word_refuses_the_set(session: Session, tmp_path: Path) -> None:
    who, _ = add_participant(session, "Zinnia", ParticipantRole.USER, HOME)
    set_consent(session, person_called(session, "Zinnia"), ConsentUse.RELEASE, True)
    chains.edit_node(session, nodes_of(session, HOME)[0], people=[who])
    hide_everywhere(session, "Zinnia")
    with pytest.raises(UserError, match="must not leave"):
        export_read(session, tmp_path / "out", everything=True)
    assert not (tmp_path / "out").exists()


def test_what_was_marked_by_hand_in_a_node_is_hidden_where_a_question_quotes_it(
    session: Session, tmp_path: Path
) -> None:
    first, _ = nodes_of(session, HOME)
    chains.edit_node(session, first, text="the gruffle of the village waits")
    ask_of_chain(session, HOME, "Why?", answer="Because the gruffle of the village waits.")
    (where,) = [text for text in free_texts(session.study) if text.row == first and text.field == "text"]
    at = where.text.index("gruffle")
    mark_text(session, where, at, at + len("gruffle of the village"), "other")
    export_read(session, tmp_path / "out", formats=BOTH, everything=True)
    text = text_of(tmp_path / "out")
    assert "waits" in text
    assert "gruffle" not in text


def test_a_decision_that_is_taken_back_hides_again(session: Session, tmp_path: Path) -> None:
    ask_of_chain(session, HOME, "Why does Mr. Bilal Poole laugh?")
    places = [hit for hit in find_hits(session) if "Bilal" in hit.text]
    assert places
    decide_places(session, places, PiiVerdict.KEEP)
    export_read(session, tmp_path / "kept", everything=True)
    assert "Bilal" in text_of(tmp_path / "kept")
    withdraw_decisions(session, places)
    export_read(session, tmp_path / "out", everything=True)
    assert "Bilal" not in text_of(tmp_path / "out")


def test_names_in_every_place_that_has_words(session: Session, tmp_path: Path) -> None:
    """Names, notes and files are put everywhere; none of their bytes is in any file of the set."""
    secrets = ("Quillon", "Marvale", "Dr. Osgood Finch", "0711 555 0188")
    for word in secrets[:2]:
        hide_everywhere(session, word)
    (chain,) = chains_of(session.study, HOME)
    chains.rename_chain(session, chain.id, f"Chain of {secrets[0]}, see {session.study.path}")
    chains.edit_node(session, nodes_of(session, HOME)[0], text=f"{secrets[2]} rings {secrets[3]} for {secrets[1]}")
    wrong = tuple(f"{text} leaves with Ada." for text in secrets)
    asked = ask_of_chain(session, HOME, f"Is {secrets[2]} cross?", answer="No.", wrong=wrong)
    question = find_question(session.study, asked)
    with session.step("Explain"):
        why = f"{secrets[0]}'s note in {session.study.path} says so; {secrets[1].upper()} agrees."
        wrong = (*question.wrong[:3], WrongOption("x"))
        update_question(session.study, replace(question, explanation=why, wrong=wrong))
    session.annotator_name = "Quentin Verifier"
    with session.step("Verify"):
        me = session.annotator()
        (said, _) = verifications_of(session.study, questions_of(session.study, HOME)[0].id)
        set_verification(session.study, replace(said, annotator_id=me.id, note=f"Ask {secrets[0]}", question_id=asked))
    review_chain(session, chain.id, ChainDecision.DISCUSS, f"{secrets[1]} was elsewhere")
    (person, *_) = all_participants(session.study)
    gather(session, HOME, secrets[0], person.id)
    session.annotator_name = "Ada"
    export_read(session, tmp_path / "out", formats=BOTH, everything=True)
    sent = text_of(tmp_path / "out").lower()
    more = ("Osgood", "Finch", "555", "Ada", "Quentin", str(session.study.folder), str(Path.home()))
    for secret in (*secrets[:2], *more):
        # Codes are hexadecimal, so a short one can stand inside of them.
        edge = r"\b" if len(secret) <= len("Ada") else ""
        assert not re.search(f"{edge}{re.escape(secret.lower())}{edge}", sent), secret


def test_nothing_is_written_where_texts_cannot_be_searched(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> object:
        raise UserError("The model of names is damaged.", "Fetch it again.")

    monkeypatch.setattr("anonymize.pii_review.study_finder.search_texts", fails)
    with pytest.raises(UserError, match="damaged"):
        export_read(session, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("how", ["held out", "consent", "private"])
def test_what_was_gathered_does_not_leave_after_something_else_was_decided(session: Session, how: str) -> None:
    selection = select_questions(session)
    confirm_question_texts(session, selection)
    prepare_dataset(session, selection, BOTH)
    if how == "private":
        hide_everywhere(session, "event")
    else:
        keep_back(session, how)
    with pytest.raises(UserError, match="have changed since"):
        prepare_dataset(session, selection, BOTH)


def test_an_option_in_other_words_is_still_of_those_whose_words_it_was(session: Session, tmp_path: Path) -> None:
    asked = ask_with_an_option_of(session, nodes_of(session, OTHER)[0])
    reworded = ["Borrowed words, corrected.", "B.", "D.", "C, too."]
    correct_question(
        session, asked, QuestionCorrection(wrong=reword_options(find_question(session.study, asked), reworded))
    )
    keep_back(session, "held out")
    assert export_read(session, tmp_path / "out", everything=True).left_out[OPTION_NOT_RELEASABLE] == 1
    options = [(option.text, bool(option.source)) for option in find_question(session.study, asked).wrong]
    assert options == [(text, text.startswith("Borrowed")) for text in reworded]
