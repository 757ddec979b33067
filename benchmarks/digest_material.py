"""What ``digests.py`` computes from, and the digest itself: small corpora that are the same on every machine."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from lexvec import Model


class BitsError(Exception):
    """Two ways to compute the same thing gave different bits, or one of them was not taken."""


def digest(*arrays: Any) -> str:
    """A short digest of the bytes of arrays."""
    seen = hashlib.sha256()
    for array in arrays:
        whole = np.ascontiguousarray(array)
        seen.update(f"{whole.dtype.str} {whole.shape}".encode())
        seen.update(whole.tobytes())
    return seen.hexdigest()[:16]


def digest_bytes(data: bytes) -> str:
    """A short digest of bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


def learned(model: Model) -> dict[str, str]:
    """A digest of each thing that a fitted model has learned."""
    names = ("W", "C", "word_bias", "context_bias", "singular_values")
    found = {name: digest(getattr(model, f"{name}_")) for name in names if hasattr(model, f"{name}_")}
    return found | {"losses": digest_bytes(json.dumps(model.losses_).encode())}


def named(name: str, digests: dict[str, str]) -> dict[str, str]:
    """Put a name before those of some digests."""
    return {f"{name}: {part}": value for part, value in digests.items()}


def require_same(name: str, found: dict[str, str], expected: dict[str, str]) -> None:
    """Raise if anything differs from what is expected."""
    differing = [part for part in expected if found.get(part) != expected[part]]
    if differing or not expected:
        raise BitsError(f"{name}: different bits: {', '.join(differing) or 'nothing was computed'}")


def sentences(words: int, count: int) -> Iterator[list[str]]:
    """Sentences whose words have uneven frequencies; whole numbers only, so the same on every machine."""
    state = 12345
    for _ in range(count):
        sentence = []
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        topic = (state >> 40) % 8
        for _ in range(4 + (state >> 33) % 20):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            rank = words * (state >> 44) * (state >> 24 & 0xFFFFF) >> 40
            sentence.append(f"w{(rank + topic * words // 8) % words if (state >> 20) % 3 else rank}")
        yield sentence


def even_sentences(words: int, count: int) -> Iterator[list[str]]:
    """Sentences whose words are equally frequent, so that nearly all pairs of words meet and a matrix is large."""
    names = np.array([f"w{number}" for number in range(words)])
    rows = np.arange(count * 100, dtype=np.uint64) * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    mixed = (rows ^ (rows >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
    return (names[row].tolist() for row in ((mixed >> np.uint64(33)) % np.uint64(words)).reshape(count, 100))


#: Text for the reader: abbreviations, numbers, quotes, hyphens, combining marks, other scripts, empty lines.
PROSE = (
    "Dr. Smith didn't pay $1,984.50 for a well-known book, e.g. Ulysses. “Why?” she asked. It’s 3 p.m.!\n\n"
    "Ein Über-Mensch läuft; naïve café\u0301 co-operation. Η γάτα κάθεται. 日本語 のテキスト。次の文。\r\n"
    "The U.S. team won 3-2 in 2016. A cat sat on the mat\u00a0and the dogs' dinner was cold ... 100,000 cats?\n"
)
#: A dump of MediaWiki, with markup that is dropped and markup whose text is kept.
DUMP = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><dbname>x</dbname></siteinfo>'
    "<page><title>Cat</title><ns>0</ns><id>1</id><revision><id>2</id><text>'''The [[cat|cats]]''' sat on the mat. "
    "{{Infobox|a=b}} &lt;ref&gt;A note&lt;/ref&gt; == Name == The dog sat on [[File:x.png|thumb|the log]] it. "
    "{| class=x\n| cell\n|} The cat and the dog.</text></revision></page></mediawiki>"
)
