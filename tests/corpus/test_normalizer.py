import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from lexvec import Normalizer, ParameterError
from lexvec.corpus.number_words import cardinal, spelled

# Characters at which rules meet: letters of several scripts and cases, marks, digits, breaks, quotes, oddities.
_CHARACTERS = (
    "abIJMRrs éÉßİΣσςЖжאहिन्ी中ǅª Ⅷ²½ 0123456789٣१ ..,,!?…。। \"'’”»)(]- -‐—_&%$ "
    "\n\n\r\t\f\v\x00\x1c\x85\xa0\u2028\u2029\u200b\u200c\u200d\xad\ufeff\u0301\U0001f600\U00010400\ufffd"
)
_TEXT = st.lists(
    st.sampled_from(
        [*_CHARACTERS, "Mr.", " no. ", "e.g. ", ". A", ".) B", "...", "3.14", "1,000", "\r\n", "\n \n", " J. "]
    )
).map("".join)

_OPTIONS = st.builds(
    Normalizer,
    sentences_by=st.sampled_from(["rules", "lines", "paragraphs"]),
    punctuation=st.sampled_from(["remove", "keep"]),
    numbers=st.sampled_from(["digits", "cardinal", "keep", "remove"]),
    lowercase=st.booleans(),
    apostrophes=st.sampled_from(["split", "keep", "join"]),
    hyphens=st.sampled_from(["split", "keep", "join"]),
)


@pytest.mark.slow
@given(_TEXT, _OPTIONS)
@settings(max_examples=600)
def test_the_kernel_agrees_with_a_readable_twin(text: str, options: Normalizer) -> None:
    assert options.sentences(text) == twins.sentences(text, options)


@pytest.mark.slow
@given(st.text(), _OPTIONS)
@settings(max_examples=300)
def test_on_any_text(text: str, options: Normalizer) -> None:
    text = text.encode("utf-8", "replace").decode()
    assert options.sentences(text) == twins.sentences(text, options)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The U.S. economy grew. It grew 3.5% in 1984.",
            ["the u s economy grew", "it grew three five in one nine eight four"],
        ),
        ("Dr. J. R. R. Tolkien met Mr. Smith. They talked.", ["dr j r r tolkien met mr smith", "they talked"]),
        ("So do I. Then we left.", ["so do i", "then we left"]),
        ("It is old (c. 1900, p. 5), e.g. Rome.", ["it is old c one nine zero zero p five e g rome"]),
        ("E\u0301. Zola. É. Zola.", ["é zola", "é zola"]),
        ('He said "Stop." Then he left.', ["he said stop", "then he left"]),
        ("Is it? (Yes.) No! it is not.", ["is it", "yes", "no it is not"]),
        ("Yahoo! is a firm... of sorts.", ["yahoo is a firm of sorts"]),
        ("don't well-known rock’n’roll", ["don t well known rock n roll"]),
        ("ΟΔΥΣΣΕΥΣ ИЖ İstanbul STRASSE ß", ["οδυσσευς иж i̇stanbul strasse ß"]),
        ("cafe\u0301 caf\u00e9", ["café café"]),
        ("हिन्दी भाषा। यह", ["हिन्दी भाषा", "यह"]),
        ("今日は。明日", ["今日は", "明日"]),
        ("می\u200cخواهم soft\u00adhyphen \ufeffbom", ["می\u200cخواهم softhyphen bom"]),
        ("a\x00b a\tb", ["a b a b"]),
        ("one\r\ntwo\rthree\u2028four\u2029five\x85six", ["one", "two", "three", "four", "five", "six"]),
        ("½ ² Ⅷ ١٢", ["ⅷ one two"]),
        ("!!! ... ---", []),
        ("", []),
    ],
)
def test_the_default_rules(text: str, expected: list[str]) -> None:
    assert [" ".join(sentence) for sentence in Normalizer().sentences(text)] == expected


@pytest.mark.parametrize(
    ("options", "text", "expected"),
    [
        (
            {"numbers": "cardinal"},
            "1984 4th 1,000,000.5 007 1.2.3",
            "one thousand nine hundred eighty four four th one million point five zero zero seven one two three",
        ),
        ({"numbers": "keep"}, "1984 mp3 3.14", "1984 mp3 3 14"),
        ({"numbers": "remove"}, "1984 mp3 3.14 ok", "mp ok"),
        ({"apostrophes": "keep"}, "don't dogs' 'tis rock’n’roll", "don't dogs tis rock'n'roll"),
        ({"apostrophes": "join"}, "don't dogs' rock’n’roll", "dont dogs rocknroll"),
        ({"hyphens": "keep"}, "well-known foo--bar -x- non\u2011breaking", "well-known foo bar x non-breaking"),
        ({"hyphens": "join"}, "well-known foo--bar", "wellknown foobar"),
        ({"lowercase": False}, "The CAT Éa", "The CAT Éa"),
        ({"punctuation": "keep"}, "</s> NaN null don't, (x) 42", "</s> nan null don't, (x) four two"),
    ],
)
def test_each_step_is_an_option(options: dict[str, object], text: str, expected: str) -> None:
    assert [" ".join(s) for s in Normalizer.of({**options, "sentences_by": "lines"}).sentences(text)] == [expected]


def test_hard_wrapped_text_has_sentences_across_lines() -> None:
    text = "The cat\nsat. The\r\ndog ran.\n\nA title\n \nThe end."
    assert Normalizer(sentences_by="paragraphs").sentences(text) == [
        ["the", "cat", "sat"], ["the", "dog", "ran"], ["a", "title"], ["the", "end"],
    ]  # fmt: skip


def test_tokenised_text_is_left_alone() -> None:
    text = "</s> nan NULL U.S. 1984\nnext Line . Here"
    assert Normalizer.tokenized().sentences(text) == [line.split() for line in text.split("\n")]


def test_words_are_normalised_text() -> None:
    words = [word for sentence in Normalizer().sentences("Ça coûte 5 € à l’Été\u0301") for word in sentence]
    assert words == ["ça", "coûte", "five", "à", "l", "ét\u00e9\u0301"]
    assert all(unicodedata.is_normalized("NFC", word) and word == word.lower() for word in words)


@given(st.integers(min_value=0, max_value=10**36 - 1))
def test_cardinals_can_be_read_back(number: int) -> None:
    """Names of numbers, read by their grammar, give the number."""
    ones = {
        word: n
        for n, word in enumerate(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
    }
    teens = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    ones |= {word: n for n, word in enumerate(teens.split(), 10)}
    ones |= {
        word: 10 * n
        for n, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
    }
    scales = (
        "thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion"
    )
    powers = {word: 1000**n for n, word in enumerate(scales.split(), 1)}
    total = group = 0
    for word in cardinal(str(number)):
        if word in ones:
            group += ones[word]
        elif word == "hundred":
            group *= 100
        else:
            total, group = total + group * powers[word], 0
    assert total + group == number


def test_numbers_without_a_name_are_spelled() -> None:
    assert cardinal("1" * 40) == spelled("1" * 40) == ["one"] * 40


def test_unknown_options_are_refused() -> None:
    with pytest.raises(ParameterError, match="numbers='roman': it must be one of digits, cardinal, keep, remove"):
        Normalizer(numbers="roman")
    with pytest.raises(ParameterError, match="no parameter lowercse: did you mean 'lowercase'"):
        Normalizer.of({"lowercse": True})
    with pytest.raises(ParameterError, match="lowercase='yes': it must be true or false"):
        Normalizer(lowercase="yes")  # type: ignore[arg-type]
