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
    Sampling,
    SamplingKind,
    Scheme,
    TierConstraint,
    Track,
)
from project.schemes.scheme_file import load_scheme, shipped_names

_TABLES = {
    "The file": Scheme,
    "`[[tracks]]`": Track,
    "`[[tracks.labels]]`": Label,
    "`tracks.sampling`": Sampling,
    "`[[fields]]`": Field,
    "`[[fields.choices]]`": FieldChoice,
    "`[[rules]]`": RequiredFieldsRule,
    "`[[examples]]`": Example,
}
_PLAIN: Mapping[object, str] = {
    str: "a text",
    int: "a whole number",
    int | float: "a number",
    Mapping[str, Json]: "a table: values by field",
}


def schemes() -> str:
    """Return a section for each scheme that is shipped."""
    return "\n".join(_section(load_scheme(name)) for name in shipped_names())


def scheme_keys() -> str:
    """Return a table for each table of a scheme file: its keys, what they hold and their defaults."""
    parts = []
    for title, of in _TABLES.items():
        told = attributes(of)
        rows = [
            (code(field.name), _type(field), _usual(field), sentence(told[field.name]))
            for field in dataclasses.fields(of)
        ]
        about = paragraph((of.__doc__ or "").partition("Attributes:")[0])
        parts.append(f"### {title}\n\n{about}\n\n" + table(("Key", "Holds", "Where it is left out", "Meaning"), rows))
    kinds = members(FieldKind)
    listed = table(("Kind", "Value"), ((code(kind.value), kinds[kind.name]) for kind in FieldKind))
    extents = members(Extent)
    covered = table(("Extent", "Segments cover"), ((code(extent.value), extents[extent.name]) for extent in Extent))
    samples = members(SamplingKind)
    sampled = table(("Kind", "A sample says"), ((code(kind.value), samples[kind.name]) for kind in SamplingKind))
    constraints = members(TierConstraint)
    lying = table(("Constraint", "Segments lie"), ((code(c.value), constraints[c.name]) for c in TierConstraint))
    tables = {"Kinds of fields": listed, "Extents": covered, "Constraints": lying, "Kinds of samples": sampled}
    return "\n".join([*parts, *(text for title, of in tables.items() for text in (f"### {title}\n", of))])


def _type(field: dataclasses.Field[object]) -> str:
    if field.type in _PLAIN:
        return _PLAIN[field.type]
    if str(field.type).startswith("tuple["):
        return "a list of texts" if "str" in str(field.type) else "tables, see below"
    return "one of those below" if isinstance(field.type, type) and issubclass(field.type, StrEnum) else "a table"


def _usual(field: dataclasses.Field[object]) -> str:
    if field.default is dataclasses.MISSING:
        return "an error"
    return code(field.default) if field.default not in ((), "", None) else "none"


def _section(scheme: Scheme) -> str:
    parts = [f"### `{scheme.key}`: {scheme.name}\n", f"Version {scheme.version}. {scheme.definition}\n"]
    for track in scheme.tracks:
        parts.append(f"Track `{track.key}`, {track.name}{_where(track)}. {track.definition}\n")
        rows = ((code(label.key), label.name, code(label.shortcut), label.definition) for label in track.labels)
        parts.append(table(("Label", "Name", "Key", "Definition"), rows))
    if scheme.fields:
        form = (
            (code(field.key), field.name, code(field.shortcut), _value(field), _only(field), field.definition)
            for field in scheme.fields
        )
        parts.append(table(("Field", "Name", "Key", "Value", "Only for", "Definition"), form))
    for field in scheme.fields:
        if field.choices:
            rows = (
                (code(choice.key), choice.name, code(choice.shortcut), choice.definition) for choice in field.choices
            )
            parts.append(table((f"Choice of `{field.key}`", "Name", "Key", "Definition"), rows))
    for rule in scheme.rules:
        where = f" on the track `{rule.track}`" if rule.track else ""
        parts.append(f"A segment with the label `{rule.label}`{where} is complete with {codes(rule.needs)}.\n")
    return "\n".join(parts)


def _where(track: Track) -> str:
    said = {
        Extent.SPAN: "",
        Extent.RECORDING: ", the whole recording",
        Extent.EITHER: ", the whole recording or a part",
        Extent.POINT: ", points",
    }
    sampled = "" if track.sampling is None else f", a sample every {track.sampling.every:g} s"
    return said[track.extent] + (", inside an utterance" if track.inside else "") + sampled


def _value(field: Field) -> str:
    if field.kind in NUMERIC_KINDS:
        ends = f", from “{field.ends[0]}” to “{field.ends[1]}”" if field.ends else ""
        return f"{field.minimum:g} to {field.maximum:g}{ends}"
    return {
        FieldKind.CHOICES: "several choices",
        FieldKind.CHOICE: "one choice",
        FieldKind.TEXT: "text",
        FieldKind.PARTICIPANT: "a participant",
    }[field.kind]


def _only(field: Field) -> str:
    return codes([*field.only_for, *field.tracks])
