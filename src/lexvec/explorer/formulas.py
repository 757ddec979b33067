"""What people type into the search field: a word, or a formula such as ``king - man + woman``."""

from collections.abc import Container
from typing import NamedTuple

from ..errors import InputError

MOST_TERMS = 20
LONGEST = 300  # characters of a formula


class Term(NamedTuple):
    """A word and its sign, 1 or −1."""

    word: str
    sign: int


def parsed(text: str, known: Container[str]) -> list[Term]:
    """Return the terms of a formula; a text that is a word of the vocabulary is that word.

    >>> parsed("king - man + woman", {"king"})
    [Term(word='king', sign=1), Term(word='man', sign=-1), Term(word='woman', sign=1)]
    >>> parsed("king -man", {"king"}), parsed("e -mail", {"e", "-mail"})[1]
    ([Term(word='king', sign=1), Term(word='man', sign=-1)], Term(word='-mail', sign=1))
    """
    if len(text) > LONGEST:
        raise InputError(f"a formula of {len(text):,} characters is too long: give at most {LONGEST}")
    text = text.strip()
    if text in known:
        return [Term(text, 1)]
    terms: list[Term] = []
    sign = 0  # of the next word, if a sign stands before it
    for token in text.replace("−", "-").split():
        if token in "+-" and token not in known:
            if sign:
                raise InputError(f"there are two signs in a row before {token!r}: leave one out")
            sign = 1 if token == "+" else -1
            continue
        if token[0] in "+-" and len(token) > 1 and token not in known:
            sign, token = (1 if token[0] == "+" else -1), token[1:]
        terms.append(Term(token, sign or 1))
        sign = 0
    if sign or not terms:
        raise InputError("a word is missing: type one, or a formula such as king - man + woman")
    if len(terms) > MOST_TERMS:
        raise InputError(f"{len(terms)} words are too many for a formula: give at most {MOST_TERMS}")
    return terms
