"""Suggestions for commands that do not exist."""

import click

from ..errors import did_you_mean


class Suggesting(click.Group):
    """A group that suggests a command for one that it does not know. (Click does so for flags.)"""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed."""
        known = self.list_commands(context)
        if args[0] not in known and not args[0].startswith("-") and (question := did_you_mean(args[0], known)):
            context.fail(f"No such command {args[0]!r}: {question}")
        return super().resolve_command(context, args)
