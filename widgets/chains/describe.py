"""What a screen reader and a tooltip say about a graph and its nodes."""

from html import escape

from project.chains import ChainGraph, Node
from project.counted import counted
from project.timebase import format_time
from widgets.chains.looks import KINDS
from widgets.chains.model import GraphModel

NO_TEXT = "no text yet"


def names(model: GraphModel, node: Node) -> str:
    """Return whose a node is, “nobody” for none."""
    known = [model.people[one].name if one in model.people else "somebody unknown" for one in node.people]
    return ", ".join(known) or "nobody"


def describe_node(model: GraphModel, node: Node) -> str:
    """Return such as “Belief of Anna: nobody has seen it, 0:00:12.000 to 0:00:15.000, 2 reasons, 1 result.”"""  # noqa: D415
    assert model.picture is not None
    graph = model.picture.graph
    parts = [
        f"{KINDS[node.kind].name} of {names(model, node)}: {node.text or NO_TEXT}",
        f"{format_time(node.start_us)} to {format_time(node.end_us)}",
        counted(len(graph.reasons[node.id]), "reason"),
        counted(len(graph.results[node.id]), "result"),
    ]
    problem = model.problems.get(node.id, "")
    return f"{', '.join(parts)}." + (f" Look at this: {problem}" if problem else "")


def describe(model: GraphModel, editable: bool) -> str:
    """Return the selection in words, or what is there to select."""
    read_only = "" if editable else " Read-only."
    if model.picture is None:
        return f"No nodes yet.{read_only}"
    graph = model.picture.graph
    if model.edge is not None:
        return (
            f"Edge from “{_short(graph, model.edge.reason_id)}” to “{_short(graph, model.edge.result_id)}”.{read_only}"
        )
    if len(model.selected) == 1:
        return describe_node(model, graph.by_id[model.selected[0]]) + read_only
    if model.selected:
        return f"{counted(len(model.selected), 'node')} selected.{read_only}"
    shown = f"{counted(len(graph.nodes), 'node')}, {counted(len(graph.edges), 'edge')}"
    return f"{shown}, {counted(len(graph.subchains), 'subchain')}, none selected.{read_only}"


def told(model: GraphModel, node: Node) -> str:
    """Return a node as rich text for a tooltip; whatever was written in it is plain text there."""
    assert model.picture is not None
    graph = model.picture.graph
    span = f"{format_time(node.start_us)} to {format_time(node.end_us)}"
    links = f"{counted(len(graph.reasons[node.id]), 'reason')}, {counted(len(graph.results[node.id]), 'result')}"
    parts = [
        f"<b>{KINDS[node.kind].name}</b> of {escape(names(model, node))}, {span}",
        escape(node.text) or f"<i>{NO_TEXT}</i>",
        links,
    ]
    if node.id in model.problems:
        parts.append(f"<b>Look at this:</b> {escape(model.problems[node.id])}")
    return "<br>".join(parts)


def _short(graph: ChainGraph, node_id: str, most: int = 60) -> str:
    text = graph.by_id[node_id].text or NO_TEXT
    return text if len(text) <= most else text[: most - 1] + "…"
