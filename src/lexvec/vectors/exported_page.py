"""A page in one HTML file that needs no other: what `WordVectors.explore` returns."""

import html
import os
from dataclasses import dataclass, field

from ..storage.outputs import replacing

_FRAME_HEIGHT = 720


@dataclass(frozen=True)
class ExportedPage:
    """A page as text; in a notebook it shows itself in a frame."""

    #: The whole page.
    text: str = field(repr=False)
    #: The number of words whose neighbours are in it.
    words: int

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the page as a file, complete or not at all."""
        with replacing(path, force=force) as file:
            file.write(self.text.encode())

    def _repr_html_(self) -> str:
        # Scripts run, but the frame has an origin of its own: the page cannot read the notebook.
        frame = f'title="lexvec explorer" sandbox="allow-scripts allow-downloads" width="100%" height="{_FRAME_HEIGHT}"'
        return f'<iframe {frame} srcdoc="{html.escape(self.text)}"></iframe>'

    def __repr__(self) -> str:
        return f"<ExportedPage: {self.words:,} words, {len(self.text) / 1e6:.1f} MB; write it with save(path)>"
