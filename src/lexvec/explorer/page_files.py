"""The files of the page, read by name from a fixed folder: no path ever comes from a request."""

from importlib.resources import files

TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def page_files() -> dict[str, str]:
    """Return the content of each file by its name."""
    return {
        each.name: each.read_text(encoding="utf-8")
        for each in (files(__package__) / "page").iterdir()
        if each.name.rpartition(".")[2] in TYPES
    }
