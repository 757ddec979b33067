"""Text that is safe to print: words come from files, and a file may hold what a terminal would obey."""

import unicodedata

#: Control characters, format characters (such as overrides of the writing direction), lone surrogates, line ends.
_ESCAPED = ("Cc", "Cf", "Cs", "Zl", "Zp")
#: Joiners are format characters too, but Persian, Hindi and emoji are spelt with them, and no terminal obeys them.
_SPELLING = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def visible(text: str) -> str:
    r"""Return the text with its control and format characters escaped, as one line.

    >>> print(visible("\x1b[31mred\x1b[0m\n"), visible("na\u00efve \u4e2d"))
    \x1b[31mred\x1b[0m\n naïve 中
    """
    if text.isprintable():
        return text
    return "".join(_escaped(letter) if unicodedata.category(letter) in _ESCAPED else letter for letter in text)


def _escaped(letter: str) -> str:
    return letter if letter in _SPELLING else letter.encode("unicode_escape").decode("ascii")
