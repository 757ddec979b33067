"""``lexvec reproduce``: a corpus to the tables of a paper."""

import sys
from pathlib import Path

import click

from ..experiments import PRESETS, Grid, Preset
from ..experiments.report import Report
from ..presentation.render import render_table
from .console import Console, console_flags
from .flags import json_flag
from .output import show_json


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The folder to work in."
)
@click.option(
    "--preset",
    default="acl2016",
    show_default=True,
    help=f"The experiment: {', '.join(PRESETS)}, or a TOML file of your own.",
)
@click.option("--only", multiple=True, metavar="RUN", help="Only this run of the experiment (may be repeated).")
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="A folder with evaluation sets.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of all random numbers.")
@click.option("--threads", type=click.IntRange(1, 1024), help="Threads to use (default: all cores).")
@click.option("--memory", help='For counting: use about so much memory, such as "2GB" (default: half of all).')
@json_flag
@console_flags
def reproduce(
    corpus: Path,
    output: Path,
    preset: str,
    only: tuple[str, ...],
    data: Path | None,
    seed: int,
    threads: int | None,
    memory: str | None,
    as_json: bool,
    console: Console,
) -> None:
    """Train and score all methods of the paper, and print its tables.

    CORPUS is text, or a folder made by lexvec corpus. DIR holds all that was made; the same command goes on where it
    was stopped. At the end DIR has report.md, report.tex, report.html and report.json, with the paper's figures beside
    ours.
    """
    chosen = Preset.load(preset)
    grid = Grid(chosen.only(only) if only else chosen, output, effort={"threads": threads, "memory": memory}, seed=seed)
    try:
        outcomes = grid.run(str(corpus), data=data, progress=console.progress)
    except KeyboardInterrupt:
        click.echo("lexvec: stopped; the same command goes on from here", err=True)
        click.get_current_context().exit(130)
    report = Report(outcomes)
    written = report.write(output)
    if as_json:
        show_json(report.as_dict())
    else:
        tables = (render_table(table, "table", terminal=sys.stdout.isatty()) for table in report.tables())
        click.echo("\n\n".join(tables))
    for path in written:
        console.say(str(path))
