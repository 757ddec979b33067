"""``lexvec``: the group of commands."""

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from .._version import __version__
from ..errors import did_you_mean
from .failures import report_bus_errors, reported, settle_streams
from .paths import InputPath

#: Commands by stage, with the first line of their help, so that ``lexvec --help`` imports none of them. Each command is
#: in the file of its name, which is imported when the command is called.
STAGES = {
    "Get started": {
        "demo": "Train on real text and show the result, in about two minutes.",
    },
    "Build a matrix from text": {
        "corpus": "Read text, choose a vocabulary, and encode the text as ids.",
        "count": "Count how often words co-occur in a corpus, or in text.",
        "associate": "Turn counts into an association matrix, such as PPMI*.",
    },
    "Train and convert vectors": {
        "plan": "Compute the memory, disk and reads that training would need.",
        "train": "Train word vectors.",
        "convert": "Convert vectors from any format to another, and make them smaller.",
        "card": "Write a model card: a README.md with the scores of vectors.",
    },
    "Query vectors": {
        "neighbors": "Show the words most similar to WORDS.",
        "analogy": "Answer: A is to B as C is to which word?",
        "map": "Draw a map of words as an SVG picture.",
        "embed": "Turn each line of text into a vector.",
        "explore": "Look at vectors on a page in your browser.",
    },
    "Evaluate vectors": {
        "evaluate": "Score vectors on similarity and analogy sets.",
        "compare": "Test whether two models differ, set by set.",
        "data": "List and fetch the test sets that evaluate uses.",
    },
    "Run experiments": {
        "tune": "Search for good parameters of a model.",
        "stability": "Measure how much neighbours would change with another sample of the text.",
        "reproduce": "Train and score all methods of the paper, and print its tables.",
    },
    "Inspect": {
        "info": "Show what a folder or a file of vectors holds.",
    },
}


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


class Commands(Suggesting):
    """Finds commands by name, lists them by stage, and reports errors."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the commands in the order of the pipeline."""
        return [name for commands in STAGES.values() for name in commands]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of this name."""
        if name not in self.list_commands(context):
            return None
        command: click.Command = getattr(import_module(f".{name}", __package__), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list per stage."""
        width = max(map(len, self.list_commands(context)))
        for stage, commands in STAGES.items():
            with formatter.section(stage):
                formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the program."""
        settle_streams()
        return super().main(*arguments, **options)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Parse the arguments; this is also where help is printed."""
        with reported():
            return super().make_context(*arguments, **options)

    def invoke(self, context: click.Context) -> Any:
        """Run a command."""
        with reported(partial(self._flags, context)):
            from ..storage.mapping import BEFORE_FIRST  # and with it NumPy, which help does without

            BEFORE_FIRST[:] = [report_bus_errors]
            return super().invoke(context)

    def _flags(self, context: click.Context) -> list[str]:
        """Return the flags of the command that is run."""
        command = self.get_command(context, context.invoked_subcommand or "")
        return [flag for parameter in command.params for flag in parameter.opts] if command else []


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="lexvec")
@click.option(
    "--config",
    type=InputPath(),
    metavar="FILE",
    help="Read flags from a TOML file with a table for each command. Flags that are typed take precedence.",
)
@click.pass_context
def main(context: click.Context, config: Path | None) -> None:
    """Train word vectors from raw text, one stage at a time.

    Each command reads text or one folder and writes one folder. corpus, count and associate build a matrix; train
    learns vectors from it, or from text directly. convert writes vectors in the formats of other programs, evaluate
    scores them, and compare tests them against others. reproduce runs all stages for the tables of a paper. info shows
    what a folder or a file of vectors holds.
    """
    if config:
        from .flags import read_config  # and with it NumPy

        context.default_map = read_config(main, context, config)
