"""Experiments: named models trained and scored on one corpus, and the tables of a paper made from them.

`Runner` trains, resumes and scores; it knows nothing of papers. `Preset` and `Report` hold a paper's rows and figures.
"""

from .preset import Preset
from .preset_file import PRESETS
from .report import Report
from .runner import Results, Runner, RunResult
from .scores import Scores

__all__ = ["PRESETS", "Preset", "Report", "Results", "RunResult", "Runner", "Scores"]
