"""The first line of word2vec's files, two counts, and what follows it: text or bytes."""

import re

HEADER = re.compile(rb"(?:\xef\xbb\xbf)?([+-]?\d{1,30}) ([+-]?\d{1,30}) ?\r?\n")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf(inity)?)", re.IGNORECASE)
_IN_NUMBERS = b"0123456789+-.eE \r\n"


def has_binary_body(start: bytes) -> bool | None:
    """Return whether the vectors after the header are bytes rather than text; None if there is no header."""
    header = HEADER.match(start)
    if not header:
        return None
    body, dim = start[header.end() :], int(header[2])
    line, end, _ = body.partition(b"\n")
    fields = line.removesuffix(b"\r").removesuffix(b" ").split(b" ")
    if end and len(fields) == dim + 1 and all(map(NUMBER.fullmatch, fields[1:])):
        return False
    # A damaged line of numbers still consists of digits for the most part; bytes of floats do not.
    vector = body.partition(b" ")[2][: max(0, 4 * dim)]
    return 2 * sum(map(_IN_NUMBERS.__contains__, vector)) < len(vector)
