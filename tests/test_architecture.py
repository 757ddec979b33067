"""The shape of the package, held by tests: imports go one way, and what is public is listed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lexvec

SOURCE = Path(lexvec.__file__).parent

# The pipeline from left to right: a module may import what stands before it.
ORDER = [
    "_version", "errors", "machine", "registry", "presentation", "kernels", "parameters", "progress", "threads",
    "storage", "remote", "vocabulary", "contexts", "composition", "sparse", "draws", "corpus", "cooccurrence",
    "association", "vectors", "evaluation", "engine", "models", "experiments", "demo", "cli",
]  # fmt: skip


def _imports(path: Path) -> set[str]:
    """The parts of this package that a file imports."""
    here = path.relative_to(SOURCE).with_suffix("").parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level]
            whole = [*base, *(node.module or "").split(".")] if node.module else list(base)
            if whole:
                found.add(whole[0])
            else:
                found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lexvec":
            found.add("absolute import")
    return found


FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path: Path) -> None:
    part = path.relative_to(SOURCE).with_suffix("").parts[0]
    allowed = set(ORDER[: ORDER.index(part) + 1]) if part != "__main__" else set()
    if part == "kernels":
        allowed = {"kernels"}
    if path.name == "__main__.py":
        allowed |= {"cli"}
    assert _imports(path) <= allowed


def test_public_names_are_there() -> None:
    assert len(set(lexvec.__all__)) == len(lexvec.__all__)
    assert all(hasattr(lexvec, name) for name in lexvec.__all__)


def test_no_file_can_run_code_that_it_reads() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert "pickle" not in text.replace("allow_pickle=False", ""), path


def test_vectors_do_without_the_compiler() -> None:
    code = "import sys, lexvec.cli; lexvec.WordVectors; lexvec.evaluate; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_bars_and_commands_are_imported_by_those_who_want_them() -> None:
    code = "import sys; from lexvec import LexVec; assert not {'rich', 'click', 'IPython'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_has_a_home() -> None:
    assert {*lexvec._HOME_OF, "__version__"} == set(lexvec.__all__)


def test_the_map_of_the_code_is_the_tree() -> None:
    text = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    parts = [path.name for path in SOURCE.iterdir() if not path.name.startswith("_") and path.name != "py.typed"]
    for name in parts:
        assert f"`{name}`" in text or f"`{name}/`" in text, name
