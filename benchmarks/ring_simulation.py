"""A unit of work on a ring of machines, computed from block times, bandwidth and latency.

All machines have the same number of parts, and a block takes the same time everywhere. Then all machines do the same
at the same time, and one of them stands for all: the column that it receives is the one that it sent ``own`` columns
earlier, a transfer later. Blocks are taken in the order of the real executor (`lexvec.cluster.ring.chains`).
"""

import heapq
from typing import NamedTuple

from lexvec.cluster.ring import chains


class Machine(NamedTuple):
    """What was measured on one machine, on one thread."""

    step: float  # seconds per pair, in blocks
    prepare: float  # seconds per pair to draw and cut it
    draw: float  # seconds per token to draw the text of a unit, which every machine does
    call: float = 15e-6  # seconds of Python per block
    cpu: float = 0.5e-9  # seconds of processor time per byte that is sent and received
    threads: int = 1


class Network(NamedTuple):
    """The network between machines."""

    bandwidth: float  # bytes per second, in each direction
    latency: float = 50e-6  # seconds


class Work(NamedTuple):
    """A unit of work."""

    pairs: int
    tokens: int
    parts: int
    contexts: int
    row_bytes: int


def sweep_seconds(machine: Machine, network: Network, work: Work, machines: int) -> float:
    """Return how long the sweep of a unit takes."""
    own = work.parts // machines
    block = machine.call + work.pairs / work.parts**2 * machine.step
    part = work.contexts * work.row_bytes / work.parts
    free = [0.0] * machine.threads
    words: dict[int, float] = {}
    columns = dict.fromkeys(range(own if machines > 1 else work.parts + own), 0.0)
    link = 0.0
    for chain in chains(range(own), range(work.parts), machine.threads):
        now = heapq.heappop(free)
        for i, column in chain:
            if machines == 1 and column >= work.parts:
                columns[column] = max(columns[column], columns[column - work.parts])
            now = max(now, words.get(i, 0.0), columns[column]) + block
            words[i] = columns[column] = now
            if i == 0 and machines > 1:
                link = max(link, now) + part / network.bandwidth
                columns[column + own] = link + network.latency
        heapq.heappush(free, now)
    sent = 0.0 if machines == 1 else work.contexts * work.row_bytes * machine.cpu / machine.threads
    return max(max(free), link) + sent


def unit_seconds(machine: Machine, network: Network, work: Work, machines: int) -> float:
    """Return how long a unit takes: text, pairs, sweep, and adding up the losses."""
    own = work.pairs * machine.prepare / machines / machine.threads
    sums = 0.0
    if machines > 1:
        share = work.parts**2 * 16 / machines
        sums = (machines - 1) * (network.latency + share / network.bandwidth)
    return work.tokens * machine.draw + own + sweep_seconds(machine, network, work, machines) + sums
