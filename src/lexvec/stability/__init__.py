"""How much neighbours and cosines of words vary if the text were another sample (Antoniak and Mimno 2018).

`Stability` trains on bootstrap samples of a corpus; its `Variation` result says how neighbours and cosines vary.
"""

from .stability import Neighbour, Pair, Stability, Variation, WordVariation

__all__ = ["Neighbour", "Pair", "Stability", "Variation", "WordVariation"]
