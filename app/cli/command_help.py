"""The help of a command. Where it does not fit a screen, the options of a group are listed by name."""

import textwrap
from collections.abc import Iterable

import click

SCREEN_LINES = 40
OPTIONS = "Options"
"""The heading of options in the help, where no other is declared."""
_MORE_OPTIONS = "More options"


class StudioOption(click.Option):
    """An option, with the heading that it has in the help."""

    heading = OPTIONS


class StudioCommand(click.Command):
    """A command whose help lists its options under their headings."""

    def get_params(self, context: click.Context) -> list[click.Parameter]:
        """Return what the command takes, with the option that shows the whole help."""
        return [*super().get_params(context), _HELP_ALL]

    def get_help(self, context: click.Context) -> str:
        """Return the help; groups of options are listed by name, the largest first, until it fits a screen."""
        grouped = self._grouped_options(context)
        groups = sorted(
            (heading for heading in grouped if heading != OPTIONS), key=lambda heading: len(grouped[heading])
        )
        folded: list[str] = []
        while True:
            text = self.full_help(context, folded)
            if text.count("\n") < SCREEN_LINES or not groups:
                return text
            folded.append(groups.pop())

    def full_help(self, context: click.Context, folded: Iterable[str] = ()) -> str:
        """Return the help, with the names alone of options under some headings."""
        formatter = context.make_formatter()
        self.format_usage(context, formatter)
        self.format_help_text(context, formatter)
        grouped = self._grouped_options(context)
        for heading, options in grouped.items():
            if heading not in folded:
                with formatter.section(heading):
                    formatter.write_dl([row for option in options if (row := option.get_help_record(context))])
        if folded:
            with formatter.section(_MORE_OPTIONS):
                for heading, options in grouped.items():
                    if heading in folded:
                        formatter.write(_name_line(heading, options, formatter.width))
            formatter.write_paragraph()
            formatter.write_text(f"What each of these does: {context.command_path} --help-all")
        return formatter.getvalue().rstrip("\n")

    def _grouped_options(self, context: click.Context) -> dict[str, list[click.Option]]:
        """Return heading -> its options; those that most commands have come first."""
        grouped: dict[str, list[click.Option]] = {OPTIONS: []}
        for option in self.get_params(context):
            if isinstance(option, click.Option) and not option.hidden:
                grouped.setdefault(getattr(option, "heading", OPTIONS), []).append(option)
        return grouped


def _name_line(heading: str, options: Iterable[click.Option], width: int) -> str:
    names = ", ".join(option.opts[0] for option in options)
    wrapped = textwrap.wrap(f"{heading}: {names}", width - 4, break_on_hyphens=False, break_long_words=False)
    return textwrap.indent("\n    ".join(wrapped), "  ") + "\n"


def _show_full_help(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        assert isinstance(context.command, StudioCommand)
        click.echo(context.command.full_help(context))
        context.exit()


_HELP_ALL = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, hidden=True, callback=_show_full_help
)
