"""The paper's twelve test sets: what each is, its size, whom to cite, and the SHA-256 of its items.

The sets themselves are not part of this package; `origins` lists where to fetch them.
"""

from dataclasses import dataclass

from ..errors import ParameterError, did_you_mean

_FREE = "no licence comes with the known copies"


@dataclass(frozen=True)
class Dataset:
    """One test set.

    >>> DATASETS["mc-30"].name, DATASETS["mc-30"].size
    ('MC', 30)
    """

    #: Its name on the command line and in Python.
    key: str
    #: Its name in the columns of the paper's tables.
    name: str
    #: The kind of task, such as similarity or analogy.
    kind: str
    #: The name of its file in a folder of test sets.
    file: str
    #: The number of pairs or questions.
    size: int
    #: Whom to cite.
    citation: str
    #: What is known about its licence.
    licence: str
    #: The SHA-256 of its items.
    sha256: str
    #: The part of the file that belongs to it (see ``parsing.part_of``), or None for all of it.
    section: str | None = None


_ALL = (
    Dataset(
        "ws353-similarity", "WSim", "similarity", "ws353-similarity.txt", 203,
        "Finkelstein et al. 2001, Placing search in context; split by Agirre et al. 2009, A study on similarity and "
        "relatedness", _FREE,
        "b20059d34b076ddb79dd3822828c5b684bfc58e796a14f14c87184bd4eca2655",
    ),
    Dataset(
        "ws353-relatedness", "WRel", "similarity", "ws353-relatedness.txt", 252,
        "Finkelstein et al. 2001, Placing search in context; split by Agirre et al. 2009, A study on similarity and "
        "relatedness", _FREE,
        "d7ae331199ebb368a8bf1489b46268702d58a05193fa83fad80e9aa1d04ba723",
    ),
    Dataset(
        "men", "MEN", "similarity", "men.txt", 3000,
        "Bruni et al. 2012, Distributional semantics in technicolor (lemma form)", _FREE,
        "6409007a582ffea0db2575e4e12fccdc4c61e8f6bbd20dec6418b83bf1a19466",
    ),
    Dataset(
        "mturk-287", "MTurk", "similarity", "mturk-287.txt", 287,
        "Radinsky et al. 2011, A word at a time", _FREE,
        "e9de721913631e77882d62fcc9ddbc5fc6433736d007681b11f937ee94f3e5c4",
    ),
    Dataset(
        "rw", "RW", "similarity", "rw.txt", 2034,
        "Luong et al. 2013, Better word representations with recursive neural networks for morphology", _FREE,
        "117cde48fa77130a92b8dc0912924bdc133647608b60b6796722608cf74bb2bd",
    ),
    Dataset(
        "simlex-999", "SimLex-999", "similarity", "simlex-999.txt", 999,
        "Hill et al. 2015, SimLex-999: Evaluating semantic models with (genuine) similarity estimation", _FREE,
        "edd77c7a726e1c0b594cafd5e13494bc46676734547e76afe08cd510f3cd5b0a",
    ),
    Dataset(
        "mc-30", "MC", "similarity", "mc-30.txt", 30,
        "Miller and Charles 1991, Contextual correlates of semantic similarity", "printed in the article",
        "ed63170663baa0476c60204d34ca2639a9d6a07e9872ee62f6f3ecf4214231c9",
    ),
    Dataset(
        "rg-65", "RG", "similarity", "rg-65.txt", 65,
        "Rubenstein and Goodenough 1965, Contextual correlates of synonymy", "printed in the article",
        "4ab475cf3e3593b731b1a2c9d757450e629895dcb4e57595e0114ca8dab68002",
    ),
    Dataset(
        "scws", "SCWS", "similarity", "scws.txt", 2003,
        "Huang et al. 2012, Improving word representations via global context and multiple word prototypes (mean "
        "ratings, without the contexts)", _FREE,
        "888b29094076ce85565f509e6641099cc87a8bf1dbee71b14bf7b81f350568f1",
    ),
    Dataset(
        "google-semantic", "GSem", "analogy", "google-analogies.txt", 8869,
        "Mikolov et al. 2013, Efficient estimation of word representations in vector space",
        "published with word2vec (Apache 2.0)",
        "a7aec047365fa6a219908aa95bf1e3a5bfae36523f29f2a2777febcf21ec4178", "semantic",
    ),
    Dataset(
        "google-syntactic", "GSyn", "analogy", "google-analogies.txt", 10675,
        "Mikolov et al. 2013, Efficient estimation of word representations in vector space",
        "published with word2vec (Apache 2.0)",
        "0f882b675e1fb8f6964adb2bd88bbdc78f550a6dd779bff8d3bc83d09025201c", "syntactic",
    ),
    Dataset(
        "msr", "MSR", "analogy", "msr-analogies.txt", 8000,
        "Mikolov et al. 2013, Linguistic regularities in continuous space word representations", _FREE,
        "d3366d51cf64b55d3aa9eb4c7865f7f9f6b28bc51a7353b6a8f4216040178a76",
    ),
)  # fmt: skip

#: By key, in the order of the paper's tables.
DATASETS = {dataset.key: dataset for dataset in _ALL}


def named(name: str) -> tuple[str, ...]:
    """Return the keys that a key, or a kind of task, stands for."""
    if name in DATASETS:
        return (name,)
    kinds = list(dict.fromkeys(dataset.kind for dataset in DATASETS.values()))
    if name in kinds:
        return tuple(key for key, dataset in DATASETS.items() if dataset.kind == name)
    advice = did_you_mean(name, [*DATASETS, *kinds]) or f"choose one of {', '.join([*kinds, *DATASETS])}, or a file"
    raise ParameterError(f"{name[:200]!r} is not a test set: {advice}")


def sets_in(file: str) -> list[Dataset]:
    """Return the sets that one file holds."""
    return [dataset for dataset in DATASETS.values() if dataset.file == file]
