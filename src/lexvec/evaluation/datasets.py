"""The paper's twelve test sets: what each is, its size, whom to cite, the SHA-256 of its items, and where to fetch it.

The sets themselves are not part of this package. Python packages carry copies of most; others come from the pages of
their authors, or of the suite by Faruqui and Dyer that the paper used. Each origin that names a package was verified:
its archive has the SHA-256 given here, and its member, converted as written here, gives exactly the items whose
checksum is in `DATASETS`. What is fetched is checked again, and refused if it is another version.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import ParameterError, did_you_mean
from ..remote import Package

Convert = Callable[[str], str]
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
    #: The part of the file that belongs to it (see ``sets.part_of``), or None for all of it.
    section: str | None = None


@dataclass(frozen=True)
class Origin:
    """A place that has a file: a member of an archive, or (no member) the page itself."""

    place: Package | str
    member: str = ""
    convert: Convert = str


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


def _items_of(mask: str) -> Convert:
    """Keep the items whose bit is set; the lowest bit stands for the first item."""
    bits = int(mask, 16)

    def convert(text: str) -> str:
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        return "\n".join(line for number, line in enumerate(lines) if bits >> number & 1)

    return convert


def _edited(old: str, new: str) -> Convert:
    """Replace one line, if it occurs, by another."""
    return lambda text: "\n".join(new if line.split() == old.split() else line for line in text.splitlines())


def _untagged(text: str) -> str:
    """Remove the parts of speech, as in ``sun-n sunlight-n 50.0``."""
    fields = (line.split() for line in text.splitlines())
    return "\n".join(f"{first[:-2]}\t{second[:-2]}\t{rating}" for first, second, rating in fields)


def _rated_in_context(text: str) -> str:
    """Convert Huang's lines: number, word, its class, word, its class, two contexts, the mean rating, all ratings."""
    fields = (line.split("\t") for line in text.splitlines())
    return "\n".join(f"{field[1]}\t{field[3]}\t{field[7]}" for field in fields if len(field) > 7)


# The pairs of the 353 that Agirre et al. put into either half.
_SIMILARITY = _items_of("108e7e1e3f15c0533d22c87a2fdfb181eb7c6661977be6f2303b7ddc6b00bfc05fffb3ffebd811d9fcde7f6c6")
_RELATEDNESS = _items_of("1f79cfffdffa3fefc3ddf78fd7b8fefff7fb9fbf7ff79fbfffe78afb94ff407f8ffdfc003737ee2e33ffa0939")
# Copies of the suite differ in one line of either set; these are the lines that `DATASETS` expects.
_MC = _edited("noon string 0.008", "noon\tstring\t0.08")
_RG = _edited("cord smile 0.02", "chord\tsmile\t0.02")
_SVD2VEC = Package(
    "svd2vec",
    "0.3.3",
    "svd2vec-0.3.3-py3-none-any.whl",
    "c44a3939eaffdc1502abba4977282276dfd0c7b7712c62b1d10af354efded1fb",
)
_CONCEPTNET = Package(
    "ConceptNet",
    "5.7.0",
    "ConceptNet-5.7.0.tar.gz",
    "9fa8c27e435d60bb3ddf8fd57715ca9df1fd66fea1b46a313085fa66486837a0",
)
_SUITE = "https://raw.githubusercontent.com/mfaruqui/eval-word-vectors/master/data/word-sim/EN-{}.txt"
_SIMILARITIES = "svd2vec/datasets/similarities/{}.txt"
_ANALOGIES = "svd2vec/datasets/analogies/{}.txt"
_SUPPORT = "ConceptNet-5.7.0/conceptnet5/support_data/{}"
#: The origins of each file, in the order in which they are tried.
ORIGINS: dict[str, tuple[Origin, ...]] = {
    "ws353-similarity.txt": (
        Origin(_SVD2VEC, _SIMILARITIES.format("wordsim353"), _SIMILARITY),
        Origin(_SUITE.format("WS-353-SIM")),
    ),
    "ws353-relatedness.txt": (
        Origin(_SVD2VEC, _SIMILARITIES.format("wordsim353"), _RELATEDNESS),
        Origin(_SUITE.format("WS-353-REL")),
    ),
    "men.txt": (
        Origin(_CONCEPTNET, _SUPPORT.format("mensim/MEN_dataset_lemma_form.all"), _untagged),
        Origin(_SUITE.format("MEN-TR-3k")),
    ),
    "mturk-287.txt": (Origin(_SVD2VEC, _SIMILARITIES.format("mturk")), Origin(_SUITE.format("MTurk-287"))),
    "rw.txt": (Origin(_SVD2VEC, _SIMILARITIES.format("rarewords")), Origin(_SUITE.format("RW-STANFORD"))),
    "simlex-999.txt": (Origin(_SVD2VEC, _SIMILARITIES.format("simlex999")), Origin(_SUITE.format("SIMLEX-999"))),
    "mc-30.txt": (
        Origin(_CONCEPTNET, _SUPPORT.format("mc/EN-MC-30.txt"), _MC),
        Origin(_SUITE.format("MC-30"), convert=_MC),
    ),
    "rg-65.txt": (
        Origin(_CONCEPTNET, _SUPPORT.format("rg65/EN-RG-65.txt"), _RG),
        Origin(_SUITE.format("RG-65"), convert=_RG),
    ),
    "scws.txt": (Origin("https://www-nlp.stanford.edu/~ehhuang/SCWS.zip", "SCWS/ratings.txt", _rated_in_context),),
    "google-analogies.txt": (
        Origin(_SVD2VEC, _ANALOGIES.format("questions-words")),
        Origin("https://raw.githubusercontent.com/tmikolov/word2vec/master/questions-words.txt"),
    ),
    "msr-analogies.txt": (Origin(_SVD2VEC, _ANALOGIES.format("msr")),),
}
#: What gensim, if it is installed, carries among its own test data.
IN_GENSIM: dict[str, tuple[str, Convert]] = {
    "ws353-similarity.txt": ("wordsim353.tsv", _SIMILARITY),
    "ws353-relatedness.txt": ("wordsim353.tsv", _RELATEDNESS),
    "simlex-999.txt": ("simlex999.txt", str),
    "google-analogies.txt": ("questions-words.txt", str),
}
