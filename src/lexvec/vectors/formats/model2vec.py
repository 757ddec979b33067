"""A folder that model2vec and sentence-transformers open."""

import functools
import json
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError, ParameterError
from ...progress import Progress
from ..geometry import Doubles
from ..sentence_rules import SentenceRules, normalizer_of, word_weights
from .exports import export_format, exporting, write_json
from .folder import header_of
from .format import LabelledRows, check_words, rows_to_write

if TYPE_CHECKING:
    from ...corpus import Normalizer


_JOINERS = r"\u200c\u200d"
_APOSTROPHES = r"'\u2019\uff07"
_HYPHENS = r"\-\u2010\u2011"
# With any rules these separate words: whitespace, control characters, the zero width space, the replacement character.
_BLANK = r"[\p{Z}\p{Cc}\u200b\ufffd]"


def tokenizer_json(normalizer: "Normalizer", words: Sequence[str]) -> dict[str, Any]:
    """Return a tokenizer whose token 0 stands for unknown words, and whose other tokens are the words in order."""
    if normalizer.numbers == "cardinal" or (normalizer.punctuation == "keep" and normalizer.numbers == "digits"):
        kept = ", punctuation='keep'" if normalizer.punctuation == "keep" else ""
        raise ParameterError(
            f"no tokenizer.json can spell numbers as these vectors want them (numbers={normalizer.numbers!r}{kept}): "
            "train with numbers='keep', or export to word2vec"
        )
    unknown = "[UNK]"
    while unknown in words:
        unknown = f"[{unknown}]"
    vocabulary = {unknown: 0, **{word: number for number, word in enumerate(words, 1)}}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": list(_normalizers(normalizer))},
        "pre_tokenizer": _cut(normalizer),
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": unknown},
    }


def _normalizers(rules: "Normalizer") -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    removes = rules.punctuation == "remove"
    if rules.lowercase:
        # A capital sigma at the end of a word becomes ς, which the library's Lowercase does not know. Between it
        # and the other letters may be what Unicode calls case-ignorable, as far as it can be part of a word.
        kept = rf"\p{{L}}\p{{M}}\p{{Cf}}{_APOSTROPHES if rules.apostrophes != 'split' else ''}" if removes else r"\S"
        ignored = rf"[[{kept}]&&\p{{Case_Ignorable}}&&[^\u200b]]*"
        steps.append(_replace(rf"(?<=\p{{Cased}}{ignored})Σ(?!{ignored}\p{{Cased}})", "ς"))
        steps.append({"type": "Lowercase"})
    steps.append({"type": "NFC"})
    if not removes:
        return steps
    steps.append(_replace(rf"[\p{{Cf}}&&[^\u200b{_JOINERS}]]", ""))
    inside = rf"(?<=[\p{{L}}\p{{Nl}}\p{{M}}\p{{Nd}}{_JOINERS}{_APOSTROPHES}{_HYPHENS}])"
    for characters, treatment, kept in ((_APOSTROPHES, rules.apostrophes, "'"), (_HYPHENS, rules.hyphens, "-")):
        if treatment == "keep":
            steps.append(_replace(f"[{characters}]", kept))
        elif treatment == "join":
            steps.append(_replace(f"{inside}[{characters}]", ""))
    if rules.numbers == "digits":
        from ...corpus.number_words import DIGITS

        steps += [_replace(f"[{_digits()[value]}]", f" {name} ") for value, name in enumerate(DIGITS)]
    return steps


def _cut(rules: "Normalizer") -> dict[str, Any]:
    if rules.punctuation == "keep":
        return {"type": "Split", "pattern": {"Regex": _BLANK}, "behavior": "Removed", "invert": False}
    begins = r"\p{L}\p{Nl}" + (r"\p{Nd}" if rules.numbers == "keep" else "")
    joiners = _JOINERS + ("'" if rules.apostrophes == "keep" else "") + (r"\-" if rules.hyphens == "keep" else "")
    word = rf"[{begins}][{begins}\p{{M}}]*(?:[{joiners}][{begins}\p{{M}}]+)*"
    return {"type": "Split", "pattern": {"Regex": word}, "behavior": "Removed", "invert": True}


def _replace(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


@functools.cache
def _digits() -> list[str]:
    """Return the digits of all scripts that stand for 0, for 1, and so on."""
    found = [""] * 10
    for point in map(chr, range(sys.maxunicode + 1)):
        if point.isdecimal():
            found[unicodedata.decimal(point)] += point
    return found


_TARGET = "model2vec"
DTYPES = {"float32": "F32", "float16": "F16"}
_ALIGNED = 8  # bytes
_MODULES = ("StaticEmbedding", "Normalize")


def write_model2vec(
    path: Path,
    vectors: LabelledRows,
    force: bool,
    progress: Progress,
    *,
    rules: SentenceRules | None = None,
    component: Doubles | None = None,
    dtype: str = "float32",
) -> None:
    """Write the folder; ``component`` is a direction that no vector of a sentence has.

    To subtract it from each row is to subtract it from each mean of rows.
    """
    rules = rules or SentenceRules()
    check_words(vectors, _TARGET, "")
    count, dim = vectors.matrix.shape
    weights = word_weights(rules, count, vectors.counts, progress)
    tokenizer = tokenizer_json(normalizer_of(vectors.normalisation, vectors.words, progress), vectors.words)
    config: dict[str, Any] = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_dim": dim,
        "seq_length": 1_000_000,
        "max_length": None,
        "normalize": True,
        "embedding_dtype": dtype,
    }
    modules = [
        {
            "idx": number,
            "name": str(number),
            "path": "." if number == 0 else f"{number}_{name}",
            "type": f"sentence_transformers.models.{name}",
        }
        for number, name in enumerate(_MODULES)
    ]
    how = {"weights": rules.weights, "a": rules.a, "component_removed": component is not None}
    with exporting(path, _TARGET, vectors, force=force, **how) as folder:
        write_json(folder / "config.json", config)
        write_json(folder / "modules.json", modules)
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
        with (folder / "model.safetensors").open("wb") as file, progress.stage("writing", count, "words") as stage:
            file.write(header_of({"embeddings": (DTYPES[dtype], (count + 1, dim))}, _ALIGNED))
            file.write(np.zeros(dim, dtype).tobytes())
            start = 0
            for words, rows in rows_to_write(vectors, stage):
                weighted = rows * weights[start : start + len(rows), None]
                if component is not None:
                    weighted -= np.outer(weighted @ component, component)
                with np.errstate(over="ignore"):
                    narrow = weighted.astype(np.dtype(dtype).newbyteorder("<"))
                if not np.isfinite(narrow).all():
                    word = words[int(np.flatnonzero(~np.isfinite(narrow).all(axis=1))[0])]
                    raise InputError(f"the vector of {word!r:.80} has numbers too large for {dtype}: use float32")
                file.write(narrow.tobytes())
                start += len(rows)


MODEL2VEC = export_format(_TARGET, "a folder for model2vec and sentence-transformers", write_model2vec)
