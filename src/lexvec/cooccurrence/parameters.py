"""The parameters of counting."""

from dataclasses import dataclass

from ..contexts import CONTEXT_KINDS, PositionalContexts, WordContexts
from ..draws import WindowParameters
from ..parameters import Search, memory_parameter, parameter, seed_parameter, threads_parameter


@dataclass(kw_only=True, eq=False)
class CountingParameters(WindowParameters):
    """How co-occurrences are counted; whatever learns from counts inherits these."""

    window_kind: str = parameter(
        "fixed",
        "fixed: each context counts 1; random: the window's size is drawn from 1..window for each token (as in SGNS); "
        "harmonic: a context at distance d counts 1/d (as in GloVe).",
        choices=("fixed", "random", "harmonic"),
    )
    contexts: str = parameter(
        WordContexts.kind,
        "words: a context is a word; positional: a context is a word at an offset, such as dog_1 for dog as next word.",
        choices=CONTEXT_KINDS,
        # There are two contexts per word and unit of the window, each with a row: a wide window would cost too much.
        search=Search(values=(WordContexts.kind, PositionalContexts.kind), when={"window": (1, 2, 3)}),
    )
    seed: int = seed_parameter()
    memory: str | int | None = memory_parameter()
    threads: int | None = threads_parameter()
