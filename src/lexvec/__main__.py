"""``python -m lexvec``."""

from .cli import main

main(prog_name="lexvec")
