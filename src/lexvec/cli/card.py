"""``lexvec card``: a model card for vectors that are to be shared."""

from pathlib import Path

import click

from ..evaluation import Evaluator
from ..model_cards import CardDetails, model_card
from ..storage.meta import read_meta
from ..storage.outputs import check_file_output, replacing
from ..trained import Combine
from ..vectors import WordVectors
from .console import Console, console_flags
from .flags import combine_flag, gathered_parameters, json_flag
from .output import report
from .paths import InputPath, OutputPath
from .set_flags import ChosenSets, set_flags


@click.command()
@click.argument("vectors", type=InputPath())
@click.option("--output", "-o", type=OutputPath(), required=True, metavar="FILE", help="Card to write (README.md).")
@click.option("--force", is_flag=True, help="Replace the card if it exists.")
@gathered_parameters("details", CardDetails)
@set_flags("none, so no scores")
@combine_flag
@json_flag
@console_flags
def card(
    vectors: Path,
    output: Path,
    force: bool,
    chosen: ChosenSets,
    details: CardDetails,
    combine: Combine,
    as_json: bool,
    console: Console,
) -> None:
    """Write a model card: a README.md with the scores of vectors.

    The card has the metadata that Hugging Face's hub reads, scores with intervals, how the text was normalised, and how
    the vectors were trained. Without --sets it has no scores. VECTORS is a folder written by lexvec train, or vectors
    in any format that lexvec convert reads. Nothing is uploaded.
    """
    check_file_output(output, force=force)
    store = WordVectors.load(vectors, combine=combine, progress=console.progress)
    scores = None
    if chosen.sets:
        scores = Evaluator().evaluate(store, sets=chosen.names, data=chosen.data, progress=console.progress)
    training = (read_meta(vectors)["parameters"] or None) if vectors.is_dir() else None
    text = model_card(store, scores, training=training, **details.get_params())
    with replacing(output, force=force) as file:
        file.write(text.encode())
    record = {"path": str(output.absolute()), "words": len(store), "dim": store.dim, "bytes": output.stat().st_size}
    summary = f"{output}: a card for {len(store):,} words, with {len(scores.scores) if scores else 0} scores"
    report(record, summary, console, as_json=as_json)
