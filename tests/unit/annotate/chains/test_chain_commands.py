"""Edits of chains: they leave sound chains and nothing loose, and undo brings back every row as it was."""

import pytest

from annotate.chains import chain_edits as chains
from annotate.segments import segment_edits as segments
from annotate.study.people import add_participant
from annotate.study.recording_edits import redo, undo
from annotate.study.scheme_versions import use_shipped_scheme
from annotate.transcript.transcript_edits import add_utterance
from project.entities.causal_chains import Edge, NodeKind
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.chain_rows import all_chains, chains_of
from project.queries.question_rows import all_questions
from project.queries.recording_rows import PARTICIPANTS, RECORDINGS, participants_in
from project.session.session import Session
from tests.builders.chains import ask, draw, graph, human_rows, node
from tests.builders.marked_study import SECOND, WALK, mark


def test_a_chain_is_drawn_node_by_node_and_typing_is_one_step(session: Session) -> None:
    chain_id, ids = draw(session, {"C": "AB", "D": "C"}, name="  The\nproposal ")
    chains.add_chain(session, WALK)
    assert [chain.name for chain in chains_of(session.study, WALK)] == ["The proposal", "Chain 2"]
    found = graph(session, chain_id)
    assert found.chain.name == "The proposal"
    assert [node.text for node in found.nodes] == ["event A", "event B", "event C", "event D"]
    assert found.reasons[ids["C"]] == (ids["A"], ids["B"])
    assert [subchain.result_id for subchain in found.subchains] == [ids["C"], ids["D"]]
    assert found.longest_path_length == 2
    for typed in ("h", "he", "he\tleaves  "):
        chains.edit_node(session, ids["A"], text=typed, merge_key="typing")
    assert graph(session, chain_id).nodes_by_id[ids["A"]].text == "he leaves"
    assert undo(session).name == "Change event"
    assert graph(session, chain_id) == found


def test_no_edge_closes_a_circle_leads_to_another_chain_or_is_there_twice(session: Session) -> None:
    chain_id, ids = draw(session, {"C": "AB", "D": "C"})
    before = graph(session, chain_id)
    for reason, result in ("DA", "AA"):
        with pytest.raises(UserError, match="create a cycle"):
            chains.add_edge(session, ids[reason], ids[result])
    _, other = draw(session, {"B": "A"})
    with pytest.raises(UserError, match="two chains"):
        chains.add_edge(session, ids["A"], other["B"])
    assert not chains.add_edge(session, ids["A"], ids["C"])
    assert graph(session, chain_id) == before


def test_a_node_comes_between_others_in_one_step_and_not_round(session: Session) -> None:
    chain_id, ids = draw(session, {"B": "A"})
    put = (NodeKind.BELIEF, "between", 2 * SECOND, 4 * SECOND)
    with pytest.raises(UserError, match="create a cycle"):
        chains.add_node(session, chain_id, *put, reasons=[ids["B"]], results=[ids["A"]])
    with pytest.raises(UserError, match="create a cycle"):
        chains.add_node(session, chain_id, *put, reasons=[ids["A"]], results=[ids["A"]])
    made, _ = chains.add_node(session, chain_id, *put, reasons=[ids["A"]], results=[ids["B"]])
    assert Edge(ids["A"], made) in graph(session, chain_id).edges
    undo(session)
    assert len(graph(session, chain_id).nodes) == 2
    redo(session)
    assert len(graph(session, chain_id).edges) == 3


@pytest.mark.parametrize("span", [(-1, 40_000), (40_000, 40_999), (0, 601 * SECOND)])
def test_a_node_lies_in_its_recording_and_lasts(session: Session, span: tuple[int, int]) -> None:
    chain_id, ids = draw(session, {"B": "A"})
    before = graph(session, chain_id)
    for act in (
        lambda: chains.add_node(session, chain_id, NodeKind.EVENT, "late", *span),
        lambda: chains.edit_node(session, ids["A"], start_us=span[0], end_us=span[1]),
        lambda: chains.move_nodes(session, [(ids["B"], 0, SECOND), (ids["A"], *span)]),
    ):
        with pytest.raises(UserError):
            act()
    assert graph(session, chain_id) == before


def test_whoever_a_node_is_about_appears_in_the_recording(session: Session) -> None:
    who, _ = add_participant(session, "P01", ParticipantRole.USER)
    chain_id, _ = draw(session, {"B": "A"})
    made = node(session, chain_id, "wants to leave", kind=NodeKind.INTENT, people=[who, who])
    assert graph(session, chain_id).nodes_by_id[made].people == (who,)
    assert [participant.id for participant in participants_in(session.study, WALK)] == [who]
    with pytest.raises(UserError, match="participant is no longer"):
        chains.edit_node(session, made, people=["nobody"])
    chains.edit_node(session, made, people=[])
    assert graph(session, chain_id).nodes_by_id[made].people == ()


def test_only_who_drew_a_chain_changes_it(session: Session) -> None:
    chain_id, ids = draw(session, {"B": "A"})
    before = graph(session, chain_id)
    session.annotator_name = "Bo"
    for act in (
        lambda: chains.rename_chain(session, chain_id, "mine"),
        lambda: chains.delete_chain(session, chain_id),
        lambda: chains.add_node(session, chain_id, NodeKind.EVENT, "x", 0, SECOND),
        lambda: chains.edit_node(session, ids["A"], text="mine"),
        lambda: chains.move_nodes(session, [(ids["A"], 0, SECOND)]),
        lambda: chains.delete_nodes(session, [ids["A"]]),
        lambda: chains.add_edge(session, ids["B"], ids["A"]),
        lambda: chains.delete_edge(session, ids["A"], ids["B"]),
        lambda: chains.add_node_from_segment(session, chain_id, "x"),
    ):
        with pytest.raises(UserError, match="somebody else"):
            act()
    assert graph(session, chain_id) == before


def test_deleting_a_node_takes_its_edges_and_undo_brings_them_back(session: Session) -> None:
    chain_id, ids = draw(session, {"C": "AB", "D": "C"})
    before = graph(session, chain_id)
    chains.delete_nodes(session, [ids["C"], ids["C"], ids["A"]])
    assert graph(session, chain_id).edges == ()
    assert [node.id for node in graph(session, chain_id).nodes] == [ids["B"], ids["D"]]
    undo(session)
    assert graph(session, chain_id) == before


def test_a_node_of_a_segment_or_an_utterance_keeps_its_span_and_text(session: Session) -> None:
    chain_id, _ = chains.add_chain(session, WALK)
    made = mark(session, "Bo", 3, 7, "error", rationale="He\ninterrupts.")
    bare = mark(session, "Bo", 8, 9, "competence")
    ids = [chains.add_node_from_segment(session, chain_id, text)[0] for text in (made, bare)]
    first, second = (graph(session, chain_id).nodes_by_id[text] for text in ids)
    assert (first.text, first.kind, first.start_us, first.end_us) == (
        *("He interrupts.", NodeKind.EVENT),
        *(3 * SECOND, 7 * SECOND),
    )
    assert first.source == f"segment/{made}"
    assert second.text == "Competence"
    who, _ = add_participant(session, "P01", ParticipantRole.USER)
    said, _ = add_utterance(session, WALK, SECOND, 2 * SECOND, "Come\nin", who)
    quoting, _ = chains.add_node_from_utterance(session, chain_id, said)
    quote = graph(session, chain_id).nodes_by_id[quoting]
    assert (quote.text, quote.people, quote.source) == ("“Come in”", (who,), f"utterance/{said}")


def test_a_cue_of_emotion_is_a_state_of_whom_it_is_about(session: Session) -> None:
    who, _ = add_participant(session, "P01", ParticipantRole.USER)
    cues, _ = use_shipped_scheme(session, "cues")
    lane = cues.track("emotion")
    cue, _ = segments.add_segment(
        session, WALK, 0, SECOND, lane.labels[0].key, {"participant": who}, scheme="cues", track="emotion"
    )
    chain_id, _ = chains.add_chain(session, WALK)
    made, _ = chains.add_node_from_segment(session, chain_id, cue)
    found = graph(session, chain_id).nodes_by_id[made]
    assert (found.kind, found.people, found.text) == (NodeKind.EMOTION, (who,), lane.labels[0].name)


def test_what_is_deleted_takes_what_hangs_on_it_and_undo_brings_all_back(session: Session) -> None:
    chain_id, ids = draw(session, {"C": "AB"})
    who, _ = add_participant(session, "P01", ParticipantRole.USER)
    chains.edit_node(session, ids["A"], people=[who])
    session.annotator_name = "Bo"
    ask(session, chain_id)
    session.annotator_name = "Ada"
    before = human_rows(session)
    with session.step("Delete participant"):
        PARTICIPANTS.delete_tree(session.study, who)
    assert [node.people for node in graph(session, chain_id).nodes] == [(), (), ()]
    session.study.undo()
    assert human_rows(session) == before
    chains.delete_chain(session, chain_id)
    assert all_questions(session.study) == []
    session.study.undo()
    assert human_rows(session) == before
    with session.step("Delete recording"):
        RECORDINGS.delete_tree(session.study, WALK)
    assert all_chains(session.study) == all_questions(session.study) == []
    session.study.undo()
    assert human_rows(session) == before
    assert check_study(session.study.path) == []
