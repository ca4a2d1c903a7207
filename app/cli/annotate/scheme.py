"""Commands about schemes: what can be annotated, and in which versions a study keeps it."""

from collections.abc import Callable, Iterator
from pathlib import Path

from annotate.study import scheme_versions
from annotate.study.scheme_changes import apply_plan, plan_text
from annotate.study.scheme_versions import find_orphans, list_study_schemes
from app.cli.command import EDIT, argument, command, option
from app.cli.console import Output, record
from project.entities.study_records import Changes
from project.errors import UserError
from project.schemes.scheme import NUMERIC_KINDS, Field, Label, Scheme, TierConstraint, Track
from project.schemes.scheme_file import load_scheme, load_scheme_file, scheme_text, shipped_names
from project.session.session import Session

ANNOTATOR = option("The name that the edit is recorded under.")
SCHEME = argument(metavar="SCHEME")
KEY = argument(metavar="KEY")


@command()
def list_schemes(study: Path | None = argument()) -> Output:
    """List the schemes that Greenroom ships, or those that a study uses and keeps, with what was filled in.

    Orphans are labels and values that the newest version of their scheme has no place for.

    \b
    Example:
      greenroom scheme list my-study.greenroom
    """
    if study is None:
        shipped = [load_scheme(name) for name in shipped_names()]
        rows = [{"key": known.key, "name": known.name, "version": known.version} for known in shipped]
        return Output({"schemes": rows}, [f"{known.key:14} version {known.version}  {known.name}" for known in shipped])
    with Session.open(study, read_only=True) as session:
        found = list_study_schemes(session)
        listed = [
            record(
                kept,
                "scheme",
                name=kept.name,
                version=None if kept.scheme is None else kept.scheme.version,
                orphaned=find_orphans(session, kept.key),
            )
            for kept in found
        ]
    lines = []
    for kept_scheme in found:
        kept = ", ".join(map(str, kept_scheme.versions)) or "none"
        state = "default" if kept_scheme.default else "in use" if kept_scheme.used else "kept only"
        lines.append(
            f"{kept_scheme.key:14} {state:9}  versions kept: {kept}  "
            f"segments: {kept_scheme.segments}  values: {kept_scheme.values}  orphans: {kept_scheme.orphans}"
        )
    return Output({"schemes": listed}, lines)


@command()
def show(scheme: str = SCHEME) -> Output:
    """Print a scheme's tracks, labels, fields and rules. SCHEME is a file, or the key of one that Greenroom ships.

    \b
    Example:
      greenroom scheme show shrec
    """
    found = load_scheme_file(Path(scheme)) if _is_file(scheme) else load_scheme(scheme)
    return Output(record(found), _scheme_lines(found))


@command()
def check(file: Path = argument()) -> Output:
    """Check a scheme file, and say what is wrong and where.

    \b
    Example:
      greenroom scheme check our-scheme.toml
    """
    found = load_scheme_file(file)
    labels = sum(len(track.labels) for track in found.tracks)
    counts = {"tracks": len(found.tracks), "labels": labels, "fields": len(found.fields), "rules": len(found.rules)}
    counted = ", ".join(f"{count} {word if count != 1 else word[:-1]}" for word, count in counts.items())
    told = {"ok": True, "key": found.key, "name": found.name, "version": found.version, **counts}
    return Output(told, f"{file.name} is a scheme: {found.name} ({found.key}, version {found.version}), {counted}.")


@command(study=EDIT, annotator=ANNOTATOR)
def use(
    session: Session,
    scheme: str = SCHEME,
    rename: tuple[str, ...] = option(
        "OLD=NEW: segments with the label OLD get NEW. Each is LABEL or TRACK/LABEL; TRACK/ is all labels of a track."
    ),
    rename_field: tuple[str, ...] = option("OLD=NEW: values of the field OLD belong to the field NEW."),
) -> Output:
    """Use a scheme in a study, or its new version. SCHEME is a file, or the key of one that is shipped or kept.

    The file's text is kept in the study. What was filled in under older versions stays as it is, but for labels and
    fields that are renamed, and fields of another kind that can hold it. Two labels that get the same new one are
    merged.

    \b
    Example:
      greenroom scheme use my-study.greenroom our-scheme.toml --rename warm=friendly
    """
    effects: list[str] = []
    if _is_file(scheme):
        renames, field_renames = ([*map(_read_rename, given)] for given in (rename, rename_field))
        plan = plan_text(session, scheme_text(Path(scheme)), Path(scheme).name, renames, field_renames)
        used, changes = apply_plan(session, plan)
        effects = [str(effect) for effect in plan.effects]
    elif rename or rename_field:
        raise UserError("Labels and fields are renamed by a new version of a scheme.", "Give its file.")
    elif session.schemes.is_in_use(scheme) or scheme not in shipped_names():
        used, changes = scheme_versions.use_kept_scheme(session, scheme)
    else:
        used, changes = scheme_versions.use_shipped_scheme(session, scheme)
    told = {"key": used.key, "version": used.version, "changed": bool(changes), "effects": effects}
    return Output(told, [f"In use: {used.name} ({used.key}, version {used.version})", *effects])


def _read_rename(text: str) -> tuple[str, str]:
    before, equals, after = text.partition("=")
    if not equals or not before or not after:
        raise UserError(f"“{text}” is not a renaming.", "Give OLD=NEW, such as --rename warm=friendly.")
    return before, after


@command(study=EDIT, annotator=ANNOTATOR)
def default(session: Session, key: str = KEY) -> Output:
    """Make a scheme that a study uses the one that new segments are made under.

    \b
    Example:
      greenroom scheme default my-study.greenroom cues
    """
    return _run_command(session, key, scheme_versions.make_default, f"New segments are made under {key}")


@command(study=EDIT, annotator=ANNOTATOR)
def drop(session: Session, key: str = KEY) -> Output:
    """Stop using a scheme in a study. Its segments and their values stay, and it can be used again.

    \b
    Example:
      greenroom scheme drop my-study.greenroom plain
    """
    return _run_command(session, key, scheme_versions.drop_scheme, f"No longer in use: {key}")


def _run_command(session: Session, key: str, command: Callable[[Session, str], Changes], text: str) -> Output:
    changes = command(session, key)
    used = [scheme.key for scheme in session.schemes]
    return Output({"key": key, "in_use": used, "changed": bool(changes)}, text)


def _is_file(scheme: str) -> bool:
    return scheme.endswith(".toml") or "/" in scheme or "\\" in scheme


def _scheme_lines(found: Scheme) -> Iterator[str]:
    yield f"{found.name} ({found.key}, version {found.version})"
    if found.definition:
        yield found.definition
    for track in found.tracks:
        yield ""
        yield f"Track {track.key}: {track.name}{_extent_text(track)}"
        yield from (_entry_line(label) for label in track.labels)
    if found.fields:
        yield ""
        yield "Fields"
    for field in found.fields:
        yield f"{_entry_line(field)} {_kind_text(field)}"
        yield from ("    " + _entry_line(choice).strip() for choice in field.choices)
    if found.rules:
        yield ""
        yield "Needed before a segment is complete"
    for rule in found.rules:
        on = f" on {rule.track}" if rule.track else ""
        yield f"  {rule.label}{on}: {', '.join(rule.needs)}"
    if found.examples:
        yield ""
        yield f"Worked examples: {', '.join(example.title for example in found.examples)}"


def _entry_line(entry: Label | Field | object) -> str:
    key, name = getattr(entry, "key", ""), getattr(entry, "name", "")
    shortcut = getattr(entry, "shortcut", "")
    told = " ".join(filter(None, (getattr(entry, "definition", ""), getattr(entry, "hint", ""))))
    pressed = f" [{shortcut}]" if shortcut else ""
    name += " (retired)" if getattr(entry, "retired", False) else ""
    return f"  {key}{pressed}  {name}" + (f": {told}" if told else "")


def _extent_text(track: Track) -> str:
    told = {
        "recording": ", about the whole recording",
        "either": ", the whole recording or a part of it",
        "point": ", points",
    }
    above = f"a segment of {track.parent}" if track.parent else f"an {track.inside}" if track.inside else ""
    lies = "" if track.constraint is TierConstraint.INCLUDED_IN else f" ({track.constraint})"
    inside = f", inside {above}{lies}" if above else ""
    taken = track.sampling
    sampled = "" if taken is None else f", {taken.kind} samples every {taken.every:g} s"
    return told.get(track.extent, "") + inside + sampled


def _kind_text(field: Field) -> str:
    span = f" {field.minimum:g} to {field.maximum:g}" if field.kind in NUMERIC_KINDS else ""
    only = f"; only for {', '.join(field.only_for)}" if field.only_for else ""
    on = f"; only on {', '.join(field.tracks)}" if field.tracks else ""
    return f"({field.kind}{span}{only}{on})"
