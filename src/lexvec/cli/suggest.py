"""What may have been meant by a command that does not exist."""

import difflib

import click


class Suggesting(click.Group):
    """A group that suggests a command for one that it does not know. (Click does so for flags.)"""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed."""
        known = self.list_commands(context)
        close = difflib.get_close_matches(args[0], known, 1)
        if close and args[0] not in known and not args[0].startswith("-"):
            context.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
        return super().resolve_command(context, args)
