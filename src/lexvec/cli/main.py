"""``lexvec``: the group of commands, and how errors reach the user."""

import sys
from typing import Any

import click

from .._version import __version__
from ..errors import LexvecError
from . import associate, corpus, count, info, train


class Commands(click.Group):
    """Lists commands in the order of the pipeline, and turns our errors into one line and exit code 1."""

    def list_commands(self, _: click.Context) -> list[str]:
        """The commands as they were added."""
        return list(self.commands)

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
def main() -> None:
    """From raw text to word vectors, one stage at a time.

    Each command reads one folder (or text) and makes one folder: corpus, then count and associate for a matrix, or
    train for vectors. info tells what is in a folder.
    """


for command in (corpus.corpus, count.count, associate.associate, train.train, info.info):
    main.add_command(command)
