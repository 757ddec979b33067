"""The shape of the package, held by tests: imports go one way, and what is public is listed."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import lexvec
from children import run_code

SOURCE = Path(lexvec.__file__).parent

# The parts of the package in the order of the table that CONTRIBUTING shows: a module may import what stands before it.
CONTRIBUTING = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
PARTS = re.findall(r"^\| `(\w+(?:\.py|/))` \|", CONTRIBUTING, re.MULTILINE)
ORDER = ["_version", *(part.removesuffix("/").removesuffix(".py") for part in PARTS)]


FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")

#: Imports inside functions that break a cycle: module, and the module that imports it in turn. It must shrink.
BREAK_CYCLES = {
    ("cluster/engine.py", "cluster/dask_engine.py"),
}
#: Modules that import by a name that is computed: commands of their own folder, and packages of others.
COMPUTED = {"cli/main.py", "vectors/formats/exports.py"}


class Import(NamedTuple):
    """An import of a module of this package; ``module`` is empty if its name is computed."""

    module: tuple[str, ...]
    in_function: bool
    for_types: bool


def _imports(path: Path) -> Iterator[Import]:
    """Yield what a file imports of this package, wherever it does: in functions too, and by ``import_module``."""
    here = path.relative_to(SOURCE).with_suffix("").parts

    def found(node: ast.AST, in_function: bool, for_types: bool) -> Iterator[Import]:
        for module in _read(node, here):
            yield Import(module, in_function, for_types)
        in_function |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for_types |= isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.iter_child_nodes(node):
            yield from found(child, in_function, for_types)

    yield from found(ast.parse(path.read_text(encoding="utf-8")), in_function=False, for_types=False)


def _read(node: ast.AST, here: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The modules of this package that a statement or a call in the module ``here`` imports."""
    if isinstance(node, ast.Import):
        names = [alias.name.split(".") for alias in node.names]
        return [tuple(name[1:]) for name in names if name[0] == "lexvec"]
    if isinstance(node, ast.ImportFrom):
        absolute = (node.module or "").split(".") if node.module else []
        if not node.level and absolute[:1] != ["lexvec"]:
            return []
        package = (*here[: len(here) - node.level], *absolute) if node.level else tuple(absolute[1:])
        return [_module(package, alias.name) for alias in node.names]
    if isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
        if not isinstance(node.args[0], ast.Constant):
            return [()]
        name = str(node.args[0].value)
        if name.startswith("."):
            return [(*here[:-1], *name[1:].split("."))]
        return [tuple(name.split(".")[1:])] if name.split(".")[0] == "lexvec" else []
    return []


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _module(package: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The module that ``from package import name`` reads."""
    inner = SOURCE.joinpath(*package, name)
    return (*package, name) if inner.with_suffix(".py").exists() or inner.is_dir() else package


def _file(module: tuple[str, ...]) -> str:
    """The file of a module, relative to the package."""
    inside = SOURCE.joinpath(*module)
    return (inside / "__init__.py" if inside.is_dir() else inside.with_suffix(".py")).relative_to(SOURCE).as_posix()


def _name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


IMPORTS = {_name(path): list(_imports(path)) for path in FILES}


@pytest.mark.parametrize("file", IMPORTS)
def test_imports_go_one_way(file: str) -> None:
    part = file.split("/")[0].removesuffix(".py")
    allowed = set(ORDER[: ORDER.index(part) + 1]) if part != "__main__" else set()
    if part == "kernels":
        allowed = {"kernels", "errors"}
    if file.endswith("__main__.py"):
        allowed |= {"cli"}
    found = {one.module[0] for one in IMPORTS[file] if one.module}
    assert found <= allowed


def test_no_import_is_hidden_behind_a_computed_name() -> None:
    assert {file for file, imports in IMPORTS.items() if any(not one.module for one in imports)} == COMPUTED


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    found, waiting = set[str](), [start]
    while waiting:
        for other in graph.get(waiting.pop(), set()) - found:
            found.add(other)
            waiting.append(other)
    return found


def test_only_known_imports_break_cycles() -> None:
    edges = {
        (file, _file(one.module)): one.in_function
        for file, imports in IMPORTS.items()
        for one in sorted(imports, key=lambda one: not one.in_function)  # what a module imports at once counts
        if one.module and not one.for_types
    }
    graph: dict[str, set[str]] = {}
    for file, other in edges:
        graph.setdefault(file, set()).add(other)
    late = {edge for edge, in_function in edges.items() if in_function and edge[0] in _reachable(graph, edge[1])}
    assert late == BREAK_CYCLES


def test_public_names_are_there() -> None:
    assert len(set(lexvec.__all__)) == len(lexvec.__all__)
    assert all(hasattr(lexvec, name) for name in lexvec.__all__)


#: What restores objects, and so can run code, when it reads.
RESTORING = (
    "pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "torch", "multiprocessing", "yaml",
    "pandas", "concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process", "numba.core.caching", "gensim",
    "distributed",
)  # fmt: skip
#: Where it is used all the same, and why that is no danger.
KNOWN = {
    ("kernels/cache.py", "numba.core.caching"),  # its files are pickles, in a folder that only the user may write to
    ("vectors/formats/exports.py", "gensim"),  # it writes a pickle, which nothing here reads
    ("cluster/dask_engine.py", "distributed"),  # its messages are pickles, from machines of the user
}


def _others(node: ast.AST) -> list[str]:
    """The modules of other packages, or names in them, that a statement or a call imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    named = isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__", "library", "export_format")
    return [str(each.value) for each in node.args if isinstance(each, ast.Constant)] if named else []  # type: ignore[attr-defined]


def test_no_file_can_run_code_that_it_reads() -> None:
    found = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in _others(node):
                found |= {(_name(path), each) for each in RESTORING if f"{name}.".startswith(f"{each}.")}
            if isinstance(node, ast.Call):
                allows = [word.value for word in node.keywords if word.arg == "allow_pickle"]
                assert all(ast.unparse(value) == "False" for value in allows), path
                assert ast.unparse(node.func) not in ("eval", "exec", "compile"), path
                assert allows or ast.unparse(node.func) not in ("np.load", "numpy.load"), path
    assert found == KNOWN


def test_vectors_do_without_the_compiler() -> None:
    code = "import sys, lexvec.cli; lexvec.WordVectors; lexvec.evaluate; assert 'numba' not in sys.modules"
    run_code(code, check=True)


def test_bars_and_commands_are_imported_by_those_who_want_them() -> None:
    code = "import sys; from lexvec import LexVec; assert not {'rich', 'click', 'IPython'} & set(sys.modules)"
    run_code(code, check=True)


def test_every_public_name_has_a_home() -> None:
    assert {*lexvec._HOME_OF, "__version__"} == set(lexvec.__all__)


def test_the_table_of_parts_is_the_tree() -> None:
    found = {f"{path.name}/" if path.is_dir() else path.name for path in SOURCE.iterdir() if path.name[0] != "_"}
    assert sorted(PARTS) == sorted(found - {"py.typed"})


def test_no_file_has_the_name_of_a_standard_module() -> None:
    # cli/ has a file per command, named for it.
    names = {path.stem for path in FILES if path.parent.name != "cli" and not path.stem.startswith("__")}
    assert not names & sys.stdlib_module_names


def test_tests_start_children_in_one_way() -> None:
    """So that each has default signals and a limit; a spy may take the place of what the package itself starts."""
    starting = re.compile(
        r"\b(?:subprocess\.(?:run|Popen|call|check_\w+)\(|os\.(?:fork|system|spawn|posix_spawn|popen))"
    )
    tests = Path(__file__).parent
    found = {
        path.relative_to(tests).as_posix() for path in tests.rglob("*.py") if starting.search(path.read_text("utf-8"))
    }
    assert found == {"children.py", "faults/fault_table/forkserver.py"}
