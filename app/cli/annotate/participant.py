"""Commands about participants: where they appear, what they consented to, and how they withdraw."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from annotate.study import people
from annotate.study.participant_variables import (
    enter_variables,
    import_variables,
    read_variables,
    variable_kinds,
    variables_by_participant,
)
from app.cli.command import EDIT, FILE, KEEP_REST, argument, command, option
from app.cli.console import Output, progress_bar
from project.entities.study_records import ConsentUse, Participant, ParticipantRole, VariableKind
from project.errors import UserError
from project.queries.recording_rows import all_participants, consents
from project.session.session import Session, resolve_recording
from project.text_format import escape_unprintable, pluralize


@command()
def list_participants(session: Session) -> Output:
    """List the participants of a study, with roles, consent and variables.

    \b
    Example:
      greenroom participant list my-study.greenroom
    """
    return _describe(session, all_participants(session.study))


@command(study=EDIT)
def set_participant(
    session: Session,
    pseudonym: str = argument(),
    role: ParticipantRole | None = option("Who they are."),
    recording: tuple[str, ...] = option("Number, file name or id of one in which they appear."),
    consent: tuple[ConsentUse, ...] = option("Something that they consented to."),
    no_consent: tuple[ConsentUse, ...] = option("Something that they did not, or no longer."),
    variable: tuple[str, ...] = option("NAME=VALUE, such as age=23; without VALUE it is removed.", "--set"),
    kind: VariableKind | None = option("What the values of the variables that are set are."),
) -> Output:
    """Add a participant, or change their role, appearances, consent and variables.

    What is not given stays as it is.

    \b
    Example:
      greenroom participant set my-study.greenroom P01 --role user --recording 1 --consent release
      greenroom participant set my-study.greenroom P01 --set age=23 --set condition=robot
    """
    found = _find(session, pseudonym)
    if found is None:
        people.add_participant(session, pseudonym, ParticipantRole(role or ParticipantRole.USER))
        found = _find(session, pseudonym.strip())
        assert found is not None
    elif role is not None and found.role.value != role:
        people.change_role(session, found, ParticipantRole(role))
    for text in recording:
        people.set_appearance(session, resolve_recording(session, text).id, found, True)
    for uses, given in ((consent, True), (no_consent, False)):
        for use in uses:
            people.set_consent(session, found, ConsentUse(use), given)
    if variable:
        enter_variables(session, found, _parse_variables(variable), kind)
    return _describe(session, [person for person in all_participants(session.study) if person.id == found.id])


@command(study=EDIT)
def import_table(session: Session, table: Path = argument(type=FILE), keep_rest: bool = KEEP_REST) -> Output:
    """Fill in age, group and other variables of participants from a CSV table.

    Its first column is participant, with pseudonyms; each other one is a variable. Time budgets can be grouped by them;
    annotators' copies do not have them.

    \b
    Example:
      greenroom participant import my-study.greenroom participants.csv
    """
    count, _ = import_variables(session, read_variables(table), keep_rest=keep_rest)
    return Output({"values": count}, f"Filled in {pluralize(count, 'value')}.")


def _parse_variables(given: tuple[str, ...]) -> dict[str, str]:
    """Return name -> value of NAME=VALUE."""
    for text in given:
        if "=" not in text:
            raise UserError(f"“{escape_unprintable(text)}” does not say which value.", "Write it as NAME=VALUE.")
    return {name: value for name, _, value in (text.partition("=") for text in given)}


def _find(session: Session, pseudonym: str) -> Participant | None:
    return next((person for person in all_participants(session.study) if person.pseudonym == pseudonym), None)


def _describe(session: Session, participants: Iterable[Participant]) -> Output:
    known = variables_by_participant(session.study)
    rows, lines = [], []
    for person in participants:
        given = [use.value for use, granted in consents(session.study, person.id).items() if granted]
        own = known.get(person.id, {})
        rows.append({"pseudonym": person.pseudonym, "role": person.role.value, "consents": given, "variables": own})
        head = f"{person.pseudonym} ({person.role.value}): {', '.join(given) or 'no consent'}"
        lines.append("; ".join((head, *(f"{name} {value}" for name, value in own.items()))))
    kinds = {name: kind.value for name, kind in variable_kinds(session.study).items()}
    return Output({"participants": rows, "variables": kinds}, lines or "There are no participants yet.")


@command()
def withdraw(
    study: Path = argument(),
    pseudonym: str = argument(),
    words: tuple[str, ...] = option("A name or word by which they are known.", "--word"),
    keep: tuple[str, ...] = option("What looks like theirs and is not: it stays."),
    keep_rest: bool = option("Keep all that looks like theirs and is not named with --word."),
    drop_recordings: bool = option("Remove recordings in which they are as a whole."),
    delete_footage: bool = option("Delete the files of these recordings too."),
    delete_beside: bool = option("Delete exports and other files beside the study that hold them."),
    erase_unreadable: bool = option("Erase backups that cannot be read; else nothing is removed."),
    certificate: Path | None = option("Where the certificate goes (.md and .json)."),
    dry_run: bool = option("Say what would be removed, and change nothing."),
    yes: bool = option("Do not ask for the pseudonym to be typed."),
) -> Output:
    """Remove a participant who withdrew, for good.

    From the study with its history, and from backups, caches and clips on this machine. It cannot be undone. A
    certificate says what was removed, what was searched, and where more of it may be; for who has withdrawn, the
    command writes it again. What only looks like theirs, such as another ending of a name, has to be decided first:
    --word or --keep.

    \b
    Example:
      greenroom participant withdraw my-study.greenroom P01 --dry-run
      greenroom participant withdraw my-study.greenroom P01 --word Anna --keep Annabel --delete-footage
    """
    from anonymize.withdrawal.withdrawal import run_withdrawal
    from anonymize.withdrawal.withdrawal_certificate import read_certificates, write_certificate
    from anonymize.withdrawal.withdrawal_plan import (
        ErasureRequest,
        PersonalStringFinder,
        plan_erasure,
        require_decided,
    )
    from anonymize.withdrawal.withdrawal_preview import lookalike_lines, preview_json, preview_lines, remaining_steps
    from project import codec

    wanted = ErasureRequest(
        pseudonym, words, drop_recordings, delete_footage, erase_unreadable, keep, keep_rest, delete_beside, certificate
    )
    finder = PersonalStringFinder(with_model=True)
    with Session.open(study, read_only=True) as session:
        who = session.annotator_name
        there = " ".join(pseudonym.split()) in {person.pseudonym for person in all_participants(session.study)}
    if not there and not dry_run and (earlier := read_certificates(study, pseudonym)):
        if certificate is not None and len(earlier) > 1:
            dates = ", ".join(withdrawal.at for withdrawal in earlier)
            raise UserError(
                f"{len(earlier)} participants called {escape_unprintable(pseudonym)} withdrew, on {dates}.",
                "Leave out --certificate; their certificates are written beside the study.",
            )
        places = [write_certificate(study, withdrawal, certificate) for withdrawal in earlier]
        told = [
            f"{escape_unprintable(pseudonym)} withdrew on {withdrawal.at}. The certificate, written again: {place}"
            for withdrawal, place in zip(earlier, places, strict=True)
        ]
        written = {"certificate": str(places[-1]), "certificates": [*map(str, places)]}
        return Output({**codec.dump(earlier[-1]), **written}, told)
    if dry_run:
        foreseen = plan_erasure(study, wanted, finder)
        return Output({**preview_json(foreseen), "dry_run": True}, preview_lines(foreseen))
    if not yes:
        foreseen = plan_erasure(study, wanted, finder)
        require_decided(foreseen)
        _confirm_withdrawal(preview_lines(foreseen), pseudonym)
    with progress_bar("Removing") as bar:
        done, place = run_withdrawal(study, wanted, who, bar, finder)
    lines = [f"{escape_unprintable(pseudonym)} was removed. The certificate: {place}"]
    lines += [*remaining_steps(done), *lookalike_lines(done.plan)]
    result = {
        **codec.dump(done.certificate),
        "certificate": str(place),
        "problems": done.problems,
        "footage_left": [str(path) for path in done.plan.footage_left()],
    }
    return Output(result, lines)


def _confirm_withdrawal(lines: list[str], pseudonym: str) -> None:
    if not sys.stdin.isatty():
        raise UserError("A withdrawal cannot be undone, so it needs a confirmation.", "In a script: --yes")
    click.echo("\n".join(map(escape_unprintable, lines)), err=True)
    typed = click.prompt("Type the pseudonym to remove all of this for good", err=True)
    if str(typed).strip() != pseudonym.strip():
        raise UserError("This is not the pseudonym; nothing was removed.", "Type it exactly as in the study.")
