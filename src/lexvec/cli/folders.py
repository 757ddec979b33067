"""The folders that commands write, opened by what they hold."""

from pathlib import Path

from ..association import Association
from ..cooccurrence import Cooccurrence
from ..corpus import Corpus
from ..errors import ArtefactError
from ..sparse import SparseArtefact
from ..storage.artefact import Artefact
from ..storage.files import file_of
from ..storage.meta import read_meta
from ..trained import ModelFolder, Trained
from ..vectors.formats.exports import ExportFolder
from ..vectors.formats.folder import VectorsFolder

_CLASSES: tuple[type[Artefact], ...] = (Corpus, Cooccurrence, Association, ModelFolder, VectorsFolder, ExportFolder)
_KINDS = {f"lexvec-{cls.kind}": cls for cls in _CLASSES}


def open_folder(folder: Path) -> Artefact:
    """Return the artefact in a folder."""
    kind = _KINDS.get(read_meta(folder)["format"])
    if kind is None:
        raise ArtefactError(f"{folder} has a format that this version does not know: use the version that wrote it")
    return kind.load(folder)


def open_contexts(folder: Path) -> Trained | SparseArtefact:
    """Return the model or matrix in a folder: what has contexts beside words."""
    artefact = None if file_of(folder) else open_folder(folder)
    if isinstance(artefact, ModelFolder):
        return artefact.trained
    if not isinstance(artefact, SparseArtefact):
        raise ArtefactError(f"{folder} has no contexts: give a folder of lexvec train, associate or count")
    return artefact
