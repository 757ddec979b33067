"""The directive ``commands``: every command with its help and flags, as the program itself has them."""

import re
from collections.abc import Iterator

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from lexvec.cli import main
from lexvec.cli.main import STAGES


class Commands(SphinxDirective):
    """A section for each stage, and in it one for each command."""

    def run(self) -> list[nodes.Node]:
        """Make the sections."""
        return self.parse_text_to_nodes("\n".join(all_commands()), allow_section_headings=True)


def all_commands() -> Iterator[str]:
    """The whole reference, as reStructuredText."""
    root = click.Context(main, info_name="lexvec", **main.context_settings)
    yield from options(root)
    for stage, names in STAGES.items():
        yield from heading(stage, "=")
        for name in names:
            yield from described(root, name)


def described(parent: click.Context, name: str) -> Iterator[str]:
    """What a command is for, how it is called, its flags, and the commands below it."""
    assert isinstance(parent.command, click.Group)
    command = parent.command.get_command(parent, name)
    assert command is not None, name
    context = click.Context(command, info_name=name, parent=parent)
    yield from heading(context.command_path, "-" if parent.parent is None else "~")
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (".. code-block:: text", "", f"   {context.command_path} {usage}", "")
    for paragraph in (command.help or "").split("\n\n"):
        yield from (escaped(paragraph), "")
    yield from options(context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from described(context, below)


def options(context: click.Context) -> Iterator[str]:
    """The flags of a command, each a target that links can lead to."""
    yield from (f".. program:: {context.command_path}", "")
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        if record and record[1]:  # the command's help text explains its arguments
            yield from (f".. option:: {record[0]}", "", f"   {escaped(record[1])}", "")


def heading(title: str, adornment: str) -> Iterator[str]:
    """The title of a section."""
    yield from (title, adornment * len(title), "")


def escaped(text: str) -> str:
    """Text that means nothing but itself."""
    return re.sub(r"([\\*`|_<>])", r"\\\1", " ".join(text.split()))


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it known."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
