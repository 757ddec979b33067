"""The shape of the package, held by tests: imports go one way, and what is public is listed."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lexvec

SOURCE = Path(lexvec.__file__).parent

# The parts of the package in the order of the table that CONTRIBUTING shows: a module may import what stands before it.
CONTRIBUTING = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
PARTS = re.findall(r"^\| `(\w+(?:\.py|/))` \|", CONTRIBUTING, re.MULTILINE)
ORDER = ["_version", *(part.removesuffix("/").removesuffix(".py") for part in PARTS)]


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
        allowed = {"kernels", "errors"}
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


def test_the_table_of_parts_is_the_tree() -> None:
    found = {f"{path.name}/" if path.is_dir() else path.name for path in SOURCE.iterdir() if path.name[0] != "_"}
    assert sorted(PARTS) == sorted(found - {"py.typed"})


def test_no_file_has_the_name_of_a_standard_module() -> None:
    # cli/ has a file per command, named for it.
    names = {path.stem for path in FILES if path.parent.name != "cli" and not path.stem.startswith("__")}
    assert not names & sys.stdlib_module_names
