import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexvec import InputError
from lexvec.evaluation import Item
from lexvec.evaluation.sets import digest, parse, plain

WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
PAIRS = st.lists(st.tuples(WORDS, WORDS, st.floats(-10, 10)), min_size=1, max_size=9)


def test_pairs_and_questions() -> None:
    text = "# a comment\n\nTiger\tcat  7.35\r\ncar plane 5\n"
    assert parse(text, "t") == ("similarity", [Item(("Tiger", "cat"), 7.35), Item(("car", "plane"), 5.0)])
    text = ": family\nking queen man woman\n: gram1-adverb\ncalm calmly safe safely\n"
    kind, items = parse(text, "t")
    assert kind == "analogy" and len(items) == 2
    assert parse(text, "t", section="semantic")[1] == [Item(("king", "queen", "man", "woman"))]
    assert parse(text, "t", section="syntactic")[1] == [Item(("calm", "calmly", "safe", "safely"))]
    assert plain("# x\n:  family \r\nking\tqueen man  woman\r\n", "analogy") == ": family\nking queen man woman\n"
    assert plain("a b 1\r\n", "similarity") == "a\tb\t1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t has no items"),
        (": only\n", "t has no items"),
        ("a b\n", "t, line 1: 'a b' is neither two words and a rating nor four words"),
        ("a b 1\na b c d\n", "t, line 2"),
        ("a b c d\na b c d e\n", "t, line 2"),
        ("a b nan\n", "t, line 1: 'nan' is not a rating"),
        ("a b c\n", "t, line 1: 'c' is not a rating"),
    ],
)
def test_what_is_no_set(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(text, "t")


@given(PAIRS, st.randoms(use_true_random=False))
def test_neither_order_nor_spelling_matters(pairs: list[tuple[str, str, float]], shuffle: random.Random) -> None:
    text = "".join(f"{a}\t{b}\t{rating!r}\n" for a, b, rating in pairs)
    kind, items = parse(text, "t")
    assert kind == "similarity" and len(items) == len(pairs)
    shuffled = list(pairs)
    shuffle.shuffle(shuffled)
    other = "# other\r\n" + "".join(f"{a}  {b} {rating:.17e}\r\n" for a, b, rating in shuffled)
    assert parse(other, "t")[1] == items == parse(plain(other, "similarity"), "t")[1]
    assert digest(items) == digest(reversed(items))
    assert digest(items) != digest([*items, items[0]])
