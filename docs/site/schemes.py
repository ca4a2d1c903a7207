"""The schemes that are shipped, and the keys that a scheme file can have."""

import dataclasses
from collections.abc import Mapping
from enum import StrEnum

from docs.site.markdown import attributes, code, codes, members, paragraph, sentence, table
from project.entities.study_records import Json
from project.schemes.scheme import (
    NUMERIC_KINDS,
    Example,
    Extent,
    Field,
    FieldChoice,
    FieldKind,
    Label,
    RequiredFieldsRule,
    Scheme,
    Track,
)
from project.schemes.scheme_file import load_scheme, shipped_names

_TABLES = {
    "The file": Scheme,
    "`[[tracks]]`": Track,
    "`[[tracks.labels]]`": Label,
    "`[[fields]]`": Field,
    "`[[fields.choices]]`": FieldChoice,
    "`[[rules]]`": RequiredFieldsRule,
    "`[[examples]]`": Example,
}
_PLAIN: Mapping[object, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    Mapping[str, Json]: "a table: values by field",
}


def schemes() -> str:
    """Return a section for each scheme that is shipped."""
    return "\n".join(_section(load_scheme(name)) for name in shipped_names())


def scheme_keys() -> str:
    """Return a table for each table of a scheme file: its keys, what they hold and what is usual."""
    parts = []
    for title, of in _TABLES.items():
        told = attributes(of)
        rows = [(code(one.name), _type(one), _usual(one), sentence(told[one.name])) for one in dataclasses.fields(of)]
        about = paragraph((of.__doc__ or "").partition("Attributes:")[0])
        parts.append(f"### {title}\n\n{about}\n\n" + table(("Key", "Holds", "Where it is left out", "Meaning"), rows))
    kinds = members(FieldKind)
    listed = table(("Kind", "Value"), ((code(kind.value), kinds[kind.name]) for kind in FieldKind))
    extents = members(Extent)
    covered = table(("Extent", "Segments cover"), ((code(one.value), extents[one.name]) for one in Extent))
    return "\n".join([*parts, "### Kinds of fields\n", listed, "### Extents\n", covered])


def _type(one: dataclasses.Field[object]) -> str:
    if one.type in _PLAIN:
        return _PLAIN[one.type]
    if str(one.type).startswith("tuple["):
        return "a list of texts" if "str" in str(one.type) else "tables, see below"
    return "one of those below" if isinstance(one.type, type) and issubclass(one.type, StrEnum) else "a table"


def _usual(one: dataclasses.Field[object]) -> str:
    if one.default is dataclasses.MISSING:
        return "an error"
    return code(one.default) if one.default not in ((), "") else "none"


def _section(scheme: Scheme) -> str:
    parts = [f"### `{scheme.key}`: {scheme.name}\n", f"Version {scheme.version}. {scheme.definition}\n"]
    for track in scheme.tracks:
        parts.append(f"Track `{track.key}`, {track.name}{_where(track)}. {track.definition}\n")
        rows = ((code(one.key), one.name, code(one.shortcut), one.definition) for one in track.labels)
        parts.append(table(("Label", "Name", "Key", "Definition"), rows))
    if scheme.fields:
        form = (
            (code(one.key), one.name, code(one.shortcut), _value(one), _only(one), one.definition)
            for one in scheme.fields
        )
        parts.append(table(("Field", "Name", "Key", "Value", "Only for", "Definition"), form))
    for one in scheme.fields:
        if one.choices:
            rows = ((code(each.key), each.name, code(each.shortcut), each.definition) for each in one.choices)
            parts.append(table((f"Choice of `{one.key}`", "Name", "Key", "Definition"), rows))
    for rule in scheme.rules:
        where = f" on the track `{rule.track}`" if rule.track else ""
        parts.append(f"A segment with the label `{rule.label}`{where} is complete with {codes(rule.needs)}.\n")
    return "\n".join(parts)


def _where(track: Track) -> str:
    said = {
        Extent.SPAN: "",
        Extent.RECORDING: ", the whole recording",
        Extent.EITHER: ", the whole recording or a part",
    }
    return said[track.extent] + (", inside an utterance" if track.inside else "")


def _value(one: Field) -> str:
    if one.kind in NUMERIC_KINDS:
        ends = f", from “{one.ends[0]}” to “{one.ends[1]}”" if one.ends else ""
        return f"{one.minimum:g} to {one.maximum:g}{ends}"
    return {
        FieldKind.CHOICES: "several choices",
        FieldKind.CHOICE: "one choice",
        FieldKind.TEXT: "text",
        FieldKind.PARTICIPANT: "a participant",
    }[one.kind]


def _only(one: Field) -> str:
    return codes([*one.only_for, *one.tracks])
