"""Reads and writes chains as GraphML and as our own JSON, without a study.

docs/chain-files.md describes the JSON.
"""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from annotate.interchange.bounded_files import damaged_file_error, parse_json, parse_xml, read_text
from project.codec import dump, load
from project.errors import UserError
from project.text_format import escape_unprintable

MAX_CHAINS = 5_000
"""The most chains that are read from one file."""
_MAX_TIME_US = 2**53
"""Larger numbers are not exact in other programs' JSON, and no recording is that long."""


@dataclass(frozen=True, slots=True)
class FileNode:
    """A node of a file.

    Attributes:
        id: whatever the file calls it; unique in its chain.
        kind: as the file says, known or not.
        people: pseudonyms.
        source: as `TABLE/ID`, or "".
    """

    id: str
    kind: str
    text: str
    start_us: int
    end_us: int
    people: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        if max(abs(self.start_us), abs(self.end_us)) > _MAX_TIME_US:
            raise ValueError("a time is longer than any recording")


@dataclass(frozen=True, slots=True)
class FileEdge:
    """An edge of a file, by the ids of two nodes."""

    reason: str
    result: str


@dataclass(frozen=True, slots=True)
class FileChain:
    """A chain of a file.

    Attributes:
        recording: name of the recording; "" where the file does not say.
        annotator: who drew it, for readers of the file; an import makes the importing annotator its author.
    """

    name: str
    nodes: tuple[FileNode, ...]
    edges: tuple[FileEdge, ...]
    recording: str = ""
    annotator: str = ""


@dataclass(frozen=True, slots=True)
class ChainForm:
    """One format of files.

    Attributes:
        suffix: of file names, lower case, with the dot.
    """

    name: str
    suffix: str
    read: Callable[[Path], list[FileChain]]
    write: Callable[[Sequence[FileChain], Path], None]


def list_formats() -> Mapping[str, ChainForm]:
    """Return key -> format."""
    return {
        "json": ChainForm("Greenroom chains (.json)", ".json", read_json, write_json),
        "graphml": ChainForm("GraphML (.graphml)", ".graphml", read_graphml, write_graphml),
    }


def find_format(path: Path, key: str | None = None) -> ChainForm:
    """Return the format of a key, or else the one that a file's name tells."""
    known = list_formats()
    if key is not None and key in known:
        return known[key]
    for chain_form in known.values():
        if key is None and path.name.lower().endswith(chain_form.suffix):
            return chain_form
    raise UserError(f"{escape_unprintable(path.name)} is not a file of chains.", f"Choose one of {', '.join(known)}.")


NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_GRAPH_KEYS = {"name": "string", "recording": "string", "annotator": "string"}
_NODE_KEYS = {
    **{"kind": "string", "text": "string", "start_us": "long", "end_us": "long"},
    **{"people": "string", "source": "string"},
}
_MAX_DIGITS = 18
"""Digits of a time; more are no time of any recording."""


def write_graphml(chains: Sequence[FileChain], path: Path) -> None:
    """Write a file of chains."""
    root = ET.Element("graphml", {"xmlns": NAMESPACE})
    for owner, keys in (("graph", _GRAPH_KEYS), ("node", _NODE_KEYS)):
        for name, kind in keys.items():
            attributes = {"id": f"{owner}_{name}", "for": owner, "attr.name": name, "attr.type": kind}
            ET.SubElement(root, "key", attributes)
    for at, file_chain in enumerate(chains):
        graph = ET.SubElement(root, "graph", {"id": f"chain{at}", "edgedefault": "directed"})
        for name, value in (
            ("name", file_chain.name),
            ("recording", file_chain.recording),
            ("annotator", file_chain.annotator),
        ):
            ET.SubElement(graph, "data", {"key": f"graph_{name}"}).text = value
        for node in file_chain.nodes:
            element = ET.SubElement(graph, "node", {"id": node.id})
            said = (node.kind, node.text, str(node.start_us), str(node.end_us), "\n".join(node.people))
            for name, value in zip(_NODE_KEYS, (*said, node.source), strict=True):
                ET.SubElement(element, "data", {"key": f"node_{name}"}).text = value
        for edge in file_chain.edges:
            ET.SubElement(graph, "edge", {"source": edge.reason, "target": edge.result})
    ET.indent(root, " ")
    ET.ElementTree(root).write(path, "utf-8", xml_declaration=True)


def read_graphml(path: Path) -> list[FileChain]:
    """Read a file of chains. What a graph tool added to it, such as places and colours, is left out."""
    reader = _GraphmlReader(path)
    names = ("key", "graph", "node", "edge", "data", "hyperedge", "port")
    starts = {name: partial(reader.start, name) for name in names}
    root = parse_xml(path, starts, {name: partial(reader.end, name) for name in ("data", "node", "graph")})
    if root != "graphml":
        raise damaged_file_error(path, "it is no GraphML")
    return reader.chains


@dataclass(slots=True)
class _GraphmlGraph:
    values: dict[str, str] = field(default_factory=dict)
    nodes: list[FileNode] = field(default_factory=list)
    edges: list[FileEdge] = field(default_factory=list)


class _GraphmlReader:
    def __init__(self, path: Path) -> None:
        self.chains: list[FileChain] = []
        self._path = path
        self._keys: dict[str, tuple[str, str]] = {}
        self._graph: _GraphmlGraph | None = None
        self._node: dict[str, str] | None = None
        self._node_id = ""
        self._data = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "key":
            about = attributes.get("for", "all"), attributes.get("attr.name", "")
            self._keys[attributes.get("id", "")] = about
        elif name == "graph":
            self._begin_graph(attributes)
        elif name in ("hyperedge", "port"):
            raise damaged_file_error(self._path, f"a chain has no {name}s")
        elif name == "data":
            self._data = attributes.get("key", "")
        elif self._graph is None:
            raise damaged_file_error(self._path, f"a {name} stands outside a graph")
        elif name == "node":
            self._node, self._node_id = {}, self._require_attribute(attributes, "id")
        elif name == "edge":
            if attributes.get("directed") == "false":
                raise damaged_file_error(self._path, "an edge is not directed")
            self._graph.edges.append(
                FileEdge(self._require_attribute(attributes, "source"), self._require_attribute(attributes, "target"))
            )

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
            called, recording, annotator = (self._graph.values.get(key, "") for key in _GRAPH_KEYS)
            held = tuple(self._graph.nodes), tuple(self._graph.edges)
            self.chains.append(FileChain(called, *held, recording, annotator))
            self._graph = None

    def _begin_graph(self, attributes: dict[str, str]) -> None:
        if self._graph is not None:
            raise damaged_file_error(self._path, "a graph lies inside another")
        if attributes.get("edgedefault") != "directed":
            raise damaged_file_error(self._path, "its edges are not directed")
        if len(self.chains) >= MAX_CHAINS:
            raise damaged_file_error(self._path, f"it holds more than {MAX_CHAINS:,} chains")
        self._graph = _GraphmlGraph()

    def _read_node(self, values: dict[str, str]) -> FileNode:
        for key in ("kind", "text", "start_us", "end_us"):
            if key not in values:
                raise damaged_file_error(self._path, f"node “{self._node_id}” has no “{key}”")
        people = tuple(part for part in values.get("people", "").split("\n") if part)
        times = (self._time(values["start_us"]), self._time(values["end_us"]))
        return FileNode(self._node_id, values["kind"], values["text"], *times, people, values.get("source", ""))

    def _time(self, text: str) -> int:
        plain = text.strip()
        digits = plain.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS):
            raise damaged_file_error(
                self._path, f"node “{self._node_id}” has a time that is no whole number of microseconds"
            )
        return int(plain)

    def _require_attribute(self, attributes: dict[str, str], key: str) -> str:
        if key not in attributes:
            raise damaged_file_error(self._path, f"a node or an edge has no “{key}”")
        return attributes[key]


FORMAT, VERSION = "greenroom-chains", 1


@dataclass(frozen=True, slots=True)
class _ChainFile:
    chains: tuple[FileChain, ...]


def read_json(path: Path) -> list[FileChain]:
    """Read a file of chains."""
    found = parse_json(read_text(path), path)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise damaged_file_error(path, f"it does not say that its format is {FORMAT}")
    if found.get("version") != VERSION:
        raise UserError(
            f"{path.name} has version {escape_unprintable(str(found.get('version')))[:20]}; this program "
            f"reads version {VERSION}.",
            "Nothing was imported. Update Greenroom, or export the file again.",
        )
    chains = load(_ChainFile, found, escape_unprintable(path.name)).chains
    if len(chains) > MAX_CHAINS:
        raise damaged_file_error(path, f"it holds more than {MAX_CHAINS:,} chains")
    return [*chains]


def write_json(chains: Sequence[FileChain], path: Path) -> None:
    """Write a file of chains, in UTF-8."""
    whole = {"format": FORMAT, "version": VERSION, **dump(_ChainFile(tuple(chains)))}
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
