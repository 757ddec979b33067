"""Experiments on one corpus, in a folder that the same call resumes.

`Runner` trains and scores named models; `Preset` and `Report` make the tables of a paper from its results. `Tuner`
searches for good parameters on one half of the test items. `Stability` compares bootstrap samples of the text.
"""

from .halves import half_of
from .paper_report import Report
from .preset import PRESETS, Preset, Row
from .runner import Results, Runner, RunResult, Scores
from .search_space import Dimension, Objective, Space
from .stability import Neighbour, Pair, Stability, Variation, WordVariation
from .stability_report import StabilityReport
from .study import Tried
from .tuner import Tuned, Tuner
from .tuning_report import TuningReport
from .workspace import Times

__all__ = [
    "PRESETS",
    "Dimension",
    "Neighbour",
    "Objective",
    "Pair",
    "Preset",
    "Report",
    "Results",
    "Row",
    "RunResult",
    "Runner",
    "Scores",
    "Space",
    "Stability",
    "StabilityReport",
    "Times",
    "Tried",
    "Tuned",
    "Tuner",
    "TuningReport",
    "Variation",
    "WordVariation",
    "half_of",
]
