"""The recipes of the documents for clusters that tests have not: at least their syntax is right."""

import re
from pathlib import Path

import pytest

from children import run

TEXT = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_shell_scripts() -> None:
    scripts = _blocks("bash")
    assert len(scripts) == 2
    for script in scripts:
        run(["bash", "-n"], text_in=script, check=True)


def test_kubernetes() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML, which comes with Dask")
    (recipe,) = _blocks("yaml")
    parsed = yaml.safe_load(recipe)
    assert parsed["kind"] == "DaskCluster" and parsed["spec"].keys() == {"worker", "scheduler"}
    ports = parsed["spec"]["scheduler"]["service"]["ports"]
    assert {port["targetPort"] for port in ports} == {"tcp-comm"}


def test_flags_of_dask() -> None:
    pytest.importorskip("distributed", reason="needs Dask: pip install 'lexvec[cluster]'")
    from distributed.cli import dask_scheduler, dask_worker

    for command, name in ((dask_worker.main, "worker"), (dask_scheduler.main, "scheduler")):
        known = {flag for parameter in command.params for flag in parameter.opts}
        for line in re.findall(rf"dask,? {name}([^#\n\]]*)", TEXT):
            assert set(re.findall(r"--[a-z-]+", line)) <= known, line
