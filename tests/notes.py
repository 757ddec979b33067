"""Progress that keeps what was said."""

import logging

from lexvec.progress import Silent


class Notes(Silent):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def note(self, text: str, level: int = logging.INFO) -> None:
        self.texts.append(text)
