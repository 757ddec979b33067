"""That the package behaves as Python's own, and as scikit-learn: keywords, clones, help."""

import copy
import inspect
import pydoc
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import numpy as np
import pytest

import lexvec
from lexvec import MODELS, CorpusBuilder, GloVe, LexVec, Model, Normalizer, ParameterError
from lexvec.parameters import Parameters, declared, parameter
from offered import offered

#: What may be given without its name: two things at most, but for a question of three words, and for experiments, which
#: take a model, a corpus and a folder, or a model and what to search.
_MORE = {"WordVectors.analogy": 3, "Tuner.tune": 3, "Stability.measure": 3, "Space.from_model": 3}
#: Which users read and never make.
_RECORDS = ("Dataset", "Preset", "Row", "Dimension", "Tried", "WordVariation", "Neighbour", "Pair", "Measure")


def test_optional_arguments_are_keywords() -> None:
    names = []
    for name, thing in offered():
        signature = inspect.signature(thing)
        positional = [each for each in signature.parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
        own = [each.name for each in positional if each.name not in ("self", "cls")]
        assert len(own) <= _MORE.get(name, 2) or name in _RECORDS, (name, own)
        assert not any(each.kind is each.VAR_POSITIONAL for each in signature.parameters.values()), name
        names.append(name)
    assert {"LexVec", "LexVec.fit", "WordVectors.most_similar", "evaluate", "Runner.run"} <= set(names)


PARAMETERS = sorted(
    {thing for _, thing in offered() if inspect.isclass(thing) and issubclass(thing, Parameters)},
    key=lambda cls: cls.__name__,
)


def test_there_are_classes_of_parameters() -> None:
    assert {LexVec, GloVe, CorpusBuilder, Normalizer, lexvec.Associator, lexvec.CooccurrenceCounter} <= set(PARAMETERS)


@pytest.mark.parametrize("cls", PARAMETERS)
def test_help_lists_all_parameters(cls: type[Parameters]) -> None:
    shown = pydoc.plain(pydoc.render_doc(cls))
    assert cls.__doc__ is not None
    assert cls.__doc__.count("\nParameters\n----------\n") == 1
    for name, spec, _, default in declared(cls):
        assert f"\n{name} : " in cls.__doc__
        assert f"default {default!r}\n    {spec.help}" in cls.__doc__
        assert f"{name} : " in shown


def test_how_a_parameter_is_documented() -> None:
    assert "\nthreads : int or None, 1 to 1024, default None\n    Number of threads" in str(LexVec.__doc__)
    assert "\nvariant : {'minibatch', 'stochastic'}, default 'stochastic'\n    minibatch: " in str(LexVec.__doc__)
    assert "\nwindow : int, at least 1, default 2\n" in str(LexVec.__doc__)
    assert ">>> model = LexVec(" in str(LexVec.__doc__)  # what was written by hand is still there

    @dataclass(frozen=True, kw_only=True)
    class Silent(Parameters):
        size: int = parameter(3, "how many")

    @dataclass(frozen=True, kw_only=True)
    class Other(Silent):
        """Changes a default."""

        size: int = parameter(4, "how many more")

    assert Silent.__doc__ == "Silent\n\nParameters\n----------\nsize : int, default 3\n    how many"
    assert Other.__doc__ == "Changes a default.\n\nParameters\n----------\nsize : int, default 4\n    how many more"


def test_reprs_show_what_differs_from_the_defaults() -> None:
    assert repr(LexVec()) == "LexVec()"
    assert (
        repr(LexVec(subsample=0, dim=100, variant="minibatch")) == "LexVec(dim=100, subsample=0.0, variant='minibatch')"
    )
    assert repr(CorpusBuilder(min_count=5)) == "CorpusBuilder(min_count=5)"
    assert eval(repr(GloVe(subsample=None, memory="2GB")), {"GloVe": GloVe}).get_params()["memory"] == "2GB"


def clone(estimator: Any) -> Any:
    """What sklearn.base.clone does to anything with get_params."""
    parameters = {name: copy.deepcopy(value) for name, value in estimator.get_params(deep=False).items()}
    made = type(estimator)(**parameters)
    for name, value in made.get_params(deep=False).items():
        assert value is parameters[name], f"the constructor changed {name}"
    return made


@pytest.mark.parametrize("cls", PARAMETERS)
def test_clones(cls: type[Parameters]) -> None:
    if cls is Model:
        return
    # Numbers of other kinds, of which the constructor makes Python's own.
    numbers = {name: default for name, _, _, default in declared(cls) if type(default) in (int, float)}
    odd = {name: np.int64(value) for name, value in numbers.items() if value == int(value)}
    for given in ({}, odd):
        original = cls(**given)
        assert clone(original).get_params() == original.get_params()


def test_clones_are_not_fitted() -> None:
    model = LexVec(dim=4, epochs=1, subsample=0).fit([["a", "b"]] * 20, builder=CorpusBuilder(min_count=1))
    copied = clone(model)
    assert not hasattr(copied, "W_") and copied.dim == 4
    assert all(hasattr(MODELS[name], "set_params") for name in MODELS)


def test_builders_are_values() -> None:
    builder = CorpusBuilder(min_count=5)
    assert builder == CorpusBuilder(min_count=5) and hash(builder) == hash(CorpusBuilder(min_count=5))
    assert replace(builder, lowercase=False).min_count == 5
    with pytest.raises(ParameterError, match="min_count=0: it must be at least 1"):
        replace(builder, min_count=0)
    with pytest.raises(FrozenInstanceError):
        builder.min_count = 3  # type: ignore[misc]
