"""What the tests say, in words: which vectors are best, and which cannot be told apart from them."""

from collections.abc import Mapping, Sequence

from ..presentation.table import Cell
from ..uncertainty import holm
from .resampling import CONFIDENCE, Column, Sampled, Vectors

_NAMED = 5  # in one list


def standing(sampled: Sampled, labels: Mapping[Vectors, str], columns: Sequence[Column], what: str) -> str:
    """Return which vectors are best in the mean of some columns, and which differ from them; "" without scores."""
    means = {vectors: sampled.figure(vectors, columns).mean for vectors in labels}
    means = {vectors: mean for vectors, mean in means.items() if mean == mean}
    if len(means) < 2:
        return ""
    best = max(means, key=lambda vectors: means[vectors])
    others = sorted((vectors for vectors in means if vectors != best), key=lambda vectors: -means[vectors])
    corrected = holm([sampled.p(best, other, columns) for other in others])
    clear = {other for other, p in zip(others, corrected, strict=True) if p < 1 - CONFIDENCE}

    def named(vectors: Vectors) -> str:
        return f"{labels[vectors]} ({Cell.figure(means[vectors]).text})"

    tied = [named(other) for other in others if other not in clear]
    if not tied:
        return f"{what}: {named(best)} is better than all others, the next being {named(others[0])}."
    first = f"{what}: {_listed([named(best), *tied])} cannot be told apart."
    behind = [named(other) for other in others if other in clear]
    return f"{first} {labels[best]} is better than {_listed(behind)}." if behind else first


def of_the_sum(sampled: Sampled, labels: Mapping[str, str], columns: Sequence[Column], what: str) -> str:
    """Return for which runs W + C is better or worse than W, in the mean of some columns; "" without scores."""
    pairs = {run: (Vectors(run, "word"), Vectors(run, "sum")) for run in labels}
    known = {run: pair for run, pair in pairs.items() if sampled.figure(pair[0], columns).values}
    if not known:
        return ""
    groups: dict[str, list[str]] = {"better": [], "worse": [], "same": []}
    corrected = holm([sampled.p(*pair, columns) for pair in known.values()])
    for (run, (word, total)), p in zip(known.items(), corrected, strict=True):
        gain = sampled.figure(total, columns).mean - sampled.figure(word, columns).mean
        group = ("better" if gain > 0 else "worse") if p < 1 - CONFIDENCE else "same"
        groups[group].append(f"{labels[run]} ({Cell.figure(gain, signed=True).text})")
    parts = [
        f"{verdict} {whole if len(groups[group]) == len(known) > 1 else _listed(groups[group])}"
        for group, verdict, whole in (
            ("better", "is better than W for", "every method"),
            ("worse", "is worse than W for", "every method"),
            ("same", "cannot be told apart from W for", "any method"),
        )
        if groups[group]
    ]
    return f"{what}: W + C {', and '.join(parts)}."


def _listed(names: Sequence[str]) -> str:
    """Return names in one line; labels have commas, and after a few the tables say more than a line."""
    named, left = (names, 0) if len(names) <= _NAMED else (names[: _NAMED - 1], len(names) - _NAMED + 1)
    parts = [*named, f"{left} others"] if left else list(named)
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])} and {parts[-1]}"
