"""TensorBoard's projector: vectors and words as TSV, which https://projector.tensorflow.org loads too."""

from pathlib import Path

from ....progress import Progress
from ..labelled_rows import LabelledRows, check_words, rows_to_write
from .export_folder import export_format, exporting

_TARGET = "projector"
_CONFIG = 'embeddings {\n  tensor_name: "lexvec"\n  tensor_path: "vectors.tsv"\n  metadata_path: "metadata.tsv"\n}\n'


def write_projector(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write the folder, which is also a log folder for ``tensorboard --logdir``."""
    check_words(vectors, "TSV", "\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
    with exporting(path, _TARGET, vectors, force=force) as folder:
        lines = list(vectors.words)
        if vectors.counts is not None:  # only files with several columns have a line of headings
            counted = zip(vectors.words, vectors.counts.tolist(), strict=True)
            lines = ["word\tcount", *(f"{word}\t{count}" for word, count in counted)]
        (folder / "metadata.tsv").write_bytes("".join(f"{line}\n" for line in lines).encode())
        (folder / "projector_config.pbtxt").write_bytes(_CONFIG.encode())
        line = (
            "\t".join(["%.9g"] * vectors.matrix.shape[1]) + "\n"
        )  # nine digits tell every float32 from its neighbours
        count = len(vectors.words)
        with (folder / "vectors.tsv").open("wb") as file, progress.stage("writing", count, "words") as stage:
            for _, rows in rows_to_write(vectors, stage):
                file.write("".join(line % tuple(row) for row in rows.tolist()).encode())


PROJECTOR = export_format(_TARGET, "a folder of TSV files for TensorBoard", write_projector)
