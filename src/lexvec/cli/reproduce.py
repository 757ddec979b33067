"""``lexvec reproduce``: from a corpus to the tables of a paper."""

import sys
from pathlib import Path

import click

from ..experiments import PRESETS, Preset, Report
from ..presentation.render import render_table
from .console import Console, console_flags
from .failures import complain
from .flags import json_flag
from .output import show_json


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder to work in."
)
@click.option(
    "--preset",
    default="acl2016",
    show_default=True,
    help=f"Experiment to run: {', '.join(PRESETS)}, or a TOML file of your own.",
)
@click.option("--only", multiple=True, metavar="RUN", help="Do only this run of the experiment. May be repeated.")
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Folder with test sets, searched first.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of all random numbers.")
@click.option("--threads", type=click.IntRange(1, 1024), help="Number of threads. [default: all cores]")
@click.option("--memory", help='Memory for counting, such as "2GB". [default: half of the memory]')
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

    CORPUS is text, or a folder written by lexvec corpus. DIR holds everything that is made; the same command resumes
    after an interruption. At the end DIR has report.md, report.tex, report.html and report.json, with the paper's
    figures beside ours, and times.json.
    """
    chosen = Preset.load(preset)
    chosen = chosen.only(only) if only else chosen
    runner = chosen.runner(output, seed=seed, effort={"threads": threads, "memory": memory})
    try:
        results = runner.run(str(corpus), data=data, progress=console.progress)
    except KeyboardInterrupt:
        complain("stopped; run the same command to resume")
        click.get_current_context().exit(130)
    report = Report(chosen, results)
    written = report.write(output)
    if as_json:
        show_json(report.as_dict())
    else:
        tables = (render_table(table, "table", terminal=sys.stdout.isatty()) for table in report.tables())
        click.echo("\n\n".join(tables))
    for path in written:
        console.say(str(path))
