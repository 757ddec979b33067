"""Numbers as English words. (No library for this is available as a wheel with all its dependencies.)"""

import re
import unicodedata

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = (
    *("", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion", "sextillion", "septillion"),
    *("octillion", "nonillion", "decillion"),
)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")


def spelled(digits: str) -> list[str]:
    """Spell digits one by one, as the text8 family does: "1984" → one nine eight four. Digits of any script count."""
    return [DIGITS[unicodedata.decimal(digit)] for digit in digits]


def cardinal(number: str) -> list[str]:
    """Spell one number: "1984" → one thousand nine hundred eighty four, "1,000.5" → one thousand point five.

    A number with a leading zero ("007"), or too long to have a name, is spelled digit by digit. Groups of digits that
    are not one number ("1.2.3") are spelled separately.
    """
    if not _GROUPED.fullmatch(number):
        return [word for part in re.split(r"[.,]", number) for word in cardinal(part)]
    whole, point, fraction = number.replace(",", "").partition(".")
    words = _whole(whole)
    return [*words, "point", *spelled(fraction)] if point else words


def _whole(digits: str) -> list[str]:
    if (digits[0] != "0" or len(digits) == 1) and len(digits) <= 3 * len(_SCALES):
        value = int(digits)
        if value == 0:
            return [DIGITS[0]]
        words: list[str] = []
        for power in reversed(range(len(_SCALES))):
            group = value // 1000**power % 1000
            if group:
                words += _below_thousand(group) + [_SCALES[power]] * (power > 0)
        return words
    return spelled(digits)


def _below_thousand(value: int) -> list[str]:
    words = [DIGITS[value // 100], "hundred"] if value >= 100 else []
    value %= 100
    if value >= 20:
        words.append(_TENS[value // 10])
        value %= 10
    elif value >= 10:
        return [*words, _TEENS[value - 10]]
    return [*words, DIGITS[value]] if value else words
