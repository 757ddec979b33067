"""``lexvec reproduce``: from a corpus to the tables of a paper."""

import os
import textwrap
from pathlib import Path

import click

from ..lab import PRESETS, Preset, Report
from ..lab.preset import MOST_SEEDS
from ..presentation.visible import visible
from .failures import resumable
from .options import data_flag, output_flag, report_flags
from .output import Console, terminal_width
from .paths import InputNames, InputPath


@click.command()
@click.argument("corpus", type=InputPath())
@output_flag("Folder to work in.", force=None)
@click.option(
    "--preset",
    type=InputNames(lambda name: (name,) if name not in PRESETS and os.path.isfile(name) else ()),
    default="acl2016",
    show_default=True,
    help=f"Experiment to run: {', '.join(PRESETS)}, or a TOML file of your own.",
)
@click.option("--only", multiple=True, metavar="RUN", help="Do only this run of the experiment. May be repeated.")
@data_flag
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of all random numbers.")
@click.option(
    "--seeds",
    type=click.IntRange(1, MOST_SEEDS),
    default=1,
    show_default=True,
    help="Number of times to train each method, with --seed, --seed + 1 and so on. Tables then show means, standard "
    "deviations, and intervals that include training noise.",
)
@click.option("--threads", type=click.IntRange(1, 1024), help="Number of threads. [default: all cores]")
@click.option(
    "--memory",
    help='Limit of memory for data, such as "2GB"; what does not fit goes to disk. [default: half of the memory to '
    "count, free memory to train]",
)
@report_flags()
def reproduce(
    corpus: Path,
    output: Path,
    preset: str,
    only: tuple[str, ...],
    data: Path | None,
    seed: int,
    seeds: int,
    threads: int | None,
    memory: str | None,
    console: Console,
) -> None:
    """Train and score all methods of the paper, and print its tables.

    CORPUS is text, or a folder written by lexvec corpus. DIR holds everything that is made; the same command resumes
    after an interruption, and one with other seeds or parameters trains only what is new. At the end DIR has report.md,
    report.tex, report.html and report.json, with the paper's figures beside ours, a table with W and W + C of every
    method, and conclusions; and times.json.
    """
    chosen = Preset.load(preset)
    chosen = chosen.only(only) if only else chosen
    runner = chosen.runner(output, seed=seed, seeds=seeds, effort={"threads": threads, "memory": memory})
    with resumable():
        results = runner.run(str(corpus), data=data, progress=console.progress)
    console.say("testing differences and writing the report")
    report = Report(chosen, results)
    console.show_report(report, output, _text(report))


def _text(report: Report) -> str:
    """Return what stands above the tables of the report; on a terminal, it fits the width."""
    width = terminal_width()
    said = [visible(line) for line in (*report.about(), *report.conclusions())]
    lines = [textwrap.fill(line, width, subsequent_indent="  ") for line in said] if width else said
    return "\n".join(lines)
