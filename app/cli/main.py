"""The `greenroom` command: its subcommands, and how it ends."""

import logging
import sys
from contextlib import suppress
from importlib import import_module

import click

from app.cli.output import as_object
from app.core.settings import log_path
from project.errors import Cancelled, UserError
from project.names import require_text, shown
from project.version import __version__

USER_ERROR = 2
BUG = 1
STOPPED = 130

_COMMANDS = {
    "open": "app.cli.study:open_study",
    "demo": "app.cli.demo:demo",
    "new": "app.cli.study:new",
    "add": "app.cli.study:add",
    "add-view": "app.cli.views:add_view",
    "sync": "app.cli.views:sync",
    "info": "app.cli.study:info",
    "segment": "app.cli.segment:segment",
    "search": "app.cli.finding:search",
    "checklist": "app.cli.finding:checklist",
    "comment": "app.cli.comment:comment",
    "scheme": "app.cli.scheme:scheme",
    "faces": "app.cli.faces:faces",
    "models": "app.cli.models:models",
    "agreement": "app.cli.agreement:agreement",
    "review": "app.cli.review:review",
    "adjudicate": "app.cli.review:adjudicate",
    "anonymize": "app.cli.anonymize:anonymize",
    "plan": "app.cli.plan:plan",
    "done": "app.cli.plan:done",
    "hold-out": "app.cli.plan:hold_out",
    "training": "app.cli.training:training",
    "split": "app.cli.team:split",
    "merge": "app.cli.team:merge",
    "conflicts": "app.cli.team:conflicts",
    "resolve": "app.cli.team:resolve",
    "export": "app.cli.interchange:export_annotations",
    "import": "app.cli.interchange:import_annotations",
    "undo": "app.cli.study:undo",
    "redo": "app.cli.study:redo",
    "check": "app.cli.study:check",
    "relink": "app.cli.study:relink",
    "synthetic": "app.cli.study:synthetic",
    "worker": "app.cli.study:worker",
}


class _Commands(click.Group):
    """Loads a command's file when it is asked for, so that each starts fast."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module, attribute = _COMMANDS[name].split(":")
        found = getattr(import_module(module), attribute)
        assert isinstance(found, click.Command)
        return found


@click.group(cls=_Commands, invoke_without_command=True)
@click.version_option(__version__, prog_name="greenroom")
@click.pass_context
def greenroom(context: click.Context) -> int:
    """Annotate and anonymize recordings of social interaction, on this machine.

    Without a command, the window opens. Nothing that you work on leaves this machine.

    \b
    Example:
      greenroom demo
      greenroom open my-study.greenroom
    """
    if context.invoked_subcommand is not None:
        return 0
    from app.gui.application import run as run_window

    return run_window(None)


def run(arguments: list[str] | None = None) -> int:
    """Run a command line and return the exit code: 0 done, 1 a bug, 2 a user error, 130 stopped."""
    given = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in given
    try:
        for argument in given:
            require_text(argument)
        code = greenroom.main(args=given, prog_name="greenroom", standalone_mode=False)
    except UserError as error:
        return _fail(as_json, USER_ERROR, error.message, error.hint)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USER_ERROR
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        where = context.command_path if context else "greenroom"
        return _fail(as_json, USER_ERROR, error.format_message(), f"See: {where} --help")
    except (click.Abort, Cancelled, KeyboardInterrupt):
        return _fail(as_json, STOPPED, "Stopped.", "")
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception as error:
        where = _log(given[:1])
        return _fail(as_json, BUG, f"Unexpected error: {type(error).__name__}: {error}", where)
    return code if isinstance(code, int) else 0


def _log(command: list[str]) -> str:
    """Write the exception that is being handled to the log; returns where that is."""
    try:
        logging.basicConfig(filename=log_path(), format="%(asctime)s %(message)s")
    except OSError as error:
        return f"The log cannot be written: {error.strerror}."
    logging.exception("greenroom %s", command)
    return f"The details are in {log_path()}"


def _fail(as_json: bool, code: int, message: str, hint: str) -> int:
    first, second = (" ".join(text.split()) for text in (message, hint))
    join = " " if not second or first.endswith((".", "!", "?")) else ". "
    # Where nothing can be printed, the exit code alone has to tell.
    with suppress(OSError):
        click.echo(f"greenroom: {shown(first + join + second).rstrip()}", err=True)
    with suppress(OSError):
        if as_json:
            click.echo(as_object({"error": message, "hint": hint}))
    return code
