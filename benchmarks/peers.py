"""This package against the programs people use, in one run, as ratios: ``python benchmarks/peers.py TEXT [...]``.

Every program is a process of its own that learns from the same tokens, one sentence a line, with the same settings:
min_count 5, t = 10⁻⁴, k = 5, window 10 (LexVec: 2). It runs for one epoch, and again for more: the difference is what
epochs take, without start-up, vocabulary, counting and writing. Programs that are not given are left out.

The whole takes half an hour or more. With ``--folder`` the text is prepared once, and ``--work`` can measure one kind
of work at a time.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from texts import cut_text

LEXVEC = [sys.executable, "-m", "lexvec"]
# What a process may hold when it starts others counts as their memory: so this one imports nothing large.
SENTENCES = """
from itertools import islice
from lexvec import Corpus
for name, number in (("sentences.txt", None), ("few.txt", 2000)):
    with open(name, "w", encoding="utf-8") as out:
        out.writelines(" ".join(sentence) + "\\n" for sentence in islice(Corpus.load("normalised"), number))
"""
GENSIM = """
import sys
from gensim.models import Word2Vec
dim, threads, epochs = map(int, sys.argv[1:])
Word2Vec(corpus_file="sentences.txt", sg=1, hs=0, negative=5, window=10, sample=1e-4, min_count=5, alpha=0.025,
         vector_size=dim, workers=threads, epochs=epochs)
"""
TOKENS = ["--tokenized", "--min-count", "5"]
SAMPLED = ["--subsample", "1e-4"]
CELL = 16  # bytes of a cell in the files of Stanford's programs


class Usage(NamedTuple):
    """What a process used; `processor` is in seconds, of all threads."""

    seconds: float
    processor: float
    memory: int


class Row(NamedTuple):
    """A line of the table."""

    program: str
    usage: Usage
    amount: float
    unit: str
    pairs: int = 0  # in an epoch, where that is known


class Bench:
    """A folder with the text in all its forms, in which programs run and are measured."""

    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        self.folder = folder
        self.dim, self.threads, self.runs = str(arguments.dim), str(arguments.threads), arguments.runs
        # No other work on this machine can then replace the kernels that `prepare` had compiled. Modules are compiled
        # once too, as an installation does.
        caches = {"NUMBA_CACHE_DIR": str(folder / "kernels"), "PYTHONPYCACHEPREFIX": str(folder / "modules")}
        self.environment = {**os.environ, **caches}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def run(self, *command: str, stdin: str = os.devnull, stdout: str = "log.txt") -> Usage:
        """Run a program to its end, in the folder; the best of the runs."""
        return min(self._once(list(command), stdin, stdout) for _ in range(self.runs))

    def _once(self, command: list[str], stdin: str, stdout: str) -> Usage:
        errors = self.folder / "errors.txt"
        with (
            (self.folder / stdin).open("rb") as source,
            (self.folder / stdout).open("wb") as target,
            errors.open("wb") as log,
        ):
            started = time.perf_counter()
            process = subprocess.Popen(command, 0, None, source, target, log, cwd=self.folder, env=self.environment)
            _, status, used = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)  # or it would be waited for again
        if process.returncode:
            said = errors.read_text(encoding="utf-8", errors="replace")[-500:]
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {said}")
        memory = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return Usage(seconds, used.ru_utime + used.ru_stime, memory)

    def epoch(self, command: Callable[[int], list[str]]) -> Usage:
        """Of one epoch. As many more epochs as fit into a minute are run, so that noise does not count for much."""
        one = self.run(*command(1))
        more = max(1, min(5, int(60 / one.seconds)))
        several = self.run(*command(1 + more))
        if several.seconds <= one.seconds:
            raise SystemExit(f"{' '.join(command(1))}: the text is too small to tell an epoch from noise.")
        seconds, processor = several.seconds - one.seconds, several.processor - one.processor
        return Usage(seconds / more, processor / more, several.memory)

    def ours(self, model: str, *flags: str, corpus: str = "corpus") -> Callable[[int], list[str]]:
        """The command that trains a model of this package."""
        fixed = ["-o", "model", "--force", "-q", "--dim", self.dim, "--threads", self.threads]
        return lambda epochs: [*LEXVEC, "train", corpus, *fixed, "--model", model, *flags, "--epochs", str(epochs)]

    def encode(self, source: str, target: str, *flags: str) -> Usage:
        """Text to ids."""
        fixed = ["-o", target, "--force", "-q", "--threads", self.threads]
        return self.run(*LEXVEC, "corpus", source, *fixed, *flags)

    def count(self, corpus: str, target: str, *flags: str) -> Usage:
        """Counts as GloVe has them, from ids or from text."""
        window = ["--window", "10", "--window-kind", "harmonic", "--subsample", "0", "--threads", self.threads]
        return self.run(*LEXVEC, "count", corpus, "-o", target, "--force", "-q", *window, *flags)

    def fact(self, artefact: str, name: str) -> Any:
        """What a folder says of itself."""
        return json.loads((self.folder / artefact / "meta.json").read_bytes())["facts"][name]

    def printed(self, pattern: str) -> int:
        """The last number that the last program printed in such a place."""
        said = "".join((self.folder / name).read_text(errors="replace") for name in ("log.txt", "errors.txt"))
        return int(re.findall(pattern, said)[-1])

    def prepare(self, source: Path, megabytes: int | None) -> None:
        """Write the sentences that all programs read, and let all kernels be compiled before anything is measured."""
        cut_text(source, self.folder / "text.txt", megabytes)
        self.encode("text.txt", "normalised", "--min-count", "5")
        self._once([sys.executable, "-c", SENTENCES], os.devnull, "log.txt")
        self.encode("few.txt", "few", "--tokenized", "--min-count", "1")
        self.count("few", "few-counts")
        for model, flags in (("sgns", SAMPLED), ("lexvec", SAMPLED), ("glove", ["--matrix", "few-counts"])):
            self._once(self.ours(model, *flags, corpus="few")(1), os.devnull, "log.txt")
        self.encode("sentences.txt", "corpus", *TOKENS)


def sgns(bench: Bench, words: int, arguments: argparse.Namespace) -> list[Row]:
    """Skip-gram with negative sampling: ours, then those that there are."""

    def row(name: str, command: Callable[[int], list[str]]) -> Row:
        return shown(Row(name, bench.epoch(command), words, "words"))

    rows = [row("lexvec", bench.ours("sgns", "--window", "10", *SAMPLED))]
    if given("gensim", find_spec("gensim"), "pip install gensim"):
        rows.append(row("gensim", lambda epochs: [sys.executable, "-c", GENSIM, bench.dim, bench.threads, str(epochs)]))
    if given("word2vec", arguments.word2vec, "give it with --word2vec"):
        fixed = "-train sentences.txt -output vectors -cbow 0 -hs 0 -negative 5 -window 10 -sample 1e-4 -min-count 5"
        options = [*fixed.split(), "-alpha", "0.025", "-binary", "1", "-size", bench.dim, "-threads", bench.threads]
        rows.append(row("word2vec", lambda epochs: [arguments.word2vec, *options, "-iter", str(epochs)]))
    if given("fastText", arguments.fasttext, "give it with --fasttext"):
        fixed = "skipgram -input sentences.txt -output vectors -loss ns -neg 5 -ws 10 -t 1e-4 -minCount 5 -lr 0.025"
        more = [*fixed.split(), "-minn", "0", "-maxn", "0", "-dim", bench.dim, "-thread", bench.threads]
        rows.append(row("fastText, no subwords", lambda epochs: [arguments.fasttext, *more, "-epoch", str(epochs)]))
    return rows


def lexvec(bench: Bench, words: int, arguments: argparse.Namespace) -> list[Row]:
    """LexVec with windows of the matrix: stochastic, the variant that the authors' program has, and minibatch."""
    rows = []
    for name, flags in (("lexvec", SAMPLED), ("lexvec, minibatch: more noise", ["--variant", "minibatch", *SAMPLED])):
        usage = bench.epoch(bench.ours("lexvec", *flags))
        rows.append(shown(Row(name, usage, words, "words", bench.fact("model", "losses")[-1]["pairs"])))
    if given("the authors' program", arguments.lexvec_go, "give it with --lexvec-go"):
        go = arguments.lexvec_go
        shared = "-corpus sentences.txt -vocab vocab-go.txt -window 2 -subsample 1e-4 -minfreq 5 -pos=false -verbose 1"
        if not (bench.folder / "vocab-go.txt").exists():
            bench.run(go, "vocab", *shared.split())
        fixed = "-minn 0 -maxn 0 -negative 5 -alpha 0.025 -model 1 -output vectors"
        options = [*shared.split(), *fixed.split(), "-dim", bench.dim, "-threads", bench.threads]
        usage = bench.epoch(lambda epochs: [go, "train", *options, "-iterations", str(epochs)])
        rows.append(shown(Row("the authors' program", usage, words, "words", bench.printed(r"sgdsteps (\d+)"))))
    return rows


def counts(bench: Bench, words: int, arguments: argparse.Namespace) -> dict[str, list[Row]]:
    """From text to counts, with one command and with two, and counting alone; the files stay for `glove`."""
    at_once = bench.count("sentences.txt", "counts-of-text", *TOKENS)
    encoding = bench.encode("sentences.txt", "corpus", *TOKENS)
    counting = bench.count("corpus", "counts")
    all_of_it = [shown(Row("lexvec count TEXT", at_once, words, "words"))]
    all_of_it.append(shown(Row("lexvec corpus, count", together(encoding, counting), words, "words")))
    alone = [shown(Row("lexvec count", counting, words, "words"))]
    if given("Stanford's GloVe", arguments.glove, "give its folder with --glove"):
        tool, text, quiet = arguments.glove, "sentences.txt", ["-verbose", "0"]
        listing = bench.run(tool["vocab_count"], "-min-count", "5", *quiet, stdin=text, stdout="vocab.txt")
        flags = ["-window-size", "10", "-vocab-file", "vocab.txt", "-memory", "4.0", *quiet]
        cooccur = bench.run(tool["cooccur"], *flags, stdin=text, stdout="cells.bin")
        shuffle = bench.run(tool["shuffle"], "-memory", "4.0", *quiet, stdin="cells.bin", stdout="shuffled.bin")
        usage = together(listing, cooccur, shuffle)
        all_of_it.append(shown(Row("vocab_count, cooccur, shuffle", usage, words, "words")))
        alone.append(shown(Row("cooccur", cooccur, words, "words")))
    return {"text to counts, window 10": all_of_it, "counting alone": alone}


def glove(bench: Bench, arguments: argparse.Namespace) -> list[Row]:
    """GloVe: an epoch over the cells of `counts`."""
    cells = bench.fact("counts", "cells")
    rows = [shown(Row("lexvec", bench.epoch(bench.ours("glove", "--matrix", "counts")), cells, "cells"))]
    if arguments.glove:
        theirs = (bench.folder / "cells.bin").stat().st_size // CELL
        print(f"cells: {cells:,}, of Stanford's cooccur: {theirs:,}", file=sys.stderr)
        files = "-input-file shuffled.bin -vocab-file vocab.txt -save-file vectors -x-max 100 -eta 0.05 -binary 1"
        options = [*files.split(), "-verbose", "0", "-vector-size", bench.dim, "-threads", bench.threads]
        usage = bench.epoch(lambda epochs: [arguments.glove["glove"], *options, "-iter", str(epochs)])
        rows.append(shown(Row("glove", usage, theirs, "cells")))
    return rows


def together(*parts: Usage) -> Usage:
    """Of processes one after another."""
    seconds, processor, memory = zip(*parts, strict=True)
    return Usage(sum(seconds), sum(processor), max(memory))


def shown(row: Row) -> Row:
    """The same row, told at once. A processor's time far below that of all threads means that others were at work."""
    seconds, processor, memory = row.usage
    pairs = f", {row.pairs:,} pairs" if row.pairs else ""
    print(
        f"{row.program}: {seconds:.2f} s, processor {processor:.2f} s, {memory / 1e6:.0f} MB{pairs}",
        file=sys.stderr,
        flush=True,
    )
    return row


def given(name: str, found: object, advice: str) -> bool:
    """Whether a program is there to be run; says so if not."""
    if found is None:
        print(f"{name} is left out: {advice}.", file=sys.stderr)
    return found is not None


def program(name: str) -> str:
    """The path of a program, good in any folder; for argparse."""
    found = shutil.which(name)
    if found is None:
        raise argparse.ArgumentTypeError(f"{name} is no program that can be run: give the path of a compiled one.")
    return str(Path(found).resolve())


def programs(folder: str) -> dict[str, str]:
    """The paths of Stanford's four programs."""
    return {name: program(str(Path(folder) / name)) for name in ("vocab_count", "cooccur", "shuffle", "glove")}


def measured(bench: Bench, arguments: argparse.Namespace) -> dict[str, list[Row]]:
    """Do the work that was asked for."""
    if not (bench.folder / "corpus").exists():
        bench.prepare(arguments.text, arguments.megabytes)
    tokens = bench.fact("corpus", "tokens")
    print(f"{tokens:,} tokens, {bench.fact('corpus', 'words'):,} words", file=sys.stderr)
    sections: dict[str, list[Row]] = {}
    if "sgns" in arguments.work:
        sections["SGNS, window 10, an epoch"] = sgns(bench, tokens, arguments)
    if "lexvec" in arguments.work:
        sections["LexVec, an epoch"] = lexvec(bench, tokens, arguments)
    if "counts" in arguments.work or ("glove" in arguments.work and not (bench.folder / "counts").exists()):
        sections |= counts(bench, tokens, arguments)
    if "glove" in arguments.work:
        sections["GloVe, an epoch"] = glove(bench, arguments)
    return sections


def table(sections: dict[str, list[Row]]) -> str:
    """All as Markdown; the first row of each section is ours, and the ratio is our speed by theirs."""
    lines = ["| | | seconds | per second | lexvec is | per pair | peak memory |", "|---|---|---|---|---|---|---|"]
    for work, rows in sections.items():
        ours = rows[0]
        for i, row in enumerate(rows):
            speed = row.amount / row.usage.seconds
            ratio = f"{ours.amount / ours.usage.seconds / speed:.2f} × as fast" if i else ""
            size = f"{speed / 1e6:.2f} M {row.unit}"
            each = f"{row.usage.seconds / row.pairs * 1e9:.0f} ns" if row.pairs else ""
            lines.append(f"| {'' if i else work} | {row.program} | {row.usage.seconds:.1f} | {size} | {ratio} | "
                         f"{each} | {row.usage.memory / 1e6:,.0f} MB |")  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, help="use only so much of the text")
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=1, help="run everything so often, and take the best")
    parser.add_argument("--word2vec", type=program, metavar="PROGRAM")
    parser.add_argument("--fasttext", type=program, metavar="PROGRAM")
    parser.add_argument("--glove", type=programs, metavar="FOLDER", help="with vocab_count, cooccur, shuffle and glove")
    parser.add_argument("--lexvec-go", type=program, metavar="PROGRAM")
    work = ("sgns", "lexvec", "counts", "glove")
    parser.add_argument("--work", nargs="+", choices=work, default=work, help="measure only this")
    parser.add_argument("--folder", type=Path, help="prepare the text here and keep it, or use what is prepared here")
    arguments = parser.parse_args()
    if arguments.folder:
        arguments.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as temporary:
        bench = Bench((arguments.folder or Path(temporary)).resolve(), arguments)
        print(table(measured(bench, arguments)))


if __name__ == "__main__":
    main()
