"""The program ``lexvec``, also as ``python -m lexvec``."""


def main() -> None:
    """Run the command line."""
    try:
        import signal

        # Imports take longer than a keystroke, and some turn Ctrl-C into errors of their own. Until they are done, it
        # just ends the process, which shells report as exit code 130. Where it is ignored, as by `&` in a script, it
        # stays ignored.
        handler = signal.getsignal(signal.SIGINT)
        if handler is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        from .cli import main as commands

        signal.signal(signal.SIGINT, handler)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    commands(prog_name="lexvec")


if __name__ == "__main__":
    main()
