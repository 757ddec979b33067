"""``lexvec train``: a corpus to a model."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..errors import ArtefactError, ParameterError
from ..models import MODELS, Model
from ..models.run import RunFolder
from ..models.training_preset import TRAINING_PRESETS, TrainingPreset, approximate_tokens
from ..parameters import declared
from ..progress import Progress
from ..trained import ModelFolder
from .failures import resumable
from .flags import gathered, merged_flags, model_flag, typed
from .options import TextFlags, output_flag, report_flags, text_flags
from .output import Console, counted, described
from .paths import InputPath, OutputPath


def _engine(engine: str | None, workers: int | None) -> str | int | None:
    """Return what trains: workers at an address, a number of workers on this machine, or None for this process."""
    if engine is not None and workers is not None:
        raise click.UsageError("--engine and --workers are mutually exclusive: choose one.")
    return workers if engine is None else engine


@click.command()
@click.argument("corpus", type=InputPath(), required=False)
@output_flag(suffix=".run", required=False, force="Replace the output folder, or an unfinished run.")
@click.option("--resume", type=OutputPath(".run"), metavar="DIR", help="Resume the interrupted run that writes DIR.")
@report_flags()
@model_flag(MODELS)
@click.option(
    "--preset",
    type=click.Choice(TRAINING_PRESETS),
    help="Use the model, parameters and --min-count that were measured to work well for a corpus of this size. Flags "
    "that you give override them.",
)
@text_flags
@click.option(
    "--matrix",
    type=InputPath(),
    metavar="DIR",
    help="Matrix of CORPUS, from lexvec associate (for glove: from lexvec count --window-kind harmonic).",
)
@click.option(
    "--engine",
    metavar="ADDRESS",
    help="Train on the workers of a cluster, such as dask://127.0.0.1:8786; --threads is then per worker.",
)
@click.option("--workers", type=int, metavar="N", help="Train on N worker processes of this machine.")
@gathered("engine", _engine, ["engine", "workers"])
@merged_flags(MODELS)
@click.pass_context
def train(
    context: click.Context,
    /,
    corpus: Path | None,
    output: Path | None,
    resume: Path | None,
    force: bool,
    console: Console,
    model: str,
    preset: str | None,
    text: TextFlags,
    matrix: Path | None,
    engine: str | int | None,
    **parameters: Any,
) -> None:
    """Train word vectors.

    CORPUS is a folder made by lexvec corpus, or text, which is encoded first. DIR holds W.npy, C.npy and vocab.tsv at
    the end. During training, DIR.run holds the checkpoints. Resume a run that was stopped or killed with --resume DIR;
    the result has the same bits. It has the same bits on any number of workers, too (--engine, --workers), and a run
    can resume on more or fewer of them, or on none.
    """
    given = typed(context, parameters)
    chosen = context.get_parameter_source("model") is not ParameterSource.DEFAULT
    settings: TrainingPreset | None = None
    with resumable(partial(_advice, resume or output or Path())):
        if resume is not None:
            others = [corpus, output, preset, text.min_count, matrix, force or None, text.tokenized or None]
            if chosen or any(other is not None for other in others):
                raise click.UsageError("--resume continues with what the run was started with: omit everything else.")
            made = _resume(resume, given, engine, console.progress)
        else:
            if corpus is None or output is None:
                raise click.UsageError("Give a CORPUS and --output DIR, or --resume DIR.")
            if preset is not None:
                if chosen:
                    raise click.UsageError("--preset and --model are mutually exclusive: choose one.")
                settings = TrainingPreset.load(preset, approximate_tokens(str(corpus)))
                if text.min_count is None:
                    text = replace(text, min_count=settings.min_count_for(str(corpus)))
            made = settings.new_model(**given) if settings else MODELS[model].of(given)
            made.fit(
                str(corpus), output, matrix=matrix, builder=text.builder(), force=force, engine=engine,
                progress=console.progress,
            )  # fmt: skip
    path = resume or output or Path()
    loss = f", loss {made.losses_[-1]['loss']:.4f}" if made.losses_ else ""
    summary = f"{path}: {counted(len(made.vocabulary_), 'word')}, {counted(made.dim, 'dimension')}{loss}"
    if settings:
        summary += f"; read its vectors with --combine {settings.combine}, which {preset} is meant for"
    console.report(described(ModelFolder.load(path)), summary)


def _advice(output: Path) -> str:
    """Return how to go on after training was stopped."""
    run = RunFolder(output).path
    return f"resume with: lexvec train --resume {output}" if run.exists() else "nothing was done yet"


def _resume(output: Path, given: dict[str, Any], engine: str | int | None, progress: Progress) -> Model:
    run = RunFolder(output)
    start = run.start
    if start.model not in MODELS:
        raise ArtefactError(
            f"{run.path} was started with an unknown model, {start.model!r:.60}: install what defines it"
        )
    cls = MODELS[start.model]
    effort = {name for name, spec, *_ in declared(cls) if spec.effort}
    if not given.keys() <= effort:
        names = ", ".join(sorted(given.keys() - effort))
        raise ParameterError(f"a run resumes with the parameters it was started with: omit {names}")
    model = cls.of({**start.parameters, **given})
    return model.fit(None, output, resume=True, engine=engine, progress=progress)
