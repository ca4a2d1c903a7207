"""The `greenroom` command: its subcommands, and how it ends."""

import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.command import CommandGroup
from app.cli.command_table import FIRST_WORDS, SECTIONS
from app.cli.console import ask_passphrase, to_json_line
from models.connection import network_sandbox
from project.entities.egress_policy import Forbidden
from project.errors import Cancelled, UserError, require_utf8
from project.session.settings import log_path
from project.text_format import escape_unprintable
from project.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

EXIT_USER_ERROR = 2
EXIT_BUG = 1
EXIT_STOPPED = 130
COMPLETION_VARIABLE = "_GREENROOM_COMPLETE"
"""The variable by which a shell asks for completions."""


class _RootGroup(CommandGroup):
    """Takes a file in place of a command."""

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Treat a file name in place of a command as a file to open; the name of a command always means the command."""
        if is_file_argument(arguments[0]):
            return super().resolve_command(context, ["open", *arguments])
        return super().resolve_command(context, arguments)

    def shell_complete(self, context: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Return the commands that begin with a text, or else what makes the shell look for a file."""
        from click.shell_completion import CompletionItem

        return super().shell_complete(context, incomplete) or [CompletionItem(incomplete, type="file")]


def is_file_argument(argument: str) -> bool:
    """Return whether the first argument means a file: it is no command, and exists or looks like a path."""
    if argument in FIRST_WORDS or argument.startswith("-"):
        return False
    path = Path(argument)
    return "/" in argument or bool(path.suffix) or argument in {".", "..", "~"} or os.path.lexists(path)


@click.group(
    cls=_RootGroup,
    sections=SECTIONS,
    invoke_without_command=True,
    options_metavar="[--version] [--help]",
    subcommand_metavar="[FILE | COMMAND [ARGS]...]",
    context_settings={"max_content_width": 100},
)
@click.version_option(__version__, prog_name="greenroom")
@click.pass_context
def greenroom(context: click.Context) -> int:
    """Annotate and anonymize recordings of social interaction, on this machine.

    \b
    Example:
      greenroom demo
    """
    if context.invoked_subcommand is not None:
        return 0
    from app.cli.launch import open_window

    return open_window()


def run(arguments: list[str] | None = None) -> int:
    """Run a command line and return the exit code: 0 done, 1 a bug, 2 a user error, 130 stopped."""
    network_sandbox.install_audit_hook()
    if not os.environ.get(COMPLETION_VARIABLE):
        _ask_for_passphrases()
    given = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in given
    try:
        for argument in given:
            require_utf8(argument)
        code = greenroom.main(
            args=given, prog_name="greenroom", complete_var=COMPLETION_VARIABLE, standalone_mode=False
        )
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


def _ask_for_passphrases() -> None:
    from project.encryption.passphrases import set_asker

    set_asker(ask_passphrase)


def _open_hint(arguments: list[str]) -> str:
    """Return how to open a file that is named like a command."""
    name = arguments[0] if arguments else ""
    return f"To open the file of that name: greenroom ./{name}" if name in FIRST_WORDS and Path(name).exists() else ""


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
