"""Chains in files: what is written comes back, and what does not fit is refused in a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.chains import chain_edits as chains
from annotate.chains.chain_drafts import ChainDraft, draft_from_graph, draw_node, to_single_line
from annotate.chains.chain_files import export_chains, exportable_chains, import_chains
from annotate.chains.chain_formats import list_formats
from annotate.study.people import add_participant
from annotate.study.recording_edits import undo
from annotate.team.assignments import hold_out
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.ids import new_id
from project.queries.chain_rows import all_chains, read_graphs
from project.session.session import Session
from tests.builders.chains import draw, graph
from tests.builders.marked_study import WALK, mark, open_study

PEOPLE = ("P01", "Зоя; B", 'O\'Hara, "P"')


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        for text in PEOPLE:
            add_participant(opened, text, ParticipantRole.USER)
        yield opened


END_US = 600_000_000
TEXTS = st.text(max_size=40).map(to_single_line)


@st.composite
def drawings(draw: st.DrawFn, people: tuple[str, ...]) -> ChainDraft:
    """Return a drawing without circles; its nodes lie in a recording of ten minutes."""
    count = draw(st.integers(1, 8))
    who = st.lists(st.sampled_from(people), unique=True, max_size=3)
    nodes = []
    for _ in range(count):
        start = draw(st.integers(0, END_US - 1_000))
        end = draw(st.integers(start + 1_000, END_US))
        kind, text = draw(st.sampled_from([*NodeKind])), draw(TEXTS)
        nodes.append(draw_node(kind, text, start, end, tuple(sorted(draw(who)))))
    order = draw(st.permutations(range(count)))
    pairs = [(order[a], order[b]) for a in range(count) for b in range(a + 1, count)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return ChainDraft(draw(TEXTS), tuple(nodes), tuple(edges))


def told(chain_graph: ChainGraph) -> tuple[Any, ...]:
    """Return what a chain says, whatever its ids."""
    plain = draft_from_graph(chain_graph)
    because = {at: sorted(str(plain.nodes[a]) for a, b in plain.edges if b == at) for at in range(len(plain.nodes))}
    said = sorted((str(drawn_node), because[at]) for at, drawn_node in enumerate(plain.nodes))
    return plain.name, said, len(plain.edges)


@pytest.mark.parametrize("key", [*list_formats()])
@settings(max_examples=settings.default.max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_exported_comes_back(session: Session, tmp_path: Path, key: str, data: st.DataObject) -> None:
    ids = tuple(row[0] for row in session.study.rows("SELECT id FROM participant"))
    drawn = data.draw(st.lists(drawings(ids), min_size=1, max_size=3))
    for old in all_chains(session.study):
        chains.delete_chain(session, old.id)
    chains.add_chains_from_drafts(session, [(WALK, chain_draft) for chain_draft in drawn])
    before = read_graphs(session.study, all_chains(session.study))
    path = tmp_path / f"{new_id()}.{key}"
    export_chains(session, exportable_chains(session), path)
    for gone in before:
        chains.delete_chain(session, gone.chain.id)
    made, _ = import_chains(session, path)
    after = [graph(session, text) for text in made]
    assert [told(chain_graph) for chain_graph in after] == [told(chain_graph) for chain_graph in before]


@pytest.mark.parametrize("key", [*list_formats()])
def test_a_file_is_one_step_and_of_who_imports_it(session: Session, tmp_path: Path, key: str) -> None:
    for name in ("first", "second"):
        draw(session, {"C": "AB"}, name=name)
    path = tmp_path / f"chains.{key}"
    export_chains(session, exportable_chains(session), path)
    session.annotator_name = "Bo"
    made, _ = import_chains(session, path, recording="2")
    bo = session.annotator()
    assert [
        (chain.name, chain.annotator_id, chain.recording_id) for chain in (graph(session, i).chain for i in made)
    ] == [("first", bo.id, "walk 2"), ("second", bo.id, "walk 2")]
    assert undo(session).name == f"Import chains.{key}"
    assert len(all_chains(session.study)) == 2


def whole(**changed: Any) -> dict[str, Any]:
    node = {"kind": "event", "text": "it", "start_us": 0, "end_us": 5_000, "people": ["P01"]}
    chain = {
        "name": "One",
        "recording": WALK,
        "nodes": [{"id": text, **node} for text in "abc"],
        "edges": [{"reason": "a", "result": "b"}, {"reason": "b", "result": "c"}],
    }
    return {"format": "greenroom-chains", "version": 1, "chains": [chain | changed]}


def node(**changed: Any) -> list[dict[str, Any]]:
    found = whole()["chains"][0]["nodes"]
    found[1] |= changed
    return list(found)


def test_a_node_s_source_is_kept_where_it_is_still_there(session: Session, tmp_path: Path) -> None:

    chain_id, _ = draw(session, {"B": "A"})
    chains.add_node_from_segment(session, chain_id, mark(session, "Ada", 1, 2))
    chains.add_node(session, chain_id, graph(session, chain_id).nodes[0].kind, "x", 0, 9_000, (), "segment/gone")
    export_chains(session, exportable_chains(session), tmp_path / "one.json")
    (made,), _ = import_chains(session, tmp_path / "one.json")
    sources = [node.source.split("/")[0] for node in graph(session, made).nodes]
    assert sorted(sources) == ["", "", "", "segment"]


def test_graph_tools_read_and_write_the_graphml(session: Session, tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    _, ids = draw(session, {"C": "AB", "D": "C"}, name="The proposal")
    export_chains(session, exportable_chains(session), tmp_path / "one.graphml")
    found = networkx.read_graphml(tmp_path / "one.graphml")
    assert {*found.edges} == {(ids["A"], ids["C"]), (ids["B"], ids["C"]), (ids["C"], ids["D"])}
    assert found.nodes[ids["B"]]["start_us"] == 10_000_000
    drawn = networkx.DiGraph(name="by hand", recording=WALK)
    for at, name in enumerate("ab"):
        drawn.add_node(name, kind="event", text=f"it {name}", start_us=at, end_us=9_000, x=1.5, people="P01")
    drawn.add_edge("a", "b", weight=2)
    networkx.write_graphml(drawn, tmp_path / "hand.graphml")
    (chain_id,), _ = import_chains(session, tmp_path / "hand.graphml", recording="1")
    assert [node.text for node in graph(session, chain_id).nodes] == ["it a", "it b"]
    assert graph(session, chain_id).longest_path_length == 1


def test_hold_outs_are_never_exported_and_a_file_is_replaced_only_when_asked(session: Session, tmp_path: Path) -> None:
    kept, _ = draw(session, {"B": "A"})
    secret, _ = draw(session, {"B": "A"}, recording="walk 2")
    hold_out(session, "walk 2")
    exportable = exportable_chains(session)
    assert [each.chain.id for each in exportable] == [kept]
    for asked in ({"chain_ids": [secret]}, {"recording_ids": ["walk 2"]}):
        with pytest.raises(UserError, match=r"eld.out"):
            exportable_chains(session, **asked)
    path = tmp_path / "chains.json"
    path.write_text("mine")
    with pytest.raises(UserError):
        export_chains(session, exportable, path)
    assert path.read_text() == "mine"
    export_chains(session, exportable, path, overwrite=True)
    assert json.loads(path.read_text("utf-8"))["format"] == "greenroom-chains"


EVENT = '<graphml><graph edgedefault="directed">{}</graph></graphml>'
BAD: list[tuple[Any, str]] = [
    (whole(edges=[{"reason": a, "result": b} for a, b in ("ab", "bc", "ca")]), "form a cycle"),
    (whole(edges=[{"reason": "a", "result": "z"}]), "leads to “z”"),
    (whole() | {"chains": [*whole()["chains"], *whole(nodes=[], edges=[])["chains"]]}, "no nodes"),
    (whole(nodes=node(end_us=600_000_001)), "outside recording 1"),
    (whole(nodes=node(start_us=9_000)), "does not end after"),
    (whole(nodes=node(kind="mood")), "no kind “mood”"),
    (whole(nodes=node(people=["P99"])), "no participant “P99”"),
    (whole(nodes=node(id="a")), "two nodes"),
    (whole(nodes=node(text="x" * 2_001)), "up to 2,000"),
    (whole(recording="swim"), "no recording in this study called “swim”"),
    (whole(nodes=node(start_us=0.5)), "start_us” is wrong"),
    (whole(nodes=node(end_us=10**30)), "longer than any recording"),
    ({**whole(), "version": 2}, "version 2"),
    ([1], "format"),
    ({"format": "greenroom-chains", "version": 1, "chains": [{"name": "x"}]}, "nodes” is wrong"),
    ('<!DOCTYPE x [<!ENTITY a "aaaa">]><graphml>&a;</graphml>', "document type"),
    ("<svg/>", "no GraphML"),
    ('<graphml><graph edgedefault="undirected"/></graphml>', "not directed"),
    (EVENT.format('<node id="a"/>'), "no “kind”"),
    (EVENT.format('<edge source="a"/>'), "no “target”"),
    (EVENT.format(EVENT[9:-10]), "inside another"),
    ("<graphml><graph", "cannot be read"),
    ("<graphml>" + "<a>" * 100, "too deeply"),
]


def test_what_does_not_fit_is_refused_in_one_line_and_nothing_written(session: Session, tmp_path: Path) -> None:
    before = session.study.undo_name
    for content, message in BAD:
        path = tmp_path / ("chains.graphml" if isinstance(content, str) else "chains.json")
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        with pytest.raises(UserError, match=message) as refused:
            import_chains(session, path)
        assert "\n" not in refused.value.message
    assert all_chains(session.study) == []
    assert session.study.undo_name == before
