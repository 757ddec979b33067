"""Our rules as a tokenizer.json: the tokenizers library cuts text into the same words."""

import functools
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lexvec import Normalizer, ParameterError
from lexvec.vectors.formats.model2vec import tokenizer_json

tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed (it comes with model2vec)")

ODD = (
    "aB ΣςσİıéÀ字ñ ١२9 0'’＇-‐\u00ad\u200b\u200c\u200d\ufeff\ufffd\u0301\u0308_.,;!?()\n\t\u2028½²ⅧǅǄ\u0915\u094d\u0937"
)
TEXT = st.text(
    st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs", "Cn"], max_codepoint=0x2FFFF)), max_size=25
)
RULES = [
    {},
    {"lowercase": False},
    {"numbers": "keep"},
    {"numbers": "remove"},
    {"apostrophes": "keep", "hyphens": "keep"},
    {"apostrophes": "join", "hyphens": "join"},
    {"apostrophes": "keep", "hyphens": "join", "numbers": "keep"},
    {"apostrophes": "join", "hyphens": "split"},
    {"punctuation": "keep", "numbers": "keep"},
    {"punctuation": "keep", "numbers": "keep", "lowercase": False},
]


@functools.cache
def tokenizer(rules: Normalizer) -> Any:
    return tokenizers.Tokenizer.from_str(json.dumps(tokenizer_json(rules, ["the"])))


def cut(rules: Normalizer, text: str) -> list[str]:
    """What the library makes of a text, word by word."""
    made = tokenizer(rules)
    pieces = made.pre_tokenizer.pre_tokenize_str(made.normalizer.normalize_str(text))
    return [piece for piece, _ in pieces]


@pytest.mark.parametrize("given_rules", RULES, ids=str)
@given(text=TEXT)
@example(text="In 1984, Mr. Orwell's café closed. He left!")
@example(text="ΌΔΟΣ ΣΑΣ Σ ΣΑΣ'Α rock 'n' roll -- well-known ''a'b''-c'-d don’t co\u00adop a\u200bb \ufeffx")
@example(text="क्\u200dष a\u200d\u200db \u0301a e\u0301 mp3 ３٣")
def test_the_same_words(given_rules: dict[str, Any], text: str) -> None:
    rules = Normalizer(**given_rules)
    assert cut(rules, text) == [word for sentence in rules.sentences(text) for word in sentence]


@pytest.mark.parametrize("rules", [{"numbers": "cardinal"}, {"punctuation": "keep", "numbers": "digits"}])
def test_rules_that_do_not_fit(rules: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="no tokenizer.json can spell numbers .*: train with numbers='keep'"):
        tokenizer_json(Normalizer(**rules), ["the"])


def test_words_that_look_like_the_unknown_one() -> None:
    rules = Normalizer.tokenized()
    made = tokenizers.Tokenizer.from_str(json.dumps(tokenizer_json(rules, ["[UNK]", "[[UNK]]", "a"])))
    assert made.encode("[UNK] [[UNK]] a b [[[UNK]]]").ids == [1, 2, 3, 0, 0]
