"""Kills stages by SIGKILL at random moments, resumes or repeats them, and compares every byte with a whole run.

Half of the moments are points in time. The other half lie just before the n-th change of a folder (a rename, a sync, a
removal), because that is where a stage that is not careful leaves something half done.
"""

import random
import re
import shlex
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .bench import Bench, snapshot
from .bench import quiet as quietly
from .verdict import Verdict

_TRAIN = "--dim 8 --subsample 0 --checkpoint-every 0"
#: The command of each stage. Inputs are those of the base, so that every run reads the same.
STAGES = {
    "corpus": "corpus {base}/text.txt -o out --min-count 1",
    "count": "count {base}/corpus -o out --subsample 0",
    "associate": "associate {base}/counts -o out",
    "train lexvec": f"train {{base}}/corpus -o out --epochs 6 {_TRAIN}",
    "train sgns": f"train {{base}}/corpus -o out --model sgns --epochs 6 {_TRAIN}",
    "train with subwords": f"train {{base}}/corpus -o out --model sgns --subwords ngrams --epochs 6 {_TRAIN}",
    "train glove": f"train {{base}}/corpus -o out --model glove --epochs 6 {_TRAIN}",
    "train ppmi-svd": f"train {{base}}/corpus -o out --model ppmi-svd {_TRAIN}",
    "train from text": f"train {{base}}/text.txt -o out --min-count 1 --epochs 3 {_TRAIN}",
    "convert to a folder": "convert {base}/model out",
    "convert to a file": "convert {base}/model out.txt.gz",
    "convert to model2vec": "convert {base}/model out --format model2vec",
    "embed": "embed {base}/model {base}/text.txt -o out.npy",
    "evaluate": "evaluate {base}/model --sets {base}/own.tsv --format csv",
    "reproduce": "reproduce {base}/corpus -o out --preset {base}/own.toml --data {base}/sets",
    "stability": "stability {base}/corpus -o out --model ppmi-svd --dim 4 --subsample 0 --runs 2 --words bapa,bape",
    "tune": "tune {base}/corpus -o out --model sgns --dim 4 --epochs 2 --subsample 0 --trials 4 --search window=1..5 "
    "--search negative=2..6 --objective {base}/tuned.tsv --combine word",
}
#: Stages of many steps, whose finished steps must survive a kill.
EXPERIMENTS = ("reproduce", "stability", "tune")
#: What says how long something took, was a lock, or is a database with times in it, whose content other files have.
_TIMES = re.compile(r"(^|/)(times|\.lock|report\.(html|md|tex)$|trials\.db)")
#: What an experiment computes once: whole models, scores and samples.
_STEPS = re.compile(r"(^|/)(models/[^/.][^/]*(?<!\.run)/meta\.json|(scores|runs)/[^/.][^/]*\.json)$")


@dataclass(frozen=True)
class Crash:
    """One kill: of a stage, at a moment that its number decides."""

    stage: str
    number: int
    slow = False
    group = "crash"

    @property
    def name(self) -> str:
        """What is tried."""
        return f"{self.stage}, kill {self.number}"

    @property
    def key(self) -> str:
        """The name in the whole table."""
        return f"{self.group}: {self.name}"


def crashes(count: int) -> list[Crash]:
    """As many kills, over all stages in turn, and half as many more of experiments."""
    names = list(STAGES)
    more = [Crash(EXPERIMENTS[number % len(EXPERIMENTS)], count + number) for number in range(count // 2)]
    return [Crash(names[number % len(names)], number) for number in range(count)] + more


@dataclass(frozen=True)
class _Whole:
    """A run that was not disturbed."""

    files: dict[str, str]
    events: int
    seconds: float


class Crasher:
    """Kills stages on a bench."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._wholes: dict[str, _Whole] = {}

    def attempt(self, row: Crash) -> Verdict:
        """Kill a stage, bring it to its end, and compare."""
        whole = self._wholes.get(row.stage) or self._wholes.setdefault(row.stage, self._whole(row.stage))
        draw = random.Random(row.number)
        if row.number % 2:
            moment: dict[str, Any] = {"kill_at": draw.randint(1, max(1, whole.events))}
        else:
            moment = {"kill_after": draw.random() * whole.seconds}
        place = self._place()
        try:
            self._run(place, STAGES[row.stage], **moment)
            finished = _finished(place / "work" / "out")
            for _ in range(2):  # what was killed before its first step may have to be begun again
                if problem := self._go_on(place, row.stage):
                    return "bad", f"{moment}: {problem}"
            if lost := sorted(finished - _finished(place / "work" / "out")):
                return "bad", f"{moment}: {lost[0]} was finished, and was lost or computed again"
            return self._compared(place, whole, moment)
        finally:
            shutil.rmtree(place)

    def _place(self) -> Path:
        folder = self._bench.folder / "crash"
        (folder / "work").mkdir(parents=True)
        (folder / "tmp").mkdir()
        for name in ("stdin", "stdout", "stderr"):
            (folder / name).touch()
        return folder

    def _run(self, place: Path, command: str, **more: Any) -> dict[str, Any]:
        (place / "stderr").write_bytes(b"")
        return self._bench.job(
            {
                "command": quietly(shlex.split(command.replace("{base}", str(self._bench.base)))),
                "cwd": str(place / "work"),
                **{stream: str(place / stream) for stream in ("stdin", "stdout", "stderr")},
                "env": {"TMPDIR": str(place / "tmp")},
                "seconds": 60,
                "memory": 1500,
                **more,
            }
        )

    def _whole(self, stage: str) -> _Whole:
        place = self._place()
        try:
            done = self._run(place, STAGES[stage], events=str(place / "events"))
            assert done["code"] == 0, (place / "stderr").read_text(encoding="utf-8")
            events = int((place / "events").read_text(encoding="ascii"))
            return _Whole(_kept(place), events, done["seconds"])
        finally:
            shutil.rmtree(place)

    def _go_on(self, place: Path, stage: str) -> str:
        """Resume or repeat what was killed. Returns what went wrong."""
        command = STAGES[stage]
        work = place / "work"
        if stage.startswith("train") and (work / "out.run").exists():
            command = "train --resume out"
        elif stage not in EXPERIMENTS and any((work / name).exists() for name in ("out", "out.txt.gz", "out.npy")):
            return ""
        done = self._run(place, command)
        said = (place / "stderr").read_text("utf-8", "replace").strip()
        if done["code"] and not ("nothing to resume" in said and (work / "out").exists()):
            return f"{command!r} afterwards ends with {done['code']}: {said[-200:]}"
        return ""

    def _compared(self, place: Path, whole: _Whole, moment: dict[str, Any]) -> Verdict:
        found = _kept(place)
        differing = sorted(
            name for name in found.keys() | whole.files.keys() if found.get(name) != whole.files.get(name)
        )
        if not differing:
            return "right", ""
        what = "left behind" if differing[0] not in whole.files else "missing" if differing[0] not in found else "other"
        return "bad", f"{moment}: {differing[0]} is {what}"


def _finished(out: Path) -> set[tuple[str, int, int]]:
    """Every step of an experiment that a run has finished; one that is computed again is another."""
    found = {
        (str(path.relative_to(out)), (status := path.stat()).st_ino, status.st_mtime_ns)
        for path in out.rglob("*.json")
        if _STEPS.search(str(path.relative_to(out)))
    }
    if not (out / "trials.db").exists():
        return found
    with closing(sqlite3.connect(out / "trials.db")) as database:
        try:
            ended = database.execute("SELECT trial_id FROM trials WHERE state IN ('COMPLETE', 'PRUNED')").fetchall()
        except sqlite3.OperationalError:  # there are no tables yet
            return found
    return found | {("trial", trial, 0) for (trial,) in ended}


def _kept(place: Path) -> dict[str, str]:
    """Every file but those that hold times."""
    found = snapshot(place / "work") | {f"tmp/{name}": each for name, each in snapshot(place / "tmp").items()}
    return {name: digest for name, digest in found.items() if not _TIMES.search(name)}
