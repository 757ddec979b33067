"""The documents become a site without a warning, and all that is public is in it."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import lexvec
from children import run
from lexvec import evaluation, lab
from lexvec.cli import main

DOCS = Path(__file__).parents[1] / "docs"

# One worker builds the site for all of these.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html"]
    built = run([*command, DOCS, folder], limit=900)
    assert built.returncode == 0, built.stderr
    assert built.stderr == ""
    return folder


def pages(site: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(site.glob("**/*.html")):
        yield path.relative_to(site).as_posix(), path.read_text(encoding="utf-8")


def below(group: click.Group, context: click.Context, path: str) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from below(command, context, f"{path} {name}")


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    text = "".join(page for name, page in pages(site) if name.startswith("reference/"))
    known = set(re.findall(r'id="(lexvec[\w.]*)"', text))
    assert {f"lexvec.{name}" for name in lexvec.__all__} <= known
    listed = {name for name in evaluation.__all__ if not hasattr(lexvec, name) and name != "FORMATS"}
    assert {f"lexvec.evaluation.{name}" for name in listed} <= known
    assert {f"lexvec.lab.{name}" for name in lab.__all__} <= known


def test_every_command_and_flag_is_in_its_page(site: Path) -> None:
    page = (site / "commands.html").read_text(encoding="utf-8")
    ids = set(re.findall(r'id="([^"]+)"', page))
    found = list(below(main, click.Context(main), "lexvec"))
    assert len(found) > 12
    for path, command in found:
        name = path.replace(" ", "-")
        assert name in ids
        assert command.help, path
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.help, (path, parameter.name)
                assert f"cmdoption-{name}-{parameter.opts[0].lstrip('-').replace('_', '-')}" in ids, (path, parameter)


def test_every_document_is_a_page(site: Path) -> None:
    built = {name.removesuffix(".html") for name, _ in pages(site)}
    assert {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.glob("**/*.md")} <= built


def test_readers_need_no_network(site: Path) -> None:
    for name, page in pages(site):
        for tag in re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", page):
            assert not re.search(r'(?:src|href)="(?:https?:)?//', tag), (name, tag)
    for style in site.glob("**/*.css"):
        assert not re.search(r"(?:url\(|@import)[\"' ]*(?:https?:)?//", style.read_text(encoding="utf-8")), style


def test_formulas_are_formulas(site: Path) -> None:
    page = (site / "concepts.html").read_text(encoding="utf-8")
    assert page.count('<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">') >= 14
    article = re.sub(r"<(pre|code)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert "\\frac" not in article
    assert "$$" not in article
