"""How often do tests between methods with a few seeds err? ``python benchmarks/seed_tests.py``.

Two methods that do not differ are compared, each with a few models. Their scores vary between seeds, and the test items
favour one of them by chance. Prints, as Markdown, how often a single test calls the difference clear, and how often at
least one of twelve does after Holm's correction: both should be 5 % at the most. The last two columns are for drawing
models with replacement, as a bootstrap would.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np

from lexvec.uncertainty import Array, bootstrap_p, differences_with_seed_noise, holm

LIMIT = 0.05
SETS = 12

Test = Callable[[Array, Array, np.random.Generator], Array]


def drawn_with_replacement(first: Array, second: Array, random: np.random.Generator) -> Array:
    """Return differences of means over drawn models, widened as a variance by n − 1 instead of n."""
    means = []
    for samples in (first, second):
        models = len(samples)
        mean = samples.mean(axis=0)
        chosen = np.take_along_axis(samples, random.integers(models, size=samples.shape), axis=0).mean(axis=0)
        means.append(mean + (chosen - mean) * math.sqrt(models / max(models - 1, 1)))
    return np.asarray(means[1] - means[0])


def p_value(test: Test, counts: tuple[int, int], items: float, resamples: int, random: np.random.Generator) -> float:
    """Return p for two methods that do not differ; the noise of items is in units of that between seeds."""
    first, second = (np.repeat(random.normal(size=(count, 1)), resamples, axis=1) for count in counts)
    second = second + items * (random.normal() + random.normal(size=resamples))
    return bootstrap_p(test(first, second, random))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=2000)
    arguments = parser.parse_args()
    random = np.random.default_rng(1)
    print("| models | noise of items by that of seeds | one test | one of twelve | drawn: one test | one of twelve |")
    print("|---|---|---|---|---|---|")
    for counts in ((2, 2), (3, 3), (5, 5), (8, 8), (1, 3)):
        for items in (0.0, 0.3, 1.0):
            cells = []
            for test in (differences_with_seed_noise, drawn_with_replacement):
                families = [
                    [p_value(test, counts, items, arguments.resamples, random) for _ in range(SETS)]
                    for _ in range(arguments.repetitions)
                ]
                single = np.mean(np.array(families) < LIMIT)
                any_of = np.mean([min(holm(family)) < LIMIT for family in families])
                cells += [f"{100 * single:.0f} %", f"{100 * any_of:.0f} %"]
            print(f"| {counts[0]} and {counts[1]} | {items:g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
