"""What a screen reader and a tooltip say about a graph and its nodes."""

from html import escape

from project.chains import ChainGraph, Node
from project.timebase import format_time
from resources.translation import tr, trn
from widgets.chains.looks import KINDS
from widgets.chains.model import GraphModel
from widgets.semibold import semibold

NO_TEXT = tr("no text yet")


def names(model: GraphModel, node: Node) -> str:
    """Return whose a node is, “nobody” for none."""
    known = [model.people[one].name if one in model.people else tr("somebody unknown") for one in node.people]
    return ", ".join(known) or "nobody"


def describe_node(model: GraphModel, node: Node) -> str:
    """Return such as “Belief of Anna: nobody has seen it, 0:00:12.000 to 0:00:15.000, 2 reasons, 1 result.”"""  # noqa: D415
    assert model.picture is not None
    graph = model.picture.graph
    parts = [
        tr("{kind} of {people}: {words}").format(
            kind=KINDS[node.kind].name, people=names(model, node), words=node.text or NO_TEXT
        ),
        tr("{start_us} to {end_us}").format(start_us=format_time(node.start_us), end_us=format_time(node.end_us)),
        trn("{count} reason", "{count} reasons", len(graph.reasons[node.id])),
        trn("{count} result", "{count} results", len(graph.results[node.id])),
    ]
    problem = model.problems.get(node.id, "")
    return f"{', '.join(parts)}." + (tr(" Look at this: {problem}").format(problem=problem) if problem else "")


def describe(model: GraphModel, editable: bool) -> str:
    """Return the selection in words, or what is there to select."""
    read_only = "" if editable else tr(" Read-only.")
    if model.picture is None:
        return tr("No nodes yet.{read_only}").format(read_only=read_only)
    graph = model.picture.graph
    if model.edge is not None:
        return tr("Edge from “{reason}” to “{result}”.{read_only}").format(
            reason=_short(graph, model.edge.reason_id), result=_short(graph, model.edge.result_id), read_only=read_only
        )
    if len(model.selected) == 1:
        return describe_node(model, graph.by_id[model.selected[0]]) + read_only
    if model.selected:
        return tr("{count} selected.{read_only}").format(
            count=trn("{count} node", "{count} nodes", len(model.selected)), read_only=read_only
        )
    shown = ", ".join(
        (
            trn("{count} node", "{count} nodes", len(graph.nodes)),
            trn("{count} edge", "{count} edges", len(graph.edges)),
        )
    )
    return tr("{shown}, {count}, none selected.{read_only}").format(
        shown=shown, count=trn("{count} subchain", "{count} subchains", len(graph.subchains)), read_only=read_only
    )


def told(model: GraphModel, node: Node) -> str:
    """Return a node as rich text for a tooltip; whatever was written in it is plain text there."""
    assert model.picture is not None
    graph = model.picture.graph
    span = tr("{start_us} to {end_us}").format(start_us=format_time(node.start_us), end_us=format_time(node.end_us))
    links = ", ".join(
        (
            trn("{count} reason", "{count} reasons", len(graph.reasons[node.id])),
            trn("{count} result", "{count} results", len(graph.results[node.id])),
        )
    )
    parts = [
        tr("<b>{name}</b> of {model}, {span}").format(
            name=KINDS[node.kind].name, model=escape(names(model, node)), span=span
        ),
        escape(node.text) or f"<i>{NO_TEXT}</i>",
        links,
    ]
    if node.id in model.problems:
        parts.append(tr("<b>Look at this:</b> {escape}").format(escape=escape(model.problems[node.id])))
    return semibold("<br>".join(parts))


def _short(graph: ChainGraph, node_id: str, most: int = 60) -> str:
    text = graph.by_id[node_id].text or NO_TEXT
    return text if len(text) <= most else text[: most - 1] + "…"
