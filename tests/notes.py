"""Progress that keeps what was said."""

from lexvec.progress import Silent


class Notes(Silent):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def note(self, text: str) -> None:
        self.texts.append(text)
