"""The program ``lexvec``, also as ``python -m lexvec``."""

import signal


def main() -> None:
    """Run the command line."""
    # Imports take longer than a keystroke, and Ctrl-C in one of them is a traceback: until they are done, it just ends
    # the process, which shells report as exit code 130.
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .cli import main as commands

    signal.signal(signal.SIGINT, handler)
    commands(prog_name="lexvec")


if __name__ == "__main__":
    main()
