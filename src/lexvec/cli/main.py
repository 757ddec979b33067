"""``lexvec``: the group of commands, and how errors reach the user."""

import io
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from .._version import __version__
from ..errors import LexvecError
from .config import read_config
from .suggest import Suggesting

#: Commands by stage. Each is in the file of its name, which is imported when it is called (or all, for the help).
STAGES = {
    "To begin with": ("demo",),
    "From text to a matrix": ("corpus", "count", "associate"),
    "To vectors": ("train", "convert"),
    "To look at vectors": ("neighbors", "analogy", "map"),
    "To scores": ("evaluate", "compare", "data"),
    "To the tables of a paper": ("reproduce",),
    "About a folder": ("info",),
}


class Commands(Suggesting):
    """Finds commands by name, lists them by stage, and turns our errors into one line and exit code 1."""

    def list_commands(self, _: click.Context) -> list[str]:
        """The commands in the order of the pipeline."""
        return [name for names in STAGES.values() for name in names]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of this name."""
        if name not in self.list_commands(context):
            return None
        command: click.Command = getattr(import_module(f".{name}", __package__), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """One list per stage."""
        width = max(map(len, self.list_commands(context)))
        for stage, names in STAGES.items():
            with formatter.section(stage):
                commands = [(name, self.get_command(context, name)) for name in names]
                rows = [(name.ljust(width), command.get_short_help_str(80)) for name, command in commands if command]
                formatter.write_dl(rows)

    def invoke(self, context: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(context)
        except LexvecError as error:
            click.echo(f"lexvec: {error}", err=True)
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            place = f"{error.filename}: " if error.filename else ""
            click.echo(f"lexvec: {place}{error.strerror or error}: check the path and its permissions", err=True)
        except MemoryError:
            click.echo("lexvec: memory is not enough: give a smaller --memory or fewer --threads", err=True)
        except KeyboardInterrupt:
            click.echo("lexvec: stopped; nothing was left behind", err=True)
            sys.exit(130)
        sys.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="lexvec")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A TOML file with a table for each command, its keys the command's flags.",
)
@click.pass_context
def main(context: click.Context, config: Path | None) -> None:
    """From raw text to word vectors, one stage at a time.

    Each command reads one folder (or text) and makes one folder: corpus, then count and associate for a matrix, or
    train for vectors, which convert writes in other programs' formats, evaluate scores and compare holds against
    others. reproduce does it all for the tables of a paper. info tells what is in a folder.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a letter is to show something
            stream.reconfigure(errors="replace")
    if config:
        context.default_map = read_config(main, context, config)
