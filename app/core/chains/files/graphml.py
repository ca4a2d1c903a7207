"""Chains as GraphML, which graph tools read: one graph a chain, directed from reason to result.

Times are microseconds; `people` holds pseudonyms, one a line. A document type, and so any entity, is refused.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.core.chains.drawing import one_line
from app.core.chains.files.form import LARGEST_BYTES, MOST_CHAINS, FileChain, FileNode
from app.core.interchange.limits import damaged
from app.core.interchange.xml_reading import parse

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_GRAPH = {"name": "string", "recording": "string", "annotator": "string"}
_NODE = {
    **{"kind": "string", "text": "string", "start_us": "long", "end_us": "long"},
    **{"people": "string", "source": "string"},
}
_LONGEST_NUMBER = 18
"""Digits of a time; more are no time of any recording."""


def write(chains: Sequence[FileChain], path: Path) -> None:
    """Write a file of chains."""
    root = ET.Element("graphml", {"xmlns": NAMESPACE})
    for owner, keys in (("graph", _GRAPH), ("node", _NODE)):
        for name, kind in keys.items():
            attributes = {"id": f"{owner}_{name}", "for": owner, "attr.name": name, "attr.type": kind}
            ET.SubElement(root, "key", attributes)
    for at, one in enumerate(chains):
        graph = ET.SubElement(root, "graph", {"id": f"chain{at}", "edgedefault": "directed"})
        for name, value in (("name", one.name), ("recording", one.recording), ("annotator", one.annotator)):
            ET.SubElement(graph, "data", {"key": f"graph_{name}"}).text = one_line(value)
        for node in one.nodes:
            element = ET.SubElement(graph, "node", {"id": node.id})
            said = (node.kind, one_line(node.text), str(node.start_us), str(node.end_us), "\n".join(node.people))
            for name, value in zip(_NODE, (*said, node.source), strict=True):
                ET.SubElement(element, "data", {"key": f"node_{name}"}).text = value
        for reason, result in one.edges:
            ET.SubElement(graph, "edge", {"source": reason, "target": result})
    ET.indent(root, " ")
    ET.ElementTree(root).write(path, "utf-8", xml_declaration=True)


def read(path: Path) -> list[FileChain]:
    """Read a file of chains. What a graph tool added to it, such as places and colours, is left out.

    Raises:
        UserError: it cannot be read, is no GraphML, is undirected, holds nested graphs or hyperedges, or a node has no
            kind, text or times.
    """
    reader = _Reader(path)
    names = ("graphml", "key", "graph", "node", "edge", "data", "hyperedge", "port")
    parse(path, LARGEST_BYTES, reader.start, reader.end, names, ("data", "node", "graph"))
    return reader.chains


@dataclass(slots=True)
class _Graph:
    values: dict[str, str] = field(default_factory=dict)
    nodes: list[FileNode] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)


class _Reader:
    def __init__(self, path: Path) -> None:
        self.chains: list[FileChain] = []
        self._path = path
        self._root = True
        self._keys: dict[str, tuple[str, str]] = {}
        self._graph: _Graph | None = None
        self._node: dict[str, str] | None = None
        self._node_id = ""
        self._data = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._root:
            self._root = False
            if name != "graphml":
                raise damaged(self._path, "it is no GraphML")
        elif name == "key":
            about = attributes.get("for", "all"), attributes.get("attr.name", "")
            self._keys[attributes.get("id", "")] = about
        elif name == "graph":
            self._begin_graph(attributes)
        elif name in ("hyperedge", "port"):
            raise damaged(self._path, f"a chain has no {name}s")
        elif name == "data":
            self._data = attributes.get("key", "")
        elif self._graph is None:
            raise damaged(self._path, f"a {name} stands outside a graph")
        elif name == "node":
            self._node, self._node_id = {}, self._needed(attributes, "id")
        elif name == "edge":
            if attributes.get("directed") == "false":
                raise damaged(self._path, "an edge is not directed")
            self._graph.edges.append((self._needed(attributes, "source"), self._needed(attributes, "target")))

    def end(self, name: str, text: str) -> None:
        if name == "data":
            owner, key = self._keys.get(self._data, ("", ""))
            if self._node is not None and owner in ("node", "all"):
                self._node[key] = text
            elif self._node is None and self._graph is not None and owner in ("graph", "all"):
                self._graph.values[key] = text
        elif name == "node" and self._graph is not None and self._node is not None:
            self._graph.nodes.append(self._read_node(self._node))
            self._node = None
        elif name == "graph" and self._graph is not None:
            called, recording, annotator = (self._graph.values.get(key, "") for key in _GRAPH)
            held = tuple(self._graph.nodes), tuple(self._graph.edges)
            self.chains.append(FileChain(called, recording, annotator, *held))
            self._graph = None

    def _begin_graph(self, attributes: dict[str, str]) -> None:
        if self._graph is not None:
            raise damaged(self._path, "a graph lies inside another")
        if attributes.get("edgedefault") != "directed":
            raise damaged(self._path, "its edges are not directed")
        if len(self.chains) >= MOST_CHAINS:
            raise damaged(self._path, f"it holds more than {MOST_CHAINS:,} chains")
        self._graph = _Graph()

    def _read_node(self, values: dict[str, str]) -> FileNode:
        for key in ("kind", "text", "start_us", "end_us"):
            if key not in values:
                raise damaged(self._path, f"node “{self._node_id}” has no “{key}”")
        people = tuple(one for one in values.get("people", "").split("\n") if one)
        times = (self._time(values["start_us"]), self._time(values["end_us"]))
        return FileNode(self._node_id, values["kind"], values["text"], *times, people, values.get("source", ""))

    def _time(self, text: str) -> int:
        plain = text.strip()
        digits = plain.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_NUMBER):
            raise damaged(self._path, f"node “{self._node_id}” has a time that is no whole number of microseconds")
        return int(plain)

    def _needed(self, attributes: dict[str, str], key: str) -> str:
        if key not in attributes:
            raise damaged(self._path, f"a node or an edge has no “{key}”")
        return attributes[key]
