"""The `greenroom` command: its subcommands, and how it ends."""

import logging
import os
import sys
from contextlib import suppress
from pathlib import Path

import click

from app.cli.command import CommandGroup
from app.cli.console import ask_passphrase, to_json_line
from models.connection import network_sandbox
from project.encryption.passphrases import set_asker
from project.entities.egress_policy import Forbidden
from project.errors import Cancelled, UserError, require_utf8
from project.session.settings import log_path
from project.text_format import escape_unprintable
from project.version import __version__

EXIT_USER_ERROR = 2
EXIT_BUG = 1
EXIT_STOPPED = 130

_COMMANDS = {
    "Study": {
        "open": "study:open_study",
        "demo": "launch:demo",
        "new": "study:new",
        "add": "study:add",
        "add-view": "recording:add_view",
        "sync": "recording:sync",
        "sound": "recording:sound",
        "info": "study:info",
        "undo": "study:undo",
        "redo": "study:redo",
        "check": "study:check",
        "relink": "study:relink",
        "synthetic": "study:synthetic",
        "worker": "study:worker",
    },
    "Care": {
        "recover": "study:recover",
        "encrypt": "study:encrypt",
        "decrypt": "study:decrypt",
        "scrub": "release:scrub",
        "withdraw": "participant:withdraw",
    },
    "Annotate": {
        "segment": "segment:segment",
        "scheme": "scheme:scheme",
        "comment": "segment:comment",
        "cues": "cues:cues",
        "search": "recording:search",
        "checklist": "team:checklist",
        "activity": "team:activity",
    },
    "Team": {
        "plan": "team:plan",
        "training": "team:training",
        "done": "team:done",
        "hold-out": "team:hold_out",
        "split": "team:split",
        "merge": "team:merge",
        "conflicts": "team:conflicts",
        "resolve": "team:resolve",
    },
    "Review and agreement": {
        "review": "review:review",
        "adjudicate": "review:adjudicate",
        "agreement": "review:agreement",
    },
    "Judges": {
        "judge": "benchmark.judge:judge",
        "ask": "ask:ask",
        "blind": "benchmark.judge:blind",
        "revisions": "benchmark.judge:revisions",
    },
    "Chains and questions": {
        "meta": "meta:meta",
        "chain": "chain:chain",
        "questions": "benchmark.questions:questions",
        "consistency": "benchmark.question_filter:consistency",
        "episode": "benchmark.episodes:episode",
        "benchmark": "benchmark.sets:benchmark",
    },
    "Exchange": {
        "export": "exchange:export_annotations",
        "import": "exchange:import_annotations",
    },
    "Speech": {
        "transcribe": "transcript:transcribe",
        "transcript": "transcript:transcript",
        "speakers": "transcript:speakers",
        "pii": "pii:pii",
    },
    "Faces and anonymizing": {
        "faces": "faces:faces",
        "review-faces": "faces:review_faces",
        "anonymize": "anonymize:anonymize",
        "voice": "anonymize:voice",
        "privacy": "anonymize:privacy",
        "models": "machine:models",
    },
    "What leaves this machine": {
        "policy": "policy:policy",
        "egress": "policy:egress",
    },
    "Release": {
        "participant": "participant:participant",
        "private-words": "release:words",
        "texts": "release:texts",
        "release": "release:release",
    },
    "This machine": {
        "doctor": "machine:doctor",
        "desktop": "machine:desktop",
        "docs": "machine:docs",
    },
}
"""Heading of `greenroom --help` -> its commands, each with its file below `app.cli` and its function."""
COMMANDS = {name: target for under in _COMMANDS.values() for name, target in under.items()}


class _Commands(CommandGroup):
    """Takes a file in place of a command."""

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Treat a file name in place of a command as a file to open; the name of a command always means the command."""
        if is_file_argument(arguments[0]):
            return super().resolve_command(context, ["open", *arguments])
        return super().resolve_command(context, arguments)


def is_file_argument(argument: str) -> bool:
    """Return whether the first argument means a file: it is no command, and exists or looks like a path."""
    if argument in COMMANDS or argument.startswith("-"):
        return False
    path = Path(argument)
    return "/" in argument or bool(path.suffix) or argument in {".", "..", "~"} or os.path.lexists(path)


@click.group(
    cls=_Commands, sections=_COMMANDS, invoke_without_command=True, subcommand_metavar="[FILE | COMMAND [ARGS]...]"
)
@click.version_option(__version__, prog_name="greenroom")
@click.pass_context
def greenroom(context: click.Context) -> int:
    """Annotate and anonymize recordings of social interaction, on this machine.

    Without a command, the window opens, on the study whose file is named. Nothing of a study leaves this machine,
    unless its policy says so.

    \b
    Example:
      greenroom demo
      greenroom my-study.greenroom
    """
    if context.invoked_subcommand is not None:
        return 0
    from app.cli.launch import open_window

    return open_window()


def run(arguments: list[str] | None = None) -> int:
    """Run a command line and return the exit code: 0 done, 1 a bug, 2 a user error, 130 stopped."""
    network_sandbox.install_audit_hook()
    set_asker(ask_passphrase)
    given = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in given
    try:
        for argument in given:
            require_utf8(argument)
        code = greenroom.main(args=given, prog_name="greenroom", standalone_mode=False)
    except Forbidden as error:
        return _report_failure(as_json, EXIT_USER_ERROR, error.message, error.hint, rule=error.rule)
    except UserError as error:
        return _report_failure(as_json, EXIT_USER_ERROR, error.message, error.hint)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return EXIT_USER_ERROR
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        where = context.command_path if context else "greenroom"
        return _report_failure(
            as_json, EXIT_USER_ERROR, error.format_message(), _open_hint(given) or f"See: {where} --help"
        )
    except (click.Abort, Cancelled, KeyboardInterrupt):
        return _report_failure(as_json, EXIT_STOPPED, "Stopped.", "")
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception as error:
        if (damage := _study_damage(error, given)) is not None:
            return _report_failure(as_json, EXIT_USER_ERROR, damage.message, damage.hint)
        where = _write_log(given[:1])
        return _report_failure(as_json, EXIT_BUG, f"Unexpected error: {type(error).__name__}: {error}", where)
    return code if isinstance(code, int) else 0


def _open_hint(arguments: list[str]) -> str:
    """Return how to open a file that is named like a command."""
    name = arguments[0] if arguments else ""
    return f"To open the file of that name: greenroom ./{name}" if name in COMMANDS and Path(name).exists() else ""


def _study_damage(error: Exception, arguments: list[str]) -> UserError | None:
    """Return what to say if a damaged study, and not the program, made a command fail."""
    from project.integrity.integrity_check import damage_error
    from project.store.opening import SUFFIX

    return damage_error(error, [path for path in map(Path, arguments) if path.suffix == SUFFIX and path.is_file()])


def _write_log(command: list[str]) -> str:
    """Write the exception that is being handled to the log, and return the path of the log."""
    try:
        logging.basicConfig(filename=log_path(), format="%(asctime)s %(message)s")
    except OSError as error:
        return f"The log cannot be written: {error.strerror}."
    logging.exception("greenroom %s", command)
    return f"To report it, add what “greenroom doctor” prints. The details are in {log_path()}"


def _report_failure(as_json: bool, code: int, message: str, hint: str, **more: str) -> int:
    first, second = (" ".join(text.split()) for text in (message, hint))
    join = " " if not second or first.endswith((".", "!", "?")) else ". "
    # If nothing can be printed, the exit code alone has to tell.
    with suppress(OSError):
        click.echo(f"greenroom: {escape_unprintable(first + join + second).rstrip()}", err=True)
    with suppress(OSError):
        if as_json:
            click.echo(to_json_line({"error": message, "hint": hint, **more}))
    return code
