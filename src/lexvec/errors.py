"""What a user can get wrong, as types. Each message is one line: what is wrong, and what to do about it."""


class LexvecError(Exception):
    """Base of all errors that this package raises on purpose."""


class ParameterError(LexvecError, ValueError):
    """A parameter has a value, or a type, that it cannot have."""


class InputError(LexvecError):
    """Text, or a file to read it from, that cannot be used."""


class ArtefactError(LexvecError):
    """A folder that is not, or is no longer, what this package wrote, or that stands in the way."""


class DivergenceError(LexvecError):
    """Training has left all bounds."""


class ResourceError(LexvecError):
    """Disk or memory is not enough."""
