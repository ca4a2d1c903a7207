"""Chains in files: what is written comes back, and what does not fit is refused in a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.chains import chain_edits as chains
from annotate.chains.chain_drafts import draft_from_graph
from annotate.chains.chain_files import export_chains, exportable_chains, import_chains
from annotate.chains.chain_formats import list_formats
from annotate.study.people import add_participant
from annotate.study.recording_edits import undo
from annotate.team.assignments import hold_out
from project.entities.causal_chains import ChainGraph
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.ids import new_id
from project.queries.chain_rows import all_chains, read_graphs
from project.session.session import Session
from tests.builders.chains import draw, graph
from tests.builders.marked_study import WALK, open_study
from tests.builders.random_chains import drawings

PEOPLE = ("P01", "Зоя; B", 'O\'Hara, "P"')


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        for text in PEOPLE:
            add_participant(opened, text, ParticipantRole.USER)
        yield opened


def told(chain_graph: ChainGraph) -> tuple[Any, ...]:
    """Return what a chain says, whatever its ids."""
    plain = draft_from_graph(chain_graph)
    because = {at: sorted(str(plain.nodes[a]) for a, b in plain.edges if b == at) for at in range(len(plain.nodes))}
    said = sorted((str(drawn_node), because[at]) for at, drawn_node in enumerate(plain.nodes))
    return plain.name, said, len(plain.edges)


@pytest.mark.parametrize("key", [*list_formats()])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_graph_tools_read_the_graphml(session: Session, tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    _, ids = draw(session, {"C": "AB", "D": "C"}, name="The proposal")
    export_chains(session, exportable_chains(session), tmp_path / "one.graphml")
    found = networkx.read_graphml(tmp_path / "one.graphml")
    assert {*found.edges} == {(ids["A"], ids["C"]), (ids["B"], ids["C"]), (ids["C"], ids["D"])}
    assert found.nodes[ids["B"]]["start_us"] == 10_000_000
    assert networkx.dag_longest_path_length(found) == 2


def test_what_a_graph_tool_writes_is_read(session: Session, tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    made = networkx.DiGraph(name="by hand", recording=WALK)
    for at, name in enumerate("ab"):
        made.add_node(name, kind="event", text=f"it {name}", start_us=at, end_us=9_000, x=1.5, people="P01")
    made.add_edge("a", "b", weight=2)
    networkx.write_graphml(made, tmp_path / "hand.graphml")
    (chain_id,), _ = import_chains(session, tmp_path / "hand.graphml", recording="1")
    found = graph(session, chain_id)
    assert [node.text for node in found.nodes] == ["it a", "it b"]
    assert found.longest_path_length == 1


def test_hold_outs_are_never_exported(session: Session, tmp_path: Path) -> None:
    kept, _ = draw(session, {"B": "A"})
    secret, _ = draw(session, {"B": "A"}, recording="walk 2")
    hold_out(session, "walk 2")
    assert [exportable.chain.id for exportable in exportable_chains(session)] == [kept]
    for asked in ({"chain_ids": [secret]}, {"recording_ids": ["walk 2"]}):
        with pytest.raises(UserError, match="held out"):
            exportable_chains(session, **asked)
    assert not [*tmp_path.glob("*.json")]


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


BAD: dict[str, tuple[Any, str]] = {
    "cycle": (whole(edges=[{"reason": a, "result": b} for a, b in ("ab", "bc", "ca")]), "round in a circle"),
    "itself": (whole(edges=[{"reason": "a", "result": "a"}]), "round in a circle"),
    "dangling": (whole(edges=[{"reason": "a", "result": "z"}]), "leads to “z”"),
    "empty": (whole(nodes=[], edges=[]), "no nodes"),
    "one of two": (whole() | {"chains": [*whole()["chains"], *whole(nodes=[], edges=[])["chains"]]}, "no nodes"),
    "outside": (whole(nodes=node(end_us=600_000_001)), "outside recording 1"),
    "before": (whole(nodes=node(start_us=-1)), "outside recording 1"),
    "backwards": (whole(nodes=node(start_us=9_000)), "does not end after"),
    "kind": (whole(nodes=node(kind="mood")), "unknown kind “mood”"),
    "person": (whole(nodes=node(people=["P99"])), "“P99”, who is no participant"),
    "twice": (whole(nodes=node(id="a")), "two nodes"),
    "long": (whole(nodes=node(text="x" * 2_001)), "up to 2,000"),
    "elsewhere": (whole(recording="swim"), "no recording of this study called “swim”"),
    "time": (whole(nodes=node(start_us=0.5)), "start_us” is wrong"),
    "huge": (whole(nodes=node(end_us=10**30)), "longer than any recording"),
    "no text": (whole(nodes=node(text=None)), "text” is wrong"),
    "no chains": ({"format": "greenroom-chains", "version": 1, "chains": []}, "no chains"),
    "newer": ({**whole(), "version": 2}, "version 2"),
    "other": ({"nodes": []}, "format"),
    "list": ([1], "format"),
    "missing": ({"format": "greenroom-chains", "version": 1, "chains": [{"name": "x"}]}, "nodes” is wrong"),
}


@pytest.mark.parametrize("case", [*BAD])
def test_what_does_not_fit_is_refused_in_one_line_and_nothing_written(
    session: Session, tmp_path: Path, case: str
) -> None:
    content, message = BAD[case]
    path = tmp_path / "chains.json"
    path.write_text(json.dumps(content), "utf-8")
    before = session.study.undo_name
    with pytest.raises(UserError, match=message) as refused:
        import_chains(session, path)
    assert "\n" not in refused.value.message
    assert all_chains(session.study) == []
    assert session.study.undo_name == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]><graphml>&a;</graphml>', "document type"),
        ("<svg/>", "no GraphML"),
        ('<graphml><graph edgedefault="undirected"/></graphml>', "not directed"),
        ('<graphml><graph edgedefault="directed"><node id="a"/></graph></graphml>', "no “kind”"),
        ('<graphml><graph edgedefault="directed"><hyperedge/></graph></graphml>', "hyperedge"),
        ('<graphml><graph edgedefault="directed"><edge source="a"/></graph></graphml>', "no “target”"),
        ('<graphml><graph edgedefault="directed"><graph edgedefault="directed"/></graph></graphml>', "inside another"),
        ("<graphml><node id='a'/></graphml>", "outside a graph"),
        ("<graphml><graph", "cannot be read"),
        ("<graphml></graphml>", "no chains"),
        ("<graphml>" + "<a>" * 100, "too deeply"),
    ],
)
def test_hostile_graphml(session: Session, tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "chains.graphml"
    path.write_text(content, "utf-8")
    with pytest.raises(UserError, match=message):
        import_chains(session, path)
    assert all_chains(session.study) == []


def test_a_file_is_replaced_only_when_asked(session: Session, tmp_path: Path) -> None:
    draw(session, {"B": "A"})
    path = tmp_path / "chains.json"
    path.write_text("mine")

    def write(*, overwrite: bool = False) -> None:
        export_chains(session, exportable_chains(session), path, overwrite=overwrite)

    with pytest.raises(UserError):
        write()
    assert path.read_text() == "mine"
    write(overwrite=True)
    assert json.loads(path.read_text("utf-8"))["format"] == "greenroom-chains"


def test_a_node_s_source_is_kept_where_it_is_still_there(session: Session, tmp_path: Path) -> None:
    from tests.builders.marked_study import mark

    chain_id, _ = draw(session, {"B": "A"})
    chains.add_node_from_segment(session, chain_id, mark(session, "Ada", 1, 2))
    chains.add_node(session, chain_id, graph(session, chain_id).nodes[0].kind, "x", 0, 9_000, (), "segment/gone")
    export_chains(session, exportable_chains(session), tmp_path / "one.json")
    (made,), _ = import_chains(session, tmp_path / "one.json")
    sources = [node.source.split("/")[0] for node in graph(session, made).nodes]
    assert sorted(sources) == ["", "", "", "segment"]


def test_half_a_character_is_left_out(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "chains.json"
    half = "\udfff"
    path.write_text(json.dumps(whole(nodes=node(text=f"it{half}", source=f"segment/{half}"), name=f"One{half}")))
    (made,), _ = import_chains(session, path)
    assert graph(session, made).chain.name == "One"
    assert {(chain_node.text, chain_node.source) for chain_node in graph(session, made).nodes} == {("it", "")}
