"""A file name for each format that is read and written with any words and numbers."""

from importlib.util import find_spec

FILES = {
    "word2vec": "v.txt",
    "word2vec-binary": "v.bin",
    "glove": "v.glove",
    "numpy": "v.npz",
    "lexvec": "v",
}
if find_spec("pyarrow"):
    FILES["parquet"] = "v.parquet"
#: Those of other programs, too, whose names do not tell their format.
NAMED_FILES = {**FILES, "fasttext": "fasttext.bin", "lexvec-go": "go.bin"}
