"""``lexvec card``: a model card for vectors that are to be shared."""

from pathlib import Path

import click

from ..evaluation import Evaluator
from ..model_cards import CardDetails, model_card
from ..storage.meta import read_meta
from ..storage.outputs import check_file_output, replacing
from ..trained import Combine
from ..vectors import WordVectors
from .flags import gathered_parameters
from .options import ChosenSets, output_flag, report_flags, set_flags, vector_flags
from .output import Console, counted
from .paths import InputPath


@click.command()
@click.argument("vectors", type=InputPath())
@output_flag("Card to write (README.md).", metavar="FILE", force="Replace the card if it exists.")
@gathered_parameters("details", CardDetails)
@set_flags("none, so no scores")
@vector_flags()
@report_flags()
def card(
    vectors: Path,
    output: Path,
    force: bool,
    chosen: ChosenSets,
    details: CardDetails,
    combine: Combine,
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
    count = counted(len(scores.scores) if scores else 0, "score")
    console.report(record, f"{output}: a card for {counted(len(store), 'word')}, with {count}")
