"""Commands about judges: which models and people a study asks, and when their answers are shown.

Answers of judges can be hidden until people have given their own; a command lists who changed their mind after.
"""

import sys
from pathlib import Path
from typing import Any

import click

from app.cli.command import EDIT, argument, command, option
from app.cli.console import Output, record
from app.cli.plugin_options import JUDGE_OPTIONS
from benchmark.judging.judge_registry import (
    address_variable,
    delete_key,
    get_judge,
    key_location,
    key_variable,
    remove_judge,
    server_address,
    setup_hint,
    store_key,
)
from models.judges.judge_backends import BACKENDS
from project.codec import dump
from project.entities.judgments import PERSON_BACKEND, JudgeEntry
from project.errors import UserError
from project.queries.judgment_rows import all_judges, judge_names
from project.session.session import Session

NAME = argument()
_FILE_BACKEND = "llama-cpp"


@command(study=EDIT)
def add(
    session: Session,
    name: str = NAME,
    backend: str = option("What is asked: a server, a file, a person.", choices=[*BACKENDS, PERSON_BACKEND]),
    model: str = option("The model's name at its server, or the GGUF file of a local one.", default=""),
    replace: bool = option("Change the judge of this name; what it said stays."),
    options: dict[str, Any] = JUDGE_OPTIONS,
) -> Output:
    """Add a judge to a study. Its key is no part of it: see greenroom judge key.

    \b
    Example:
      greenroom judge add my-study.greenroom gpt --backend openai --model gpt-4o --url https://api.openai.com/v1
      greenroom judge add my-study.greenroom local --backend llama-cpp --model models/qwen.gguf --sees frames
      greenroom judge add my-study.greenroom chance --backend random
    """
    from anonymize.egress.egress_authority import unencrypted_warning
    from benchmark.judging import judge_registry

    model = _absolute_path(backend, model)
    if isinstance(projector := options.get("projector"), str):
        options["projector"] = _absolute_path(backend, projector)
    if replace:
        made = JudgeEntry(get_judge(session, name).id, name, backend, model, options)
        judge_registry.change_judge(session, made)
    else:
        made, _ = judge_registry.add_judge(session, name, backend, model, options)
    note = unencrypted_warning(session, made)
    lines = [f"{'Changed' if replace else 'Added'} {_judge_line(made)}", *([note] if note else [])]
    return Output(_judge_json(made) | ({"unencrypted": note} if note else {}), lines)


@command()
def list_judges(session: Session) -> Output:
    """List the judges of a study, and where their keys are kept.

    \b
    Example:
      greenroom judge list my-study.greenroom
    """
    known = all_judges(session.study)
    lines = [_judge_line(judge_entry) for judge_entry in known]
    return Output({"judges": [_judge_json(judge_entry) for judge_entry in known]}, lines or "No judges yet.")


@command(study=EDIT)
def remove(session: Session, name: str = NAME) -> Output:
    """Remove a judge from a study. What it said stays.

    \b
    Example:
      greenroom judge remove my-study.greenroom gpt
    """
    name = name.strip()
    # Found by its name alone, so that a damaged judge can be removed too.
    known = {own: identifier for identifier, own in judge_names(session.study).items()}
    remove_judge(session, known.get(name) or get_judge(session, name).id)
    return Output({"removed": name}, f"Removed {name}.")


@command()
def key(session: Session, name: str = NAME, forget: bool = option("Take the key out of the keyring.")) -> Output:
    """Keep the key of a judge in the keyring of this machine: asked for, or read from standard input.

    Where there is no keyring, as on most servers, an environment variable takes its place, with another one
    that says at which server it may be used; judge list names both. A key belongs to the judge at its address: the
    same name at another server does not get it.

    \b
    Example:
      greenroom judge key my-study.greenroom gpt
      greenroom judge key my-study.greenroom gpt < key.txt
      greenroom judge key my-study.greenroom gpt --forget
    """
    found = get_judge(session, name)
    address = server_address(found)
    if forget:
        gone = delete_key(found)
        return Output({"forgotten": gone}, f"Forgot the key of {found.name}." if gone else "No key was kept.")
    if not address:
        raise UserError(f"The judge {found.name} needs no key.", "Only judges on a server have a key.")
    store_key(found, _read_key(found.name))
    return Output({"kept": found.name, "address": address}, f"Kept the key of {found.name} at {address}.")


@command(study=EDIT)
def try_out(session: Session, name: str = NAME) -> Output:
    """Ask a judge a question that holds nothing of the study, to see whether it answers. Exits with 2 when not.

    \b
    Example:
      greenroom judge test my-study.greenroom gpt
    """
    from benchmark.judging.judge_trial import try_judge

    found = get_judge(session, name)
    tried = try_judge(session, found)
    return Output({"judge": found.name, **dump(tried)}, f"{found.name}: {tried.as_text()}", 0 if tried.ok else 2)


def _read_key(name: str) -> str:
    if sys.stdin.isatty():
        return str(click.prompt(f"Key of {name} (not shown)", hide_input=True, err=True))
    return sys.stdin.readline()


def _judge_json(judge_entry: JudgeEntry) -> dict[str, Any]:

    found: dict[str, Any] = {
        "id": judge_entry.id,
        "name": judge_entry.name,
        "backend": judge_entry.backend,
        "model": judge_entry.model,
        "settings": dict(judge_entry.settings),
    }
    if address := _address_or_empty(judge_entry):
        found |= {"address": address, "key": key_location(judge_entry), "key_variable": key_variable(judge_entry.name)}
        found |= {"key_place_variable": address_variable(judge_entry.name)}
    return found


def _absolute_path(backend: str, path: str) -> str:
    """Return the absolute path of a local model's file, so that the judge finds it from any folder."""
    file = Path(path).expanduser()
    return str(file.resolve()) if backend == _FILE_BACKEND and path and file.is_file() else path


def _judge_line(judge_entry: JudgeEntry) -> str:

    parts = [judge_entry.name, judge_entry.backend, judge_entry.model]
    if address := _address_or_empty(judge_entry):
        place = key_location(judge_entry)
        kept = (
            f"key in {place if place != 'keyring' else 'the keyring'}"
            if place
            else f"no key ({setup_hint(judge_entry)})"
        )
        parts += [address, kept]
    parts += [f"{name}={value}" for name, value in judge_entry.settings.items() if name != "url"]
    return "  ".join(part for part in parts if part)


def _address_or_empty(judge_entry: JudgeEntry) -> str:
    """Return the address of a judge's server; "" for a judge that this version does not know, which is listed too."""
    try:
        return server_address(judge_entry)
    except UserError:
        return ""


_BLIND_TEXTS = {
    True: "What judges say about a segment is hidden from an annotator until their own is complete",
    False: "What judges say about a segment is shown at once",
}


@command(edits=("on",), annotator=option("Who decides it; by default the name in the settings."))
def blind(session: Session, on: str | None = argument(choices=["on", "off"])) -> Output:
    """Hide judges from annotators until they have said their own.

    Without on or off, it shows whether they are hidden.

    `greenroom study undo` takes a change back.

    \b
    Example:
      greenroom judge blind my-study.greenroom
      greenroom judge blind my-study.greenroom off
    """
    from annotate.blinding.reveals import is_blind_first, set_blind_first

    if on is not None:
        set_blind_first(session, on == "on")
    hidden = is_blind_first(session)
    return Output({"blind_first": hidden}, _BLIND_TEXTS[hidden])


@command(annotator=option("Annotator who reads it; by default the name in the settings."))
def revisions(session: Session) -> Output:
    """List who revised what after they were shown judges.

    It says which part, from what to what, and toward which judges.

    \b
    Example:
      greenroom judge revisions my-study.greenroom
    """
    from annotate.blinding.revisions import build_revision_report, format_report

    found = build_revision_report(session)
    listed = [
        record(
            revision,
            annotator=revision.annotator.name,
            recording=None if revision.recording is None else revision.recording.number,
        )
        for revision in found.revisions
    ]
    people = [record(counts, annotator=counts.annotator.name) for counts in found.annotators]
    return Output(record(found, revisions=listed, annotators=people), format_report(session, found))
