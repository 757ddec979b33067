"""One of everything that commands read, made from a small text of its own. Every case starts with a copy of it."""

import contextlib
import os
import random
from pathlib import Path
from typing import Any

_WORDS = 300
_SENTENCES = 700
_PRESET = """
[corpus]
min_count = 1
[runs.svd]
model = "ppmi-svd"
dim = 4
subsample = 0
[runs.sgns]
model = "sgns"
dim = 4
epochs = 1
subsample = 0
[[rows]]
label = "PPMI-SVD"
run = "svd"
[[rows]]
label = "SGNS"
run = "sgns"
"""
#: What makes the base, in this order.
_COMMANDS = """
corpus text.txt -o corpus --min-count 1
count corpus -o counts --subsample 0
count corpus -o harmonic --subsample 0 --window 10 --window-kind harmonic
associate counts -o matrix
train corpus -o model --dim 8 --epochs 1 --subsample 0
train corpus -o other --dim 8 --epochs 1 --subsample 0 --seed 2
train corpus -o sgns --model sgns --dim 8 --epochs 1 --subsample 0
train corpus -o glove --model glove --dim 8 --epochs 1
train corpus -o svd --model ppmi-svd --dim 8 --subsample 0
convert model v.txt
convert model v.txt.gz
convert model v.txt.zst
convert model v.bin
convert model v.bin.gz
convert model v.glove
convert model v.npz
convert model vectors
evaluate model --sets own.tsv
reproduce corpus -o tables --preset own.toml --data sets
""".strip().splitlines()


def words() -> list[str]:
    """The vocabulary, most frequent first."""
    return [one + other for one in _syllables("bdfgklmn") for other in _syllables("prstvz")][:_WORDS]


def _syllables(consonants: str) -> list[str]:
    return [consonant + vowel for consonant in consonants for vowel in "aeiou"]


def text() -> str:
    """Sentences whose words keep company with their neighbours in the vocabulary."""
    draw = random.Random(1)
    known = words()
    lines = []
    for _ in range(_SENTENCES):
        topic = draw.randrange(_WORDS)
        near = [known[(topic + draw.randrange(12)) % _WORDS] for _ in range(5)]
        often = [known[min(int(draw.expovariate(0.15)), _WORDS - 1)] for _ in range(4)]
        mixed = near + often
        draw.shuffle(mixed)
        lines.append(" ".join(mixed) + ".")
    return "\n".join([*lines, " ".join(known) + "."]) + "\n"


def make_base(folder: Path) -> dict[str, Any]:
    """Make it in ``folder``, with all kernels compiled on the way. Returns what the runner has to know."""
    from lexvec.cli import main
    from lexvec.kernels.cache import CACHE

    folder.mkdir(parents=True, exist_ok=True)
    known = words()
    pairs = "".join(f"{known[n]}\t{known[n * 7 % 200]}\t{n % 9}\n" for n in range(1, 41))
    questions = "".join(f"{known[n]} {known[n + 1]} {known[n + 2]} {known[n + 3]}\n" for n in range(40))
    (folder / "sets").mkdir()
    files = {
        "text.txt": text(),
        "vocabulary.tsv": "".join(f"{word}\n" for word in known[:50]),
        "own.toml": _PRESET,
        "own.tsv": pairs,
        "tuned.tsv": "".join(f"{known[n]}\t{known[n * 11 % 200]}\t{n % 9}\n" for n in range(1, 81)),  # for two halves
        "questions.txt": f": gram1-own\n{questions}",
        "sets/mc-30.txt": pairs,
    }
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    with (
        contextlib.chdir(folder),
        open(os.devnull, "w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
    ):
        for command in _COMMANDS:
            main([*_quiet(command.split())], standalone_mode=False)
    return {"kernels": str(CACHE.folder or "")}


def _quiet(words_: list[str]) -> list[str]:
    return [words_[0], "--quiet", *words_[1:]]
